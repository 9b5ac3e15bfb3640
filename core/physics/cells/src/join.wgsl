// What a workgroup's vertices add to nodes, joined in its memory, so that a node gets one sum of them. The sums are in a
// hash table whose keys are nodes. Groups of 8 nodes stay together, as they are in the array of forces. Strong parts
// are added to nodes one by one, so that no sum of a workgroup can overflow.
const PLACES: u32 = ${places}u;
// Places that are tried for a node.
const TRIES: u32 = ${tries}u;

var<workgroup> holder: array<atomic<u32>, PLACES>;
var<workgroup> joined: array<atomic<i32>, ${dimension}u * PLACES>;

fn open(lane: u32) {
    for (var place = lane; place < PLACES; place += WORKGROUP) {
        atomicStore(&holder[place], NONE);
#for axis in axes
        atomicStore(&joined[${axis.index}u * PLACES + place], 0);
#endfor
    }
}

fn add(node: u32, part: Part, strong: bool) {
    if (strong) {
        add_force(node, part);
        return;
    }
    // Multiplicative hashing (Knuth, The Art of Computer Programming 3, 6.4).
    var place = ((((node >> 3u) * 2654435769u) >> 16u) * 8u + (node & 7u)) % PLACES;
    for (var k = 0u; k < TRIES; k += 1u) {
        let found = atomicCompareExchangeWeak(&holder[place], NONE, node);
        if (found.exchanged || found.old_value == node) {
#for axis in axes
            atomicAdd(&joined[${axis.index}u * PLACES + place], part.${axis.name});
#endfor
            return;
        }
        place = (place + 8u) % PLACES;
    }
    add_force(node, part);
}

fn close(lane: u32) {
    for (var place = lane; place < PLACES; place += WORKGROUP) {
        let node = atomicLoad(&holder[place]);
        if (node != NONE) {
            var part = Part();
#for axis in axes
            part.${axis.name} = atomicLoad(&joined[${axis.index}u * PLACES + place]);
#endfor
            add_force(node, part);
        }
    }
}
