//! Worlds that are measured.

use pliant::prelude::*;

/// A world by its name, made anew each time.
pub type Scene = (&'static str, fn() -> Result<World, WorldError>);

/// What steps are measured on.
pub const SCENES: [Scene; 3] = [("icosahedra", icosahedra), ("dice", dice), ("balls", balls)];

/// Radius of all balls, half the edge of all dice, m.
const RADIUS: f64 = 0.1;

/// Layers of a ball of 13 vertices, and of one of 147.
pub const COARSE: u32 = 1;
const FINE: u32 = 3;

/// A soft ball of so many layers.
pub fn ball(layers: u32) -> SoftBody {
    SoftBody::ball(RADIUS, layers).young(1e5).density(500.0)
}

/// 60 soft bodies of 13 vertices in a box.
fn icosahedra() -> Result<World, WorldError> {
    let mut world = boxed()?;
    let ball = ball(COARSE);
    for place in places(60) {
        world.add(ball.clone().at(place))?;
    }
    Ok(world)
}

/// 60 rigid dice in a box, which do not sleep.
fn dice() -> Result<World, WorldError> {
    let mut world = boxed()?;
    world.set_sleep(None);
    let die = RigidBody::cuboid(Vec3::splat(1.4 * RADIUS)).density(500.0);
    for (number, place) in places(60).enumerate() {
        world.add(die.clone().at(place).rotated(Quat::from_rotation_y(0.1 * number as f64)))?;
    }
    Ok(world)
}

/// Ten soft bodies of 147 vertices in a box.
fn balls() -> Result<World, WorldError> {
    let mut world = boxed()?;
    let ball = ball(FINE);
    for place in places(10) {
        world.add(ball.clone().at(place))?;
    }
    Ok(world)
}

/// A floor and four walls.
fn boxed() -> Result<World, WorldError> {
    let mut world = World::new();
    world.add(Obstacle::plane(Vec3::Z, 0.0))?;
    for wall in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y] {
        world.add(Obstacle::plane(wall, -3.6 * RADIUS))?;
    }
    Ok(world)
}

/// Layers of nine above each other, a little aside so that the pile is no tower.
fn places(count: usize) -> impl Iterator<Item = Vec3> {
    (0..count).map(|number| {
        let [x, y, z] = [number % 3, number / 3 % 3, number / 9].map(|k| k as f64);
        let aside = 0.1 * libm::sin(1.7 * number as f64);
        RADIUS * vec3(2.1 * (x - 1.0) + aside, 2.1 * (y - 1.0) - aside, 1.1 + 2.1 * z)
    })
}

/// Bodies along one side of a field.
const COLUMNS: usize = 32;

/// Soft bodies of 13 vertices that rest on a floor, apart from each other.
pub fn field(count: usize) -> Result<World, WorldError> {
    let mut world = World::new();
    world.add(Obstacle::plane(Vec3::Z, 0.0))?;
    let ball = ball(COARSE);
    for number in 0..count {
        world.add(ball.clone().at(spot(number)))?;
    }
    Ok(world)
}

/// A place in the field, where a body nearly touches the floor.
pub fn spot(number: usize) -> Vec3 {
    let [column, row] = [number % COLUMNS, number / COLUMNS].map(|k| k as f64);
    RADIUS * vec3(3.0 * column, 3.0 * row, 1.0)
}
