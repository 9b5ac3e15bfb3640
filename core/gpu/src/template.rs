//! WGSL templates: minijinja, with delimiters that keep WGSL readable.
//!
//! A line that starts with `#` is a statement (`#for p in pairs`, `#if odd`, `#endfor`). `${p.i}` is replaced by its
//! value. `#include "name.wgsl"` inserts another template.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value};

use crate::binding;

/// A named WGSL template, usually from `include_str!`.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// Its file name, shown in errors.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// Renders `template` with `context`; `shared` holds the templates that it may include. Numbers the declarations of
/// storage buffers, `var<storage, read> name: type;` or `read_write`, one a line.
///
/// # Panics
/// When the template is wrong, which is a bug of the program that the tests of all permutations catch.
pub fn render(template: Template, shared: &[Template], context: &Value) -> String {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder()
        .line_statement_prefix("#")
        .variable_delimiters("${", "}")
        .block_delimiters("#{%", "%}")
        .comment_delimiters("#{*", "*}")
        .build();
    let outcome = syntax.and_then(|syntax| {
        environment.set_syntax(syntax);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_trim_blocks(true);
        environment.set_keep_trailing_newline(true);
        for piece in shared.iter().chain([&template]) {
            environment.add_template(piece.name, piece.text)?;
        }
        environment.get_template(template.name)?.render(context)
    });
    binding::number(&outcome.unwrap_or_else(|error| panic!("{}: {error:#}", template.name)))
}

/// `value` as a WGSL literal: the shortest text that reads back as the same f64.
pub fn literal(value: f64) -> String {
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_and_values_expand() {
        let template = Template { name: "t", text: "#for i in [1, 2]\nlet f${i} = a[${i}u];\n#endfor\nend\n" };
        assert_eq!(render(template, &[], &Value::from(())), "let f1 = a[1u];\nlet f2 = a[2u];\nend\n");
    }
}
