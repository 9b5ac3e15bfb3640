alias real = ${real};
alias Axes = vec${dimension}<real>;

const WORKGROUP: u32 = ${workgroup}u;
const VERTICES: u32 = ${vertices}u;
// A team of invocations works on one cell; a workgroup has several teams where cells are small.
const TEAM: u32 = ${team}u;
const TEAMS: u32 = ${teams}u;
const FULL_AREA: real = real(${area});
const FULL_VOLUME: real = real(${volume});

// The cells of one dispatch: `cells` cells from `first_slot` on, with vertices from `first_vertex` on; `which` of them,
// listed from `first` on, see which.wgsl. `limit` holds the bits of the largest allowed force as f32; larger numbers,
// infinity and NaN have larger bits.
struct Span {
    first_vertex: u32,
    first_slot: u32,
    cells: u32,
    stride: u32,
    step: u32,
    limit: u32,
    which: u32,
    first: u32,
}
var<immediate> span: Span;
#include "which.wgsl"

var<storage, read> position: array<vec2<i32>>;
var<storage, read_write> force: array<real>;
var<storage, read> scale: array<f32>;
var<storage, read_write> broken: array<atomic<u32>>;
var<storage, read_write> shape: array<vec2<real>>;

var<workgroup> shares: array<vec2<real>, WORKGROUP>;
var<workgroup> subtotals: array<vec2<real>, WORKGROUP>;

// The place of an invocation: `member` of the team of cell `cell`, whose `vertices` vertices begin at vertex `first` of
// the population. Without a cell, `vertices` is 0.
struct Work {
    lane: u32,
    member: u32,
    cell: u32,
    first: u32,
    vertices: u32,
}

fn work_of(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> Work {
    let team = lane / TEAM;
    let cell = number_at(group.y * groups.x + group.x) * TEAMS + team;
    let busy = team < TEAMS && cell < span.cells && works_on(span.first_slot + cell);
    return Work(lane, lane % TEAM, cell, cell * VERTICES, select(0u, VERTICES, busy));
}

// The size of a cell over its full size: 1, or less while it grows.
fn size_of(work: Work) -> real {
    if (work.vertices == 0u) {
        return real(1.0);
    }
    return real(scale[span.first_slot + work.cell]);
}

fn axis_from(v: vec2<i32>, origin: vec2<i32>) -> real {
    let fraction = bitcast<u32>(v.y) - bitcast<u32>(origin.y);
    let borrow = i32(bitcast<u32>(v.y) < bitcast<u32>(origin.y));
    // A signed fraction keeps the digits of small differences.
    let whole = v.x - origin.x - borrow + i32(fraction >> 31u);
    return real(whole) + real(bitcast<i32>(fraction)) * real(${fraction});
}

// The vector from vertex `origin` to vertex v of the population: subtracted exactly, then rounded to `real`.
fn from_origin(v: u32, origin: u32) -> Axes {
    let p = span.first_vertex + v;
    let o = span.first_vertex + origin;
    return Axes(
#for axis in axes
        axis_from(position[${axis}u * span.stride + p], position[${axis}u * span.stride + o]),
#endfor
    );
}

// The sum of `mine` over a team, in an order that depends only on the team's size. Also a storage barrier. The first
// invocations of the workgroup add up the members of a team, PART at a time, then the sums of its parts.
const PART: u32 = 16u;
const PARTS: u32 = (TEAM + PART - 1u) / PART;

fn sum_of_team(work: Work, mine: vec2<real>) -> vec2<real> {
    shares[work.lane] = mine;
    storageBarrier();
    workgroupBarrier();
    if (work.lane < TEAMS * PARTS) {
        let begin = PART * (work.lane % PARTS);
        let base = TEAM * (work.lane / PARTS);
        var sum = vec2<real>(0.0);
        for (var k = begin; k < min(begin + PART, TEAM); k += 1u) {
            sum += shares[base + k];
        }
        subtotals[work.lane] = sum;
    }
    workgroupBarrier();
    if (work.lane < TEAMS) {
        var sum = vec2<real>(0.0);
        for (var k = 0u; k < PARTS; k += 1u) {
            sum += subtotals[PARTS * work.lane + k];
        }
        shares[work.lane] = sum;
    }
    workgroupBarrier();
    // Invocations beyond the last team have no cell.
    return shares[min(work.lane / TEAM, TEAMS - 1u)];
}

// Stores the area and volume of a cell of size s. Marks the cell as broken where it is torn, unless cells grow.
fn put_shape(work: Work, sums: vec2<real>, s: real) {
    shape[work.cell] = sums;
#if dimension == 2
    let size = sums / vec2<real>(s * FULL_AREA, s * s * FULL_VOLUME);
#else
    let size = sums / vec2<real>(s * s * FULL_AREA, s * s * s * FULL_VOLUME);
#endif
    let least = vec2<real>(real(${sound[0][0]}), real(${sound[1][0]}));
    let most = vec2<real>(real(${sound[0][1]}), real(${sound[1][1]}));
    if (span.limit < ${capped}u && (any(size < least) || any(size > most))) {
        atomicMin(&broken[span.first_slot + work.cell], span.step << ${damage_bits}u | ${torn}u);
    }
}

fn bits(x: real) -> u32 {
    return bitcast<u32>(f32(x)) & 0x7fffffffu;
}

// Stores the force on vertex v of a cell. Marks the cell as broken where the force is beyond the limit or NaN.
fn put_force(work: Work, v: u32, f: Axes) {
    let at = span.first_vertex + work.first + v;
    var worst = 0u;
#for axis in axes
    force[${axis}u * span.stride + at] = f[${axis}];
    worst = max(worst, bits(f[${axis}]));
#endfor
    if (worst >= span.limit) {
        atomicMin(&broken[span.first_slot + work.cell], span.step << ${damage_bits}u | ${damage}u);
    }
}

#if viscosity
var<storage, read> drift: array<i32>;

// Velocity of vertex v of the population.
fn velocity(v: u32) -> Axes {
    let at = span.first_vertex + v;
    return real(${drift}) * Axes(
#for axis in axes
        real(drift[${axis}u * span.stride + at]),
#endfor
    );
}

#include "viscosity.wgsl"
#endif
#include "quadratic.wgsl"
