//! Stages 2 to 4 one after the other over the whole scene: easy to read, not fast.
//!
//! Takes the overlaps of stage 1 and a way to find where an edge leaves, so that every
//! combination of the paper's and the fast detection can be tested against this.

use pliant::body::Bodies;
use pliant::depth::border::{self, Crossing};
use pliant::depth::propagate::{self, Neighbour};
use pliant::depth::{
    DepthSettings, Penetration, Penetrations, Reason, Resolved, Scope, Unresolved,
};
use pliant::detect::{Exit, Overlaps};
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;
use pliant::mesh::normals::{corner_normals, face_normal, interpolate};
use pliant::mesh::topology::Groups;

/// Marks a vertex that is not a member of the current field.
const FREE: u32 = u32::MAX;

/// The penetration of every overlapping vertex.
///
/// `exit` finds where the edge from a free vertex (first) to an inner one leaves the bodies
/// given, nearest to the free end.
///
/// - Implements: [Heidelberger04 §3.3–3.5].
/// - Deviates: [Heidelberger04 §3.5] takes all colliding points next to processed ones into a
///   new ring, processed ones too, and would never end; unprocessed ones are meant.
/// - Deviates: [Heidelberger04 §3.4] counts on a crossing for every edge that leads out;
///   where rounding hides one, the edge is dropped.
/// - Deviates: [Zachmann slide "Konsistente Penalty Forces"] visits points one by one, and
///   those of one ring influence each other; here rings are whole, as in the paper, and no
///   result depends on how vertices are numbered.
pub fn penetrations(
    positions: &[Vec3],
    bodies: &Bodies,
    overlaps: &Overlaps,
    settings: DepthSettings,
    exit: impl Fn([VertexId; 2], &[BodyId]) -> Option<Exit>,
) -> Penetrations {
    let normals = corner_normals(positions, bodies.triangles(), settings.normals);
    let crossing = |inner: VertexId, free: VertexId, into: &[BodyId]| {
        let exit = exit([free, inner], into)?;
        let corners = bodies.triangles()[exit.triangle as usize].map(|v| positions[v.index()]);
        let normal = interpolate(normals[exit.triangle as usize], exit.weights)
            .or_else(|| face_normal(corners))?;
        Some(Crossing { position: exit.position, normal })
    };

    let mut found = Penetrations::default();
    for members in fields(bodies, overlaps, settings.scope) {
        let field = Field::new(bodies, members);
        field.solve(positions, settings.exponent, crossing, &mut found);
    }
    found.sort();
    found
}

/// Vertices that collide with the same body or scene, with the bodies they are inside of.
type Members = Vec<(VertexId, Vec<BodyId>)>;

/// All colliding vertices at once, or those of one penetrated body after the other.
fn fields(bodies: &Bodies, overlaps: &Overlaps, scope: Scope) -> Vec<Members> {
    let all = || overlaps.vertices.iter().zip(overlaps.into.iter());
    match scope {
        Scope::Scene => vec![all().map(|(&vertex, into)| (vertex, into.to_vec())).collect()],
        Scope::Pairs => bodies
            .ids()
            .map(|body| {
                let inside = all().filter(|(_, into)| into.contains(&body));
                inside.map(|(&vertex, _)| (vertex, vec![body])).collect()
            })
            .collect(),
    }
}

/// One set of colliding vertices, among which depth propagates.
struct Field<'a> {
    bodies: &'a Bodies,
    members: Members,
    /// Place of each vertex in `members`, or [`FREE`].
    slots: Vec<u32>,
}

impl<'a> Field<'a> {
    fn new(bodies: &'a Bodies, members: Members) -> Field<'a> {
        let mut slots = vec![FREE; bodies.vertex_count()];
        for (slot, (vertex, _)) in members.iter().enumerate() {
            slots[vertex.index()] = slot as u32;
        }
        Field { bodies, members, slots }
    }

    fn solve(
        self,
        positions: &[Vec3],
        exponent: f64,
        crossing: impl Fn(VertexId, VertexId, &[BodyId]) -> Option<Crossing>,
        found: &mut Penetrations,
    ) {
        let mut reasons = vec![Reason::Enclosed; self.members.len()];
        let mut answers: Vec<Option<(u32, Penetration)>> = Vec::with_capacity(self.members.len());
        for (slot, (vertex, into)) in self.members.iter().enumerate() {
            let free: Vec<_> = self.neighbours(*vertex).filter(|&n| self.is_free(n)).collect();
            let crossings: Vec<_> =
                free.iter().filter_map(|&end| crossing(*vertex, end, into)).collect();
            found.missed_edges += free.len() - crossings.len();
            let penetration = border::penetration(positions[vertex.index()], &crossings, exponent);
            if penetration.is_none() && !free.is_empty() {
                let rounding = crossings.is_empty();
                reasons[slot] = if rounding { Reason::Rounding } else { Reason::Cancelled };
            }
            answers.push(penetration.map(|penetration| (0, penetration)));
        }
        self.spread(positions, exponent, &mut answers, &mut reasons);
        self.share(&mut reasons);
        for (((vertex, into), answer), reason) in self.members.into_iter().zip(answers).zip(reasons)
        {
            let into = found.keep(&into);
            match answer {
                Some((ring, penetration)) => {
                    found.resolved.push(Resolved { vertex, into, ring, penetration });
                }
                None => found.unresolved.push(Unresolved { vertex, into, reason }),
            }
        }
    }

    /// Stage 4: ring after ring, each from those before it only.
    fn spread(
        &self,
        positions: &[Vec3],
        exponent: f64,
        answers: &mut [Option<(u32, Penetration)>],
        reasons: &mut [Reason],
    ) {
        for ring in 1.. {
            let mut reached = Vec::new();
            for (slot, (vertex, _)) in self.members.iter().enumerate() {
                if answers[slot].is_some() {
                    continue;
                }
                let processed: Vec<Neighbour> = self
                    .neighbours(*vertex)
                    .filter(|&n| !self.is_free(n))
                    .filter_map(|n| {
                        let (_, penetration) = answers[self.slots[n.index()] as usize]?;
                        Some(Neighbour { position: positions[n.index()], penetration })
                    })
                    .collect();
                match propagate::penetration(positions[vertex.index()], &processed, exponent) {
                    Some(penetration) => reached.push((slot, penetration)),
                    None if !processed.is_empty() => reasons[slot] = Reason::Cancelled,
                    None => {}
                }
            }
            if reached.is_empty() {
                return;
            }
            for (slot, penetration) in reached {
                answers[slot] = Some((ring, penetration));
            }
        }
    }

    /// Gives vertices that are connected to others without a result the reason of those.
    fn share(&self, reasons: &mut [Reason]) {
        let mut groups = Groups::new(self.members.len());
        for (slot, (vertex, _)) in self.members.iter().enumerate() {
            for neighbour in self.neighbours(*vertex).filter(|&n| !self.is_free(n)) {
                groups.join(slot as u32, self.slots[neighbour.index()]);
            }
        }
        for wanted in [Reason::Rounding, Reason::Cancelled] {
            let mut touched = vec![false; self.members.len()];
            for (slot, _) in reasons.iter().enumerate().filter(|&(_, r)| *r == wanted) {
                touched[groups.root(slot as u32) as usize] = true;
            }
            for (slot, reason) in reasons.iter_mut().enumerate() {
                if *reason == Reason::Enclosed && touched[groups.root(slot as u32) as usize] {
                    *reason = wanted;
                }
            }
        }
    }

    fn neighbours(&self, vertex: VertexId) -> impl Iterator<Item = VertexId> + '_ {
        self.bodies.neighbours().row(vertex.index()).iter().copied()
    }

    fn is_free(&self, vertex: VertexId) -> bool {
        self.slots[vertex.index()] == FREE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::body::Mesh;
    use pliant::depth::Penetrations;
    use pliant::detect::brute;
    use pliant::mesh::generate::ball::ball;
    use pliant::mesh::generate::cuboid::cuboid;
    use pliant::mesh::generate::lattice::TetSplit;
    use pliant::mesh::normals::Normals;
    use pliant::mesh::raw::RawMesh;
    use pliant::mesh::tet::TetMesh;

    const TOLERANCE: f64 = 1e-12;

    /// A scene of bodies, each moved.
    fn scene(list: &[(RawMesh, Vec3)]) -> (Vec<Vec3>, Bodies) {
        let meshes: Vec<TetMesh> =
            list.iter().map(|(mesh, _)| TetMesh::from_raw(mesh.clone()).unwrap().0).collect();
        let borrowed: Vec<_> = meshes.iter().map(Mesh::Tets).collect();
        let bodies = Bodies::from_meshes(&borrowed).unwrap();
        let moved = list.iter().flat_map(|(mesh, by)| mesh.positions.iter().map(|&p| p + *by));
        (moved.collect(), bodies)
    }

    fn solve(positions: &[Vec3], bodies: &Bodies, settings: DepthSettings) -> Penetrations {
        let overlaps = brute::overlaps(positions, bodies);
        penetrations(positions, bodies, &overlaps, settings, |edge, into| {
            brute::exit(edge, into, positions, bodies)
        })
    }

    fn cube(cells: u32) -> RawMesh {
        cuboid([cells; 3], Vec3::ONE, TetSplit::Six).unwrap()
    }

    fn flat() -> DepthSettings {
        DepthSettings { normals: Normals::Face, ..DepthSettings::default() }
    }

    #[test]
    fn a_block_standing_in_a_larger_one_goes_up() {
        // The small cube's lowest layer is 0.2 m below the top of the slab, between its vertices.
        let slab = cuboid([5, 5, 2], Vec3::new(6.0, 6.0, 1.0), TetSplit::Six).unwrap();
        let (positions, bodies) = scene(&[(slab, Vec3::ZERO), (cube(2), Vec3::Z * 0.8)]);
        let found = solve(&positions, &bodies, flat());
        assert_eq!((found.resolved.len(), found.unresolved.len(), found.missed_edges), (9, 0, 0));
        for Resolved { penetration, ring, into, .. } in &found.resolved {
            assert!((penetration.depth - 0.2).abs() < TOLERANCE, "{penetration:?}");
            assert!(penetration.direction.abs_diff_eq(Vec3::Z, TOLERANCE), "{penetration:?}");
            assert_eq!((*ring, found.bodies(*into)), (0, &[BodyId(0)][..]));
        }
    }

    #[test]
    fn deeper_layers_follow_in_rings_with_the_same_direction() {
        // Four layers of the column are inside: 0.8, 0.55, 0.3 and 0.05 m below the top.
        let slab = cuboid([7, 7, 2], Vec3::new(8.0, 8.0, 4.0), TetSplit::Six).unwrap();
        let (positions, bodies) = scene(&[(slab, Vec3::ZERO), (cube(4), Vec3::Z * 1.7)]);
        let found = solve(&positions, &bodies, flat());
        assert_eq!((found.resolved.len(), found.unresolved.len()), (4 * 25, 0));
        for Resolved { vertex, penetration, ring, .. } in &found.resolved {
            let depth = 2.0 - positions[vertex.index()].z;
            assert!((penetration.depth - depth).abs() < TOLERANCE, "{penetration:?} {depth}");
            assert!(penetration.direction.abs_diff_eq(Vec3::Z, TOLERANCE), "{penetration:?}");
            assert_eq!(*ring, ((depth - 0.05) / 0.25).round() as u32);
        }
    }

    #[test]
    fn an_enclosed_body_is_unresolved_and_so_said() {
        let shell = cuboid([1; 3], Vec3::splat(3.0), TetSplit::Six).unwrap();
        let (positions, bodies) = scene(&[(shell, Vec3::ZERO), (cube(2), Vec3::ZERO)]);
        let found = solve(&positions, &bodies, DepthSettings::default());
        assert_eq!((found.resolved.len(), found.unresolved.len()), (0, 27));
        assert!(found.unresolved.iter().all(|u| u.reason == Reason::Enclosed));
    }

    #[test]
    fn normals_that_cancel_are_said_to() {
        // One edge through a plate: its middle vertex sees both faces at the same distance.
        let plate = cuboid([4, 4, 1], Vec3::new(4.0, 4.0, 1.0), TetSplit::Six).unwrap();
        let needle = cuboid([1, 1, 2], Vec3::new(0.1, 0.1, 4.0), TetSplit::Six).unwrap();
        let (positions, bodies) = scene(&[(plate, Vec3::ZERO), (needle, Vec3::new(0.3, 0.4, 0.0))]);
        let found = solve(&positions, &bodies, flat());
        let reasons: Vec<_> = found.unresolved.iter().map(|u| u.reason).collect();
        assert!(reasons.contains(&Reason::Cancelled), "{found:?}");
        assert!(!reasons.contains(&Reason::Enclosed));
    }

    #[test]
    fn a_neighbour_that_sinks_in_makes_depth_jump() {
        // A tip 0.2 m behind one face of a block and 0.3 m below its top. One edge leads out
        // sideways, two lead up: weights 1/0.04, 1/0.09 and about as much, depth near 0.247 m.
        // Once the end at the side is inside, only the top counts.
        let depth = |reach: f64| {
            let block = cuboid([1; 3], Vec3::splat(2.0), TetSplit::Six).unwrap();
            let tip = Vec3::new(0.8, 0.0, 0.7);
            let ends = [tip + Vec3::X * reach, tip + Vec3::Z, tip + Vec3::new(0.0, 0.1, 1.0)];
            let positions = [vec![tip], ends.to_vec()].concat();
            let tets = vec![[0, 1, 2, 3].map(VertexId)];
            let tooth = RawMesh { positions, tets, regions: vec![0], ..RawMesh::default() };
            let (positions, bodies) = scene(&[(block, Vec3::ZERO), (tooth, Vec3::ZERO)]);
            let found = solve(&positions, &bodies, flat());
            found.resolved.iter().find(|r| r.vertex == VertexId(8)).unwrap().penetration.depth
        };
        assert!(depth(0.2 + 1e-9) < 0.25);
        assert!((depth(0.2 - 1e-9) - 0.3).abs() < TOLERANCE);
    }

    #[test]
    fn pairs_and_scene_agree_when_no_body_touches_two_others() {
        let (positions, bodies) =
            scene(&[(ball(1.0, 3).unwrap(), Vec3::ZERO), (cube(3), Vec3::X * 1.1)]);
        let pairs = DepthSettings { scope: Scope::Pairs, ..DepthSettings::default() };
        let scene = solve(&positions, &bodies, DepthSettings::default());
        assert!(!scene.resolved.is_empty());
        assert_eq!(solve(&positions, &bodies, pairs), scene);
    }

    #[test]
    fn three_bodies_differ_by_scope() {
        let list: Vec<_> = [Vec3::ZERO, Vec3::X * 0.6, Vec3::Y * 0.6]
            .map(|by| (cube(3), by + Vec3::splat(0.01) * by.length()))
            .to_vec();
        let (positions, bodies) = scene(&list);
        let pairs = DepthSettings { scope: Scope::Pairs, ..DepthSettings::default() };
        let found = solve(&positions, &bodies, pairs);
        assert!(found.resolved.iter().all(|r| found.bodies(r.into).len() == 1));
        assert!(found.resolved.is_sorted_by_key(|r| (r.vertex, found.bodies(r.into)[0])));
        let scene = solve(&positions, &bodies, DepthSettings::default());
        assert!(scene.resolved.iter().any(|r| scene.bodies(r.into).len() == 2));
    }
}
