//! Makes ranks agree on an outcome.

use hematite_config::{Exit, Fault, Result};

use crate::Comm;

/// [`crate::agree()`]: one small reduction where all ranks succeeded.
pub(crate) fn agree<T>(comm: &dyn Comm, outcome: Result<T>) -> Result<T> {
    match comm.any(outcome.is_err()) {
        Ok(false) => return outcome,
        Ok(true) => {}
        // The fault of this rank says more than a lost-rank fault.
        Err(lost) => return outcome.and(Err(lost)),
    }
    let own = outcome.as_ref().err().map(encode).unwrap_or_default();
    let spread = || {
        let all = comm.gather(&own)?;
        let mut first = all.into_iter().flatten().find(|bytes| !bytes.is_empty()).unwrap_or_default();
        comm.broadcast(&mut first)?;
        Ok(decode(&first))
    };
    match spread() {
        Ok(fault) => Err(fault),
        Err(lost) => outcome.and(Err(lost)),
    }
}

fn encode(fault: &Fault) -> Vec<u8> {
    let mut bytes = vec![fault.exit as u8];
    bytes.extend_from_slice(fault.message.as_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Fault {
    let (code, message) = bytes.split_first().unwrap_or((&0, &[]));
    let known = [Exit::Different, Exit::Usage, Exit::Stopped, Exit::Numerical, Exit::NoGpu, Exit::Io, Exit::LostRank];
    let exit = known.into_iter().find(|&exit| exit as u8 == *code).unwrap_or(Exit::LostRank);
    Fault { exit, message: String::from_utf8_lossy(message).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_survive_the_wire() {
        for fault in
            [Fault::usage("a"), Fault::numerical("\u{b5}m"), Fault::no_gpu(""), Fault::io("x"), Fault::lost_rank("y")]
        {
            assert_eq!(decode(&encode(&fault)), fault);
        }
    }
}
