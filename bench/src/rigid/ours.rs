//! The scenes, as the text of scene files.

use std::fmt::Write;
use std::fs;

use crate::engine::Ours;

/// Rows of the pyramid: 465 boxes.
pub const ROWS: u32 = 30;

/// Time step of the scenes beside rapier3d, s.
const DT: f64 = 1.0 / 60.0;

/// From one box to the next on it, per edge: the edge and the gap of contact.
pub const STOREY: f64 = 1.005;

/// Between the middles of boxes side by side, per edge.
const BESIDE: f64 = 1.1;

/// Height of the middle of a box on the floor, per edge.
pub const LOWEST: f64 = 0.505;

/// Half of the tray's width, m.
const TRAY: f64 = 9.0;

/// Builds a scene from its text, on one thread.
pub fn load(name: &str, text: &str) -> Result<Ours, String> {
    load_with(name, text, &[])
}

/// The same with files beside it, by name and text.
pub fn load_with(name: &str, text: &str, files: &[(String, String)]) -> Result<Ours, String> {
    let folder = std::env::temp_dir().join(format!("pliant-bench-{}", std::process::id()));
    let reported = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(reported)?;
    let path = folder.join(format!("{name}.toml"));
    fs::write(&path, text).map_err(reported)?;
    for (name, text) in files {
        fs::write(folder.join(name), text).map_err(reported)?;
    }
    let loaded = Ours::new(&path.to_string_lossy(), &[]);
    fs::remove_dir_all(&folder).map_err(reported)?;
    loaded
}

/// The head of all scenes; nobody sleeps.
pub fn head(name: &str, dt: f64, friction: f64) -> String {
    format!("{}sleep = false\n", head_with_sleep(name, dt, friction))
}

/// The head of a scene whose bodies sleep when they have come to rest, as by default.
pub fn head_with_sleep(name: &str, dt: f64, friction: f64) -> String {
    format!(
        "name = \"{name}\"\nduration = 20.0\ndt = {dt:?}\nresponse = \"constraint\"\n\
         [contact]\nfriction = {friction:?}\n[integrator]\nkind = \"implicit-euler\"\n"
    )
}

/// A plane that looks along its own z, turned by axis times angle.
pub fn plane(name: &str, position: [f64; 3], rotation: [f64; 3], friction: f64) -> String {
    format!(
        "[[obstacles]]\nname = \"{name}\"\nshape = {{ kind = \"plane\" }}\n\
         position = {position:?}\nrotation = {rotation:?}\nfriction = {friction:?}\n"
    )
}

/// Boxes with an edge of 1 m, a row less wide than the one below, each on two.
pub fn pyramid() -> String {
    let mut text = head("pyramid", DT, 0.5);
    for row in 0..ROWS {
        let height = LOWEST + STOREY * f64::from(row);
        let _ = write!(
            text,
            "[[bodies]]\nname = \"row{row}\"\n\
             mesh = {{ kind = \"cuboid\", size = [1, 1, 1], cells = [1, 1, 1] }}\n\
             position = [0, 0, {height:?}]\nmaterial = {{ kind = \"rigid\", density = 1000 }}\n\
             pattern = {{ kind = \"grid\", counts = [{}, 1, 1], spacing = [{BESIDE}, 1, 1] }}\n",
            ROWS - row
        );
    }
    text + &plane("floor", [0.0; 3], [0.0; 3], 0.5)
}

/// A thousand bodies, L-shaped, star-shaped and hollow, that fall into a tray.
pub fn tumbling() -> String {
    let shapes = [
        (
            "l",
            334,
            "{ kind = \"l-block\", arms = [1.0, 1.0], width = 0.35, cells_along = [1, 1], cells_across = 1 }",
        ),
        (
            "star",
            333,
            "{ kind = \"star\", tips = 5, outer_radius = 0.6, inner_radius = 0.25, thickness = 0.35, cells = 1 }",
        ),
        (
            "tube",
            333,
            "{ kind = \"tube\", inner_radius = 0.25, outer_radius = 0.5, length = 0.7, around = 8, through = 1, along = 1 }",
        ),
    ];
    let mut text = head("tumbling", DT, 0.5);
    for (k, (name, count, mesh)) in shapes.into_iter().enumerate() {
        let height = 4.5 + 6.0 * k as f64;
        let _ = write!(
            text,
            "[[bodies]]\nname = \"{name}\"\nmesh = {mesh}\nposition = [0, 0, {height:?}]\n\
             material = {{ kind = \"rigid\", density = 1000 }}\n\
             pattern = {{ kind = \"grid\", counts = [10, 10, 4], count = {count}, \
             spacing = [1.5, 1.5, 1.5], jitter = 0.05, turns = \"random\", seed = {} }}\n",
            k + 1
        );
    }
    text + &tray(TRAY)
}

/// A floor and four walls, so far from the middle, m.
pub fn tray(half: f64) -> String {
    let quarter = std::f64::consts::FRAC_PI_2;
    plane("floor", [0.0; 3], [0.0; 3], 0.5)
        + &plane("left", [-half, 0.0, 0.0], [0.0, quarter, 0.0], 0.5)
        + &plane("right", [half, 0.0, 0.0], [0.0, -quarter, 0.0], 0.5)
        + &plane("front", [0.0, -half, 0.0], [-quarter, 0.0, 0.0], 0.5)
        + &plane("back", [0.0, half, 0.0], [quarter, 0.0, 0.0], 0.5)
}
