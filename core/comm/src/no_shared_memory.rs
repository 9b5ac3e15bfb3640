//! Replaces shared memory on systems other than Linux: there is none.

use crate::neighbours::Arrival;

#[derive(Clone, Copy)]
pub(crate) struct Handle;

pub(crate) enum SharedMemory {}

pub(crate) enum Sender {}

pub(crate) enum Receiver {}

impl Handle {
    pub fn to_words(self) -> [u64; 4] {
        [0; 4]
    }

    pub fn from_words(_: [u64; 4]) -> Self {
        Self
    }
}

impl SharedMemory {
    pub fn new(_: usize) -> Option<Self> {
        None
    }

    pub fn handle(&self) -> Option<Handle> {
        match *self {}
    }

    pub fn sender(&self, _: usize) -> Sender {
        match *self {}
    }
}

impl Sender {
    pub fn limit(&mut self, _: usize) {
        match *self {}
    }

    pub fn is_free(&self) -> bool {
        match *self {}
    }

    pub fn send(&mut self, _: usize, _: impl FnOnce(&mut [u8])) -> bool {
        match *self {}
    }
}

impl Receiver {
    pub fn open(_: Handle, _: usize, _: usize) -> Option<Self> {
        None
    }

    pub fn receive(&mut self, _: usize, _: impl FnOnce(&[u8])) -> Arrival {
        match *self {}
    }
}
