//! What is measured, whichever images are drawn: shared pixels, and readings of a field.

use pliant::math::Vec2;
use pliant_plane::field::{Field, Window};
use pliant_plane::localize::{LocalizeSettings, Localizer};
use pliant_plane::outline::Outlines;
use pliant_plane::rect::Rect;
use pliant_plane::{Pair, ProximityResult, Side};

use super::{Intersection, Value};

/// Pixels of all images of one method at most: 200 MB of distances and sites.
pub const MOST_PIXELS: f64 = 16_777_216.0;

/// Points of a boundary that are read at most.
const MOST_POINTS: f64 = 4e6;

/// Pixels around the box of what is read.
const RIM: u32 = 2;

/// What a method found.
pub struct Measured {
    pub value: Option<Value>,
    /// Largest difference from what is exact, m or m².
    pub difference: Option<f64>,
    /// Number of pixels drawn.
    pub pixels: u64,
    pub remark: Option<String>,
}

/// Two outlines in the window that both can reach.
pub struct Overlap<'a> {
    pub outlines: &'a Outlines,
    /// Half the diagonal of a pixel, and how far boundaries are thickened, m.
    pub error: f64,
    /// The box of both; `None` where they are farther apart than thickened boundaries reach.
    pub window: Option<Window>,
    /// Number of pixels that the window needs, however large.
    pub needs: f64,
    /// Whether they share a point; exact.
    pub intersects: bool,
    /// Area that both cover, m².
    pub area: f64,
    /// Length of both boundaries, m.
    perimeters: f64,
}

impl<'a> Overlap<'a> {
    pub fn new(outlines: &'a Outlines, error: f64, answer: &ProximityResult) -> Overlap<'a> {
        let [a, b] = [0, 1].map(|at| Rect::of_segments(outlines, outlines.range(at)).grown(error));
        let (common, meet) = (a.common(b), a.meets(&b));
        let needs = if meet { Window::pixels_over([common.min, common.max], error) } else { 0.0 };
        let fits = meet && needs <= MOST_PIXELS;
        let length = |at: usize| {
            let [from, to] = outlines.segment(at);
            from.distance(to)
        };
        Overlap {
            outlines,
            error,
            window: fits.then(|| Window::over([common.min, common.max], error, 1)),
            needs,
            intersects: answer.intersects,
            area: answer.overlap_area,
            perimeters: (0..outlines.points().len()).map(length).sum(),
        }
    }

    fn pixels(&self) -> u64 {
        self.window.map_or(0, |window| window.pixels() as u64)
    }

    /// What a number of shared pixels says.
    pub fn found(&self, of: Intersection, count: u64) -> Measured {
        if of != Intersection::VolumeVolume {
            return self.flag(of, count);
        }
        let side = self.window.map_or(0.0, |window| window.pixel);
        let area = count as f64 * side * side;
        let difference = (area - self.area).abs();
        let bound = self.error * self.perimeters;
        let remark = (difference > bound).then(|| format!("off by more than {bound:e}"));
        let (value, difference) = (Some(Value::Number(area)), Some(difference));
        Measured { value, difference, pixels: self.pixels(), remark }
    }

    /// What it says that there are such pixels, or none.
    pub fn flag(&self, of: Intersection, count: u64) -> Measured {
        let any = count > 0;
        let remark = match (any, self.intersects, of) {
            (true, false, Intersection::BoundaryBoundary) => {
                Some("boundaries up to two bounds apart count as one (erratum P2)")
            }
            (true, false, _) => Some("a boundary up to one bound outside counts (erratum P7)"),
            (false, true, Intersection::BoundaryBoundary) => {
                Some("boundaries do not show that one holds the other (erratum P14)")
            }
            (false, true, Intersection::BoundaryVolume) => {
                Some("an overlap thinner than a pixel, or b inside a, is missed (errata P7, P14)")
            }
            (false, true, Intersection::VolumeVolume) => {
                Some("an overlap thinner than a pixel is missed (erratum P1)")
            }
            _ => None,
        };
        Measured {
            value: Some(Value::Flag(any)),
            difference: None,
            pixels: self.pixels(),
            remark: remark.map(str::to_owned),
        }
    }
}

/// Points of one outline in the distance field of the other.
pub struct Probe<'a> {
    pub outlines: &'a Outlines,
    /// Half the diagonal of a pixel, m.
    pub error: f64,
    /// The outline whose field is drawn.
    pub drawn: usize,
    /// The points of the other that are read, m.
    pub points: Vec<Vec2>,
    /// Number of pixels that the window over them needs, however large.
    pub needs: f64,
    quantity: Quantity,
}

/// What the field is read for.
enum Quantity {
    /// The least distance, m.
    Separation(f64),
    /// The depth of each point, m.
    Depths(Vec<f64>),
}

impl<'a> Probe<'a> {
    pub fn new(outlines: &'a Outlines, error: f64, answer: &ProximityResult) -> Probe<'a> {
        let of_a = answer.penetration.iter().filter(|point| point.of == Side::A).count();
        // The side with more points inside; a where they are apart.
        let side = if 2 * of_a >= answer.penetration.len() { Side::A } else { Side::B };
        let inside = answer.penetration.iter().filter(|point| point.of == side);
        let (points, quantity) = match answer.separation {
            Some(way) => (samples(outlines, error), Quantity::Separation(way.distance)),
            None => {
                let (points, depths) = inside.map(|point| (point.position, point.depth)).unzip();
                (points, Quantity::Depths(depths))
            }
        };
        let Rect { min, max } = Rect::around(points.iter().copied());
        let needs = if points.is_empty() { 0.0 } else { Window::pixels_over([min, max], error) };
        let drawn = if side == Side::A { 1 } else { 0 };
        Probe { outlines, error, drawn, points, needs, quantity }
    }

    /// `separation` or `depth`.
    pub fn quantity(&self) -> &'static str {
        match self.quantity {
            Quantity::Separation(_) => "separation",
            Quantity::Depths(_) => "depth",
        }
    }

    /// The exact separation or largest depth, m; `None` where no point is inside.
    pub fn exact(&self) -> Option<f64> {
        match &self.quantity {
            Quantity::Separation(distance) => Some(*distance),
            Quantity::Depths(depths) => depths.iter().copied().reduce(f64::max),
        }
    }

    /// The window over all points; `None` without any.
    pub fn window(&self) -> Option<Window> {
        let Rect { min, max } = Rect::around(self.points.iter().copied());
        (!self.points.is_empty()).then(|| Window::over([min, max], self.error, RIM))
    }

    /// Windows that the trees leave of it.
    pub fn regions(
        &self,
        localizer: &mut Localizer,
        settings: LocalizeSettings,
    ) -> Result<Vec<Window>, String> {
        let pair = match self.drawn {
            1 => Pair { a: 0, b: 1 },
            _ => Pair { a: 1, b: 0 },
        };
        let regions = match self.quantity {
            Quantity::Separation(_) => localizer.closest(self.outlines, pair, settings),
            Quantity::Depths(_) => localizer.volumes(self.outlines, pair, settings),
        };
        let corners = regions.iter().map(|region| [region.window.min, region.window.max]);
        let needs: f64 = corners.clone().map(|c| Window::pixels_over(c, self.error)).sum();
        if needs > MOST_PIXELS {
            return Err(format!("the windows need {needs:e} pixels, more than {MOST_PIXELS:e}"));
        }
        Ok(corners.map(|corners| Window::over(corners, self.error, RIM)).collect())
    }

    /// Reads the points off fields; `drawn` counts pixels where not all were.
    pub fn found(&self, fields: &[Field], drawn: Option<u64>) -> Measured {
        let all = fields.iter().map(|field| field.window.pixels() as u64).sum();
        let pixels = drawn.unwrap_or(all);
        let read = |point: &Vec2| fields.iter().find_map(|field| field.value(*point));
        let (mut value, mut off, mut unread) = (None::<f64>, None::<f64>, 0_usize);
        for (at, point) in self.points.iter().enumerate() {
            let Some(distance) = read(point) else {
                unread += 1;
                continue;
            };
            match &self.quantity {
                Quantity::Separation(exact) => {
                    let least = value.map_or(distance, |least| least.min(distance));
                    (value, off) = (Some(least), Some((least - exact).abs()));
                }
                Quantity::Depths(depths) => {
                    value = Some(value.map_or(-distance, |most| most.max(-distance)));
                    let here = (-distance - depths[at]).abs();
                    off = Some(off.map_or(here, |most| most.max(here)));
                }
            }
        }
        let remark = match self.quantity {
            _ if value.is_none() => Some("no point of either is inside the other".to_owned()),
            // Far places of a boundary need no field; depths are wanted everywhere.
            Quantity::Depths(_) if unread > 0 => Some(format!("{unread} points not in any window")),
            _ => None,
        };
        Measured { value: value.map(Value::Number), difference: off, pixels, remark }
    }
}

/// Points along the boundary of a, a bound apart or less; ends of segments are among them.
fn samples(outlines: &Outlines, error: f64) -> Vec<Vec2> {
    let length = |at: usize| {
        let [from, to] = outlines.segment(at);
        from.distance(to)
    };
    let whole: f64 = outlines.range(0).map(length).sum();
    let spacing = error.max(whole / MOST_POINTS);
    let mut points = Vec::new();
    for at in outlines.range(0) {
        let [from, to] = outlines.segment(at);
        let count = (length(at) / spacing).ceil().max(1.0) as u32;
        let share = |k: u32| f64::from(k) / f64::from(count);
        points.extend((0..count).map(|k| from + share(k) * (to - from)));
    }
    points
}
