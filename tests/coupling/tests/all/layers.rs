//! Which crate may know which: read from the manifests.

use std::path::{Path, PathBuf};

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folders of the members, in the workspace's order, for which it names folders or all in one.
fn members() -> Vec<PathBuf> {
    let manifest = read(&root().join("Cargo.toml"));
    let list = manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']')).expect("members").0;
    let mut found = Vec::new();
    for name in list.split('"').skip(1).step_by(2) {
        match name.strip_suffix("/*") {
            None => found.push(root().join(name)),
            Some(folder) => {
                let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
                let mut inside: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
                inside.sort();
                found.extend(inside.into_iter().filter(|path| path.join("Cargo.toml").is_file()));
            }
        }
    }
    found
}

/// A crate of the workspace.
struct Member {
    folder: PathBuf,
    name: String,
    /// What it needs, tests included.
    needs: Vec<String>,
}

impl Member {
    fn read(folder: PathBuf) -> Self {
        let manifest = read(&folder.join("Cargo.toml"));
        let name =
            manifest.split("name = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name").to_owned();
        let needs = manifest.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        Self { folder, name, needs: needs.map(str::to_owned).collect() }
    }

    fn is_physics(&self) -> bool {
        self.folder.parent().is_some_and(|parent| parent.ends_with("core/physics"))
    }
}

#[test]
fn crates_know_only_those_above_them_and_no_physics_another() {
    let members: Vec<Member> = members().into_iter().map(Member::read).collect();
    let physics: Vec<&str> = members.iter().filter(|it| it.is_physics()).map(|it| it.name.as_str()).collect();
    assert!(physics.len() >= 3, "{physics:?}");
    for (k, member) in members.iter().enumerate() {
        for need in &member.needs {
            let Some(at) = members.iter().position(|other| other.name == *need) else { continue };
            assert!(at < k, "{} needs {need}, which stands below it", member.name);
            assert!(
                !(member.is_physics() && physics.contains(&need.as_str())),
                "{} needs {need}: physics meet in a run alone",
                member.name
            );
        }
    }
}

/// All Rust files in a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let of = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(of).filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
}

/// Libraries say `doctest = false`, so that an example in a comment would never run.
#[test]
fn comments_have_no_examples() {
    for folder in members().into_iter().filter(|folder| folder.join("src/lib.rs").is_file()) {
        assert!(read(&folder.join("Cargo.toml")).contains("[lib]\ndoctest = false\n"), "{}", folder.display());
        for path in sources(&folder.join("src")) {
            let text = read(&path);
            let comments = text.lines().map(str::trim_start).filter(|line| line.starts_with("//"));
            let fences = comments.filter_map(|line| line.trim_start_matches(['/', '!', ' ']).strip_prefix("```"));
            for language in fences.step_by(2) {
                assert_eq!(language, "text", "{}: an example, which no test runs", path.display());
            }
        }
    }
}
