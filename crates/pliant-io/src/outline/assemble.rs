//! From a drawing to the rings of one outline: curves cut, lines thickened, doubles cancelled.

use pliant::math::Vec2;
use pliant_plane::outline::cancel::cancel;
use pliant_plane::outline::crossings::crossings;
use pliant_plane::outline::curve::Flattening;
use pliant_plane::outline::thick::{Stroke, thicken};
use pliant_plane::outline::{OutlineNotice, Outlines, area};
use pliant_plane::segment::surrounds;

use super::drawing::{Feature, Fill, Kind, Path, Piece};
use super::{OutlineFileError, Picked};

/// Most pieces of all curves of a file together; each may have [`PIECES`] all the same.
const ALL_PIECES: usize = 1 << 22;

/// Fewest and most pieces a curve may be cut into.
const PIECES: [usize; 2] = [16, 4096];

/// Coordinates beyond this, file unit, leave no room for squares.
const FARTHEST: f64 = 1e100;

/// Most rings of an element for which its fill rule is looked into.
const FILL_RINGS: usize = 500;

/// Notices of one kind that are reported one by one.
const TOLD: usize = 3;

/// Settings of the outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Largest distance of the outline from what the file draws, file unit.
    pub bound: f64,
    /// Thickness of lines, file unit; `None` for what the file says.
    pub thickness: Option<f64>,
}

/// The rings of one outline, with notices.
#[derive(Clone, Debug, Default)]
pub struct Assembled {
    /// Rings for [`Outlines::push`], file unit.
    pub rings: Vec<Vec<Vec2>>,
    /// Where each ring is from; empty once doubled segments were taken out.
    pub places: Vec<String>,
    /// One sentence each.
    pub notices: Vec<String>,
    /// Rings that surround nothing, and rings that repeat points.
    odd: [usize; 2],
    /// How far the rings are from what the file draws, file unit; 0 without curves and lines.
    pub error: f64,
}

/// Makes one outline of all features picked.
pub fn assemble(picked: &Picked, wanted: Wanted) -> Result<Assembled, OutlineFileError> {
    let fault = |what: String| OutlineFileError::Fault { path: picked.path.clone(), what };
    let mut found = Assembled { notices: picked.drawing.notices.clone(), ..Assembled::default() };
    let features = &picked.drawing.features;
    let curves = features.iter().flat_map(|feature| &feature.paths).flat_map(|path| &path.pieces);
    let curves = curves.filter(|piece| matches!(piece, Piece::Curve(_))).count();
    let most_pieces = (ALL_PIECES / curves.max(1)).clamp(PIECES[0], PIECES[1]) as u32;
    let mut strokes = Vec::new();
    // Half of the bound for cutting the curves, half for the round pen.
    let settings = Flattening { bound: 0.5 * wanted.bound, most_pieces };
    for feature in features {
        let first = found.rings.len();
        for path in &feature.paths {
            let chain = found.chain(path, settings).map_err(fault)?;
            match radius(path, wanted.thickness).map_err(fault)? {
                Some(radius) => strokes.push(Stroke { points: chain, radius }),
                None => found.ring(path, chain),
            }
        }
        found.fill_rule(feature, first);
    }
    found.tell_rest();
    let thick = thicken(&strokes, settings.bound).map_err(|error| fault(error.to_string()))?;
    found.error += thick.error;
    found.places.extend(thick.rings.iter().map(|_| "the thick lines".to_string()));
    found.rings.extend(thick.rings);
    found.cancel_doubles();
    if found.rings.is_empty() {
        let all = if found.notices.is_empty() { String::new() } else { found.notices.join("; ") };
        let why = if all.is_empty() { "it holds none".to_string() } else { all };
        return Err(fault(format!("there is no ring with an inside: {why}")));
    }
    if found.error > wanted.bound {
        let (error, bound) = (found.error, wanted.bound);
        found
            .notices
            .push(format!("curves are met within {error:e}, not {bound:e}: too many pieces"));
    }
    Ok(found)
}

/// Half the thickness of a path that is a line; `None` for a ring.
fn radius(path: &Path, thickness: Option<f64>) -> Result<Option<f64>, String> {
    let asked = thickness.map(|thickness| 0.5 * thickness);
    match path.kind {
        Kind::Ring => Ok(None),
        Kind::Filled => Ok(asked),
        Kind::Line { radius } => match asked.or(radius) {
            Some(radius) => Ok(Some(radius)),
            None => Err(format!(
                "{} is a line, which has no inside; give lines a thickness with --thickness",
                path.place
            )),
        },
    }
}

impl Assembled {
    /// The points of a path, its curves cut.
    fn chain(&mut self, path: &Path, settings: Flattening) -> Result<Vec<Vec2>, String> {
        let mut chain = vec![path.start];
        for piece in &path.pieces {
            match piece {
                Piece::Line(to) => chain.push(*to),
                Piece::Curve(curve) => {
                    self.error = self.error.max(curve.flatten(settings, &mut chain));
                }
            }
        }
        let far = |point: &Vec2| !point.is_finite() || point.abs().max_element() > FARTHEST;
        match chain.iter().position(far) {
            None => Ok(chain),
            Some(at) => {
                let (Vec2 { x, y }, place) = (chain[at], &path.place);
                Err(format!(
                    "point {at} of {place} is [{x:e}, {y:e}], too far out; change the unit"
                ))
            }
        }
    }

    /// Adds a ring, or reports why not.
    fn ring(&mut self, path: &Path, mut chain: Vec<Vec2>) {
        let points = chain.len();
        chain.dedup();
        while chain.len() > 1 && chain.first() == chain.last() {
            chain.pop();
        }
        let place = &path.place;
        if chain.len() < 3 {
            let count = chain.len();
            self.odd[0] += 1;
            self.tell(
                0,
                format!(
                    "{place} has {count} different {}, which surround nothing: left out",
                    if count == 1 { "point" } else { "points" }
                ),
            );
            return;
        }
        let closing = usize::from(points > chain.len());
        if points > chain.len() + closing
            && !path.pieces.iter().any(|p| matches!(p, Piece::Curve(_)))
        {
            let count = points - chain.len() - closing;
            self.odd[1] += 1;
            self.tell(1, format!("{place} repeats {count} points, which are left out"));
        }
        self.places.push(place.clone());
        self.rings.push(chain);
    }

    /// Reports the first few of a kind.
    fn tell(&mut self, kind: usize, notice: String) {
        if self.odd[kind] <= TOLD {
            self.notices.push(notice);
        }
    }

    /// Reports how many of each kind were not reported.
    fn tell_rest(&mut self) {
        for (count, what) in self.odd.into_iter().zip(["surround nothing", "repeat points"]) {
            if count > TOLD {
                self.notices.push(format!("{} more rings {what}", count - TOLD));
            }
        }
    }

    /// Reports an element that its file fills otherwise.
    ///
    /// Where rings do not cross, the rules differ when a side of one is surrounded an even
    /// number of times, but not none, all counted by their direction.
    fn fill_rule(&mut self, feature: &Feature, first: usize) {
        let rings = &self.rings[first..];
        if feature.fill == Fill::EvenOdd || rings.len() < 2 || rings.len() > FILL_RINGS {
            return;
        }
        let turns: Vec<i32> =
            rings.iter().map(|ring| if area(ring) > 0.0 { 1 } else { -1 }).collect();
        let differs = (0..rings.len()).find(|&ring| {
            let middle = rings[ring][0].midpoint(rings[ring][1]);
            let around = (0..rings.len()).filter(|&other| other != ring);
            let around = around.filter(|&other| surrounds(&rings[other], middle));
            let beside: i32 = around.map(|other| turns[other]).sum();
            [beside, beside + turns[ring]].iter().any(|turns| *turns != 0 && turns % 2 == 0)
        });
        if let Some(ring) = differs {
            let place = &self.places[first + ring];
            self.notices.push(format!(
                "{place} lies in a ring of the same direction: by the even–odd rule it is a hole, \
                 though its file fills it"
            ));
        }
    }

    fn cancel_doubles(&mut self) {
        let (rings, told) = cancel(&self.rings);
        if let Some(OutlineNotice::Doubled { a, b, place, count }) = told {
            let [first, second] =
                [a, b].map(|[ring, segment]| format!("segment {segment} of {}", self.places[ring]));
            let Vec2 { x, y } = place;
            self.notices.push(format!(
                "{first} is there again as {second}, at [{x}, {y}]: {count} such segments cancel \
                 each other"
            ));
            self.places.clear();
            self.rings = rings;
        }
        // Cancelling can leave chains that go there and back along one line.
        self.rings.retain(|ring| ring.len() > 2);
    }

    /// Adds the outline to the set, and reports its crossings.
    pub fn push(mut self, outlines: &mut Outlines) -> Result<Vec<String>, String> {
        outlines.push(&self.rings).map_err(|error| error.to_string())?;
        for notice in crossings(outlines, outlines.len() - 1) {
            let mut text = notice.to_string();
            if let OutlineNotice::Crosses { a, b, .. } | OutlineNotice::Along { a, b, .. } = notice
                && !self.places.is_empty()
            {
                let [first, second] = [a, b].map(|[ring, _]| &self.places[ring]);
                text += &format!(" (ring {} is {first}", a[0]);
                text += &if a[0] == b[0] {
                    ")".to_string()
                } else {
                    format!(", ring {} is {second})", b[0])
                };
            }
            self.notices.push(text);
        }
        Ok(self.notices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::parse;

    const BOUND: f64 = 1e-3;

    fn made(text: &str, thickness: Option<f64>) -> Result<Assembled, String> {
        let drawing = parse(text.as_bytes()).unwrap();
        let picked = Picked { label: "f".into(), path: "f".into(), drawing };
        assemble(&picked, Wanted { bound: BOUND, thickness }).map_err(|error| error.to_string())
    }

    /// Area inside by the even–odd rule, of rings that do not cross.
    fn inside(assembled: &Assembled) -> f64 {
        let mut outlines = Outlines::default();
        outlines.push(&assembled.rings).unwrap();
        outlines.rings(0).map(|ring| area(&outlines.points()[ring])).sum()
    }

    #[track_caller]
    fn covers(text: &str, thickness: Option<f64>, expected: f64, perimeter: f64) {
        let made = made(text, thickness).unwrap();
        let area = inside(&made);
        assert!(made.error <= BOUND, "{}", made.error);
        let allowed = made.error * perimeter + 1e-12 * expected;
        assert!((area - expected).abs() <= allowed, "{area} {expected}");
    }

    fn svg(inner: &str) -> String {
        format!("<svg xmlns='http://www.w3.org/2000/svg'>{inner}</svg>")
    }

    #[test]
    fn areas_are_those_of_the_shapes() {
        use std::f64::consts::PI;
        covers("[[0,0],[3,0],[3,2],[0,2]]", None, 6.0, 10.0);
        covers("POLYGON((0 0,4 0,4 4,0 4),(1 1,2 1,2 2,1 2))", None, 15.0, 20.0);
        covers(&svg("<circle r='2'/>"), None, 4.0 * PI, 4.0 * PI);
        covers(&svg("<ellipse rx='1' ry='3' transform='rotate(20)'/>"), None, 3.0 * PI, 13.4);
        covers(&svg("<rect width='4' height='3' rx='1'/>"), None, 12.0 - (4.0 - PI), 13.0);
        covers(&svg("<path d='M0 0Q1 2 2 0Z'/>"), None, 4.0 / 3.0, 5.0); // Archimedes: 2/3 · 2 · 1
        covers(&svg("<path d='M0 0C0 1 1 1 1 0z' transform='scale(2)'/>"), None, 4.0 * 0.6, 6.0);
        covers(&svg("<path d='M2 0A2 2 0 0 1-2 0z'/>"), None, 2.0 * PI, 11.0);
        covers("LINESTRING(0 0,2 0)", Some(1.0), 2.0 + PI / 4.0, 4.0 + PI);
        covers(&svg("<line x2='2' stroke-width='1'/>"), None, 2.0 + PI / 4.0, 4.0 + PI);
    }

    #[test]
    fn a_line_without_thickness_is_refused() {
        let told = made("LINESTRING(0 0,2 0)", None).unwrap_err();
        assert_eq!(
            told,
            "f: geometry 0 is a line, which has no inside; give lines a thickness with --thickness"
        );
    }

    #[test]
    fn rings_that_surround_nothing_are_left_out_and_told() {
        let made = made("[[[0,0],[1,0],[1,1]],[[5,5]],[[7,7],[8,8],[7,7]]]", None).unwrap();
        assert_eq!(made.rings.len(), 1);
        assert_eq!(
            made.notices,
            [
                "the array, ring 1 has 1 different point, which surround nothing: left out",
                "the array, ring 2 has 2 different points, which surround nothing: left out"
            ]
        );
        let none = self::made("[[[5,5]]]", None).unwrap_err();
        assert!(none.contains("no ring with an inside"), "{none}");
    }

    #[test]
    fn neighbours_lose_their_border() {
        let made = made("MULTIPOLYGON(((0 0,1 0,1 1,0 1)),((1 0,2 0,2 1,1 1)))", None).unwrap();
        assert_eq!((made.rings.len(), made.rings[0].len()), (1, 6));
        assert_eq!(
            made.notices,
            ["segment 1 of geometry 0, part 0, ring 0 is there again as segment 3 of geometry 0, \
              part 1, ring 0, at [1, 0]: 2 such segments cancel each other"]
        );
    }

    #[test]
    fn the_fill_rule_is_told_only_where_it_matters() {
        let outer = "M0 0H9V9H0Z";
        let of = |inner: &str, rule: &str| {
            made(&svg(&format!("<path d='{outer}{inner}' fill-rule='{rule}'/>")), None)
                .unwrap()
                .notices
        };
        assert_eq!(of("M1 1V2H2V1Z", "nonzero"), Vec::<String>::new()); // the other way round
        assert_eq!(of("M1 1H2V2H1Z", "evenodd"), Vec::<String>::new());
        assert!(of("M1 1H2V2H1Z", "nonzero")[0].contains("even–odd"));
    }

    #[test]
    fn a_bound_too_fine_is_told_and_memory_is_not_spent() {
        let drawing = parse(svg("<circle r='1'/>").as_bytes()).unwrap();
        let picked = Picked { label: "f".into(), path: "f".into(), drawing };
        let made = assemble(&picked, Wanted { bound: 1e-300, thickness: None }).unwrap();
        assert_eq!(made.rings[0].len(), 4096);
        assert!(made.notices[0].contains("too many pieces"), "{:?}", made.notices);
        let far = "[[[0,0],[1e200,0],[0,1]]]";
        assert!(self::made(far, None).unwrap_err().contains("point 1 of the array, ring 0"));
    }

    #[test]
    fn crossings_are_told_with_their_place() {
        let mut outlines = Outlines::default();
        let bow = made("[[0,0],[2,0],[0,2],[2,2]]", None).unwrap();
        let notices = bow.push(&mut outlines).unwrap();
        assert_eq!(
            notices,
            ["segment 1 of ring 0 crosses segment 3 of ring 0 at [1, 1]; inside is even–odd, \
              so parts covered twice are outside (ring 0 is ring 0)"]
        );
    }
}
