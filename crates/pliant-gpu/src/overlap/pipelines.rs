//! Pipelines and images of the four strategies.

use wgpu::{
    BindingResource, BlendComponent, BlendFactor, BlendOperation, BlendState, ColorTargetState,
    ColorWrites, CompareFunction, DepthStencilState, StencilOperation, TextureFormat, TextureView,
};

use crate::device::Device;
use crate::field::Placed;

use super::{Drawn, OverlapRequest, SIDES, Strategy};

/// Vertices of a segment: its rectangle and the disc at its beginning.
const THICK: u32 = 6 + 3 * SIDES;

/// Threads of a workgroup of the reduction, as in its source.
const REDUCERS: u32 = 64;

/// By strategy: the image, and the test there that both outlines cover a pixel.
///
/// Put after the source of the reduction.
const COVERED: [&str; 4] = [
    "@group(0) @binding(3) var image: texture_2d<u32>;
    fn covered(at: vec2u) -> bool {
        return textureLoad(image, at, 0).x == 2u;
    }",
    "@group(0) @binding(3) var image: texture_2d<f32>;
    fn covered(at: vec2u) -> bool {
        return all(textureLoad(image, at, 0).xy > vec2f(0.5));
    }",
    "@group(0) @binding(3) var<storage, read> image: array<u32>;
    fn covered(at: vec2u) -> bool {
        return image[at.y * windows[0].width + at.x] == 255u;
    }",
    "@group(0) @binding(3) var image: texture_2d<f32>;
    fn covered(at: vec2u) -> bool {
        return textureLoad(image, at, 0).x > 0.5;
    }",
];

/// What both outlines are drawn from.
#[derive(Clone, Copy, Debug)]
pub struct RenderInput<'a> {
    /// Windows of b and of a.
    pub placed: &'a [Placed],
    /// Segments of both on the GPU.
    pub segments: &'a wgpu::Buffer,
    /// The windows on the GPU.
    pub windows: &'a wgpu::Buffer,
    /// Pixels that [`Strategy::Or`] writes to.
    pub ored: &'a wgpu::Buffer,
}

/// Everything compiled, and the images in the size of the last window.
#[derive(Debug)]
pub struct Pipelines {
    /// Flips the stencil for a triangle of the fan.
    fan: wgpu::RenderPipeline,
    /// By strategy, then b before a, then boundary before volume.
    draw: Vec<wgpu::RenderPipeline>,
    /// By strategy.
    reduce: [wgpu::ComputePipeline; 4],
    /// Whether any fragment of a passed.
    query: wgpu::QuerySet,
    /// The images, once there is a window.
    images: Option<Images>,
}

/// What is rendered to.
#[derive(Debug)]
struct Images {
    /// Width and height, pixels.
    size: [u32; 2],
    /// The volumes of b and a.
    filled: [TextureView; 2],
    /// One where b is, two where both are.
    stencil: TextureView,
    /// Red where b is, green where a is.
    two_channels: TextureView,
    /// White where a found b's depth.
    one_channel: TextureView,
    /// Zero where b is, one elsewhere.
    depth: TextureView,
}

impl Strategy {
    /// Row of the table, from zero.
    fn index(self) -> usize {
        match self {
            Strategy::Stencil => 0,
            Strategy::Blend => 1,
            Strategy::Or => 2,
            Strategy::Depth => 3,
        }
    }
}

impl Pipelines {
    /// Compiles all.
    pub fn new(device: &Device) -> Pipelines {
        let window = include_str!("../field/window.wgsl");
        let fill = include_str!("../field/fill.wgsl");
        let shader = device.shader(&[window, fill, include_str!("overlap.wgsl")].concat());
        let mut draw = Vec::with_capacity(16);
        for strategy in Strategy::ALL {
            for is_a in 0..2 {
                for volume in 0..2 {
                    draw.push(pipeline(device, &shader, recipe(strategy, is_a, volume)));
                }
            }
        }
        let flip = stencil(CompareFunction::Always, StencilOperation::Invert);
        let fan = Recipe { vertex: "fan", fragment: None, target: None, depth_stencil: Some(flip) };
        let reduce = include_str!("reduce.wgsl");
        Pipelines {
            fan: pipeline(device, &shader, fan),
            draw,
            reduce: COVERED
                .map(|covered| device.kernel(&[window, reduce, covered].concat(), "reduce")),
            query: device.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Occlusion,
                count: 1,
            }),
            images: None,
        }
    }

    /// The occlusion query around a's rendering.
    pub fn query(&self) -> &wgpu::QuerySet {
        &self.query
    }

    /// Makes images of this size.
    pub fn resize(&mut self, device: &Device, size: [u32; 2]) {
        if self.images.as_ref().is_some_and(|images| images.size == size) {
            return;
        }
        self.images = None;
        let image = |format| {
            let usage =
                wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
            let texture = device.device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            });
            texture.create_view(&Default::default())
        };
        self.images = Some(Images {
            size,
            filled: [TextureFormat::Stencil8; 2].map(image),
            stencil: image(TextureFormat::Stencil8),
            two_channels: image(TextureFormat::Rg8Unorm),
            one_channel: image(TextureFormat::R8Unorm),
            depth: image(TextureFormat::Depth32Float),
        });
    }

    /// Puts the fills that are needed, then b and a, on the list of work.
    pub fn render(
        &self,
        device: &Device,
        work: &mut wgpu::CommandEncoder,
        input: RenderInput<'_>,
        request: &OverlapRequest,
        strategy: Strategy,
    ) {
        let Some(images) = &self.images else { return };
        let RenderInput { placed, segments, windows, ored } = input;
        // The windows are laid out with b first.
        let drawn = [request.drawn[1], request.drawn[0]];
        let range = |at: usize| placed[at].first..placed[at].first + placed[at].count;
        let [segments, windows, ored] = [segments, windows, ored].map(|b| b.as_entire_binding());
        for at in (0..2).filter(|&at| drawn[at] == Drawn::Volume) {
            let bound = device
                .bind(&self.fan.get_bind_group_layout(0), &[segments.clone(), windows.clone()]);
            let mut pass = begin(work, [None, Some(&images.filled[at])], None);
            pass.set_pipeline(&self.fan);
            pass.set_bind_group(0, &bound, &[]);
            pass.draw(0..3, range(at));
        }
        let targets = match strategy {
            Strategy::Stencil => [None, Some(&images.stencil)],
            Strategy::Blend => [Some(&images.two_channels), None],
            Strategy::Or => [Some(&images.one_channel), None],
            Strategy::Depth => [Some(&images.one_channel), Some(&images.depth)],
        };
        let bounds = [0, 1].map(|at| {
            let mut entries = Vec::new();
            if drawn[at] == Drawn::Boundary {
                entries.extend([(0, segments.clone()), (1, windows.clone())]);
            } else {
                entries.push((2, BindingResource::TextureView(&images.filled[at])));
            }
            if strategy == Strategy::Or {
                entries.push((3, ored.clone()));
                entries.extend((drawn[at] == Drawn::Volume).then(|| (1, windows.clone())));
            }
            let layout = self.pipeline(strategy, at, drawn[at]).get_bind_group_layout(0);
            device.bind_numbered(&layout, &entries)
        });
        let mut pass = begin(work, targets, Some(&self.query));
        pass.set_stencil_reference(1);
        for at in 0..2 {
            pass.set_pipeline(self.pipeline(strategy, at, drawn[at]));
            pass.set_bind_group(0, &bounds[at], &[]);
            if at == 1 {
                pass.begin_occlusion_query(0);
            }
            match drawn[at] {
                Drawn::Boundary => pass.draw(0..THICK, range(at)),
                Drawn::Volume => pass.draw(0..3, 0..1),
            }
            if at == 1 {
                pass.end_occlusion_query();
            }
        }
    }

    fn pipeline(&self, strategy: Strategy, is_a: usize, drawn: Drawn) -> &wgpu::RenderPipeline {
        &self.draw[4 * strategy.index() + 2 * is_a + usize::from(drawn == Drawn::Volume)]
    }

    /// Puts the reduction of the strategy's image on the list of work.
    pub fn reduce(
        &self,
        device: &Device,
        work: &mut wgpu::CommandEncoder,
        [windows, bits, extent, ored]: [&wgpu::Buffer; 4],
        strategy: Strategy,
        words: u32,
    ) {
        let Some(images) = &self.images else { return };
        let image = match strategy {
            Strategy::Stencil => BindingResource::TextureView(&images.stencil),
            Strategy::Blend => BindingResource::TextureView(&images.two_channels),
            Strategy::Or => ored.as_entire_binding(),
            Strategy::Depth => BindingResource::TextureView(&images.one_channel),
        };
        let kernel = &self.reduce[strategy.index()];
        let [windows, bits, extent] = [windows, bits, extent].map(|b| b.as_entire_binding());
        let bound = device.bind(&kernel.get_bind_group_layout(0), &[windows, bits, extent, image]);
        let mut pass = work.begin_compute_pass(&Default::default());
        pass.set_pipeline(kernel);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups(words.div_ceil(REDUCERS), 1, 1);
    }
}

/// Description of a pipeline.
struct Recipe {
    /// Entry for vertices.
    vertex: &'static str,
    /// Entry for fragments; `None` where they have nothing to do.
    fragment: Option<&'static str>,
    /// Colour image written to.
    target: Option<ColorTargetState>,
    /// Depth or stencil image and what happens to it.
    depth_stencil: Option<DepthStencilState>,
}

/// One cell of the table: the strategy, b or a, boundary or volume.
fn recipe(strategy: Strategy, is_a: usize, volume: usize) -> Recipe {
    let vertex = ["thick", "cover"][volume];
    let target = |format, blend, write_mask| Some(ColorTargetState { format, blend, write_mask });
    let (fragment, target, depth_stencil) = match strategy {
        Strategy::Stencil => {
            let set = stencil(CompareFunction::Always, StencilOperation::Replace);
            // A second layer of a finds two, not one, and leaves it.
            let raise = stencil(CompareFunction::Equal, StencilOperation::IncrementClamp);
            let state = if is_a == 1 { raise } else { set };
            ([None, Some("mark_volume")][volume], None, Some(state))
        }
        Strategy::Blend => {
            let add = BlendComponent {
                src_factor: BlendFactor::One,
                dst_factor: BlendFactor::One,
                operation: BlendOperation::Add,
            };
            let blend = Some(BlendState { color: add, alpha: add });
            let channel = [ColorWrites::RED, ColorWrites::GREEN][is_a];
            let target = target(TextureFormat::Rg8Unorm, blend, channel);
            (Some(["paint", "paint_volume"][volume]), target, None)
        }
        Strategy::Or => {
            let entries = [["or_b", "or_b_volume"], ["or_a", "or_a_volume"]];
            // The buffer holds the result; the image is there as a pass needs one.
            let target = target(TextureFormat::R8Unorm, None, ColorWrites::empty());
            (Some(entries[is_a][volume]), target, None)
        }
        Strategy::Depth => {
            let writes = [ColorWrites::empty(), ColorWrites::RED][is_a];
            let state = DepthStencilState {
                format: TextureFormat::Depth32Float,
                depth_write_enabled: Some(is_a == 0),
                depth_compare: Some([CompareFunction::Always, CompareFunction::Equal][is_a]),
                stencil: Default::default(),
                bias: Default::default(),
            };
            let target = target(TextureFormat::R8Unorm, None, writes);
            (Some(["paint", "paint_volume"][volume]), target, Some(state))
        }
    };
    Recipe { vertex, fragment, target, depth_stencil }
}

fn pipeline(device: &Device, shader: &wgpu::ShaderModule, recipe: Recipe) -> wgpu::RenderPipeline {
    let targets = [recipe.target];
    let targets: &[Option<ColorTargetState>] = if targets[0].is_some() { &targets } else { &[] };
    let fragment = recipe.fragment.map(|entry| wgpu::FragmentState {
        module: shader,
        entry_point: Some(entry),
        compilation_options: Default::default(),
        targets,
    });
    device.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: recipe.fragment.or(Some(recipe.vertex)),
        layout: None,
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some(recipe.vertex),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: Default::default(),
        depth_stencil: recipe.depth_stencil,
        multisample: Default::default(),
        fragment,
        multiview_mask: None,
        cache: None,
    })
}

/// A stencil of 8 bits, alone.
pub fn stencil(compare: CompareFunction, pass_op: StencilOperation) -> DepthStencilState {
    let face = wgpu::StencilFaceState { compare, pass_op, ..wgpu::StencilFaceState::IGNORE };
    DepthStencilState {
        format: TextureFormat::Stencil8,
        depth_write_enabled: None,
        depth_compare: None,
        stencil: wgpu::StencilState { front: face, back: face, read_mask: 0xff, write_mask: 0xff },
        bias: Default::default(),
    }
}

/// Begins a pass on a colour image and a depth or stencil image, all cleared.
fn begin<'a>(
    work: &'a mut wgpu::CommandEncoder,
    [colour, depth]: [Option<&TextureView>; 2],
    query: Option<&'a wgpu::QuerySet>,
) -> wgpu::RenderPass<'a> {
    let store = wgpu::StoreOp::Store;
    let black = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), store };
    let attachment = colour.map(|view| wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: black,
    });
    let attachments = [attachment];
    let depth_stencil_attachment = depth.map(|view| {
        let has_depth = view.texture().format() == TextureFormat::Depth32Float;
        let clear_depth = wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store };
        let clear_stencil = wgpu::Operations { load: wgpu::LoadOp::Clear(0), store };
        wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: has_depth.then_some(clear_depth),
            stencil_ops: (!has_depth).then_some(clear_stencil),
        }
    });
    work.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: None,
        color_attachments: if attachments[0].is_some() { &attachments } else { &[] },
        depth_stencil_attachment,
        timestamp_writes: None,
        occlusion_query_set: query,
        multiview_mask: None,
    })
}
