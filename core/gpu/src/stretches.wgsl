// Words that follow each other in an array, from `first` on, and in a message, from `to` on; ${longest} invocations work
// on each such stretch.
struct Stretch {
    first: u32,
    to: u32,
    count: u32,
}
var<storage, read> stretches: array<Stretch>;
