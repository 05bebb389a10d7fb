//! Transforms of SVG elements: affine maps of the plane.

use pliant::math::Vec2;
use pliant_plane::outline::curve::{Arc, Curve};
use svgtypes::{Error, TransformListParser, TransformListToken};

use super::super::drawing::Piece;
use super::numbers::{place, separated};

/// Sides that differ by less than this, relatively, make a map that keeps shapes.
const SIMILAR: f64 = 1e-9;

/// point ↦ x · point.x + y · point.y + by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Image of the first axis.
    x: Vec2,
    /// Image of the second axis.
    y: Vec2,
    /// Image of the origin, px.
    by: Vec2,
}

impl Affine {
    pub const IDENTITY: Affine = Affine { x: Vec2::X, y: Vec2::Y, by: Vec2::ZERO };

    fn vector(&self, v: Vec2) -> Vec2 {
        v.x * self.x + v.y * self.y
    }

    /// Where a point goes.
    pub fn point(&self, p: Vec2) -> Vec2 {
        self.vector(p) + self.by
    }

    /// This one after `inner`.
    pub fn after(&self, inner: &Affine) -> Affine {
        Affine { x: self.vector(inner.x), y: self.vector(inner.y), by: self.point(inner.by) }
    }

    /// Where a piece goes; curves keep their kind.
    pub fn piece(&self, piece: &Piece) -> Piece {
        match *piece {
            Piece::Line(to) => Piece::Line(self.point(to)),
            Piece::Curve(Curve::Quadratic(points)) => {
                Piece::Curve(Curve::Quadratic(points.map(|p| self.point(p))))
            }
            Piece::Curve(Curve::Cubic(points)) => {
                Piece::Curve(Curve::Cubic(points.map(|p| self.point(p))))
            }
            Piece::Curve(Curve::Arc(arc)) => Piece::Curve(Curve::Arc(Arc {
                centre: self.point(arc.centre),
                axes: arc.axes.map(|axis| self.vector(axis)),
                end: self.point(arc.end),
                ..arc
            })),
        }
    }

    /// How lengths grow; `None` when that depends on their direction.
    pub fn scale(&self) -> Option<f64> {
        let (x, y) = (self.x.length(), self.y.length());
        let similar =
            (x - y).abs() <= SIMILAR * x && self.x.dot(self.y).abs() <= SIMILAR * x * y && x > 0.0;
        similar.then_some(x)
    }
}

/// The map of a `transform` attribute, the first written applied last.
pub fn parse(text: &str) -> Result<Affine, String> {
    let mut all = Affine::IDENTITY;
    for token in TransformListParser::from(separated(text).as_str()) {
        all = all.after(&one(token.map_err(|error| fault(text, &error))?));
    }
    Ok(all)
}

/// What is wrong with an attribute: where the transform begins that cannot be read.
fn fault(text: &str, error: &Error) -> String {
    // Those that were read end with a bracket each.
    let before = text.get(..place(text, error)).unwrap_or("");
    let start = before.rfind(')').map_or(0, |end| end + 1);
    let rest = text[start..].trim_matches([' ', '\t', '\n', '\r', ',']);
    format!("transform “{text}” is not understood at “{rest}”")
}

/// One transform; functions of angles are taken here, the same on every platform.
fn one(token: TransformListToken) -> Affine {
    match token {
        TransformListToken::Matrix { a, b, c, d, e, f } => {
            Affine { x: Vec2::new(a, b), y: Vec2::new(c, d), by: Vec2::new(e, f) }
        }
        TransformListToken::Translate { tx, ty } => {
            Affine { by: Vec2::new(tx, ty), ..Affine::IDENTITY }
        }
        TransformListToken::Scale { sx, sy } => {
            Affine { x: sx * Vec2::X, y: sy * Vec2::Y, by: Vec2::ZERO }
        }
        TransformListToken::Rotate { angle } => {
            let x = Vec2::from_angle(angle.to_radians());
            Affine { x, y: x.perp(), by: Vec2::ZERO }
        }
        TransformListToken::SkewX { angle } => {
            Affine { y: Vec2::new(libm::tan(angle.to_radians()), 1.0), ..Affine::IDENTITY }
        }
        TransformListToken::SkewY { angle } => {
            Affine { x: Vec2::new(1.0, libm::tan(angle.to_radians())), ..Affine::IDENTITY }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, from: (f64, f64), to: (f64, f64)) {
        let found = parse(text).unwrap().point(Vec2::from(from));
        assert!(found.distance(Vec2::from(to)) < 1e-12, "{text}: {found}");
    }

    #[test]
    fn every_transform_moves_a_point_as_svg_says() {
        check("", (1.0, 2.0), (1.0, 2.0));
        check("translate(3)", (1.0, 2.0), (4.0, 2.0));
        check("translate(3,-1)", (1.0, 2.0), (4.0, 1.0));
        check("scale(2)", (1.0, 2.0), (2.0, 4.0));
        check("rotate(90)", (1.0, 0.0), (0.0, 1.0));
        check("rotate(90 1 1)", (1.0, 0.0), (2.0, 1.0));
        check("skewX(45)", (1.0, 2.0), (3.0, 2.0));
        check("skewY(45)", (1.0, 2.0), (1.0, 3.0));
        check("matrix(1 2 3 4 5 6)", (1.0, 1.0), (9.0, 12.0));
        check("translate(1,0) , scale(2)", (1.0, 0.0), (3.0, 0.0));
        check("scale(2)translate(1,0)", (1.0, 0.0), (4.0, 0.0));
        check(",scale(2 ,2,),,translate (1 , 0),", (1.0, 0.0), (4.0, 0.0));
        check("scale(2) rotate(90 1 1)", (1.0, 0.0), (4.0, 2.0));
    }

    #[test]
    fn only_maps_that_keep_shapes_have_a_scale() {
        assert!((parse("rotate(30) scale(3)").unwrap().scale().unwrap() - 3.0).abs() < 1e-12);
        for text in ["scale(1 2)", "skewX(3)", "scale(0)"] {
            assert_eq!(parse(text).unwrap().scale(), None, "{text}");
        }
    }

    #[test]
    fn faults_are_told() {
        for text in ["turn(3)", "rotate 3", "scale(1", "scale(1 2 3)", "translate(x)"] {
            assert!(parse(text).unwrap_err().contains("is not understood"), "{text}");
        }
        for (text, rest) in [
            ("scale(2), rotate(1 2) skewX(3)", "rotate(1 2) skewX(3)"),
            ("scale(2) scale(", "scale("),
            (" scale(2) é(3) ", "é(3)"),
            ("scale() scale(2)", "scale() scale(2)"),
        ] {
            let expected = format!("transform “{text}” is not understood at “{rest}”");
            assert_eq!(parse(text), Err(expected));
        }
    }
}
