//! Modules of a crate do not know each other in a circle: read from the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree};

/// Modules by name, each with the modules that it knows.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn parse(path: &Path) -> syn::File {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn is_test(attributes: &[Attribute]) -> bool {
    let names_test = |attribute: &Attribute| attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "test");
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg") && names_test(attribute))
}

/// All paths of a file but those in its tests, each as its words.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    fn add_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |word: &syn::Ident| [before, &[word.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree),
            UseTree::Name(name) => self.0.push(with(&name.ident)),
            UseTree::Rename(rename) => self.0.push(with(&rename.ident)),
            UseTree::Glob(_) => self.0.push(before.to_vec()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(before, tree)),
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The files of a module and of those within it, with how deep each stands below the root of its crate.
fn files(folder: &Path, module: &str) -> Vec<(PathBuf, usize)> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), module.to_owned(), 1)];
    while let Some((folder, module, depth)) = open.pop() {
        let [file, inside] = [folder.join(format!("{module}.rs")), folder.join(&module).join("mod.rs")];
        let file = if file.is_file() { file } else { inside };
        for item in parse(&file).items {
            if let Item::Mod(child) = item
                && child.content.is_none()
                && !is_test(&child.attrs)
            {
                open.push((folder.join(&module), child.ident.to_string(), depth + 1));
            }
        }
        found.push((file, depth));
    }
    found
}

/// The modules of a crate.
fn graph(source: &Path) -> Graph {
    let root = parse(&source.join("lib.rs"));
    let mut graph = Graph::new();
    for item in &root.items {
        if let Item::Mod(module) = item
            && module.content.is_none()
            && !is_test(&module.attrs)
        {
            graph.insert(module.ident.to_string(), BTreeSet::new());
        }
    }
    // The module from which the root has a name.
    let mut home: BTreeMap<String, String> = graph.keys().map(|name| (name.clone(), name.clone())).collect();
    let mut names = Paths::default();
    names.visit_file(&root);
    for path in names.0.iter().filter(|path| path.len() > 1 && graph.contains_key(&path[0])) {
        home.insert(path[path.len() - 1].clone(), path[0].clone());
    }
    for module in graph.keys().cloned().collect::<Vec<_>>() {
        for (file, depth) in files(source, &module) {
            let mut paths = Paths::default();
            paths.visit_file(&parse(&file));
            for path in paths.0 {
                let up = path.iter().take_while(|word| *word == "super").count();
                let from_root = match path.first().map(String::as_str) {
                    Some("crate") => path.get(1),
                    Some("super") if up == depth => path.get(up),
                    _ => None,
                };
                if let Some(known) = from_root.and_then(|name| home.get(name)).filter(|known| **known != module) {
                    graph.get_mut(&module).expect("a module").insert(known.clone());
                }
            }
        }
    }
    graph
}

/// What is left of a graph without the modules that no circle goes through.
fn circles(mut graph: Graph) -> Graph {
    loop {
        let before = graph.len();
        let known: BTreeSet<String> = graph.values().flatten().cloned().collect();
        graph.retain(|name, knows| !knows.is_empty() && known.contains(name));
        let left: BTreeSet<String> = graph.keys().cloned().collect();
        graph.values_mut().for_each(|knows| knows.retain(|name| left.contains(name)));
        if graph.len() == before {
            return graph;
        }
    }
}

#[test]
fn modules_of_engine_and_physics_know_each_other_in_no_circle() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core");
    let physics = std::fs::read_dir(core.join("physics")).expect("a folder");
    let mut crates: Vec<PathBuf> = physics.map(|entry| entry.expect("an entry").path()).collect();
    crates.extend(["engine", "membrane"].map(|name| core.join(name)));
    let (mut modules, mut all) = (0, 0);
    for folder in crates {
        let graph = graph(&folder.join("src"));
        let edges: usize = graph.values().map(BTreeSet::len).sum();
        (modules, all) = (modules + graph.len(), all + edges);
        assert!(edges > 0, "{}: {graph:?}", folder.display());
        let circles = circles(graph);
        assert!(circles.is_empty(), "{}: modules in a circle: {circles:#?}", folder.display());
    }
    assert!(modules > 70 && all > 2 * modules, "{modules} modules know {all} others");
}

#[test]
fn circles_are_found() {
    let graph = |edges: &[(&str, &[&str])]| -> Graph {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        edges.iter().map(|(name, knows)| ((*name).to_owned(), owned(knows))).collect()
    };
    assert!(circles(graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])).is_empty());
    let found = circles(graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["d", "b"]), ("d", &[])]));
    assert_eq!(found, graph(&[("b", &["c"]), ("c", &["b"])]));
}
