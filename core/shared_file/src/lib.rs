//! Files in memory that the processes of a host share. Systems other than Linux have none.

#[cfg_attr(not(target_os = "linux"), path = "none.rs")]
mod linux;

pub use linux::{Map, SharedFile};

/// Offsets into a file are multiples of this: the largest size of a page.
pub const PAGE: usize = 1 << 16;

/// Where other processes find a [`SharedFile`], with a token to recognise it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    process: u64,
    /// The namespace of process numbers in which `process` counts.
    namespace: u64,
    descriptor: u64,
    token: u64,
}

impl Handle {
    /// The handle as numbers, for messages.
    pub fn to_words(self) -> [u64; 4] {
        [self.process, self.namespace, self.descriptor, self.token]
    }

    /// The handle from these numbers.
    pub fn from_words([process, namespace, descriptor, token]: [u64; 4]) -> Self {
        Self { process, namespace, descriptor, token }
    }
}
