//! Small geometries, drawn with the same pixels every time.

/// A 2-D picture in grey: 255 is fluid, 0 is wall. Rows from the top down.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Pixels along x.
    pub width: usize,
    /// Pixels along y.
    pub height: usize,
    /// Row after row.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// Draws what `fluid(x, y)` says, y down.
    pub fn of(width: usize, height: usize, fluid: impl Fn(usize, usize) -> bool) -> Self {
        let pixels = (0..width * height).map(|i| if fluid(i % width, i / width) { 255 } else { 0 }).collect();
        Self { width, height, pixels }
    }

    /// Number of fluid pixels.
    pub fn fluid(&self) -> usize {
        self.pixels.iter().filter(|&&pixel| pixel > 0).count()
    }

    /// As binary PGM.
    pub fn pgm(&self) -> Vec<u8> {
        [format!("P5\n{} {}\n255\n", self.width, self.height).as_bytes(), &self.pixels].concat()
    }
}

/// A volume of voxels: 1 is fluid, 0 is wall. x fastest.
#[derive(Clone, Debug)]
pub struct Voxels {
    /// Voxels along x, y, z.
    pub shape: [usize; 3],
    /// Voxel after voxel.
    pub values: Vec<u8>,
}

impl Voxels {
    /// Draws what `fluid([x, y, z])` says.
    pub fn of(shape: [usize; 3], fluid: impl Fn([usize; 3]) -> bool) -> Self {
        let [nx, ny, nz] = shape;
        let at = |i: usize| [i % nx, i / nx % ny, i / (nx * ny)];
        Self { shape, values: (0..nx * ny * nz).map(|i| u8::from(fluid(at(i)))).collect() }
    }

    /// Number of fluid voxels.
    pub fn fluid(&self) -> usize {
        self.values.iter().filter(|&&value| value > 0).count()
    }

    /// As MetaImage.
    pub fn mha(&self) -> Vec<u8> {
        let [nx, ny, nz] = self.shape;
        let header = format!(
            "ObjectType = Image\nNDims = 3\nDimSize = {nx} {ny} {nz}\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n"
        );
        [header.as_bytes(), &self.values].concat()
    }
}

/// A winding vessel of changing width along x, open at both ends, with an obstacle in it.
pub fn vessel() -> Picture {
    Picture::of(72, 26, |x, y| {
        let (x, y) = (x as f64, y as f64);
        let (low, high) = (3.0 + 2.0 * (0.27 * x).sin(), 22.0 + 2.5 * (0.19 * x + 1.0).sin());
        let obstacle = (x - 33.0).powi(2) + (y - 11.0).powi(2) < 14.0;
        y > low && y < high && !obstacle
    })
}

/// A bent tube along x with a branch that leaves at the top: open at x-, x+ and y+.
pub fn branching_tube() -> Voxels {
    Voxels::of([32, 16, 14], |[x, y, z]| {
        let [x, y, z] = [x, y, z].map(|n| n as f64);
        let axis = [6.0 + 1.5 * (0.2 * x).sin(), 6.5 + 1.2 * (0.16 * x).cos()];
        let radius = 4.6 + 0.6 * (0.45 * x).sin();
        let tube = (y - axis[0]).hypot(z - axis[1]) < radius;
        let branch = y > 6.0 && (x - 17.0).hypot(z - 6.5) < 3.3;
        tube || branch
    })
}

/// A block with ragged grains in it, to be wrapped in all directions.
pub fn porous_block() -> Voxels {
    let shape = [16, 14, 12];
    let grains = [[2.0, 3.0, 2.0, 2.8], [9.0, 8.0, 5.0, 3.4], [14.5, 12.0, 10.0, 3.1], [5.0, 11.5, 8.5, 2.3]];
    Voxels::of(shape, |position| {
        grains.iter().all(|grain| {
            let gap = |axis: usize| {
                let (length, away) = (shape[axis] as f64, (position[axis] as f64 - grain[axis]).abs());
                away.min(length - away)
            };
            (gap(0).powi(2) + gap(1).powi(2) + gap(2).powi(2)).sqrt() > grain[3]
        })
    })
}
