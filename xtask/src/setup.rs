//! What a bare machine lacks, and how it gets there.
//!
//! A user brings Rust and a C linker, without which this program would not run.
//! [`NEEDS`] lists all else that comes from the system; [`MDBOOK`] and
//! [`CARGO_DENY`] are built from their crates into the target folder.

use crate::repository::{root, target_dir};
use crate::steps::{Failure, execute};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything to be installed on a bare Debian beside Rust and a C linker.
const NEEDS: [Need; 3] = [
    Need {
        package: "ca-certificates",
        purpose: "cargo fetches crates over https",
        present: has_certificates,
    },
    Need {
        package: "libvulkan1",
        purpose: "the GPU is asked through Vulkan",
        present: has_vulkan_loader,
    },
    Need {
        package: "mesa-vulkan-drivers",
        purpose: "a GPU in software where there is no other",
        present: has_vulkan_driver,
    },
];

/// What builds the player; the program does without it.
const NODE_NEEDS: [Need; 2] = [
    Need { package: "nodejs", purpose: "builds the player", present: has_node_itself },
    Need { package: "npm", purpose: "fetches what the player is made of", present: has_npm },
];

/// What the player is tried in.
const BROWSER_NEEDS: [Need; 1] =
    [Need { package: "chromium", purpose: "tests the player", present: has_browser }];

/// Oldest Node that runs the build and the tests of the player.
const NODE: u32 = 20;

/// Browsers that the tests of the player find; the variable names another.
const BROWSERS: [&str; 3] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const BROWSER_VARIABLE: &str = "CHROMIUM";

/// What builds and tests the Python package; everything else does without it.
const PYTHON_NEEDS: [Need; 2] = [
    Need { package: "python3", purpose: "runs the Python package", present: has_python_itself },
    Need {
        package: "python3-venv",
        purpose: "environments for the Python package",
        present: has_venv,
    },
];

/// Oldest Python 3 that the package supports.
const PYTHON: u32 = 11;

/// What compiles to wasm32 where rustup has no such target: Debian's compiler and its library.
const WASM_NEEDS: [Need; 2] = [
    Need {
        package: "rustc-web",
        purpose: "compiles to wasm32; or run: rustup target add wasm32-unknown-unknown",
        present: has_wasm_compiler,
    },
    Need {
        package: "rust-web-src",
        purpose: "the standard library for wasm32; or run: rustup target add wasm32-unknown-unknown",
        present: has_wasm_library,
    },
];

/// What links for wasm32 where rustup's target, which brings a linker, is not there.
const LINKER_NEEDS: [Need; 1] = [Need {
    package: "lld-22",
    purpose: "links for wasm32; or run: rustup target add wasm32-unknown-unknown",
    present: has_wasm_linker,
}];

/// The linker of that package.
const DEBIAN_LINKER: &str = "/usr/bin/wasm-ld-22";

/// The target of the browser.
pub const WASM: &str = "wasm32-unknown-unknown";

/// Debian's compiler, and the library that belongs to it.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LIBRARY: &str = "/usr/lib/rustlib/src/rust/library";

/// Parts of the Rust toolchain that `cargo xtask test` calls, as cargo knows them.
const COMPONENTS: [(&str, &str); 2] = [("rustfmt", "fmt"), ("clippy", "clippy")];

/// Where systems keep the certificates that cargo looks for.
const CERTIFICATES: [&str; 7] = [
    "/etc/ssl/certs/ca-certificates.crt", // Debian, Arch, Gentoo
    "/etc/pki/tls/certs/ca-bundle.crt",   // Fedora, RHEL
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // RHEL 7 and later
    "/etc/ssl/ca-bundle.pem",             // openSUSE
    "/etc/ssl/cert.pem",                  // Alpine
    "/etc/ca-certificates/extracted/tls-ca-bundle.pem", // Arch
    "/usr/local/share/certs/ca-root-nss.crt", // BSD
];

/// Variables that name certificates in another place; cargo obeys them too.
const CERTIFICATE_VARIABLES: [&str; 3] = ["CARGO_HTTP_CAINFO", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/// Folders where systems keep the descriptions of Vulkan drivers.
const VULKAN_DRIVERS: [&str; 3] =
    ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];

/// Variables that name such descriptions in other places; the loader obeys them.
const VULKAN_VARIABLES: [&str; 3] = ["VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES", "VK_ICD_FILENAMES"];

/// Folders where systems keep shared libraries, besides those that `LD_LIBRARY_PATH` names.
const LIBRARIES: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib64",
    "/usr/local/lib",
];

/// The program that makes the book, without its search index and its server.
pub const MDBOOK: Tool =
    Tool { name: "mdbook", version: "0.5.4", options: &["--no-default-features"] };

/// The program that checks licences and sources of the dependencies.
pub const CARGO_DENY: Tool =
    Tool { name: "cargo-deny", version: "0.20.2", options: &["--no-default-features"] };

/// One thing that comes from the system's package manager.
struct Need {
    /// Debian package.
    package: &'static str,
    /// Why it is needed.
    purpose: &'static str,
    /// Whether it is there, from this package or elsewhere.
    present: fn() -> bool,
}

/// A program built from its crate, in one version, into the target folder.
pub struct Tool {
    /// The crate, and the program that it installs.
    pub name: &'static str,
    /// Exact version.
    pub version: &'static str,
    /// Further options to `cargo install`.
    pub options: &'static [&'static str],
}

/// What decides how a missing package can be installed.
#[derive(Clone, Copy, Debug)]
enum Machine {
    /// Debian or a relative, and we may install.
    AptAsRoot,
    /// Debian or a relative, and somebody else must install.
    AptAsUser,
    /// Any other system.
    Other,
}

/// What to do about missing packages.
#[derive(Debug, PartialEq, Eq)]
enum Plan {
    /// Nothing is missing.
    Go,
    /// Call apt-get ourselves for these packages.
    Install(Vec<&'static str>),
    /// Say this and stop.
    Tell(String),
}

/// Makes sure that all system packages are there.
pub fn system() -> Result<(), Failure> {
    install(&NEEDS)
}

/// A cargo command for wasm32, by rustup's target or, without it, by Debian's compiler.
///
/// The caller adds the subcommand's options; a target folder of its own keeps the two
/// compilers from rebuilding each other's work.
pub fn wasm(subcommand: &str) -> Result<Command, Failure> {
    let mut command = Command::new(cargo());
    command.current_dir(root()).args([subcommand, "--locked", "--target", WASM]);
    command.arg("--target-dir").arg(target_dir().join("wasm"));
    if has_wasm_target() {
        return Ok(command);
    }
    install(&WASM_NEEDS)?;
    command.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
    command.arg("-Zbuild-std=std,panic_abort");
    Ok(command)
}

/// A cargo command that builds for wasm32, linked too.
pub fn wasm_build() -> Result<Command, Failure> {
    if !has_wasm_target() {
        // All that is missing is named, or installed, at once.
        let all: Vec<&Need> = WASM_NEEDS.iter().chain(&LINKER_NEEDS).collect();
        install_all(&all)?;
    }
    let mut command = wasm("build")?;
    if !has_wasm_target() {
        let linker = format!("target.{WASM}.linker={DEBIAN_LINKER:?}");
        command.args(["--config", &linker]);
    }
    let simd = format!("target.{WASM}.rustflags=['-C', 'target-feature=+simd128']");
    command.args(["--release", "--config", "profile.release.strip=\"symbols\"", "--config", &simd]);
    Ok(command)
}

/// Whether building for wasm32 needs nothing that this machine lacks, or may be installed on it.
pub fn can_build_wasm() -> bool {
    let all = WASM_NEEDS.iter().chain(&LINKER_NEEDS);
    all.into_iter().all(|need| (need.present)()) || matches!(machine(), Machine::AptAsRoot)
}

/// What builds the page and is missing here; empty where nothing is.
pub fn missing_for_wasm() -> String {
    let all = WASM_NEEDS.iter().chain(&LINKER_NEEDS);
    let missing: Vec<&Need> = all.filter(|need| !(need.present)()).collect();
    match plan(&missing, machine()) {
        Plan::Tell(message) => message,
        Plan::Go | Plan::Install(_) => String::new(),
    }
}

/// Makes sure that what builds the player is there.
pub fn node() -> Result<(), Failure> {
    install(&NODE_NEEDS)?;
    match has_node() {
        true => Ok(()),
        false => Err(Failure::machine(format!(
            "the player needs Node {NODE} or newer and npm; the ones on the path are older"
        ))),
    }
}

/// Makes sure that a browser for the tests of the player is there.
pub fn browser() -> Result<(), Failure> {
    install(&BROWSER_NEEDS)
}

/// Whether the player can be built without installing anything.
pub fn has_node() -> bool {
    let answer = Command::new("node").arg("--version").output();
    let version = answer.ok().and_then(|answer| String::from_utf8(answer.stdout).ok());
    let major = version.as_deref().and_then(|v| v.trim_start_matches('v').split('.').next());
    major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|m| m >= NODE) && has_npm()
}

/// Whether there is a browser that the tests of the player find.
pub fn has_browser() -> bool {
    let named = env::var_os(BROWSER_VARIABLE).map(PathBuf::from);
    named.into_iter().chain(BROWSERS.map(PathBuf::from)).any(|path| path.is_file())
}

/// Makes sure that what builds and tests the Python package is there.
pub fn python() -> Result<(), Failure> {
    install(&PYTHON_NEEDS)?;
    match has_python() {
        true => Ok(()),
        false => Err(Failure::machine(format!(
            "the Python package needs Python 3.{PYTHON} or newer with venv; `python3` is older"
        ))),
    }
}

/// Whether the Python package can be built without installing anything.
pub fn has_python() -> bool {
    let question = "import sys; print(sys.version_info[1])";
    let answer = Command::new("python3").args(["-c", question]).output();
    let minor = answer.ok().and_then(|answer| String::from_utf8(answer.stdout).ok());
    minor.and_then(|minor| minor.trim().parse::<u32>().ok()).is_some_and(|m| m >= PYTHON)
        && has_venv()
}

fn has_python_itself() -> bool {
    on_path("python3")
}

/// Whether environments can be made; Debian has that in a package of its own.
fn has_venv() -> bool {
    let answer = Command::new("python3").args(["-c", "import venv, ensurepip"]).output();
    answer.is_ok_and(|answer| answer.status.success())
}

fn has_node_itself() -> bool {
    on_path("node")
}

fn has_npm() -> bool {
    on_path("npm")
}

/// Makes sure that these packages are there.
fn install(needs: &[Need]) -> Result<(), Failure> {
    install_all(&needs.iter().collect::<Vec<_>>())
}

fn install_all(needs: &[&Need]) -> Result<(), Failure> {
    let missing: Vec<&Need> = needs.iter().copied().filter(|need| !(need.present)()).collect();
    match plan(&missing, machine()) {
        Plan::Go => Ok(()),
        Plan::Tell(message) => Err(Failure::machine(message)),
        Plan::Install(packages) => {
            for need in &missing {
                eprintln!("   missing: {} ({}); installing it", need.package, need.purpose);
            }
            let mut install = vec!["install", "--yes", "--no-install-recommends"];
            install.extend(packages);
            execute(Command::new("apt-get").arg("update"))?;
            execute(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(install))
        }
    }
}

/// Makes sure that the toolchain has all parts that the tests call.
pub fn components() -> Result<(), Failure> {
    let lacks = |&(_, subcommand): &(&str, &str)| {
        let answer = Command::new(cargo()).args([subcommand, "--version"]).output();
        !answer.is_ok_and(|answer| answer.status.success())
    };
    let missing: Vec<&str> = COMPONENTS.into_iter().filter(lacks).map(|(name, _)| name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    Err(Failure::machine(format!(
        "the Rust toolchain lacks {names}; run: rustup component add {names}"
    )))
}

/// Makes sure that `tool` is built in its version and returns the program.
pub fn tool(tool: &Tool) -> Result<PathBuf, Failure> {
    let tools = target_dir().join("tools");
    let program = tools.join("bin").join(tool.name).with_extension(std::env::consts::EXE_EXTENSION);
    if has_version(&program, tool.version) {
        return Ok(program);
    }
    eprintln!("   building {} {} into {}", tool.name, tool.version, tools.display());
    let build = tools.join("build");
    let version = format!("={}", tool.version);
    let mut install = Command::new(cargo());
    // Forced, because cargo remembers what it installed even when the file is gone.
    install.current_dir(root()).args(["install", "--force", "--locked", tool.name]);
    install.args(["--version", &version]).args(tool.options);
    install.arg("--root").arg(&tools).arg("--target-dir").arg(&build);
    // With its folder on the path, cargo does not advise to put it there.
    let path = env::var_os("PATH").unwrap_or_default();
    if let Ok(path) = env::join_paths(env::split_paths(&path).chain([tools.join("bin")])) {
        install.env("PATH", path);
    }
    execute(&mut install)?;
    // Hundreds of megabytes that nobody needs again; a leftover does no harm.
    let _ = std::fs::remove_dir_all(&build);
    Ok(program)
}

/// The cargo that started us.
pub fn cargo() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from)
}

fn plan(missing: &[&Need], machine: Machine) -> Plan {
    if missing.is_empty() {
        return Plan::Go;
    }
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    let names = packages.join(" ");
    let reasons: Vec<String> =
        missing.iter().map(|need| format!("{} ({})", need.package, need.purpose)).collect();
    let reasons = reasons.join(", ");
    match machine {
        Machine::AptAsRoot => Plan::Install(packages),
        Machine::AptAsUser => Plan::Tell(format!(
            "this machine lacks {reasons}; run as root: \
             apt-get update && apt-get install --yes --no-install-recommends {names}"
        )),
        Machine::Other => Plan::Tell(format!(
            "this machine lacks {reasons}; install it with the system's package manager \
             (the names are Debian's)"
        )),
    }
}

fn machine() -> Machine {
    let apt = Path::new("/etc/debian_version").exists() && on_path("apt-get");
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    match (apt, root) {
        (true, true) => Machine::AptAsRoot,
        (true, false) => Machine::AptAsUser,
        (false, _) => Machine::Other,
    }
}

fn on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Whether cargo finds certificates; on other systems than Unix it asks the system.
fn has_certificates() -> bool {
    let named = CERTIFICATE_VARIABLES.into_iter().filter_map(env::var_os).map(PathBuf::from);
    cfg!(any(windows, target_os = "macos"))
        || named.chain(CERTIFICATES.map(PathBuf::from)).any(|place| place.exists())
}

/// Whether the Vulkan loader is there; other systems than Linux bring what they use instead.
fn has_vulkan_loader() -> bool {
    let named = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let named: Vec<PathBuf> = env::split_paths(&named).collect();
    let folders = named.into_iter().chain(LIBRARIES.map(PathBuf::from));
    !cfg!(target_os = "linux") || has_file(folders, |name| name.starts_with("libvulkan.so."))
}

/// Whether any Vulkan driver is described to the loader.
fn has_vulkan_driver() -> bool {
    let named = VULKAN_VARIABLES.into_iter().filter_map(env::var_os);
    let named = named.flat_map(|list| env::split_paths(&list).collect::<Vec<PathBuf>>());
    let folders = VULKAN_DRIVERS.map(PathBuf::from);
    !cfg!(target_os = "linux")
        || named.into_iter().any(|place| place.exists())
        || has_file(folders, |name| name.ends_with(".json"))
}

/// Whether the toolchain has the library for wasm32.
fn has_wasm_target() -> bool {
    let question = ["--print", "target-libdir", "--target", WASM];
    let answer = Command::new("rustc").current_dir(root()).args(question).output();
    answer.is_ok_and(|answer| {
        let folder = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
        answer.status.success() && Path::new(&folder).is_dir()
    })
}

/// Whether Debian's compiler is there and knows wasm32; older ones do not.
fn has_wasm_compiler() -> bool {
    let answer = Command::new(DEBIAN_RUSTC).args(["--print", "target-list"]).output();
    has_wasm_target()
        || answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).contains(WASM))
            && Path::new("/usr/share/doc/rustc-web").exists()
}

fn has_wasm_library() -> bool {
    has_wasm_target() || Path::new(DEBIAN_LIBRARY).is_dir()
}

fn has_wasm_linker() -> bool {
    has_wasm_target() || Path::new(DEBIAN_LINKER).is_file()
}

/// Whether any of the folders has a file with such a name.
fn has_file(folders: impl IntoIterator<Item = PathBuf>, fits: fn(&str) -> bool) -> bool {
    let mut files = folders.into_iter().filter_map(|folder| folder.read_dir().ok()).flatten();
    files.any(|file| file.is_ok_and(|file| file.file_name().to_str().is_some_and(fits)))
}

fn has_version(program: &Path, version: &str) -> bool {
    let Ok(answer) = Command::new(program).arg("--version").output() else { return false };
    let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
    answer.split_whitespace().any(|word| word.trim_start_matches('v') == version)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OIL: Need = Need { package: "oil", purpose: "hinges", present: || false };
    const WAX: Need = Need { package: "wax", purpose: "floors", present: || false };

    #[test]
    fn nothing_missing_needs_nobody() {
        for machine in [Machine::AptAsRoot, Machine::AptAsUser, Machine::Other] {
            assert_eq!(plan(&[], machine), Plan::Go);
        }
    }

    #[test]
    fn root_on_debian_installs() {
        assert_eq!(plan(&[&OIL, &WAX], Machine::AptAsRoot), Plan::Install(vec!["oil", "wax"]));
    }

    #[test]
    fn others_are_told_the_command() {
        let Plan::Tell(message) = plan(&[&OIL, &WAX], Machine::AptAsUser) else {
            panic!("no plan")
        };
        let command = "apt-get update && apt-get install --yes --no-install-recommends oil wax";
        assert!(message.ends_with(command), "{message}");
        assert!(message.contains("oil (hinges), wax (floors)"), "{message}");
    }

    #[test]
    fn other_systems_are_told_the_packages() {
        let Plan::Tell(message) = plan(&[&OIL], Machine::Other) else { panic!("no plan") };
        assert!(message.contains("oil (hinges)") && !message.contains("apt-get"), "{message}");
    }

    #[test]
    fn a_file_counts_by_its_name() {
        let folders = || [root().join("xtask"), PathBuf::from("no-such-folder-at-all")];
        assert!(has_file(folders(), |name| name.ends_with(".toml")));
        assert!(!has_file(folders(), |name| name.starts_with("libvulkan.so.")));
    }

    #[test]
    fn another_version_does_not_count() {
        let answer = Command::new(cargo()).arg("--version").output().unwrap();
        let answer = String::from_utf8(answer.stdout).unwrap();
        let version = answer.split_whitespace().nth(1).unwrap();
        assert!(has_version(&cargo(), version));
        assert!(!has_version(&cargo(), "0.0.1"));
        assert!(!has_version(Path::new("no-such-program-at-all"), version));
    }
}
