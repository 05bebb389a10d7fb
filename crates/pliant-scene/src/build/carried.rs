//! Fine surfaces that coarse tets carry: for pictures and exports, and for contact if asked.

use pliant::id::VertexId;
use pliant::math::{Aabb, Vec3};
use pliant::mesh::embed::{Embedding, embed};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant_io::files::Folder;

use super::BuildError;
use super::bodies::Group;
use super::shape::{self, Geometry, RestShape};
use crate::loaded::CarriedSurface;
use crate::spec::body::ContactMesh;
use crate::spec::{Body, Material};

/// A fine surface that reaches this far beyond its tets, over their diagonal, draws a notice.
const FAR: f64 = 0.1;

/// A fine surface in terms of the vertices of one body.
#[derive(Clone, Debug)]
pub struct FineSurface {
    /// Its vertices.
    pub embedding: Embedding,
    /// Corners, counted within the surface.
    pub triangles: Vec<[u32; 3]>,
    /// The same as a closed surface, where contact uses it.
    pub contact: Option<Surface>,
}

impl FineSurface {
    /// The triangles of the next copy; its vertices begin at `next`, which moves behind them.
    pub fn numbered(&self, next: &mut usize) -> Vec<[u32; 3]> {
        let first = *next as u32;
        *next += self.embedding.carriers.len();
        self.triangles.iter().map(|corners| corners.map(|corner| first + corner)).collect()
    }
}

/// The fine surface of a body at `path`, if it has one.
pub fn make(
    body: &Body,
    rest: &RestShape,
    folder: Folder<'_>,
    path: &str,
    notices: &mut Vec<String>,
) -> Result<Option<FineSurface>, BuildError> {
    let is_touching = body.contact_mesh == Some(ContactMesh::RenderMesh);
    let Some(mesh) = &body.render_mesh else {
        let message = "contact on the render mesh needs a `render_mesh`, and there is none";
        let missing = || BuildError::value(format!("{path}.contact_mesh"), message);
        return if is_touching { Err(missing()) } else { Ok(None) };
    };
    let contact_path = format!("{path}.contact_mesh");
    let path = format!("{path}.render_mesh");
    let Geometry::Tets(tets) = &rest.geometry else {
        let message = "only tets carry a render mesh, and `mesh` has none";
        return Err(BuildError::value(path, message)
            .with_help("fill a closed surface by mesh = { kind = \"stuffed\", … }"));
    };
    let reported = notices.len();
    let fine = shape::make(mesh, folder, &path, notices)?;
    notices[reported..].iter_mut().for_each(|note| *note = format!("`{}`: {note}", body.name));
    if fine.triangles.is_empty() {
        return Err(BuildError::value(path, "a render mesh needs triangles, and this has none"));
    }
    let (points, triangles) = corners_alone(&fine);
    let embedding = embed(tets, &points);
    let around = Aabb::around(tets.positions().iter().copied());
    if embedding.farthest > FAR * around.size().length() {
        notices.push(format!(
            "`{}`: the render mesh reaches {:.3} m beyond the tets that carry it; is it in another \
             place or unit?",
            body.name, embedding.farthest
        ));
    }
    let contact = match is_touching {
        true => Some(closed(body, points, &triangles, &contact_path, notices)?),
        false => None,
    };
    Ok(Some(FineSurface { embedding, triangles, contact }))
}

/// A surface that contact can use.
fn closed(
    body: &Body,
    positions: Vec<Vec3>,
    triangles: &[[u32; 3]],
    path: &str,
    notices: &mut Vec<String>,
) -> Result<Surface, BuildError> {
    if matches!(body.material, Material::Rigid { .. }) {
        let message = "a rigid body touches with its own `mesh`";
        return Err(BuildError::value(path, message).with_help("take the fine surface as `mesh`"));
    }
    let triangles = triangles.iter().map(|corners| corners.map(VertexId)).collect();
    let raw = RawMesh { positions, triangles, ..RawMesh::default() };
    let (surface, repair) = Surface::from_raw(raw).map_err(|error| {
        BuildError::value(path, format!("the render mesh cannot be used for contact: {error}"))
            .with_help("`pliant check` lists what is wrong with a file")
    })?;
    notices.extend(repair.map(|repair| format!("`{}`: {repair}", body.name)));
    Ok(surface)
}

/// The vertices that triangles name, and the triangles in their numbers.
fn corners_alone(shape: &RestShape) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut named: Vec<u32> = shape.triangles.iter().flatten().map(|v| v.0).collect();
    named.sort_unstable();
    named.dedup();
    let number = |vertex: u32| named.partition_point(|&other| other < vertex) as u32;
    let triangles = shape.triangles.iter().map(|t| t.map(|v| number(v.0))).collect();
    (named.iter().map(|&vertex| shape.positions[vertex as usize]).collect(), triangles)
}

/// The fine surfaces of all groups, as recordings have them.
pub fn all(groups: &[Group]) -> Vec<CarriedSurface> {
    let mut first_body = 0;
    let mut all = Vec::new();
    for Group { ranges, fine, .. } in groups {
        let bodies = first_body..first_body + ranges.len() as u32;
        first_body = bodies.end;
        if let Some(FineSurface { embedding, .. }) = fine {
            let weights = embedding.weights.iter();
            all.push(CarriedSurface {
                bodies: bodies.collect(),
                carriers: embedding.carriers.iter().map(|c| c.map(|v| v.0)).collect(),
                weights: weights.map(|w| w.map(|weight| weight as f32)).collect(),
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use pliant_io::files::{Folder, Memory};

    use crate::diagnostic::Sources;
    use crate::loaded::LoadedScene;
    use crate::{SceneError, load};

    /// Two coarse balls that carry fine ones, and a cube.
    fn make(mesh: &str, fine: &str) -> Result<LoadedScene, SceneError> {
        let text = format!(
            "duration = 1\ndt = 0.1\n\
             [[bodies]]\nname = \"cube\"\nmaterial = {{ kind = \"rigid\" }}\nposition = [9, 0, 0]\n\
             mesh = {{ kind = \"cuboid\", size = [1, 1, 1], cells = [1, 1, 1] }}\n\
             [[bodies]]\nname = \"ball\"\nmesh = {mesh}\nrender_mesh = {fine}\nscale = 2\n\
             material = {{ kind = \"rigid\" }}\nposition = [0, 0, 1]\n\
             pattern = {{ kind = \"grid\", counts = [2, 1, 1], spacing = [4, 4, 4] }}\n"
        );
        let files = Memory { files: Vec::new() };
        let sources = Sources { name: "a.toml".into(), text, sets: Vec::new() };
        load(&sources, "a", Folder { path: Path::new("a"), files: &files })
    }

    const COARSE: &str = "{ kind = \"ball\", radius = 1, layers = 2 }";
    const FINE: &str = "{ kind = \"ball\", radius = 1, layers = 6 }";

    #[test]
    fn copies_share_their_carriers_and_have_triangles_of_their_own() {
        let loaded = make(COARSE, FINE).unwrap();
        let (info, vertices) = (&loaded.info, loaded.world.simulation().state.positions.len());
        let [surface] = &info.carried[..] else { panic!("{:?}", info.carried) };
        assert_eq!(surface.bodies, [1, 2]);
        // 10 n² + 2 vertices and 20 n² triangles on a ball of n layers.
        assert_eq!((surface.len(), info.bodies[1].triangles.len()), (362, 720));
        assert_eq!(info.carried_vertices(), 724);
        assert_eq!(info.carried_range(0, vertices), None);
        for body in [1, 2] {
            let own = info.carried_range(body, vertices).unwrap();
            assert_eq!(own.start, vertices + 362 * (body - 1));
            let mut corners: Vec<usize> =
                info.bodies[body].triangles.iter().flatten().map(|v| *v as usize).collect();
            corners.sort_unstable();
            corners.dedup();
            assert_eq!(corners, own.collect::<Vec<_>>());
            let coarse = &info.bodies[body].vertices;
            assert!(surface.carriers.iter().flatten().all(|v| (*v as usize) < coarse.len()));
        }
        assert_eq!(info.bodies[0].triangles.iter().flatten().max(), Some(&7));
    }

    #[test]
    fn faults_name_the_key() {
        let refused = |mesh: &str, fine: &str| make(mesh, fine).unwrap_err().to_string();
        let car = "{ kind = \"car\", size = [1, 1, 1], points = 8 }";
        assert!(refused(car, FINE).contains("only tets carry a render mesh"));
        let points = "{ kind = \"particles\", positions = [[0, 0, 0]] }";
        assert!(refused(COARSE, points).contains("a render mesh needs triangles"));
        let missing = "{ kind = \"file\", path = \"no.obj\" }";
        assert!(refused(COARSE, missing).contains("no.obj"));
    }

    #[test]
    fn contact_on_a_render_mesh_that_cannot_be_used_is_refused() {
        let touching = |fine: &str| format!("{fine}\ncontact_mesh = \"render_mesh\"");
        let refused = |fine: &str| make(COARSE, &touching(fine)).unwrap_err().to_string();
        assert!(refused(FINE).contains("a rigid body touches with its own `mesh`"));
        let soft = "duration = 1\ndt = 0.1\n[integrator]\nkind = \"implicit-euler\"\n[[bodies]]\n\
                    name = \"a\"\nmesh = { kind = \"ball\", radius = 1, layers = 2 }\n\
                    material = { kind = \"corotational\", young = 1e5, density = 1 }\n";
        let made = |more: &str| {
            let text = format!("{soft}{more}contact_mesh = \"render_mesh\"\n");
            let sources = Sources { name: "a.toml".into(), text, sets: Vec::new() };
            let files = Memory { files: Vec::new() };
            load(&sources, "a", Folder { path: Path::new("a"), files: &files })
        };
        let message = |more: &str| made(more).unwrap_err().to_string();
        assert!(message("").contains("there is none"), "{}", message(""));
        let open = "render_mesh = { kind = \"grid\", size = [1, 1], cells = [2, 2] }\n";
        assert!(made(open).is_err());
        let closed = format!("render_mesh = {FINE}\n");
        assert!(made(&closed).is_ok());
    }

    #[test]
    fn a_surface_in_another_place_is_remarked() {
        let far = "{ kind = \"ball\", radius = 50, layers = 2 }";
        let loaded = make(COARSE, far).unwrap();
        let expected = "`ball`: the render mesh reaches ";
        assert!(
            loaded.notices.iter().any(|note| note.starts_with(expected)),
            "{:?}",
            loaded.notices
        );
        assert!(make(COARSE, FINE).unwrap().notices.is_empty());
    }
}
