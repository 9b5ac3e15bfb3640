//! The common structure of all VTKHDF files of a run.

use hdf5::types::FixedAscii;
use hdf5::{File, Group};

use crate::h5::{self, set_attribute};

/// Makes the VTKHDF group of a new file, with `kind` as VTK's type of data.
pub fn root(file: &File, kind: &str) -> hdf5::Result<Group> {
    let vtk = file.create_group("VTKHDF")?;
    vtk.new_attr::<i64>().shape(2).create("Version")?.write(&[2_i64, 0])?;
    let kind = FixedAscii::<16>::from_ascii(kind.as_bytes()).map_err(|error| error.to_string())?;
    set_attribute(&vtk, "Type", &kind)?;
    Ok(vtk)
}

/// Makes the group Steps without dumps, with offsets for `primitives` kinds of primitive.
pub fn steps(vtk: &Group, primitives: usize) -> hdf5::Result<Group> {
    let steps = vtk.create_group("Steps")?;
    set_attribute(&steps, "NSteps", &0_i64)?;
    h5::series::<f64>(&steps, "Values", None)?;
    for name in ["PartOffsets", "NumberOfParts", "PointOffsets"] {
        h5::series::<i64>(&steps, name, None)?;
    }
    for name in ["CellOffsets", "ConnectivityIdOffsets"] {
        h5::series::<i64>(&steps, name, Some(primitives))?;
    }
    Ok(steps)
}
