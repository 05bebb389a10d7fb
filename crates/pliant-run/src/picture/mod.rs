//! Shaded pictures of a moment of a run, without a browser or a GPU.
//!
//! ```text
//! View ─▶ model (triangles, normals) ─▶ projection (camera) ─▶ raster (visibility) ─▶ shade ─▶ png
//! ```
//!
//! The same view gives the same bytes: f64 throughout, index order, and of the functions
//! that differ between machines only the one that turns moving obstacles.

use overlays::Overlay;
use pliant::math::Vec3;
use pliant_scene::loaded::{BodyInfo, RenderMesh};

pub mod png;

pub mod frames;

pub mod colours;

mod glyphs;

mod fill;

mod projection;

pub(crate) mod model;

mod normals;

mod raster;

mod shade;

mod shadow;

mod occlusion;

pub(crate) mod letters;

mod marks;

pub mod overlays;

pub mod balanced;

mod caption;

pub use png::png;
pub(crate) use shade::{OBSTACLE, body_colour};

/// Smallest and largest side of a picture, pixels.
pub const SIDES: std::ops::RangeInclusive<u32> = 1..=8192;

/// Direction to the eye for flat outlines.
const ABOVE: [f64; 3] = [0.0, 0.0, 1.0];

/// Direction to the eye for solids that move in the plane.
const ABOVE_SOLIDS: [f64; 3] = [0.15, -0.75, 1.0];

/// What is shown, and from where.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Bodies of the run; their triangles count in `positions`.
    pub bodies: &'a [BodyInfo],
    /// All vertices of all bodies, world space, m.
    pub positions: &'a [[f32; 3]],
    /// What does not move with any vertex.
    pub obstacles: &'a [RenderMesh],
    /// When, s; moves the obstacles.
    pub time: f64,
    /// Width and height, pixels; brought into [`SIDES`].
    pub size: [u32; 2],
    /// Where it is seen from.
    pub camera: Camera,
}

/// A direction to look from; distance and middle follow from what is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// From the scene towards the eye, any length; `None`, zero or not finite: from the
    /// front, the right and above.
    pub from: Option<[f64; 3]>,
    /// What is up in the picture, any length; zero or not finite: z.
    pub up: [f64; 3],
}

impl Default for Camera {
    fn default() -> Camera {
        Camera { from: None, up: [0.0, 0.0, 1.0] }
    }
}

impl Camera {
    /// The usual view with gravity pointing down; z is up without gravity.
    pub fn upright(gravity: [f64; 3]) -> Camera {
        Camera { from: None, up: gravity.map(|g| -g) }
    }

    /// A view of bodies: upright by gravity, or of the plane when all of them are outlines.
    ///
    /// Flat outlines are seen from straight above with y up in the picture, solids that move
    /// in the plane from above and the front.
    pub fn of(bodies: &[BodyInfo], gravity: [f64; 3], from: Option<[f64; 3]>) -> Camera {
        let plane = !bodies.is_empty() && bodies.iter().all(|body| !body.rings.is_empty());
        if !plane {
            return Camera { from, ..Camera::upright(gravity) };
        }
        let solid = bodies.iter().any(|body| !body.triangles.is_empty());
        let from = from.unwrap_or(if solid { ABOVE_SOLIDS } else { ABOVE });
        let straight = from[0] == 0.0 && from[1] == 0.0;
        let up = if straight { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
        Camera { from: Some(from), up }
    }
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// Red, green, blue as sRGB, 0 to 255; rows from the top.
    pub pixels: Vec<[u8; 3]>,
    /// What is not shown and why, one sentence each.
    pub notices: Vec<String>,
}

/// Colours of the page that a picture is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on a light page.
    #[default]
    Light,
    /// Light ink on a dark page.
    Dark,
}

/// What is written into a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caption {
    /// Nothing.
    #[default]
    None,
    /// The time and a scale bar, where there is room.
    TimeAndScale,
}

/// What pictures of one run share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look<'a> {
    /// Further points that the picture must hold, world space, m. Pictures of one run that hold
    /// the same points are seen from the same place.
    pub framing: &'a [Vec3],
    /// Number of a colour for each body, as of [`colours::colours`]; by index where there is none.
    pub colours: &'a [usize],
    /// Colours of background and ground.
    pub theme: Theme,
    /// What is written into it.
    pub caption: Caption,
    /// What is drawn over it; bodies are faded where there is any.
    pub overlays: &'a [Overlay],
}

impl Image {
    /// Sets a pixel, if it is there.
    fn dot(&mut self, [x, y]: [usize; 2], colour: [u8; 3]) {
        let [width, height] = self.size.map(|side| side as usize);
        if x < width && y < height {
            self.pixels[y * width + x] = colour;
        }
    }

    /// Writes a text from its upper left corner.
    fn write(&mut self, corner: [usize; 2], text: &str, scale: usize, ink: [u8; 3]) {
        for [x, y] in letters::squares(text, scale) {
            for k in 0..scale * scale {
                self.dot([corner[0] + x + k % scale, corner[1] + y + k / scale], ink);
            }
        }
    }
}

/// Draws bodies and obstacles, framed by the bodies.
///
/// Bodies have colours by their index. Where they have no triangles, rings are filled by the
/// even–odd rule and lined, and other vertices are beads;
/// obstacles are grey. An obstacle much larger than the bodies is not framed; if it is flat,
/// it has a grid, fades with distance, and is left out where it would hide the bodies.
/// Triangles with a corner that is not finite or not there are left out with a notice. A scene
/// without anything to show is an empty background.
pub fn render(view: &View<'_>) -> Image {
    render_with(view, &Look::default())
}

/// The same with further points that the picture must hold, world space, m, and a caption.
///
/// Frames of an animation that hold the same points are seen from the same place.
pub fn render_framing(view: &View<'_>, points: &[Vec3]) -> Image {
    let caption = Caption::TimeAndScale;
    render_with(view, &Look { framing: points, caption, ..Look::default() })
}

/// The same with a look of its own.
pub fn render_with(view: &View<'_>, look: &Look<'_>) -> Image {
    Drawing::new(view, look).image(look.theme)
}

/// The same for light and for dark pages, in little more time than for one.
pub fn render_both(view: &View<'_>, look: &Look<'_>) -> [Image; 2] {
    let drawing = Drawing::new(view, look);
    [Theme::Light, Theme::Dark].map(|theme| drawing.image(theme))
}

/// All that is known of a picture before it has colours.
struct Drawing<'a> {
    view: &'a View<'a>,
    look: &'a Look<'a>,
    model: model::Model,
    projection: projection::Projection,
    seen: raster::Raster,
    shadow: shadow::Shadow,
    /// Part of the light from everywhere that reaches each pixel.
    open: Vec<f32>,
}

impl<'a> Drawing<'a> {
    fn new(view: &'a View<'a>, look: &'a Look<'a>) -> Drawing<'a> {
        let size = view.size.map(|side| side.clamp(*SIDES.start(), *SIDES.end()));
        let mut model = model::Model::new(view, look.framing);
        let projection = projection::Projection::new(&model.framed, view.camera, size);
        model.leave_out_hiding(projection.eye);
        let seen = raster::seen(&model, &projection, size);
        let shadow = shadow::Shadow::new(&model, projection.light);
        let open = occlusion::open_sky(&model, &projection, &seen);
        if seen.left == 0 || shadow.is_cut_short() {
            let notice = "too much lies on top of each other: the rest was left out";
            model.notices.push(notice.to_owned());
        }
        if size != view.size {
            let [width, height] = view.size;
            let [to_width, to_height] = size;
            let change = format!("{width}×{height} pixels became {to_width}×{to_height}");
            model.notices.push(format!("the size is out of range: {change}"));
        }
        Drawing { view, look, model, projection, seen, shadow, open }
    }

    fn image(&self, theme: Theme) -> Image {
        let Drawing { model, projection, seen, shadow, open, .. } = self;
        let lit = shade::Lit { projection, seen, shadow, open };
        let pixels = shade::pixels(model, &lit, &Look { theme, ..*self.look });
        let notices = model.notices.clone();
        let mut image = Image { size: projection.size, pixels, notices };
        marks::draw(&mut image, projection, self.look.overlays, theme);
        if self.look.caption == Caption::TimeAndScale {
            caption::write(&mut image, projection, self.view.time, theme);
        }
        image
    }
}

#[cfg(test)]
mod tests;
