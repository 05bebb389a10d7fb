//! Distance meshes: cones and tents into the depth buffer, the nearest segment as colour.
//!
//! A tent is the distance to a segment's inner part, exactly; a cone with k sides that
//! touch the circle from outside is below the distance to a point, by at most the share
//! 1 − cos(π/k). Meshes end at the largest distance that matters, and k keeps the error
//! there below a sixteenth of a pixel. The sign is that of the fill, whose corners the
//! hardware moves by up to 1/512 of a pixel: it can be wrong only as near as that.
//!
//! - Implements: [Hoff01 §2.2.2], cones and tents, and its three encodings of the sign.
//! - Deviates: fills by flipping the stencil for every triangle of a fan, which finds the
//!   inside by the even–odd rule without cutting the outline into triangles.

use crate::GpuError;
use crate::device::Device;

use crate::overlap::stencil;

use super::{FieldSign, Laid, Placed};

/// Share of a pixel that a cone may be wrong by.
const CONE_ERROR: f64 = 1.0 / 16.0;

/// Fewest and most sides of a cone.
const SIDES: [f64; 2] = [8.0, 512.0];

/// Corners of the two rectangles of a tent, in triangles.
const TENT: u32 = 12;

/// By encoding, stencil, colour and site: whether a pixel of the atlas is inside.
///
/// Put after the source that makes distances. Beyond the reach no site holds the sign: there
/// the last one returns outside.
const INSIDE: [&str; 3] = [
    "@group(0) @binding(6) var sign: texture_2d<u32>;
    fn inside(at: vec2u, site: u32) -> bool {
        return textureLoad(sign, at, 0).x != 0u;
    }",
    "@group(0) @binding(6) var sign: texture_2d<f32>;
    fn inside(at: vec2u, site: u32) -> bool {
        return textureLoad(sign, at, 0).x > 0.5;
    }",
    "fn inside(at: vec2u, site: u32) -> bool {
        return site != NO_SITE && (site & INSIDE_BIT) != 0u;
    }",
];

/// Images and pipelines.
#[derive(Debug)]
pub struct Meshes {
    /// Flips the stencil for a triangle of the fan.
    fan: wgpu::RenderPipeline,
    /// Paints what the stencil holds.
    cover: wgpu::RenderPipeline,
    /// Cone and tent, without and with the sign in the site.
    meshes: [[wgpu::RenderPipeline; 2]; 2],
    /// By stencil, colour and site.
    resolve: [wgpu::ComputePipeline; 3],
    /// The atlas, once there is a window.
    images: Option<Images>,
}

/// The atlas.
#[derive(Debug)]
struct Images {
    /// Width and height, pixels.
    size: [u32; 2],
    /// Distance over the reach.
    depth: wgpu::TextureView,
    /// Nearest segment, an index, with the sign above it in one encoding.
    site: wgpu::TextureView,
    /// The fill: not zero inside.
    stencil: wgpu::TextureView,
    /// The fill: white inside.
    colour: wgpu::TextureView,
}

impl Meshes {
    /// Compiles the pipelines.
    pub fn new(device: &Device) -> Meshes {
        let (window, fill) = (include_str!("window.wgsl"), include_str!("fill.wgsl"));
        let shader = device.shader(&[window, fill, include_str!("meshes.wgsl")].concat());
        let vertex = |entry| wgpu::VertexState {
            module: &shader,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            buffers: &[],
        };
        let make = |entry, fragment: Option<(&str, wgpu::TextureFormat)>, depth_stencil| {
            let targets = fragment.map(|(_, format)| [Some(format.into())]);
            let fragment =
                fragment.zip(targets.as_ref()).map(|((entry, _), targets)| wgpu::FragmentState {
                    module: &shader,
                    entry_point: Some(entry),
                    compilation_options: Default::default(),
                    targets,
                });
            device.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(entry),
                layout: None,
                vertex: vertex(entry),
                primitive: Default::default(),
                depth_stencil,
                multisample: Default::default(),
                fragment,
                multiview_mask: None,
                cache: None,
            })
        };
        let near = wgpu::DepthStencilState {
            format: wgpu::TextureFormat::Depth32Float,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: Default::default(),
            bias: Default::default(),
        };
        let site = wgpu::TextureFormat::R32Uint;
        let mesh = |entry| {
            [("plain_site", site), ("signed_site", site)]
                .map(|fragment| make(entry, Some(fragment), Some(near.clone())))
        };
        let flip = stencil(wgpu::CompareFunction::Always, wgpu::StencilOperation::Invert);
        let keep = stencil(wgpu::CompareFunction::NotEqual, wgpu::StencilOperation::Keep);
        let white = ("white", wgpu::TextureFormat::R8Unorm);
        let resolve = include_str!("resolve.wgsl");
        Meshes {
            fan: make("fan", None, Some(flip)),
            cover: make("cover", Some(white), Some(keep)),
            meshes: [mesh("cone"), mesh("tent")],
            resolve: INSIDE
                .map(|inside| device.kernel(&[window, resolve, inside].concat(), "resolve")),
            images: None,
        }
    }

    /// Gives every window a place in the atlas, in shelves, and its cones their sides.
    pub fn pack(laid: &mut Laid, limit: u32) -> Result<(), GpuError> {
        let (mut column, mut row, mut shelf) = (0_u32, 0_u32, 0_u32);
        for placed in &mut laid.placed {
            if column + placed.width > limit {
                (column, row, shelf) = (0, row + shelf, 0);
            }
            let need = u64::from(row) + u64::from(placed.height);
            if need > u64::from(limit) {
                let (what, limit) = ("rows of the atlas", u64::from(limit));
                return Err(GpuError::TooLarge { what, need, limit });
            }
            (placed.column, placed.row) = (column, row);
            column += placed.width;
            shelf = shelf.max(placed.height);
            let share = CONE_ERROR * f64::from(placed.pixel) / f64::from(placed.reach);
            let sides = std::f64::consts::PI / libm::acos((1.0 - share).max(-1.0));
            placed.sides = sides.ceil().clamp(SIDES[0], SIDES[1]) as u32;
        }
        Ok(())
    }

    /// Makes the images large enough.
    pub fn resize(&mut self, device: &Device, placed: &[Placed]) {
        let width = placed.iter().map(|p| p.column + p.width).max().unwrap_or(1);
        let height = placed.iter().map(|p| p.row + p.height).max().unwrap_or(1);
        let held = self.images.as_ref().map_or([0; 2], |images| images.size);
        if held[0] >= width && held[1] >= height {
            return;
        }
        let size = [width.max(held[0]), height.max(held[1])];
        self.images = None;
        let image = |format| {
            let texture = device.device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                    | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            });
            texture.create_view(&Default::default())
        };
        self.images = Some(Images {
            size,
            depth: image(wgpu::TextureFormat::Depth32Float),
            site: image(wgpu::TextureFormat::R32Uint),
            stencil: image(wgpu::TextureFormat::Stencil8),
            colour: image(wgpu::TextureFormat::R8Unorm),
        });
    }

    /// Puts the fill, its cover where it is needed, and the meshes on the list of work.
    pub fn render(
        &self,
        device: &Device,
        work: &mut wgpu::CommandEncoder,
        placed: &[Placed],
        inputs: [&wgpu::Buffer; 2],
        sign: FieldSign,
    ) {
        let Some(images) = &self.images else { return };
        let bind = |pipeline: &wgpu::RenderPipeline, resources: &[wgpu::BindingResource<'_>]| {
            device.bind(&pipeline.get_bind_group_layout(0), resources)
        };
        let inputs = inputs.map(wgpu::Buffer::as_entire_binding);
        let filled = wgpu::BindingResource::TextureView(&images.stencil);
        {
            let mut pass = begin(work, None, Some((&images.stencil, Clear::Stencil)));
            pass.set_pipeline(&self.fan);
            pass.set_bind_group(0, &bind(&self.fan, &inputs), &[]);
            each(&mut pass, placed, |pass, segments, _| pass.draw(0..3, segments));
        }
        if sign == FieldSign::Colour {
            let target = Some((&images.colour, 0.0));
            let mut pass = begin(work, target, Some((&images.stencil, Clear::Nothing)));
            pass.set_pipeline(&self.cover);
            each(&mut pass, placed, |pass, _, _| pass.draw(0..3, 0..1));
        }
        let with_sign = usize::from(sign == FieldSign::SiteBit);
        let target = Some((&images.site, f64::from(u32::MAX)));
        let mut pass = begin(work, target, Some((&images.depth, Clear::Depth)));
        for [plain, signed] in &self.meshes {
            let pipeline = [plain, signed][with_sign];
            let mut resources = inputs.to_vec();
            resources.extend((with_sign == 1).then(|| filled.clone()));
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &bind(pipeline, &resources), &[]);
            let is_cone = std::ptr::eq(plain, &self.meshes[0][0]);
            each(&mut pass, placed, |pass, segments, sides| {
                pass.draw(0..if is_cone { 3 * sides } else { TENT }, segments);
            });
        }
    }

    /// The kernel that makes distances of the images, and what it is bound to.
    pub fn resolve(
        &self,
        device: &Device,
        sign: FieldSign,
        outputs: &[wgpu::BindingResource<'_>; 4],
    ) -> (&wgpu::ComputePipeline, wgpu::BindGroup) {
        let at = match sign {
            FieldSign::Stencil => 0,
            FieldSign::Colour => 1,
            FieldSign::SiteBit => 2,
        };
        let mut resources = outputs.to_vec();
        if let Some(images) = &self.images {
            let of_sign = match sign {
                FieldSign::Stencil => Some(&images.stencil),
                FieldSign::Colour => Some(&images.colour),
                FieldSign::SiteBit => None,
            };
            let views = [Some(&images.depth), Some(&images.site), of_sign];
            resources.extend(views.into_iter().flatten().map(wgpu::BindingResource::TextureView));
        }
        let pipeline = &self.resolve[at];
        (pipeline, device.bind(&pipeline.get_bind_group_layout(0), &resources))
    }
}

/// What a pass does to its depth or stencil before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clear {
    /// Sets the stencil to zero.
    Stencil,
    /// Sets the depth to one.
    Depth,
    /// Leaves the stencil as it is.
    Nothing,
}

/// Begins a pass on a colour image, cleared to a value, and a depth or stencil image.
fn begin<'a>(
    work: &'a mut wgpu::CommandEncoder,
    colour: Option<(&wgpu::TextureView, f64)>,
    depth: Option<(&wgpu::TextureView, Clear)>,
) -> wgpu::RenderPass<'a> {
    let attachment = colour.map(|(view, value)| wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations {
            load: wgpu::LoadOp::Clear(wgpu::Color { r: value, g: 0.0, b: 0.0, a: 0.0 }),
            store: wgpu::StoreOp::Store,
        },
    });
    let store = wgpu::StoreOp::Store;
    let depth_stencil_attachment =
        depth.map(|(view, clear)| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: (clear == Clear::Depth)
                .then_some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store }),
            stencil_ops: match clear {
                Clear::Depth => None,
                Clear::Stencil => Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0), store }),
                Clear::Nothing => Some(wgpu::Operations { load: wgpu::LoadOp::Load, store }),
            },
        });
    let attachments = [attachment];
    work.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: None,
        color_attachments: if attachments[0].is_some() { &attachments } else { &[] },
        depth_stencil_attachment,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}

/// Draws for each window in its place of the atlas.
fn each<'a>(
    pass: &mut wgpu::RenderPass<'a>,
    placed: &[Placed],
    draw: impl Fn(&mut wgpu::RenderPass<'a>, std::ops::Range<u32>, u32),
) {
    for window in placed {
        let [x, y, width, height] = [window.column, window.row, window.width, window.height];
        pass.set_viewport(x as f32, y as f32, width as f32, height as f32, 0.0, 1.0);
        pass.set_scissor_rect(x, y, width, height);
        draw(pass, window.first..window.first + window.count, window.sides);
    }
}
