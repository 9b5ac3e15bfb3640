// Random numbers that are functions of a counter and a key: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011).

// The low and the high word of a b.
fn product(a: u32, b: u32) -> vec2<u32> {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let middle = a1 * b0 + ((a0 * b0) >> 16u);
    let carry = a0 * b1 + (middle & 0xffffu);
    return vec2<u32>(a * b, a1 * b1 + (middle >> 16u) + (carry >> 16u));
}

fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    var c = counter;
    var k = key;
    for (var round = 0u; round < ${philox.rounds}u; round++) {
        let a = product(${philox.multipliers[0]}u, c.x);
        let b = product(${philox.multipliers[1]}u, c.z);
        c = vec4<u32>(b.y ^ c.y ^ k.x, b.x, a.y ^ c.w ^ k.y, a.x);
        k += vec2<u32>(${philox.steps[0]}u, ${philox.steps[1]}u);
    }
    return c;
}

// From a random word, a number above 0, at most 1.
fn uniform_of(word: u32) -> f32 {
    return (f32(word >> 8u) + 1.0) * ${philox.per_word};
}

// From two random words, two independent normal numbers with variance 1 (Box and Muller, Ann. Math. Stat. 29, 610, 1958).
fn normals_of(words: vec2<u32>) -> vec2<f32> {
    let radius = sqrt(-2.0 * log(uniform_of(words.x)));
    let angle = ${philox.turn} * uniform_of(words.y);
    return radius * vec2<f32>(cos(angle), sin(angle));
}
