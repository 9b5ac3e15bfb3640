// The pieces of the message that came in, a neighbour each: the first of the places for its particles among those of all
// neighbours, the word with their number, the word where they begin, and how many there may be.
struct Sender {
    first: u32,
    header: u32,
    records: u32,
    most: u32,
}

var<storage, read> senders: array<Sender>;
var<storage, read> inbox: array<u32>;
