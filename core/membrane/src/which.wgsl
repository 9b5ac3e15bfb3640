// The cells on which a dispatch works, see `Workgroups`: flags of slots, then lists of workgroups. That of this dispatch
// begins at `first` of the immediate data.
var<storage, read> workgroups: array<u32>;

fn works_on(slot: u32) -> bool {
    return span.which == 0u || span.which == 1u + workgroups[slot];
}

// The number of the workgroup that starts as the one at `place`.
fn number_at(place: u32) -> u32 {
    if (span.which == 0u) {
        return place;
    }
    // More may start than the list has.
    if (place >= workgroups[span.first]) {
        return ${nowhere}u;
    }
    return workgroups[span.first + 1u + place];
}
