//! The storage buffers of a kernel, as its WGSL declares them.

/// Beginnings of the declaration of a storage buffer, and whether the kernel writes the buffer.
const ACCESS: [(&str, bool); 2] = [("var<storage, read> ", false), ("var<storage, read_write> ", true)];

/// A storage buffer that a kernel declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    /// Its name in WGSL.
    pub name: String,
    /// Whether the kernel writes it.
    pub written: bool,
}

impl Binding {
    /// The binding that a line of WGSL without `@group` and `@binding` declares, if any.
    fn declared(line: &str) -> Option<Self> {
        let line = line.trim_start();
        let (name, written) = ACCESS.iter().find_map(|&(begin, written)| Some((line.strip_prefix(begin)?, written)))?;
        let (name, _) = name.split_once(':')?;
        Some(Self { name: name.trim().to_owned(), written })
    }
}

/// Numbers the lines of `wgsl` that declare a storage buffer, e.g. `var<storage, read> force: array<f32>;`, from 0 on:
/// puts `@group(0) @binding(0)` before them. So kernels can declare buffers where they use them.
pub(crate) fn number(wgsl: &str) -> String {
    let mut count = 0;
    let mut numbered = String::with_capacity(wgsl.len());
    for line in wgsl.split_inclusive('\n') {
        if Binding::declared(line).is_some() {
            numbered += &format!("@group(0) @binding({count}) ");
            count += 1;
        }
        numbered += line;
    }
    numbered
}

/// The bindings of numbered WGSL, by number.
pub(crate) fn table(wgsl: &str) -> Vec<Binding> {
    let numbered = wgsl.lines().filter_map(|line| line.strip_prefix("@group(0) @binding("));
    numbered.filter_map(|line| Binding::declared(line.split_once(") ")?.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_numbered_in_their_order() {
        let wgsl = "var<storage, read> a: array<u32>;\n// var<storage, read> not: u32;\nvar<immediate> span: Span;\n\
                    var<storage, read_write> b : atomic<u32>;\nfn f() {}";
        let numbered = number(wgsl);
        assert!(numbered.starts_with("@group(0) @binding(0) var<storage, read> a: array<u32>;\n//"));
        assert!(numbered.contains("\n@group(0) @binding(1) var<storage, read_write> b : atomic<u32>;\nfn f() {}"));
        let binding = |name: &str, written| Binding { name: name.to_owned(), written };
        assert_eq!(table(&numbered), [binding("a", false), binding("b", true)]);
    }
}
