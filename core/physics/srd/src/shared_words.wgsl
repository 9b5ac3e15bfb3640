// Words of a message, and the words of the sums of cells that go there or come from there.
struct Shared {
    word: u32,
    sum: u32,
}

var<storage, read> shared_words: array<Shared>;
