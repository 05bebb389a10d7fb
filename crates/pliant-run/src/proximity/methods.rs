//! The paper's methods on two outlines, one by one and compared: `pliant proximity --method`.
//!
//! Each draws images and reads one number off them, which stands beside the exact one: whether
//! the outlines intersect, the area that both cover, their separation where they are apart, or
//! the depth of points of one inside the other.

mod cpu;

#[cfg(feature = "gpu")]
mod gpu;

mod measure;

use std::time::Instant;

use pliant_plane::exact::Exact;
use pliant_plane::field::{Field, Window};
use pliant_plane::localize::{LocalizeSettings, Localizer};
use pliant_plane::raster::overlap::Strategy;
use pliant_plane::{Backend, Pair};
use serde::Serialize;

use super::{BackendKind, Input, ProximityError, Request, read_pair};
use measure::{Measured, Overlap, Probe};

/// Runs no longer than this are timed a second time, warm, s.
const SHORT: f64 = 0.2;

/// What of each outline is drawn to find what both cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intersection {
    /// Thickened boundaries of both.
    BoundaryBoundary,
    /// The boundary of a, the inside of b.
    BoundaryVolume,
    /// The insides of both.
    VolumeVolume,
}

/// How a distance field is drawn, and where its sign is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldBy {
    /// Cones and tents in the depth buffer, the sign in the stencil.
    Stencil,
    /// The same with the sign as a colour.
    Colour,
    /// The same with the sign as a bit of the nearest segment's number.
    SiteBit,
    /// Exact distances in tiles of pixels; not the paper's.
    Tiles,
}

/// One of the paper's methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Pixels that both cover, by one use of the frame buffer.
    Shared(Intersection, Strategy),
    /// Number and box of these pixels, without reading the image.
    MinMax,
    /// Whether there are any, without reading the image.
    Occlusion,
    /// A whole distance field, read between its pixels.
    Field(FieldBy),
    /// Only the pixels around the points that are read.
    SinglePixels,
    /// Only windows that trees of boxes of this height leave.
    Localised(u32),
}

impl Method {
    /// All of them, in the order of the paper.
    pub fn all() -> Vec<Method> {
        let kinds = [
            Intersection::BoundaryBoundary,
            Intersection::BoundaryVolume,
            Intersection::VolumeVolume,
        ];
        let mut all = Vec::new();
        for kind in kinds {
            all.extend(Strategy::ALL.map(|strategy| Method::Shared(kind, strategy)));
        }
        all.extend([Method::MinMax, Method::Occlusion]);
        let fields = [FieldBy::Stencil, FieldBy::Colour, FieldBy::SiteBit, FieldBy::Tiles];
        all.extend(fields.map(Method::Field));
        all.push(Method::SinglePixels);
        all.extend([0, 2, 4, 8].map(Method::Localised));
        all
    }

    /// The stable name, on which other programs may rely: group, then choice.
    pub fn name(self) -> String {
        let (group, choice) = match self {
            Method::Shared(kind, strategy) => {
                let group = match kind {
                    Intersection::BoundaryBoundary => "boundary-boundary",
                    Intersection::BoundaryVolume => "boundary-volume",
                    Intersection::VolumeVolume => "volume-volume",
                };
                let choice = match strategy {
                    Strategy::Stencil => "stencil",
                    Strategy::Blend => "blend",
                    Strategy::Logic => "logic",
                    Strategy::ColourDepth => "depth",
                };
                (group, choice.to_owned())
            }
            Method::MinMax => return "min-max".to_owned(),
            Method::Occlusion => return "occlusion".to_owned(),
            Method::Field(FieldBy::Tiles) => return "tiles".to_owned(),
            Method::Field(FieldBy::Stencil) => ("cones-and-tents", "stencil".to_owned()),
            Method::Field(FieldBy::Colour) => ("cones-and-tents", "colour".to_owned()),
            Method::Field(FieldBy::SiteBit) => ("cones-and-tents", "site-bit".to_owned()),
            Method::SinglePixels => return "single-pixels".to_owned(),
            Method::Localised(height) => ("localised", height.to_string()),
        };
        format!("{group}/{choice}")
    }

    /// The methods that a word names: `all`, a whole name, or the group before its slash.
    pub fn named(word: &str) -> Option<Vec<Method>> {
        let mut found = Method::all();
        found.retain(|method| {
            let name = method.name();
            word == "all" || name == word || name.split('/').next() == Some(word)
        });
        (!found.is_empty()).then_some(found)
    }

    /// Every word that [`Method::named`] knows.
    pub fn words() -> Vec<String> {
        let mut words = vec!["all".to_owned()];
        for name in Method::all().into_iter().map(Method::name) {
            let group = name.split('/').next().unwrap_or_default().to_owned();
            for word in [group, name] {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        words
    }
}

/// A number read off images.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Whether they intersect.
    Flag(bool),
    /// Area, file unit squared, or length, file unit.
    Number(f64),
}

/// One method on one backend.
#[derive(Clone, Debug, Serialize)]
pub struct MethodReport {
    /// Its name.
    pub method: String,
    /// `cpu` or `gpu`.
    pub backend: &'static str,
    /// What it finds: `intersects`, `overlap_area`, `separation` or `depth`.
    pub quantity: &'static str,
    /// What it found; `None` where it cannot.
    pub value: Option<Value>,
    /// What is exact.
    pub exact: Option<Value>,
    /// Largest difference over all points, file unit or its square; `None` for flags.
    pub difference: Option<f64>,
    /// Number of pixels drawn.
    pub pixels: u64,
    /// Time from outlines to the value, ms.
    pub milliseconds: Option<f64>,
    /// Why it differs, or why the backend cannot do it.
    pub remark: Option<String>,
}

/// The comparison as `pliant proximity --method … --json` prints it.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Half the diagonal of a pixel, file unit.
    pub error_bound: f64,
    /// Whether the outlines share a point; exact.
    pub intersects: bool,
    /// A row for each method and backend.
    pub methods: Vec<MethodReport>,
    /// What should be known.
    pub notices: Vec<String>,
}

/// Reads two outlines and measures them by each of some methods.
///
/// Without a backend in the request, by all there are. A method that the requested backend
/// cannot do is an error; among several it is a row with the reason.
pub fn compare(
    request: &Request,
    backend: Option<BackendKind>,
    methods: &[Method],
) -> Result<Comparison, ProximityError> {
    let Input { outlines, question, mut notices, .. } = read_pair(request)?;
    let pair = Pair { a: 0, b: 1 };
    let mut answers = Vec::new();
    Exact::default().query(&outlines, &[pair], &question, &mut answers)?;
    let answer = answers.pop().unwrap_or_default();
    let overlap = Overlap::new(&outlines, question.error, &answer);
    let probe = Probe::new(&outlines, question.error, &answer);
    let mut reports = Vec::new();
    for mut painter in painters(backend, &mut notices)? {
        for method in methods {
            let refusal = painter.refusal(*method);
            if let (Some(refusal), [_]) = (refusal, methods)
                && backend.is_some()
            {
                let (method, backend) = (method.name(), painter.name());
                return Err(ProximityError::Method { method, backend, refusal });
            }
            let row = Row { method: *method, overlap: &overlap, probe: &probe };
            let report = row.report(&mut *painter, refusal)?;
            // Among several, one that fails is a row that says why.
            if let (None, [_], Some(what)) = (report.milliseconds, methods, &report.remark)
                && backend.is_some()
            {
                return Err(ProximityError::Images { what: what.clone() });
            }
            reports.push(report);
        }
    }
    let (error_bound, intersects) = (question.error, answer.intersects);
    Ok(Comparison { error_bound, intersects, methods: reports, notices })
}

/// What draws images.
trait Painter {
    /// `cpu` or `gpu`.
    fn name(&self) -> &'static str;

    /// Why it cannot do a method, and what there is instead; `None` where it can.
    fn refusal(&self, method: Method) -> Option<&'static str>;

    /// Number of pixels that both cover.
    fn shared(&mut self, o: &Overlap<'_>, of: Intersection, by: Strategy) -> Result<u64, String>;

    /// The same for both insides, without reading the image.
    fn extent(&mut self, overlap: &Overlap<'_>) -> Result<u64, String>;

    /// Whether there are any, without reading the image.
    fn any(&mut self, overlap: &Overlap<'_>) -> Result<bool, String>;

    /// Distance fields in some windows.
    fn fields(
        &mut self,
        probe: &Probe<'_>,
        windows: &[Window],
        by: FieldBy,
    ) -> Result<Vec<Field>, String>;

    /// A field with the pixels around the points alone; how many were drawn.
    fn pixels(&mut self, probe: &Probe<'_>) -> Result<(Field, u64), String>;
}

/// The backends there are, or the requested one.
fn painters(
    backend: Option<BackendKind>,
    notices: &mut Vec<String>,
) -> Result<Vec<Box<dyn Painter>>, ProximityError> {
    let mut painters: Vec<Box<dyn Painter>> = Vec::new();
    if backend == Some(BackendKind::Exact) {
        return Err(ProximityError::NoImages);
    }
    if backend != Some(BackendKind::Gpu) {
        painters.push(Box::new(cpu::Cpu::default()));
    }
    if backend != Some(BackendKind::Cpu) {
        match gpu_painter() {
            Ok((painter, adapter)) => {
                notices.push(format!("using {adapter}"));
                painters.push(painter);
            }
            Err(why) if backend.is_some() => {
                notices.push(format!("{why}; falling back to CPU"));
                painters.push(Box::new(cpu::Cpu::default()));
            }
            Err(why) => notices.push(format!("{why}; methods on the GPU are left out")),
        }
    }
    Ok(painters)
}

#[cfg(feature = "gpu")]
fn gpu_painter() -> Result<(Box<dyn Painter>, String), String> {
    let gpu = gpu::OnGpu::new()?;
    let adapter = gpu.adapter();
    Ok((Box::new(gpu), adapter))
}

#[cfg(not(feature = "gpu"))]
fn gpu_painter() -> Result<(Box<dyn Painter>, String), String> {
    Err("this program was built without the feature gpu".to_string())
}

/// One method on the outlines.
struct Row<'a> {
    method: Method,
    overlap: &'a Overlap<'a>,
    probe: &'a Probe<'a>,
}

impl Row<'_> {
    /// Measures, twice where that is quick, and compares with what is exact.
    fn report(
        &self,
        painter: &mut dyn Painter,
        refusal: Option<&'static str>,
    ) -> Result<MethodReport, ProximityError> {
        let (quantity, exact) = self.quantity();
        let mut report = MethodReport {
            method: self.method.name(),
            backend: painter.name(),
            quantity,
            value: None,
            exact,
            difference: None,
            pixels: 0,
            milliseconds: None,
            remark: refusal.map(str::to_owned),
        };
        if refusal.is_some() {
            return Ok(report);
        }
        self.check_size()?;
        let mut best = f64::INFINITY;
        for _ in 0..2 {
            let start = Instant::now();
            let found = match self.measure(painter) {
                Ok(found) => found,
                Err(why) => return Ok(MethodReport { remark: Some(why), ..report }),
            };
            let time = start.elapsed().as_secs_f64();
            best = best.min(time);
            (report.value, report.difference) = (found.value, found.difference);
            (report.pixels, report.remark) = (found.pixels, found.remark);
            if time > SHORT {
                break;
            }
        }
        report.milliseconds = Some(1e3 * best);
        Ok(report)
    }

    /// What it finds, and what that is exactly.
    fn quantity(&self) -> (&'static str, Option<Value>) {
        match self.method {
            Method::Shared(Intersection::VolumeVolume, _) | Method::MinMax => {
                ("overlap_area", Some(Value::Number(self.overlap.area)))
            }
            Method::Shared(..) | Method::Occlusion => {
                ("intersects", Some(Value::Flag(self.overlap.intersects)))
            }
            _ => (self.probe.quantity(), self.probe.exact().map(Value::Number)),
        }
    }

    /// Refuses bounds too small for an image.
    fn check_size(&self) -> Result<(), ProximityError> {
        let on_field = matches!(self.method, Method::Field(_) | Method::SinglePixels);
        let pixels = if on_field { self.probe.needs } else { self.overlap.needs };
        let is_windowed = matches!(self.method, Method::Localised(_));
        let most = measure::MOST_PIXELS;
        if pixels <= most || is_windowed {
            return Ok(());
        }
        let bound = self.overlap.error;
        Err(ProximityError::Pixels { bound, pixels, most, least: bound * (pixels / most).sqrt() })
    }

    fn measure(&self, painter: &mut dyn Painter) -> Result<Measured, String> {
        let (overlap, probe) = (self.overlap, self.probe);
        match self.method {
            Method::Shared(of, by) => {
                let count = painter.shared(overlap, of, by)?;
                Ok(overlap.found(of, count))
            }
            Method::MinMax => {
                let count = painter.extent(overlap)?;
                Ok(overlap.found(Intersection::VolumeVolume, count))
            }
            Method::Occlusion => {
                let any = painter.any(overlap)?;
                Ok(overlap.flag(Intersection::VolumeVolume, u64::from(any)))
            }
            Method::Field(by) => {
                let windows: Vec<Window> = probe.window().into_iter().collect();
                let fields = painter.fields(probe, &windows, by)?;
                Ok(probe.found(&fields, None))
            }
            Method::SinglePixels => {
                let (field, drawn) = painter.pixels(probe)?;
                Ok(probe.found(&[field], Some(drawn)))
            }
            Method::Localised(height) => {
                let mut localizer = Localizer::default();
                let windows = probe.regions(&mut localizer, LocalizeSettings { height })?;
                let fields = painter.fields(probe, &windows, FieldBy::Tiles)?;
                Ok(probe.found(&fields, None))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name_and_its_group() {
        let all = Method::all();
        assert_eq!(all.len(), 3 * 4 + 2 + 4 + 1 + 4);
        for method in &all {
            assert_eq!(Method::named(&method.name()), Some(vec![*method]));
        }
        assert_eq!(Method::named("all"), Some(all));
        assert_eq!(Method::named("volume-volume").map(|found| found.len()), Some(4));
        assert_eq!(Method::named("cones-and-tents").map(|found| found.len()), Some(3));
        assert_eq!(Method::named("volume"), None);
        assert_eq!(Method::words().len(), 1 + 23 + 5);
    }
}
