//! Bodies, obstacles and materials, as they are described to a world.

use pliant::body::obstacle::Obstacle as Shapes;
use pliant::contact::rules::Group;
use pliant::force::elastic::ElasticSettings;
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::world::{self as engine, MaterialPreset, SharedMesh, SoftMaterial, SpringMaterial};
use pyo3::prelude::*;

use crate::arguments;
use crate::arrays::{Rotation, Vector};
use crate::error;
use crate::generate::edges;
use crate::mesh::{MeshArgument, boundary_surface};

/// The collision group of a number, by the name of its argument.
pub fn group(number: u8, name: &str) -> PyResult<Group> {
    let most = Group::COUNT - 1;
    let wrong = || error::input(format!("{name}: expected 0 to {most}, got {number}"));
    Group::new(number).ok_or_else(wrong)
}

/// What a soft body is made of.
///
/// >>> import pliant
/// >>> pliant.Material.corotational(young=1e5)
/// <pliant.Material corotational>
/// >>> pliant.Material.preset("liver")
/// <pliant.Material neo-hookean>
#[pyclass(frozen, module = "pliant")]
#[derive(Clone)]
pub struct Material(pub SoftMaterial);

#[pymethods]
impl Material {
    /// Linear elasticity in a frame that turns with each tet; Pa, dimensionless, s.
    #[staticmethod]
    #[pyo3(signature = (young, poisson=0.35, damping=0.0))]
    fn corotational(
        #[pyo3(from_py_with = arguments::young)] young: f64,
        #[pyo3(from_py_with = arguments::poisson)] poisson: f64,
        #[pyo3(from_py_with = arguments::damping)] damping: f64,
    ) -> Material {
        Material(SoftMaterial::Corotational(ElasticSettings { young, poisson, damping }))
    }

    /// Rubber: resists inversion with ever larger forces; Pa, dimensionless, s.
    #[staticmethod]
    #[pyo3(signature = (young, poisson=0.35, damping=0.0))]
    fn neo_hookean(
        #[pyo3(from_py_with = arguments::young)] young: f64,
        #[pyo3(from_py_with = arguments::poisson)] poisson: f64,
        #[pyo3(from_py_with = arguments::damping)] damping: f64,
    ) -> Material {
        Material(SoftMaterial::NeoHookean(ElasticSettings { young, poisson, damping }))
    }

    /// Springs along edges, diagonals and bends, N per unit stretch; damping in N·s/m.
    #[staticmethod]
    #[pyo3(signature = (stiffness, shear=0.0, bend=0.0, damping=0.0))]
    fn springs(
        #[pyo3(from_py_with = arguments::stiffness)] stiffness: f64,
        #[pyo3(from_py_with = arguments::shear)] shear: f64,
        #[pyo3(from_py_with = arguments::bend)] bend: f64,
        #[pyo3(from_py_with = arguments::damping)] damping: f64,
    ) -> Material {
        Material(SoftMaterial::Springs(SpringMaterial { stiffness, shear, bend, damping }))
    }

    /// By name: rubber, silicone, liver, fat, muscle, steel or wood.
    #[staticmethod]
    fn preset(#[pyo3(from_py_with = arguments::name)] name: &str) -> PyResult<Material> {
        Ok(Material(preset(name)?.material()))
    }

    fn __repr__(&self) -> String {
        let name = match self.0 {
            SoftMaterial::Corotational(_) => "corotational",
            SoftMaterial::NeoHookean(_) => "neo-hookean",
            SoftMaterial::Springs(_) => "springs",
            SoftMaterial::Custom(_) => "custom",
        };
        format!("<pliant.Material {name}>")
    }
}

fn preset(name: &str) -> PyResult<MaterialPreset> {
    MaterialPreset::ALL.into_iter().find(|preset| preset.name() == name).ok_or_else(|| {
        let names: Vec<&str> = MaterialPreset::ALL.iter().map(|preset| preset.name()).collect();
        error::input(format!("name: {name:?} is unknown, expected {}", names.join(", ")))
    })
}

/// Declares the methods that builders of all bodies share.
macro_rules! placed {
    ($name:ident) => {
        #[pymethods]
        impl $name {
            /// Puts its origin at a position, m.
            fn at(&self, #[pyo3(from_py_with = arguments::position)] position: Vector) -> $name {
                $name(self.0.clone().at(position.0))
            }

            /// Turns it about its origin by a quaternion x, y, z, w before it is put anywhere.
            fn rotated(
                &self,
                #[pyo3(from_py_with = arguments::rotation)] rotation: Rotation,
            ) -> $name {
                $name(self.0.clone().rotated(rotation.0))
            }

            /// Coulomb's coefficient of its surface.
            fn friction(&self, #[pyo3(from_py_with = arguments::friction)] friction: f64) -> $name {
                $name(self.0.clone().friction(friction))
            }

            /// Coefficient of restitution of its surface, from 0 to 1.
            fn restitution(
                &self,
                #[pyo3(from_py_with = arguments::restitution)] restitution: f64,
            ) -> $name {
                $name(self.0.clone().restitution(restitution))
            }

            /// The collision group that it belongs to, from 0 to 31.
            fn group(&self, #[pyo3(from_py_with = arguments::group)] group: u8) -> PyResult<$name> {
                Ok($name(self.0.clone().group(self::group(group, "group")?)))
            }

            fn __repr__(&self) -> &'static str {
                concat!("<pliant.", stringify!($name), ">")
            }
        }
    };
}

/// Declares the methods that builders of free bodies share.
macro_rules! free {
    ($name:ident) => {
        #[pymethods]
        impl $name {
            /// Density, kg/m³.
            fn density(&self, #[pyo3(from_py_with = arguments::density)] density: f64) -> $name {
                $name(self.0.clone().density(density))
            }

            /// Mass of the whole body, kg, in place of the density.
            fn mass(&self, #[pyo3(from_py_with = arguments::mass)] mass: f64) -> $name {
                $name(self.0.clone().mass(mass))
            }

            /// Its velocity at the start, m/s.
            fn velocity(
                &self,
                #[pyo3(from_py_with = arguments::velocity)] velocity: Vector,
            ) -> $name {
                $name(self.0.clone().velocity(velocity.0))
            }

            /// Its angular velocity at the start, rad/s, about its centre of mass.
            fn spin(&self, #[pyo3(from_py_with = arguments::spin)] spin: Vector) -> $name {
                $name(self.0.clone().spin(spin.0))
            }
        }
    };
}

/// A soft body to be added to a `World`: soft rubber of 1000 kg/m³ by default.
///
/// Each method returns a changed copy, which shares the mesh. Whatever is wrong is reported when
/// it is added.
///
/// >>> import pliant
/// >>> world = pliant.World()
/// >>> jelly = pliant.SoftBody.ball(0.1, 3).young(2e4).density(900.0)
/// >>> low, high = (world.add(jelly.at((0, 0, z))) for z in (0.2, 0.5))
/// >>> len(world.bodies)
/// 2
#[pyclass(frozen, module = "pliant")]
#[derive(Clone)]
pub struct SoftBody(pub engine::SoftBody);

placed!(SoftBody);
free!(SoftBody);

#[pymethods]
impl SoftBody {
    /// Of tets, or of a closed surface or a spring network with springs and a mass.
    #[new]
    fn new(#[pyo3(from_py_with = arguments::mesh)] mesh: MeshArgument) -> SoftBody {
        SoftBody(engine::SoftBody::new(shared(&mesh)))
    }

    /// A ball of a radius in m, of 20 · `layers`³ tets.
    #[staticmethod]
    #[pyo3(signature = (radius, layers=4))]
    fn ball(
        #[pyo3(from_py_with = arguments::radius)] radius: f64,
        #[pyo3(from_py_with = arguments::layers)] layers: u32,
    ) -> SoftBody {
        SoftBody(engine::SoftBody::ball(radius, layers))
    }

    /// A box with edges of `size`, m, around the origin, of five tets per cell.
    #[staticmethod]
    #[pyo3(signature = (size, cells=[1, 1, 1]))]
    fn cuboid(
        #[pyo3(from_py_with = arguments::size)] size: Vector,
        #[pyo3(from_py_with = arguments::cells)] cells: [u32; 3],
    ) -> SoftBody {
        SoftBody(engine::SoftBody::cuboid(size.0, cells))
    }

    /// A cloth in the x–y plane around the origin, `size` in m; it needs a mass.
    #[staticmethod]
    #[pyo3(signature = (size, vertices=[11, 11]))]
    fn cloth(
        #[pyo3(from_py_with = arguments::size)] size: [f64; 2],
        #[pyo3(from_py_with = arguments::vertices)] vertices: [u32; 2],
    ) -> PyResult<SoftBody> {
        Ok(SoftBody(engine::SoftBody::cloth(edges(size)?, vertices)))
    }

    /// Young's modulus, Pa.
    fn young(&self, #[pyo3(from_py_with = arguments::young)] young: f64) -> SoftBody {
        SoftBody(self.0.clone().young(young))
    }

    /// Poisson's ratio, above −1 and below 0.5.
    fn poisson(&self, #[pyo3(from_py_with = arguments::poisson)] poisson: f64) -> SoftBody {
        SoftBody(self.0.clone().poisson(poisson))
    }

    /// Damping, s; of springs N·s/m.
    fn damping(&self, #[pyo3(from_py_with = arguments::damping)] damping: f64) -> SoftBody {
        SoftBody(self.0.clone().damping(damping))
    }

    /// Rubber (Neo-Hookean) with the constants given so far, in place of corotational tets.
    fn neo_hookean(&self) -> SoftBody {
        SoftBody(self.0.clone().neo_hookean())
    }

    /// Springs along all edges: of edges, diagonals and bends, N per unit stretch.
    #[pyo3(signature = (stiffness, shear=0.0, bend=0.0))]
    fn springs(
        &self,
        #[pyo3(from_py_with = arguments::stiffness)] stiffness: f64,
        #[pyo3(from_py_with = arguments::shear)] shear: f64,
        #[pyo3(from_py_with = arguments::bend)] bend: f64,
    ) -> SoftBody {
        SoftBody(self.0.clone().springs(stiffness, shear, bend))
    }

    /// Material and density by name: rubber, silicone, liver, fat, muscle, steel or wood.
    fn preset(&self, #[pyo3(from_py_with = arguments::name)] name: &str) -> PyResult<SoftBody> {
        Ok(SoftBody(self.0.clone().preset(preset(name)?)))
    }

    /// Any material.
    fn material(
        &self,
        #[pyo3(from_py_with = arguments::material)] material: &Material,
    ) -> SoftBody {
        SoftBody(self.0.clone().material(material.0.clone()))
    }

    /// Pins vertices, counted in the body, where they begin.
    fn pin(&self, #[pyo3(from_py_with = arguments::vertices)] vertices: Vec<u32>) -> SoftBody {
        SoftBody(self.0.clone().pin(vertices.into_iter().map(VertexId)))
    }

    /// Touches others with a closed surface that its tets carry, in place of their boundary.
    ///
    /// The surface is in the space of the mesh and may be finer than the tets; of a mesh of tets
    /// its boundary counts. `World.contact_mesh` returns where it is.
    ///
    /// >>> import pliant
    /// >>> cube = pliant.SoftBody.cuboid((0.2, 0.2, 0.2), (2, 2, 2))
    /// >>> world = pliant.World()
    /// >>> body = world.add(cube.contact_mesh(pliant.ball(0.09, 6)))
    /// >>> positions, triangles = world.contact_mesh(body)
    /// >>> positions.shape[1], triangles.shape[1]
    /// (3, 3)
    fn contact_mesh(
        &self,
        #[pyo3(from_py_with = arguments::surface)] surface: MeshArgument,
    ) -> PyResult<SoftBody> {
        let surface = boundary_surface(&surface.0.get().shared).map_err(error::mesh)?;
        Ok(SoftBody(self.0.clone().contact_mesh(&surface)))
    }

    /// Pins the vertices on the side of a plane that its normal points to, in the body's own space.
    fn pin_beyond(
        &self,
        #[pyo3(from_py_with = arguments::point)] point: Vector,
        #[pyo3(from_py_with = arguments::normal)] normal: Vector,
    ) -> SoftBody {
        SoftBody(self.0.clone().pin_beyond(point.0, normal.0))
    }
}

/// A rigid body to be added to a `World`, of 1000 kg/m³ by default.
#[pyclass(frozen, module = "pliant")]
#[derive(Clone)]
pub struct RigidBody(pub engine::RigidBody);

placed!(RigidBody);
free!(RigidBody);

#[pymethods]
impl RigidBody {
    /// Of tets or a closed surface.
    #[new]
    fn new(#[pyo3(from_py_with = arguments::mesh)] mesh: MeshArgument) -> RigidBody {
        RigidBody(engine::RigidBody::new(shared(&mesh)))
    }

    /// A box with edges of `size`, m, around the origin.
    #[staticmethod]
    fn cuboid(#[pyo3(from_py_with = arguments::size)] size: Vector) -> RigidBody {
        RigidBody(engine::RigidBody::cuboid(size.0))
    }

    /// A ball of a radius in m around the origin, as a mesh of 320 triangles.
    #[staticmethod]
    fn ball(#[pyo3(from_py_with = arguments::radius)] radius: f64) -> RigidBody {
        RigidBody(engine::RigidBody::ball(radius))
    }
}

/// A body that moves as code says, by `World.move_to`, and pushes what it meets.
#[pyclass(frozen, module = "pliant")]
#[derive(Clone)]
pub struct KinematicBody(pub engine::KinematicBody);

placed!(KinematicBody);

#[pymethods]
impl KinematicBody {
    /// Of tets or a closed surface.
    #[new]
    fn new(#[pyo3(from_py_with = arguments::mesh)] mesh: MeshArgument) -> KinematicBody {
        KinematicBody(engine::KinematicBody::new(shared(&mesh)))
    }

    /// A box with edges of `size`, m, around the origin.
    #[staticmethod]
    fn cuboid(#[pyo3(from_py_with = arguments::size)] size: Vector) -> KinematicBody {
        KinematicBody(engine::KinematicBody::cuboid(size.0))
    }

    /// A ball of a radius in m around the origin, as a mesh of 320 triangles.
    #[staticmethod]
    fn ball(#[pyo3(from_py_with = arguments::radius)] radius: f64) -> KinematicBody {
        KinematicBody(engine::KinematicBody::ball(radius))
    }
}

/// An obstacle to be added to a `World`: a shape that contact does not move.
#[pyclass(frozen, module = "pliant")]
#[derive(Clone)]
pub struct Obstacle(pub engine::ObstacleBuilder);

placed!(Obstacle);

#[pymethods]
impl Obstacle {
    /// Half a space: a plane with all beneath it, at a height along its normal, m.
    #[staticmethod]
    #[pyo3(signature = (normal=Vector(Vec3::Z), height=0.0))]
    fn plane(
        #[pyo3(from_py_with = arguments::normal)] normal: Vector,
        #[pyo3(from_py_with = arguments::height)] height: f64,
    ) -> Obstacle {
        Obstacle(Shapes::plane(normal.0, height))
    }

    /// A box with edges of `size`, m, around the origin.
    #[staticmethod]
    fn cuboid(#[pyo3(from_py_with = arguments::size)] size: Vector) -> Obstacle {
        Obstacle(Shapes::cuboid(size.0))
    }

    /// A ball of a radius in m around the origin.
    #[staticmethod]
    fn sphere(#[pyo3(from_py_with = arguments::radius)] radius: f64) -> Obstacle {
        Obstacle(Shapes::sphere(radius))
    }

    /// A cylinder of a radius and a length in m along z, around the origin.
    #[staticmethod]
    fn cylinder(
        #[pyo3(from_py_with = arguments::radius)] radius: f64,
        #[pyo3(from_py_with = arguments::length)] length: f64,
    ) -> Obstacle {
        Obstacle(Shapes::cylinder(radius, length))
    }

    /// A capsule of a radius in m whose core has a length in m along z, around the origin.
    #[staticmethod]
    fn capsule(
        #[pyo3(from_py_with = arguments::radius)] radius: f64,
        #[pyo3(from_py_with = arguments::length)] length: f64,
    ) -> Obstacle {
        Obstacle(Shapes::capsule(radius, length))
    }
}

fn shared(mesh: &MeshArgument) -> SharedMesh {
    SharedMesh(mesh.0.get().shared.clone())
}
