// What comes out of the vent that cell n belongs to in this step: thickness and heat.
fn emission(n: u32) -> vec4<u32> {
    let row = vent_rows[n / ${workgroup}u];
    if (row == 0u || span.first == ${absent}u) {
        return vec4<u32>();
    }
    let vent = vent_of[(row - 1u) * ${workgroup}u + n % ${workgroup}u];
    if (vent == ${absent}u) {
        return vec4<u32>();
    }
    return emissions[span.first + vent];
}
