//! Pliant for Python: the engine's front door over NumPy arrays, and no logic of its own.
//!
//! ```text
//! arrays in (checked, named in errors) ─▶ pliant, pliant-run, pliant-scene ─▶ arrays out (no copy)
//! ```
//!
//! The module is `pliant._pliant`; the package in `python/pliant` adds what is better said in
//! Python: exceptions, objects of other libraries, tables of runs, sweeps on Ray. Long calls
//! release the interpreter lock, and those made of steps look for Ctrl-C between them.

// Documentation of classes and functions is Python's: brackets and angles are not Rustdoc's.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]
#![expect(clippy::needless_pass_by_value, reason = "arguments come from Python by value")]

mod error;

mod arguments;

mod arrays;

mod json;

mod mesh;

mod generate;

mod separate;

mod depth;

mod proximity;

mod world;

mod progress;

mod player;

mod scene;

mod recording;

mod sweep;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(name = "_pliant")]
fn pliant_module(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<mesh::Mesh>()?;
    module.add_function(wrap_pyfunction!(mesh::read_mesh, module)?)?;
    module.add_function(wrap_pyfunction!(mesh::check, module)?)?;
    module.add_function(wrap_pyfunction!(mesh::mesh_surface, module)?)?;
    module.add_function(wrap_pyfunction!(mesh::boundary, module)?)?;
    module.add_class::<separate::PySeparation>()?;
    module.add_function(wrap_pyfunction!(separate::separate, module)?)?;
    module.add_function(wrap_pyfunction!(generate::cuboid, module)?)?;
    module.add_function(wrap_pyfunction!(generate::ball, module)?)?;
    module.add_function(wrap_pyfunction!(generate::icosahedron, module)?)?;
    module.add_function(wrap_pyfunction!(generate::torus, module)?)?;
    module.add_function(wrap_pyfunction!(generate::tube, module)?)?;
    module.add_function(wrap_pyfunction!(generate::star, module)?)?;
    module.add_function(wrap_pyfunction!(generate::l_block, module)?)?;
    module.add_function(wrap_pyfunction!(generate::membrane, module)?)?;
    module.add_function(wrap_pyfunction!(generate::cloth, module)?)?;
    module.add_class::<depth::Columns>()?;
    module.add_class::<depth::PyBodies>()?;
    module.add_function(wrap_pyfunction!(depth::penetrations, module)?)?;
    module.add_function(wrap_pyfunction!(proximity::proximity, module)?)?;
    module.add_class::<world::World>()?;
    module.add_class::<world::handle::BodyHandle>()?;
    module.add_class::<world::handle::ObstacleHandle>()?;
    module.add_class::<world::handle::JointHandle>()?;
    module.add_class::<world::handle::GrabHandle>()?;
    module.add_class::<world::bodies::Material>()?;
    module.add_class::<world::bodies::SoftBody>()?;
    module.add_class::<world::bodies::RigidBody>()?;
    module.add_class::<world::bodies::KinematicBody>()?;
    module.add_class::<world::bodies::Obstacle>()?;
    module.add_class::<world::joint::Joint>()?;
    module.add_class::<world::Report>()?;
    module.add_class::<world::Contacts>()?;
    module.add_class::<world::Event>()?;
    module.add_class::<world::SurfaceHit>()?;
    module.add_class::<world::Penetration>()?;
    module.add_class::<scene::Scene>()?;
    module.add_function(wrap_pyfunction!(scene::scenes, module)?)?;
    module.add_function(wrap_pyfunction!(scene::compare_into, module)?)?;
    module.add_class::<recording::Recording>()?;
    module.add_function(wrap_pyfunction!(recording::read_series, module)?)?;
    module.add_function(wrap_pyfunction!(player::player_page, module)?)?;
    module.add_function(wrap_pyfunction!(player::last_frame_picture, module)?)?;
    module.add_function(wrap_pyfunction!(player::write_text, module)?)?;
    module.add_class::<sweep::Plan>()?;
    module.add_class::<sweep::Sweep>()?;
    module.add_function(wrap_pyfunction!(sweep::sweep_processes, module)?)?;
    Ok(())
}
