//! Forces and derivatives of elastic tets, for any law.

use crate::force::deformation::Deformation;
use crate::force::elastic::law::Law;
use crate::force::elastic::viscous::{Flow, Viscous};
use crate::force::elastic::{ElasticError, ElasticSettings};
use crate::force::elements::{Corners, FOUR, Material, four};
use crate::force::stiffness::{Form, Tangent};
use crate::id::{TetId, VertexId};
use crate::math::lanes::{Lanes, Lanes3, Lanes33};
use crate::math::svd::svd;
use crate::math::{Mat3, Vec3, tet_volume};
use crate::mesh::runs::Runs;

/// Volume over that at rest below which a tet is crushed: its stiffness then bounds every motion.
///
/// Above it, negative eigenvalues are small, and absolute ones would only brake what moves: with
/// 0.4 a block that impulses stop at a floor does not come to rest.
const CRUSHED: f64 = 0.1;

/// Tets of one law, each with its own rest shape and settings.
#[derive(Clone, Debug)]
pub struct Elastic<L> {
    tets: Vec<Tet>,
    /// Neighbours in order share an entry while their settings agree.
    materials: Vec<TetMaterial<L>>,
}

/// The shape of a tet at rest.
#[derive(Clone, Copy, Debug)]
struct Tet {
    /// Counted in the scene, positively oriented at rest.
    corners: [VertexId; 4],
    /// Index of its material in `materials`.
    material: u32,
    /// At rest, m³; positive.
    volume: f64,
    /// Inverse of the edges from corner 0, 1/m; its rows are the gradients of corners 1 to 3.
    inverse: Mat3,
}

/// Material of a run of tets.
#[derive(Clone, Copy, Debug)]
struct TetMaterial<L> {
    settings: ElasticSettings,
    /// Its moduli in Pa.
    law: L,
    /// Its moduli in Pa·s.
    viscous: Viscous,
}

impl<L> Default for Elastic<L> {
    /// No tets.
    fn default() -> Elastic<L> {
        Elastic { tets: Vec::new(), materials: Vec::new() }
    }
}

impl<L: Law> Elastic<L> {
    /// Tets with this rest shape, m, and the material that `settings_of` returns.
    ///
    /// Corners count in `rest`, which holds all vertices of the scene. `settings_of` gets the
    /// number of a tet: one value for a whole body, or one by the region of the tet.
    pub fn new(
        rest: &[Vec3],
        tets: &[[VertexId; 4]],
        settings_of: impl Fn(usize) -> ElasticSettings,
    ) -> Result<Elastic<L>, ElasticError> {
        let mut made = Elastic { tets: Vec::with_capacity(tets.len()), materials: Vec::new() };
        let mut last = None;
        for (index, corners) in tets.iter().enumerate() {
            let (tet, settings) = (TetId(index as u32), settings_of(index));
            if last != Some(settings) {
                let lame = settings.lame(tet)?;
                let viscous = Viscous::new(lame, settings.damping);
                let law = L::from_lame(lame);
                made.materials.push(TetMaterial { settings, law, viscous });
                last = Some(settings);
            }
            let material = made.materials.len() as u32 - 1;
            made.tets.push(Tet::new(tet, *corners, rest, material)?);
        }
        Ok(made)
    }

    /// Number of tets.
    pub(crate) fn tet_count(&self) -> usize {
        self.tets.len()
    }

    /// Corners of all tets from one on.
    pub(crate) fn corners_from(&self, first: usize) -> impl Iterator<Item = [VertexId; 4]> {
        self.tets.iter().skip(first).map(|tet| tet.corners)
    }

    /// Keeps some tets, whose corners decrease by one shift in each run, and appends others.
    ///
    /// The same as all of them made at once.
    pub(crate) fn change(&mut self, kept: &Runs, vertex_shifts: &[u32], others: Elastic<L>) {
        kept.keep(&mut self.tets, |run, tet| {
            tet.corners.iter_mut().for_each(|vertex| vertex.0 -= vertex_shifts[run]);
        });
        let first = self.materials.len() as u32;
        let first_tet = self.tets.len();
        self.materials.extend(others.materials);
        self.tets.extend(others.tets);
        self.tets[first_tet..].iter_mut().for_each(|tet| tet.material += first);
        self.join_materials();
    }

    /// Drops materials that no tet has, and joins those of neighbours that agree.
    fn join_materials(&mut self) {
        let mut joined: Vec<TetMaterial<L>> = Vec::new();
        let mut last = None;
        for tet in &mut self.tets {
            if last != Some(tet.material) {
                last = Some(tet.material);
                let own = &self.materials[tet.material as usize];
                if joined.last().is_none_or(|before| before.settings != own.settings) {
                    joined.push(own.clone());
                }
            }
            tet.material = joined.len() as u32 - 1;
        }
        self.materials = joined;
    }

    /// Forces of an elastic stress and of damping on the corners of a tet, N.
    #[inline(always)]
    fn pull(&self, tet: &Tet, mut stress: Mat3, at: &Corners<4>) -> [Vec3; 4] {
        let viscous = &self.materials[tet.material as usize].viscous;
        if viscous.acts() {
            stress += viscous.stress(tet.flow(at));
        }
        let pull = stress * (-tet.volume * tet.inverse.transpose());
        let [a, b, c] = [pull.x_axis, pull.y_axis, pull.z_axis];
        [-(a + b + c), a, b, c]
    }

    /// Adds the elastic stiffness, times a weight, to the upper triangle of blocks.
    ///
    /// `deformation` is the deformation gradient, `gradients` are those of corners 1 to 3, 1/m.
    fn add_elastic(
        law: &L,
        deformation: Mat3,
        weight: f64,
        form: Form,
        gradients: &[Vec3; 3],
        blocks: &mut [[Mat3; 3]; 3],
    ) {
        if form == Form::Definite
            && let Some(corotated) = law.corotated(deformation)
        {
            let along = gradients.map(|g| corotated.rotation * g);
            for i in 0..3 {
                for j in i..3 {
                    blocks[i][j] += weight * corotated.block(along[i], along[j]);
                }
            }
            return;
        }
        let found = svd(deformation);
        let mut curvature = law.curvature(found.stretches);
        if form == Form::Definite {
            let Vec3 { x, y, z } = found.stretches;
            let is_crushed = x * y * z < CRUSHED;
            curvature = if is_crushed { curvature.absolute() } else { curvature.clamped() };
        }
        let to_axes = found.v.transpose();
        let along = gradients.map(|g| to_axes * g);
        let (turn, back) = (weight * found.u, found.u.transpose());
        for i in 0..3 {
            for j in i..3 {
                blocks[i][j] += turn * curvature.block(along[i], along[j]) * back;
            }
        }
    }
}

impl Tet {
    fn new(
        tet: TetId,
        corners: [VertexId; 4],
        rest: &[Vec3],
        material: u32,
    ) -> Result<Tet, ElasticError> {
        let count = rest.len();
        if let Some(&vertex) = corners.iter().find(|v| v.index() >= count) {
            return Err(ElasticError::NoSuchVertex { tet, vertex, count });
        }
        let places = corners.map(|v| rest[v.index()]);
        let volume = tet_volume(places);
        let inverse = edges(&places).inverse();
        // The inverse of a tet that is all but flat may overflow.
        if !(volume > 0.0 && volume.is_finite() && inverse.is_finite()) {
            return Err(ElasticError::Volume { tet, volume });
        }
        Ok(Tet { corners, material, volume, inverse })
    }

    /// F and Ḟ.
    fn flow(&self, at: &Corners<4>) -> Flow {
        Flow {
            gradient: edges(&at.positions) * self.inverse,
            rate: edges(&at.velocities) * self.inverse,
        }
    }
}

impl<L: Law> Material<4> for Elastic<L> {
    fn count(&self) -> usize {
        self.tets.len()
    }

    #[inline]
    fn vertices(&self, element: usize) -> [VertexId; 4] {
        self.tets[element].corners
    }

    #[inline]
    fn energy(&self, element: usize, at: &Corners<4>) -> f64 {
        let tet = &self.tets[element];
        let law = &self.materials[tet.material as usize].law;
        tet.volume * law.energy(edges(&at.positions) * tet.inverse)
    }

    fn deformation(&self, element: usize, at: &Corners<4>) -> Option<Deformation> {
        let tet = &self.tets[element];
        let gradient = edges(&at.positions) * tet.inverse;
        let stress = self.materials[tet.material as usize].law.stress(gradient);
        Some(Deformation { gradient, stress })
    }

    fn forces(&self, element: usize, at: &Corners<4>) -> [Vec3; 4] {
        let tet = &self.tets[element];
        let law = &self.materials[tet.material as usize].law;
        self.pull(tet, law.stress(edges(&at.positions) * tet.inverse), at)
    }

    #[inline(always)]
    fn energies_of_four(&self, elements: &[usize; FOUR], at: &[Corners<4>; FOUR]) -> [f64; FOUR] {
        let tets = four(|k| &self.tets[elements[k]]);
        let laws = four(|k| &self.materials[tets[k].material as usize].law);
        let found = L::energy_of_four(laws, &gradients(&tets, at));
        four(|k| match found {
            Some((energies, known)) if known.lane(k) => tets[k].volume * energies.to_array()[k],
            _ => self.energy(elements[k], &at[k]),
        })
    }

    #[inline(always)]
    fn forces_of_four(
        &self,
        elements: &[usize; FOUR],
        at: &[Corners<4>; FOUR],
    ) -> [[Vec3; 4]; FOUR] {
        let tets = four(|k| &self.tets[elements[k]]);
        let materials = four(|k| &self.materials[tets[k].material as usize]);
        let laws = four(|k| &materials[k].law);
        let Some((stress, known)) = L::stress_of_four(laws, &gradients(&tets, at)) else {
            return four(|k| self.forces(elements[k], &at[k]));
        };
        four(|k| match known.lane(k) {
            true => self.pull(tets[k], stress.lane(k), &at[k]),
            false => self.forces(elements[k], &at[k]),
        })
    }

    #[inline(always)]
    fn tangents_of_four(
        &self,
        elements: &[usize; FOUR],
        at: &[Corners<4>; FOUR],
        tangent: Tangent,
        to: &mut [[[Mat3; 4]; 4]; FOUR],
    ) {
        let tets = four(|k| &self.tets[elements[k]]);
        let materials = four(|k| &self.materials[tets[k].material as usize]);
        let laws = four(|k| &materials[k].law);
        let is_definite = tangent.form == Form::Definite && tangent.stiffness != 0.0;
        let gradients = gradients(&tets, at);
        let found = if is_definite { L::corotated_of_four(laws, &gradients) } else { None };
        let Some(corotated) = found else {
            for k in 0..FOUR {
                to[k] = self.tangent(elements[k], &at[k], tangent);
            }
            return;
        };
        let weight = Lanes::of(|k| tets[k].volume * tangent.stiffness);
        let rows = Lanes33::of(|k| tets[k].inverse).transpose();
        let blocks = corotated.blocks(weight, &corotated.along(&rows));
        for k in 0..FOUR {
            if !corotated.known.lane(k) {
                to[k] = self.tangent(elements[k], &at[k], tangent);
                continue;
            }
            let mut own = [[Mat3::ZERO; 3]; 3];
            for i in 0..3 {
                for j in i..3 {
                    own[i][j] = blocks[i][j].lane(k);
                }
            }
            let damping = tets[k].volume * tangent.damping;
            if damping != 0.0 && materials[k].viscous.acts() {
                let rows = tets[k].inverse.transpose();
                let gradients = [rows.x_axis, rows.y_axis, rows.z_axis];
                materials[k].viscous.add_damping(
                    tets[k].flow(&at[k]),
                    &gradients,
                    damping,
                    &mut own,
                );
            }
            complete(&mut own, &mut to[k]);
        }
    }

    /// The definite form clamps eigenvalues and drops the change of damping with position.
    #[inline]
    fn tangent(&self, element: usize, at: &Corners<4>, tangent: Tangent) -> [[Mat3; 4]; 4] {
        let tet = &self.tets[element];
        let TetMaterial { law, viscous, .. } = &self.materials[tet.material as usize];
        let rows = tet.inverse.transpose();
        let gradients = [rows.x_axis, rows.y_axis, rows.z_axis];
        let (stiffness, damping) = (tet.volume * tangent.stiffness, tet.volume * tangent.damping);
        let flow = tet.flow(at);
        let mut blocks = [[Mat3::ZERO; 3]; 3];
        if stiffness != 0.0 {
            let form = tangent.form;
            Self::add_elastic(law, flow.gradient, stiffness, form, &gradients, &mut blocks);
        }
        if damping != 0.0 && viscous.acts() {
            viscous.add_damping(flow, &gradients, damping, &mut blocks);
        }
        for (i, j) in [(1, 0), (2, 0), (2, 1)] {
            blocks[i][j] = blocks[j][i].transpose();
        }
        if stiffness != 0.0 && viscous.acts() && tangent.form == Form::Exact {
            viscous.add_stiffness(flow, &gradients, stiffness, &mut blocks);
        }
        let mut all = [[Mat3::ZERO; 4]; 4];
        with_corner_0(&blocks, &mut all);
        all
    }
}

/// Edges from corner 0 to the others, as columns.
#[inline]
fn edges([v0, v1, v2, v3]: &[Vec3; 4]) -> Mat3 {
    Mat3::from_cols(*v1 - *v0, *v2 - *v0, *v3 - *v0)
}

/// Deformation gradients of four tets.
#[inline(always)]
fn gradients(tets: &[&Tet; FOUR], at: &[Corners<4>; FOUR]) -> Lanes33 {
    let corner = |corner: usize| Lanes3::of(|k| at[k].positions[corner]);
    let first = corner(0);
    let edges = Lanes33([corner(1) - first, corner(2) - first, corner(3) - first]);
    edges * Lanes33::of(|k| tets[k].inverse)
}

/// Blocks of all corners from the upper triangle of those of 1 to 3, which are symmetric.
#[inline(always)]
fn complete(blocks: &mut [[Mat3; 3]; 3], to: &mut [[Mat3; 4]; 4]) {
    for (i, j) in [(1, 0), (2, 0), (2, 1)] {
        blocks[i][j] = blocks[j][i].transpose();
    }
    with_corner_0(blocks, to);
}

/// Blocks of all corners from those of 1 to 3: a translation has no force.
#[inline(always)]
fn with_corner_0(blocks: &[[Mat3; 3]; 3], to: &mut [[Mat3; 4]; 4]) {
    for (i, row) in blocks.iter().enumerate() {
        to[i + 1][1..].copy_from_slice(row);
        to[i + 1][0] = -(row[0] + row[1] + row[2]);
    }
    let [first, others @ ..] = to;
    for (j, sum) in first.iter_mut().enumerate() {
        *sum = -(others[0][j] + others[1][j] + others[2][j]);
    }
}
