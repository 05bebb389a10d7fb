//! Fast bodies: a shot on a plate, soft balls on obstacles and on each other, thin rods.

use pliant::math::Vec3;
use pliant::prelude::{BodyHandle, Obstacle, RigidBody, SoftBody, World};

use super::trial::{self, Trial, text};

/// Speeds of a shot, m/s.
const SHOTS: [f64; 4] = [20.0, 60.0, 120.0, 200.0];

/// Speeds of a soft ball on obstacles, m/s.
const FALLS: [f64; 4] = [10.0, 50.0, 75.0, 200.0];

/// Speeds of each of two soft balls, m/s.
const HEAD_ON: [f64; 6] = [5.0, 20.0, 40.0, 70.0, 100.0, 200.0];

fn height(world: &World, body: BodyHandle) -> Result<f64, String> {
    world.centre(body).map(|centre| centre.z).map_err(text)
}

/// A rigid ball shot at a soft plate that is held at two sides.
pub fn plate() -> Result<Vec<Trial>, String> {
    let mut rows = Vec::new();
    for speed in SHOTS {
        for at in [[0.03, 0.02], [0.31, -0.44], [-0.1, 0.1]] {
            let mut world = World::new();
            let plate = SoftBody::cuboid(Vec3::new(2.0, 2.0, 0.1), [10, 10, 1]).young(1e7);
            let plate = plate.density(1000.0).pin_beyond(-0.999 * Vec3::X, -Vec3::X);
            let plate = world.add(plate.pin_beyond(0.999 * Vec3::X, Vec3::X)).map_err(text)?;
            let shot = RigidBody::ball(0.1).density(1000.0).velocity(-speed * Vec3::Z);
            let shot = world.add(shot.at(Vec3::new(at[0], at[1], 0.5))).map_err(text)?;
            let name = format!("{speed} m/s at {at:?}");
            let mut row = trial::run(&name, &mut world, 180, 2.0)?;
            let is_below = height(&world, shot)? <= height(&world, plate)?;
            if is_below {
                row.note("the shot is below the plate");
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Soft balls on a plane, on a thin box, and on each other.
pub fn soft() -> Result<Vec<Trial>, String> {
    let mut rows = Vec::new();
    for speed in FALLS {
        for (name, is_box) in [("plane", false), ("box of 0.1 m", true)] {
            for neo_hookean in [false, true] {
                let mut world = World::new();
                let obstacle = match is_box {
                    false => Obstacle::plane(Vec3::Z, 0.0),
                    true => Obstacle::cuboid(Vec3::new(2.0, 2.0, 0.1)).at(-0.05 * Vec3::Z),
                };
                world.add(obstacle).map_err(text)?;
                let ball = SoftBody::ball(0.15, 2).young(1e5).poisson(0.45).density(1000.0);
                let ball = if neo_hookean { ball.neo_hookean() } else { ball };
                let ball = ball.at(Vec3::new(0.013, 0.007, 1.0)).velocity(-speed * Vec3::Z);
                let ball = world.add(ball).map_err(text)?;
                let material = if neo_hookean { "neo-Hookean" } else { "corotational" };
                let name = format!("ball at {speed} m/s on a {name}, {material}");
                let mut row = trial::run(&name, &mut world, 60, 1.0)?;
                if height(&world, ball)? <= 0.0 {
                    row.note("the ball is below the surface");
                }
                rows.push(row);
            }
        }
    }
    for speed in HEAD_ON {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).map_err(text)?;
        let ball = || SoftBody::ball(0.5, 3).young(1e5).density(300.0);
        let left = ball().at(-1.6 * Vec3::X).velocity(speed * Vec3::X);
        let right = ball().at(Vec3::new(1.6, 1e-3, 2e-3)).velocity(-speed * Vec3::X);
        let (left, right) = (world.add(left).map_err(text)?, world.add(right).map_err(text)?);
        let mut row = trial::run(&format!("two balls at {speed} m/s"), &mut world, 90, 4.0)?;
        let is_left = world.centre(left).map_err(text)?.x < world.centre(right).map_err(text)?.x;
        if !is_left {
            row.note("they have passed through each other");
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Rods and plates whose thickness is 1 % of their length, flying and spinning.
pub fn thin() -> Result<Vec<Trial>, String> {
    let mut rows = Vec::new();
    for speed in [20.0, 60.0, 200.0] {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).map_err(text)?;
        let rod = |size: Vec3| RigidBody::cuboid(size).density(2000.0);
        let lying = world.add(rod(Vec3::new(1.0, 0.01, 0.01))).map_err(text)?;
        let across = rod(Vec3::new(0.01, 1.0, 0.01)).at(Vec3::new(1e-3, 2e-3, 0.4));
        let across = world.add(across.velocity(-speed * Vec3::Z)).map_err(text)?;
        let mut row = trial::run(&format!("rods that cross at {speed} m/s"), &mut world, 4, 1.0)?;
        // Later they turn about each other.
        let is_above = height(&world, across)? > height(&world, lying)?;
        if !is_above {
            row.note("they have passed through each other");
        }
        rows.push(row);

        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).map_err(text)?;
        let sheet = SoftBody::cuboid(Vec3::new(1.0, 1.0, 0.01), [10, 10, 1]).young(1e7);
        let sheet = world.add(sheet.density(1000.0)).map_err(text)?;
        let ball = RigidBody::ball(0.05).density(2000.0).at(Vec3::new(0.03, 0.02, 0.5));
        let ball = world.add(ball.velocity(-speed * Vec3::Z)).map_err(text)?;
        let mut row = trial::run(&format!("ball on a sheet at {speed} m/s"), &mut world, 30, 1.0)?;
        // The sheet is drawn along as a pocket, so that its centre says nothing.
        let centre = world.centre(ball).map_err(text)?;
        let sheet = world.positions(sheet).map_err(text)?.iter();
        let nearest = sheet.min_by(|a, b| a.distance(centre).total_cmp(&b.distance(centre)));
        let is_above = nearest.is_none_or(|nearest| centre.z > nearest.z);
        if !is_above {
            row.note("the ball is behind the sheet");
        }
        rows.push(row);
    }
    for spin in [10.0, 60.0] {
        let mut world = World::new();
        world.add(Obstacle::plane(Vec3::Z, 0.0)).map_err(text)?;
        let rod = RigidBody::cuboid(Vec3::new(1.0, 0.02, 0.02)).density(2000.0);
        let rod = rod.at(0.6 * Vec3::Z).spin(spin * Vec3::Y);
        let rod = world.add(rod).map_err(text)?;
        let ball = SoftBody::ball(0.1, 3).young(1e5).density(500.0);
        world.add(ball.at(Vec3::new(0.35, 0.0, 0.6))).map_err(text)?;
        let name = format!("rod that spins at {spin} rad/s beside a ball");
        let mut row = trial::run(&name, &mut world, 180, 1.0)?;
        if height(&world, rod)? <= 0.0 {
            row.note("the rod is below the floor");
        }
        rows.push(row);
    }
    Ok(rows)
}
