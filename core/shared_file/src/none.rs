//! Replaces shared files on systems other than Linux: there are none.

use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

use crate::Handle;

/// None.
#[derive(Debug)]
pub enum SharedFile {}

/// None.
#[derive(Debug)]
pub enum Map {}

impl SharedFile {
    /// `None`.
    pub fn new(_: usize) -> Option<Self> {
        None
    }

    /// `None`.
    pub fn open(_: Handle, _: usize) -> Option<Self> {
        None
    }

    /// Not called.
    pub fn handle(&self) -> Option<Handle> {
        match *self {}
    }

    /// Not called.
    pub fn reserve(&self, _: usize, _: usize) -> Option<()> {
        match *self {}
    }

    /// Not called.
    pub fn map(&self, _: usize, _: usize) -> Option<Map> {
        match *self {}
    }
}

impl Map {
    /// Not called.
    pub fn at(&self, _: usize, _: usize) -> NonNull<u8> {
        match *self {}
    }

    /// Not called.
    pub fn numbers(&self, _: usize, _: usize) -> &[AtomicU64] {
        match *self {}
    }

    /// Not called.
    pub fn bytes(&self) -> usize {
        match *self {}
    }
}
