//! One rank alone.

use hematite_config::{Exit, Result};

use crate::{Comm, order};

/// The only rank of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solo;

impl Comm for Solo {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn local_rank(&self) -> usize {
        0
    }

    fn exchange(&self, send: &[(usize, &[u8])], receive: &mut [(usize, &mut [u8])]) -> Result<()> {
        assert!(send.iter().map(|m| m.0).chain(receive.iter().map(|m| m.0)).all(|peer| peer == 0), "no such rank");
        for ((_, from), (_, to)) in send.iter().zip(receive) {
            to.copy_from_slice(from);
        }
        Ok(())
    }

    fn sum(&self, _: &mut [i64]) -> Result<()> {
        Ok(())
    }

    fn max(&self, values: &mut [f64]) -> Result<()> {
        // Makes all NaN the same, as with several ranks.
        for value in values {
            *value = order::value(order::key(*value));
        }
        Ok(())
    }

    fn broadcast(&self, _: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn gather(&self, bytes: &[u8]) -> Result<Option<Vec<Vec<u8>>>> {
        Ok(Some(vec![bytes.to_vec()]))
    }

    fn abort(&self, exit: Exit) -> ! {
        std::process::exit(i32::from(exit as u8))
    }
}
