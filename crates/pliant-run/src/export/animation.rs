//! Animated pictures: GIF and APNG.
//!
//! The camera stands still: it frames all that the bodies reach in the chosen frames. Frames last
//! as long as in the recording, as far as the format can say so.

use std::io;
use std::path::Path;

use gif::Repeat;
use pliant::math::Vec3;
use png::{BitDepth, ColorType, Compression};

use super::output::{Stop, write_file};
use super::{ExportError, Frames};
use crate::picture::{Camera, Image, View, render_framing};

/// How much the colours of a GIF are sampled, 1 (all pixels) to 30.
const SAMPLING: i32 = 10;

/// Least time of a frame in a GIF, in its unit of 1/100 s: players take less for a mistake.
const LEAST_DELAY: u16 = 2;

/// Writes a GIF file.
pub(super) fn write_gif(frames: &mut Frames, out: &Path) -> Result<u64, ExportError> {
    let (delays, corners) = (delays(frames, 100), reach(frames)?);
    if delays.iter().any(|&delay| delay < LEAST_DELAY) {
        let notice = "frames of a GIF last 0.02 s at least: it plays slower than the run; \
                      take fewer frames, as with --every 2, or write apng";
        frames.notices.push(notice.to_string());
    }
    write_file(out, |file| {
        let [width, height] = frames.settings.size.map(|side| side as u16);
        let mut encoder = gif::Encoder::new(file, width, height, &[]).map_err(gif_error)?;
        encoder.set_repeat(Repeat::Infinite).map_err(gif_error)?;
        for (index, delay) in delays.iter().enumerate() {
            let pixels = draw(frames, index, &corners)?.pixels.concat();
            let mut frame = gif::Frame::from_rgb_speed(width, height, &pixels, SAMPLING);
            frame.delay = (*delay).max(LEAST_DELAY);
            encoder.write_frame(&frame).map_err(gif_error)?;
        }
        Ok(())
    })
}

/// Writes an animated PNG file.
pub(super) fn write_apng(frames: &mut Frames, out: &Path) -> Result<u64, ExportError> {
    let (delays, corners) = (delays(frames, 1000), reach(frames)?);
    write_file(out, |file| {
        let [width, height] = frames.settings.size;
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Balanced);
        encoder.set_animated(frames.len() as u32, 0).map_err(png_error)?;
        let mut writer = encoder.write_header().map_err(png_error)?;
        for (index, delay) in delays.iter().enumerate() {
            let pixels = draw(frames, index, &corners)?.pixels.concat();
            writer.set_frame_delay(*delay, 1000).map_err(png_error)?;
            writer.write_image_data(&pixels).map_err(png_error)?;
        }
        writer.finish().map_err(png_error)
    })
}

fn gif_error(error: gif::EncodingError) -> Stop {
    match error {
        gif::EncodingError::Io(error) => Stop::Io(error),
        error => Stop::Io(io::Error::other(error)),
    }
}

fn png_error(error: png::EncodingError) -> Stop {
    match error {
        png::EncodingError::IoError(error) => Stop::Io(error),
        error => Stop::Io(io::Error::other(error)),
    }
}

/// How long each frame lasts, in parts of a second; the last as long as the one before.
///
/// Times are rounded, not their differences, so that the whole lasts as long as the run.
fn delays(frames: &Frames, per_second: u32) -> Vec<u16> {
    let at = |index: usize| (frames.time(index) * f64::from(per_second)).round();
    let mut delays: Vec<u16> =
        (1..frames.len()).map(|index| (at(index) - at(index - 1)) as u16).collect();
    delays.push(delays.last().copied().unwrap_or(per_second as u16));
    delays
}

/// Corners of the box around all bodies in all chosen frames, world space, m.
fn reach(frames: &mut Frames) -> Result<Vec<Vec3>, ExportError> {
    let (mut least, mut most) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for index in frames.indices.clone() {
        for position in frames.recording.read(index)?.positions {
            let point = Vec3::from(position.map(f64::from));
            if point.is_finite() {
                (least, most) = (least.min(point), most.max(point));
            }
        }
    }
    if !least.is_finite() {
        return Ok(Vec::new());
    }
    let pick = |k: u32, axis: u32| if k >> axis & 1 == 0 { least } else { most };
    Ok((0..8).map(|k| Vec3::new(pick(k, 0).x, pick(k, 1).y, pick(k, 2).z)).collect())
}

/// One frame; what its picture leaves out is noted once.
fn draw(frames: &mut Frames, index: usize, corners: &[Vec3]) -> Result<Image, ExportError> {
    let frame = frames.read(index)?;
    let (info, settings) = (frames.recording.info(), frames.settings);
    let view = View {
        bodies: &info.bodies,
        positions: &frame.positions,
        obstacles: &info.obstacles,
        time: frame.time,
        size: settings.size,
        camera: Camera::of(&info.bodies, info.gravity, settings.from),
    };
    let image = render_framing(&view, corners);
    for notice in &image.notices {
        if !frames.notices.contains(notice) {
            frames.notices.push(notice.clone());
        }
    }
    Ok(image)
}
