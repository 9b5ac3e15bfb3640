//! Lists of neighbours, and their room.

use hematite_config::{Fault, Result};
use hematite_gpu::{Buffer, Gpu};

/// Most neighbours in the list of a particle.
pub const MOST_NEIGHBOURS: u32 = 4096;

/// Initial room of lists.
const FIRST_ROOM: u32 = 32;

/// Room grows when less than 1 / SPARE of it is free, so that lists that are too short are rare.
pub(super) const SPARE: u32 = 8;

/// For each particle of a set, a list of particles of this or another set that may come within reach.
///
/// Loops walk all particles in place of a list that is too short, so that results do not depend on the room.
pub(super) struct Neighbours {
    /// `array<u32>`: neighbour n of particle i at `n * stride + i`.
    pub list: Buffer,
    /// `array<u32>` by particle: the number of its neighbours, which may exceed the room.
    pub count: Buffer,
    /// `atomic<u32>`: the largest number of neighbours for which room is, or soon may be, too small; 0 if there is
    /// none.
    pub crowd: Buffer,
    /// Room for neighbours of each particle.
    pub room: u32,
    /// Distance between the neighbours of a particle in `list`: the largest number of particles.
    pub stride: u32,
}

impl Neighbours {
    /// Lists for `stride` particles, with as much room for each as those `before`.
    ///
    /// # Errors
    /// Where the device has no room.
    pub fn new(gpu: &Gpu, stride: u32, before: Option<&Self>) -> Result<Self> {
        let room = before.map_or(FIRST_ROOM, |before| before.room);
        let crowd = match before {
            Some(before) => before.crowd.clone(),
            None => gpu.buffer("the most neighbours", 4)?,
        };
        let count = gpu.buffer("neighbour_count", 4 * u64::from(stride))?;
        Ok(Self { list: lists(gpu, stride, room)?, count, crowd, room, stride })
    }

    /// Makes room if lists that were made since the last call were too short, or soon would be. Returns whether it did;
    /// then lists must be made again.
    ///
    /// # Errors
    /// A numerical failure where a particle has more than [`MOST_NEIGHBOURS`]; when the device is lost or has no room.
    pub fn make_room(&mut self, gpu: &Gpu) -> Result<bool> {
        let crowd = gpu.download::<u32>(&self.crowd, 0, 1)?[0];
        if crowd == 0 {
            return Ok(false);
        }
        gpu.upload(&self.crowd, 0, &[0_u32])?;
        let room = room_for(crowd)?;
        if room <= self.room {
            return Ok(false);
        }
        self.list = lists(gpu, self.stride, room)?;
        self.room = room;
        Ok(true)
    }
}

fn lists(gpu: &Gpu, stride: u32, room: u32) -> Result<Buffer> {
    gpu.buffer("neighbours", 4 * u64::from(room) * u64::from(stride))
}

/// Room for `crowd` neighbours and half as many more.
fn room_for(crowd: u32) -> Result<u32> {
    if crowd > MOST_NEIGHBOURS {
        return Err(Fault::numerical(format!(
            "{crowd} others are within reach, at most {MOST_NEIGHBOURS} are possible: they pile up there. Take forces that \
             reach less far, a stronger repulsion, or a shorter time step"
        )));
    }
    Ok((crowd + crowd / 2).next_multiple_of(SPARE).min(MOST_NEIGHBOURS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_grows_until_the_limit() {
        let mut room = FIRST_ROOM;
        for crowd in 1..=MOST_NEIGHBOURS {
            if crowd > room - room / SPARE {
                let grown = room_for(crowd).expect("within the limit");
                assert!(grown >= crowd && (grown > room || room == MOST_NEIGHBOURS), "{crowd}: {room}, then {grown}");
                room = grown;
            }
        }
        assert_eq!(room, MOST_NEIGHBOURS);
        let refused = room_for(MOST_NEIGHBOURS + 1).expect_err("too many").to_string();
        assert!(refused.contains("4097") && refused.contains("4096"), "{refused}");
    }
}
