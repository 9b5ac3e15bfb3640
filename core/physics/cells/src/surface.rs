//! Vertices as others touch them: shared where a run has rigid bodies among its cells.

use std::cell::RefCell;
use std::rc::Rc;

use hematite_config::Result;
use hematite_engine::particles::Set;
use hematite_engine::{SURFACE_ACTIONS, SharedSurface, SurfacePoints};
use hematite_gpu::Gpu;
use hematite_membrane::Vertices;

use super::time_step::Suspension;

/// The arrays of `vertices` for others, of which none is there so far; `version` counts replaced arrays.
fn points(gpu: &Gpu, vertices: &Vertices, version: u64) -> Result<SurfacePoints> {
    let stride = vertices.stride;
    let words = |label: &str, count: u32| gpu.buffer(label, 4 * u64::from(count) * u64::from(stride));
    let gone = words("whether vertices are there", 1)?;
    gpu.upload(&gone, 0, &vec![1_u32; stride as usize])?;
    Ok(SurfacePoints {
        set: Set { position: vertices.position.clone(), gone, stride, own: stride, held: stride },
        area: words("areas of vertices", 1)?,
        pushes: words("pushes on vertices", SURFACE_ACTIONS)?,
        version,
        closed: Vec::new(),
        coming: Vec::new(),
        solids: None,
    })
}

/// Shares `vertices`.
///
/// # Errors
/// Where the device has no room.
pub(super) fn share(gpu: &Gpu, vertices: &Vertices) -> Result<SharedSurface> {
    Ok(Rc::new(RefCell::new(points(gpu, vertices, 0)?)))
}

impl Suspension {
    /// The vertices as others touch them, where they do.
    pub fn surface(&self) -> Option<SharedSurface> {
        self.surface.clone()
    }

    /// Shares the vertices anew, where they are shared, after their arrays were replaced.
    pub(super) fn share_replaced(&self) -> Result<()> {
        if let Some(surface) = &self.surface {
            let mut surface = surface.borrow_mut();
            let replaced = points(&self.gpu, &self.vertices, surface.version + 1)?;
            *surface = SurfacePoints { solids: surface.solids.take(), ..replaced };
        }
        Ok(())
    }

    /// Tells others which vertices are there, and the area that each stands for after `step` steps.
    pub(super) fn write_surface(&self, step: u64) -> Result<()> {
        let Some(surface) = &self.surface else { return Ok(()) };
        let stride = self.vertices.stride as usize;
        let (mut gone, mut area) = (vec![1_u32; stride], vec![0.0_f32; stride]);
        let mut closed = Vec::new();
        for kind in &self.kinds {
            let vertices = kind.range.vertices as usize;
            for held in kind.cells.values() {
                let first = kind.first_vertex(held.slot) as usize;
                let points = first..first + vertices;
                gone[points.clone()].fill(0);
                area[points.clone()].fill(self.vertex_area(kind, held.seeded_scale, step));
                closed.push(points);
            }
        }
        let mut points = surface.borrow_mut();
        points.version += 1;
        points.closed = closed;
        self.gpu.upload(&points.set.gone, 0, &gone)?;
        self.gpu.upload(&points.area, 0, &area)
    }
}
