//! Checks the GPU against the reference implementation and times it: one Markdown table.
//!
//! `measure [POLYGONS]`: outlines are made here, or read from a file with a count, then
//! for each polygon the number of its points and the points. Needs no other file, so the
//! program runs wherever it is carried. Exits with 1 when a result is wrong.

use std::f64::consts::TAU;
use std::process::ExitCode;
use std::time::Instant;

use pliant::math::Vec2;
use pliant_gpu::{
    DepthsBy, Drawn, FieldMethod, FieldRequest, FieldSettings, FieldSign, Gpu, OverlapRequest,
    PixelAt, Strategy, rounding,
};
use pliant_plane::brute::{self, Brute, PointLocation};
use pliant_plane::field::{Field, Window};
use pliant_plane::outline::Outlines;
use pliant_plane::{Backend, Pair, ProximityQuery, ProximityResult, QueryFlags};

/// Frames of the batch.
const FRAMES: usize = 1000;

/// Pixels along a side of the field.
const SIDE: u32 = 512;

/// Repetitions of which the fastest counts, and the seconds after which there are no more.
const REPETITIONS: usize = 10;
const ENOUGH: f64 = 3.0;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("measure: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Outcome<()> {
    let outlines = match std::env::args().nth(1) {
        Some(path) => read(&std::fs::read_to_string(path)?)?,
        None => made()?,
    };
    let mut gpu = Gpu::new()?;
    let segments = outlines.points().len();
    println!("adapter: {}\n", gpu.adapter());
    println!("{} outlines, {segments} segments\n", outlines.len());
    println!("| what | GPU, ms | wall, ms | note |\n|---|---|---|---|");
    fields(&mut gpu, &outlines)?;
    batch(&mut gpu, &outlines)?;
    overlaps(&mut gpu, &outlines)
}

/// Six wavy outlines with 719 segments together, as many as the map of the paper.
fn made() -> Outcome<Outlines> {
    let mut outlines = Outlines::default();
    for (k, count) in [120, 120, 120, 120, 120, 119].into_iter().enumerate() {
        let middle = Vec2::new(1.3 * (k % 3) as f64, 1.2 * (k / 3) as f64);
        let point = |at: usize| {
            let angle = TAU * at as f64 / count as f64;
            let waves = 0.12 * libm::sin(7.0 * angle + k as f64) + 0.05 * libm::cos(17.0 * angle);
            middle + (0.68 + waves) * Vec2::from_angle(angle)
        };
        outlines.push(&[(0..count).map(point).collect()])?;
    }
    Ok(outlines)
}

/// Outlines from the numbers of a file.
fn read(text: &str) -> Outcome<Outlines> {
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    let mut next = || numbers.next().ok_or("the file ends too early")?.map_err(|e| e.to_string());
    let mut outlines = Outlines::default();
    for _ in 0..next()? as usize {
        let count = next()? as usize;
        let mut ring = Vec::new();
        for _ in 0..count {
            ring.push(Vec2::new(next()?, next()?));
        }
        outlines.push(&[ring])?;
    }
    Ok(outlines)
}

/// How long something takes, s.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// On the GPU; `None` where it has no clock.
    device: Option<f64>,
    /// By the clock, from call to return.
    wall: f64,
}

/// The times of the fastest of several runs.
fn fastest(gpu: &mut Gpu, mut run: impl FnMut(&mut Gpu) -> Outcome<()>) -> Outcome<Times> {
    run(gpu)?;
    let (mut device, mut wall) = (gpu.device_seconds(), f64::INFINITY);
    let begun = Instant::now();
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        run(gpu)?;
        wall = wall.min(start.elapsed().as_secs_f64());
        device = device.zip(gpu.device_seconds()).map(|(least, now)| least.min(now));
        if begun.elapsed().as_secs_f64() > ENOUGH {
            break;
        }
    }
    Ok(Times { device, wall })
}

fn row(what: &str, Times { device, wall }: Times, note: &str) {
    let device = device.map_or("no clock".to_owned(), |s| format!("{:.4}", 1e3 * s));
    println!("| {what} | {device} | {:.4} | {note} |", 1e3 * wall);
}

fn wrong(what: String) -> Outcome<()> {
    Err(what.into())
}

/// All outlines as the rings of one, and a square window around it.
fn joined(outlines: &Outlines) -> Outcome<(Outlines, Window)> {
    let rings = |at| outlines.rings(at).map(|ring| outlines.points()[ring].to_vec());
    let all: Vec<Vec<Vec2>> = (0..outlines.len()).flat_map(rings).collect();
    let mut one = Outlines::default();
    one.push(&all)?;
    let low = outlines.points().iter().fold(Vec2::INFINITY, |low, p| low.min(*p));
    let high = outlines.points().iter().fold(Vec2::NEG_INFINITY, |high, p| high.max(*p));
    let side = 1.1 * (high - low).max_element();
    let corner = low.midpoint(high) - 0.5 * side;
    Ok((one, Window { corner, pixel: side / f64::from(SIDE), width: SIDE, height: SIDE }))
}

/// Fields with and without read-back, single pixels and gradients.
fn fields(gpu: &mut Gpu, outlines: &Outlines) -> Outcome<()> {
    let (one, window) = joined(outlines)?;
    let tiled = FieldSettings { method: FieldMethod::Tiled, sign: FieldSign::Stencil };
    let whole = FieldRequest { outline: 0, window, reach: f64::INFINITY };
    let near = FieldRequest { reach: 16.0 * window.pixel, ..whole };
    let size = format!("field {SIDE}², {} segments", one.points().len());
    let mut cases = vec![("tiled kernel, exact".to_owned(), tiled, whole)];
    cases.push(("tiled kernel, reach 16 pixels".to_owned(), tiled, near));
    for sign in [FieldSign::Stencil, FieldSign::Colour, FieldSign::SiteBit] {
        let rendered = FieldSettings { method: FieldMethod::Meshes, sign };
        cases.push((format!("meshes, {sign:?}, reach 16 pixels"), rendered, near));
    }
    let rendered = FieldSettings { method: FieldMethod::Meshes, sign: FieldSign::Stencil };
    cases.push(("meshes, Stencil, whole".to_owned(), rendered, whole));
    for (what, settings, request) in cases {
        let mut found: Vec<Field> = Vec::new();
        gpu.fields(&one, &[request], &settings, &mut found)?;
        let worst = worst_error(&one, &found[0]);
        let tile = settings.method == FieldMethod::Tiled;
        let extent = 2.0 * window.pixel * f64::from(SIDE);
        let bound = 2.0 * rounding(extent) + if tile { 0.0 } else { 0.08 * window.pixel };
        if worst > bound {
            wrong(format!("{what}: wrong by {worst} m, {bound} m allowed"))?;
        }
        let times = fastest(gpu, |gpu| Ok(gpu.draw(&one, &[request], &settings)?))?;
        let note = format!("left on the GPU; error {:.1e} pixels", worst / window.pixel);
        row(&format!("{size}: {what}"), times, &note);
        let times = fastest(gpu, |gpu| Ok(gpu.fields(&one, &[request], &settings, &mut found)?))?;
        row(&format!("{size}: {what}"), times, "read back to f64");
    }
    gpu.draw(&one, &[whole], &tiled)?;
    let pixels: Vec<PixelAt> =
        (0..64).map(|k| PixelAt { window: 0, x: 8 * k, y: 511 - 7 * k }).collect();
    let times = fastest(gpu, |gpu| Ok(gpu.pixels(&pixels).map(|_| ())?))?;
    row("read 64 single pixels", times, "512 bytes instead of 2 MiB");
    let times = fastest(gpu, |gpu| Ok(gpu.gradients().map(|_| ())?))?;
    row("gradients of the whole field", times, "one pass, read back to f64");
    let windows: Vec<FieldRequest> = (0..256)
        .map(|k| {
            let corner =
                window.corner + window.pixel * 30.0 * Vec2::new((k % 16) as f64, (k / 16) as f64);
            FieldRequest { window: Window { corner, width: 32, height: 32, ..window }, ..whole }
        })
        .collect();
    let times = fastest(gpu, |gpu| Ok(gpu.draw(&one, &windows, &tiled)?))?;
    row("256 fields of 32² in one submission", times, "left on the GPU");
    Ok(())
}

/// Largest error of a field at some of its pixels, m.
fn worst_error(one: &Outlines, field: &Field) -> f64 {
    let window = field.window;
    let error = |at: usize| {
        let point = window.centre(at as u32 % window.width, at as u32 / window.width);
        let distance = brute::nearest(one, 0, point).map_or(f64::INFINITY, |(_, far)| far);
        let inside = brute::spot(one, 0, point) == PointLocation::Inside;
        (field.distance[at] - if inside { -distance } else { distance }).abs()
    };
    let reached = |at: &usize| field.distance[*at].is_finite();
    (0..window.pixels()).step_by(97).filter(reached).map(error).fold(0.0, f64::max)
}

/// Many frames of the same outlines, moved, in one set.
fn moved(outlines: &Outlines) -> Outcome<Outlines> {
    let mut all = Outlines::default();
    for frame in 0..FRAMES {
        for outline in 0..outlines.len() {
            let phase = TAU * frame as f64 / FRAMES as f64 + outline as f64;
            let shift = 0.05 * Vec2::new(libm::sin(3.0 * phase), libm::cos(2.0 * phase));
            let ring = |ring: std::ops::Range<usize>| {
                outlines.points()[ring].iter().map(|point| *point + shift).collect()
            };
            all.push(&outlines.rings(outline).map(ring).collect::<Vec<Vec<Vec2>>>())?;
        }
    }
    Ok(all)
}

/// Pairs of outlines of the same frame whose boxes overlap.
fn near_pairs(all: &Outlines, count: usize, pairs: &mut Vec<Pair>, boxes: &mut Vec<[Vec2; 2]>) {
    boxes.clear();
    boxes.extend((0..all.len()).map(|outline| {
        let points = &all.points()[all.range(outline)];
        let seed = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        points.iter().fold(seed, |[low, high], p| [low.min(*p), high.max(*p)])
    }));
    pairs.clear();
    for first in (0..all.len()).step_by(count) {
        for b in first..first + count {
            for a in first..b {
                let ([low_a, high_a], [low_b, high_b]) = (boxes[a], boxes[b]);
                if (low_a - high_b).max(low_b - high_a).max_element() <= 0.0 {
                    pairs.push(Pair { a: a as u32, b: b as u32 });
                }
            }
        }
    }
}

/// The batch of frames: checked on some, timed on all.
fn batch(gpu: &mut Gpu, outlines: &Outlines) -> Outcome<()> {
    let all = moved(outlines)?;
    let (mut pairs, mut boxes) = (Vec::new(), Vec::new());
    near_pairs(&all, outlines.len(), &mut pairs, &mut boxes);
    let error = 1e-3 * (boxes[0][1] - boxes[0][0]).length();
    let depths = ProximityQuery { error, contact_distance: error, flags: QueryFlags::DEPTHS };
    let mut answers = Vec::new();
    gpu.query(&all, &pairs, &depths, &mut answers)?;
    let inside: usize = answers.iter().map(|answer| answer.penetration.len()).sum();
    let step = pairs.len() / 40 + 1;
    check(&all, &pairs, &depths, &answers, step)?;
    let times = fastest(gpu, |gpu| Ok(gpu.query(&all, &pairs, &depths, &mut answers)?))?;
    let (frames, count) = (FRAMES as f64, pairs.len() as f64);
    let note = format!(
        "{:.5} ms a frame, {:.0} pairs a second; {} pairs, {inside} depths",
        1e3 * times.wall / frames,
        count / times.wall,
        pairs.len()
    );
    row(&format!("{FRAMES} frames, depths, pairs given"), times, &note);
    let times = fastest(gpu, |gpu| {
        near_pairs(&all, outlines.len(), &mut pairs, &mut boxes);
        Ok(gpu.query(&all, &pairs, &depths, &mut answers)?)
    })?;
    let note = format!("{:.5} ms a frame", 1e3 * times.wall / frames);
    row(&format!("{FRAMES} frames, depths, pairs found by one thread"), times, &note);
    let few = &pairs[..pairs.len() / FRAMES];
    let times = fastest(gpu, |gpu| Ok(gpu.query(&all, few, &depths, &mut answers)?))?;
    row("one frame's pairs, all frames laid out", times, "what a submission costs");
    let mut one = Outlines::default();
    for outline in 0..outlines.len() {
        one.push(
            &outlines.rings(outline).map(|r| outlines.points()[r].to_vec()).collect::<Vec<_>>(),
        )?;
    }
    near_pairs(&one, outlines.len(), &mut pairs, &mut boxes);
    let times = fastest(gpu, |gpu| Ok(gpu.query(&one, &pairs, &depths, &mut answers)?))?;
    row("one frame alone, depths", times, "");
    gpu.settings.depths = DepthsBy::Images;
    gpu.query(&one, &pairs, &depths, &mut answers)?;
    check(&one, &pairs, &depths, &answers, 1)?;
    let times = fastest(gpu, |gpu| Ok(gpu.query(&one, &pairs, &depths, &mut answers)?))?;
    row("one frame alone, depths by images", times, "GPU time of the images alone");
    gpu.settings.depths = DepthsBy::Points;
    let everything = ProximityQuery { flags: QueryFlags::ALL, ..depths };
    gpu.query(&one, &pairs, &everything, &mut answers)?;
    check(&one, &pairs, &everything, &answers, 1)?;
    let times = fastest(gpu, |gpu| Ok(gpu.query(&one, &pairs, &everything, &mut answers)?))?;
    row("one frame alone, everything", times, "");
    let begun = Instant::now();
    Brute.query(&one, &pairs, &depths, &mut answers)?;
    let times = Times { device: None, wall: begun.elapsed().as_secs_f64() };
    row("one frame alone, depths, by the reference", times, "CPU");
    Ok(())
}

/// Every `step`-th pair against the reference implementation.
fn check(
    all: &Outlines,
    pairs: &[Pair],
    question: &ProximityQuery,
    answers: &[ProximityResult],
    step: usize,
) -> Outcome<()> {
    for (pair, found) in pairs.iter().zip(answers).step_by(step) {
        let mut exact = Vec::new();
        Brute.query(all, &[*pair], question, &mut exact)?;
        let exact = &exact[0];
        let near = |p: f64, q: f64| (p - q).abs() <= question.error;
        let depths = found.penetration.len() == exact.penetration.len()
            && found
                .penetration
                .iter()
                .zip(&exact.penetration)
                .all(|(p, q)| near(p.depth, q.depth));
        let apart = |answer: &ProximityResult| answer.separation.map_or(-1.0, |way| way.distance);
        let same = found.intersects == exact.intersects
            && depths
            && found.contacts.len() == exact.contacts.len()
            && near(apart(found), apart(exact));
        if !same {
            wrong(format!("{pair:?}: {found:?} for {exact:?}"))?;
        }
    }
    Ok(())
}

/// The four strategies, and the test for any overlap without reading the image.
fn overlaps(gpu: &mut Gpu, outlines: &Outlines) -> Outcome<()> {
    let (_, window) = joined(outlines)?;
    let kinds = [
        ("boundary–boundary", [Drawn::Boundary; 2]),
        ("boundary–volume", [Drawn::Boundary, Drawn::Volume]),
        ("volume–volume", [Drawn::Volume; 2]),
    ];
    for (what, drawn) in kinds {
        let thickness = window.pixel / 2_f64.sqrt();
        let request = OverlapRequest { outlines: [0, 1], drawn, window, thickness };
        let first = gpu.overlap(outlines, &request, Strategy::Stencil)?;
        let count = first.iter().filter(|pixel| **pixel).count();
        for strategy in Strategy::ALL {
            if gpu.overlap(outlines, &request, strategy)? != first {
                wrong(format!("{strategy:?} and the stencil disagree: {what}"))?;
            }
            let times =
                fastest(gpu, |gpu| Ok(gpu.overlap(outlines, &request, strategy).map(|_| ())?))?;
            row(&format!("{what}, {strategy:?}"), times, &format!("image of {count} pixels read"));
        }
        let times = fastest(gpu, |gpu| {
            Ok(gpu.overlap_extent(outlines, &request, Strategy::Stencil).map(|_| ())?)
        })?;
        row(&format!("{what}, Stencil"), times, "count and box, 20 bytes read");
        let times = fastest(gpu, |gpu| Ok(gpu.overlap_any(outlines, &request).map(|_| ())?))?;
        row(&format!("{what}, Stencil"), times, "occlusion query, 8 bytes read");
        let seen = gpu.overlap_any(outlines, &request)?;
        let extent = gpu.overlap_extent(outlines, &request, Strategy::Stencil)?;
        if seen != (count > 0) || extent.map_or(0, |extent| extent.count as usize) != count {
            wrong(format!("{what}: {seen} and {extent:?} for {count} pixels"))?;
        }
    }
    Ok(())
}
