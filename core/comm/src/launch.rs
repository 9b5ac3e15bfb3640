//! Detects whether a launcher (mpirun, mpiexec, srun) started this process as one rank of several.

/// Variables with the number of ranks, set by Open MPI, MPICH and Intel MPI, Slurm's PMI-2, and MVAPICH.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"];
/// Variables with the number of this rank, set by launchers that do not give the number of ranks. `SLURM_PROCID` does
/// not count: batch scripts have it too.
const RANKS: [&str; 2] = ["PMIX_RANK", "PMI_RANK"];

/// Whether this process is a rank under an MPI launcher, `mpirun -n 1` included. Needs no MPI.
pub fn launched_by_mpi() -> bool {
    launched(|name| std::env::var(name).ok())
}

/// The number of ranks that the launcher announced, if it did.
#[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "only an MPI world is compared with it"))]
pub(crate) fn announced_size() -> Option<usize> {
    announced(|name| std::env::var(name).ok())
}

fn launched(variable: impl Fn(&str) -> Option<String>) -> bool {
    announced(&variable).is_some() || RANKS.iter().any(|name| variable(name).is_some())
}

fn announced(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    SIZES.iter().find_map(|name| variable(name)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<'a>(set: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| set.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned())
    }

    #[test]
    fn knows_launchers_from_shells_and_batch_scripts() {
        assert!(!launched(with(&[])));
        assert!(!launched(with(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")])));
        assert!(launched(with(&[("SLURM_PROCID", "0"), ("PMIX_RANK", "0")])));
        assert!(launched(with(&[("OMPI_COMM_WORLD_SIZE", "1")])));
        assert_eq!(announced(with(&[("PMI_SIZE", "8"), ("PMI_RANK", "3")])), Some(8));
        assert_eq!(announced(with(&[("PMIX_RANK", "3")])), None);
    }
}
