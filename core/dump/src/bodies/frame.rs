//! The rigid bodies of one dump in memory.

/// A population in dumps of bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyKind {
    /// Its name.
    pub name: String,
    /// Semi-axes of the ellipsoids along x, y and z in their reference orientation, in metres. Zeros for a population
    /// of cells: then populations have the same numbers in all files of a run.
    pub semi_axes: [f64; 3],
}

/// Bodies at one time, ascending by number. Along periodic axes, their centres lie in the domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyFrame {
    /// Time steps done.
    pub step: u64,
    /// Seconds since step 0.
    pub time: f64,
    /// Global number of each body.
    pub id: Vec<u64>,
    /// Population of each body: its index in the file's list of kinds.
    pub kind: Vec<u32>,
    /// How often each body has crossed the periodic faces, along x, y, z: unwrapped = position + image * extent.
    pub image: Vec<[i32; 3]>,
    /// Centres in metres.
    pub position: Vec<[f64; 3]>,
    /// Unit quaternions (w, x, y, z) of the rotation from the reference orientation.
    pub orientation: Vec<[f32; 4]>,
    /// Velocities of the centres, m/s.
    pub velocity: Vec<[f32; 3]>,
    /// Angular velocities in the frame of space, rad/s.
    pub angular_velocity: Vec<[f32; 3]>,
    /// Forces, N.
    pub force: Vec<[f32; 3]>,
    /// Torques about the centres in the frame of space, N m.
    pub torque: Vec<[f32; 3]>,
}

impl BodyFrame {
    /// The bodies with the given indices, in that order.
    ///
    /// # Panics
    /// When an index is out of range.
    #[must_use]
    pub fn take(&self, indices: &[usize]) -> Self {
        fn rows<T: Copy>(of: &[T], indices: &[usize]) -> Vec<T> {
            indices.iter().map(|&body| of[body]).collect()
        }
        Self {
            step: self.step,
            time: self.time,
            id: rows(&self.id, indices),
            kind: rows(&self.kind, indices),
            image: rows(&self.image, indices),
            position: rows(&self.position, indices),
            orientation: rows(&self.orientation, indices),
            velocity: rows(&self.velocity, indices),
            angular_velocity: rows(&self.angular_velocity, indices),
            force: rows(&self.force, indices),
            torque: rows(&self.torque, indices),
        }
    }
}
