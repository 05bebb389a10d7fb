//! Pictures of the book and the README, made by the program from runs of built-in scenes.

use crate::depth_figures;
use crate::repository::{root, target_dir};
use crate::separate_figures;
use crate::setup::{self, cargo};
use crate::steps::{Failure, execute};
use crate::svg::{Curve, Titles, lines};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where pictures go, from the root.
const FOLDER: &str = "book/src/figures";

/// What a picture shows of a run.
enum Shown {
    /// A frame at a time, s, with options of `pliant picture`.
    Frame(&'static str, &'static [&'static str]),
    /// Frames with options of `pliant export`.
    Animation(&'static [&'static str]),
}

/// A run and its pictures.
struct Figures {
    scene: &'static str,
    /// What is set, with `--set` each.
    sets: &'static [&'static str],
    /// File names without their ending, and what they show.
    files: &'static [(&'static str, Shown)],
}

/// Width and height of pictures in the book.
const SIZE: &str = "720x405";

/// The scene whose energies are drawn as curves, too.
const STACK: &str = "membrane-stack";

/// Its table of numbers.
const SERIES: &str = "series.csv";

/// The scene of a sweep, and the values of its parameter `angle_ratio`.
const SLOPE: &str = "incline";
const RATIOS: &str = "0,0.25,0.5,0.75,0.9,1.1,1.25,1.5,1.75,2";

/// All of them.
const ALL: &[Figures] = &[
    Figures {
        scene: "knot",
        sets: &[],
        files: &[
            ("knot", Shown::Animation(&["--end", "2.4", "--every", "4", "--size", "400x250"])),
            ("knot-start", Shown::Frame("0", &[])),
            ("knot-end", Shown::Frame("5", &[])),
        ],
    },
    Figures {
        scene: "two-cubes",
        sets: &["overlap=0.8", "tilt=0.5", "record.tets=true"],
        files: &[
            ("two-cubes", Shown::Animation(&["--every", "2", "--size", "400x250"])),
            ("rings", Shown::Frame("0", &["--overlay", "rings"])),
        ],
    },
    Figures {
        scene: "two-cubes",
        sets: &["overlap=0.25", "tilt=0.4", "record.tets=true"],
        files: &[
            ("crossings", Shown::Frame("0", &["--overlay", "border,crossings"])),
            ("exits", Shown::Frame("0", &["--overlay", "exits"])),
            ("contact-surface", Shown::Frame("0", &["--overlay", "surface"])),
            ("balanced", Shown::Frame("0", &["--overlay", "balanced"])),
        ],
    },
    Figures {
        scene: "assorted",
        sets: &["duration=3", "record.contacts=true"],
        files: &[
            ("assorted", Shown::Frame("0.3", &[])),
            ("contacts", Shown::Frame("3", &["--overlay", "contacts"])),
        ],
    },
    Figures {
        scene: "cubes-on-membrane",
        sets: &["duration=1.5"],
        files: &[("cubes-on-membrane", Shown::Frame("1.5", &[]))],
    },
    Figures {
        scene: "dice",
        sets: &["duration=1.5"],
        files: &[("dice", Shown::Frame("1.5", &[]))],
    },
    Figures {
        scene: "fine-on-coarse",
        sets: &["record.contacts=true"],
        files: &[("fine-on-coarse", Shown::Frame("2", &["--overlay", "contacts"]))],
    },
    Figures {
        scene: "two-points",
        sets: &["record.contacts=true"],
        files: &[("two-points", Shown::Frame("3", &["--overlay", "contacts"]))],
    },
    Figures {
        scene: "sphere-pile",
        sets: &["duration=4"],
        files: &[("sphere-pile", Shown::Frame("4", &[]))],
    },
    Figures {
        scene: "two-cubes",
        sets: &["overlap=0.4", "tilt=0", "duration=0.1", "record.tets=true"],
        files: &[
            ("way-closest", Shown::Frame("0", &["--overlay", "closest", "--from", "0.3,-1,0.35"])),
            ("way-consistent", Shown::Frame("0", &["--overlay", "exits", "--from", "0.3,-1,0.35"])),
        ],
    },
    Figures {
        scene: "two-cubes",
        sets: &["overlap=0.8", "tilt=0.1", "response=closest"],
        files: &[("cubes-closest", Shown::Frame("1", &[]))],
    },
    Figures {
        scene: "two-cubes",
        sets: &["overlap=0.8", "tilt=0.1", "response=penalty"],
        files: &[("cubes-consistent", Shown::Frame("1", &[]))],
    },
    Figures {
        scene: "sphere-pile",
        sets: &["duration=6", "response=closest"],
        files: &[("pile-closest", Shown::Frame("6", &[]))],
    },
    Figures {
        scene: "sphere-pile",
        sets: &["duration=6", "response=penalty"],
        files: &[("pile-consistent", Shown::Frame("6", &[]))],
    },
    Figures {
        scene: "elasticities",
        sets: &["press=0.1", "response=surface"],
        files: &[("elasticities", Shown::Frame("2", &[]))],
    },
    Figures {
        scene: "cubes-on-membrane",
        sets: &["duration=1.5", "response=surface", "dt==1/960", "record.rate=60"],
        files: &[("membrane-surface", Shown::Frame("1.5", &[]))],
    },
    Figures {
        scene: "cubes-on-membrane",
        sets: &["duration=1.5", "response=penalty", "dt==1/960", "record.rate=60"],
        files: &[("membrane-penalty", Shown::Frame("1.5", &[]))],
    },
    Figures {
        scene: "squeezed-sphere",
        sets: &["response=surface", "duration=3"],
        files: &[("squeezed-surface", Shown::Frame("3", &[]))],
    },
    Figures {
        scene: "squeezed-sphere",
        sets: &["response=penalty", "duration=3"],
        files: &[("squeezed-penalty", Shown::Frame("3", &[]))],
    },
    Figures {
        scene: STACK,
        sets: &["duration=4", "response=surface", "dt==1/960", "record.rate=60"],
        files: &[("stack-surface", Shown::Frame("4", &[]))],
    },
    Figures {
        scene: STACK,
        sets: &["duration=4", "response=penalty", "dt==1/960", "record.rate=60"],
        files: &[("stack-penalty", Shown::Frame("4", &[]))],
    },
    Figures {
        scene: "scenes/figures/plane-pile.toml",
        sets: &[],
        files: &[("plane-pile", Shown::Frame("20", &[]))],
    },
    Figures {
        scene: "gripper",
        sets: &["duration=2"],
        files: &[("gripper", Shown::Frame("2", &[]))],
    },
    Figures { scene: "gears", sets: &["duration=1"], files: &[("gears", Shown::Frame("1", &[]))] },
    Figures {
        scene: "scenes/figures/fruit-dish.toml",
        sets: &["duration=2"],
        files: &[("fruit-fine", Shown::Frame("2", &["--from", "0.35,-1,1.5"]))],
    },
    Figures {
        scene: "scenes/figures/fruit-dish.toml",
        sets: &["duration=2", "contact=mesh"],
        files: &[("fruit-coarse", Shown::Frame("2", &["--from", "0.35,-1,1.5"]))],
    },
    Figures {
        scene: "scenes/data/teddies.toml",
        sets: &[],
        files: &[("teddies-start", Shown::Frame("0", &[])), ("teddies", Shown::Frame("8", &[]))],
    },
    Figures {
        scene: "scenes/data/fruit.toml",
        sets: &[],
        files: &[("fruit-start", Shown::Frame("0", &[])), ("fruit", Shown::Frame("8", &[]))],
    },
    Figures { scene: "gripper", sets: &[], files: &[("gripper", Shown::Frame("2", &[]))] },
    Figures { scene: "grip", sets: &[], files: &[("grip", Shown::Frame("3", &[]))] },
    Figures {
        scene: "scenes/figures/shot.toml",
        sets: &["record.rate=60"],
        files: &[
            ("shot-impact", Shown::Frame("0.0167", &[])),
            ("shot-after", Shown::Frame("0.05", &[])),
            ("shot-rest", Shown::Frame("4", &[])),
        ],
    },
    Figures {
        scene: "book/src/tutorials/tower.toml",
        sets: &[],
        files: &[("tower", Shown::Frame("2", &[]))],
    },
    Figures {
        scene: "book/src/stages/rigid/pyramid.toml",
        sets: &[],
        files: &[("pyramid", Shown::Frame("20", &[]))],
    },
    Figures {
        scene: "book/src/stages/rigid/wall.toml",
        sets: &[],
        files: &[("wall", Shown::Frame("20", &[]))],
    },
    Figures {
        scene: "book/src/stages/rigid/arch.toml",
        sets: &[],
        files: &[("arch", Shown::Frame("20", &[]))],
    },
    Figures {
        scene: "book/src/stages/rigid/dominoes.toml",
        sets: &[],
        files: &[("dominoes", Shown::Frame("2", &[]))],
    },
];

/// Makes all pictures, or those of the named scenes and of `separate`, with the program as it is now.
///
/// `PLIANT` names a program to use in place of one that is built here.
pub fn make(scenes: &[String]) -> Result<(), Failure> {
    setup::system()?;
    let program = match env::var_os("PLIANT") {
        Some(program) => PathBuf::from(program),
        None => {
            let package = ["build", "--release", "--locked", "--package", "pliant-cli"];
            execute(Command::new(cargo()).current_dir(root()).args(package))?;
            target_dir().join("release/pliant")
        }
    };
    let chosen =
        |figures: &&Figures| scenes.is_empty() || scenes.iter().any(|name| name == figures.scene);
    for (number, figures) in ALL.iter().enumerate().filter(|(_, figures)| chosen(figures)) {
        draw(&program, figures, &folder(number))?;
    }
    let is_named = |wanted: &str| scenes.is_empty() || scenes.iter().any(|name| name == wanted);
    if is_named(SLOPE) {
        slope(&program)?;
    }
    if is_named(depth_figures::NAME) {
        let curves = depth_figures::curves(&program, &target_dir().join("figures/way-out"))?;
        let title = "The way out of a vertex that moves towards a side";
        let titles =
            Titles { title, x: "distance to the side, m", y: "upward part of the direction" };
        write_plot(depth_figures::NAME, &titles, &curves)?;
    }
    if is_named(separate_figures::NAME) {
        separate_figures::make(&program, &root().join(FOLDER))?;
    }
    let stacks = ALL.iter().enumerate().filter(|(_, figures)| figures.scene == STACK);
    let stacks: Vec<PathBuf> = stacks.map(|(number, _)| folder(number)).collect();
    match &stacks[..] {
        [surface, penalty] if ALL.iter().any(|f| f.scene == STACK && chosen(&f)) => {
            energies(surface, penalty)
        }
        _ => Ok(()),
    }
}

/// Where the run of a number is put.
fn folder(number: usize) -> PathBuf {
    target_dir().join("figures").join(number.to_string())
}

/// Runs a scene into a folder and makes its pictures.
fn draw(program: &Path, figures: &Figures, folder: &Path) -> Result<(), Failure> {
    let pliant = || {
        let mut command = Command::new(program);
        command.current_dir(root());
        command
    };
    let mut run = pliant();
    run.args(["run", figures.scene, "--force", "--quiet", "--out"]).arg(folder);
    figures.sets.iter().for_each(|set| _ = run.args(["--set", set]));
    if figures.scene.starts_with("scenes/data/") {
        let Some(data) = env::var_os("PLIANT_DATA") else {
            eprintln!("{}: left out, as PLIANT_DATA names no folder with meshes", figures.scene);
            return Ok(());
        };
        run.arg("--set").arg(format!("folder={}", PathBuf::from(data).join("tet").display()));
    }
    execute(&mut run)?;
    for (file, shown) in figures.files {
        let path = root().join(FOLDER).join(file).with_extension("png");
        let mut draw = pliant();
        match shown {
            Shown::Frame(time, options) => {
                draw.arg("picture").arg(folder).args(["--at", time, "--size", SIZE]);
                draw.args(*options)
            }
            Shown::Animation(options) => {
                draw.arg("export").arg(folder).args(["--to", "apng"]).args(*options)
            }
        };
        execute(draw.arg("--out").arg(path))?;
    }
    Ok(())
}

/// Energies of the stack over time with both responses, as [Spillmann05 fig. 10] draws them.
fn energies(surface: &Path, penalty: &Path) -> Result<(), Failure> {
    let plots = [
        ("stack-kinetic", "Kinetic energy of the stack", &["kinetic"][..]),
        ("stack-height", "Potential energy of height", &["gravitational"][..]),
    ];
    for (file, title, columns) in plots {
        let curves = [
            Curve {
                name: "contact surface",
                points: column(&surface.join(SERIES), "time", columns)?,
            },
            Curve { name: "penalty", points: column(&penalty.join(SERIES), "time", columns)? },
        ];
        let titles = Titles { title, x: "time, s", y: "energy, J" };
        write_plot(file, &titles, &curves)?;
    }
    Ok(())
}

/// Speeds of a cube on slopes from a sweep, and what they must be.
fn slope(program: &Path) -> Result<(), Failure> {
    let folder = target_dir().join("figures/sweep");
    let _ = fs::remove_dir_all(&folder);
    let mut sweep = Command::new(program);
    sweep.current_dir(root()).args(["sweep", SLOPE, "--quiet", "--vary"]);
    execute(sweep.arg(format!("angle_ratio={RATIOS}")).arg("--out").arg(&folder))?;
    let found = column(&folder.join("sweep.csv"), "angle_ratio", &["rms_speed"])?;
    // tan θ = r μ: the cube gains g (sin θ − μ cos θ) in each of 3 s, and nothing below r = 1.
    let (gravity, friction, duration) = (9.81, 0.3, 3.0);
    let expected = |[ratio, _]: &[f64; 2]| {
        let tangent = ratio * friction;
        let gain = gravity * (tangent - friction) / (1.0 + tangent * tangent).sqrt();
        [*ratio, duration * gain.max(0.0)]
    };
    let theory = found.iter().map(expected).collect();
    let curves = [
        Curve { name: "sweep", points: found },
        Curve { name: "3 s of g (sin θ − μ cos θ)", points: theory },
    ];
    let title = "A cube on slopes: speed after 3 s";
    write_plot("sweep", &Titles { title, x: "tan θ / μ", y: "speed, m/s" }, &curves)
}

/// Writes curves into the book.
fn write_plot(file: &str, titles: &Titles, curves: &[Curve]) -> Result<(), Failure> {
    let path = root().join(FOLDER).join(file).with_extension("svg");
    let written = fs::write(&path, lines(titles, curves));
    written.map_err(|error| Failure::step(format!("{}: {error}", path.display())))
}

/// One column of a table against the sum of others; the first line names them.
fn column(path: &Path, x: &str, columns: &[&str]) -> Result<Vec<[f64; 2]>, Failure> {
    let wrong = |what: &str| Failure::step(format!("{}: {what}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap_or_default();
    let place = |name: &&str| names.iter().position(|known| known == name);
    let places: Option<Vec<usize>> = columns.iter().map(place).collect();
    let (first, places) = place(&x).zip(places).ok_or_else(|| wrong("a column is missing"))?;
    let number = |text: Option<&&str>| text.and_then(|text| text.parse::<f64>().ok());
    let point = |row: Vec<&str>| {
        let sum: Option<f64> = places.iter().map(|place| number(row.get(*place))).sum();
        Some([number(row.get(first))?, sum?])
    };
    let points: Option<Vec<[f64; 2]>> = rows.map(point).collect();
    points.ok_or_else(|| wrong("a row has no numbers"))
}
