//! Everything that can be seen, as triangles in world space.

use pliant::body::keyframes::{Keyframe, Keyframes, Pose};
use pliant::math::{Aabb, Quat, Vec3};

use super::View;
use super::fill::Flat;
use super::glyphs::{MOST_OF_ALL, rods, spheres, stride};
use super::normals::{area, corner_normals};
use pliant_scene::loaded::{BodyInfo, RenderMesh};

/// An obstacle with a diagonal of more than this many times that of the bodies is not framed.
const LARGE: f64 = 2.5;

/// The same for one that is flat: what stands on it matters, not where it ends.
const WIDE: f64 = 1.2;

/// A plane is in the picture when it is nearer than this many diagonals of the bodies.
const NEAR: f64 = 2.0;

/// How far obstacles are drawn behind their surface, relative to the diagonal of the bodies.
const SUNK: f64 = 4e-3;

/// The plane under solids reaches this many diagonals of the bodies from their middle.
const PLANE: f64 = 20.0;

/// Normals of a flat obstacle agree to this; its corners are f32.
const FLAT: f64 = 1e-4;

/// What a triangle is painted with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// The colour of a body, by its index.
    Body(usize),
    /// The grey of obstacles.
    Obstacle,
    /// A flat obstacle without visible end, by its index in [`Model::grounds`].
    Ground(usize),
}

/// One triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// World space, m.
    pub corners: [Vec3; 3],
    /// Unit normals at the corners.
    pub normals: [Vec3; 3],
    /// Its colour.
    pub paint: Paint,
}

/// A plane that fades with distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// A point of it, world space, m.
    pub point: Vec3,
    /// Unit normal; either side.
    pub normal: Vec3,
}

/// What can be seen.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Bodies first, then obstacles.
    pub triangles: Vec<Triangle>,
    /// Outlines without triangles.
    pub flats: Vec<Flat>,
    /// Planes.
    pub grounds: Vec<Ground>,
    /// Points that the picture must hold, world space, m.
    pub framed: Vec<Vec3>,
    /// What was left out, one sentence each.
    pub notices: Vec<String>,
}

impl Model {
    /// Gathers what can be seen, in a picture that must hold further points, m.
    ///
    /// How large an obstacle counts is relative to the bodies and these points, so that it is
    /// drawn alike in all pictures that hold the same points.
    pub fn new(view: &View<'_>, framing: &[Vec3]) -> Model {
        let mut model = Model::default();
        let positions: Vec<Vec3> = view.positions.iter().map(|p| vector(*p)).collect();
        model.add_bodies(view.bodies, &positions);
        model.framed.extend(framing);
        let size = diagonal(&model.framed);
        let stands = |body: &BodyInfo| !body.rings.is_empty() && !body.triangles.is_empty();
        if view.bodies.iter().any(stands) {
            model.add_plane(size);
        }
        let skins: Vec<_> = view.obstacles.iter().map(|skin| placed(skin, view.time)).collect();
        for (skin, placed) in view.obstacles.iter().zip(&skins) {
            model.add_obstacle(skin, placed, size);
        }
        model
    }

    /// Takes out planes that stand between the eye and the bodies.
    pub fn leave_out_hiding(&mut self, eye: Vec3) {
        let middle = middle(&self.framed);
        let hides = |ground: &Ground| {
            let height = |point: Vec3| (point - ground.point).dot(ground.normal);
            height(eye) * height(middle) < 0.0
        };
        let hiding: Vec<bool> = self.grounds.iter().map(hides).collect();
        self.triangles.retain(|triangle| match triangle.paint {
            Paint::Ground(index) => !hiding[index],
            Paint::Body(_) | Paint::Obstacle => true,
        });
    }

    fn add_bodies(&mut self, bodies: &[BodyInfo], positions: &[Vec3]) {
        let finite: Vec<bool> = positions.iter().map(|p| p.is_finite()).collect();
        let (mut shown, mut paints) = (Vec::new(), Vec::new());
        for (index, body) in bodies.iter().enumerate() {
            self.tell_of_vertices(body, &finite);
            let here = |t: &&[u32; 3]| t.iter().all(|&v| finite.get(v as usize) == Some(&true));
            shown.extend(body.triangles.iter().filter(here));
            paints.resize(shown.len(), Paint::Body(index));
        }
        self.add_triangles(positions, &shown, |index| paints[index]);
        self.framed = self.triangles.iter().flat_map(|t| t.corners).collect();
        self.add_flats(bodies, positions, &finite);
        let bare = |body: &&BodyInfo| body.triangles.is_empty() && body.rings.is_empty();
        let middles: Vec<(usize, Vec<Vec3>)> = bodies
            .iter()
            .enumerate()
            .filter(|(_, body)| bare(body))
            .map(|(index, body)| (index, self.vertices(body, positions)))
            .collect();
        self.framed.extend(middles.iter().flat_map(|(_, points)| points));
        let size = diagonal(&self.framed);
        let [mut spheres_left, mut rods_left] = [MOST_OF_ALL; 2];
        for (index, points) in &middles {
            let ends = edges(&bodies[*index], positions);
            if points.len() > spheres_left || ends.len() > rods_left {
                let name = &bodies[*index].name;
                self.notices.push(format!(
                    "from body `{name}` on, not all bodies without triangles are shown: there are \
                     more than {MOST_OF_ALL} vertices or edges"
                ));
                break;
            }
            spheres_left -= points.len();
            rods_left -= ends.len();
            self.triangles.extend(spheres(points, size, Paint::Body(*index)));
            self.triangles.extend(rods(&ends, size, Paint::Body(*index)));
        }
    }

    /// Outlines without triangles; one with a corner that is lost is left out.
    fn add_flats(&mut self, bodies: &[BodyInfo], positions: &[Vec3], finite: &[bool]) {
        for (index, body) in bodies.iter().enumerate().filter(|(_, b)| b.triangles.is_empty()) {
            let here = |v: &u32| finite.get(*v as usize) == Some(&true);
            if !body.rings.is_empty() && body.rings.iter().flatten().all(here) {
                let ring = |ring: &Vec<u32>| ring.iter().map(|v| positions[*v as usize]).collect();
                let rings: Vec<Vec<Vec3>> = body.rings.iter().map(ring).collect();
                self.framed.extend(rings.iter().flatten());
                self.flats.push(Flat { rings, body: index });
            }
        }
    }

    /// The finite vertices of a body, or every n-th of very many.
    fn vertices(&mut self, body: &BodyInfo, positions: &[Vec3]) -> Vec<Vec3> {
        let every = stride(body.vertices.len());
        if every > 1 {
            self.notices.push(format!(
                "body `{}` has no triangles and {} vertices: one of {every} is shown",
                body.name,
                body.vertices.len()
            ));
        }
        let own = positions.get(body.vertices.clone()).unwrap_or(&[]);
        own.iter().step_by(every).copied().filter(|p| p.is_finite()).collect()
    }

    /// Names vertices that are not finite, and corners that are not there.
    fn tell_of_vertices(&mut self, body: &BodyInfo, finite: &[bool]) {
        let lost = |v: &usize| finite.get(*v) == Some(&false);
        if let Some(first) = body.vertices.clone().find(lost) {
            let count = body.vertices.clone().filter(lost).count();
            let vertices = if count == 1 { "vertex is" } else { "vertices are" };
            self.notices.push(format!(
                "body `{}`: {count} {vertices} not finite, the first is {}; what they hold is left out",
                body.name,
                first - body.vertices.start,
            ));
        }
        let missing = |v: &&u32| **v as usize >= finite.len();
        let corners = body.triangles.iter().flatten().chain(body.rings.iter().flatten());
        if let Some(vertex) = corners.into_iter().find(missing) {
            let what = if body.rings.is_empty() { "triangles" } else { "rings" };
            self.notices.push(format!(
                "body `{}`: {what} name vertex {vertex} of {}; they are left out",
                body.name,
                finite.len()
            ));
        }
    }

    /// The plane z = 0, which solids with an outline move in, as a ground.
    fn add_plane(&mut self, size: f64) {
        let (middle, reach) = (middle(&self.framed), PLANE * size);
        let corner = |x: f64, y: f64| Vec3::new(middle.x + reach * x, middle.y + reach * y, 0.0);
        let [a, b] = [corner(-1.0, -1.0), corner(1.0, -1.0)];
        let [c, d] = [corner(1.0, 1.0), corner(-1.0, 1.0)];
        let paint = Paint::Ground(self.grounds.len());
        self.grounds.push(Ground { point: Vec3::new(middle.x, middle.y, 0.0), normal: Vec3::Z });
        let normals = [Vec3::Z; 3];
        let both = [[a, b, c], [a, c, d]];
        self.triangles.extend(both.map(|corners| Triangle { corners, normals, paint }));
    }

    fn add_obstacle(&mut self, skin: &RenderMesh, positions: &[Vec3], bodies: f64) {
        let finite = |&v: &u32| positions.get(v as usize).is_some_and(|p| p.is_finite());
        let shown: Vec<[u32; 3]> =
            skin.triangles.iter().filter(|t| t.iter().all(finite)).copied().collect();
        if shown.len() < skin.triangles.len() {
            let count = skin.triangles.len() - shown.len();
            let name = &skin.name;
            self.notices.push(format!(
                "obstacle `{name}`: {count} triangles have corners that are not there or not finite"
            ));
        }
        let corners: Vec<Vec3> = shown.iter().flatten().map(|v| positions[*v as usize]).collect();
        let ground = plane(&corners);
        let most = if ground.is_some() { WIDE } else { LARGE };
        let large = bodies > 0.0 && diagonal(&corners) > most * bodies;
        let mut paint = Paint::Obstacle;
        if !large {
            self.framed.extend(corners);
        } else if let Some(ground) = ground {
            paint = Paint::Ground(self.grounds.len());
            self.grounds.push(ground);
            let middle = middle(&self.framed);
            let height = (middle - ground.point).dot(ground.normal);
            if height.abs() < NEAR * bodies {
                self.framed.push(middle - height * ground.normal);
            }
        }
        let normals = corner_normals(positions, &shown);
        for (triangle, normals) in shown.iter().zip(normals) {
            let mut corners = triangle.map(|v| positions[v as usize]);
            if paint == Paint::Obstacle {
                // What lies on it must not be pierced by its corners.
                corners.iter_mut().zip(normals).for_each(|(p, n)| *p -= SUNK * bodies * n);
            }
            if normals[0] != Vec3::ZERO {
                self.triangles.push(Triangle { corners, normals, paint });
            }
        }
    }

    fn add_triangles(
        &mut self,
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        paint: impl Fn(usize) -> Paint,
    ) {
        let normals = corner_normals(positions, triangles);
        for (index, (triangle, normals)) in triangles.iter().zip(normals).enumerate() {
            let corners = triangle.map(|v| positions[v as usize]);
            // Without area there is nothing to see, and no side to shade.
            if normals[0] != Vec3::ZERO {
                self.triangles.push(Triangle { corners, normals, paint: paint(index) });
            }
        }
    }
}

fn vector(p: [f32; 3]) -> Vec3 {
    Vec3::from(p.map(f64::from))
}

/// Both ends of each edge of a body, where they are finite; none of a body that is thinned.
fn edges(body: &BodyInfo, positions: &[Vec3]) -> Vec<[Vec3; 2]> {
    let place = |v: u32| positions.get(v as usize).copied().filter(|p| p.is_finite());
    let shown =
        body.edges.iter().filter(|_| stride(body.vertices.len().max(body.edges.len())) == 1);
    shown.filter_map(|&[a, b]| Some([place(a)?, place(b)?])).collect()
}

/// Corners of an obstacle at a moment; poses that make no motion count as none.
pub(crate) fn placed(skin: &RenderMesh, time: f64) -> Vec<Vec3> {
    let frames = skin.poses.iter().map(|&(time, position, rotation)| Keyframe {
        time,
        position: Vec3::from(position),
        rotation: Quat::from_array(rotation),
    });
    let motion = Keyframes::new(frames.collect()).ok();
    let poses = motion.map_or([Pose::IDENTITY; 2], |motion| [motion.pose(0.0), motion.pose(time)]);
    let [from, to] = poses;
    let corners = skin.positions.iter().map(|p| vector(*p));
    if from == to {
        return corners.collect();
    }
    corners.map(|p| to.world_from_body(from.body_from_world(p))).collect()
}

/// The plane through all corners of triangles, if there is one.
fn plane(corners: &[Vec3]) -> Option<Ground> {
    let triangles = corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]);
    let normals: Vec<Vec3> = triangles.filter_map(|t| area(t).try_normalize()).collect();
    let (point, normal) = (*corners.first()?, *normals.first()?);
    let size = diagonal(corners);
    let flat = normals.iter().all(|n| n.dot(normal).abs() > 1.0 - FLAT)
        && corners.iter().all(|c| (*c - point).dot(normal).abs() < FLAT * size);
    flat.then_some(Ground { point, normal })
}

/// Length across all points, m; 0 without any.
pub fn diagonal(points: &[Vec3]) -> f64 {
    let around = Aabb::around(points.iter().copied());
    if points.is_empty() { 0.0 } else { (around.max - around.min).length() }
}

/// Middle of the box around all points, m; the origin without any.
pub fn middle(points: &[Vec3]) -> Vec3 {
    let around = Aabb::around(points.iter().copied());
    if points.is_empty() { Vec3::ZERO } else { 0.5 * (around.min + around.max) }
}
