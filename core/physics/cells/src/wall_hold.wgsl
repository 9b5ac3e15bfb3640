// How the wall holds a vertex at distance d from it; n is the wall's normal, u the fluid's velocity. The vertex's velocity
// along n fades to zero below distance SLOW, its velocity along the wall below SLIP. Nearer than LEAST it drifts off:
//   U = min(d / SLIP, 1) (u - (1 - min(d / SLOW, 1)) (u . n) n) + RETURN max(LEAST - d, 0) n
// As |u| is bounded there, a step towards the wall is shorter than d, also where two walls meet: no vertex reaches d = 0.
// A rank's nodes know d and n, so that each adds its share.
const SLOW: real = real(${wall.slow});
const SLIP: real = real(${wall.slip});
const LEAST: real = real(${wall.least});

alias Velocity = vec${dimension}<real>;

struct Hold {
    // Share of the fluid's velocity.
    share: real,
    // What is taken of its part along the normal, and the normal.
    held: real,
    normal: Velocity,
    // Velocity off the wall.
    push: Velocity,
    // Bound of the components of the fluid's velocity.
    fastest: real,
}

fn hold_of(wall: Wall) -> Hold {
    if (wall.distance >= SLOW) {
        return Hold(real(1.0), real(0.0), Velocity(), Velocity(), real(0.96875));
    }
    let steps = real(span.steps);
    let d = max(wall.distance, real(0.0));
    let steepness = sqrt(dot(wall.gradient, wall.gradient));
    let n = wall.gradient / max(steepness, real(${wall.flat}));
    let deep = clamp(LEAST - wall.distance, real(0.0), real(1.0));
    return Hold(
        min(d * real(1.0 / ${wall.slip}), real(1.0)),
        real(1.0) - d * real(1.0 / ${wall.slow}),
        n,
        real(${wall.return}) * deep / steps * n,
        real(${wall.fastest}) / steps,
    );
}

// The velocity of a vertex by that of the fluid at a node. Bounded, so that no sum overflows: beyond, the fluid is broken
// anyway, and the vertex too fast.
fn held(hold: Hold, u: Velocity) -> Velocity {
    let bounded = clamp(u, Velocity(-hold.fastest), Velocity(hold.fastest));
    return hold.share * (bounded - hold.held * dot(bounded, hold.normal) * hold.normal) + hold.push;
}
