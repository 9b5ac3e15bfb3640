// How the wall holds a vertex at distance d from it. The fluid's velocity u is zero at the wall: what a vertex takes of
// it goes to zero with d below SLOW. So does the way it moves towards the wall in a step, which is shorter than what is left of d
// as |u| is bounded there: no vertex reaches d = 0. One nearer than LEAST drifts off along the wall's normal n:
//   U = min(d / SLOW, 1) u + RETURN max(LEAST - d, 0) n
// A rank's nodes know d and n, so that each adds its share.
const SLOW: real = real(${wall.slow});
const LEAST: real = real(${wall.least});

struct Hold {
    // Share of the fluid's velocity.
    share: real,
    // Velocity off the wall.
    push: vec${dimension}<real>,
    // Bound of the components of the fluid's velocity.
    fastest: real,
}

fn hold_of(wall: Wall) -> Hold {
    if (wall.distance >= SLOW) {
        return Hold(real(1.0), vec${dimension}<real>(), real(0.96875));
    }
    let steps = real(span.steps);
    let share = max(wall.distance, real(0.0)) * real(1.0 / ${wall.slow});
    let steepness = sqrt(dot(wall.gradient, wall.gradient));
    let deep = clamp(LEAST - wall.distance, real(0.0), real(1.0));
    let push = real(${wall.return}) * deep / (steps * max(steepness, real(${wall.flat}))) * wall.gradient;
    return Hold(share, push, real(${wall.fastest}) / steps);
}

// A component of the velocity of a vertex by that of the fluid at a node. Bounded, so that no sum overflows: beyond, the
// fluid is broken anyway, and the vertex too fast.
fn held(hold: Hold, u: real, push: real) -> real {
    return hold.share * clamp(u, -hold.fastest, hold.fastest) + push;
}
