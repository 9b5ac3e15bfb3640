//! What a step's kernel puts into the message to other parts.

/// What a step packs by itself, see crossing.wgsl.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    /// The first workgroup that packs what crosses of its nodes.
    from: u32,
    /// The number of the message, where the kernel sends it or puts it into a link.
    sent: Option<u32>,
}

impl Packing {
    /// Words among a step's immediates.
    pub const WORDS: usize = 3;

    /// No message.
    pub const NONE: Self = Self { from: u32::MAX, sent: None };

    /// Workgroups from number `from` on pack message number `sent`, where it has a number.
    pub fn from(from: u32, sent: Option<u32>) -> Self {
        Self { from, sent }
    }

    /// As the step's kernel takes it.
    pub fn words(self) -> [u32; Self::WORDS] {
        [self.from, u32::from(self.sent.is_some()), self.sent.unwrap_or_default()]
    }
}
