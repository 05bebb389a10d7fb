//! The data of an SVG path: letters and numbers to lines and curves.

use pliant::math::Vec2;
use pliant_plane::outline::curve::{Arc, ArcShape, Curve};

use super::super::drawing::Piece;
use super::numbers::Numbers;

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
    let mut numbers = Numbers::new(data);
    let mut paths: Vec<Subpath> = Vec::new();
    let mut pen = Pen::default();
    let mut letter = None;
    let mut put_down = false;
    while let Some(next) = numbers.peek() {
        if next.is_ascii_alphabetic() {
            numbers.step();
            letter = Some(next);
        } else if let Some(b'z' | b'Z') | None = letter {
            return Err(format!("byte {} needs a letter such as L before it", numbers.at()));
        }
        let Some(now) = letter else { break };
        if paths.is_empty() && !now.eq_ignore_ascii_case(&b'm') {
            return Err(format!("it begins with “{}”, not with M", char::from(now)));
        }
        match now.to_ascii_lowercase() {
            b'm' => {
                pen = Pen { at: numbers.point(relative(now, pen.at))?, control: None };
                paths.push(Subpath { start: pen.at, pieces: vec![], closed: false });
                put_down = true;
                // Further pairs after a move are lines.
                letter = Some(if now == b'm' { b'l' } else { b'L' });
            }
            b'z' => {
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
                let piece = piece(now, &mut numbers, &mut pen)?;
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

/// What small letters count from.
fn relative(letter: u8, at: Vec2) -> Vec2 {
    if letter.is_ascii_lowercase() { at } else { Vec2::ZERO }
}

/// One drawing command; `None` for an arc between equal points.
fn piece(letter: u8, numbers: &mut Numbers<'_>, pen: &mut Pen) -> Result<Option<Piece>, String> {
    let (from, origin) = (pen.at, relative(letter, pen.at));
    let smooth = |degree: u8| match pen.control {
        Some((control, its)) if its == degree => 2.0 * from - control,
        _ => from,
    };
    let mut control = None;
    let piece = match letter.to_ascii_lowercase() {
        b'l' => Piece::Line(numbers.point(origin)?),
        b'h' => Piece::Line(Vec2::new(origin.x + numbers.number()?, from.y)),
        b'v' => Piece::Line(Vec2::new(from.x, origin.y + numbers.number()?)),
        command @ (b'c' | b's') => {
            let first = if command == b's' { smooth(3) } else { numbers.point(origin)? };
            let second = numbers.point(origin)?;
            control = Some((second, 3));
            Piece::Curve(Curve::Cubic([from, first, second, numbers.point(origin)?]))
        }
        command @ (b'q' | b't') => {
            let middle = if command == b't' { smooth(2) } else { numbers.point(origin)? };
            control = Some((middle, 2));
            Piece::Curve(Curve::Quadratic([from, middle, numbers.point(origin)?]))
        }
        b'a' => {
            let radii = numbers.point(Vec2::ZERO)?;
            let rotation = numbers.number()?.to_radians();
            let (large, positive) = (numbers.flag()?, numbers.flag()?);
            let to = numbers.point(origin)?;
            match Arc::between(from, to, ArcShape { radii, rotation, large, positive }) {
                Some(arc) => Piece::Curve(Curve::Arc(arc)),
                None if from == to => return Ok(None),
                None => Piece::Line(to),
            }
        }
        _ => {
            let letter = char::from(letter);
            return Err(format!("“{letter}” before byte {} is no command", numbers.at()));
        }
    };
    *pen = Pen { at: piece.end(), control };
    Ok(Some(piece))
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
        ] {
            let told = parse(data).unwrap_err();
            assert!(told.contains(expected), "{data}: {told}");
        }
        assert_eq!(parse("  "), Ok(vec![]));
    }
}
