//! Materials by name, with constants from the literature.
//!
//! | preset   | Young, Pa | Poisson | density, kg/m³ | from                                          |
//! |----------|-----------|---------|----------------|-----------------------------------------------|
//! | rubber   | 2e6       | 0.45    | 925            | [Ashby05 app. C], natural rubber              |
//! | silicone | 5e6       | 0.45    | 1300           | [Ashby05 app. C], silicone elastomers, softest |
//! | liver    | 5.4e3     | 0.45    | 1060           | [Palmeri08 abstract], 3 times the shear modulus; [Duck90 ch. 5] |
//! | fat      | 1.8e4     | 0.45    | 950            | [Krouskop98 tbl. 1], breast; [Duck90 ch. 5]   |
//! | muscle   | 1.2e4     | 0.45    | 1050           | [Engler06 abstract], 8 to 17 kPa; [Duck90 ch. 5] |
//! | steel    | 2.1e11    | 0.29    | 7850           | [Ashby05 app. C], low-carbon                  |
//! | wood     | 1e10      | 0.35    | 700            | [Ashby05 app. C], along the grain, in all directions here |
//!
//! Rubber and tissue are nearly incompressible, with Poisson's ratios near 0.5. They are 0.45 here,
//! as linear tets lock beyond that. Tissue varies with person, age, strain and method by a factor
//! of two and more. Damping is that of a critically short-lived wobble, 0.01 s, and of no source.

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

    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            MaterialPreset::Rubber => "rubber",
            MaterialPreset::Silicone => "silicone",
            MaterialPreset::Liver => "liver",
            MaterialPreset::Fat => "fat",
            MaterialPreset::Muscle => "muscle",
            MaterialPreset::Steel => "steel",
            MaterialPreset::Wood => "wood",
        }
    }

    /// Young's modulus, Pa, Poisson's ratio and damping, s.
    pub fn elastic(self) -> ElasticSettings {
        let soft = |young| ElasticSettings {
            young,
            poisson: NEARLY_INCOMPRESSIBLE,
            damping: SOFT_DAMPING,
        };
        match self {
            MaterialPreset::Rubber => soft(2e6),
            MaterialPreset::Silicone => soft(5e6),
            MaterialPreset::Liver => soft(5.4e3),
            MaterialPreset::Fat => soft(1.8e4),
            MaterialPreset::Muscle => soft(1.2e4),
            MaterialPreset::Steel => ElasticSettings { young: 2.1e11, poisson: 0.29, damping: 0.0 },
            MaterialPreset::Wood => ElasticSettings { young: 1e10, poisson: 0.35, damping: 0.0 },
        }
    }

    /// kg/m³.
    pub fn density(self) -> f64 {
        match self {
            MaterialPreset::Rubber => 925.0,
            MaterialPreset::Silicone => 1300.0,
            MaterialPreset::Liver => 1060.0,
            MaterialPreset::Fat => 950.0,
            MaterialPreset::Muscle => 1050.0,
            MaterialPreset::Steel => 7850.0,
            MaterialPreset::Wood => 700.0,
        }
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
