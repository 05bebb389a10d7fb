//! Materials by name, and sizes that suggest other units.

use pliant::world::SoftMaterial;

use super::shape::RestShape;
use crate::spec::body::{Mesh, Scale};
use crate::spec::preset::PresetName;
use crate::spec::{Body, Material, Scene};

/// A body from a file that is larger than this, m, is likely in other units.
const LARGE: f64 = 50.0;

/// The same of tissue.
const LARGE_TISSUE: f64 = 5.0;

/// A body from a file that is smaller than this, m, is likely in other units.
const SMALL: f64 = 1e-4;

/// The density of a preset, kg/m³.
pub fn density(name: PresetName) -> f64 {
    name.0.density()
}

/// Whether a body is of tissue, by name; asked before [`choose`].
pub fn is_tissue(body: &Body) -> bool {
    matches!(body.material, Material::Preset { name, .. } if name.0.is_tissue())
}

/// Puts numbers in the place of names.
pub fn choose(scene: &mut Scene) {
    for body in &mut scene.bodies {
        body.material = resolved(&body.material);
        for region in &mut body.regions {
            region.material = resolved(&region.material);
        }
    }
}

/// The material with numbers in the place of its name; another one as it is.
pub fn resolved(material: &Material) -> Material {
    let Material::Preset { name, damping } = *material else { return material.clone() };
    let PresetName(preset) = name;
    let (elastic, density) = (preset.elastic(), preset.density());
    let (young, poisson) = (elastic.young, elastic.poisson);
    let damping = damping.unwrap_or(elastic.damping);
    match preset.material() {
        SoftMaterial::Corotational(_) => {
            Material::Corotational { young, poisson, damping, density }
        }
        _ => Material::NeoHookean { young, poisson, damping, density },
    }
}

/// A remark on a body from a file whose size suggests other units.
pub fn odd_size(body: &Body, rest: &RestShape, is_tissue: IsTissue) -> Option<String> {
    if !matches!(body.mesh, Mesh::File { .. } | Mesh::Stuffed { .. }) {
        return None;
    }
    let around = pliant::math::Aabb::around(rest.positions.iter().copied());
    let factors = match body.scale {
        Scale::Even(factor) => [factor; 3],
        Scale::PerAxis(factors) => factors,
    };
    let size = (pliant::math::Vec3::from(factors) * (around.max - around.min)).length();
    let most = if is_tissue == IsTissue::Yes { LARGE_TISSUE } else { LARGE };
    let (advice, is_odd) = match size {
        size if size > most => ("scale = 0.001 if the file is in mm", true),
        size if size < SMALL => ("scale = 1000 if the file is in km", true),
        _ => ("", false),
    };
    is_odd.then(|| {
        format!("`{}` is {size:.3} m across; lengths of files are in m: write {advice}", body.name)
    })
}

/// Whether a body is of tissue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsTissue {
    /// It is.
    Yes,
    /// It is not, or nobody said so.
    No,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use pliant_io::files::{Folder, Memory};

    use crate::diagnostic::Sources;
    use crate::loaded::LoadedScene;
    use crate::{SceneError, load};

    /// A tet of a size in m as a surface.
    fn surface(size: f64) -> String {
        format!(
            "v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\n\
             f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
        )
    }

    fn make(mesh: &str, material: &str, size: f64) -> Result<LoadedScene, SceneError> {
        let files = Memory { files: vec![("a/b.obj".into(), surface(size).into_bytes())] };
        let text = format!(
            "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"b\"\nmesh = {mesh}\nmaterial = {material}\n"
        );
        let sources = Sources { name: "a.toml".into(), text, sets: Vec::new() };
        load(&sources, "a", Folder { path: Path::new("a"), files: &files })
    }

    const FILE: &str = "{ kind = \"file\", path = \"b.obj\" }";

    const LIVER: &str = "{ kind = \"preset\", name = \"liver\" }";

    fn stuffed(size: f64) -> String {
        format!("{{ kind = \"stuffed\", path = \"b.obj\", size = {size} }}")
    }

    #[test]
    fn a_preset_is_resolved_to_numbers() {
        let loaded = make(&stuffed(0.05), LIVER, 0.3).unwrap();
        for expected in ["kind = \"neo-hookean\"", "young = 5400.0", "density = 1060.0"] {
            assert!(loaded.resolved.contains(expected), "{}", loaded.resolved);
        }
        let error = make(&stuffed(0.05), "{ kind = \"preset\", name = \"liwer\" }", 0.3);
        assert!(error.unwrap_err().to_string().contains("did you mean `liver`?"));
    }

    #[test]
    fn a_size_that_suggests_other_units_is_remarked() {
        let remark = |material: &str, size: f64| -> Vec<String> {
            let loaded = make(&stuffed(0.2 * size), material, size).unwrap();
            loaded.notices.into_iter().filter(|notice| notice.contains("across")).collect()
        };
        let steel = "{ kind = \"preset\", name = \"steel\" }";
        let [found] = &remark(LIVER, 300.0)[..] else { panic!("one remark") };
        let end = "m across; lengths of files are in m: write scale = 0.001 if the file is in mm";
        assert!(found.starts_with("`b` is ") && found.ends_with(end), "{found}");
        assert_eq!(remark(LIVER, 10.0).len(), 1);
        assert_eq!(remark(steel, 10.0).len(), 0);
        assert_eq!(remark(LIVER, 0.3).len(), 0);
        assert_eq!(remark(LIVER, 1e-5).len(), 1);
    }

    #[test]
    fn finite_elements_of_a_surface_are_refused_with_the_way_out() {
        for material in [LIVER, "{ kind = \"corotational\", young = 1e4 }"] {
            let error = make(FILE, material, 0.3).unwrap_err().to_string();
            assert!(error.contains("need tets; the mesh is a closed surface"), "{error}");
            assert!(error.contains("kind = \"stuffed\", path = \"b.obj\""), "{error}");
            assert!(error.contains("pliant mesh b.obj"), "{error}");
            assert!(!error.contains("mass"), "{error}");
        }
    }
}
