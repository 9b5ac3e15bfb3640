//! Vertices as others touch them: shared where a run has rigid bodies among its cells.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use hematite_config::Result;
use hematite_engine::particles::Set;
use hematite_engine::{SURFACE_ACTIONS, SharedSurface, SurfacePoints};
use hematite_gpu::Gpu;
use hematite_membrane::Vertices;

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

/// Shares `vertices` anew, after their arrays were replaced. Which cells will come in next and which bodies touch the
/// vertices does not change.
///
/// # Errors
/// Where the device has no room.
pub(super) fn share_anew(surface: &SharedSurface, gpu: &Gpu, vertices: &Vertices) -> Result<()> {
    let mut surface = surface.borrow_mut();
    let replaced = points(gpu, vertices, surface.version + 1)?;
    let (coming, solids) = (std::mem::take(&mut surface.coming), surface.solids.take());
    *surface = SurfacePoints { coming, solids, ..replaced };
    Ok(())
}

/// Tells others which vertices are there: those of each of the `cells`, with the area that each of them stands for.
///
/// # Errors
/// When the device is lost.
pub(super) fn write(surface: &SharedSurface, gpu: &Gpu, cells: &[(Range<usize>, f32)]) -> Result<()> {
    let mut points = surface.borrow_mut();
    let stride = points.set.stride as usize;
    let (mut gone, mut area) = (vec![1_u32; stride], vec![0.0_f32; stride]);
    for (vertices, each) in cells {
        gone[vertices.clone()].fill(0);
        area[vertices.clone()].fill(*each);
    }
    points.version += 1;
    points.closed = cells.iter().map(|(vertices, _)| vertices.clone()).collect();
    gpu.upload(&points.set.gone, 0, &gone)?;
    gpu.upload(&points.area, 0, &area)
}
