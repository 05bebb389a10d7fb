//! A dropped file: a mesh becomes a body of the scene that is there, or two of a scene of its
//! own; an outline a scene of its own, a scene stays one.

use std::path::Path;

use pliant::math::{Aabb, Vec3};
use pliant::mesh::generate::stuffing::{StuffingSettings, stuffed};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant_io::files::{Files, Memory};
use pliant_io::mesh::parse::Format;
use pliant_scene::diagnostic::Sources;
use serde::Serialize;

use crate::command::Refusal;
use crate::live::Live;
use crate::profiler::Clock;

/// Bytes of a file at most: its reader needs several times as much memory.
const MOST_BYTES: usize = 200 << 20;

/// Endings of files with outlines.
const OUTLINES: [&str; 5] = ["svg", "geojson", "json", "wkt", "txt"];

/// Tets along the longest side of a filled surface, the coarsest first: thin parts need finer ones.
const FILLINGS: [f64; 5] = [5.0, 8.0, 14.0, 24.0, 40.0];

/// Tets of a filled surface at most.
const MOST_TETS: usize = 60_000;

/// Density of a body that is dropped, kg/m³.
const DENSITY: f64 = 500.0;

/// Its Young's modulus over density and size, m²/s²: as firm under its weight at any size.
const STIFFNESS: f64 = 200.0;

/// Room between it and the bodies below, from its middle, in its sizes.
const CLEARANCE: f64 = 0.9;

/// A scene made of a file.
#[derive(Clone, Debug, Serialize)]
pub struct DroppedScene {
    /// Its name.
    pub name: String,
    /// TOML.
    pub text: String,
    /// What was read, one sentence.
    pub about: String,
    /// Whether it is the scene that was there, with a body more.
    pub joins: bool,
}

/// The scene of a file that was put before, beside one that is there.
pub fn scene(
    files: &Memory,
    name: &str,
    live: Option<&Live>,
    now: Clock,
) -> Result<DroppedScene, Refusal> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let bytes = files.read(Path::new(name)).map_err(Refusal::new)?;
    if bytes.len() > MOST_BYTES {
        let (size, most) = (bytes.len() >> 20, MOST_BYTES >> 20);
        return Err(Refusal::new(format!(
            "{name} has {size} MB, and this page reads up to {most} MB; \
             read it with the program: pliant check"
        )));
    }
    match ending.as_str() {
        "toml" => {
            let text = String::from_utf8(bytes)
                .map_err(|_| Refusal::new(format!("{name} is not text in UTF-8")))?;
            let (about, joins) = (format!("the scene {name}"), false);
            Ok(DroppedScene { name: name.to_owned(), text, about, joins })
        }
        ending if OUTLINES.contains(&ending) => outline(files, name, now),
        _ if Format::of_name(name).is_some() => {
            let shape = Shape::read(files, name)?;
            match live.filter(|live| !live.is_plane()) {
                Some(live) => Ok(joined(live, name, &shape)),
                None => Ok(alone(&shape)),
            }
        }
        _ => Err(Refusal::new(format!(
            "{name} is no scene (.toml), mesh ({}) or outline (.svg .geojson .wkt)",
            pliant_io::mesh::READABLE
        ))),
    }
}

/// A mesh that was read, as a scene names it.
struct Shape {
    /// Keys of `mesh`.
    keys: String,
    /// What was read.
    about: String,
    /// In the file's unit.
    around: Aabb,
    /// Longest side, in the file's unit.
    largest: f64,
}

impl Shape {
    fn read(files: &Memory, name: &str) -> Result<Shape, Refusal> {
        let raw = pliant_io::mesh::read_from(files, Path::new(name)).map_err(Refusal::new)?.mesh;
        let around = Aabb::around(raw.positions.iter().copied().filter(|p| p.is_finite()));
        let largest = around.size().max_element();
        if !(largest > 0.0 && largest.is_finite()) {
            return Err(Refusal::new(format!(
                "{name} has no extent: all vertices are in one place"
            )));
        }
        let tets = raw.tets.len();
        if tets > 0 {
            let keys = format!("kind = \"file\", path = {}", quoted(name));
            return Ok(Shape { keys, about: format!("{tets} tets of {name}"), around, largest });
        }
        let (edge, tets) = filling(raw, largest)
            .map_err(|why| Refusal::new(format!("{name} cannot be filled with tets: {why}")))?;
        let about = format!("the surface {name}, filled with {tets} tets");
        let keys = format!("kind = \"stuffed\", path = {}, size = {edge:?}", quoted(name));
        Ok(Shape { keys, about, around, largest })
    }

    /// A soft body of some size with its middle somewhere, m.
    fn body(&self, name: &str, size: f64, middle: Vec3) -> String {
        let scale = size / self.largest;
        let place = middle - 0.5 * scale * (self.around.min + self.around.max);
        format!(
            "[[bodies]]\nname = {}\nmesh = {{ {} }}\nscale = {scale:?}\nposition = {:?}\n\
             material = {{ kind = \"corotational\", young = {:?}, poisson = 0.4, \
             density = {DENSITY:?}, damping = 0.01 }}\n\n",
            quoted(name),
            self.keys,
            place.to_array(),
            STIFFNESS * DENSITY * size,
        )
    }
}

/// Two copies of a mesh that fall onto a floor.
fn alone(shape: &Shape) -> DroppedScene {
    let middle = |k: f64| Vec3::new(0.06 * k, 0.04 * k, (0.25 + 0.36 * k) + 0.15);
    let bodies = shape.body("below", 0.3, middle(0.0)) + &shape.body("above", 0.3, middle(1.0));
    let text = format!(
        "name = \"dropped\"\ndescription = \"{about}: two copies fall onto a floor.\"\n\
         duration = 10.0\ndt = \"=1/60\"\n\n{bodies}\
         [[obstacles]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\n",
        about = shape.about.replace(['"', '\\'], "'"),
    );
    let about = shape.about.clone();
    DroppedScene { name: "dropped".to_owned(), text, about, joins: false }
}

/// The scene that is there with a mesh above its bodies, as large as they are on average.
fn joined(live: &Live, file: &str, shape: &Shape) -> DroppedScene {
    let info = &live.scene.info;
    let boxes: Vec<Aabb> = info
        .bodies
        .iter()
        .filter(|body| !body.vertices.is_empty())
        .map(|body| Aabb::around(live.positions()[body.vertices.clone()].iter().copied()))
        .collect();
    let sizes = boxes.iter().map(|around| around.size().max_element());
    let size = sizes.sum::<f64>() / boxes.len().max(1) as f64;
    let size = if size > 0.0 && size.is_finite() { size } else { 0.3 };
    let all = Aabb::around(boxes.iter().flat_map(|around| [around.min, around.max]));
    let up = (-Vec3::from(info.gravity)).try_normalize().unwrap_or(Vec3::Z);
    let (middle, half) = (0.5 * (all.min + all.max), 0.5 * all.size());
    let middle = if boxes.is_empty() { Vec3::ZERO } else { middle };
    let above =
        middle + up * (half.dot(up.abs()) * f64::from(!boxes.is_empty()) + CLEARANCE * size);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_taken = |name: &str| info.bodies.iter().any(|body| body.name == name);
    let mut name = stem.to_owned();
    let mut number = 2;
    while is_taken(&name) {
        name = format!("{stem}-{number}");
        number += 1;
    }
    let text = format!("{}\n\n{}", live.sources.text, shape.body(&name, size, above));
    let about = shape.about.clone();
    DroppedScene { name: live.sources.name.clone(), text, about, joins: true }
}

/// The coarsest lattice that fills a surface, m, and its tets.
fn filling(raw: RawMesh, largest: f64) -> Result<(f64, usize), String> {
    let (surface, _) = Surface::from_raw(raw).map_err(|error| error.to_string())?;
    let volume = surface.volume();
    let mut why = String::new();
    for parts in FILLINGS {
        let size = largest / parts;
        match stuffed(&surface, StuffingSettings { size }) {
            Ok(made) if made.mesh.tets().len() > MOST_TETS => {
                why = format!("{} tets are more than {MOST_TETS}", made.mesh.tets().len());
                break;
            }
            // What is lost of the volume is thinner than the tets.
            Ok(made) if (made.stats.volume / volume - 1.0).abs() < 0.25 => {
                return Ok((size, made.mesh.tets().len()));
            }
            Ok(_) => why = "parts of it are too thin".to_owned(),
            Err(error) => why = error.to_string(),
        }
    }
    Err(why)
}

/// Two copies of an outline that drift into each other.
fn outline(files: &Memory, name: &str, now: Clock) -> Result<DroppedScene, Refusal> {
    // Its size is known once it is read as a body.
    let alone = outlines(name, "an outline", 1.0);
    let sources = Sources { name: name.to_owned(), text: alone, sets: Vec::new() };
    // The place is one in a scene that nobody wrote.
    let live = Live::load(sources, files, now).map_err(|refusal| {
        let line = refusal.error.lines().next().unwrap_or_default();
        Refusal::new(line.split_once(": ").map_or(line, |(_, message)| message))
    })?;
    let points = live.scene.world.positions(live.bodies[0]).map_err(Refusal::new)?;
    let around = Aabb::around(points.iter().copied());
    let largest = (around.max - around.min).max_element();
    let about = format!("the outline {name} of {} segments", points.len());
    let text = outlines(name, &about.replace(['"', '\\'], "'"), 1.0 / largest);
    Ok(DroppedScene { name: "dropped".to_owned(), text, about, joins: false })
}

fn outlines(name: &str, about: &str, scale: f64) -> String {
    let body = |side: f64| {
        format!(
            "[[bodies]]\nname = \"{}\"\n\
             mesh = {{ kind = \"outline\", shape = {{ kind = \"file\", path = {}, centre = \"box\" }} }}\n\
             scale = {scale:?}\nposition = [{:?}, {:?}, 0]\nvelocity = [{:?}, 0, 0]\n\
             spin = [0, 0, {:?}]\nmaterial = {{ kind = \"rigid\", density = 1 }}\n\n",
            if side < 0.0 { "left" } else { "right" },
            quoted(name),
            0.7 * side,
            0.1 * side,
            -0.4 * side,
            0.3 * side,
        )
    };
    let bodies = [-1.0, 1.0].map(body).concat();
    format!(
        "name = \"dropped\"\ndescription = \"{about}: two copies drift into each other.\"\n\
         duration = 10.0\ndt = \"=1/240\"\ngravity = [0, 0, 0]\nresponse = \"penalty\"\n\n\
         [contact]\ndamping = 0.1\n\n[integrator]\nkind = \"symplectic-euler\"\n\n\
         [attractor]\nrates = [0.9, 0.9, 0]\n\n{bodies}"
    )
}

/// A text as TOML.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => "_".to_owned(),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}
