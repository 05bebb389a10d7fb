//! How near two outlines from files are: `pliant proximity`.

use std::path::PathBuf;
use std::str::FromStr;

use pliant::choice::{UnknownName, from_name};
use pliant::math::Vec2;
use pliant_plane::exact::Exact;
use pliant_plane::image::Images;
use pliant_plane::outline::Outlines;
use pliant_plane::{
    Backend, BackendError, Pair, ProximityQuery, ProximityResult, QueryFlags, Side,
};
use serde::Serialize;

use pliant_io::outline::assemble::{self, assemble};
use pliant_io::outline::drawing::YAxis;
use pliant_io::outline::extent;
use pliant_io::outline::{OutlineFileError, Picked, read};

pub mod methods;

pub mod picture;

pub mod rings;

/// The usual error bound, relative to the larger box diagonal.
const USUAL_ERROR: f64 = 1e-3;

/// Share of the error bound that cutting the curves of one outline may use.
const CURVE_SHARE: f64 = 1.0 / 16.0;

/// What lengths must be that may not be zero.
const POSITIVE: &str = "above zero and finite";

/// Resolution of lengths, relative to the largest coordinate.
const ROUNDING: f64 = 1e-15;

/// The request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The first outline: a file, maybe with `#feature`.
    pub a: PathBuf,
    /// The second outline.
    pub b: PathBuf,
    /// Bound of every length, file unit; `None` for 1e-3 of the larger box diagonal.
    pub error: Option<f64>,
    /// Gap up to which boundaries touch, file unit; `None` for the error bound.
    pub contact_distance: Option<f64>,
    /// Thickness of lines, file unit; `None` for what the files say.
    pub thickness: Option<f64>,
    /// Backend.
    pub backend: BackendKind,
}

/// Which backend computes the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendKind {
    /// By segments, without an image.
    #[default]
    Exact,
    /// By images on the CPU.
    Cpu,
    /// By images on the GPU.
    Gpu,
}

impl BackendKind {
    /// All values.
    pub const ALL: [BackendKind; 3] = [BackendKind::Exact, BackendKind::Cpu, BackendKind::Gpu];

    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            BackendKind::Exact => "exact",
            BackendKind::Cpu => "cpu",
            BackendKind::Gpu => "gpu",
        }
    }
}

impl FromStr for BackendKind {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<BackendKind, UnknownName> {
        from_name(given, &BackendKind::ALL, BackendKind::name)
    }
}

/// Why proximity cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum ProximityError {
    /// A file without an outline.
    #[error(transparent)]
    File(#[from] OutlineFileError),
    /// A number without a meaning.
    #[error("{option} is {value}; it must be {rule}")]
    Option {
        /// As people write it.
        option: &'static str,
        /// As given, file unit.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// Outlines that are too small to measure.
    #[error("{label}: the outline is {extent:e} large, areas vanish; change the unit")]
    TooSmall {
        /// The argument.
        label: String,
        /// Diagonal of its box, file unit.
        extent: f64,
    },
    /// Rings that make no outline.
    #[error("{label}: {what}")]
    Outline {
        /// The argument.
        label: String,
        /// What is wrong.
        what: String,
    },
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// A method that a backend cannot do.
    #[error("{method} with --backend {backend}: {refusal}")]
    Method {
        /// Its name.
        method: String,
        /// The backend.
        backend: &'static str,
        /// Why, and what there is instead.
        refusal: &'static str,
    },
    /// Methods of images without images.
    #[error("--method is for images: take --backend cpu or gpu, or leave --method out")]
    NoImages,
    /// A bound that needs too many pixels.
    #[error(
        "--error {bound:e} needs {pixels:e} pixels, images have {most:e} at most: take at least \
         {least:e}, or leave --method out, as segments need no image"
    )]
    Pixels {
        /// Half the diagonal of a pixel, file unit.
        bound: f64,
        /// Pixels needed.
        pixels: f64,
        /// Pixels allowed.
        most: f64,
        /// A bound that fits, file unit.
        least: f64,
    },
    /// Images could not be drawn.
    #[error("{what}")]
    Images {
        /// Why.
        what: String,
    },
}

/// The result as `pliant proximity --json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Bound of every length, file unit.
    pub error_bound: f64,
    /// The backend used: `exact`, `cpu` or `gpu`.
    pub backend: &'static str,
    /// Whether the outlines share a point; exact.
    pub intersects: bool,
    /// Area that both cover, file unit squared.
    pub overlap_area: f64,
    /// The shortest way between them; `None` when they intersect.
    pub separation: Option<SeparationReport>,
    /// Boundary points of one inside the other.
    pub penetration: Vec<PenetrationReport>,
    /// One for each stretch of touching boundaries.
    pub contacts: Vec<ContactReport>,
    /// The shortest way that takes a off b; `None` when they do not intersect.
    pub least_translation: Option<TranslationReport>,
    /// What was left out, changed or should be known.
    pub notices: Vec<String>,
}

/// The shortest way between two outlines.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SeparationReport {
    /// Its length, file unit.
    pub distance: f64,
    /// Its end on a, file unit.
    pub on_a: [f64; 2],
    /// Its end on b, file unit.
    pub on_b: [f64; 2],
}

/// A point inside the other outline.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PenetrationReport {
    /// `a` or `b`.
    pub of: &'static str,
    /// The point, file unit.
    pub position: [f64; 2],
    /// Way to go, file unit.
    pub depth: f64,
    /// Unit vector out.
    pub direction: [f64; 2],
}

/// The shortest way that takes a off b.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TranslationReport {
    /// How far a must go, file unit.
    pub distance: f64,
    /// Unit vector along which a goes.
    pub direction: [f64; 2],
    /// Whether none is shorter: both outlines are convex, or only touch. Otherwise the
    /// distance is an upper bound; the deepest point in `penetration` is a lower one.
    pub exact: bool,
}

/// A place where boundaries touch.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ContactReport {
    /// Middle between the closest points, file unit.
    pub position: [f64; 2],
    /// Unit vector along which a leaves b.
    pub normal: [f64; 2],
}

/// The result and its input.
#[derive(Clone, Debug)]
pub struct Found {
    /// The report.
    pub report: Report,
    /// Both outlines, a and b.
    pub outlines: Outlines,
    /// The result of the library.
    pub answer: ProximityResult,
    /// The query to the backend.
    pub question: ProximityQuery,
    /// Which way y points in both files.
    pub upright: YAxis,
}

/// Two outlines from files, and what to find out.
struct Input {
    outlines: Outlines,
    question: ProximityQuery,
    notices: Vec<String>,
    /// Bound that is reported, file unit.
    error: f64,
    upright: YAxis,
}

/// Reads two outlines.
fn read_pair(request: &Request) -> Result<Input, ProximityError> {
    check(request)?;
    let files = [read(&request.a)?, read(&request.b)?];
    let error = match request.error {
        Some(error) => error,
        None => USUAL_ERROR * diagonal(&files, request.thickness)?,
    };
    let wanted = assemble::Wanted { bound: CURVE_SHARE * error, thickness: request.thickness };
    let mut outlines = Outlines::default();
    let mut notices = Vec::new();
    let (mut flattened, mut missed, mut extents) = (0.0, 0.0, 0.0_f64);
    for file in &files {
        let assembled = assemble(file, wanted)?;
        flattened += assembled.error.min(wanted.bound);
        missed += (assembled.error - wanted.bound).max(0.0);
        extents = extents.max(largest(&assembled.rings));
        let label = &file.label;
        let extent = extent::diagonal(assembled.rings.iter().flatten().copied());
        if extent < extent::SMALLEST {
            return Err(ProximityError::TooSmall { label: label.clone(), extent });
        }
        let reported = assembled.push(&mut outlines);
        let reported =
            reported.map_err(|what| ProximityError::Outline { label: label.clone(), what })?;
        notices.extend(reported.into_iter().map(|notice| format!("{label}: {notice}")));
    }
    let contact_distance = request.contact_distance.unwrap_or(error);
    // What the curves used up, the backend must not use again.
    let question =
        ProximityQuery { error: error - flattened, contact_distance, flags: QueryFlags::ALL };
    // The bound that is reported includes what curves exceeded, and the resolution of numbers.
    let error = (error + missed).max(ROUNDING * extents);
    let down = files.iter().all(|file| file.drawing.upright == YAxis::Down);
    let upright = if down { YAxis::Down } else { YAxis::Up };
    Ok(Input { outlines, question, notices, error, upright })
}

/// Reads two outlines and measures how near they are.
pub fn proximity(request: &Request) -> Result<Found, ProximityError> {
    let Input { outlines, question, mut notices, error, upright } = read_pair(request)?;
    let mut backend = backend(request.backend, &mut notices);
    let mut answers = Vec::new();
    backend.query(&outlines, &[Pair { a: 0, b: 1 }], &question, &mut answers)?;
    let answer = answers.pop().unwrap_or_default();
    notices.extend(answer.notices.iter().map(ToString::to_string));
    let report = Report::new(error, backend.name(), &answer, notices);
    Ok(Found { report, outlines, answer, question, upright })
}

/// The backend; where the requested one is not available, a notice and the next best.
fn backend(kind: BackendKind, notices: &mut Vec<String>) -> Box<dyn Backend> {
    match kind {
        BackendKind::Exact => Box::new(Exact::default()),
        BackendKind::Cpu => Box::new(Images::default()),
        BackendKind::Gpu => match gpu() {
            Ok((gpu, adapter)) => {
                notices.push(format!("using {adapter}"));
                gpu
            }
            Err(why) => {
                notices.push(format!("{why}; falling back to CPU"));
                Box::new(Images::default())
            }
        },
    }
}

#[cfg(feature = "gpu")]
fn gpu() -> Result<(Box<dyn Backend>, String), String> {
    let gpu = pliant_gpu::Gpu::new().map_err(|error| error.to_string())?;
    let adapter = gpu.adapter().to_string();
    Ok((Box::new(gpu), adapter))
}

#[cfg(not(feature = "gpu"))]
fn gpu() -> Result<(Box<dyn Backend>, String), String> {
    Err("this pliant was built without the GPU backend (cargo's `--features gpu` adds it)"
        .to_string())
}

/// Largest coordinate of some rings, file unit.
fn largest(rings: &[Vec<Vec2>]) -> f64 {
    rings.iter().flatten().map(|point| point.abs().max_element()).fold(0.0, f64::max)
}

/// Refuses numbers without a meaning before any file is read.
fn check(request: &Request) -> Result<(), ProximityError> {
    let numbers = [
        ("--error", request.error, POSITIVE),
        ("--contact-distance", request.contact_distance, "finite and not negative"),
        ("--thickness", request.thickness, POSITIVE),
    ];
    numbers.into_iter().try_for_each(|(option, value, rule)| check_number(option, value, rule))
}

/// Refuses a number that is not finite and above zero, or at least not negative, as the rule says.
fn check_number(
    option: &'static str,
    value: Option<f64>,
    rule: &'static str,
) -> Result<(), ProximityError> {
    let Some(value) = value else { return Ok(()) };
    let is_good = value.is_finite() && (value > 0.0 || (value == 0.0 && rule != POSITIVE));
    if is_good { Ok(()) } else { Err(ProximityError::Option { option, value, rule }) }
}

/// The larger of the diagonals of both boxes, file unit.
fn diagonal([a, b]: &[Picked; 2], thickness: Option<f64>) -> Result<f64, ProximityError> {
    Ok(extent::extent(a, thickness)?.max(extent::extent(b, thickness)?))
}

impl Report {
    fn new(
        error: f64,
        backend: &'static str,
        answer: &ProximityResult,
        notices: Vec<String>,
    ) -> Report {
        let separation = answer.separation.map(|way| SeparationReport {
            distance: way.distance,
            on_a: way.on_a.to_array(),
            on_b: way.on_b.to_array(),
        });
        let penetration = answer.penetration.iter().map(|point| PenetrationReport {
            of: if point.of == Side::A { "a" } else { "b" },
            position: point.position.to_array(),
            depth: point.depth,
            direction: point.direction.to_array(),
        });
        let contacts = answer.contacts.iter().map(|contact| ContactReport {
            position: contact.position.to_array(),
            normal: contact.normal.to_array(),
        });
        let least_translation = answer.least_translation.map(|least| TranslationReport {
            distance: least.distance,
            direction: least.direction.to_array(),
            exact: least.exact,
        });
        Report {
            error_bound: error,
            backend,
            intersects: answer.intersects,
            overlap_area: answer.overlap_area,
            separation,
            penetration: penetration.collect(),
            contacts: contacts.collect(),
            least_translation,
            notices,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_is_found_by_its_name_and_reports_it() {
        for kind in BackendKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!("processor".parse::<BackendKind>().is_err());
        for kind in [BackendKind::Exact, BackendKind::Cpu] {
            assert_eq!(backend(kind, &mut Vec::new()).name(), kind.name());
        }
    }
}
