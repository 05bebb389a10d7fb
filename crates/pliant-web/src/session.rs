//! One scene at a time, driven by commands.

use std::path::PathBuf;

use pliant_io::files::Memory;
use pliant_scene::builtin;
use pliant_scene::diagnostic::Sources;
use pliant_scene::schema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::command::{Command, Refusal};
use crate::live::Live;
use crate::profiler::Clock;
use crate::{dropped, field, overlays, topology};

/// Files at most, and bytes of all of them.
const MOST_FILES: usize = 64;

/// Holds a scene, the files that were dropped, and the answer to the last command.
pub struct Session {
    now: Clock,
    files: Memory,
    live: Option<Live>,
    out: Output,
}

/// What commands fill.
#[derive(Debug, Default)]
pub struct Output {
    /// JSON.
    pub answer: Vec<u8>,
    /// Positions, then numbers of vertices or marks.
    pub floats: Vec<f32>,
    /// Corners and ends.
    pub indices: Vec<u32>,
    /// A file.
    pub bytes: Vec<u8>,
}

impl Session {
    /// Without a scene; `now` is a clock in ms.
    pub fn new(now: Clock) -> Session {
        Session { now, files: Memory::default(), live: None, out: Output::default() }
    }

    /// Does what a command in JSON says; the answer is JSON, with `error` where it was refused.
    pub fn call(&mut self, command: &[u8]) {
        let done = serde_json::from_slice(command)
            .map_err(|error| Refusal::new(format!("the command cannot be parsed: {error}")))
            .and_then(|command| self.run(command));
        let answer = done.unwrap_or_else(|refusal| json!({ "error": refusal.error }));
        self.out.answer = serde_json::to_vec(&answer).unwrap_or_default();
    }

    /// The answer to the last command.
    pub fn answer(&self) -> Value {
        serde_json::from_slice(&self.out.answer).unwrap_or_default()
    }

    /// What the last commands filled.
    pub fn output(&self) -> &Output {
        &self.out
    }

    /// Where a buffer lies and how many bytes it has.
    pub fn buffer(&self, number: u32) -> (usize, usize) {
        let Output { answer, floats, indices, bytes } = &self.out;
        match number {
            0 => (answer.as_ptr() as usize, answer.len()),
            1 => (floats.as_ptr() as usize, size_of_val(floats.as_slice())),
            2 => (indices.as_ptr() as usize, size_of_val(indices.as_slice())),
            3 => (bytes.as_ptr() as usize, bytes.len()),
            _ => (0, 0),
        }
    }

    /// Keeps a file: its name, of so many bytes, and then its contents.
    pub fn put_file(&mut self, mut bytes: Vec<u8>, name: usize) {
        let contents = bytes.split_off(name.min(bytes.len()));
        let name = PathBuf::from(String::from_utf8_lossy(&bytes).into_owned());
        self.files.files.retain(|(known, _)| *known != name);
        if self.files.files.len() >= MOST_FILES {
            self.files.files.remove(0);
        }
        self.files.files.push((name, contents));
    }

    fn run(&mut self, command: Command) -> Result<Value, Refusal> {
        match command {
            Command::Catalogue => return answer(&catalogue()),
            Command::Load { name, text, sets } => return self.load(name, text, sets),
            Command::Drop { name } => {
                let live = self.live.as_ref();
                return answer(&dropped::scene(&self.files, &name, live, self.now)?);
            }
            Command::ForgetFiles => {
                self.files.files.clear();
                return Ok(json!({}));
            }
            _ => {}
        }
        let live = self.live.as_mut().ok_or_else(|| Refusal::new("there is no scene yet"))?;
        let out = &mut self.out;
        match command {
            Command::Switch { sets, text } => {
                live.switch(sets, text, &self.files)?;
                answer(&topology::describe(live, out))
            }
            Command::Step { count, budget } => answer(&live.step(count, budget)),
            Command::Frame { colour } => answer(&live.frame(colour, &mut out.floats)),
            Command::Measure => answer(&live.measure()),
            Command::Digest => Ok(json!({ "digest": live.digest() })),
            Command::Overlays { kinds } => answer(&overlays::find(live, &kinds, &mut out.floats)?),
            Command::Field { body, window, pixels } => {
                answer(&field::draw(live, body, (window, pixels), out)?)
            }
            Command::Grab { body, point } => live.grab(body, point.into()).map(|()| json!({})),
            Command::Drag { point } => live.drag(point.into()).map(|()| json!({})),
            Command::Release => live.release().map(|()| json!({})),
            Command::Pin { body, point } => live.pin(body, point.into()).map(|()| json!({})),
            Command::Unpin => live.unpin().map(|()| json!({})),
            Command::Separate => answer(&live.separate()?),
            Command::Record => answer(&live.record()),
            Command::TakeRecording { format, colours } => {
                answer(&live.take_recording(format, &colours, &mut out.bytes)?)
            }
            Command::Catalogue
            | Command::Load { .. }
            | Command::Drop { .. }
            | Command::ForgetFiles => Ok(json!({})),
        }
    }

    fn load(
        &mut self,
        name: String,
        text: Option<String>,
        sets: Vec<String>,
    ) -> Result<Value, Refusal> {
        let known = || builtin::find(&name).map(|scene| scene.text.to_owned());
        let Some(text) = text.or_else(known) else {
            return Err(Refusal::new(format!("there is no scene `{name}`")));
        };
        let sources = Sources { name, text, sets };
        // Two scenes need not fit into memory at once, unless the new one is refused.
        let before = self.live.take();
        let sources_before = before.map(|live| live.sources.clone());
        match Live::load(sources, &self.files, self.now) {
            Ok(live) => {
                let live = self.live.insert(live);
                answer(&topology::describe(live, &mut self.out))
            }
            Err(refusal) => {
                let again = sources_before.map(|old| Live::load(old, &self.files, self.now));
                self.live = again.and_then(Result::ok);
                Err(refusal)
            }
        }
    }
}

fn answer(value: &impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(value).map_err(Refusal::new)
}

/// Built-in scenes, and words with what they mean.
fn catalogue() -> Value {
    let scenes: Vec<Value> = builtin::ALL
        .iter()
        .map(|scene| {
            json!({
                "name": scene.name,
                "headline": scene.headline(),
                "parameters": scene.parameters(),
                "text": scene.text,
            })
        })
        .collect();
    let schema = schema::plain();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "scenes": scenes,
        "responses": words(&schema, "Response"),
        "integrators": words(&schema, "IntegratorKind"),
    })
}

/// The words that a key may have, with their descriptions.
fn words(schema: &Value, name: &str) -> Vec<[String; 2]> {
    let choices = schema["$defs"][name]["oneOf"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    choices.iter().map(|choice| [text(&choice["const"]), text(&choice["description"])]).collect()
}
