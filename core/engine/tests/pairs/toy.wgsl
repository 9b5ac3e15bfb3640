// A toy law: charges repel each other, less with distance, and add two numbers to each other that depend on which of
// them is the first.
#if between
var<storage, read> first_charge: array<real>;
var<storage, read> second_charge: array<real>;
#else
var<storage, read> charge: array<real>;
#endif

struct Charge {
    q: real,
}

#if between
alias First = Charge;
alias Second = Charge;

fn first(i: u32) -> First {
    return First(first_charge[at_first(0u, i)]);
}

fn second(j: u32) -> Second {
    return Second(second_charge[at_second(0u, j)]);
}

fn pair(one: First, two: Second, r: Axes) -> Action {
#else
alias Member = Charge;

fn member(i: u32) -> Member {
    return Member(charge[i]);
}

fn pair(one: Member, two: Member, r: Axes) -> Action {
#endif
    let weight = real(1.0) - dot(r, r) * real(${per_square});
    return Action(
        one.q * two.q * weight * r,
        array<real, 2>((one.q + real(2.0) * two.q) * weight, weight),
        array<real, 2>((one.q - real(3.0) * two.q) * weight, -weight),
    );
}
