//! What the worker calls: functions of wasm32 with plain numbers.
//!
//! The worker writes a command to the place that [`input`] names, calls [`call`], and reads the
//! answer and the arrays where [`buffer`] and [`buffer_len`] say. Nothing is generated and no tool beside the
//! compiler is needed; the whole binding is this file and `web/src/page/engine.ts`.
//!
//! The only unsafe things are names without mangling and one import. They are what makes the
//! functions reachable, and they hold: no other symbol of the module has these names, and no
//! pointer that comes from outside is ever followed here.
#![expect(unsafe_code, reason = "exported names and an imported clock; no pointer is followed")]

use std::cell::RefCell;

use crate::session::Session;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Time of the worker's clock, ms.
    safe fn now() -> f64;
}

/// What a module holds.
struct Module {
    session: Session,
    input: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<Module> =
        RefCell::new(Module { session: Session::new(|| now()), input: Vec::new() });
    /// The message of a panic, which ends the module.
    static LAST_WORDS: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes messages of panics readable; called once.
#[unsafe(no_mangle)]
pub extern "C" fn start() {
    std::panic::set_hook(Box::new(|info| {
        LAST_WORDS.with(|words| {
            if let Ok(mut words) = words.try_borrow_mut() {
                *words = info.to_string();
            }
        });
    }));
}

/// Makes room for so many bytes of input, and says where; 0 where there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> usize {
    MODULE.with_borrow_mut(|module| {
        module.input = Vec::new();
        if module.input.try_reserve_exact(length).is_err() {
            return 0;
        }
        module.input.resize(length, 0);
        module.input.as_ptr() as usize
    })
}

/// Does what the command in the input says; the answer is buffer 0.
#[unsafe(no_mangle)]
pub extern "C" fn call() {
    MODULE.with_borrow_mut(|module| {
        let input = std::mem::take(&mut module.input);
        module.session.call(&input);
    });
}

/// Takes the input as a file: first its name, of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn put_file(name: usize) {
    MODULE.with_borrow_mut(|module| {
        let input = std::mem::take(&mut module.input);
        module.session.put_file(input, name);
    });
}

/// Where a buffer lies: 0 the answer, 1 floats, 2 indices, 3 bytes, 4 the message of a panic.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(number: u32) -> usize {
    if number == 4 {
        return LAST_WORDS.with_borrow(|words| words.as_ptr() as usize);
    }
    MODULE.with_borrow(|module| module.session.buffer(number).0)
}

/// How many bytes a buffer has.
#[unsafe(no_mangle)]
pub extern "C" fn buffer_len(number: u32) -> usize {
    if number == 4 {
        return LAST_WORDS.with_borrow(String::len);
    }
    MODULE.with_borrow(|module| module.session.buffer(number).1)
}
