//! Small domains for tests.

use hematite_case::{Case, ImmersedWalls, Lattice, Partition, Suspended, write};
use hematite_config::Provenance;
use hematite_engine::Ground;
use hematite_geometry::{Domain, Opening, OpeningKind, Report, Site};
use physics_srd::{Collision, Parameters, Walls};
use serde_json::Value;
use tempfile::TempDir;

/// A case in a temporary folder, and the whole of it as the part of one rank.
pub struct Setting {
    _folder: TempDir,
    pub ground: Ground,
    pub parameters: Parameters,
    sites: Vec<Site>,
}

impl Setting {
    /// A domain of `extent` that wraps along the `periodic` axes and holds fluid where `is_fluid`. With `lid`, what is not
    /// fluid at the highest y is a moving wall.
    pub fn new(
        extent: [usize; 3],
        periodic: [bool; 3],
        lid: Option<[f64; 3]>,
        is_fluid: impl Fn([usize; 3]) -> bool,
    ) -> Self {
        let dimension = if extent[2] == 1 { 2 } else { 3 };
        let at = |k: usize| [k % extent[0], k / extent[0] % extent[1], k / extent[0] / extent[1]];
        let site = |k: usize| match (is_fluid(at(k)), lid.is_some() && at(k)[1] == extent[1] - 1) {
            (true, _) => Site::FLUID,
            (false, true) => Site::opening(0),
            (false, false) => Site::WALL,
        };
        let sites: Vec<Site> = (0..extent.iter().product()).map(site).collect();
        let opening = Opening { name: "lid".to_owned(), kind: OpeningKind::Wall, normal: Some([0.0, -1.0, 0.0]) };
        let domain = Domain {
            dimension,
            extent,
            spacing: 1e-6,
            origin: [0.0; 3],
            periodic,
            openings: lid.iter().map(|_| opening.clone()).collect(),
            wall_parts: Vec::new(),
            surface: None,
            report: Report { fluid: sites.iter().filter(|&&site| site == Site::FLUID).count(), ..Report::default() },
            sites: sites.clone(),
        };
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("case.h5");
        let lattice = Lattice::build(&domain).expect("a lattice");
        let partition = Partition::make(&lattice, 1).expect("one part");
        let provenance = Provenance::of("test", &[]).expect("provenance");
        write(
            &path,
            &lattice,
            Suspended::default(),
            &ImmersedWalls::default(),
            &[partition],
            &provenance,
            &Value::Null,
        )
        .expect("a case");
        let case = Case::open(&path).expect("a case");
        let ground = Ground {
            case: path,
            header: case.header().clone(),
            populations: Vec::new(),
            openings: None,
            layer: None,
            part: case.part(1, 0).expect("a part"),
        };
        let parameters = Parameters {
            dimension,
            extent,
            periodic,
            particles: 6.0,
            speed: 0.3,
            angle: 2.2,
            collision: Collision::Rotation,
            angular_momentum: false,
            thermostat: 0.0,
            grid_shift: true,
            walls: Walls::BounceBack,
            wall_velocities: std::iter::once([0.0; 3]).chain(lid).collect(),
            seed: [7, 3],
            acceleration: [0.0; 3],
            initial: [0.0; 3],
            sample_every: 1,
            points: None,
        };
        Self { _folder: folder, ground, parameters, sites }
    }

    /// The site at a place, which may lie beyond periodic faces.
    pub fn site(&self, place: [i32; 3]) -> Site {
        let Parameters { extent, periodic, .. } = self.parameters;
        let wrapped = [0, 1, 2].map(|a| if periodic[a] { place[a].rem_euclid(extent[a] as i32) } else { place[a] });
        if (0..3).any(|a| wrapped[a] < 0 || wrapped[a] >= extent[a] as i32) {
            return Site::WALL;
        }
        let [x, y, z] = wrapped.map(|c| c as usize);
        self.sites[(z * extent[1] + y) * extent[0] + x]
    }
}
