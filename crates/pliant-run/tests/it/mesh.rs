//! Surfaces of other people, filled with tets.

use std::time::Instant;

use pliant::math::Aabb;
use pliant::mesh::generate::stuffing::{
    MAX_DIHEDRAL, MIN_DIHEDRAL, Stuffed, StuffingError, StuffingSettings, stuffed,
};
use pliant::mesh::surface::Surface;

use crate::data;

/// Diagonals of the box around a surface over sizes: the usual one, and one for thin walls.
const FINENESS: [f64; 2] = [20.0, 60.0];

#[test]
fn closed_surfaces_are_filled() {
    let Some(folder) = data::folder("surfaces filled with tets") else { return };
    let entries = std::fs::read_dir(folder.join("surface")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut filled, mut refused) = (0, Vec::new());
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let raw = pliant_io::mesh::read(&path).unwrap().mesh;
        let triangles = raw.triangles.len();
        let surface = match Surface::from_raw(raw) {
            Ok((surface, _)) => surface,
            Err(error) => {
                refused.push(format!("{name}: {error}"));
                continue;
            }
        };
        let diagonal = Aabb::around(surface.positions().iter().copied()).size().length();
        let mut size = diagonal / FINENESS[0];
        let start = Instant::now();
        let mut made = stuffed(&surface, StuffingSettings { size });
        if let Err(StuffingError::NothingInside { .. }) = made {
            size = diagonal / FINENESS[1];
            made = stuffed(&surface, StuffingSettings { size });
        }
        let Stuffed { mesh, stats, notices } = made.unwrap_or_else(|e| panic!("{name}: {e}"));
        let time = start.elapsed().as_secs_f64();
        println!(
            "{name} | {triangles} | {} | {:.1}° to {:.1}° | {:.2} % | {:.1e} | {:.2} H | {time:.2} s | {notices:?}",
            mesh.tets().len(),
            stats.min_dihedral.to_degrees(),
            stats.max_dihedral.to_degrees(),
            100.0 * (stats.volume / stats.surface_volume - 1.0),
            stats.boundary_distance / size,
            stats.surface_distance / size,
        );
        assert!(stats.boundary_distance <= 0.5 * size, "{name}: {stats:?}");
        assert!(stats.min_dihedral >= MIN_DIHEDRAL, "{name}: {stats:?}");
        assert!(stats.max_dihedral <= MAX_DIHEDRAL, "{name}: {stats:?}");
        filled += 1;
    }
    println!("{filled} filled; refused: {refused:#?}");
    assert!(filled > 10, "{refused:#?}");
}
