//! Blocks of finite elements, and their static equilibrium.

use std::error::Error;
use std::sync::Arc;

use pliant::body::Bodies;
use pliant::body::pins::Pins;
use pliant::body::soft::{Masses, State};
use pliant::force::Forces;
use pliant::force::elastic::{
    Corotational, Elastic, ElasticError, ElasticSettings, Law, NeoHookean,
};
use pliant::force::load::Load;
use pliant::id::VertexId;
use pliant::integrate::implicit::{Equations, Implicit, ImplicitSettings};
use pliant::integrate::{Integrator, StepReport, System};
use pliant::math::Vec3;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::raw::RawMesh;
use pliant::solve::linear::{LinearSettings, LinearSolver};

/// Residual of a linear system, relative; Newton's method continues from there.
const LINEAR_TOLERANCE: f64 = 1e-7;

/// A law of elasticity, as in the tables.
pub struct Element {
    /// Of the law.
    pub name: &'static str,
    /// Adds tets of it to the forces.
    pub push: fn(&mut Forces, &RawMesh, ElasticSettings) -> Result<(), ElasticError>,
}

/// Every law; a new one is one line.
pub const ELEMENTS: [Element; 2] = [
    Element { name: "corotational", push: push::<Corotational> },
    Element { name: "Neo‑Hookean", push: push::<NeoHookean> },
];

fn push<L: Law + 'static>(
    forces: &mut Forces,
    mesh: &RawMesh,
    settings: ElasticSettings,
) -> Result<(), ElasticError> {
    forces.push(Elastic::<L>::new(&mesh.positions, &mesh.tets, |_| settings)?);
    Ok(())
}

/// A box of tets.
#[derive(Clone, Copy)]
pub struct Block {
    /// Cells along x, y and z.
    pub cells: [u32; 3],
    /// Edges, m; the middle is the origin.
    pub size: Vec3,
    /// What it is made of.
    pub settings: ElasticSettings,
    /// kg/m³.
    pub density: f64,
}

/// A body, ready to be stepped.
pub struct Solid {
    /// Masses and forces; nothing is pinned yet.
    pub system: System,
    /// At rest.
    pub state: State,
}

impl Block {
    /// The block, made of a law.
    pub fn make(&self, element: &Element) -> Result<Solid, Box<dyn Error>> {
        let mesh = cuboid(
            self.cells,
            self.size,
            if std::env::var("SIX").is_ok() { TetSplit::Six } else { TetSplit::Five },
        )?;
        let masses = Masses::of_tets(&mesh.positions, &mesh.tets, |_| self.density)?;
        let bodies = Arc::new(Bodies::of_particles([mesh.positions.len()])?);
        let mut system = System { masses, bodies, ..System::default() };
        (element.push)(&mut system.forces, &mesh, self.settings)?;
        Ok(Solid { system, state: State::at_rest(mesh.positions) })
    }

    /// Vertices of the end where x is least, `side` −1, or greatest, `side` 1.
    fn end(&self, positions: &[Vec3], side: f64) -> Vec<VertexId> {
        let x = 0.5 * side * self.size.x;
        let at_end = positions.iter().enumerate().filter(|(_, p)| p.x == x);
        at_end.map(|(k, _)| VertexId(k as u32)).collect()
    }

    /// The vertex in the middle of the end where x is greatest.
    pub fn middle_of_end(&self, positions: &[Vec3]) -> Result<usize, Box<dyn Error>> {
        let middle = positions.iter().position(|p| *p == 0.5 * self.size.x * Vec3::X);
        Ok(middle.ok_or("the mesh has no vertex in the middle of its end")?)
    }
}

impl Solid {
    /// Pins the end of a block where x is least.
    pub fn clamp(&mut self, block: &Block) -> Result<(), Box<dyn Error>> {
        let end = block.end(&self.state.positions, -1.0);
        self.system.pins = Pins::still(&end, &self.state.positions)?;
        Ok(())
    }

    /// Pulls evenly at an end with a force, N: each triangle there shares by its area.
    pub fn pull(&mut self, block: &Block, side: f64, force: Vec3) -> Result<(), Box<dyn Error>> {
        let count = self.state.positions.len();
        let mut shares = vec![0.0; count];
        let mesh = cuboid(block.cells, block.size, TetSplit::Five)?;
        for tet in &mesh.tets {
            let mut at_end = tet.map(|v| (v, mesh.positions[v.index()]));
            at_end.sort_by_key(|(_, p)| p.x != 0.5 * side * block.size.x);
            let [(a, at_a), (b, at_b), (c, at_c), _] = at_end;
            if at_c.x == 0.5 * side * block.size.x {
                let area = 0.5 * (at_b - at_a).cross(at_c - at_a).length();
                [a, b, c].iter().for_each(|v| shares[v.index()] += area / 3.0);
            }
        }
        let area = block.size.y * block.size.z;
        let pulled = shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        let pulls = pulled.map(|(k, share)| (VertexId(k as u32), *share / area * force)).collect();
        self.system.forces.push(Load::on_vertices(pulls, count)?);
        Ok(())
    }

    /// Moves to equilibrium, in one implicit step much longer than any period, s.
    pub fn settle(
        &mut self,
        span: f64,
        solver: LinearSolver,
    ) -> Result<StepReport, Box<dyn Error>> {
        let equations = Equations::Newton { iterations: 100, tolerance: 1e-9 };
        let linear = LinearSettings { solver, tolerance: LINEAR_TOLERANCE, iterations: 100_000 };
        let settings = ImplicitSettings { equations, linear, ..ImplicitSettings::default() };
        let report = Implicit::new(settings).step(&mut self.system, &mut self.state, span)?;
        self.state.velocities.fill(Vec3::ZERO);
        Ok(report)
    }
}

/// Cholesky where the feature `direct` is on, conjugate gradients otherwise.
pub fn factors() -> LinearSolver {
    #[cfg(feature = "direct")]
    return LinearSolver::Cholesky;
    #[cfg(not(feature = "direct"))]
    return LinearSolver::Pcg;
}
