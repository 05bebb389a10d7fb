//! `pliant picture`: a frame of a run as a PNG file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use pliant_io::atomic_file::{self, io_message};
use pliant_run::picture::frames::{Frames, PictureSettings, TIME_DIGITS, picture};
use pliant_run::picture::overlays::OverlayKind;
use pliant_run::picture::{SIDES, Theme, png};
use pliant_run::recording::Recording;
use pliant_run::report::text::with_digits;
use pliant_run::run::folder::RECORDING;

use crate::show::{self, DIM, EarlyExit, GOOD, plain};

/// What `pliant picture --help` ends with.
pub const AFTER_HELP: &str = "\
Examples:
  pliant picture runs/curtain --at 2.5 -o curtain.png
  pliant picture runs/sphere-pile -o above.png --from 0,0,1 --size 1920x1080
  pliant picture runs/two-cubes --at 0 -o stages.png --overlay border,crossings,exits

The bodies fill the picture, each in a colour of its own; obstacles are grey.
Overlays, drawn over faded bodies: border (colliding vertices with edges that lead out), crossings
(where these edges meet the surface), exits (depth and direction), rings (steps from the
border), surface (contact triangles and how vertices go to them), balanced (the same where the
pressures of both sides are equal), contacts (points that press; the run needs
record.contacts = true). With record.tets = true tets are used, otherwise surfaces.
Exit code: 0 when the file is written, 1 when it cannot be, 2 for bad arguments or input.";

/// Arguments of `pliant picture`.
#[derive(Args)]
pub struct PictureArguments {
    /// Folder of the run
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Time, s; the nearest recorded frame is shown; the last one by default
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    at: Option<f64>,
    /// File to write, replaced if it is there; its name ends in .png
    #[arg(short, long = "out", alias = "output", value_name = "PNG")]
    output: PathBuf,
    /// Width and height, pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    size: [u32; 2],
    /// Direction from the bodies to the eye; from the front, the right and above by default
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = direction)]
    from: Option<[f64; 3]>,
    /// What the stages of contact find, over the bodies: border, crossings, exits, rings,
    /// surface, balanced, contacts
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = overlay)]
    overlay: Vec<OverlayKind>,
    /// For a dark page
    #[arg(long)]
    dark: bool,
}

/// Draws, writes the file atomically, and reports which frame it shows.
///
/// `open` reads the recording of a run's folder, or gives a one-line error.
pub fn run(
    arguments: &PictureArguments,
    open: impl FnOnce(&Path) -> Result<Box<dyn Frames>, String>,
) -> Result<ExitCode, EarlyExit> {
    if let Err(why) = check_name(&arguments.output) {
        return Ok(show::usage_error(&why));
    }
    let name = plain(&arguments.run.display().to_string());
    let mut frames = match open(&arguments.run) {
        Ok(frames) => frames,
        Err(why) => return Ok(show::usage_error(&why)),
    };
    let wanted = PictureSettings {
        at: arguments.at,
        size: arguments.size,
        from: arguments.from,
        overlays: arguments.overlay.clone(),
        theme: if arguments.dark { Theme::Dark } else { Theme::Light },
    };
    let (frame, image) = match picture(frames.as_mut(), &wanted) {
        Ok(found) => found,
        Err(why) => return Ok(show::usage_error(&format!("{name}: {why}"))),
    };
    let output = plain(&arguments.output.display().to_string());
    if let Err(error) = atomic_file::write(&arguments.output, &png(&image)) {
        show::error(&format!("{output}: cannot be written: {}", io_message(&error)));
        return Ok(ExitCode::from(crate::FAILED));
    }
    let [width, height] = image.size;
    let (step, time) = (frame.step, with_digits(frame.time, TIME_DIGITS));
    let mut text = format!(
        "{GOOD}{output}{GOOD:#}: {name} at {time} s, step {step}, {width}×{height} pixels\n"
    );
    for notice in &image.notices {
        text += &format!("{DIM}note  {}{DIM:#}\n", plain(notice));
    }
    show::remark(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a name of which a viewer expects another format than PNG.
pub fn check_name(output: &Path) -> Result<(), String> {
    if output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    let stem = output.with_extension("png");
    Err(format!(
        "{}: only PNG pictures are written; name the file {}, and convert it with another program",
        output.display(),
        stem.display()
    ))
}

/// The recording of a run's folder, or the one that is named itself.
pub fn open(run: &Path) -> Result<Box<dyn Frames>, String> {
    let path = if run.is_dir() { run.join(RECORDING) } else { run.to_path_buf() };
    match Recording::open(&path) {
        Ok(recording) => Ok(Box::new(recording)),
        Err(error) => Err(error.to_string()),
    }
}

/// `1280x720` as two numbers.
pub fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', '×']).and_then(|(width, height)| {
        Some([width.parse::<u32>().ok()?, height.parse::<u32>().ok()?])
    });
    let Some(sides) = sides else {
        return Err("write width and height as in 1280x720".to_string());
    };
    match sides.into_iter().find(|side| !SIDES.contains(side)) {
        Some(side) => {
            Err(format!("a side has {} to {} pixels, not {side}", SIDES.start(), SIDES.end()))
        }
        None => Ok(sides),
    }
}

/// `1,-2,0.5` as a direction.
pub fn direction(text: &str) -> Result<[f64; 3], String> {
    let parts: Vec<f64> = text.split(',').map_while(|part| part.trim().parse().ok()).collect();
    let direction: [f64; 3] = match parts.try_into() {
        Ok(direction) if text.matches(',').count() == 2 => direction,
        _ => return Err("write three numbers as in 1,-1,0.5".to_string()),
    };
    let points = direction.iter().all(|part| part.is_finite()) && direction != [0.0; 3];
    if points { Ok(direction) } else { Err("the numbers must name a direction".to_string()) }
}

/// The overlay of a word.
fn overlay(text: &str) -> Result<OverlayKind, String> {
    let known = || OverlayKind::ALL.map(OverlayKind::name).join(", ");
    OverlayKind::of(text).ok_or_else(|| format!("there are {}", known()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_run::picture::frames::Frame;
    use pliant_scene::loaded::{BodyInfo, RunInfo};

    /// A triangle that rises by 1 m from one second to the next.
    struct Rising(RunInfo);

    impl Rising {
        fn new() -> Rising {
            let body = BodyInfo {
                name: "sheet".to_string(),
                kind: "net".to_string(),
                vertices: 0..3,
                tets: 0,
                triangles: vec![[0, 1, 2]],
                rings: vec![],
                edges: vec![],
                held: false,
            };
            Rising(RunInfo {
                scene: "rising".to_string(),
                response: "none".to_string(),
                integrator: "verlet".to_string(),
                dt: 0.1,
                steps: 20,
                record_every: 10,
                checkpoint_every: 10,
                description: String::new(),
                gravity: [0.0; 3],
                bodies: vec![body],
                recorded: Default::default(),
                carried: Vec::new(),
                obstacles: vec![],
            })
        }
    }

    impl Frames for Rising {
        fn info(&self) -> &RunInfo {
            &self.0
        }

        fn frames(&self) -> Vec<Frame> {
            (0..3).map(|k| Frame { step: 10 * k, time: k as f64 }).collect()
        }

        fn positions(&mut self, index: usize) -> Result<Vec<[f32; 3]>, String> {
            if index == 1 {
                return Err("cut short".to_string());
            }
            let z = index as f32;
            Ok(vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]])
        }
    }

    fn arguments(run: PathBuf, output: PathBuf) -> PictureArguments {
        let (overlay, dark) = (vec![], false);
        PictureArguments { run, at: None, output, size: [32, 24], from: None, overlay, dark }
    }

    fn code(at: f64, output: &Path) -> ExitCode {
        let (run, output) = ("rising".into(), output.to_path_buf());
        let arguments = PictureArguments { at: Some(at), ..arguments(run, output) };
        super::run(&arguments, |_| Ok(Box::new(Rising::new())))
            .unwrap_or_else(|EarlyExit(code)| code)
    }

    #[test]
    fn a_file_is_written_or_nothing_is() {
        let folder = std::env::temp_dir().join(format!("pliant-picture-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.png");
        for (at, expected) in [(9.0, 2), (f64::NAN, 2), (1.2, 2)] {
            assert_eq!(code(at, &file), ExitCode::from(expected), "{at}");
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{at}");
        }
        assert_eq!(code(1.6, &file), ExitCode::SUCCESS);
        assert_eq!(std::fs::read(&file).unwrap()[1..4], *b"PNG");
        assert_eq!(code(0.0, &folder.join("missing").join("a.png")), ExitCode::from(1));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn only_names_of_pngs_are_accepted() {
        for good in ["a.png", "b/c.PNG", "a.b.png"] {
            assert_eq!(check_name(Path::new(good)), Ok(()), "{good}");
        }
        for bad in ["a.jpg", "a.png.gif", "a", ".png", "b/"] {
            let why = check_name(Path::new(bad)).unwrap_err();
            assert!(why.contains("only PNG pictures are written; name the file "), "{why}");
        }
        let folder = std::env::temp_dir().join(format!("pliant-jpg-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert_eq!(code(0.0, &folder.join("a.jpg")), ExitCode::from(2));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_cannot_be_opened_is_bad_input() {
        let (run, output) = ("none".into(), "none.png".into());
        let arguments = arguments(run, output);
        let code = super::run(&arguments, |_| Err("not a recording".to_string()))
            .unwrap_or_else(|EarlyExit(code)| code);
        assert_eq!(code, ExitCode::from(2));
        assert!(!Path::new("none.png").exists());
    }

    #[test]
    fn sizes_and_directions_are_read_or_refused() {
        assert_eq!(size("640x480"), Ok([640, 480]));
        assert_eq!(size("1×8192"), Ok([1, 8192]));
        for bad in ["", "640", "0x5", "5x8193", "-1x5", "axb", "1x2x3"] {
            assert!(size(bad).is_err(), "{bad}");
        }
        assert_eq!(direction("1,-2, 0.5"), Ok([1.0, -2.0, 0.5]));
        for bad in ["", "1,2", "1,2,3,4", "0,0,0", "1,nan,0", "a,b,c", "1,,2"] {
            assert!(direction(bad).is_err(), "{bad}");
        }
    }
}
