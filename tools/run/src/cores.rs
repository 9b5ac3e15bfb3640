//! The cores that ranks may use, by their launcher, and their parts of the host's.

use hematite_comm::launched_by_mpi;

/// The cores of this host as a rank sees them.
#[derive(Clone, Copy)]
struct Cores {
    /// Those that this process may use.
    own: usize,
    /// All that the host has.
    all: usize,
}

impl Cores {
    /// Reads them from the system. Where it does not tell all, they are taken to be those that this process may use.
    fn here() -> Self {
        let own = std::thread::available_parallelism().map_or(1, usize::from);
        let listed = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self { own, all: listed.lines().filter(|line| line.starts_with("processor")).count().max(own) }
    }

    /// The advice where a launcher has bound ranks to few cores: they could load their parts on all cores.
    fn kept_back(self, ranks: usize) -> Option<String> {
        let Self { own, all } = self;
        (ranks > 1 && 2 * ranks * own <= all).then(|| {
            format!(
                "each rank loads its part on {own} of this host's {all} cores: mpirun --bind-to none gives it all of them"
            )
        })
    }

    /// How many cores each of the host's `ranks` can keep busy. A launcher may have `bound` each to cores of its own.
    fn for_each(self, ranks: usize, bound: bool) -> usize {
        let all = if bound { self.all } else { self.own };
        (all / ranks.max(1)).clamp(1, self.own)
    }
}

/// Advice if a launcher has bound ranks to few cores of this host.
pub fn kept_back(ranks: usize) -> Option<String> {
    Cores::here().kept_back(ranks)
}

/// How many cores each of the `ranks` on this host can keep busy.
pub fn for_each(ranks: usize) -> usize {
    Cores::here().for_each(ranks, launched_by_mpi())
}

#[cfg(test)]
mod tests {
    use super::Cores;

    fn cores(own: usize, all: usize) -> Cores {
        Cores { own, all }
    }

    #[test]
    fn ranks_on_few_cores_are_told() {
        assert!(cores(1, 64).kept_back(4).is_some_and(|advice| advice.contains("1 of this host's 64 cores")));
        assert_eq!(cores(16, 64).kept_back(4), None);
        assert_eq!(cores(1, 2).kept_back(2), None);
        assert_eq!(cores(1, 64).kept_back(1), None);
    }

    #[test]
    fn ranks_share_cores_unless_each_has_its_own() {
        for bound in [false, true] {
            assert_eq!([1, 2, 3, 4, 16].map(|ranks| cores(8, 8).for_each(ranks, bound)), [8, 4, 2, 2, 1]);
        }
        // Bound to eight cores each, or to one of two halves.
        assert_eq!([cores(8, 64).for_each(4, true), cores(32, 64).for_each(4, true)], [8, 16]);
        assert_eq!(cores(8, 64).for_each(4, false), 2);
    }
}
