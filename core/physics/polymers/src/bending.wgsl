// Bends: U = kappa (1 - cos theta), with theta between the bonds u and w that follow each other. The derivatives of cos theta
// by u and by w.
fn by_first(u: vec3<f32>, w: vec3<f32>) -> vec3<f32> {
    let a = max(length(u), 1e-6);
    let b = max(length(w), 1e-6);
    let cosine = dot(u, w) / (a * b);
    return (w / b - cosine * u / a) / a;
}

fn by_second(u: vec3<f32>, w: vec3<f32>) -> vec3<f32> {
    return by_first(w, u);
}

// The force on bead i, as the middle of its own bend and as an end of those of its neighbours.
fn bending(k: u32, i: u32, at: vec3<i32>, link: Link, kappa: f32) -> vec3<f32> {
    var f = vec3<f32>(0.0);
    var before = at;
    var after = at;
    if (link.before != NONE) {
        before = position_after(k, link.before);
        let farther = links[link.before].before;
        if (farther != NONE) {
            f += by_second(apart(position_after(k, farther), before), apart(before, at));
        }
    }
    if (link.after != NONE) {
        after = position_after(k, link.after);
        let farther = links[link.after].after;
        if (farther != NONE) {
            f -= by_first(apart(at, after), apart(after, position_after(k, farther)));
        }
    }
    if (link.before != NONE && link.after != NONE) {
        let u = apart(before, at);
        let w = apart(at, after);
        f += by_first(u, w) - by_second(u, w);
    }
    return kappa * f;
}
