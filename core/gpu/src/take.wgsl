// Takes words out of the message of other ranks: a kernel calls take(k) for each word. Options as for put.wgsl. A word
// that passes through a link is awaited.
#if linked
// A slot for messages with even numbers, and one for those with odd numbers: pairs of a word and the number of its
// message.
var<storage, read_write> message: array<atomic<u32>>;

fn take(k: u32) -> ${word} {
    let entry = span.round % 2u * (arrayLength(&message) / 2u) + 2u * k;
    loop {
        // Messages up to this one; numbers wrap around after 2^32.
        if (atomicLoad(&message[entry + 1u]) - span.round < 0x80000000u) {
            break;
        }
    }
    return bitcast<${word}>(atomicLoad(&message[entry]));
}
#else
var<storage, read> message: array<${word}>;

fn take(k: u32) -> ${word} {
    return message[k];
}
#endif
