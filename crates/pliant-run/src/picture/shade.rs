//! Colours: light on surfaces, the grid on the ground, the background.
//!
//! Colours are added as light, which is taken for the square of the stored number: near
//! enough to sRGB, and the square root is bitwise reproducible on every machine.

use pliant::math::Vec3;

use super::model::{Ground, Model, Paint, Triangle};
use super::projection::Projection;
use super::raster::{NOTHING, QUARTERS, Raster};
use super::shadow::Shadow;
use super::{Look, Theme};

/// Colours of bodies, by index, then from the start again; sRGB, 0 to 255.
const BODIES: [[u8; 3]; 10] = [
    [74, 124, 196],
    [226, 128, 62],
    [82, 160, 106],
    [202, 84, 98],
    [138, 110, 190],
    [222, 178, 66],
    [70, 164, 178],
    [210, 120, 168],
    [140, 156, 74],
    [150, 118, 98],
];

/// Colour of a body, sRGB, 0 to 255.
pub(crate) fn body_colour(index: usize) -> [u8; 3] {
    BODIES[index % BODIES.len()]
}

/// Colour of obstacles.
pub(crate) const OBSTACLE: [u8; 3] = [168, 174, 182];

/// Colour of the ground, on light and on dark pages.
const GROUND: [[u8; 3]; 2] = [[214, 219, 225], [62, 71, 84]];

/// Colour of the background at the top and at the bottom, on light and on dark pages.
const BACKGROUND: [[[u8; 3]; 2]; 2] =
    [[[246, 248, 251], [222, 228, 235]], [[38, 46, 57], [23, 28, 35]]];

/// Part of the ground's light that comes from everywhere.
const GROUND_AMBIENT: f64 = 0.7;

/// Light from everywhere, from below and from above.
const AMBIENT: [f64; 2] = [0.30, 0.52];

/// The main light.
const KEY: f64 = 0.62;

/// Light from the eye, which keeps what is turned away from the main light readable.
const FILL: f64 = 0.16;

/// The shine of a surface that mirrors the main light.
const SHINE: f64 = 0.07;

/// Back sides of bodies, as cloth shows them, have this part of their colour.
const BACK: f64 = 0.62;

/// Lines around outlines have this part of the colour's light.
const OUTLINE: f64 = 0.2;

/// The ground fades between these distances from the middle, over the extent.
const FADE: [f64; 2] = [0.9, 3.2];

/// Shadows take this part of the ground's light.
const SHADE: f64 = 0.42;

/// Lines of the grid take this part of the ground's light.
const LINE: f64 = 0.16;

/// Width of a line of the grid, pixels.
const LINE_WIDTH: f64 = 1.1;

/// About so many fields of the grid lie along what is framed.
const FIELDS: f64 = 6.0;

/// Red, green and blue as amounts of light.
type Light = Vec3;

/// What is seen, and how light reaches it.
#[derive(Clone, Copy)]
pub struct Lit<'a> {
    /// The camera.
    pub projection: &'a Projection,
    /// What is nearest.
    pub seen: &'a Raster,
    /// Where the main light does not reach.
    pub shadow: &'a Shadow,
    /// Part of the light from everywhere that reaches each pixel.
    pub open: &'a [f32],
}

/// The colour of every pixel, rows from the top; sRGB, 0 to 255.
pub fn pixels(model: &Model, lit: &Lit<'_>, look: &Look<'_>) -> Vec<[u8; 3]> {
    let Lit { projection, seen, shadow, open } = *lit;
    let spacing = spacing(projection.extent / FIELDS);
    let Look { colours, theme, .. } = *look;
    let shader = Shader { model, projection, shadow, open, colours, theme, spacing };
    let [width, height] = projection.size.map(|side| side as usize);
    (0..width * height)
        .map(|pixel| shader.pixel([pixel % width, pixel / width], seen.owners_at(pixel)))
        .collect()
}

struct Shader<'a> {
    model: &'a Model,
    projection: &'a Projection,
    shadow: &'a Shadow,
    /// Part of the light from everywhere that reaches each pixel.
    open: &'a [f32],
    /// Numbers of colours of bodies.
    colours: &'a [usize],
    theme: Theme,
    /// Between lines of the grid, m.
    spacing: f64,
}

/// Where a ray meets a surface.
struct Hit {
    /// World space, m.
    point: Vec3,
    /// Unit normal on the eye's side.
    normal: Vec3,
    /// Unit vector to the eye.
    to_eye: Vec3,
    /// The surface is seen from behind.
    behind: bool,
}

impl Shader<'_> {
    /// The mean of what its samples see, each triangle shaded once.
    fn pixel(&self, corner: [usize; 2], owners: &[u32]) -> [u8; 3] {
        if owners.iter().all(|owner| *owner == owners[0]) {
            let middle = corner.map(|at| at as f64 + 0.5);
            return stored(self.seen(middle, owners[0]));
        }
        let mut sum = Light::ZERO;
        for (index, owner) in owners.iter().enumerate() {
            if owners[..index].contains(owner) {
                continue;
            }
            let own = || owners.iter().zip(QUARTERS).filter(|(other, _)| *other == owner);
            let count = own().count() as f64;
            let mean = [0, 1].map(|k| own().map(|(_, at)| at[k]).sum::<f64>() / count);
            let at = [0, 1].map(|k| corner[k] as f64 + mean[k]);
            sum += count * self.seen(at, *owner);
        }
        stored(sum / owners.len() as f64)
    }

    fn seen(&self, at: [f64; 2], owner: u32) -> Light {
        let background = self.background(at[1]);
        if owner == NOTHING {
            return background;
        }
        let Some(triangle) = self.model.triangles.get(owner as usize) else {
            return self.flat(owner as usize - self.model.triangles.len());
        };
        let ray = self.projection.ray(at);
        match triangle.paint {
            Paint::Body(index) => {
                self.surface(triangle, ray, self.colour(index), BACK, self.open_at(at))
            }
            Paint::Obstacle => self.surface(triangle, ray, light(OBSTACLE), 1.0, self.open_at(at)),
            Paint::Ground(index) => {
                self.ground(&self.model.grounds[index], ray, background, self.open_at(at))
            }
        }
    }

    /// The colour of a body.
    fn colour(&self, body: usize) -> Light {
        light(body_colour(self.colours.get(body).copied().unwrap_or(body)))
    }

    /// Part of the light from everywhere that reaches a place of the picture.
    fn open_at(&self, at: [f64; 2]) -> f64 {
        let [x, y] = at.map(|place| place as usize);
        let pixel = y * self.projection.size[0] as usize + x;
        self.open.get(pixel).map_or(1.0, |open| f64::from(*open))
    }

    /// Outlines have their plain colour, and the lines around them a dark one.
    fn flat(&self, part: usize) -> Light {
        let body = self.model.flats[part / 2].body;
        let colour = self.colour(body);
        if part.is_multiple_of(2) { colour } else { OUTLINE * colour }
    }

    fn background(&self, row: f64) -> Light {
        let share = row / f64::from(self.projection.size[1]);
        let [top, bottom] = BACKGROUND[self.theme as usize].map(light);
        top + share * (bottom - top)
    }

    fn surface(
        &self,
        triangle: &Triangle,
        ray: Vec3,
        colour: Light,
        back: f64,
        open: f64,
    ) -> Light {
        let Some(hit) = self.meet(triangle, ray) else {
            return colour * AMBIENT[0];
        };
        let colour = if hit.behind { back * colour } else { colour };
        let projection = self.projection;
        let facing = hit.normal.dot(projection.light).max(0.0);
        let lit = if facing > 0.0 { self.shadow.light(hit.point, hit.normal) } else { 0.0 };
        let above = 0.5 + 0.5 * hit.normal.dot(projection.up);
        let ambient = AMBIENT[0] + above * (AMBIENT[1] - AMBIENT[0]);
        let fill = FILL * hit.normal.dot(hit.to_eye).max(0.0);
        let halfway = (projection.light + hit.to_eye).try_normalize().unwrap_or(projection.light);
        let mirrored = hit.normal.dot(halfway).max(0.0);
        // The 32nd power, by squaring: a highlight of a few degrees.
        let shine = (0..5).fold(mirrored, |power, _| power * power);
        colour * (open * (ambient + fill) + KEY * facing * lit) + Light::splat(SHINE * shine * lit)
    }

    fn meet(&self, triangle: &Triangle, ray: Vec3) -> Option<Hit> {
        let [v0, v1, v2] = triangle.corners;
        let face = (v1 - v0).cross(v2 - v0);
        let along = (v0 - self.projection.eye).dot(face) / ray.dot(face);
        let point = self.projection.eye + along * ray;
        // Weights by parts of the area; a sample's mean may lie just outside.
        let weight = |a: Vec3, b: Vec3| (a - point).cross(b - point).dot(face).max(0.0);
        let weights = [weight(v1, v2), weight(v2, v0), weight(v0, v1)];
        let [n0, n1, n2] = triangle.normals;
        let smooth = (weights[0] * n0 + weights[1] * n1 + weights[2] * n2).try_normalize()?;
        let to_eye = (-ray).try_normalize()?;
        let behind = ray.dot(face) > 0.0;
        let normal = if behind { -smooth } else { smooth };
        point.is_finite().then_some(Hit { point, normal, to_eye, behind })
    }

    fn ground(&self, ground: &Ground, ray: Vec3, background: Light, open: f64) -> Light {
        let projection = self.projection;
        let slope = ray.dot(ground.normal);
        let along = (ground.point - projection.eye).dot(ground.normal) / slope;
        let point = projection.eye + along * ray;
        let away = (point - projection.middle).length() / projection.extent;
        let kept = 1.0 - smooth_step((away - FADE[0]) / (FADE[1] - FADE[0]));
        if !(point.is_finite() && kept > 0.0) {
            return background;
        }
        let normal = if slope > 0.0 { -ground.normal } else { ground.normal };
        let lit = self.shadow.light(point, normal);
        // Seen at a grazing angle, a pixel covers more of the plane in depth than across.
        let pixel = along / projection.focal;
        let stretched = pixel * ray.length() / slope.abs();
        let lines = self.lines(point, normal, [pixel, stretched]);
        let reaching = (1.0 - SHADE * (1.0 - lit)) * (1.0 - GROUND_AMBIENT * (1.0 - open));
        let own = light(GROUND[self.theme as usize]) * (1.0 - LINE * lines) * reaching;
        background + kept * (own - background)
    }

    /// How much of a pixel the lines of the grid cover.
    fn lines(&self, point: Vec3, normal: Vec3, [pixel, stretched]: [f64; 2]) -> f64 {
        let [right, _, ahead] = self.projection.axes;
        let first = (self.projection.up.cross(normal)).try_normalize();
        let side = if normal.x.abs() < 0.9 { Vec3::X } else { Vec3::Y };
        let level = (side - side.dot(normal) * normal).try_normalize();
        let Some(first) = first.or(level) else {
            return 0.0;
        };
        let covered = [first, normal.cross(first)].map(|axis| {
            let sideways = axis.dot(right).abs();
            let deep = axis.dot(ahead).abs();
            let footprint = pixel * sideways + stretched * deep;
            let away = point.dot(axis) / self.spacing;
            let nearest = (away - away.round()).abs() * self.spacing;
            let width = 0.5 * LINE_WIDTH * footprint;
            let cover = (width + 0.5 * footprint - nearest) / footprint;
            // Where lines come as close as pixels, their mean takes over.
            let mean = (LINE_WIDTH * footprint / self.spacing).min(1.0);
            let share = smooth_step(3.0 * footprint / self.spacing);
            cover.clamp(0.0, 1.0) * (1.0 - share) + mean.min(0.3) * share
        });
        covered[0].max(covered[1])
    }
}

/// The largest of 1, 2 and 5 times a power of ten that is not above a length, m.
fn spacing(most: f64) -> f64 {
    if !(most.is_finite() && most > f64::MIN_POSITIVE) {
        return 1.0;
    }
    let mut power = 1.0;
    while power > most {
        power /= 10.0;
    }
    while 10.0 * power <= most {
        power *= 10.0;
    }
    [5.0, 2.0, 1.0].into_iter().map(|k| k * power).find(|length| *length <= most).unwrap_or(power)
}

/// From 0 at 0 to 1 at 1, level at both ends.
fn smooth_step(at: f64) -> f64 {
    let at = at.clamp(0.0, 1.0);
    at * at * (3.0 - 2.0 * at)
}

fn light(stored: [u8; 3]) -> Light {
    let [red, green, blue] = stored.map(|part| f64::from(part) / 255.0).map(|part| part * part);
    Light::new(red, green, blue)
}

fn stored(light: Light) -> [u8; 3] {
    light.to_array().map(|part| (255.0 * part.clamp(0.0, 1.0).sqrt()).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_back_as_they_were_stored() {
        for part in 0..=255_u8 {
            assert_eq!(stored(light([part, 255 - part, 7])), [part, 255 - part, 7]);
        }
        assert_eq!(stored(Light::new(-1.0, 2.0, f64::NAN)), [0, 255, 0]);
    }

    #[test]
    fn spacings_are_one_two_or_five() {
        for (most, expected) in [(1.0, 1.0), (4.9, 2.0), (5.0, 5.0), (99.0, 50.0), (0.03, 0.02)] {
            let found = spacing(most);
            assert!((found / expected - 1.0).abs() < 1e-12, "{most}: {found}");
        }
        assert_eq!([spacing(0.0), spacing(f64::NAN), spacing(f64::INFINITY)], [1.0; 3]);
    }
}
