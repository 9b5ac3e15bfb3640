//! Where the labels of openings stand: near their arrows, off each other, within the panel.

/// A rectangle in pixels: left, top, right, bottom.
pub type Rect = [f64; 4];

/// A label to be placed.
pub struct Wish {
    /// The point that it belongs to.
    pub at: [f64; 2],
    /// Unit vector from there to where it should stand.
    pub towards: [f64; 2],
    /// Width and height of the whole text, and of what stands for it where that has no room.
    pub sizes: [[f64; 2]; 2],
}

/// From a label to its point, pixels.
const DISTANCES: [f64; 7] = [4.0, 16.0, 34.0, 58.0, 90.0, 130.0, 180.0];
/// How many of these short texts may take.
const NEAR: usize = 4;
/// The largest share of the picture that a whole text may hide.
const HIDDEN: f64 = 0.6;
/// Directions that are tried.
const DIRECTIONS: usize = 24;
/// What speaks against a label that hides the picture, in pixels of distance.
const HIDING: f64 = 400.0;
/// Between labels, pixels.
const APART: f64 = 3.0;

/// Places labels within `room`, off what is `busy` and off each other; `hidden` tells how much of the picture a rectangle would
/// hide, from 0 to 1. They are whole where all of them have room, which the second value tells; else short, and those have
/// none that would stand far from their point.
pub fn place(wishes: &[Wish], room: Rect, busy: &[Rect], hidden: impl Fn(Rect) -> f64) -> (Vec<Option<Rect>>, bool) {
    let whole = place_all(wishes, 0, &DISTANCES, room, busy, &hidden);
    if whole.iter().all(|spot| spot.is_some_and(|rect| hidden(rect) <= HIDDEN)) {
        return (whole, true);
    }
    (place_all(wishes, 1, &DISTANCES[..NEAR], room, busy, &hidden), false)
}

/// Places labels of one of their sizes one after the other.
fn place_all(
    wishes: &[Wish],
    which: usize,
    distances: &[f64],
    room: Rect,
    busy: &[Rect],
    hidden: &impl Fn(Rect) -> f64,
) -> Vec<Option<Rect>> {
    let mut taken = busy.to_vec();
    let mut spots = Vec::with_capacity(wishes.len());
    for wish in wishes {
        let free = |rect: &Rect| {
            let inside = rect[0] >= room[0] && rect[1] >= room[1] && rect[2] <= room[2] && rect[3] <= room[3];
            inside && !taken.iter().any(|other| overlap(rect, other))
        };
        let tried = candidates(wish, wish.sizes[which], distances).filter(|(rect, _)| free(rect));
        let costs = tried.map(|(rect, cost)| (cost + HIDING * hidden(rect), rect));
        let spot = costs.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, rect)| rect);
        taken.extend(spot);
        spots.push(spot);
    }
    spots
}

/// Rectangles of a size around the point of a label, with what speaks against each.
fn candidates(wish: &Wish, [width, height]: [f64; 2], distances: &[f64]) -> impl Iterator<Item = (Rect, f64)> {
    let start = wish.towards[1].atan2(wish.towards[0]);
    let at = wish.at;
    distances.iter().flat_map(move |&distance| {
        (0..DIRECTIONS).map(move |k| {
            let turn = std::f64::consts::TAU * k as f64 / DIRECTIONS as f64;
            let (sin, cos) = (start + turn).sin_cos();
            // From its middle to its edge.
            let inner = (0.5 * width / cos.abs().max(1e-9)).min(0.5 * height / sin.abs().max(1e-9));
            let middle = [at[0] + cos * (distance + inner), at[1] + sin * (distance + inner)];
            let [left, top] = [middle[0] - 0.5 * width, middle[1] - 0.5 * height].map(f64::round);
            let away = turn.min(std::f64::consts::TAU - turn);
            ([left, top, left + width, top + height], distance + 14.0 * away)
        })
    })
}

/// Whether two rectangles come nearer than labels may.
fn overlap(a: &Rect, b: &Rect) -> bool {
    a[0] < b[2] + APART && b[0] < a[2] + APART && a[1] < b[3] + APART && b[1] < a[3] + APART
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stay_in_the_room_and_off_each_other() {
        let wish = |i: usize| Wish {
            at: [10.0 + 11.0 * (i % 9) as f64, 20.0 + 17.0 * (i / 9) as f64],
            towards: [-1.0, 0.0],
            sizes: [[90.0, 20.0], [20.0, 20.0]],
        };
        let wishes: Vec<Wish> = (0..60).map(wish).collect();
        let room = [0.0, 0.0, 300.0, 260.0];
        let busy = [[100.0, 100.0, 140.0, 140.0]];
        for (count, is_whole) in [(4, true), (60, false)] {
            let (spots, whole) = place(&wishes[..count], room, &busy, |_| 0.0);
            assert_eq!(whole, is_whole);
            let placed: Vec<Rect> = spots.iter().flatten().copied().collect();
            assert!(placed.len() == count || !whole && placed.len() > 15, "{}", placed.len());
            for (i, a) in placed.iter().enumerate() {
                assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= 300.0 && a[3] <= 260.0, "{a:?}");
                assert!(!overlap(a, &busy[0]));
                assert!(placed[..i].iter().all(|b| !overlap(a, b)), "{a:?}");
            }
        }
        assert_eq!(place(&wishes[..1], [0.0, 0.0, 10.0, 10.0], &[], |_| 0.0), (vec![None], false));
    }

    #[test]
    fn a_label_stands_where_it_should_unless_it_hides_something() {
        let wish = || Wish { at: [100.0, 50.0], towards: [-1.0, 0.0], sizes: [[60.0, 20.0], [10.0, 20.0]] };
        let room = [0.0, 0.0, 400.0, 100.0];
        let (spots, whole) = place(&[wish()], room, &[], |_| 0.0);
        assert_eq!((spots, whole), (vec![Some([36.0, 40.0, 96.0, 60.0])], true));
        let (spots, whole) = place(&[wish()], room, &[], |rect| f64::from(rect[0] < 90.0));
        assert!(whole && spots[0].expect("room")[0] >= 90.0);
    }
}
