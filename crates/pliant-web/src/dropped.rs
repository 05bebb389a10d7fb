//! A dropped file as a scene: a mesh or an outline becomes a body, a scene stays one.

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

/// A scene made of a file.
#[derive(Clone, Debug, Serialize)]
pub struct DroppedScene {
    /// Its name.
    pub name: String,
    /// TOML.
    pub text: String,
    /// What was read, one sentence.
    pub about: String,
}

/// The scene of a file that was put before.
pub fn scene(files: &Memory, name: &str, now: Clock) -> Result<DroppedScene, Refusal> {
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
            Ok(DroppedScene { name: name.to_owned(), text, about: format!("the scene {name}") })
        }
        ending if OUTLINES.contains(&ending) => outline(files, name, now),
        _ if Format::of_name(name).is_some() => mesh(files, name),
        _ => Err(Refusal::new(format!(
            "{name} is no scene (.toml), mesh ({}) or outline (.svg .geojson .wkt)",
            pliant_io::mesh::READABLE
        ))),
    }
}

/// Two copies of a mesh that fall onto a floor.
fn mesh(files: &Memory, name: &str) -> Result<DroppedScene, Refusal> {
    let raw = pliant_io::mesh::read_from(files, Path::new(name)).map_err(Refusal::new)?.mesh;
    let around = Aabb::around(raw.positions.iter().copied().filter(|p| p.is_finite()));
    let size = around.max - around.min;
    let largest = size.max_element();
    if !(largest > 0.0 && largest.is_finite()) {
        return Err(Refusal::new(format!("{name} has no extent: all vertices are in one place")));
    }
    let tets = raw.tets.len();
    let (kind, about) = if tets > 0 {
        (format!("kind = \"file\", path = {}", quoted(name)), format!("{tets} tets of {name}"))
    } else {
        let (edge, tets) = filling(raw, largest)
            .map_err(|why| Refusal::new(format!("{name} cannot be filled with tets: {why}")))?;
        let about = format!("the surface {name}, filled with {tets} tets");
        (format!("kind = \"stuffed\", path = {}, size = {edge:?}", quoted(name)), about)
    };
    let scale = 0.3 / largest;
    let middle = scale * (around.min + 0.5 * size);
    let bodies: String = [0.0, 1.0]
        .map(|k| {
            let place = Vec3::new(0.06 * k, 0.04 * k, (0.25 + 0.36 * k) + 0.15) - middle;
            format!(
                "[[bodies]]\nname = \"{}\"\nmesh = {{ {kind} }}\nscale = {scale:?}\n\
                 position = {:?}\n\
                 material = {{ kind = \"corotational\", young = 3e4, poisson = 0.4, density = 500, damping = 0.01 }}\n\n",
                if k == 0.0 { "below" } else { "above" },
                place.to_array(),
            )
        })
        .concat();
    let text = format!(
        "name = \"dropped\"\ndescription = \"{about}: two copies fall onto a floor.\"\n\
         duration = 10.0\ndt = \"=1/60\"\n\n{bodies}\
         [[obstacles]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\n",
        about = about.replace(['"', '\\'], "'"),
    );
    Ok(DroppedScene { name: "dropped".to_owned(), text, about })
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
    Ok(DroppedScene { name: "dropped".to_owned(), text, about })
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
