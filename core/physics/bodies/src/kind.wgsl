// A kind of body: its shape for pairs; half widths xi of its region and what makes the weights' sum about 1; frictions
// gamma_T and gamma_R along its axes, its mass and the least determinant of its region's second moments that has a
// gradient; moments of inertia; Jeffery's coefficients; what a unit of force changes the mean velocity of the region
// by; constant force in space, the pressure with which it pushes points of soft surfaces, constant torque in space.
struct Kind {
    shape: Shape,
    xi: vec3<real>,
    norm: real,
    gamma_T: vec3<real>,
    mass: real,
    gamma_R: vec3<real>,
    least: real,
    I: vec3<real>,
    radius: real,
    Lambda: vec3<real>,
    response: real,
    F: vec3<real>,
    pressure: real,
    T: vec3<real>,
    spare_T: real,
}
