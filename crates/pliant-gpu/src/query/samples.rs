//! The second pass: samples of boundaries, whose places the first one found.

use bytemuck::Zeroable;
use pliant_plane::outline::Outlines;
use pliant_plane::{Cause, Pair, Penetration, ProximityResult, Side};

use crate::GpuError;
use crate::chunk::{CHUNK, Chunk, Chunks, scaled};
use crate::depths::{Depths, GAVE_UP, NEAREST, Task};
use crate::device::Device;

use super::gather::measured;

/// Pairs whose samples are measured.
#[derive(Debug)]
pub struct SampledPairs<'a> {
    /// The outlines.
    pub outlines: &'a Outlines,
    /// Their chunks; samples are appended for the pass, and removed again.
    pub chunks: &'a mut Chunks,
    /// The pairs.
    pub pairs: &'a [Pair],
}

/// Measures what the results hold without a way out, all in one submission.
///
/// Pairs that the GPU gave up are added to `exact`.
pub fn measure(
    device: &mut Device,
    depths: &mut Depths,
    SampledPairs { outlines, chunks, pairs }: SampledPairs<'_>,
    answers: &mut [ProximityResult],
    exact: &mut Vec<(u32, Cause)>,
) -> Result<(), GpuError> {
    let (slots, known) = (chunks.slots.len(), chunks.chunks.len());
    let mut tasks = Vec::new();
    // For every sample its position among the penetrations of its result.
    let mut places: Vec<u32> = Vec::new();
    for (at, (pair, answer)) in pairs.iter().zip(answers.iter()).enumerate() {
        if exact.iter().any(|&(left, _)| left as usize == at) {
            continue;
        }
        if let Some(cause) = too_many(chunks, *pair, answer, device.tests) {
            exact.push((at as u32, cause));
            continue;
        }
        for (side, sign, own, other) in
            [(Side::A, 1.0, pair.a, pair.b), (Side::B, -1.0, pair.b, pair.a)]
        {
            let (way, error) = chunks.between(pair.a as usize, pair.b as usize);
            let shape = chunks.shapes[other as usize];
            let middle = chunks.shapes[own as usize].middle();
            let asks = Task {
                other: shape.chunk,
                others: shape.count,
                pair: at as u32,
                offset: scaled(sign * way),
                error: error as f32,
                modes: NEAREST,
                ..Task::zeroed()
            };
            let found = (0..).zip(&answer.penetration);
            let mut open = found.filter(|(_, p)| p.of == side && is_open(p)).peekable();
            while open.peek().is_some() {
                let (slot, first) = (chunks.slots.len() as u32, places.len() as u32);
                for (place, found) in open.by_ref().take(CHUNK) {
                    places.push(place);
                    chunks.slots.push(scaled((found.position - middle) / chunks.unit));
                }
                let count = places.len() as u32 - first;
                tasks.push(Task { chunk: chunks.chunks.len() as u32, ..asks });
                chunks.chunks.push(Chunk { slot, count, first, ..Chunk::zeroed() });
            }
        }
    }
    if !tasks.is_empty() {
        depths.run(device, chunks, &tasks, pairs.len(), |seen| {
            let gave_up = (0..).zip(seen.crossed).filter(|(_, bits)| **bits & GAVE_UP != 0);
            exact.extend(gave_up.map(|(at, _)| (at, Cause::Turns)));
            for (task, sites) in tasks.iter().zip(seen.sites.chunks(CHUNK)) {
                let Chunk { first, count, .. } = chunks.chunks[task.chunk as usize];
                let found = &mut answers[task.pair as usize].penetration;
                for (&place, &site) in places[first as usize..][..count as usize].iter().zip(sites)
                {
                    // Without a way out it stays open and is dropped below.
                    let open = found[place as usize];
                    found[place as usize] = measured(outlines, open, site).unwrap_or(open);
                }
            }
        })?;
    }
    answers.iter_mut().for_each(|answer| answer.penetration.retain(|p| !is_open(p)));
    chunks.slots.truncate(slots);
    chunks.chunks.truncate(known);
    Ok(())
}

/// Why the samples of a pair are left to segments: they take more than `most` tests of boxes.
fn too_many(chunks: &Chunks, pair: Pair, answer: &ProximityResult, most: u64) -> Option<Cause> {
    let tests_of = |side: Side, other: u32| {
        let open = answer.penetration.iter().filter(|p| p.of == side && is_open(p)).count();
        open.div_ceil(CHUNK) as u64 * u64::from(chunks.shapes[other as usize].count)
    };
    let tests = tests_of(Side::A, pair.b) + tests_of(Side::B, pair.a);
    (tests > most).then_some(Cause::Tests { tests: tests as f64 })
}

/// Whether a sample is still to be measured.
fn is_open(found: &Penetration) -> bool {
    found.out.segment == u32::MAX
}
