// Contact of two bodies: Gay and Berne's repulsion, and its torques about their centres.
#include "wca.wgsl"
#include "symmetric.wgsl"
#include "gay_berne.wgsl"
#include "rotation.wgsl"
#include "kind.wgsl"
#include "members.wgsl"

var<storage, read> orientation: array<real>;
var<storage, read> kind: array<u32>;
var<storage, read> kinds: array<Kind>;

struct Member {
    // Its axes as columns.
    e: mat3x3<real>,
    shape: Shape,
}

fn member(i: u32) -> Member {
    return Member(matrix_of(quaternion(i)), kinds[kind[i]].shape);
}

fn pair(one: Member, two: Member, r: Axes) -> Action {
    let act = gay_berne(r, one.e, two.e, one.shape, two.shape);
    return Action(
        act.F,
        array<real, 3>(act.T1.x, act.T1.y, act.T1.z),
        array<real, 3>(act.T2.x, act.T2.y, act.T2.z),
    );
}
