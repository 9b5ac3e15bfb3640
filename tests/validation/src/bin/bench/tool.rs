//! The tools as users call them, watched.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hematite_config::{Fault, Result};
use hematite_geometry::Site;
use serde_json::{Value, json};
use validation::beside;

/// What a call took.
pub struct Taken {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Largest resident memory in bytes.
    pub peak: f64,
}

/// Runs a tool of this build, which lies beside this program, and watches its memory.
pub fn call(name: &str, arguments: &[&Path]) -> Result<Taken> {
    let tool = beside(name)?;
    let failed = |why: String| Fault::io(format!("{}: {why}", tool.display()));
    let start = Instant::now();
    let mut child = Command::new(&tool)
        .args(arguments)
        .arg("--quiet")
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0.0;
    loop {
        peak = high_water(&status).unwrap_or(peak);
        if let Some(ended) = child.try_wait().map_err(|error| failed(error.to_string()))? {
            let seconds = start.elapsed().as_secs_f64();
            return if ended.success() { Ok(Taken { seconds, peak }) } else { Err(failed(ended.to_string())) };
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What a tool of this build prints.
pub fn answer(name: &str, arguments: &[&Path]) -> Result<String> {
    let tool = beside(name)?;
    let failed = |why: String| Fault::io(format!("{}: {why}", tool.display()));
    let done = Command::new(&tool)
        .args(arguments)
        .arg("--quiet")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        false => Err(failed(done.status.to_string())),
    }
}

/// VmHWM in bytes; nothing once the process has gone.
fn high_water(status: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? * 1024.0)
}

/// A temporary folder.
pub fn folder() -> Result<tempfile::TempDir> {
    tempfile::tempdir().map_err(|error| Fault::io(format!("cannot make a temporary folder: {error}")))
}

/// Writes a file of a folder.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    std::fs::write(path, content).map_err(|error| Fault::io(format!("{}: {error}", path.display())))
}

/// Writes CASE.json for voxels of one byte.
pub fn voxel_case(folder: &Path, fluid: &[bool], extent: [usize; 3]) -> Result<PathBuf> {
    let bytes: Vec<u8> = fluid.iter().map(|&fluid| if fluid { Site::FLUID.0 } else { Site::WALL.0 }).collect();
    write(&folder.join("voxels.raw"), &bytes)?;
    let config = json!({
        "geometry": {
            "voxels": { "file": "voxels.raw", "shape": extent, "type": "u8" },
            "spacing": "10 um",
            "periodic": ["x"],
        },
    });
    case(folder, &config)
}

/// Writes CASE.json.
pub fn case(folder: &Path, config: &Value) -> Result<PathBuf> {
    let path = folder.join("case.json");
    write(&path, config.to_string().as_bytes())?;
    Ok(path)
}
