// Puts words into the message to other ranks: a kernel calls put(k, word) for each word. Options of the context:
// - `word`: the type of the words.
// - `linked`: the message passes through a link, and `span.round` is its number.
#if linked
// A slot for messages with even numbers, and one for those with odd numbers. Each word is written together with the
// number of its message.
var<storage, read_write> message: array<vec2<u32>>;

fn put(k: u32, word: ${word}) {
    let slot = span.round % 2u * (arrayLength(&message) / 2u);
    message[slot + k] = vec2(bitcast<u32>(word), span.round);
}
#else
var<storage, read_write> message: array<${word}>;

fn put(k: u32, word: ${word}) {
    message[k] = word;
}
#endif
