// Whether this dispatch works on the cell in a slot, see `Which`.
var<storage, read> held_elsewhere: array<u32>;

fn works_on(slot: u32) -> bool {
    return span.which == 0u || span.which == 1u + held_elsewhere[slot];
}
