//! Bodies among points of soft surfaces: which are near which, and what they do to each other.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::particles::{Between, Particles};
use hematite_engine::{SURFACE_ACTIONS, SharedSurface, SurfaceContact};
use hematite_gpu::{Buffer, Gpu, Recorder};

use super::parameters::{LISTED_STEPS, Parameters};
use super::shaders;

fn bytes(stride: u32) -> u64 {
    4 * u64::from(SURFACE_ACTIONS) * u64::from(stride)
}

fn pushes(gpu: &Gpu, stride: u32) -> Result<Buffer> {
    gpu.buffer("pushes on bodies", bytes(stride))
}

/// A run's bodies and the surface that they touch.
pub(super) struct Meeting {
    gpu: Gpu,
    surface: SharedSurface,
    between: Between,
    /// `array<i32>` [[`SURFACE_ACTIONS`] * stride]: what points do to each body, forces, then torques.
    push: Buffer,
    /// The steps done and the version of the surface when lists were made; none where they do not hold any more.
    listed: Option<(u64, u64)>,
}

impl Meeting {
    /// One for `particles`, the bodies of a rank.
    ///
    /// # Errors
    /// A usage fault where periods are too short; where the device has no room or refuses a kernel.
    pub fn new(
        gpu: &Gpu,
        parameters: &Parameters,
        contact: &SurfaceContact,
        surface: SharedSurface,
        particles: &Particles,
    ) -> Result<Self> {
        let (setting, law) = (parameters.setting_of_surface(contact), shaders::touch(parameters, contact));
        let strides = [particles.properties().stride, surface.borrow().set.stride];
        let between = Between::new(gpu, &setting, particles.map(), &law, strides)?;
        let push = pushes(gpu, strides[0])?;
        Ok(Self { gpu: gpu.clone(), surface, between, push, listed: None })
    }

    /// What points do to each body.
    pub fn push(&self) -> &Buffer {
        &self.push
    }

    /// Makes room for bodies in arrays of this stride.
    ///
    /// # Errors
    /// Where the device has none.
    pub fn hold(&mut self, stride: u32) -> Result<()> {
        if self.push.bytes() < bytes(stride) {
            self.push = pushes(&self.gpu, stride)?;
        }
        Ok(())
    }

    /// Makes lists after `step` steps, to learn how long they have to be. Collective.
    ///
    /// # Errors
    /// As [`Meeting::make_room`].
    pub fn begin(&mut self, comm: &dyn Comm, particles: &Particles, step: u64) -> Result<()> {
        let gpu = self.gpu.clone();
        let mut recorder = Recorder::new(&gpu);
        self.list(&mut recorder, particles, step)?;
        recorder.submit();
        self.make_room(comm)
    }

    /// Bodies were sorted: lists do not hold any more.
    pub fn forget(&mut self) {
        self.listed = None;
    }

    /// Makes lists anew where those of before do not hold after `step` steps.
    fn list(&mut self, recorder: &mut Recorder, particles: &Particles, step: u64) -> Result<()> {
        let points = self.surface.borrow();
        let holds = |&(made, version): &(u64, u64)| version == points.version && step < made + LISTED_STEPS;
        if self.listed.as_ref().is_some_and(holds) {
            return Ok(());
        }
        self.between.record_lists(recorder, [&particles.set(), &points.set])?;
        self.listed = Some((step, points.version));
        Ok(())
    }

    /// What bodies and points do to each other after `step` steps: into the pushes on both.
    ///
    /// # Errors
    /// Where the device has no room for longer lists.
    pub fn record(&mut self, recorder: &mut Recorder, particles: &Particles, kinds: &Buffer, step: u64) -> Result<()> {
        recorder.phase("contact");
        self.list(recorder, particles, step)?;
        let (points, properties) = (self.surface.borrow(), particles.properties());
        let buffers = [
            ("orientation", properties.get("orientation")),
            ("kind", properties.get("kind")),
            ("kinds", kinds),
            ("area", &points.area),
        ];
        let actions = [&self.push, &points.pushes];
        self.between.record(recorder, [&particles.set(), &points.set], actions, &buffers);
        Ok(())
    }

    /// Where lists are too short, or soon would be, has longer ones made next time. Collective.
    ///
    /// # Errors
    /// A numerical failure where a body has too many points around it; when the device or a rank is lost.
    pub fn make_room(&mut self, comm: &dyn Comm) -> Result<()> {
        if self.between.make_room(comm)? {
            self.listed = None;
        }
        Ok(())
    }
}
