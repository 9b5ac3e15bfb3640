// A single invocation that ends when the host has signalled this round.

struct Span { round: u32 }
var<immediate> span: Span;

var<storage, read_write> signal: array<atomic<u32>>;
// Not accessed. It is declared as written so that kernels that read it run after this one.
var<storage, read_write> guarded: array<u32>;

@compute @workgroup_size(1)
fn main() {
    loop {
        // Signalled up to this round; rounds wrap around after 2^32.
        if atomicLoad(&signal[0]) - span.round < 0x80000000u {
            break;
        }
    }
}
