//! Pictures of the book and the README, made by the program from runs of built-in scenes.

use crate::repository::{root, target_dir};
use crate::separate_figures;
use crate::setup::{self, cargo};
use crate::steps::{Failure, execute};
use std::env;
use std::path::PathBuf;
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
        scene: "sphere-pile",
        sets: &["duration=4"],
        files: &[("sphere-pile", Shown::Frame("4", &[]))],
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
        let folder = target_dir().join("figures").join(number.to_string());
        let pliant = || {
            let mut command = Command::new(&program);
            command.current_dir(root());
            command
        };
        let mut run = pliant();
        run.args(["run", figures.scene, "--force", "--quiet", "--out"]).arg(&folder);
        figures.sets.iter().for_each(|set| _ = run.args(["--set", set]));
        execute(&mut run)?;
        for (file, shown) in figures.files {
            let path = root().join(FOLDER).join(file).with_extension("png");
            let mut draw = pliant();
            match shown {
                Shown::Frame(time, options) => {
                    draw.arg("picture").arg(&folder).args(["--at", time, "--size", SIZE]);
                    draw.args(*options)
                }
                Shown::Animation(options) => {
                    draw.arg("export").arg(&folder).args(["--to", "apng"]).args(*options)
                }
            };
            execute(draw.arg("--out").arg(path))?;
        }
    }
    let is_chosen = scenes.is_empty() || scenes.iter().any(|name| name == separate_figures::NAME);
    match is_chosen {
        true => separate_figures::make(&program, &root().join(FOLDER)),
        false => Ok(()),
    }
}
