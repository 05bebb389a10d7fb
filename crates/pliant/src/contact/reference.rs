//! Reference implementation of the search, and both compared on random scenes.
//!
//! No trees, boxes or lists: every vertex against every triangle, every edge against every edge,
//! as the definitions say. The one cull that changes the result is stated in [`Slow::edges`].
//! Penetrations come from `depth`, which has a reference of its own.

use crate::body::keyframes::{Keyframe, Keyframes, Pose};
use crate::body::obstacle::{Obstacle, Plane, Revolved, SurfaceMaterial};
use crate::body::{Bodies, Mesh};
use crate::contact::edges::{EdgeGeometry, arriving_gap, edge_edge_gap};
use crate::contact::features::{Edge, Features};
use crate::contact::inside::hit;
use crate::contact::margin::{Margin, VelocityBounds};
use crate::contact::near::{ClosestPoint, shares};
use crate::contact::obstacles::{AHEAD, ahead};
use crate::contact::search::{ContactQuery, ContactSettings, Search, depth_settings};
use crate::contact::{Contact, Feature};
use crate::depth::{self, Penetration, Penetrations, Reason};
use crate::force::StateView;
use crate::id::{BodyId, TriangleId, VertexId};
use crate::math::random::Random;
use crate::math::{Aabb, Quat, Vec3};
use crate::mesh::closest::closest_point;
use crate::mesh::generate::ball::ball;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::icosahedron::icosahedron;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::intersect::segment_meets_triangle;
use crate::mesh::normals::face_normal;
use crate::mesh::tet::TetMesh;

const DT: f64 = 1.0 / 60.0;

/// The reference search.
struct Slow<'a> {
    motion: StateView<'a>,
    bodies: &'a Bodies,
    features: Features,
    velocity_bounds: Vec<VelocityBounds>,
    settings: ContactSettings,
}

/// Contacts of a search, and how many vertices are unresolved and enclosed.
type Answer = (Vec<Contact>, usize, usize);

impl Slow<'_> {
    fn find(&self, obstacles: &[Obstacle]) -> Answer {
        let mut found = Vec::new();
        let penetrations =
            depth::penetrations(self.motion.positions, self.bodies, depth_settings()).unwrap();
        let enclosed = self.inside(&penetrations, &mut found);
        let is_inside = |vertex: VertexId, body: BodyId| {
            let resolved = penetrations.resolved.iter().map(|entry| (entry.vertex, entry.into));
            let unresolved = penetrations.unresolved.iter().map(|entry| (entry.vertex, entry.into));
            resolved.chain(unresolved).any(|(v, i)| v == vertex && penetrations.bodies(i) == [body])
        };
        for a in self.bodies.ids() {
            for b in self.bodies.ids().filter(|&b| b != a) {
                let margin = self.margin([a, b]);
                for vertex in self.bodies.vertices(a).map(|v| VertexId(v as u32)) {
                    let net = !self.bodies.kind(a).has_surface();
                    let counts = net || self.features.surface.contains(&vertex);
                    if counts && !is_inside(vertex, b) {
                        let closest_point = self.closest_point(vertex, b, margin);
                        let closest_point = closest_point
                            .filter(|closest| self.is_nearest_of_neighbours(vertex, closest));
                        found.extend(closest_point.map(|closest_point| {
                            self.against([a, b], vertex, closest_point, margin)
                        }));
                    }
                }
                if a < b {
                    self.edges([a, b], margin, 0.1, &mut found);
                    let mut inside = self.bodies.vertices(a).map(|v| (v, b));
                    let mut others = self.bodies.vertices(b).map(|v| (v, a));
                    let is_inside =
                        |(v, body): (usize, BodyId)| is_inside(VertexId(v as u32), body);
                    if !inside.any(is_inside) && !others.any(is_inside) {
                        self.through([a, b], margin, &mut found);
                    }
                }
            }
        }
        for a in self.bodies.ids() {
            for b in self.bodies.ids().filter(|&b| a < b) {
                self.along_paths([a, b], is_inside, &mut found);
            }
        }
        self.obstacles(obstacles, &mut found);
        found.sort_by_key(|contact| contact.feature);
        (found, penetrations.unresolved.len() - enclosed, enclosed)
    }

    fn at(&self, vertex: VertexId) -> Vec3 {
        self.motion.positions[vertex.index()]
    }

    /// Triangles of a body with their corners.
    fn triangles(&self, body: BodyId) -> impl Iterator<Item = (TriangleId, [Vec3; 3])> {
        let range = self.bodies.triangles_of(body);
        range.map(|t| {
            (TriangleId(t as u32), self.bodies.triangles()[t].map(|vertex| self.at(vertex)))
        })
    }

    fn margin(&self, [a, b]: [BodyId; 2]) -> Margin {
        let [x, y] = [a, b].map(|body| self.velocity_bounds[body.index()]);
        let speed = x.mean.distance(y.mean) + x.spread + y.spread;
        self.settings.margin.of(self.size([a, b]), speed, DT)
    }

    fn size(&self, pair: [BodyId; 2]) -> f64 {
        let [a, b] = pair.map(|body| self.features.sizes[body.index()]);
        a.min(b)
    }

    /// Contacts of vertices inside; returns how many have one by being enclosed.
    ///
    /// Of two bodies of which one is enclosed, only that one's vertices count.
    fn inside(&self, penetrations: &Penetrations, found: &mut Vec<Contact>) -> usize {
        let mut groups: Vec<(BodyId, BodyId, Vec<VertexId>)> = Vec::new();
        for entry in penetrations.unresolved.iter().filter(|entry| entry.reason == Reason::Enclosed)
        {
            let (own, [body]) =
                (self.bodies.body_of(entry.vertex), penetrations.bodies(entry.into))
            else {
                panic!("{entry:?}")
            };
            match groups.iter_mut().find(|group| (group.0, group.1) == (own, *body)) {
                Some(group) => group.2.push(entry.vertex),
                None => groups.push((own, *body, vec![entry.vertex])),
            }
        }
        let led = |(own, body, group): &(_, _, Vec<_>)| {
            self.way_out(group, *body).map(|direction| (*own, *body, group.clone(), direction))
        };
        let groups: Vec<_> = groups.iter().filter_map(led).collect();
        let mut count = 0;
        for (own, body, group, direction) in &groups {
            for &vertex in group {
                let closest_point = self.exit(vertex, *body, *direction).unwrap();
                found.push(self.against(
                    [*own, *body],
                    vertex,
                    closest_point,
                    self.still([*own, *body]),
                ));
                count += 1;
            }
        }
        for entry in &penetrations.resolved {
            let (own, body) =
                (self.bodies.body_of(entry.vertex), penetrations.bodies(entry.into)[0]);
            if groups.iter().any(|group| (group.0, group.1) == (body, own)) {
                continue;
            }
            let Penetration { direction, .. } = entry.penetration;
            let nearest = || {
                let (distance_sq, triangle, point, corners) = self.nearest(entry.vertex, body);
                let (shares, gap) = (shares(point, corners), -distance_sq.sqrt());
                ClosestPoint { triangle, shares, normal: direction, gap }
            };
            let closest_point = self.exit(entry.vertex, body, direction).unwrap_or_else(nearest);
            let margin = self.still([own, body]);
            found.push(self.against([own, body], entry.vertex, closest_point, margin));
        }
        count
    }

    fn still(&self, pair: [BodyId; 2]) -> Margin {
        let size = self.size(pair);
        let offset = self.settings.margin.offset * size;
        Margin { size, offset, reach: offset }
    }

    /// The direction along which the last of a group leaves a body soonest.
    fn way_out(&self, group: &[VertexId], body: BodyId) -> Option<Vec3> {
        let mut ways: Vec<(f64, Vec3)> = Vec::new();
        for &vertex in group {
            let (distance_sq, _, _, corners) = self.nearest(vertex, body);
            let normal = face_normal(corners).unwrap();
            match ways.iter().position(|way| way.1.dot(normal) > 0.9) {
                Some(k) if ways[k].0 > distance_sq => ways[k] = (distance_sq, normal),
                Some(_) => {}
                None => ways.push((distance_sq, normal)),
            }
        }
        let last = |direction: Vec3| {
            let exits = group.iter().map(|&vertex| self.exit(vertex, body, direction));
            exits
                .map(|closest_point| {
                    closest_point.map_or(f64::INFINITY, |closest_point| -closest_point.gap)
                })
                .fold(0.0, f64::max)
        };
        let lasts: Vec<f64> = ways.iter().map(|way| last(way.1)).collect();
        let best = (0..ways.len()).min_by(|&i, &j| lasts[i].total_cmp(&lasts[j]))?;
        lasts[best].is_finite().then_some(ways[best].1)
    }

    /// Where a ray from a vertex first leaves a body.
    fn exit(&self, vertex: VertexId, body: BodyId, direction: Vec3) -> Option<ClosestPoint> {
        let from = self.at(vertex);
        let hits = self.triangles(body).filter_map(|(triangle, corners)| {
            let (t, shares) = hit(from, direction, corners)?;
            Some(ClosestPoint { triangle, shares, normal: direction, gap: -t })
        });
        hits.min_by(|x, y| (-x.gap).total_cmp(&-y.gap))
    }

    fn nearest(&self, vertex: VertexId, body: BodyId) -> (f64, TriangleId, Vec3, [Vec3; 3]) {
        let point = self.at(vertex);
        let all = self.triangles(body).map(|(triangle, corners)| {
            let nearest = closest_point(point, corners);
            (nearest.distance_squared(point), triangle, nearest, corners)
        });
        all.min_by(|x, y| x.0.total_cmp(&y.0)).unwrap()
    }

    /// The closest point, within reach, on the triangles that face a vertex.
    fn closest_point(
        &self,
        vertex: VertexId,
        body: BodyId,
        margin: Margin,
    ) -> Option<ClosestPoint> {
        let point = self.at(vertex);
        let towards = self
            .triangles(body)
            .filter(|(_, [a, b, c])| (*b - *a).cross(*c - *a).dot(point - *a) >= 0.0);
        let (distance_sq, triangle, nearest, corners) = towards
            .map(|(triangle, corners)| {
                let nearest = closest_point(point, corners);
                (nearest.distance_squared(point), triangle, nearest, corners)
            })
            .filter(|found| found.0 <= margin.reach * margin.reach)
            .min_by(|x, y| x.0.total_cmp(&y.0))?;
        let gap = distance_sq.sqrt();
        let away = (point - nearest) / gap;
        let normal = if gap > 1e-7 * margin.size { away } else { face_normal(corners)? };
        Some(ClosestPoint { triangle, shares: shares(nearest, corners), normal, gap })
    }

    /// Whether no neighbour of a vertex is nearer to the edge or corner that it is nearest to.
    fn is_nearest_of_neighbours(&self, vertex: VertexId, closest: &ClosestPoint) -> bool {
        let corners = self.bodies.triangles()[closest.triangle.index()].map(|v| self.at(v));
        let is_above = face_normal(corners).is_none_or(|n| n.dot(closest.normal) > 0.999);
        let farther = |other: VertexId| {
            let way = self.at(other) - self.at(vertex);
            closest.normal.dot(way) >= -0.02 * way.length()
        };
        let all = self.bodies.tets().iter().map(|tet| &tet[..]);
        let all = all.chain(self.bodies.triangles().iter().map(|triangle| &triangle[..]));
        let around = all.filter(|corners| corners.contains(&vertex)).flatten();
        is_above || around.into_iter().all(|other| farther(*other))
    }

    /// All edges against all edges.
    ///
    /// None where the boxes of the bodies are farther apart than the pair's reach.
    fn edges(&self, [a, b]: [BodyId; 2], margin: Margin, pad: f64, found: &mut Vec<Contact>) {
        let [first, second] = [a, b].map(|body| {
            Aabb::around(self.motion.positions[self.bodies.vertices(body)].iter().copied())
        });
        let reach = Vec3::splat(margin.reach);
        if !(Aabb { min: first.min - reach, max: first.max + reach }).meets(second) {
            return;
        }
        let side = |edge: usize| self.side(edge);
        for one in self.features.edges_of(a) {
            let Some(p) = side(one) else { continue };
            for other in self.features.edges_of(b) {
                let Some(q) = side(other) else { continue };
                let lengths = [&p, &q].map(|edge| edge.ends[0].distance(edge.ends[1]));
                // A flat edge meets others that are not flat: longer ones, and all if it is bent.
                let bent = 0.05 * margin.offset;
                let meets = match (p.is_flat(), q.is_flat()) {
                    (true, true) => false,
                    (true, false) => lengths[1] > 1.5 * lengths[0] || p.rise() > bent,
                    (false, true) => lengths[0] > 1.5 * lengths[1] || q.rise() > bent,
                    (false, false) => true,
                };
                if !meets || pad > 1.0 && (p.is_flat() || q.is_flat()) {
                    continue;
                }
                let shorter = lengths[0].min(lengths[1]);
                let depth = margin.reach.max((pad * shorter).min(margin.size));
                let [[a0, a1], [b0, b1]] = [one, other].map(|e| self.features.edges[e].ends);
                let way = |end: VertexId| DT * self.motion.velocities[end.index()];
                let displacements = [[a0, a1], [b0, b1]].map(|ends| ends.map(way));
                let [mine, theirs] = &displacements;
                let slide = mine.iter().flat_map(|m| theirs.iter().map(|t| m.distance(*t)));
                let slides = slide.fold(0.0, f64::max) > 0.02 * shorter;
                // Those that are not met where they are, where they are going.
                let here = edge_edge_gap(&p, &q, margin.reach, depth);
                let there = || arriving_gap(&p, &q, displacements, margin.reach, depth);
                let Some(met) = here.or_else(|| slides.then(there).flatten()) else { continue };
                found.push(Contact {
                    feature: Feature::EdgeEdge(one as u32, other as u32),
                    vertices: [a0, a1, b0, b1],
                    weights: [1.0 - met.s, met.s, met.t - 1.0, -met.t],
                    normal: met.normal,
                    gap: met.gap,
                    ..self.blank([a, b], margin)
                });
            }
        }
    }

    /// An edge with what is beside it; `None` where a triangle has no area.
    fn side(&self, edge: usize) -> Option<EdgeGeometry> {
        let Edge { ends, tips, triangles } = self.features.edges[edge];
        let at = |vertices: [VertexId; 2]| vertices.map(|v| self.at(v));
        let corners = |t: TriangleId| self.bodies.triangles()[t.index()].map(|v| self.at(v));
        let normals = triangles.map(|t| face_normal(corners(t)));
        Some(EdgeGeometry::new(at(ends), at(tips), [normals[0]?, normals[1]?]))
    }

    /// Contacts along the paths of two bodies, but for features that have one already.
    fn along_paths(
        &self,
        [a, b]: [BodyId; 2],
        is_inside: impl Fn(VertexId, BodyId) -> bool,
        found: &mut Vec<Contact>,
    ) {
        let margin = self.margin([a, b]);
        let [x, y] = [a, b].map(|body| self.velocity_bounds[body.index()]);
        if AHEAD * DT * x.closing(y) <= margin.reach {
            return;
        }
        let known: Vec<Feature> = found.iter().map(|contact| contact.feature).collect();
        for (of, mean) in [([a, b], y.mean), ([b, a], x.mean)] {
            for vertex in self.bodies.vertices(of[0]).map(|v| VertexId(v as u32)) {
                if known.contains(&Feature::VertexBody(vertex, of[1])) || is_inside(vertex, of[1]) {
                    continue;
                }
                let way = AHEAD * DT * (self.motion.velocities[vertex.index()] - mean);
                let crushes = way.length() > 0.5 * margin.size;
                if !crushes && !self.features.surface.contains(&vertex) {
                    continue;
                }
                let met = self.first_met(vertex, of[1], way);
                found.extend(met.map(|met| self.against(of, vertex, met, margin)));
            }
        }
        let way = AHEAD * DT * (x.mean - y.mean);
        for one in self.features.edges_of(a) {
            let Some(p) = self.side(one).filter(|edge| !edge.is_flat()) else { continue };
            for other in self.features.edges_of(b) {
                let feature = Feature::EdgeEdge(one as u32, other as u32);
                let Some(q) = self.side(other).filter(|edge| !edge.is_flat()) else { continue };
                if known.contains(&feature) {
                    continue;
                }
                found.extend(self.edge_along([a, b], [one, other], [&p, &q], way));
            }
        }
    }

    /// Where a way first leads into a body.
    fn first_met(&self, vertex: VertexId, body: BodyId, way: Vec3) -> Option<ClosestPoint> {
        let (from, direction) = (self.at(vertex), way.try_normalize()?);
        let all = self.triangles(body).filter_map(|(triangle, [a, b, c])| {
            let (t, _) = hit(from, direction, [a, c, b])?;
            (t <= way.length()).then_some((t, triangle, [a, b, c]))
        });
        let (t, triangle, corners) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let (met, normal) = (from + t * direction, face_normal(corners)?);
        let gap = normal.dot(from - met);
        Some(ClosestPoint { triangle, shares: shares(met, corners), normal, gap })
    }

    /// The contact of two edges where the first moves along a way.
    fn edge_along(
        &self,
        pair: [BodyId; 2],
        edges: [usize; 2],
        [p, q]: [&EdgeGeometry; 2],
        way: Vec3,
    ) -> Option<Contact> {
        let across = (p.ends[1] - p.ends[0]).cross(q.ends[1] - q.ends[0]);
        let part = (q.ends[0] - p.ends[0]).dot(across) / way.dot(across);
        if !(0.0..=1.0).contains(&part) {
            return None;
        }
        let margin = self.margin(pair);
        let met = edge_edge_gap(&p.moved(part * way), q, margin.offset, margin.offset)?;
        let closing = -met.normal.dot(way);
        let [[a0, a1], [b0, b1]] = edges.map(|e| self.features.edges[e].ends);
        (closing > 0.0).then(|| Contact {
            feature: Feature::EdgeEdge(edges[0] as u32, edges[1] as u32),
            vertices: [a0, a1, b0, b1],
            weights: [1.0 - met.s, met.s, met.t - 1.0, -met.t],
            normal: met.normal,
            gap: part * closing,
            ..self.blank(pair, margin)
        })
    }

    /// Edges that have passed farther, of those that cross the other body's surface.
    ///
    /// Of these only such as lead nearly the same way as the one that has passed least.
    fn through(&self, [a, b]: [BodyId; 2], margin: Margin, found: &mut Vec<Contact>) {
        let mut all = Vec::new();
        let deeper = Margin { size: 1.5 * margin.size, ..margin };
        self.edges([a, b], deeper, f64::INFINITY, &mut all);
        all.iter_mut().for_each(|contact| contact.size = margin.size);
        let mut near = Vec::new();
        self.edges([a, b], margin, 0.1, &mut near);
        let runs = |edge: u32, body: BodyId| {
            let ends = self.features.edges[edge as usize].ends.map(|v| self.at(v));
            self.triangles(body).any(|(_, corners)| segment_meets_triangle(ends, corners))
        };
        all.retain(|contact| {
            let Feature::EdgeEdge(one, other) = contact.feature else { panic!("{contact:?}") };
            !near.contains(contact) && runs(one, b) && runs(other, a)
        });
        let Some(best) = all.iter().map(|c| c.gap).max_by(f64::total_cmp) else { return };
        let Some(way) = all.iter().find(|c| c.gap == best).map(|c| c.normal) else { return };
        found.extend(all.iter().filter(|contact| contact.normal.dot(way) > 0.5));
    }

    fn against(
        &self,
        pair: [BodyId; 2],
        vertex: VertexId,
        closest_point: ClosestPoint,
        margin: Margin,
    ) -> Contact {
        let [a, b, c] = self.bodies.triangles()[closest_point.triangle.index()];
        let [u, v, w] = closest_point.shares;
        Contact {
            feature: Feature::VertexBody(vertex, pair[1]),
            vertices: [vertex, a, b, c],
            weights: [1.0, -u, -v, -w],
            normal: closest_point.normal,
            gap: closest_point.gap,
            ..self.blank(pair, margin)
        }
    }

    /// A contact of two bodies with nothing filled in yet.
    fn blank(&self, [a, b]: [BodyId; 2], margin: Margin) -> Contact {
        Contact {
            feature: Feature::EdgeEdge(0, 0),
            vertices: [VertexId(0); 4],
            weights: [0.0; 4],
            count: 4,
            second: None,
            bodies: (a, Some(b)),
            normal: Vec3::ZERO,
            gap: 0.0,
            surface_velocity: Vec3::ZERO,
            min_normal_velocity: 0.0,
            bounce: 0.0,
            friction: self.settings.friction,
            offset: margin.offset,
            size: margin.size,
        }
    }

    fn obstacles(&self, obstacles: &[Obstacle], found: &mut Vec<Contact>) {
        let StateView { positions, time, .. } = self.motion;
        for (index, &point) in positions.iter().enumerate() {
            for (number, obstacle) in obstacles.iter().enumerate() {
                let vertex = VertexId(index as u32);
                let body = self.bodies.body_of(vertex);
                let VelocityBounds { mean, spread } = self.velocity_bounds[body.index()];
                let drift = obstacle.velocity_at(time, point);
                let size = self.features.sizes[body.index()];
                let margin = self.settings.margin.of(size, mean.distance(drift) + spread, DT);
                let here = obstacle.at(time);
                let gap = here.distance(point);
                let met = if gap > margin.reach {
                    let way = AHEAD * DT * (self.motion.velocities[index] - drift);
                    ahead(here, point, gap, way, margin.offset)
                } else {
                    Some((gap, here.normal(point).unwrap()))
                };
                let Some((gap, normal)) = met else { continue };
                found.push(Contact {
                    feature: Feature::VertexObstacle(vertex, number as u32),
                    vertices: [vertex; 4],
                    weights: [1.0, 0.0, 0.0, 0.0],
                    count: 1,
                    second: None,
                    bodies: (body, None),
                    normal,
                    gap,
                    surface_velocity: drift,
                    friction: obstacle.material().friction,
                    ..self.blank([body; 2], margin)
                });
            }
        }
    }
}

/// Two planes, one of them moving, and a ball that turns.
fn obstacles() -> Vec<Obstacle> {
    let touch = |friction| SurfaceMaterial { friction, restitution: 0.0 };
    let frame = |time, position| Keyframe { time, position, rotation: Quat::IDENTITY };
    let lift = vec![frame(0.0, -1.4 * Vec3::Z), frame(2.0, Vec3::Z)];
    let mut spin = vec![frame(0.0, Vec3::X), frame(1.0, Vec3::X)];
    spin[1].rotation = Quat::from_rotation_y(1.0);
    let wall = Pose::along(-1.5 * Vec3::Y, Vec3::Y).unwrap();
    vec![
        Obstacle::new(Plane, Keyframes::new(lift).unwrap(), touch(0.7)).unwrap(),
        Obstacle::new(Plane, Keyframes::still(wall).unwrap(), touch(0.0)).unwrap(),
        Obstacle::new(Revolved::sphere(0.4).unwrap(), Keyframes::new(spin).unwrap(), touch(0.2))
            .unwrap(),
    ]
}

/// How bodies are placed at random.
#[derive(Clone, Copy)]
struct Throwing {
    /// Bodies besides a spring network.
    count: usize,
    /// Distance of the eight cells of a cube that they are placed at, m.
    side: f64,
    /// Greatest distance from these along each axis, m.
    wide: f64,
    /// Highest speed along each axis, m/s.
    speed: f64,
    /// Greatest difference of sizes from half a metre, m.
    spread: f64,
}

/// Bodies placed at random.
struct Thrown {
    rest: Vec<Vec3>,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    bodies: Bodies,
}

fn throw(random: &mut Random, how: Throwing) -> Thrown {
    let Throwing { count, side, wide, speed, spread } = how;
    let net_edges: Vec<_> = (0..4).map(|k| [VertexId(k), VertexId(k + 1)]).collect();
    let meshes: Vec<TetMesh> = (0..count)
        .map(|k| {
            let size = 0.5 + spread * random.signed();
            let raw = match k % 4 {
                1 if k == 5 => ball(0.7 * size, 3),
                0 => icosahedron(0.6 * size),
                1 => cuboid([2, 1, 3], size * Vec3::new(1.0, 0.6, 1.4), TetSplit::Five),
                2 => ball(0.7 * size, 2),
                _ => cuboid([1; 3], size * Vec3::ONE, TetSplit::Six),
            };
            TetMesh::from_raw(raw.unwrap()).unwrap().0
        })
        .collect();
    let mut list: Vec<_> = meshes.iter().map(Mesh::Tets).collect();
    list.push(Mesh::SpringNetwork(5, &net_edges));
    let bodies = Bodies::from_meshes(&list).unwrap();
    let net: Vec<Vec3> = (0..5).map(|k| 0.2 * f64::from(k) * Vec3::X).collect();
    let mut thrown = Thrown { rest: vec![], positions: vec![], velocities: vec![], bodies };
    for (k, points) in meshes.iter().map(|mesh| mesh.positions()).chain([&net[..]]).enumerate() {
        let [x, y, z] = [k, k >> 1, k >> 2].map(|bits| (bits & 1) as f64);
        let place = side * Vec3::new(x, y, z) + wide * random.vec3();
        let (turn, drift) = (random.rotation(), speed * random.vec3());
        thrown.rest.extend(points);
        thrown.positions.extend(points.iter().map(|p| turn * *p + place));
        thrown.velocities.extend(points.iter().map(|_| drift + 0.2 * speed * random.vec3()));
    }
    thrown
}

/// Compares both searches; also with several threads, and again with kept memory.
#[track_caller]
fn check(thrown: &Thrown) -> Answer {
    let Thrown { rest, positions, velocities, bodies } = thrown;
    let (settings, obstacles) = (ContactSettings::default(), obstacles());
    let motion = StateView { positions, velocities, time: 0.5 };
    let velocity_bounds =
        bodies.ids().map(|body| VelocityBounds::of(&velocities[bodies.vertices(body)]));
    let (features, velocity_bounds) =
        (Features::new(rest, bodies).unwrap(), velocity_bounds.collect());
    let slow = Slow { motion, bodies, features, velocity_bounds, settings }.find(&obstacles);
    let mut search = Search::new(rest, bodies).unwrap();
    let mut found = Vec::new();
    for threads in [1, 1, 3, 100, 2] {
        search.set_threads(threads);
        let query = ContactQuery { motion, bodies, obstacles: &obstacles, settings, dt: DT };
        search.find(query, &mut found).unwrap();
        assert_eq!(found.len(), slow.0.len());
        for (fast, slow) in found.iter().zip(&slow.0) {
            assert_eq!(fast, slow);
        }
        assert_eq!((search.unresolved, search.enclosed), (slow.1, slow.2));
    }
    slow
}

#[test]
fn the_slow_twin_finds_the_same_contacts() {
    let mut random = Random::new(5);
    // Of vertices inside, vertices near, edges, obstacles; and vertices enclosed.
    let mut seen = [0; 5];
    let heap = Throwing { count: 2, side: 0.0, wide: 0.3, speed: 0.0, spread: 0.4 };
    let fast = Throwing { wide: 0.5, speed: 20.0, ..heap };
    // The last one has more vertices than a slab tests.
    let crowd = Throwing { count: 6, wide: 0.9, ..fast };
    let nested = Throwing { count: 4, wide: 0.08, speed: 1.0, ..heap };
    let packed = Throwing { count: 8, side: 0.62, wide: 0.03, speed: 20.0, spread: 0.05 };
    // Edges slide towards each other by a share of their length.
    let sliding = Throwing { speed: 3.0, ..packed };
    let all = [(heap, 20), (fast, 20), (crowd, 8), (nested, 6), (packed, 12), (sliding, 12)];
    for (how, times) in all {
        for _ in 0..times {
            let (found, _, enclosed) = check(&throw(&mut random, how));
            for contact in &found {
                let kind = match contact.feature {
                    Feature::VertexBody(..) if contact.gap < 0.0 => 0,
                    Feature::VertexBody(..) => 1,
                    Feature::EdgeEdge(..) => 2,
                    Feature::VertexObstacle(..) => 3,
                };
                seen[kind] += 1;
            }
            seen[4] += enclosed;
        }
    }
    assert!(seen.iter().all(|&count| count >= 30), "{seen:?}");
}
