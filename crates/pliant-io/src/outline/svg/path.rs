//! The data of an SVG path: letters and numbers to lines and curves.

use pliant::math::Vec2;
use pliant_plane::outline::curve::{Arc, ArcShape, Curve};
use svgtypes::{Error, PathParser, PathSegment};

use super::super::drawing::Piece;
use super::numbers::{place, separated};

/// One stroke of the pen, from where it was put down.
#[derive(Clone, Debug, PartialEq)]
pub struct Subpath {
    /// First point, user unit.
    pub start: Vec2,
    /// What follows.
    pub pieces: Vec<Piece>,
    /// Whether it says that it closes, or ends where it began.
    pub closed: bool,
}

/// The pen while a path is drawn.
#[derive(Clone, Copy, Debug, Default)]
struct Pen {
    /// Where it is, user unit.
    at: Vec2,
    /// Control point that a smooth curve continues, user unit, and the degree of its curve.
    control: Option<(Vec2, u8)>,
}

/// All strokes of a path's data; those without a piece are left out.
pub fn parse(data: &str) -> Result<Vec<Subpath>, String> {
    let mut paths: Vec<Subpath> = Vec::new();
    let mut pen = Pen::default();
    let mut put_down = false;
    let data = separated(data);
    for segment in PathParser::from(data.as_str()) {
        let segment = segment.map_err(|error| fault(&data, &error))?;
        match segment {
            PathSegment::MoveTo { x, y, .. } => {
                pen = Pen { at: origin(&segment, pen) + Vec2::new(x, y), control: None };
                paths.push(Subpath { start: pen.at, pieces: vec![], closed: false });
                put_down = true;
            }
            PathSegment::ClosePath { .. } => {
                if let Some(path) = paths.last_mut() {
                    path.closed = true;
                    pen = Pen { at: path.start, control: None };
                    put_down = false;
                }
            }
            _ => {
                if !put_down {
                    // Drawing on after a close begins where the closed path did.
                    paths.push(Subpath { start: pen.at, pieces: vec![], closed: false });
                    put_down = true;
                }
                let piece = piece(&segment, &mut pen);
                if let Some(path) = paths.last_mut() {
                    path.pieces.extend(piece);
                }
            }
        }
    }
    paths.retain(|path| !path.pieces.is_empty());
    for path in &mut paths {
        path.closed |= path.pieces.last().is_some_and(|last| last.end() == path.start);
    }
    Ok(paths)
}

/// What is wrong with a path's data, and at which byte.
fn fault(data: &str, error: &Error) -> String {
    let at = place(data, error);
    let (read, rest) = data.split_at_checked(at).unwrap_or((data, ""));
    if lacks_flag(read) {
        return format!("byte {at} should be a flag, 0 or 1");
    }
    let last = read.trim_end().chars().next_back();
    match (error, last, rest.chars().next()) {
        (Error::UnexpectedData(_), last, Some(letter)) if letter.is_ascii_alphabetic() => {
            match last {
                None => format!("it begins with “{letter}”, not with M"),
                Some(_) => format!("“{letter}” before byte {} is no command", at + 1),
            }
        }
        (Error::UnexpectedData(_), None | Some('z' | 'Z'), _) => {
            format!("byte {at} needs a letter such as L before it")
        }
        _ => format!("byte {at} should begin a number"),
    }
}

/// Whether a path's data break off where a flag should follow.
fn lacks_flag(data: &str) -> bool {
    let is_whole = PathParser::from(data).all(|segment| segment.is_ok());
    // No number, letter or flag: the parser says which of them it misses.
    let broken = format!("{data}#");
    let last = PathParser::from(broken.as_str()).last();
    !is_whole && matches!(last, Some(Err(Error::UnexpectedData(_))))
}

/// What the numbers of a segment count from.
fn origin(segment: &PathSegment, pen: Pen) -> Vec2 {
    if segment.is_abs() { Vec2::ZERO } else { pen.at }
}

/// What a segment draws; `None` for an arc between equal points, and for what draws nothing.
fn piece(segment: &PathSegment, pen: &mut Pen) -> Option<Piece> {
    let (from, origin) = (pen.at, origin(segment, *pen));
    let point = |x: f64, y: f64| origin + Vec2::new(x, y);
    let smooth = |degree: u8| match pen.control {
        Some((control, its)) if its == degree => 2.0 * from - control,
        _ => from,
    };
    let cubic = |first: Vec2, second: Vec2, to: Vec2| {
        (Piece::Curve(Curve::Cubic([from, first, second, to])), Some((second, 3)))
    };
    let quadratic = |middle: Vec2, to: Vec2| {
        (Piece::Curve(Curve::Quadratic([from, middle, to])), Some((middle, 2)))
    };
    let (piece, control) = match *segment {
        PathSegment::MoveTo { .. } | PathSegment::ClosePath { .. } => return None,
        PathSegment::LineTo { x, y, .. } => (Piece::Line(point(x, y)), None),
        PathSegment::HorizontalLineTo { x, .. } => {
            (Piece::Line(Vec2::new(origin.x + x, from.y)), None)
        }
        PathSegment::VerticalLineTo { y, .. } => {
            (Piece::Line(Vec2::new(from.x, origin.y + y)), None)
        }
        PathSegment::CurveTo { x1, y1, x2, y2, x, y, .. } => {
            cubic(point(x1, y1), point(x2, y2), point(x, y))
        }
        PathSegment::SmoothCurveTo { x2, y2, x, y, .. } => {
            cubic(smooth(3), point(x2, y2), point(x, y))
        }
        PathSegment::Quadratic { x1, y1, x, y, .. } => quadratic(point(x1, y1), point(x, y)),
        PathSegment::SmoothQuadratic { x, y, .. } => quadratic(smooth(2), point(x, y)),
        PathSegment::EllipticalArc { rx, ry, x_axis_rotation, large_arc, sweep, x, y, .. } => {
            let (radii, to) = (Vec2::new(rx, ry), point(x, y));
            let rotation = x_axis_rotation.to_radians();
            let shape = ArcShape { radii, rotation, large: large_arc, positive: sweep };
            match Arc::between(from, to, shape) {
                Some(arc) => (Piece::Curve(Curve::Arc(arc)), None),
                None if from == to => return None,
                None => (Piece::Line(to), None),
            }
        }
    };
    *pen = Pen { at: piece.end(), control };
    Some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(data: &str) -> Vec<Vec<(f64, f64)>> {
        let ends = |path: &Subpath| {
            let start = std::iter::once(path.start);
            start.chain(path.pieces.iter().map(Piece::end)).map(Into::into).collect()
        };
        parse(data).unwrap().iter().map(ends).collect()
    }

    #[test]
    fn lines_are_read_in_all_spellings() {
        let square = vec![vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]];
        for data in [
            "M0 0L1 0L1 1L0 1Z",
            "M0,0 1,0 1,1 0,1z",
            "m0 0 1 0 0 1-1 0z",
            "M0 0H1V1H0Z",
            "M 0 0 h 1 v 1 h -1 z",
            "M0-0h+1v1.0h-1e0Z",
        ] {
            assert_eq!(ends(data), square, "{data}");
        }
        assert_eq!(ends("M.5.5.5-1"), [[(0.5, 0.5), (0.5, -1.0)]]);
    }

    #[test]
    fn drawing_on_after_a_close_begins_at_its_start() {
        let found = ends("M1 1h1v1zl0 5m1 1h1M9 9");
        let first = vec![(1.0, 1.0), (2.0, 1.0), (2.0, 2.0)];
        assert_eq!(found[0], first);
        assert_eq!(found[1..], [[(1.0, 1.0), (1.0, 6.0)], [(2.0, 7.0), (3.0, 7.0)]]);
    }

    #[test]
    fn smooth_curves_mirror_the_control_point_before() {
        let cubic = parse("M0 0c1 2 3 2 4 0s3-2 4 0").unwrap();
        let [Vec2::ZERO, b, c, d] =
            [(0.0, 0.0), (5.0, -2.0), (7.0, -2.0), (8.0, 0.0)].map(Vec2::from)
        else {
            panic!()
        };
        let a = Vec2::new(4.0, 0.0);
        assert_eq!(cubic[0].pieces[1], Piece::Curve(Curve::Cubic([a, b, c, d])));
        let quadratic = parse("M0 0Q1 2 2 0T4 0T6 0").unwrap();
        let [a, b, c] = [(4.0, 0.0), (5.0, 2.0), (6.0, 0.0)].map(Vec2::from);
        assert_eq!(quadratic[0].pieces[2], Piece::Curve(Curve::Quadratic([a, b, c])));
        // After a line there is nothing to mirror.
        let plain = parse("M0 0L1 1T3 1").unwrap();
        let [a, b] = [(1.0, 1.0), (3.0, 1.0)].map(Vec2::from);
        assert_eq!(plain[0].pieces[1], Piece::Curve(Curve::Quadratic([a, a, b])));
    }

    #[test]
    fn arc_flags_need_no_space() {
        let spaced = parse("M1 0A1 1 0 0 1 0 1").unwrap();
        assert_eq!(parse("M1 0a1 1 0 01-1 1").unwrap(), spaced);
        assert!(matches!(spaced[0].pieces[0], Piece::Curve(Curve::Arc(_))));
        assert_eq!(ends("M1 0A0 1 0 0 1 0 1"), [[(1.0, 0.0), (0.0, 1.0)]]);
        assert_eq!(ends("M1 0A1 1 0 0 1 1 0"), Vec::<Vec<(f64, f64)>>::new());
    }

    #[test]
    fn commas_may_stand_wherever_spaces_may() {
        let spaced = parse("M1 0A1 1 0 0 1 0 1Z M2 2 L3 3");
        assert_eq!(parse("M1 , 0 A1 , 1 , 0 , 0 , 1 , 0 , 1 Z , M2,2, L3,3"), spaced);
        assert_eq!(parse(",M,1,,0A1,1,0,0,1,0,1Z,M2,2,L3,3,"), spaced);
    }

    #[test]
    fn faults_are_told_with_their_byte() {
        for (data, expected) in [
            ("L1 1", "begins with “L”"),
            ("M0 0 L1", "byte 7"),
            ("M0 0 1 1 Z 3 3", "byte 11 needs a letter"),
            ("M0 0 X1", "“X” before byte 6"),
            ("M0 0 A1 1 0 2 1 3 3", "byte 12"),
            ("M0 0 L1 é", "byte 8"),
            ("5 5", "byte 0"),
            ("M1e999 0", "byte 1"),
            ("M0 0 L1 2e", "byte 8 should begin a number"),
            ("M0 0,,L,1,,#", "byte 11 should begin a number"),
            ("M0 0 A1 1 0", "byte 11 should be a flag"),
            ("M0 0 A1 1 0 X", "byte 12 should be a flag"),
            ("M0 0 A1 1 0 0 1 3 3 X", "“X” before byte 21"),
            ("M0 0 A1 1 0 0 1 3 é", "byte 18 should begin a number"),
        ] {
            let reported = parse(data).unwrap_err();
            assert!(reported.contains(expected), "{data}: {reported}");
        }
        assert_eq!(parse("  "), Ok(vec![]));
    }
}
