//! Bodies among points of soft surfaces: which are near which, and what they do to each other.

use std::ops::Range;
use std::rc::Rc;

use hematite_cells::RigidShape;
use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::particles::{Between, Particles};
use hematite_engine::sites::Coordinate;
use hematite_engine::{Precision, SURFACE_ACTIONS, SharedSurface, Solids, SurfaceContact, entry_gap};
use hematite_gpu::{Buffer, Gpu, Recorder};

use super::parameters::{Kind, LISTED_STEPS, Parameters};
use super::shaders;

fn bytes(stride: u32) -> u64 {
    4 * u64::from(SURFACE_ACTIONS) * u64::from(stride)
}

fn pushes(gpu: &Gpu, stride: u32) -> Result<Buffer> {
    gpu.buffer("pushes on bodies", bytes(stride))
}

/// A cell among the bodies, or one that comes in next.
pub(super) struct MetCell {
    /// Its vertices; nodes at whole numbers, not wrapped.
    pub vertices: Vec<[f64; 3]>,
    /// How far off them bodies come in.
    pub gap: f64,
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
    /// Distance at which repulsion begins.
    range: f64,
    /// The shape of each kind of bodies.
    shapes: Rc<Vec<RigidShape>>,
    precision: Precision,
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
        let shape = |kind: &Kind| RigidShape { semi_axes: kind.shape.axes };
        let shapes = Rc::new(parameters.kinds.iter().map(shape).collect());
        let (range, precision) = (contact.range, parameters.precision);
        let meeting = Self { gpu: gpu.clone(), surface, between, push, listed: None, range, shapes, precision };
        meeting.show(particles);
        Ok(meeting)
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

    /// Bodies were sorted: lists do not hold any more, and the other physics has to look for them elsewhere.
    pub fn sorted(&mut self, particles: &Particles) {
        self.listed = None;
        self.show(particles);
    }

    /// Lets the other physics see where bodies are.
    fn show(&self, particles: &Particles) {
        let properties = particles.properties();
        let of = |name: &str| properties.get(name).clone();
        self.surface.borrow_mut().solids = Some(Solids {
            position: of("position"),
            orientation: of("orientation"),
            kind: of("kind"),
            gone: of("gone"),
            stride: properties.stride,
            own: particles.own(),
            precision: self.precision,
            shapes: self.shapes.clone(),
        });
    }

    /// The cells that this rank holds, as they are now, and those that come in next.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn cells(&self) -> Result<Vec<MetCell>> {
        let points = self.surface.borrow();
        let stride = points.set.stride as usize;
        let position: Vec<Coordinate> = self.gpu.download(&points.set.position, 0, 3 * stride)?;
        let area = self.gpu.download::<f32>(&points.area, 0, stride)?;
        let cell = |of: &Range<usize>| {
            let vertices: Vec<[f64; 3]> =
                of.clone().map(|v| [0, 1, 2].map(|a| position[a * stride + v].value())).collect();
            // Six triangles meet at a vertex.
            let side = (f64::from(area[of.start]) * 2.0 / 3.0_f64.sqrt()).sqrt();
            MetCell { vertices, gap: entry_gap(self.range, side) }
        };
        let coming = points
            .coming
            .iter()
            .map(|vertices| MetCell { vertices: vertices.clone(), gap: entry_gap(self.range, 0.0) });
        Ok(points.closed.iter().map(cell).chain(coming).collect())
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
