//! What tests of figures share: an SVG is parsed, and where its text stands is known.

use std::sync::Arc;

use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Group, Node, Options, Tree};

/// How far two boxes of text may reach into each other, pixels: letters leave that free in their boxes.
const SLACK: f64 = 1.0;

/// A text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// What it says.
    pub text: String,
    /// Left, upper, right and lower end, pixels of the PNG.
    pub place: [f64; 4],
}

/// A parsed figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// Width and height, pixels of the PNG.
    pub size: [f64; 2],
    /// Its texts, in the order in which they are drawn.
    pub texts: Vec<Text>,
}

impl Drawn {
    /// Parses an SVG of Hematite, which has two pixels a unit.
    ///
    /// # Panics
    /// Where it is no SVG.
    pub fn of(svg: &str) -> Self {
        let mut fonts = Database::new();
        fonts.load_font_source(Source::Binary(Arc::new(dejavu::sans::regular())));
        let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
        let tree = Tree::from_str(svg, &options).unwrap_or_else(|error| panic!("{error}: {svg}"));
        let mut texts = Vec::new();
        collect(tree.root(), &mut texts);
        Self { size: [tree.size().width(), tree.size().height()].map(|x| 2.0 * f64::from(x)), texts }
    }

    /// Whether some text is this one.
    pub fn says(&self, text: &str) -> bool {
        self.texts.iter().any(|found| found.text == text)
    }

    /// Checks that text stays on the page and that none covers another.
    ///
    /// # Panics
    /// Where that is not so.
    pub fn is_sound(&self) {
        let [width, height] = self.size;
        for (i, text) in self.texts.iter().enumerate() {
            let [left, top, right, bottom] = text.place;
            let inside = left >= -0.01 && top >= -0.01 && right <= width + 0.01 && bottom <= height + 0.01;
            assert!(inside, "{text:?} leaves the page of {width} x {height}");
            for other in &self.texts[..i] {
                let apart = |k: usize| {
                    text.place[k] + SLACK >= other.place[k + 2] || other.place[k] + SLACK >= text.place[k + 2]
                };
                assert!(apart(0) || apart(1), "{text:?} covers {other:?}");
            }
        }
    }
}

fn collect(group: &Group, texts: &mut Vec<Text>) {
    for node in group.children() {
        match node {
            Node::Group(inner) => collect(inner, texts),
            Node::Text(text) => {
                let b = text.abs_bounding_box();
                let place = [b.left(), b.top(), b.right(), b.bottom()].map(|x| 2.0 * f64::from(x));
                let said = text.chunks().iter().map(|chunk| chunk.text()).collect();
                texts.push(Text { text: said, place });
            }
            _ => {}
        }
    }
}
