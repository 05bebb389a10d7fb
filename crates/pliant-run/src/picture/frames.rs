//! A picture of the recorded frame nearest to a time.

use super::balanced::balanced;
use super::colours::colours;
use super::overlays::{FrameBodies, Overlay, OverlayKind, contacts};
use super::{Camera, Caption, Image, Look, Theme, View, render_both, render_with};
use crate::report::text::with_digits;
use crate::run::contacts::{ContactRow, rows_at};
use pliant::math::Vec3;
use pliant_scene::loaded::{LoadedScene, RunInfo};
use pliant_scene::numeral::shortened;

/// Digits of a time in messages.
pub const TIME_DIGITS: usize = 9;

/// Frames that decide about the camera lie this many steps apart, the first and last among them.
const SPREAD: usize = 6;

/// About so many vertices of each of them do.
const SAMPLE: usize = 4_000;

/// A recorded moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Steps made until then.
    pub step: u64,
    /// Since the start, s.
    pub time: f64,
}

/// Something that holds the frames of a run.
pub trait Frames {
    /// What was run.
    fn info(&self) -> &RunInfo;

    /// All moments recorded, in order of time.
    fn frames(&self) -> Vec<Frame>;

    /// Positions of all vertices at the moment with the given index, m; or why not.
    fn positions(&mut self, index: usize) -> Result<Vec<[f32; 3]>, String>;

    /// All contacts in order of time; none where they were not recorded.
    fn contacts(&self) -> Vec<ContactRow> {
        Vec::new()
    }

    /// The scene that was run, made again; or why not.
    fn scene(&self) -> Result<LoadedScene, String> {
        Err("the scene of the run is not at hand".to_owned())
    }
}

/// Settings of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PictureSettings {
    /// Time of the moment, s; the last one when `None`.
    pub at: Option<f64>,
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// From the scene towards the eye, any length.
    pub from: Option<[f64; 3]>,
    /// What is drawn over the bodies.
    pub overlays: Vec<OverlayKind>,
    /// Colours of the page that it is for.
    pub theme: Theme,
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FrameError {
    /// Nothing recorded yet.
    #[error("the recording holds no frame")]
    Empty,
    /// A time before the first or after the last moment.
    #[error(
        "no frame at {} s: the recording goes from {} s to {} s in {count} frames",
        shortened(&at.to_string()), shown(*first), shown(*last)
    )]
    OutOfRange {
        /// The requested time, s.
        at: f64,
        /// First recorded, s.
        first: f64,
        /// Last recorded, s.
        last: f64,
        /// Frames.
        count: usize,
    },
    /// A frame that cannot be read.
    #[error("frame {index} at {} s cannot be read: {why}", shown(*time))]
    Unreadable {
        /// Which.
        index: usize,
        /// Its time, s.
        time: f64,
        /// What the recording says.
        why: String,
    },
}

/// A time without the digits that sums of steps get wrong.
fn shown(time: f64) -> String {
    with_digits(time, TIME_DIGITS)
}

/// The frame nearest to a time, the earlier of two; the last without a time.
///
/// Beyond both ends, half the distance to the neighbouring frame is still near.
pub fn nearest(frames: &[Frame], at: Option<f64>) -> Result<usize, FrameError> {
    let (Some(first), Some(last)) = (frames.first(), frames.last()) else {
        return Err(FrameError::Empty);
    };
    let Some(at) = at else {
        return Ok(frames.len() - 1);
    };
    let reach = match frames {
        [a, b, ..] => 0.5 * (b.time - a.time),
        _ => 0.0,
    };
    if !(at >= first.time - reach && at <= last.time + reach) {
        let (first, last, count) = (first.time, last.time, frames.len());
        return Err(FrameError::OutOfRange { at, first, last, count });
    }
    let away = |index: &usize| (frames[*index].time - at).abs();
    let order = |a: &usize, b: &usize| away(a).total_cmp(&away(b));
    (0..frames.len()).min_by(order).ok_or(FrameError::Empty)
}

/// What all pictures of a run share: the camera and the colours of its bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shared {
    /// Vertices of some frames, world space, m.
    framing: Vec<Vec3>,
    /// Number of a colour for each body.
    colours: Vec<usize>,
}

impl Shared {
    /// From frames spread evenly from the first to the last; those that cannot be read are left out.
    pub fn new(run: &mut dyn Frames) -> Shared {
        let last = run.frames().len().saturating_sub(1);
        let mut chosen: Vec<usize> = (0..=SPREAD).map(|k| k * last / SPREAD).collect();
        chosen.dedup();
        let moments: Vec<Vec<[f32; 3]>> =
            chosen.into_iter().filter_map(|index| run.positions(index).ok()).collect();
        let ends: Vec<_> = moments.first().into_iter().chain(moments.last()).cloned().collect();
        let colours = colours(&run.info().bodies, &ends);
        let every = moments.iter().map(Vec::len).max().unwrap_or(0).div_ceil(SAMPLE).max(1);
        let points = moments.iter().flat_map(|moment| moment.iter().step_by(every));
        let points = points.map(|p| Vec3::from(p.map(f64::from)));
        Shared { framing: points.filter(|p| p.is_finite()).collect(), colours }
    }
}

/// Draws the requested frame of a run, upright by its gravity; also returns which frame it is.
///
/// All pictures of a run are seen from the same place, as far as its frames stay within those
/// that [`Shared`] looks at.
pub fn picture(
    run: &mut dyn Frames,
    wanted: &PictureSettings,
) -> Result<(Frame, Image), FrameError> {
    let shared = Shared::new(run);
    let (frame, [image]) = drawn(run, wanted, &shared, |view, look| [render_with(view, look)])?;
    Ok((frame, image))
}

/// The same for light and for dark pages, with what pictures share found before.
pub fn pictures(
    run: &mut dyn Frames,
    wanted: &PictureSettings,
    shared: &Shared,
) -> Result<(Frame, [Image; 2]), FrameError> {
    drawn(run, wanted, shared, render_both)
}

/// Reads the requested frame and draws it.
fn drawn<const N: usize>(
    run: &mut dyn Frames,
    wanted: &PictureSettings,
    shared: &Shared,
    draw: fn(&View<'_>, &Look<'_>) -> [Image; N],
) -> Result<(Frame, [Image; N]), FrameError> {
    let frames = run.frames();
    let index = nearest(&frames, wanted.at)?;
    let frame = frames[index];
    let unreadable = |why| FrameError::Unreadable { index, time: frame.time, why };
    let positions = run.positions(index).map_err(unreadable)?;
    let (overlays, mut notices) = overlays(run, &wanted.overlays, frame.time, &positions)?;
    let info = run.info();
    let view = View {
        bodies: &info.bodies,
        positions: &positions,
        obstacles: &info.obstacles,
        time: frame.time,
        size: wanted.size,
        camera: Camera::of(&info.bodies, info.gravity, wanted.from),
    };
    let Shared { framing, colours } = shared;
    let (theme, caption) = (wanted.theme, Caption::TimeAndScale);
    let look = Look { framing, colours, theme, caption, overlays: &overlays };
    let mut drawn = draw(&view, &look);
    drawn.iter_mut().for_each(|image| image.notices.append(&mut notices));
    Ok((frame, drawn))
}

/// What is drawn over a frame, and what the caller should know of it.
fn overlays(
    run: &mut dyn Frames,
    kinds: &[OverlayKind],
    time: f64,
    positions: &[[f32; 3]],
) -> Result<(Vec<Overlay>, Vec<String>), FrameError> {
    let (mut made, mut notices) = (Vec::new(), Vec::new());
    if kinds.iter().any(|kind| kind.is_of_frame()) {
        let unreadable = |why| FrameError::Unreadable { index: 0, time: 0.0, why };
        let first = run.positions(0).map_err(unreadable)?;
        match FrameBodies::new(run.info(), &first, positions) {
            Some(frame) => {
                let wanted = OverlayKind::ALL.into_iter().filter(|kind| kinds.contains(kind));
                let of_frame = wanted.filter(|kind| kind.is_of_frame());
                made.extend(of_frame.map(|kind| frame.overlay(kind)));
                notices.extend(frame.notice());
            }
            None => notices.push("no two bodies with closed surfaces: nothing overlaps".to_owned()),
        }
    }
    if kinds.contains(&OverlayKind::Balanced) {
        let scene = run.scene();
        match scene.and_then(|scene| balanced(scene.world.simulation(), positions)) {
            Ok(overlay) => made.push(overlay),
            Err(why) => notices.push(format!("no balanced contact surface: {why}")),
        }
    }
    if kinds.contains(&OverlayKind::Contacts) {
        let rows = run.contacts();
        if rows.is_empty() {
            let text = "no contacts are recorded; `record.contacts = true` in the scene does";
            notices.push(text.to_owned());
        }
        made.push(contacts(rows_at(&rows, time), positions));
    }
    let empty = made.iter().filter(|overlay| overlay.marks.is_empty());
    notices.extend(empty.map(|overlay| format!("this frame has no {}", overlay.name)));
    Ok((made, notices))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(times: &[f64]) -> Vec<Frame> {
        times.iter().zip(0..).map(|(&time, step)| Frame { step, time }).collect()
    }

    #[test]
    fn the_nearest_frame_is_found_and_the_earlier_of_two() {
        let frames = frames(&[0.0, 0.5, 1.0, 2.0]);
        for (at, index) in
            [(0.0, 0), (0.24, 0), (0.25, 0), (0.26, 1), (1.6, 3), (2.25, 3), (-0.25, 0)]
        {
            assert_eq!(nearest(&frames, Some(at)), Ok(index), "{at}");
        }
        assert_eq!(nearest(&frames, None), Ok(3));
    }

    #[test]
    fn times_out_of_range_are_named_with_the_range() {
        let times = frames(&[0.0, 0.5, 1.0]);
        let reported = |at| nearest(&times, Some(at)).unwrap_err().to_string();
        let range = "the recording goes from 0 s to 1 s in 3 frames";
        assert_eq!(reported(1.3), format!("no frame at 1.3 s: {range}"));
        assert_eq!(reported(-0.3), format!("no frame at -0.3 s: {range}"));
        assert_eq!(reported(f64::NAN), format!("no frame at NaN s: {range}"));
        assert_eq!(nearest(&[], Some(0.0)), Err(FrameError::Empty));
        assert_eq!(nearest(&frames(&[0.5]), Some(0.5)), Ok(0));
        assert!(nearest(&frames(&[0.5]), Some(0.6)).is_err());
    }
}
