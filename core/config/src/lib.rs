//! What every tool shares: config files read with care, names, faults with exit codes, provenance, files published
//! whole.

mod checked;
mod fault;
mod name;
mod provenance;
mod publish;
mod read;
mod say;
mod seal;

pub use fault::{Exit, Fault, Result, guarded};
pub use name::{check_file_name, check_name, refuse_doubles};
pub use provenance::{Provenance, hash_bytes, hash_file};
pub use publish::{check_writable, clear_partial, process, publish};
pub use read::{Document, from_value, join, joint_text, nearest, read, read_config, schema, sibling};
pub use say::{note, print_line};
pub use seal::{seal, sealed_hash, unseal};
