//! Well-known text: one geometry after another, each a feature of its own.

use pliant::math::Vec2;

use super::drawing::{Drawing, Feature, Kind, Path};

/// Deepest collection in a collection.
const DEEPEST: usize = 32;

/// Reads all geometries of a text.
///
/// A line that ends where it begins is a ring, as many programs write polygons so.
pub fn parse(text: &str) -> Result<Drawing, String> {
    let mut words = Words { text, at: 0 };
    let mut drawing = Drawing::default();
    while words.peek().is_some() {
        let mut feature = Feature::default();
        let place = format!("geometry {}", drawing.features.len());
        words.geometry(&place, &mut feature, &mut drawing.notices, 0)?;
        drawing.features.push(feature);
        words.take(&[';', ',']);
    }
    Ok(drawing)
}

/// The text from a place on.
struct Words<'a> {
    text: &'a str,
    /// Bytes read so far.
    at: usize,
}

impl<'a> Words<'a> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    /// Steps over one of these signs.
    fn take(&mut self, signs: &[char]) -> bool {
        let next = self.peek().filter(|next| signs.contains(next));
        self.at += next.map_or(0, char::len_utf8);
        next.is_some()
    }

    fn expect(&mut self, sign: char, place: &str) -> Result<(), String> {
        if self.take(&[sign]) {
            return Ok(());
        }
        let found = self.peek().map_or("the end".to_string(), |found| format!("“{found}”"));
        Err(format!("{place}: “{sign}” is missing at byte {}, where {found} stands", self.at))
    }

    fn word(&mut self) -> &'a str {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn geometry(
        &mut self,
        place: &str,
        feature: &mut Feature,
        notices: &mut Vec<String>,
        depth: usize,
    ) -> Result<(), String> {
        let mut kind = self.word().to_ascii_uppercase();
        if kind == "SRID" && self.take(&['=']) {
            self.word();
            self.take(&[';']);
            kind = self.word().to_ascii_uppercase();
        }
        // A letter after the kind announces heights, which are ignored.
        let mut next = self.at;
        if matches!(self.word().to_ascii_uppercase().as_str(), "Z" | "M" | "ZM") {
            next = self.at;
        }
        self.at = next;
        if self.word().eq_ignore_ascii_case("EMPTY") {
            notices.push(format!("{place} is empty"));
            return Ok(());
        }
        self.at = next;
        let line = Kind::Line { radius: None };
        match kind.trim_end_matches('Z').trim_end_matches('M') {
            "POLYGON" => self.lists(1, place, "ring", &mut |p, v| add(feature, p, v, Kind::Ring)),
            "TRIANGLE" | "MULTIPOLYGON" | "LINEARRING" => {
                let depth = ["LINEARRING", "TRIANGLE", "MULTIPOLYGON"];
                let depth = depth.iter().position(|name| kind.starts_with(name)).unwrap_or(2);
                self.lists(depth, place, "part", &mut |p, v| add(feature, p, v, Kind::Ring))
            }
            "LINESTRING" => self.lists(0, place, "line", &mut |p, v| add(feature, p, v, line)),
            "MULTILINESTRING" => self.lists(1, place, "line", &mut |p, v| add(feature, p, v, line)),
            "POINT" | "MULTIPOINT" => {
                notices.push(format!("{place} is a {kind}: left out"));
                self.skip(place)
            }
            "GEOMETRYCOLLECTION" if depth < DEEPEST => {
                self.expect('(', place)?;
                for number in 0.. {
                    let place = format!("{place}, part {number}");
                    self.geometry(&place, feature, notices, depth + 1)?;
                    if !self.take(&[',']) {
                        break;
                    }
                }
                self.expect(')', place)
            }
            _ => Err(format!(
                "{place} begins with “{kind}” before byte {}, which is no WKT polygon or line",
                self.at
            )),
        }
    }

    /// Lists of points, nested so deep.
    fn lists(
        &mut self,
        depth: usize,
        place: &str,
        called: &str,
        add: &mut impl FnMut(String, &[Vec2]),
    ) -> Result<(), String> {
        if depth == 0 {
            let points = self.points(place)?;
            add(place.to_string(), &points);
            return Ok(());
        }
        self.expect('(', place)?;
        for number in 0.. {
            self.lists(depth - 1, &format!("{place}, {called} {number}"), "ring", add)?;
            if !self.take(&[',']) {
                break;
            }
        }
        self.expect(')', place)
    }

    fn points(&mut self, place: &str) -> Result<Vec<Vec2>, String> {
        self.expect('(', place)?;
        let mut points = Vec::new();
        loop {
            let at = self.at;
            let numbers: Vec<f64> = std::iter::from_fn(|| self.number()).collect();
            if !(2..=4).contains(&numbers.len()) {
                let point = points.len();
                let count = numbers.len();
                return Err(format!(
                    "point {point} of {place}, at byte {at}, has {count} numbers, not two"
                ));
            }
            points.push(Vec2::new(numbers[0], numbers[1]));
            if !self.take(&[',']) {
                break;
            }
        }
        self.expect(')', place)?;
        Ok(points)
    }

    fn number(&mut self) -> Option<f64> {
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
        let word = &rest[..end.unwrap_or(rest.len())];
        let number = word.parse::<f64>().ok().filter(|number| number.is_finite())?;
        self.at += word.len();
        Some(number)
    }

    /// Steps over one pair of brackets and all within.
    fn skip(&mut self, place: &str) -> Result<(), String> {
        self.expect('(', place)?;
        let mut open = 1;
        for (at, sign) in self.text[self.at..].char_indices() {
            open += usize::from(sign == '(');
            open -= usize::from(sign == ')');
            if open == 0 {
                self.at += at + 1;
                return Ok(());
            }
        }
        Err(format!("{place}: “)” is missing at the end"))
    }
}

fn add(feature: &mut Feature, place: String, points: &[Vec2], kind: Kind) {
    let closed = points.len() > 3 && points.first() == points.last();
    let kind = if closed && kind != Kind::Ring { Kind::Filled } else { kind };
    feature.paths.extend(Path::straight(place, points, kind));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(usize, Kind)]) {
        let drawing = parse(text).unwrap();
        let paths = drawing.features.iter().flat_map(|feature| &feature.paths);
        let found: Vec<_> = paths.map(|path| (path.pieces.len() + 1, path.kind)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_geometry_gives_its_paths() {
        let line = Kind::Line { radius: None };
        check("POLYGON((0 0,1 0,0 1,0 0),(0 0,1 1,2 2))", &[(4, Kind::Ring), (3, Kind::Ring)]);
        check(
            "MultiPolygon Z (((0 0 1,1 0 1,0 1 1)),((5 5 1,6 5 1,5 6 1)))",
            &[(3, Kind::Ring); 2],
        );
        check("LINESTRING (0 0, 1e-1 -2.5)", &[(2, line)]);
        check("linestring(0 0,1 0,0 1,0 0)", &[(4, Kind::Filled)]);
        check("MULTILINESTRING((0 0,1 0),(2 2,3 3,4 4))", &[(2, line), (3, line)]);
        check("SRID=4326;POINT(1 2) POLYGON EMPTY", &[]);
        check("GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))", &[(2, line)]);
    }

    #[test]
    fn faults_are_told_with_byte_and_place() {
        for (text, expected) in [
            ("POLYGON((0 0,1,2 2))", "point 1 of geometry 0, ring 0, at byte 13"),
            ("POLYGON((0 0,1 1", "“)” is missing at byte 16, where the end"),
            ("POLYGON(0 0)", "“(” is missing at byte 8, where “0” stands"),
            ("CIRCLE(1 1)", "geometry 0 begins with “CIRCLE”"),
            ("POINT(1 2", "“)” is missing"),
            ("LINESTRING(NaN 0,1 1)", "point 0 of geometry 0"),
            (&"GEOMETRYCOLLECTION(".repeat(100_000), "GEOMETRYCOLLECTION"),
        ] {
            let told = parse(text).unwrap_err();
            assert!(told.contains(expected), "{told}");
        }
    }
}
