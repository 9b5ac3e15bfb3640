// Particles that leave for other ranks. `tally`: slots in use, holes among them. `leaving`: how many leave for each neighbour.
// `outbox`: for each neighbour its piece of the message, at the words that `neighbours` gives: where records begin, and how
// many fit.
struct Neighbour {
    records: u32,
    most: u32,
}

var<storage, read> neighbours: array<Neighbour>;
var<storage, read_write> tally: array<atomic<u32>>;
var<storage, read_write> leaving: array<atomic<u32>>;
var<storage, read_write> holes: array<u32>;
var<storage, read_write> outbox: array<u32>;

fn leave(neighbour: u32, i: u32, at: vec3<i32>, v: vec3<f32>) {
    let k = atomicAdd(&leaving[neighbour], 1u);
    holes[atomicAdd(&tally[1], 1u)] = i;
    if (k >= neighbours[neighbour].most) {
        return;
    }
    let to = neighbours[neighbour].records + k * ${record}u;
#for axis in axes
    outbox[to + ${axis.index}u] = bitcast<u32>(at.${axis.name});
    outbox[to + ${dimension + axis.index}u] = bitcast<u32>(v.${axis.name});
#endfor
    outbox[to + ${2 * dimension}u] = label[i];
}
