// Repulsion by Morse's potential D (e^2 - 2 e), e = exp(-b (r - r_0)), an area: 2 D b (e^2 - e). Bounded at e = exp(1)
// below r_0; from 2 r_0 on it fades, and ends with its slope at 2.5 r_0.
fn morse(r: real) -> real {
    let e = real(exp(min(f32((real(${contact.morse.distance}) - r) * real(${contact.morse.inverse_width})), 1.0)));
    let t = clamp((real(${contact.morse.cut}) - r) * real(${contact.morse.inverse_fade}), real(0.0), real(1.0));
    return real(${contact.morse.stiffness}) * e * (e - real(1.0)) * t * t * (real(3.0) - real(2.0) * t);
}
