//! Bodies that are translated as they are until none overlaps another.
//!
//! Each iteration judges all pairs exactly. A pair that overlaps gets one row, its shortest exact
//! translation; one that is too near gets a row for its nearest points. All rows together give
//! the least translations from the start, and the next iteration judges again. Pairs that still
//! overlap after many iterations get rows for planes between them, which hold wherever the bodies
//! are; at last all leave along the lines between their centres, which always leads out.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::math::Vec3;
use crate::par;
use crate::separate::axis::{PairView, Way};
use crate::separate::judge::{Judged, Scene, Standing};
use crate::separate::program::{Row, least_shifts};
use crate::separate::shape::{Placed, Shape};

/// Iterations, at most.
const ITERATIONS: usize = 120;

/// Round from which pairs that still overlap get planes between them.
const PLANES_FROM: usize = 30;

/// Round from which all pairs that overlap leave along the line between their centres.
const CENTRES_FROM: usize = 70;

/// A way is no longer shortened by its iteration if it keeps more than this share of its length.
const STALLED: f64 = 0.98;

/// Iterations without progress after which another direction is tried.
const STALLS: u32 = 3;

/// Rows of nearest points that a pair keeps.
const MOST_LOCAL: usize = 12;

/// Share of the gap by which rows aim beyond it, so that the last rounding is within.
const ROW_BEYOND: f64 = 2e-3;

/// Tolerance of the translations, in gaps.
const SHIFT_TOLERANCE: f64 = 1e-4;

/// Cosine of the angle between directions within which a row begins with the impulse of another.
const SIMILAR: f64 = 0.9;

/// By how much equal centres are set apart, in sizes of the body.
const SPLIT: f64 = 1e-3;

/// Parts into which pairs are divided among threads; the result does not depend on it.
const CHUNKS: usize = 64;

/// What is known of a pair from the iterations before.
#[derive(Clone, Debug, Default)]
struct Memory {
    way: Option<Way>,
    stalls: u32,
    avoided: Vec<Vec3>,
    deep: Option<Row>,
    local: Vec<Row>,
}

/// Bodies to be translated.
pub(crate) struct Task<'a> {
    /// What each body is.
    pub shapes: &'a [Shape],
    /// Where each body starts, m.
    pub start: &'a [Vec<Vec3>],
    /// Pairs that are nested on purpose, ascending.
    pub nested: &'a [[usize; 2]],
    /// 1 / volume, 1/m³, of each body with all that it moves with; 0 for bodies that stay.
    pub inv_masses: &'a [f64],
    /// The first of the bodies that each moves with; itself where it moves alone.
    pub groups: &'a [usize],
    /// Distance to reach, m; above 0.
    pub gap: f64,
}

/// What came of it.
pub(crate) struct Translated {
    /// Translation of each body, m.
    pub shifts: Vec<Vec3>,
    /// Iterations done.
    pub iterations: usize,
    /// Whether it was stopped by the caller.
    pub stopped: bool,
}

impl Task<'_> {
    /// Translates the bodies; the caller judges what was reached.
    ///
    /// `progress` gets the iteration and the number of pairs that still overlap or are too near.
    pub(crate) fn run(
        &self,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Translated {
        let mut shifts = vec![Vec3::ZERO; self.shapes.len()];
        let reach = 0.51 * self.gap;
        let placed = self.shapes.iter().zip(self.start);
        let mut placed: Vec<Placed> =
            placed.map(|(shape, start)| shape.placed(start.clone(), reach)).collect();
        let mut memories: BTreeMap<[usize; 2], Memory> = BTreeMap::new();
        for iteration in 0..ITERATIONS {
            let scene = Scene { shapes: self.shapes, placed: &placed, nested: self.nested };
            let mut judged = scene.judge(self.gap);
            judged.retain(|judged| self.can_part(judged.pair));
            let stopped = progress(iteration, judged.len()).is_break();
            if judged.is_empty() || stopped {
                return Translated { shifts, iterations: iteration, stopped };
            }
            if iteration == CENTRES_FROM {
                memories.clear();
            }
            self.remember(&mut memories, &judged, &placed, &shifts, iteration);
            let kept = memories
                .values_mut()
                .flat_map(|memory| memory.deep.iter_mut().chain(&mut memory.local));
            let mut kept: Vec<&mut Row> = kept.collect();
            let mut rows: Vec<Row> = kept.iter().map(|row| **row).collect();
            let found = least_shifts(self.inv_masses, &mut rows, SHIFT_TOLERANCE * self.gap);
            let next: Vec<Vec3> = self.groups.iter().map(|first| found[*first]).collect();
            kept.iter_mut().zip(rows).for_each(|(kept, row)| **kept = row);
            for (body, shift) in next.iter().enumerate() {
                if *shift != shifts[body] {
                    let moved = self.start[body].iter().map(|p| *p + *shift).collect();
                    placed[body].put(&self.shapes[body], moved);
                }
            }
            shifts = next;
        }
        Translated { shifts, iterations: ITERATIONS, stopped: false }
    }

    /// Whether one of two bodies may move without the other.
    fn can_part(&self, pair: [usize; 2]) -> bool {
        let [a, b] = pair.map(|body| self.groups[body]);
        a != b && pair.iter().any(|body| self.inv_masses[*body] > 0.0)
    }

    /// Brings the rows of all pairs that overlap or are too near up to date.
    fn remember(
        &self,
        memories: &mut BTreeMap<[usize; 2], Memory>,
        judged: &[Judged],
        placed: &[Placed],
        shifts: &[Vec3],
        iteration: usize,
    ) {
        let known = |judged: &Judged| memories.get(&judged.pair).cloned().unwrap_or_default();
        let mut updated: Vec<(Judged, Memory)> =
            judged.iter().map(|judged| (*judged, known(judged))).collect();
        let offsets = par::even_offsets(updated.len(), CHUNKS);
        par::chunks(&mut updated, &offsets, |_, chunk| {
            for (Judged { pair, standing }, memory) in chunk {
                let relative = shifts[pair[0]] - shifts[pair[1]];
                let row = |normal: Vec3, way: f64| Row {
                    pair: pair.map(|body| self.groups[body]),
                    normal,
                    least: normal.dot(relative) + way + ROW_BEYOND * self.gap,
                    impulse: 0.0,
                };
                if let Standing::Near(nearest) = standing
                    && let Some(normal) = nearest.normal()
                {
                    if memory.local.len() == MOST_LOCAL {
                        memory.local.remove(0);
                    }
                    memory.local.push(row(normal, self.gap - nearest.distance_sq.sqrt()));
                    continue;
                }
                let view = PairView {
                    shapes: pair.map(|body| &self.shapes[body]),
                    placed: pair.map(|body| &placed[body]),
                    clearance: self.gap,
                };
                let way = if iteration >= CENTRES_FROM {
                    let axis = self.centre_line(*pair);
                    Way { axis, distance: view.slab(axis) }
                } else if iteration >= PLANES_FROM {
                    view.thinnest_slab()
                } else {
                    memory.advance(view)
                };
                memory.local.clear();
                let before = memory.deep.filter(|deep| deep.normal.dot(way.axis) > SIMILAR);
                let impulse = before.map_or(0.0, |deep| deep.impulse);
                memory.deep = Some(Row { impulse, ..row(way.axis, way.distance) });
            }
        });
        memories.extend(updated.into_iter().map(|(judged, memory)| (judged.pair, memory)));
    }

    /// From the centre of the second body to that of the first, at the start; unit.
    ///
    /// Of a body that stays, the centre of all that stay counts: what is led away from there
    /// leaves all of them.
    fn centre_line(&self, pair: [usize; 2]) -> Vec3 {
        let stays = |body: usize| self.inv_masses[body] == 0.0;
        let centre = |body: usize| {
            let vertices = &self.shapes[body].vertices;
            vertices.iter().map(|v| self.start[body][v.index()]).sum::<Vec3>()
                / vertices.len() as f64
        };
        let [a, b] = pair.map(|body| {
            if !stays(body) {
                return centre(body) + SPLIT * self.shapes[body].size * spiral(body);
            }
            let staying: Vec<_> = (0..self.shapes.len()).filter(|body| stays(*body)).collect();
            staying.iter().map(|body| centre(*body)).sum::<Vec3>() / staying.len() as f64
        });
        (a - b).try_normalize().unwrap_or(Vec3::Z)
    }
}

impl Memory {
    /// The way out along the pair's axis, or along another where that leads nowhere.
    fn advance(&mut self, view: PairView<'_>) -> Way {
        if let Some(way) = self.way {
            let distance = view.along(way.axis);
            self.stalls = if distance > STALLED * way.distance { self.stalls + 1 } else { 0 };
            let way = Way { distance, ..way };
            if self.stalls < STALLS && distance > 0.0 {
                self.way = Some(way);
                return way;
            }
            self.avoided.push(way.axis);
            self.stalls = 0;
        }
        let way = view.shortest(&self.avoided);
        self.way = Some(way);
        way
    }
}

/// A direction of its own for each number, spread over the sphere; unit.
fn spiral(number: usize) -> Vec3 {
    // Turns by the golden angle, at heights that a van der Corput sequence spreads evenly.
    let angle = 2.399_963_229_728_653 * number as f64;
    let height = (number as u32).reverse_bits() as f64 / 4_294_967_296.0;
    let z = 1.0 - 2.0 * height;
    let across = (1.0 - z * z).max(0.0).sqrt();
    Vec3::new(across * libm::cos(angle), across * libm::sin(angle), z)
}
