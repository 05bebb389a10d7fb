//! Files of ours, opened by the readers of other programs: vtk, meshio, NumPy, the glTF validator.
//!
//! A coarse body with a fine surface falls on a floor; where the data folder is, a scanned toy does
//! so too. Both runs are exported in every format. `check.py` and `validate.mjs` open all files and
//! compare what they hold with each other.

use crate::repository::{root, target_dir};
use crate::setup;
use crate::steps::{Failure, execute};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Python packages that open our files.
const PACKAGES: [&str; 3] = ["numpy==2.3.5", "meshio==5.3.5", "vtk==9.5.2"];

/// The Khronos validator.
const VALIDATOR: &str = "gltf-validator@2.0.0-dev.3.10";

/// Formats of exports, and whether they are folders.
const EXPORTS: [(&str, &str); 5] =
    [("vtu", "vtu"), ("obj", "obj"), ("ply", "ply"), ("npz", "run.npz"), ("glb", "run.glb")];

/// Files that the tets and the surface of the toy are written to.
const CONVERTED: [&str; 7] =
    ["tets.vtk", "tets.msh", "tets.vtu", "skin.obj", "skin.stl", "skin.ply", "skin.off"];

/// A surface that is scanned, in the data folder.
const TOY: &str = "surface/koala.obj";

/// Exports runs and lets others open them; installs what is missing.
pub fn open_files() -> Result<(), Failure> {
    setup::node()?;
    let folder = target_dir().join("readers");
    let python = environment(&folder)?;
    let program = program()?;
    let scene = root().join("xtask/src/readers/scene.toml");
    let ball = exported(&program, &scene, &folder.join("ball"))?;
    check(&python, &folder, &ball)?;
    let data = std::env::var_os("PLIANT_DATA").map_or(root().join("../shared/data"), PathBuf::from);
    let Ok(toy) = data.join(TOY).canonicalize() else {
        eprintln!("   no data folder: no toy; PLIANT_DATA names it");
        return Ok(());
    };
    let made = folder.join("toy");
    begin(&made)?;
    let tets = made.join("tets.vtu");
    let mut mesh = Command::new(&program);
    execute(mesh.arg("mesh").arg(&toy).arg("-o").arg(&tets).args(["--size", "0.5"]))?;
    for name in CONVERTED.into_iter().filter(|name| *name != "tets.vtu") {
        execute(Command::new(&program).arg("convert").args([&tets, &made.join(name)]))?;
    }
    let text = toy_scene(&toy);
    let scene = made.join("toy.toml");
    fs::write(&scene, text).map_err(|error| unwritten(&scene, &error))?;
    let toy = exported(&program, &scene, &made.join("run"))?;
    check(&python, &folder, &toy)?;
    let files = CONVERTED.map(|name| made.join(name));
    execute(Command::new(&python).arg(script("check.py")).arg("meshes").args(files))
}

/// Node and Python packages in a folder of their own; returns the Python that has them.
fn environment(folder: &Path) -> Result<PathBuf, Failure> {
    fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    let python = folder.join("python/bin/python");
    if !python.is_file() {
        execute(Command::new("python3").args(["-m", "venv"]).arg(folder.join("python")))?;
    }
    execute(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    if !folder.join("node_modules/gltf-validator").is_dir() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"]).arg(folder);
        execute(npm.arg(VALIDATOR))?;
    }
    Ok(python)
}

/// The program, built for speed.
fn program() -> Result<PathBuf, Failure> {
    let mut cargo = Command::new(setup::cargo());
    let package = ["build", "--release", "--locked", "--package", "pliant-cli"];
    execute(cargo.current_dir(root()).args(package))?;
    Ok(target_dir().join("release/pliant"))
}

/// Runs a scene and exports it in every format; returns the folder of all.
fn exported(program: &Path, scene: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    begin(folder)?;
    let run = folder.join("run");
    let mut command = Command::new(program);
    execute(command.arg("run").arg(scene).arg("--out").arg(&run).arg("--quiet"))?;
    for (format, name) in EXPORTS {
        let mut export = Command::new(program);
        export.arg("export").arg(&run).args(["--to", format]);
        execute(export.arg("-o").arg(folder.join(name)))?;
    }
    Ok(folder.to_path_buf())
}

/// Opens what was exported.
fn check(python: &Path, packages: &Path, exported: &Path) -> Result<(), Failure> {
    execute(Command::new(python).arg(script("check.py")).arg("run").arg(exported))?;
    let mut validate = Command::new("node");
    validate.arg(script("validate.mjs")).arg(packages.join("node_modules/gltf-validator"));
    execute(validate.arg(exported.join("run.glb")))
}

/// A toy that its own surface is carried by, a quarter of its file's size, above the floor.
fn toy_scene(surface: &Path) -> String {
    let path = format!("{:?}", surface.display().to_string());
    format!(
        "name = \"toy\"\nduration = 0.5\ndt = \"=1/60\"\nresponse = \"constraint\"\n\
         [integrator]\nkind = \"implicit-euler\"\n\
         [record]\ntets = true\ncontacts = true\nfields = [\"velocity\", \"pressure\", \"stress\"]\n\
         [[bodies]]\nname = \"toy\"\nscale = 0.25\nposition = [0, 0, 1.5]\n\
         mesh = {{ kind = \"stuffed\", path = {path}, size = 0.8 }}\n\
         render_mesh = {{ kind = \"file\", path = {path} }}\n\
         material = {{ kind = \"corotational\", young = 1e5, density = 300, damping = 0.01 }}\n\
         [[obstacles]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\nfriction = 0.3\n"
    )
}

fn script(name: &str) -> PathBuf {
    root().join("xtask/src/readers").join(name)
}

/// An empty folder.
fn begin(folder: &Path) -> Result<(), Failure> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::step(format!("{}: {error}", path.display()))
}
