//! SVG: paths and basic shapes, where their transforms put them.
//!
//! Closed paths are regions, whatever their paint: drawings of parts often have lines only.
//! Open ones are lines with their stroke's width where they are not filled. The view box is
//! not applied and y points down, as in the file.

use pliant::math::Vec2;
use pliant_plane::outline::curve::{Arc, Curve};
use roxmltree::{Document, Node, ParsingOptions};

use super::drawing::{Drawing, Feature, Fill, Kind, Path, Piece, YAxis};

mod numbers;

mod path;

mod style;

mod transform;

use numbers::{length, points};
use path::Subpath;
use style::{Paint, Sheet};
use transform::Affine;

/// Elements that hold others and show them.
const GROUPS: [&str; 4] = ["svg", "g", "a", "switch"];

/// Elements that show nothing where they stand.
const SILENT: [&str; 17] = [
    "defs",
    "symbol",
    "clipPath",
    "mask",
    "marker",
    "pattern",
    "linearGradient",
    "radialGradient",
    "style",
    "title",
    "desc",
    "metadata",
    "filter",
    "script",
    "namedview",
    "view",
    "cursor",
];

/// Deepest group in a group.
const DEEPEST: usize = 256;

/// Reads all shapes, each a feature of its own with its `id` as name.
pub fn parse(text: &str) -> Result<Drawing, String> {
    // Each node takes a byte at least; the limit holds back what entities would multiply.
    let nodes_limit = text.len().min(u32::MAX as usize) as u32;
    let options = ParsingOptions { allow_dtd: true, nodes_limit, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| format!("not SVG: {error}"))?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Err(format!("the outermost element is <{}>, not <svg>", root.tag_name().name()));
    }
    let mut reader = Reader { sheet: Sheet::new(&document), ..Reader::default() };
    reader.drawing.upright = YAxis::Down;
    reader.element(root, &Affine::IDENTITY, &Paint::default(), 0)?;
    let Reader { mut drawing, mut passed, hidden, .. } = reader;
    passed.sort_unstable();
    for same in passed.chunk_by(|a, b| a == b) {
        let (name, count) = (&same[0], same.len());
        drawing.notices.push(format!("<{name}> is not read: {count} left out"));
    }
    if hidden > 0 {
        drawing.notices.push(format!("{hidden} hidden elements are left out"));
    }
    Ok(drawing)
}

#[derive(Default)]
struct Reader {
    sheet: Sheet,
    drawing: Drawing,
    /// Names of elements that are not read.
    passed: Vec<String>,
    /// Elements that are not shown.
    hidden: usize,
}

impl Reader {
    fn element(
        &mut self,
        node: Node<'_, '_>,
        around: &Affine,
        paint: &Paint,
        depth: usize,
    ) -> Result<(), String> {
        let name = node.tag_name().name();
        if depth > DEEPEST {
            return Err(format!("{}: groups are more than {DEEPEST} deep", place(node)));
        }
        let paint = self.sheet.paint(node, paint);
        let own = transform::parse(node.attribute("transform").unwrap_or(""))
            .map_err(|fault| format!("{}: {fault}", place(node)))?;
        let map = around.after(&own);
        if GROUPS.contains(&name) {
            let elements = node.children().filter(Node::is_element);
            // Other programs' own data stands in other name spaces.
            let elements = elements
                .filter(|inner| inner.tag_name().namespace() == node.tag_name().namespace());
            for inner in elements {
                self.element(inner, &map, &paint, depth + 1)?;
            }
            return Ok(());
        }
        if SILENT.contains(&name) {
            return Ok(());
        }
        let strokes = shape(node).map_err(|fault| format!("{}: {fault}", place(node)))?;
        let Some(strokes) = strokes else {
            self.passed.push(name.to_string());
            return Ok(());
        };
        if !paint.shown {
            self.hidden += 1;
            return Ok(());
        }
        let radius = self.radius(node, &paint, &map)?;
        self.add(node, &paint, &map, &strokes, radius);
        Ok(())
    }

    fn add(
        &mut self,
        node: Node<'_, '_>,
        paint: &Paint,
        map: &Affine,
        strokes: &[Subpath],
        radius: Option<f64>,
    ) {
        let fill = if paint.even_odd { Fill::EvenOdd } else { Fill::NonZero };
        let names = node.attribute("id").map(str::to_string).into_iter().collect();
        let mut feature = Feature { names, fill, ..Feature::default() };
        for (number, Subpath { start, pieces, closed }) in strokes.iter().enumerate() {
            let kind = match (closed, node.tag_name().name()) {
                (true, _) => Kind::Ring,
                (false, "line") => Kind::Line { radius },
                (false, _) if paint.filled => Kind::Filled,
                (false, _) => Kind::Line { radius },
            };
            feature.paths.push(Path {
                place: format!("{}, ring {number}", place(node)),
                start: map.point(*start),
                pieces: pieces.iter().map(|piece| map.piece(piece)).collect(),
                kind,
            });
        }
        self.drawing.features.push(feature);
    }

    /// Half the thickness of an element's line; `None` where it has none.
    fn radius(
        &mut self,
        node: Node<'_, '_>,
        paint: &Paint,
        map: &Affine,
    ) -> Result<Option<f64>, String> {
        let width = match &paint.width {
            Some(width) => length(width).map_err(|fault| format!("{}: {fault}", place(node)))?,
            None if paint.stroked => 1.0,
            None => return Ok(None),
        };
        // A stroke that is thicker one way than the other is none of a round pen.
        let scale = map.scale();
        Ok(scale.map(|scale| 0.5 * scale * width).filter(|&radius| radius > 0.0))
    }
}

/// An element as messages name it.
fn place(node: Node<'_, '_>) -> String {
    let name = node.tag_name().name();
    let line = node.document().text_pos_at(node.range().start).row;
    match node.attribute("id") {
        Some(id) => format!("<{name} id=\"{id}\"> in line {line}"),
        None => format!("<{name}> in line {line}"),
    }
}

/// The strokes of a shape; `None` for an element that is none.
fn shape(node: Node<'_, '_>) -> Result<Option<Vec<Subpath>>, String> {
    let number = |name: &str| node.attribute(name).map_or(Ok(0.0), length);
    let pair = |x: &str, y: &str| Ok::<Vec2, String>(Vec2::new(number(x)?, number(y)?));
    let strokes = match node.tag_name().name() {
        "path" => path::parse(node.attribute("d").unwrap_or(""))
            .map_err(|fault| format!("its data `d` is damaged: {fault}"))?,
        "rect" => rectangle(node)?,
        "circle" => ellipse(pair("cx", "cy")?, Vec2::splat(number("r")?)),
        "ellipse" => ellipse(pair("cx", "cy")?, pair("rx", "ry")?),
        "line" => {
            let (start, end) = (pair("x1", "y1")?, pair("x2", "y2")?);
            vec![Subpath { start, pieces: vec![Piece::Line(end)], closed: false }]
        }
        name @ ("polygon" | "polyline") => {
            let points = points(node.attribute("points").unwrap_or(""))
                .map_err(|fault| format!("its points: {fault}"))?;
            let closed = name == "polygon" || (points.len() > 3 && points.first() == points.last());
            let Some((&start, rest)) = points.split_first() else { return Ok(Some(vec![])) };
            let pieces = rest.iter().map(|&point| Piece::Line(point)).collect();
            vec![Subpath { start, pieces, closed }]
        }
        _ => return Ok(None),
    };
    Ok(Some(strokes))
}

fn ellipse(centre: Vec2, radii: Vec2) -> Vec<Subpath> {
    if radii.min_element() <= 0.0 {
        return vec![]; // SVG shows nothing.
    }
    let arc = Arc::ellipse(centre, radii);
    vec![Subpath { start: arc.end, pieces: vec![Piece::Curve(Curve::Arc(arc))], closed: true }]
}

/// A rectangle, with rounded corners where specified.
fn rectangle(node: Node<'_, '_>) -> Result<Vec<Subpath>, String> {
    let number =
        |name: &str| node.attribute(name).filter(|text| *text != "auto").map(length).transpose();
    let corner = Vec2::new(number("x")?.unwrap_or(0.0), number("y")?.unwrap_or(0.0));
    let size = Vec2::new(number("width")?.unwrap_or(0.0), number("height")?.unwrap_or(0.0));
    if size.min_element() <= 0.0 {
        return Ok(vec![]); // SVG shows nothing.
    }
    let (rx, ry) = (number("rx")?, number("ry")?);
    let radii = Vec2::new(rx.or(ry).unwrap_or(0.0), ry.or(rx).unwrap_or(0.0));
    let radii = radii.max(Vec2::ZERO).min(0.5 * size);
    let to = corner + size;
    if radii.min_element() <= 0.0 {
        let rest = [Vec2::new(to.x, corner.y), to, Vec2::new(corner.x, to.y)];
        return Ok(vec![Subpath {
            start: corner,
            pieces: rest.map(Piece::Line).to_vec(),
            closed: true,
        }]);
    }
    let Vec2 { x: rx, y: ry } = radii;
    let arc = |end: Vec2| format!("A{rx} {ry} 0 0 1 {} {}", end.x, end.y);
    let data = format!(
        "M{} {}H{}{}V{}{}H{}{}V{}{}Z",
        corner.x + rx,
        corner.y,
        to.x - rx,
        arc(Vec2::new(to.x, corner.y + ry)),
        to.y - ry,
        arc(Vec2::new(to.x - rx, to.y)),
        corner.x + rx,
        arc(Vec2::new(corner.x, to.y - ry)),
        corner.y + ry,
        arc(Vec2::new(corner.x + rx, corner.y)),
    );
    path::parse(&data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(inner: &str) -> Result<Drawing, String> {
        parse(&format!("<svg xmlns='http://www.w3.org/2000/svg'>{inner}</svg>"))
    }

    fn kinds(inner: &str) -> Vec<Kind> {
        let drawing = read(inner).unwrap();
        drawing.features.iter().flat_map(|f| &f.paths).map(|path| path.kind).collect()
    }

    #[test]
    fn shapes_are_rings_and_open_ones_lines() {
        let line = |radius: f64| Kind::Line { radius: Some(radius) };
        assert_eq!(kinds("<rect width='2' height='1'/>"), [Kind::Ring]);
        assert_eq!(kinds("<rect width='2' height='1' rx='.2'/>"), [Kind::Ring]);
        assert_eq!(kinds("<circle r='1'/><ellipse rx='1' ry='2'/>"), [Kind::Ring; 2]);
        assert_eq!(kinds("<polygon points='0,0 1,0 1 1'/>"), [Kind::Ring]);
        assert_eq!(kinds("<polyline points='0,0 1,0 1 1'/>"), [Kind::Filled]);
        assert_eq!(kinds("<path d='M0 0h1v1' fill='none' stroke='#000'/>"), [line(0.5)]);
        assert_eq!(
            kinds("<g transform='scale(2)'><line x2='1' stroke-width='3'/></g>"),
            [line(3.0)]
        );
        assert_eq!(kinds("<line x2='1'/>"), [Kind::Line { radius: None }]);
        assert_eq!(kinds("<path d='M0 0h1v1z' fill='none' stroke='red'/>"), [Kind::Ring]);
        assert_eq!(kinds("<circle r='0'/><rect/><polygon points=''/><path/>"), []);
    }

    #[test]
    fn groups_move_what_they_hold() {
        let drawing = read(
            "<g transform='translate(10 0)'><g transform='scale(2)'>\
             <rect id='box' x='1' y='1' width='1' height='1'/></g></g>",
        );
        let feature = &drawing.unwrap().features[0];
        assert_eq!(feature.names, ["box"]);
        assert_eq!(feature.paths[0].start, Vec2::new(12.0, 2.0));
    }

    #[test]
    fn what_is_not_read_is_noticed() {
        let drawing = read(
            "<defs><circle r='1'/></defs><use href='#x'/><text>a</text><use href='#y'/>\
             <rect width='1' height='1' display='none'/>",
        )
        .unwrap();
        assert!(drawing.features.is_empty());
        assert_eq!(
            drawing.notices,
            [
                "<text> is not read: 1 left out",
                "<use> is not read: 2 left out",
                "1 hidden elements are left out"
            ]
        );
    }

    #[test]
    fn faults_are_told_with_element_and_line() {
        for (inner, expected) in [
            (
                "\n<path id='p' d='M0 0 L1'/>",
                "<path id=\"p\"> in line 2: its data `d` is damaged: byte 7",
            ),
            ("<rect width='3em' height='1'/>", "<rect> in line 1: “3em” has a unit"),
            ("<polygon points='0 0 1'/>", "its points: byte 5"),
            ("<g transform='spin(3)'/>", "<g> in line 1: transform “spin(3)”"),
            ("<g>", "not SVG"),
            (&"<g>".repeat(1000), "not SVG"),
            (&("<g>".repeat(300) + &"</g>".repeat(300)), "256 deep"),
        ] {
            let told = read(inner).unwrap_err();
            assert!(told.contains(expected), "{told}");
        }
        assert!(parse("<html/>").unwrap_err().contains("<html>"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_in_words(
            text in "[MLHVCSQTAZmlhvcsqtaz0-2eE.,+é# ()-]{0,40}|(scale|rotate|\\(|\\)|[0-9., é]){0,9}"
        ) {
            for fault in [
                path::parse(&text).err(),
                path::parse(&format!("M0 0{text}")).err(),
                transform::parse(&text).err(),
                points(&text).err(),
                length(&text).err(),
            ] {
                prop_assert!(fault.is_none_or(|words| words.len() > 10));
            }
        }
    }
}
