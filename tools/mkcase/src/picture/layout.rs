//! Panels on a page: in rows, all at the largest scale at which they fit.

/// A panel to be placed.
pub struct Slot {
    /// Its width and height in sites.
    pub size: [f64; 2],
    /// Free pixels to its left and right, above and below.
    pub margin: [f64; 2],
    /// The width it has at least, pixels.
    pub least: f64,
    /// Whether a new row begins with it.
    pub starts_row: bool,
}

/// Where panels stand.
pub struct Layout {
    /// Pixels a site.
    pub zoom: f64,
    /// Upper left of each slot, its margin included.
    pub corners: Vec<[f64; 2]>,
    /// Width and height of all.
    pub size: [f64; 2],
}

/// Between panels, pixels.
const GAP: f64 = 26.0;
/// Pixels a site at least and at most.
const ZOOMS: [f64; 2] = [1e-7, 24.0];
/// From here on sites are whole numbers of pixels wide.
const WHOLE: f64 = 2.0;

impl Layout {
    /// The layout of some slots within `room`.
    pub fn fit(slots: &[&Slot], room: [f64; 2]) -> Self {
        let fits = |zoom: f64| {
            let size = Self::at(slots, zoom, room[0]).size;
            size[0] <= room[0] && size[1] <= room[1]
        };
        let [mut low, mut high] = ZOOMS;
        if fits(high) {
            low = high;
        }
        while high / low > 1.0005 {
            let middle = (low * high).sqrt();
            if fits(middle) { low = middle } else { high = middle }
        }
        Self::at(slots, if low >= WHOLE { low.floor() } else { low }, room[0])
    }

    /// The layout at a zoom, in rows of at most that width.
    fn at(slots: &[&Slot], zoom: f64, width: f64) -> Self {
        let (mut corners, mut size): (Vec<[f64; 2]>, _) = (Vec::new(), [0.0_f64, 0.0]);
        let (mut at, mut row) = ([0.0, 0.0], 0.0_f64);
        for slot in slots {
            let [w, h] = [0, 1].map(|k| (slot.size[k] * zoom).ceil() + 2.0 * slot.margin[k]);
            let w = w.max(slot.least);
            if at[0] > 0.0 && (slot.starts_row || at[0] + w > width) {
                (at, row) = ([0.0, at[1] + row + GAP], 0.0);
            }
            corners.push(at);
            size = [size[0].max(at[0] + w), size[1].max(at[1] + h)];
            (at[0], row) = (at[0] + w + GAP, row.max(h));
        }
        Self { zoom, corners, size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_fill_the_room_and_stay_in_it() {
        let slot = |w: f64, h: f64| Slot { size: [w, h], margin: [10.0, 5.0], least: 100.0, starts_row: false };
        for slots in [
            vec![slot(400.0, 60.0)],
            vec![slot(60.0, 60.0), slot(60.0, 60.0), slot(60.0, 10.0)],
            vec![slot(1e6, 1e5), slot(1e6, 3e4), slot(1e5, 3e4)],
        ] {
            let slots: Vec<&Slot> = slots.iter().collect();
            let layout = Layout::fit(&slots, [1000.0, 800.0]);
            assert!(layout.size[0] <= 1000.0 && layout.size[1] <= 800.0, "{:?}", layout.size);
            let more = Layout::at(&slots, layout.zoom * 1.5 + 1.0, 1000.0).size;
            assert!(more[0] > 1000.0 || more[1] > 800.0);
        }
        let apart = Slot { starts_row: true, ..slot(10.0, 10.0) };
        assert!(Layout::fit(&[&slot(10.0, 10.0), &apart], [1000.0; 2]).corners[1][1] > 200.0);
        assert!((Layout::fit(&[&slot(10.0, 10.0)], [1000.0; 2]).zoom - 24.0).abs() < 1e-9);
    }
}
