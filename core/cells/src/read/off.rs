//! OFF, ASCII: a header, points, polygons. Normals and colours behind the coordinates are ignored.

use hematite_config::{Fault, Result};

use super::{Mesh, point, text};

/// Variants whose lines begin with x, y, z.
const HEADERS: [&str; 4] = ["OFF", "COFF", "NOFF", "CNOFF"];

pub(super) fn parse(bytes: &[u8]) -> Result<Mesh> {
    let mut lines = text(bytes)?
        .lines()
        .enumerate()
        .map(|(k, line)| (k + 1, line.split('#').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>()))
        .filter(|(_, words)| !words.is_empty());
    let (_, mut words) = lines.next().ok_or_else(|| Fault::usage("it is empty"))?;
    if !HEADERS.contains(&words[0]) || words.get(1) == Some(&"BINARY") {
        return Err(Fault::usage(format!(
            "it begins with \"{}\"; an ASCII OFF file begins with \"OFF\"",
            words.join(" ")
        )));
    }
    words.remove(0);
    if words.is_empty() {
        words = lines.next().map(|(_, words)| words).unwrap_or_default();
    }
    let count = |k: usize, what: &str| {
        let count = words.get(k).and_then(|word| word.parse::<usize>().ok());
        count.ok_or_else(|| {
            Fault::usage(format!("its header does not say how many {what} it has (\"points faces edges\")"))
        })
    };
    let (points, faces) = (count(0, "points")?, count(1, "faces")?);
    let mut mesh = Mesh::default();
    for k in 0..points {
        let (line, words) = lines.next().ok_or_else(|| cut("points", points, k))?;
        mesh.points.push(point(&words, line)?);
    }
    for k in 0..faces {
        let (line, words) = lines.next().ok_or_else(|| cut("faces", faces, k))?;
        let numbers: Vec<i64> = words.iter().map_while(|word| word.parse().ok()).collect();
        let corners = numbers.first().and_then(|&n| numbers.get(1..1 + usize::try_from(n).ok()?));
        let corners = corners.ok_or_else(|| {
            Fault::usage(format!("line {line}: wanted a face, \"count point point ..\", got \"{}\"", words.join(" ")))
        })?;
        mesh.add_polygon(corners, || format!("line {line}: the face"))?;
    }
    Ok(mesh)
}

fn cut(what: &str, wanted: usize, got: usize) -> Fault {
    Fault::usage(format!("its header says {wanted} {what}, but it has {got}: it is cut off"))
}
