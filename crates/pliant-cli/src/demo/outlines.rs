//! Two outlines in the plane: where they meet and how deep, by segments and by images.

use pliant::math::Vec2;
use pliant_plane::exact::Exact;
use pliant_plane::generate::coast::{CoastSettings, coast};
use pliant_plane::generate::gear::{GearSettings, gear};
use pliant_plane::image::Images;
use pliant_plane::outline::Outlines;
use pliant_plane::{Backend, Pair, ProximityQuery, ProximityResult, QueryFlags};

use crate::show::DIM;

/// Bound of every length, m.
const BOUND: f64 = 1e-3;

/// How far the coast is moved: into the gear, and away from it, m.
const MOVED: [f64; 2] = [1.7, 3.0];

/// A heading, and a gear in a coast by two backends; how far apart they are when moved away.
pub fn describe() -> Result<(String, String), String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let module = 0.08;
    let settings = GearSettings { teeth: 24, module, backlash: 0.62 * module, bore: None };
    let wheel = gear(&settings).map_err(|e| words(&e))?;
    let settings = CoastSettings { points: 240, radius: 1.0, roughness: 0.4, seed: 9 };
    let land = coast(&settings).map_err(|e| words(&e))?;
    let [inside, away] = MOVED.map(|by| placed(&wheel, &land, by));
    let (inside, away) = (inside?, away?);
    let heading = format!("A gear in a coast, {} segments", inside.points().len());
    let mut text = String::new();
    let backends: [(&str, Box<dyn Backend>); 2] =
        [("by segments", Box::<Exact>::default()), ("by images", Box::<Images>::default())];
    for (name, mut backend) in backends {
        let found = query(&mut *backend, &inside)?;
        let deepest = found.penetration.iter().map(|p| p.depth).fold(0.0, f64::max);
        let apart = query(&mut *backend, &away)?.separation.map_or(0.0, |way| way.distance);
        text += &format!(
            "{name:<16} {} points inside, deepest {deepest:.4} m, {:.4} m² shared; moved away {apart:.4} m apart\n",
            found.penetration.len(),
            found.overlap_area,
        );
    }
    text += &format!(
        "{DIM}lengths within {BOUND} m; try `pliant proximity A B --picture field.png`{DIM:#}\n"
    );
    Ok((heading, text))
}

/// The gear, and the land moved along x.
fn placed(wheel: &[Vec<Vec2>], land: &[Vec<Vec2>], by: f64) -> Result<Outlines, String> {
    let moved = |ring: &Vec<Vec2>| ring.iter().map(|p| *p + Vec2::new(by, 0.0)).collect();
    let land: Vec<Vec<Vec2>> = land.iter().map(moved).collect();
    let mut outlines = Outlines::default();
    for rings in [wheel, &land] {
        outlines.push(rings).map_err(|error| error.to_string())?;
    }
    Ok(outlines)
}

fn query(backend: &mut dyn Backend, outlines: &Outlines) -> Result<ProximityResult, String> {
    let wanted = QueryFlags { samples: false, contacts: false, ..QueryFlags::ALL };
    let question = ProximityQuery { error: BOUND, contact_distance: 0.0, flags: wanted };
    let mut answers = Vec::new();
    let reported = backend.query(outlines, &[Pair { a: 0, b: 1 }], &question, &mut answers);
    reported.map_err(|error| error.to_string())?;
    Ok(answers.pop().unwrap_or_default())
}
