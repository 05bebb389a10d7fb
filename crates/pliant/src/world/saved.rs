//! A world as bytes, to be continued later with the same bits.

use crate::body::keyframes::Pose;
use crate::body::soft::State;
use crate::contact::rules::{Group, SurfaceRule};
use crate::id::VertexId;
use crate::math::{Quat, Vec3};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::joint::Motor;
use crate::world::body_model::{BodyModelKind, Driven, Pinning};
use crate::world::change::check_rigid;
use crate::world::handle::{Collider, Key};
use crate::world::placement::check_surface;
use crate::world::{BodyHandle, ObstacleHandle, Settings, World, WorldError};

/// First bytes of a snapshot: a name, and then a version.
const NAME: &[u8; 6] = b"pliant";

/// Version of what follows.
const VERSION: &[u8; 2] = b"02";

/// Bytes before the numbers: name, version and checksum.
const HEADER: usize = 16;

/// Odd and without a pattern, so that the multiplication mixes bits: 2⁶⁴ over the golden ratio.
const MIXER: u64 = 0x9e37_79b9_7f4a_7c15;

impl World {
    /// Writes all that the next steps depend on, but for meshes, materials and parts from outside.
    ///
    /// [`World::restore`] reads it into the same world, or into one in which the same things were
    /// added and removed in the same order.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let mut world = World::new();
    /// let ball = world.add(SoftBody::ball(0.1, 2).at(Vec3::Z))?;
    /// let saved = world.save()?;
    /// world.step()?;
    /// let first = world.positions(ball)?.to_vec();
    /// world.restore(&saved)?;
    /// world.step()?;
    /// assert_eq!(world.positions(ball)?, first); // the same bits
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn save(&mut self) -> Result<Vec<u8>, WorldError> {
        self.assemble()?;
        let mut snapshot = Snapshot::default();
        self.write(&mut snapshot);
        let sum = checksum(snapshot.numbers()).to_le_bytes();
        let numbers = snapshot.numbers().iter().flat_map(|number| number.to_le_bytes());
        Ok(NAME.iter().chain(VERSION).copied().chain(sum).chain(numbers).collect())
    }

    /// Goes back to where [`World::save`] was called; on an error nothing changes.
    ///
    /// The message distinguishes bytes that are damaged from those of a world in which other
    /// things were added.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), WorldError> {
        let numbers = checked_numbers(bytes)
            .map_err(|reason| WorldError::Snapshot { reason: reason.to_owned() })?;
        self.assemble()?;
        let mut before = Snapshot::default();
        self.write(&mut before);
        let state = self.simulation.state.clone();
        let read = self.read(&mut Snapshot::from_numbers(numbers));
        if let Err(SnapshotError { part }) = read {
            // As it was: this was written a moment ago.
            self.simulation.state = state;
            let _ = self.read(&mut Snapshot::from_numbers(before.numbers().to_vec()));
            return Err(WorldError::Snapshot { reason: why_different(part) });
        }
        Ok(())
    }

    fn write(&self, snapshot: &mut Snapshot) {
        write_keys(self.bodies.keys(), snapshot);
        write_keys(self.obstacles.keys(), snapshot);
        write_keys(self.joints.keys(), snapshot);
        write_keys(self.grabs.keys(), snapshot);
        self.write_settings(snapshot);
        for (_, entry) in self.bodies.iter() {
            snapshot.write_vectors(&[entry.force]);
            write_surface(entry.model.surface, snapshot);
            write_pins(&entry.model.pins, snapshot);
            if let BodyModelKind::Kinematic(driven) = entry.model.kind {
                write_driven(driven, snapshot);
            }
        }
        for (_, entry) in self.obstacles.iter() {
            write_surface(entry.placement.surface, snapshot);
            write_driven(Driven { pose: entry.pose, target: entry.target }, snapshot);
        }
        for (_, grab) in self.grabs.iter() {
            snapshot.write_vectors(&[grab.target]);
        }
        for (_, entry) in self.joints.iter() {
            let motor = entry.joint.motor_of();
            snapshot.write(motor.map_or(f64::NAN, |motor| motor.speed));
            snapshot.write(motor.map_or(f64::NAN, |motor| motor.most));
        }
        write_pairs(&self.ignored_pairs, snapshot);
        write_pairs(self.contacts.touching(), snapshot);
        self.simulation.save(snapshot);
    }

    fn read(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        read_keys(self.bodies.keys(), snapshot, "bodies")?;
        read_keys(self.obstacles.keys(), snapshot, "obstacles")?;
        read_keys(self.joints.keys(), snapshot, "joints")?;
        read_keys(self.grabs.keys(), snapshot, "grabs")?;
        self.read_settings(snapshot)?;
        let mut read = Ok(());
        self.bodies.for_each(|_, entry| {
            read = read.and_then(|()| {
                entry.force = read_vector(snapshot)?;
                entry.model.surface = read_surface(snapshot)?;
                read_pins(&mut entry.model.pins, entry.model.start.len(), snapshot)?;
                if let BodyModelKind::Kinematic(driven) = &mut entry.model.kind {
                    *driven = read_driven(snapshot)?;
                }
                Ok(())
            });
        });
        self.obstacles.for_each(|_, entry| {
            read = read.and_then(|()| {
                entry.placement.surface = read_surface(snapshot)?;
                let Driven { pose, target } = read_driven(snapshot)?;
                (entry.pose, entry.target) = (pose, target);
                Ok(())
            });
        });
        self.grabs.for_each(|_, grab| {
            read = read.and_then(|()| {
                grab.target = read_vector(snapshot)?;
                Ok(())
            });
        });
        self.joints.for_each(|_, entry| {
            read = read.and_then(|()| {
                let (speed, most) = (snapshot.read("joints")?, snapshot.read("joints")?);
                entry.joint.set_motor_of((!most.is_nan()).then_some(Motor { speed, most }));
                Ok(())
            });
        });
        read?;
        self.ignored_pairs = read_pairs(self, snapshot)?;
        let pairs = read_pairs(self, snapshot)?;
        self.is_current = false;
        self.assemble().map_err(|_| SnapshotError { part: "settings" })?;
        self.simulation.restore(snapshot)?;
        self.check_restored()?;
        self.contacts.set_touching(pairs);
        self.is_searched = false;
        self.settle().map_err(|_| SnapshotError { part: "poses" })
    }

    fn write_settings(&self, snapshot: &mut Snapshot) {
        let Settings { gravity, dt, friction, restitution, .. } = self.settings;
        let Settings { substeps, max_halvings, depenetration_speed, .. } = self.settings;
        let counts = [substeps, max_halvings].map(f64::from);
        let numbers = [dt, friction, restitution, counts[0], counts[1], depenetration_speed];
        gravity.to_array().into_iter().chain(numbers).for_each(|number| snapshot.write(number));
        self.rules.ignored().iter().for_each(|row| snapshot.write(f64::from(*row)));
    }

    fn read_settings(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        const PART: &str = "settings";
        let mut read = || snapshot.read(PART);
        let own = &mut self.settings;
        own.gravity = Vec3::new(read()?, read()?, read()?);
        (own.dt, own.friction, own.restitution) = (read()?, read()?, read()?);
        (own.substeps, own.max_halvings) = (read()? as u32, read()? as u32);
        own.depenetration_speed = read()?;
        let mut ignored = [0; Group::COUNT];
        for row in &mut ignored {
            *row = read()? as u32;
        }
        self.rules.set_ignored(ignored);
        own.check().map_err(|_| SnapshotError { part: PART })
    }

    /// Refuses a state with which no step could be made.
    fn check_restored(&self) -> Result<(), SnapshotError> {
        let State { positions, velocities, rigids, time } = &self.simulation.state;
        let of_rigids = rigids.iter().all(|state| check_rigid(state).is_ok());
        let is_sound = time.is_finite()
            && of_rigids
            && positions.iter().chain(velocities).all(|value| value.is_finite())
            && self.check_simulation(&self.simulation, &self.layout).is_ok();
        if is_sound { Ok(()) } else { Err(SnapshotError { part: "the state" }) }
    }

    /// Puts forces, grabs and obstacles where the entries say.
    fn settle(&mut self) -> Result<(), WorldError> {
        let grabs = self.grab_springs(&self.simulation.system.bodies);
        self.simulation.system.forces.replace(self.layout.grabs, grabs);
        self.refresh_loads();
        let contact = self.simulation.stepper.contact_mut();
        let obstacles = contact.into_iter().flat_map(|contact| contact.obstacles_mut());
        for ((_, entry), obstacle) in self.obstacles.iter().zip(obstacles) {
            obstacle.set_motion(crate::body::keyframes::Keyframes::still(entry.pose)?);
        }
        Ok(())
    }
}

/// The numbers of a snapshot that is whole, or why it is not.
fn checked_numbers(bytes: &[u8]) -> Result<Vec<f64>, &'static str> {
    let Some(rest) = bytes.strip_prefix(NAME) else {
        return Err("they do not begin as one does");
    };
    if !rest.starts_with(VERSION) {
        return Err("they were written by another version of this library");
    }
    let (Some(header), Some(numbers)) = (bytes.get(..HEADER), bytes.get(HEADER..)) else {
        return Err("they are cut off");
    };
    let chunks = numbers.chunks_exact(8);
    if !chunks.remainder().is_empty() {
        return Err("they are cut off");
    }
    let number = |chunk: &[u8]| chunk.try_into().map_or(f64::NAN, f64::from_le_bytes);
    let numbers: Vec<f64> = chunks.map(number).collect();
    if header.ends_with(&checksum(&numbers).to_le_bytes()) {
        Ok(numbers)
    } else {
        Err("they are damaged or cut off: their checksum is another")
    }
}

/// Differs whenever one number does, and almost always when several do.
fn checksum(numbers: &[f64]) -> u64 {
    // Each step is invertible, so that a difference stays one.
    let mix = |sum: u64, number: &f64| (sum ^ number.to_bits()).wrapping_mul(MIXER).rotate_left(23);
    numbers.iter().fold(numbers.len() as u64, mix)
}

/// What makes a part of a whole snapshot differ from the world.
fn why_different(part: &str) -> String {
    match part {
        "bodies" | "obstacles" | "joints" | "grabs" => {
            format!("{part} differ: other things were added or removed since")
        }
        _ => format!(
            "what they hold of {part} does not fit: they were saved in a world of other meshes,              materials or steppers"
        ),
    }
}

fn write_keys(keys: &[Key], snapshot: &mut Snapshot) {
    snapshot.write(keys.len() as f64);
    keys.iter().flat_map(|key| key.numbers()).for_each(|number| snapshot.write(number));
}

/// Compares keys with those that were written.
fn read_keys(
    keys: &[Key],
    snapshot: &mut Snapshot,
    part: &'static str,
) -> Result<(), SnapshotError> {
    let mut is_same = snapshot.read(part)? == keys.len() as f64;
    for number in keys.iter().flat_map(|key| key.numbers()) {
        is_same = is_same && snapshot.read(part)? == number;
    }
    if is_same { Ok(()) } else { Err(SnapshotError { part }) }
}

/// NaN stands for none.
fn write_surface(rule: SurfaceRule, snapshot: &mut Snapshot) {
    let numbers = [rule.friction, rule.restitution].map(|own| own.unwrap_or(f64::NAN));
    numbers.into_iter().for_each(|number| snapshot.write(number));
    snapshot.write(f64::from(rule.group.number()));
}

fn read_surface(snapshot: &mut Snapshot) -> Result<SurfaceRule, SnapshotError> {
    const PART: &str = "surfaces";
    let mut read = || snapshot.read(PART);
    let [friction, restitution] = [read()?, read()?].map(|own| (!own.is_nan()).then_some(own));
    let group = Group::new(read()? as u8).ok_or(SnapshotError { part: PART })?;
    let rule = SurfaceRule { friction, restitution, group };
    check_surface(rule).map_err(|_| SnapshotError { part: PART })
}

fn write_pins(pins: &[Pinning], snapshot: &mut Snapshot) {
    snapshot.write(pins.len() as f64);
    for Pinning { vertices, .. } in pins {
        snapshot.write(vertices.len() as f64);
        vertices.iter().for_each(|(vertex, _)| snapshot.write(f64::from(vertex.0)));
        let places: Vec<Vec3> = vertices.iter().map(|(_, place)| *place).collect();
        snapshot.write_vectors(&places);
    }
}

/// Reads pins of a body of so many vertices; paths stay those of the pins there are.
fn read_pins(
    pins: &mut Vec<Pinning>,
    count: usize,
    snapshot: &mut Snapshot,
) -> Result<(), SnapshotError> {
    const PART: &str = "pins";
    let (known, mut read) = (snapshot.read(PART)?, Vec::new());
    while (read.len() as f64) < known {
        let mut vertices = Vec::new();
        let size = snapshot.read(PART)?;
        while (vertices.len() as f64) < size {
            let vertex = snapshot.read(PART)?;
            if !(0.0..count as f64).contains(&vertex) {
                return Err(SnapshotError { part: PART });
            }
            vertices.push(VertexId(vertex as u32));
        }
        let mut places = Vec::new();
        snapshot.read_vectors(PART, &mut places)?;
        if places.len() != vertices.len() {
            return Err(SnapshotError { part: PART });
        }
        let path = pins.get(read.len()).and_then(|pinning| pinning.path.clone());
        read.push(Pinning { vertices: vertices.into_iter().zip(places).collect(), path });
    }
    *pins = read;
    Ok(())
}

fn write_driven(driven: Driven, snapshot: &mut Snapshot) {
    let Driven { pose, target } = driven;
    snapshot.write(f64::from(u8::from(target.is_some())));
    for Pose { position, rotation } in [pose, target.unwrap_or(pose)] {
        position.to_array().into_iter().for_each(|number| snapshot.write(number));
        rotation.to_array().into_iter().for_each(|number| snapshot.write(number));
    }
}

fn read_driven(snapshot: &mut Snapshot) -> Result<Driven, SnapshotError> {
    let mut read = || snapshot.read("poses");
    let has_target = read()? == 1.0;
    let mut pose = || -> Result<Pose, SnapshotError> {
        let position = Vec3::new(read()?, read()?, read()?);
        let rotation = Quat::from_xyzw(read()?, read()?, read()?, read()?);
        let is_unit = position.is_finite() && rotation.is_normalized();
        if is_unit { Ok(Pose { position, rotation }) } else { Err(SnapshotError { part: "poses" }) }
    };
    let (now, target) = (pose()?, pose()?);
    Ok(Driven { pose: now, target: has_target.then_some(target) })
}

fn read_vector(snapshot: &mut Snapshot) -> Result<Vec3, SnapshotError> {
    let mut vectors = Vec::new();
    snapshot.read_vectors("forces", &mut vectors)?;
    match vectors[..] {
        [vector] if vector.is_finite() => Ok(vector),
        _ => Err(SnapshotError { part: "forces" }),
    }
}

fn write_pairs(pairs: &[(BodyHandle, Collider)], snapshot: &mut Snapshot) {
    snapshot.write(pairs.len() as f64);
    for (body, other) in pairs {
        let (kind, key) = match other {
            Collider::Body(body) => (0.0, body.0),
            Collider::Obstacle(obstacle) => (1.0, obstacle.0),
        };
        let numbers = body.0.numbers().into_iter().chain([kind]).chain(key.numbers());
        numbers.for_each(|number| snapshot.write(number));
    }
}

fn read_pairs(
    world: &World,
    snapshot: &mut Snapshot,
) -> Result<Vec<(BodyHandle, Collider)>, SnapshotError> {
    const PART: &str = "contacts";
    let count = snapshot.read(PART)?;
    let mut pairs = Vec::new();
    let find = |keys: &[Key], numbers: [f64; 2]| {
        keys.iter()
            .copied()
            .find(|key| key.numbers() == numbers)
            .ok_or(SnapshotError { part: PART })
    };
    while (pairs.len() as f64) < count {
        let mut read = || snapshot.read(PART);
        let first = [read()?, read()?];
        let (kind, second) = (read()?, [read()?, read()?]);
        let body = BodyHandle(find(world.bodies.keys(), first)?);
        let other = match kind {
            0.0 => Collider::Body(BodyHandle(find(world.bodies.keys(), second)?)),
            _ => Collider::Obstacle(ObstacleHandle(find(world.obstacles.keys(), second)?)),
        };
        pairs.push((body, other));
    }
    Ok(pairs)
}
