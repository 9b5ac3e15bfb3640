// The steady flow of a sheet of Bingham fluid of thickness h that rests on the ground, between two cells: MAGFLOW's law
// (Vicari et al., Environ. Model. Softw. 22, 1465, 2007; Dragoni, Bonafede and Boschi, J. Volcanol. Geotherm. Res. 30, 305,
// 1986), q = S h_cr^2 / (3 eta) (a^3 - 3/2 a^2 + 1/2) with a = h / h_cr and h_cr = S / G, written without the quotient by S. G
// is the driving stress over depth: density g |slope of the surface| / sqrt(1 + |slope of the ground|^2).

// Slopes between two cells, of the surface and of the ground.
struct Slopes {
    // From the giving to the receiving cell, positive.
    along: f32,
    ground: f32,
    // At right angles to that.
    across: vec2<f32>,
}

struct Flow {
    // Flow over a unit of width, m2/s.
    q: f32,
    // Its growth with the thickness of the giving cell, m/s.
    with_h: f32,
    // Its growth with the slope along, m2/s.
    with_slope: f32,
}

fn flow(giver: Lava, slopes: Slopes) -> Flow {
    let steep = sqrt(slopes.along * slopes.along + slopes.across.x * slopes.across.x);
    let incline = sqrt(1.0 + slopes.ground * slopes.ground + slopes.across.y * slopes.across.y);
    let G = ${weight} * steep / incline;
    let stress = G * giver.h;
    let S = giver.S;
    if (stress <= S || giver.h < ${thinnest}) {
        return Flow(0.0, 0.0, 0.0);
    }
    let share = slopes.along / steep;
    let over = stress - S;
    return Flow(
        share * giver.F * over * over * (stress + 0.5 * S) / (G * G),
        share * giver.F * 3.0 * giver.h * over,
        giver.F * (giver.h * giver.h * giver.h - (S / G) * (S / G) * (S / G)) * ${weight} / incline,
    );
}

// Whether a cell beside a pair whose higher surface is at `top` counts: not dry ground that is higher, which is a wall to the pair.
fn counts(is_cell: bool, beside: Lava, top: f32) -> bool {
    return is_cell && (beside.h > 0.0 || beside.Z < top);
}

// The differences of two cells beside a pair, of the surface and of the ground, and 1; none where one of them is missing.
fn difference(a: Lava, is_a: bool, b: Lava, is_b: bool) -> vec3<f32> {
    let found = vec3<f32>((a.Z + a.h) - (b.Z + b.h), a.Z - b.Z, 1.0);
    return select(vec3<f32>(), found, is_a && is_b);
}
