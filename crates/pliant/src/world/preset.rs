//! Materials by name, with constants from the literature.
//!
//! | preset   | Young, Pa | Poisson | density, kg/m³ | from                                             |
//! |----------|-----------|---------|----------------|--------------------------------------------------|
//! | rubber   | 1.5e6     | 0.45    | 950            | [MatWeb tbl. of natural rubber], 3 times the shear modulus |
//! | silicone | 2e6       | 0.45    | 1170           | [Johnston14 abstract], 1.32 to 2.97 MPa; [Silastic tbl. of typical properties] |
//! | liver    | 5.4e3     | 0.45    | 1060           | [Mancia19 tbl. 1], 3 times the shear modulus     |
//! | fat      | 2.6e4     | 0.45    | 950            | [Isogai22 abstract], under the skin, lightly loaded; [Oncology14 tbl. 1] |
//! | muscle   | 6.2e4     | 0.45    | 1050           | [Isogai22 abstract], lightly loaded; [Oncology14 tbl. 1] |
//! | steel    | 2.07e11   | 0.293   | 7850           | [Callister08 tbl. B.1, B.2]; [Dowling13 tbl. 5.2] |
//! | wood     | 1.17e10   | 0.35    | 640            | [Wood10 ch. 5], red oak along the grain, in all directions here; [Callister08 tbl. B.1] |
//!
//! Rubber and tissue are nearly incompressible, with Poisson's ratios near 0.5. They are 0.45 here,
//! as linear tets lock beyond that. Tissue varies with person, age, load and method: other sources
//! have a third of these numbers, and three times as much. Damping is that of a critically
//! short-lived wobble, 0.01 s, and of no source.

use crate::force::elastic::ElasticSettings;
use crate::world::material::SoftMaterial;

/// Poisson's ratio of what is nearly incompressible, below that at which linear tets lock.
const NEARLY_INCOMPRESSIBLE: f64 = 0.45;

/// Damping of what is soft, s.
const SOFT_DAMPING: f64 = 0.01;

/// A material by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaterialPreset {
    /// Natural rubber.
    Rubber,
    /// Soft silicone.
    Silicone,
    /// Healthy liver.
    Liver,
    /// Fat.
    Fat,
    /// Muscle at rest.
    Muscle,
    /// Low-carbon steel.
    Steel,
    /// Wood, as stiff in all directions as along its grain.
    Wood,
}

/// The row of a preset in the table above.
struct Row {
    name: &'static str,
    about: &'static str,
    elastic: ElasticSettings,
    density: f64,
}

impl MaterialPreset {
    /// All of them.
    pub const ALL: [MaterialPreset; 7] = [
        MaterialPreset::Rubber,
        MaterialPreset::Silicone,
        MaterialPreset::Liver,
        MaterialPreset::Fat,
        MaterialPreset::Muscle,
        MaterialPreset::Steel,
        MaterialPreset::Wood,
    ];

    fn row(self) -> Row {
        let soft = |name, about, young, density| {
            let (poisson, damping) = (NEARLY_INCOMPRESSIBLE, SOFT_DAMPING);
            Row { name, about, elastic: ElasticSettings { young, poisson, damping }, density }
        };
        let stiff = |name, about, [young, poisson]: [f64; 2], density| {
            let elastic = ElasticSettings { young, poisson, damping: 0.0 };
            Row { name, about, elastic, density }
        };
        match self {
            MaterialPreset::Rubber => soft("rubber", "Natural rubber", 1.5e6, 950.0),
            MaterialPreset::Silicone => soft("silicone", "Soft silicone", 2e6, 1170.0),
            MaterialPreset::Liver => soft("liver", "Healthy liver", 5.4e3, 1060.0),
            MaterialPreset::Fat => soft("fat", "Fat under the skin", 2.6e4, 950.0),
            MaterialPreset::Muscle => soft("muscle", "Muscle at rest", 6.2e4, 1050.0),
            MaterialPreset::Steel => stiff("steel", "Low-carbon steel", [2.07e11, 0.293], 7850.0),
            MaterialPreset::Wood => stiff("wood", "Oak along its grain", [1.17e10, 0.35], 640.0),
        }
    }

    /// One word.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What it is, a few words.
    pub fn about(self) -> &'static str {
        self.row().about
    }

    /// Young's modulus, Pa, Poisson's ratio and damping, s.
    pub fn elastic(self) -> ElasticSettings {
        self.row().elastic
    }

    /// kg/m³.
    pub fn density(self) -> f64 {
        self.row().density
    }

    /// Whether it is tissue, which nobody has tens of metres of.
    pub fn is_tissue(self) -> bool {
        matches!(self, MaterialPreset::Liver | MaterialPreset::Fat | MaterialPreset::Muscle)
    }

    /// Rubber-like for what is soft, linear in a turning frame for steel and wood.
    pub fn material(self) -> SoftMaterial {
        match self {
            MaterialPreset::Steel | MaterialPreset::Wood => {
                SoftMaterial::Corotational(self.elastic())
            }
            _ => SoftMaterial::NeoHookean(self.elastic()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn a_preset_sets_material_and_density() {
        for preset in MaterialPreset::ALL {
            let mut world = World::new();
            let size = Vec3::splat(0.1);
            let block = world.add(SoftBody::cuboid(size, [1; 3]).preset(preset)).unwrap();
            let expected = preset.density() * 1e-3;
            let mass = world.mass(block).unwrap();
            assert!((mass / expected - 1.0).abs() < 1e-12, "{preset:?} {mass}");
            world.step().unwrap();
        }
    }
}
