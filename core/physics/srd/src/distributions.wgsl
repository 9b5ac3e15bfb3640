// Random words of a cell in this step, other ones for each `purpose`.
fn random(key: vec2<u32>, purpose: u32) -> vec4<u32> {
    return philox(vec4<u32>(key.x, span.step, purpose, key.y), vec2<u32>(${seed[0]}u, ${seed[1]}u));
}

// The site of a cell, from its place.
fn place_of(key: vec2<u32>) -> vec3<i32> {
    return vec3<i32>(i32(key.x & 0xffffu), i32(key.x >> 16u), i32(key.y));
}

// A number from a gamma distribution with unit scale (Marsaglia and Tsang, ACM Trans. Math. Softw. 26, 363, 2000).
fn gamma(shape: f32, key: vec2<u32>) -> f32 {
    // Below 1, from the next larger shape.
    let small = shape < 1.0;
    let d = select(shape, shape + 1.0, small) - 1.0 / 3.0;
    let c = 1.0 / sqrt(9.0 * d);
    var found = d;
    for (var k = 0u; k < 32u; k++) {
        let words = random(key, ${purpose.gamma}u + k);
        let x = normals_of(words.xy).x;
        let root = 1.0 + c * x;
        let v = root * root * root;
        if (root > 0.0 && log(uniform_of(words.z)) < 0.5 * x * x + d - d * v + d * log(v)) {
            found = d * v * select(1.0, pow(uniform_of(words.w), 1.0 / shape), small);
            break;
        }
    }
    return found;
}

// A number from a Poisson distribution, by inversion of `chance` from 0 to 1.
fn poisson(mean: f32, chance: f32) -> f32 {
    var k = 0.0;
    var probability = exp(-mean);
    var sum = probability;
    while (chance > sum && k < 10.0 * mean + 50.0) {
        k += 1.0;
        probability *= mean / k;
        sum += probability;
    }
    return k;
}
