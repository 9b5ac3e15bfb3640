//! Links of the whole lattice, by global node number.

/// Where a link of a lattice node leads, in four bytes: a node by its global number, the wall, or an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalLink(u32);

impl GlobalLink {
    /// A link into the wall.
    pub const WALL: Self = Self(u32::MAX);
    /// The largest number of nodes a lattice in memory holds.
    pub const MAX_NODES: usize = (u32::MAX - 1024) as usize;

    /// A link to global node `n`.
    pub fn to_node(n: u32) -> Self {
        debug_assert!((n as usize) < Self::MAX_NODES);
        Self(n)
    }

    /// A link into opening `k`, below 256.
    pub fn to_opening(k: usize) -> Self {
        debug_assert!(k < 256);
        Self(u32::MAX - 1 - k as u32)
    }

    /// The global number of the node it leads to, if it leads to one.
    pub fn node(self) -> Option<u32> {
        ((self.0 as usize) < Self::MAX_NODES).then_some(self.0)
    }

    /// Whether it leads into the wall.
    pub fn is_wall(self) -> bool {
        self == Self::WALL
    }

    /// The opening it leads into, if it leads into one.
    pub fn opening(self) -> Option<usize> {
        (self.0 as usize >= Self::MAX_NODES && !self.is_wall()).then(|| (u32::MAX - 1 - self.0) as usize)
    }

    /// Its number in the case file: the node's, -1 for the wall, -2 - k for opening k.
    pub(crate) fn code(self) -> i64 {
        match self.node() {
            Some(n) => i64::from(n),
            None => -1 - i64::from(u32::MAX - self.0),
        }
    }

    /// The link of a number in a case file with so many nodes and openings; `None` where it makes no sense.
    pub(crate) fn from_code(code: i64, nodes: usize, openings: usize) -> Option<Self> {
        match code {
            -1 => Some(Self::WALL),
            0.. => u32::try_from(code).ok().filter(|&n| (n as usize) < nodes).map(Self),
            _ => usize::try_from(-2 - code).ok().filter(|&k| k < openings).map(Self::to_opening),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_survive_and_strays_are_refused() {
        for link in [GlobalLink::WALL, GlobalLink::to_node(0), GlobalLink::to_node(9), GlobalLink::to_opening(3)] {
            assert_eq!(GlobalLink::from_code(link.code(), 10, 4), Some(link));
        }
        assert_eq!(GlobalLink::to_opening(3).code(), -5);
        for stray in [10, -6, i64::MIN, i64::MAX] {
            assert_eq!(GlobalLink::from_code(stray, 10, 4), None, "{stray}");
        }
    }
}
