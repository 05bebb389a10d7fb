//! A picture of two outlines on the distance field of the second.
//!
//! In the manner of [Hoff01 fig. 1]: lines of equal distance to b run over the ground, which the
//! nearest segment of b colours if asked (its Voronoi cell), and what was found is drawn on top:
//! the way out of each penetrating point, contacts with their normals, or the shortest way between.

use pliant::math::Vec2;
use pliant_plane::field::tiled::Tiled;
use pliant_plane::field::{Field, NO_SITE, Window};
use pliant_plane::segment::place;
use pliant_plane::{Place, ProximityResult, Side};

use super::Found;
use crate::picture::{Image, letters};
use pliant_io::outline::drawing::YAxis;

mod canvas;

mod view;

use canvas::{Canvas, Rgb, mix};
use view::{step, window};

/// Colour of a and of what belongs to it.
const A: Rgb = [0.09, 0.30, 0.66];

/// Colour of b and of what belongs to it.
const B: Rgb = [0.72, 0.32, 0.04];

/// Colour of contacts.
const CONTACT: Rgb = [0.02, 0.47, 0.24];

/// Colour of the shortest way between.
const BETWEEN: Rgb = [0.66, 0.05, 0.40];

/// Colour of text and of lines of equal distance.
const INK: Rgb = [0.16, 0.17, 0.20];

const WHITE: Rgb = [1.0; 3];

/// Pixels of the picture for one of a letter.
const LETTERS: usize = 2;

/// Thickness of a and b, pixels; b shows beside a where they run together.
const LINES: [f64; 2] = [2.2, 4.2];

/// Least distance between the tails of arrows, pixels; the deepest are drawn first.
const APART: f64 = 17.0;

/// Length of a contact's normal, pixels.
const NORMAL: f64 = 30.0;

/// Lines of equal distance from one bold one to the next.
const BOLD: f64 = 5.0;

/// Letters of a name in the legend at most.
const NAME: usize = 24;

/// Inside of b and far from it, without Voronoi cells.
const DEPTHS: [Rgb; 2] = [[0.98, 0.93, 0.88], [0.97, 0.97, 0.98]];

/// What colours the ground of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// Two tints: inside and outside of b.
    #[default]
    Plain,
    /// A colour for each segment of b, where that is the nearest.
    Voronoi,
}

/// How a picture is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProximityLook {
    /// Names of a and b for the legend; the letters themselves where empty.
    pub names: [String; 2],
    /// The ground.
    pub ground: Ground,
}

/// Draws what was found, framed by what matters.
pub fn picture(found: &Found, look: &ProximityLook) -> Image {
    let Found { outlines, answer, upright, .. } = found;
    let window = window(outlines, answer);
    let mut tiled = Tiled::default();
    let [of_a, of_b] = [0, 1].map(|outline| {
        let mut field = Field::blank(window);
        tiled.draw(outlines, outline, f64::INFINITY, None, &mut field);
        field
    });
    let step = step(&window);
    let mut canvas = Canvas::new(window.width, window.height);
    let frame = Frame { window, upright: *upright };
    ground(&mut canvas, &frame, &of_b, step, look.ground);
    for (field, colour, thick) in [(&of_b, B, LINES[1]), (&of_a, A, LINES[0])] {
        frame.each(|pixel, at| {
            let away = field.distance[at] / window.pixel;
            canvas.blend(pixel, colour, 0.16 * (0.5 - away).clamp(0.0, 1.0));
            canvas.blend(pixel, colour, (0.5 * thick + 0.5 - away.abs()).clamp(0.0, 1.0));
        });
    }
    ways_out(&mut canvas, &frame, found);
    contacts(&mut canvas, &frame, answer);
    if let Some(way) = answer.separation {
        let ends = [way.on_a, way.on_b].map(|end| frame.pixel(end));
        canvas.line(ends, 6.0, WHITE);
        canvas.line(ends, 3.0, BETWEEN);
        ends.iter().for_each(|&end| canvas.dot(end, 4.5, BETWEEN));
    }
    legend(&mut canvas, BOLD * step, window.pixel, &look.names);
    let mut notices = Vec::new();
    if of_b.site.contains(&NO_SITE) {
        notices.push("the picture has no distances: b has no segments".to_string());
    }
    Image { size: [window.width, window.height], pixels: canvas.bytes(), notices }
}

/// From the plane to the picture.
#[derive(Clone, Copy)]
struct Frame {
    window: Window,
    upright: YAxis,
}

impl Frame {
    /// Where a point is in the picture, pixels from the top left.
    fn pixel(&self, point: Vec2) -> Vec2 {
        let Vec2 { x, y } = (point - self.window.corner) / self.window.pixel;
        match self.upright {
            YAxis::Up => Vec2::new(x, f64::from(self.window.height) - y),
            YAxis::Down => Vec2::new(x, y),
        }
    }

    /// A direction in the picture.
    fn direction(&self, way: Vec2) -> Vec2 {
        match self.upright {
            YAxis::Up => Vec2::new(way.x, -way.y),
            YAxis::Down => way,
        }
    }

    /// Every pixel of the picture with its place in a field.
    fn each(&self, mut draw: impl FnMut(usize, usize)) {
        let [width, height] = [self.window.width, self.window.height].map(|side| side as usize);
        for y in 0..height {
            let row = if self.upright == YAxis::Up { height - 1 - y } else { y };
            (0..width).for_each(|x| draw(y * width + x, row * width + x));
        }
    }
}

/// Tints or Voronoi cells, and lines of equal distance.
fn ground(canvas: &mut Canvas, frame: &Frame, field: &Field, step: f64, of: Ground) {
    let width = frame.window.width as usize;
    frame.each(|pixel, at| {
        // Neighbours soften the edges of the cells.
        let (mut sum, mut weight) = ([0.0; 3], 0.0);
        let x = at % width;
        let left = (x > 0).then(|| at - 1);
        let right = (x + 1 < width).then_some(at + 1);
        let near = [Some(at), left, right, at.checked_sub(width), Some(at + width)];
        for (near, share) in near.into_iter().zip([2.0, 1.0, 1.0, 1.0, 1.0]) {
            let place = near.filter(|near| *near < field.site.len());
            if let Some(place) = place {
                let colour = match of {
                    Ground::Voronoi => cell(field.site[place]),
                    Ground::Plain => DEPTHS[usize::from(field.distance[place] >= 0.0)],
                };
                (0..3).for_each(|k| sum[k] += share * colour[k]);
                weight += share;
            }
        }
        canvas.blend(pixel, sum.map(|sum| sum / weight), 1.0);
        let level = field.distance[at] / step;
        let off = |every: f64| {
            let turns = level / every;
            (turns - turns.round()).abs() * every * step / frame.window.pixel
        };
        let strength = |thick: f64, off: f64| (0.5 * thick + 0.5 - off).clamp(0.0, 1.0);
        canvas.blend(pixel, INK, 0.17 * strength(1.0, off(1.0)));
        canvas.blend(pixel, INK, 0.26 * strength(1.3, off(BOLD)));
    });
}

/// A light colour for a Voronoi cell; neighbours in number are far apart in hue.
fn cell(site: u32) -> Rgb {
    if site == NO_SITE {
        return WHITE;
    }
    // Steps of the golden ratio around the colour wheel never come near each other soon.
    let hue = (f64::from(site) * 0.618_033_988_749_895).fract();
    let wave = |shift: f64| 0.5 + 0.5 * libm::cos(std::f64::consts::TAU * (hue + shift));
    let colour = [wave(0.0), wave(1.0 / 3.0), wave(2.0 / 3.0)];
    mix(colour, WHITE, 0.80)
}

/// Arrows from penetrating points to where they come out, the deepest first.
fn ways_out(canvas: &mut Canvas, frame: &Frame, found: &Found) {
    let mut points: Vec<_> = found.answer.penetration.iter().collect();
    points.sort_by(|p, q| q.depth.total_cmp(&p.depth));
    let mut spread = Spread::new(frame.window.width);
    for point in points {
        let from = frame.pixel(point.position);
        if !spread.take(from) {
            continue;
        }
        let colour = if point.of == Side::A { A } else { B };
        let Place { segment, along } = point.out;
        let known = (segment as usize) < found.outlines.points().len();
        let out = if known {
            place(found.outlines.segment(segment as usize), along)
        } else {
            point.position + point.depth * point.direction
        };
        canvas.arrow([from, frame.pixel(out)], 1.7, mix(colour, [0.0; 3], 0.25));
        canvas.dot(from, 2.6, mix(colour, [0.0; 3], 0.25));
    }
}

/// Contact points with their normals.
fn contacts(canvas: &mut Canvas, frame: &Frame, answer: &ProximityResult) {
    let mut spread = Spread::new(frame.window.width);
    for contact in &answer.contacts {
        let at = frame.pixel(contact.position);
        if spread.take(at) {
            canvas.arrow([at, at + NORMAL * frame.direction(contact.normal)], 2.0, CONTACT);
            canvas.dot(at, 4.0, CONTACT);
        }
    }
}

/// Keeps marks from covering each other.
struct Spread {
    /// Cells side by side.
    width: i64,
    /// Cells with a mark, ascending.
    marks: Vec<(i64, Vec2)>,
}

impl Spread {
    fn new(pixels: u32) -> Spread {
        Spread { width: (f64::from(pixels) / APART) as i64 + 8, marks: Vec::new() }
    }

    /// Whether there is room for a mark, which is then taken.
    fn take(&mut self, at: Vec2) -> bool {
        let cell = (at / APART).floor();
        let key = |x: i64, y: i64| y.saturating_mul(self.width).saturating_add(x);
        let (x, y) = (cell.x as i64, cell.y as i64);
        let near = |row: i64| {
            let range = key(x.saturating_sub(1), row)..=key(x.saturating_add(1), row);
            let start = self.marks.partition_point(|(cell, _)| cell < range.start());
            let row = self.marks[start..].iter().take_while(move |(cell, _)| range.contains(cell));
            row.clone().any(|(_, mark)| mark.distance(at) < APART)
        };
        if [y.saturating_sub(1), y, y.saturating_add(1)].into_iter().any(near) {
            return false;
        }
        let key = key(x, y);
        let index = self.marks.partition_point(|(cell, _)| *cell < key);
        self.marks.insert(index, (key, at));
        true
    }
}

/// Writes a text from its upper left corner.
fn write(canvas: &mut Canvas, corner: [usize; 2], text: &str) {
    for [x, y] in letters::squares(text, LETTERS) {
        canvas.square([corner[0] + x, corner[1] + y], LETTERS, INK);
    }
}

/// Which colour is whose, and how long a length is.
fn legend(canvas: &mut Canvas, length: f64, pixel: f64, names: &[String; 2]) {
    let (width, height) = (canvas.width as f64, canvas.height as f64);
    let bar = length / pixel;
    let text = format!("{length}");
    let wide = bar.max(letters::width(&text, LETTERS) as f64) + 24.0;
    if wide + 130.0 > width || height < 160.0 {
        return; // No room: the picture matters more.
    }
    canvas.panel([Vec2::new(10.0, height - 50.0), Vec2::new(10.0 + wide, height - 10.0)]);
    let y = height - 20.0;
    let ends = [Vec2::new(22.0, y), Vec2::new(22.0 + bar, y)];
    canvas.line(ends, 2.0, INK);
    for end in ends {
        canvas.line([end - Vec2::new(0.0, 4.0), end + Vec2::new(0.0, 4.0)], 2.0, INK);
    }
    write(canvas, [22, canvas.height - 44], &text);
    let names = [named("a", &names[0]), named("b", &names[1])];
    let widest = names.iter().map(|name| letters::width(name, LETTERS)).max().unwrap_or(0);
    canvas.panel([Vec2::new(10.0, 10.0), Vec2::new(52.0 + widest as f64, 64.0)]);
    for (y, name, colour) in [(25.0, &names[0], A), (49.0, &names[1], B)] {
        canvas.line([Vec2::new(20.0, y), Vec2::new(36.0, y)], 4.0, colour);
        write(canvas, [43, y as usize - 7], name);
    }
}

/// The letter of an outline with its name, shortened, in letters that pictures have.
fn named(letter: &str, name: &str) -> String {
    let name = name.to_lowercase();
    let short = name.char_indices().nth(NAME).map_or(&name[..], |(end, _)| &name[..end]);
    let says_no_more = short.is_empty() || short == letter;
    if says_no_more { letter.to_owned() } else { format!("{letter} {short}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_letters_and_are_cut() {
        assert_eq!([named("a", ""), named("a", "A")], ["a", "a"]);
        assert_eq!(named("b", "Norway"), "b norway");
        assert_eq!(named("b", &"é".repeat(40)), format!("b {}", "é".repeat(NAME)));
    }
}
