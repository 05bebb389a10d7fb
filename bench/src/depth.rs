//! Consistent penetration depth, all four stages, beside parry3d's closest feature.

use pliant::depth::fused::Scratch;
use pliant::depth::{DepthSettings, Penetrations};
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;

use crate::allocations;
use crate::parry::parts::Parts;
use crate::parry::whole::Whole;
use crate::parry::{Frame, Nearest};
use crate::scenes::{self, FRAMES, Scene};
use crate::timing::{self, Spread};

/// Fewest steps of each side.
const STEPS: usize = 60;

/// Shortest time of both sides together, s.
const SHORTEST: f64 = 3.0;

/// Shortest stretch of steps of one side before the other has its turn, s.
const TURN: f64 = 0.02;

/// Vertices and the bodies that hold them.
type Pairs = Box<[(VertexId, BodyId)]>;

/// Results of one scene.
struct Measured {
    name: String,
    bodies: usize,
    vertices: usize,
    tets: usize,
    known_pairs: Option<usize>,
    ours: Side,
    /// parry3d with its defaults.
    whole: Side,
    /// parry3d's parts.
    parts: Side,
    /// Pairs that not all sides find.
    differing: usize,
    /// Edges that lead out and whose crossing is not known.
    missed_edges: usize,
}

/// Results of one side.
#[derive(Clone, Copy, Default)]
struct Side {
    /// Pairs of a vertex and a body that holds it.
    pairs: usize,
    /// Those of vertices on the surface.
    surface_pairs: usize,
    /// Deepest of all, m.
    deepest: f64,
    /// CPU time of a step, s.
    time: Spread,
    /// What is kept from step to step, results included, bytes.
    memory: usize,
    /// Allocations of a warm step.
    allocations: f64,
}

/// Prints the tables for some scenes, or for all.
///
/// `Err` when a warm step of ours allocates, or a count is not the known one.
pub fn run(wanted: &[&str]) -> Result<(), String> {
    let all = scenes::names();
    let wanted =
        if wanted.is_empty() { all.iter().map(String::as_str).collect() } else { wanted.to_vec() };
    let mut measured = Vec::new();
    for name in wanted {
        eprintln!("{name} …");
        measured.push(measure(&scenes::scene(name)?)?);
    }
    print_times(&measured);
    print_growth(&measured);
    print_memory(&measured);
    print_counts(&measured);
    let allocating = measured.iter().filter(|one| one.ours.allocations > 0.0);
    let wrong = measured.iter().filter(|one| verdict(one) == "no" || one.missed_edges > 0);
    let names: Vec<_> = allocating.chain(wrong).map(|one| one.name.as_str()).collect();
    if names.is_empty() { Ok(()) } else { Err(format!("not as it must be: {}", names.join(", "))) }
}

/// Runs ours alone, for a profiler.
pub fn run_ours(name: &str, steps: &str) -> Result<(), String> {
    let steps: usize = steps.parse().map_err(|_| format!("{steps} is no number of steps"))?;
    let scene = scenes::scene(name)?;
    let mut ours = Ours::new(&scene)?;
    for step in 0..steps {
        ours.step(&scene.frames[step % FRAMES]);
    }
    println!("{name}: {steps} steps, {} vertices resolved in the last", ours.found.resolved.len());
    Ok(())
}

/// Our side of a scene.
pub struct Ours<'a> {
    scene: &'a Scene,
    scratch: Scratch,
    found: Penetrations,
}

impl Ours<'_> {
    /// Scratch memory for a scene.
    pub fn new(scene: &Scene) -> Result<Ours<'_>, String> {
        let scratch = Scratch::new(&scene.positions, &scene.bodies);
        let scratch = scratch.map_err(|error| error.to_string())?;
        Ok(Ours { scene, scratch, found: Penetrations::default() })
    }

    /// All four stages.
    pub fn step(&mut self, positions: &[Vec3]) {
        let (bodies, settings) = (&self.scene.bodies, DepthSettings::default());
        let found = self.scratch.penetrations(positions, bodies, settings, &mut self.found);
        assert_eq!(found, Ok(()));
    }

    /// Every vertex with every body that holds it.
    fn pairs(&self) -> Pairs {
        let resolved = self.found.resolved.iter().map(|one| (one.vertex, one.into));
        let unresolved = self.found.unresolved.iter().map(|one| (one.vertex, one.into));
        let all = resolved.chain(unresolved);
        let pairs = all.flat_map(|(vertex, into)| {
            self.found.bodies(into).iter().map(move |&body| (vertex, body))
        });
        pairs.collect()
    }

    fn deepest(&self) -> f64 {
        self.found.resolved.iter().map(|one| one.penetration.depth).fold(0.0, f64::max)
    }
}

fn measure(scene: &Scene) -> Result<Measured, String> {
    let bodies = &scene.bodies;
    let frames: Vec<_> = scene.frames.iter().map(|set| Frame::new(bodies, set)).collect();
    let given = Frame::new(bodies, &scene.positions);

    let before = allocations::live();
    let mut own = Ours::new(scene)?;
    let allocations = warm(|step| own.step(&scene.frames[step]));
    own.step(&scene.positions);
    let memory = allocations::live() - before;
    let (own_pairs, deepest) = (own.pairs(), own.deepest());
    let missed_edges = own.found.missed_edges;
    let mut ours = Side { memory, allocations, deepest, ..counted(scene, &own_pairs) };

    let before = allocations::live();
    let mut peer = Whole::new(bodies, &given)?;
    let allocations = warm(|step| peer.step(&frames[step]));
    peer.step(&given);
    let memory = allocations::live() - before;
    let (peer_pairs, deepest) = reported(&peer.found);
    let mut whole = Side { memory, allocations, deepest, ..counted(scene, &peer_pairs) };

    let before = allocations::live();
    let mut bare = Parts::new(bodies, &given)?;
    let allocations = warm(|step| bare.step(&frames[step]));
    bare.step(&given);
    let memory = allocations::live() - before;
    let (bare_pairs, deepest) = reported(&bare.found);
    let mut parts = Side { memory, allocations, deepest, ..counted(scene, &bare_pairs) };

    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    while times.iter().any(|side| side.len() < STEPS)
        || times.iter().flatten().sum::<f64>() < SHORTEST
    {
        turn(&mut times[0], |step| own.step(&scene.frames[step]));
        turn(&mut times[1], |step| peer.step(&frames[step]));
        turn(&mut times[2], |step| bare.step(&frames[step]));
    }
    [ours.time, whole.time, parts.time] = times.map(Spread::of);
    Ok(Measured {
        name: scene.name.clone(),
        bodies: bodies.len(),
        vertices: scene.positions.len(),
        tets: bodies.tets().len(),
        known_pairs: scene.known_pairs,
        ours,
        whole,
        parts,
        differing: differing(&[own_pairs, peer_pairs, bare_pairs]),
        missed_edges,
    })
}

/// Steps of one side, each timed, until its turn is over.
pub fn turn(times: &mut Vec<f64>, mut step: impl FnMut(usize)) {
    let mut left = TURN;
    while left > 0.0 {
        let frame = times.len() % FRAMES;
        let time = timing::once(|| step(frame));
        times.push(time);
        left -= time;
    }
}

/// Allocations per step once every frame has been seen.
fn warm(mut step: impl FnMut(usize)) -> f64 {
    (0..FRAMES).for_each(&mut step);
    let before = allocations::calls();
    (0..FRAMES).for_each(&mut step);
    (allocations::calls() - before) as f64 / FRAMES as f64
}

fn counted(scene: &Scene, pairs: &Pairs) -> Side {
    let on_surface = |v: VertexId| !scene.bodies.triangles_around().row(v.index()).is_empty();
    let surface_pairs = pairs.iter().filter(|pair| on_surface(pair.0)).count();
    Side { pairs: pairs.len(), surface_pairs, ..Side::default() }
}

/// Pairs and the deepest, m, of what parry found.
fn reported(found: &[Nearest]) -> (Pairs, f64) {
    let depths = found.iter().map(|one| f64::from(one.way_out.length()));
    (found.iter().map(|one| (one.vertex, one.body)).collect(), depths.fold(0.0, f64::max))
}

/// How many pairs are not in all of the lists.
fn differing(sides: &[Pairs; 3]) -> usize {
    let mut all = sides.concat();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).filter(|equal| equal.len() < sides.len()).count()
}

fn print_times(measured: &[Measured]) {
    println!("CPU time of a step, ms, median [10th percentile]; ratios are of the latter.\n");
    println!(
        "| scene | bodies | tets | pairs | ours | parry3d whole | parry3d parts \
         | whole / ours | parts / ours | ours, µs per pair | ours, ns per tet |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for one in measured {
        let sides = [one.ours, one.whole, one.parts].map(|side| side.time);
        let [ours, whole, parts] = sides.map(Spread::milliseconds);
        let fast = one.ours.time.p10;
        println!(
            "| {} | {} | {} | {} | {ours} | {whole} | {parts} | {:.1} | {:.1} | {:.2} | {:.0} |",
            one.name,
            one.bodies,
            one.tets,
            one.ours.pairs,
            one.whole.time.p10 / fast,
            one.parts.time.p10 / fast,
            1e6 * fast / one.ours.pairs as f64,
            1e9 * fast / one.tets as f64,
        );
    }
}

/// How time grows from 120 bodies to 1000 of the same kind, against the work.
fn print_growth(measured: &[Measured]) {
    println!("\n| from, to | pairs | ours, time | time / pairs | parry3d whole | parts |");
    println!("|---|---|---|---|---|---|");
    let of = |name: &str| measured.iter().find(|one| one.name == name);
    for ball in ["20", "189"] {
        let (few, many) = (format!("120x{ball}"), format!("1000x{ball}"));
        let (Some(from), Some(to)) = (of(&few), of(&many)) else {
            continue;
        };
        let growth = |from: Side, to: Side| to.time.p10 / from.time.p10;
        let pairs = to.ours.pairs as f64 / from.ours.pairs as f64;
        let (ours, whole) = (growth(from.ours, to.ours), growth(from.whole, to.whole));
        let (each, parts) = (ours / pairs, growth(from.parts, to.parts));
        println!(
            "| {few}, {many} | {pairs:.2} | {ours:.2} | {each:.2} | {whole:.2} | {parts:.2} |"
        );
    }
}

fn print_memory(measured: &[Measured]) {
    println!(
        "\n| scene | vertices | bytes per vertex, ours | parry3d whole | parts \
         | allocations per step, ours | whole | parts |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for one in measured {
        let sides = [one.ours, one.whole, one.parts];
        let [ours, whole, parts] = sides.map(|side| side.memory as f64 / one.vertices as f64);
        println!(
            "| {} | {} | {ours:.0} | {whole:.0} | {parts:.0} | {} | {:.0} | {:.0} |",
            one.name,
            one.vertices,
            one.ours.allocations,
            one.whole.allocations,
            one.parts.allocations,
        );
    }
}

fn print_counts(measured: &[Measured]) {
    println!("\n{}.\n", scenes::origin());
    println!(
        "| scene | surface pairs | known | agree | all pairs | parry3d whole | parts \
         | not in all | edges missed | deepest, m | parry3d |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for one in measured {
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.4} | {:.4} |",
            one.name,
            one.ours.surface_pairs,
            one.known_pairs.map_or("–".to_string(), |known| known.to_string()),
            verdict(one),
            one.ours.pairs,
            one.whole.pairs,
            one.parts.pairs,
            one.differing,
            one.missed_edges,
            one.ours.deepest,
            one.whole.deepest.max(one.parts.deepest),
        );
    }
}

fn verdict(one: &Measured) -> &'static str {
    match one.known_pairs {
        None => "–",
        Some(known) if known == one.ours.surface_pairs => "yes",
        Some(_) => "no",
    }
}
