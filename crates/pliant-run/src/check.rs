//! What is in a file and what is wrong with it: `pliant check`.

use std::fmt;
use std::path::Path;

use pliant::mesh::problems::{
    Element, Problem, ProblemKind, Severity, surface_problems, tet_problems,
};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::topology;
use pliant_io::mesh::parse::Format;
use serde::{Serialize, Serializer};

use pliant_io::printable::path_notice;
use pliant_scene::SceneError;
use pliant_scene::diagnostic::{DiagnosticKind, RenderedDiagnostic, ShownPlace};
use pliant_scene::loaded::LoadedScene;

/// All files of one call.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// One entry per file, in the order given.
    pub files: Vec<FileReport>,
}

/// Report on one file.
#[derive(Clone, Debug, Serialize)]
pub struct FileReport {
    /// Path as given.
    pub file: String,
    /// What it is; `None` when it could not be read.
    pub kind: Option<Kind>,
    /// Vertices in the file; unreferenced ones too. `None` when it could not be read.
    pub vertices: Option<usize>,
    /// Tets.
    pub tets: Option<usize>,
    /// Triangles of the surface: of the boundary for tets.
    pub triangles: Option<usize>,
    /// Everything wrong, errors first.
    pub problems: Vec<ProblemReport>,
    /// What the reader left out or changed.
    pub notices: Vec<String>,
    /// Why it could not be read or used at all, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A tet mesh.
    Tets,
    /// A triangle surface.
    Surface,
    /// A scene.
    Scene,
}

/// One kind of problem in one file.
#[derive(Clone, Debug, Serialize)]
pub struct ProblemReport {
    /// What is wrong.
    #[serde(serialize_with = "kind_name")]
    pub kind: Trouble,
    /// `error` or `warning`.
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// Number of occurrences.
    pub count: usize,
    /// The first few: a number for a vertex, tet or triangle, two for an edge or a pair,
    /// three for a face; line and column, from 1, for a scene.
    #[serde(serialize_with = "spot_numbers")]
    pub first: Vec<Spot>,
    /// What is wrong with a scene, one clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The same in the lines where it stands, for people.
    #[serde(skip)]
    pub shown: Option<String>,
}

/// What can be wrong, by kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// With a mesh.
    Mesh(ProblemKind),
    /// With a scene.
    Scene(DiagnosticKind),
}

impl Trouble {
    /// The word that other programs may rely on.
    pub fn name(self) -> &'static str {
        match self {
            Trouble::Mesh(kind) => kind.name(),
            Trouble::Scene(kind) => kind.name(),
        }
    }
}

/// Where something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// In a mesh.
    Mesh(Element),
    /// In a text: line and column from 1.
    Text {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spot::Mesh(element) => element.fmt(f),
            Spot::Text { line, column } => write!(f, "line {line}, column {column}"),
        }
    }
}

impl FileReport {
    /// Of a file that was not looked into.
    fn new(file: String) -> FileReport {
        FileReport {
            file,
            kind: None,
            vertices: None,
            tets: None,
            triangles: None,
            problems: Vec::new(),
            notices: Vec::new(),
            error: None,
        }
    }

    /// Whether the file cannot be used.
    pub fn is_bad(&self) -> bool {
        self.error.is_some() || self.problems.iter().any(|p| p.severity == Severity::Error)
    }
}

/// Reads a file and checks its contents; never fails: errors are part of the report.
pub fn check(path: &Path) -> FileReport {
    let mut report = FileReport::new(path.display().to_string());
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
        judge_scene(&mut report, path);
    } else {
        match pliant_io::mesh::read(path) {
            Ok(file) => judge(&mut report, file.mesh, file.format),
            Err(error) => report.error = Some(error.to_string()),
        }
    }
    report.notices.extend(path_notice(path));
    report
}

/// Checks a mesh that is in memory, and has no file.
pub fn check_mesh(mesh: RawMesh) -> FileReport {
    let mut report = FileReport::new(String::new());
    judge(&mut report, mesh, Format::Vtu);
    report
}

/// Builds the scene: its errors are those of building it.
fn judge_scene(report: &mut FileReport, path: &Path) {
    match crate::scene::load(path, &[]) {
        Ok(LoadedScene { info, notices, .. }) => {
            report.kind = Some(Kind::Scene);
            report.vertices = Some(info.bodies.iter().map(|body| body.vertices.len()).sum());
            report.tets = Some(info.bodies.iter().map(|body| body.tets).sum());
            report.triangles = Some(info.bodies.iter().map(|body| body.triangles.len()).sum());
            report.notices = notices;
        }
        Err(SceneError { diagnostics }) => {
            let unread =
                diagnostics.iter().find(|diagnostic| diagnostic.kind == DiagnosticKind::Unreadable);
            if let Some(diagnostic) = unread {
                report.error = Some(diagnostic.headline());
                return;
            }
            report.kind = Some(Kind::Scene);
            report.problems = diagnostics.into_iter().map(ProblemReport::from).collect();
        }
    }
}

fn judge(report: &mut FileReport, mut mesh: RawMesh, format: Format) {
    report.vertices = Some(mesh.positions.len());
    report.tets = Some(mesh.tets.len());
    report.notices = std::mem::take(&mut mesh.notices);
    let problems = if !mesh.tets.is_empty() {
        report.kind = Some(Kind::Tets);
        let boundary = topology::boundary(mesh.positions.len(), &mesh.tets);
        report.triangles = Some(boundary.triangles.len());
        tet_problems(&mesh)
    } else if !mesh.triangles.is_empty() {
        report.kind = Some(Kind::Surface);
        report.triangles = Some(mesh.triangles.len());
        surface_problems(&mesh)
    } else {
        report.triangles = Some(0);
        report.error = Some(nothing(&report.file, &report.notices, mesh.positions.len()));
        return;
    };
    // STL stores each corner of each triangle: copies there are the format's, not the author's.
    let telling = |p: &Problem| format != Format::Stl || p.kind != ProblemKind::DuplicateVertices;
    report.problems = problems.into_iter().filter(telling).map(ProblemReport::from).collect();
}

/// Message for a file without tets and triangles.
pub(crate) fn nothing(file: &str, notices: &[String], vertices: usize) -> String {
    let left_out = notices.join("; ");
    let why = if left_out.is_empty() { String::new() } else { format!(" ({left_out})") };
    let holds = match vertices {
        0 => "no vertices, tets or triangles".to_string(),
        1 => "1 vertex but no tets or triangles".to_string(),
        many => format!("{many} vertices but no tets or triangles"),
    };
    format!("{file}: the file holds {holds}{why}")
}

impl From<Problem> for ProblemReport {
    fn from(Problem { kind, count, first }: Problem) -> ProblemReport {
        let (severity, first) = (kind.severity(), first.into_iter().map(Spot::Mesh).collect());
        ProblemReport {
            kind: Trouble::Mesh(kind),
            severity,
            count,
            first,
            message: None,
            shown: None,
        }
    }
}

impl From<RenderedDiagnostic> for ProblemReport {
    fn from(diagnostic: RenderedDiagnostic) -> ProblemReport {
        let spot = |place: &ShownPlace| Spot::Text { line: place.line, column: place.column };
        let first = diagnostic.place.iter().map(spot).collect();
        let message = Some(match &diagnostic.help {
            Some(help) => format!("{}; {help}", diagnostic.message),
            None => diagnostic.message.clone(),
        });
        let (kind, shown) = (Trouble::Scene(diagnostic.kind), Some(diagnostic.to_string()));
        ProblemReport { kind, severity: Severity::Error, count: 1, first, message, shown }
    }
}

fn kind_name<S: Serializer>(kind: &Trouble, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

fn severity_name<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

fn spot_numbers<S: Serializer>(first: &[Spot], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Numbers {
        One(u32),
        Two([u32; 2]),
        Three([u32; 3]),
        Text([usize; 2]),
    }
    let of_mesh = |element: Element| match element {
        Element::Vertex(v) => Numbers::One(v.0),
        Element::Tet(t) => Numbers::One(t.0),
        Element::Triangle(t) => Numbers::One(t.0),
        Element::Edge(ends) => Numbers::Two(ends.map(|v| v.0)),
        Element::Face(corners) => Numbers::Three(corners.map(|v| v.0)),
        Element::Triangles(pair) => Numbers::Two(pair.map(|t| t.0)),
        Element::Tets(pair) => Numbers::Two(pair.map(|t| t.0)),
    };
    serializer.collect_seq(first.iter().map(|spot| match *spot {
        Spot::Mesh(element) => of_mesh(element),
        Spot::Text { line, column } => Numbers::Text([line, column]),
    }))
}
