//! What a start puts into the fluid, what dumps and health checks see of it, and what checkpoints take and put back.

use std::ops::Range;

use hematite_config::Result;
use rayon::prelude::*;

use super::{Fluid, MOMENT_CHUNK};
use crate::Row;
use crate::buffers::Buffers;
use crate::equilibrium::{State, equilibrium};
use crate::links::Place;
use crate::moment::{Moment, Monitor};
use crate::shaders::Shader;

/// Nodes whose populations at the start go to the device at a time: the device waits after each.
const START_CHUNK: usize = 1 << 20;

impl Fluid {
    /// Sets every own node to the equilibrium of `state(n)`, `n` its local number, at step 0.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn initialise(&mut self, state: impl Fn(usize) -> State) -> Result<()> {
        let (set, precision) = (self.variant.set, self.variant.precision);
        for first in (0..self.own()).step_by(START_CHUNK) {
            let last = (first + START_CHUNK).min(self.own());
            let states: Vec<State> = (first..last).map(&state).collect();
            for (i, &c) in set.velocities().iter().enumerate() {
                let values: Vec<f64> = states.par_iter().map(|state| equilibrium(set, i, c, state)).collect();
                self.write_slot(i, first, &precision.pack_stored(&values))?;
            }
        }
        let none: Vec<Vec<i64>> = self.opening_nodes.iter().map(|&nodes| vec![0; nodes]).collect();
        self.restore_wall_ledger(&vec![0; self.buffers.wall_nodes.len()])?;
        self.restore_ledger(0, &none)
    }

    /// Brings a moment of the own nodes to the host, in chunks in ascending order of nodes: `take(first, numbers)`.
    /// `now` is the row of the current step, whose force is part of the velocity.
    ///
    /// # Errors
    /// When the device is lost, and those of `take`.
    pub fn moment(
        &mut self,
        moment: Moment,
        now: &Row,
        mut take: impl FnMut(usize, Vec<f64>) -> Result<()>,
    ) -> Result<()> {
        let precision = self.variant.precision;
        self.set_row(now);
        for first in (0..self.own()).step_by(MOMENT_CHUNK) {
            let count = MOMENT_CHUNK.min(self.own() - first);
            self.run(Shader::Moments(moment), first as u32, count as u32)?;
            let bytes = count * moment.components() * precision.real_bytes();
            let bytes: Vec<u8> = self.gpu.download(self.buffers.get("moments"), 0, bytes)?;
            take(first, precision.unpack_real(&bytes))?;
        }
        Ok(())
    }

    /// The whole of a moment, one number after the other.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn whole_moment(&mut self, moment: Moment, now: &Row) -> Result<Vec<f64>> {
        let mut whole = Vec::with_capacity(self.own() * moment.components());
        self.moment(moment, now, |_, numbers| {
            whole.extend(numbers);
            Ok(())
        })?;
        Ok(whole)
    }

    /// Mass, largest speed, largest density deviation and health of the own nodes.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn monitor(&mut self, now: &Row) -> Result<Monitor> {
        self.monitor_of(0..self.own(), now)
    }

    /// Mass, largest speed, largest density deviation and health of some own nodes.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn monitor_of(&mut self, nodes: Range<usize>, now: &Row) -> Result<Monitor> {
        let mut monitor = Monitor::default();
        if nodes.is_empty() {
            return Ok(monitor);
        }
        self.set_row(now);
        let count = nodes.len() as u32;
        self.run(Shader::Monitor, nodes.start as u32, count)?;
        let groups = count.div_ceil(hematite_gpu::WORKGROUP) as usize;
        let partial: Vec<[u32; 5]> = self.gpu.download(self.buffers.get("partial"), 0, groups)?;
        for [coarse, fine, squared, deviation, broken] in partial {
            monitor = monitor.plus(Monitor {
                coarse_mass: i64::from(coarse as i32),
                fine_mass: i64::from(fine as i32),
                speed: f64::from(f32::from_bits(squared)).sqrt(),
                deviation: f64::from(f32::from_bits(deviation)),
                broken: u64::from(broken),
            });
        }
        Ok(monitor)
    }

    /// Mass that has come in through each own node of each opening since step 0, in units of `MASS_QUANTUM`, in the
    /// part's order.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn ledger(&self) -> Result<Vec<Vec<i64>>> {
        let count = self.opening_nodes.iter().sum();
        let mut words = self.gpu.download::<i64>(self.buffers.get("ledger"), 0, count)?.into_iter();
        Ok(self.opening_nodes.iter().map(|&nodes| words.by_ref().take(nodes).collect()).collect())
    }

    /// Local numbers of the own nodes where the wall gives or takes mass, ascending: none where it is half-way.
    pub fn wall_nodes(&self) -> &[u32] {
        &self.buffers.wall_nodes
    }

    /// Mass that has come in from the wall at each of [`Fluid::wall_nodes`] since step 0, in units of `MASS_QUANTUM`.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn wall_ledger(&self) -> Result<Vec<i64>> {
        match self.wall_nodes().len() {
            0 => Ok(Vec::new()),
            count => self.gpu.download(self.buffers.get("wall_ledger"), 0, count),
        }
    }

    /// Puts the state of [`Fluid::wall_ledger`] back.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn restore_wall_ledger(&mut self, ledger: &[i64]) -> Result<()> {
        match self.wall_nodes().len() {
            0 => Ok(()),
            _ => self.gpu.upload(self.buffers.get("wall_ledger"), 0, ledger),
        }
    }

    /// The marks of the own nodes inside cells, where these have a viscosity of their own: see `SharedNodes::inside`.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn marks(&self) -> Result<Option<Vec<u32>>> {
        let marks = self.variant.contrast().then(|| self.buffers.get("inside"));
        marks.map(|marks| self.gpu.download(marks, 0, self.own())).transpose()
    }

    /// Whether nodes inside cells are marked.
    pub fn has_marks(&self) -> bool {
        self.variant.contrast()
    }

    /// Puts the state of [`Fluid::marks`] back, where there are any.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn restore_marks(&mut self, marks: &[u32]) -> Result<()> {
        match self.variant.contrast() {
            true => self.gpu.upload(self.buffers.get("inside"), 0, marks),
            false => Ok(()),
        }
    }

    /// The stored populations of direction `i` at own nodes, raw; only after an even number of steps, when each node
    /// holds its own.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn populations(&self, i: usize) -> Result<Vec<u8>> {
        debug_assert!(self.step.is_multiple_of(2));
        let (name, at) = self.slot(i);
        let width = self.variant.precision.stored_bytes();
        self.gpu.download(self.buffers.get(&name), at * width, self.own() * width)
    }

    /// Puts raw populations of direction `i` back at own nodes.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn restore_populations(&mut self, i: usize, raw: &[u8]) -> Result<()> {
        self.write_slot(i, 0, raw)
    }

    /// Puts the state of [`Fluid::ledger`] back and sets the number of steps done, which is even.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn restore_ledger(&mut self, step: u64, ledger: &[Vec<i64>]) -> Result<()> {
        debug_assert!(step.is_multiple_of(2));
        self.gpu.upload(self.buffers.get("ledger"), 0, &ledger.concat())?;
        let excess = vec![0_u8; Buffers::excess_bytes(ledger.len()) as usize];
        self.gpu.upload(self.buffers.get("excess"), 0, &excess)?;
        self.step = step;
        self.held = false;
        self.whole_halo = false;
        Ok(())
    }

    fn slot(&self, i: usize) -> (String, usize) {
        if i == 0 {
            return ("f_rest".to_owned(), 0);
        }
        let place = Place::of(i, 0, self.buffers.stride);
        (format!("f_{}", place.pair), place.index as usize)
    }

    fn write_slot(&self, i: usize, first: usize, raw: &[u8]) -> Result<()> {
        let (name, at) = self.slot(i);
        self.gpu.upload(self.buffers.get(&name), (at + first) * self.variant.precision.stored_bytes(), raw)
    }
}
