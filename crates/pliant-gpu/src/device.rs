//! The GPU itself: which one, its memory, one submission and one read-back at a time.
//!
//! Whatever the driver reports is kept by a handler and returned as an error by the next
//! [`Device::finish`]: nothing here panics when memory runs out or the GPU is lost.
//!
//! Several GPUs may be open at once, each on a thread of its own: every one waits for its
//! own work alone, and what it waits with is made anew each time. They are opened one
//! after the other, and the drivers are queried once for what they offer.

use std::sync::{Arc, Mutex, PoisonError, mpsc};

use crate::GpuError;

/// Environment variable that picks a GPU by a part of its name, in any case of letters.
pub const CHOICE: &str = "PLIANT_GPU";

/// Smallest buffer made, bytes: growing from less costs more than it saves.
const SMALLEST: u64 = 256;

/// Turns of loops after which Mesa's software driver leaves them without a word, less
/// some for what a kernel does around its counting.
const SOFTWARE_TURNS: u32 = 60_000;

/// Turns of loops after which a thread gives up on a real GPU, before a watchdog does.
const TURNS: u32 = 1 << 26;

/// Tests of boxes of one pair that a software driver is given: some seconds' work.
const SOFTWARE_TESTS: u64 = 1 << 21;

/// Tests of boxes of one pair that a real GPU is given.
const TESTS: u64 = 1 << 25;

/// Bytes at the end of every read-back for two timestamps.
const STAMPS: u64 = stride::<[u64; 2]>();

/// Bytes from one of these to the next in a buffer.
pub const fn stride<T>() -> u64 {
    size_of::<T>() as u64
}

/// The GPUs that the drivers offered at the first query; the lock is held to open one.
///
/// Queried once for all: NVIDIA's driver for Linux crashes or hangs when threads connect to it
/// side by side.
static OFFERED: Mutex<Vec<wgpu::Adapter>> = Mutex::new(Vec::new());

/// A GPU that is ready to work.
#[derive(Debug)]
pub struct Device {
    /// What makes pipelines, buffers and images.
    pub(crate) device: wgpu::Device,
    /// Where work is handed in.
    pub(crate) queue: wgpu::Queue,
    /// Name of the GPU and of its driver.
    name: String,
    /// First error of the driver since the last check.
    fault: Arc<Mutex<Option<String>>>,
    /// Measures time on the GPU, where it can.
    clock: Option<Clock>,
    /// Where results are read back through.
    staging: Kept,
    /// Turns of all loops that one thread of a kernel may take.
    pub(crate) turns: u32,
    /// Tests of boxes that one pair may take.
    pub(crate) tests: u64,
    /// Time the GPU took for the last work, s; `None` where it has no clock.
    pub(crate) seconds: Option<f64>,
    /// Numbers of submissions and of bytes read back so far.
    pub(crate) traffic: [u64; 2],
}

/// Two timestamps around every submission.
#[derive(Debug)]
struct Clock {
    /// The timestamps.
    stamps: wgpu::QuerySet,
    /// Where they are written to.
    buffer: wgpu::Buffer,
    /// Length of a tick, s.
    tick: f64,
}

/// A buffer that grows and never shrinks.
#[derive(Debug)]
pub struct Kept {
    /// What it is for, as errors name it.
    what: &'static str,
    /// How it may be used.
    usage: wgpu::BufferUsages,
    /// The memory, once there is any.
    buffer: Option<wgpu::Buffer>,
}

impl Kept {
    /// A buffer without memory.
    pub fn new(what: &'static str, usage: wgpu::BufferUsages) -> Kept {
        Kept { what, usage, buffer: None }
    }

    /// A buffer for data that kernels read and write and that can be copied both ways.
    pub fn storage(what: &'static str) -> Kept {
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC;
        Kept::new(what, usage)
    }

    /// Makes room for `bytes`; returns `true` when it grew and lost its contents.
    pub fn reserve(&mut self, device: &wgpu::Device, bytes: u64) -> Result<bool, GpuError> {
        if self.buffer.as_ref().is_some_and(|buffer| buffer.size() >= bytes) {
            return Ok(false);
        }
        let limits = device.limits();
        let binding = if self.usage.contains(wgpu::BufferUsages::STORAGE) {
            limits.max_storage_buffer_binding_size
        } else {
            u64::MAX
        };
        let limit = limits.max_buffer_size.min(binding);
        if bytes > limit {
            return Err(GpuError::TooLarge { what: self.what, need: bytes, limit });
        }
        let size = bytes.max(SMALLEST).next_power_of_two().min(limit / 4 * 4).max(bytes);
        let (usage, label) = (self.usage, Some(self.what));
        // The old memory goes first, so that both need not fit.
        self.buffer = None;
        let descriptor = wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false };
        self.buffer = Some(device.create_buffer(&descriptor));
        Ok(true)
    }

    /// Makes room for `data` and copies it there; `true` when the buffer is a new one.
    pub fn write<T: bytemuck::NoUninit>(
        &mut self,
        device: &Device,
        data: &[T],
    ) -> Result<bool, GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let grown = self.reserve(&device.device, (bytes.len() as u64).max(SMALLEST))?;
        if let Some(buffer) = self.buffer.as_ref().filter(|_| !bytes.is_empty()) {
            device.queue.write_buffer(buffer, 0, bytes);
        }
        Ok(grown)
    }

    /// The buffer; reserved first, so that the error is never seen.
    pub fn get(&self) -> Result<&wgpu::Buffer, GpuError> {
        self.buffer
            .as_ref()
            .ok_or(GpuError::Device { what: format!("{} have no memory", self.what) })
    }
}

/// A part of a buffer to be read back.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// Where it is.
    pub buffer: &'a wgpu::Buffer,
    /// First byte, a multiple of four.
    pub start: u64,
    /// Bytes, a multiple of four.
    pub bytes: u64,
}

impl Device {
    /// Opens the GPU whose name contains `asked`, or the fastest kind there is.
    pub fn open(asked: Option<&str>) -> Result<Device, GpuError> {
        // A thread that panicked while opening left the list as it was.
        let mut offered = OFFERED.lock().unwrap_or_else(PoisonError::into_inner);
        if offered.is_empty() {
            *offered = offers();
        }
        if offered.is_empty() {
            return Err(GpuError::NoAdapter);
        }
        let mut adapters: Vec<&wgpu::Adapter> = offered.iter().collect();
        let called = |adapter: &&wgpu::Adapter| adapter.get_info().name;
        if let Some(asked) = asked {
            let names: Vec<String> = adapters.iter().map(called).collect();
            adapters
                .retain(|adapter| called(adapter).to_lowercase().contains(&asked.to_lowercase()));
            if adapters.is_empty() {
                let found = names.join(", ");
                return Err(GpuError::NoSuchAdapter { asked: asked.to_owned(), found });
            }
        }
        // Of equal kinds the driver's first.
        let first = adapters.into_iter().min_by_key(|adapter| rank(adapter.get_info().device_type));
        first.map_or(Err(GpuError::NoAdapter), Device::with)
    }

    /// Opens this GPU with all it allows.
    fn with(adapter: &wgpu::Adapter) -> Result<Device, GpuError> {
        let clocks =
            wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        let has_clock = adapter.features().contains(clocks);
        let wanted = wgpu::DeviceDescriptor {
            label: Some("pliant"),
            required_features: if has_clock { clocks } else { wgpu::Features::empty() },
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let opened = pollster::block_on(adapter.request_device(&wanted));
        let (device, queue) =
            opened.map_err(|error| GpuError::Device { what: error.to_string() })?;
        let fault = Arc::new(Mutex::new(None));
        let keep = |fault: &Arc<Mutex<Option<String>>>, what: String| {
            if let Ok(mut first) = fault.lock() {
                first.get_or_insert(what);
            }
        };
        let kept = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |error| keep(&kept, error.to_string())));
        let kept = Arc::clone(&fault);
        device.set_device_lost_callback(move |_, what| keep(&kept, format!("it is lost: {what}")));
        let clock = has_clock.then(|| Clock::new(&device, queue.get_timestamp_period()));
        let info = adapter.get_info();
        let name = format!("{} ({} {})", info.name, info.driver, info.driver_info);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let staging = Kept::new("results to read back", usage);
        let (seconds, traffic) = (None, [0; 2]);
        let software = info.device_type == wgpu::DeviceType::Cpu;
        let (turns, tests) =
            if software { (SOFTWARE_TURNS, SOFTWARE_TESTS) } else { (TURNS, TESTS) };
        Ok(Device { device, queue, name, fault, clock, staging, turns, tests, seconds, traffic })
    }

    /// Name of the GPU and of its driver.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Begins a list of work; the GPU's clock starts with it.
    pub(crate) fn begin(&self) -> wgpu::CommandEncoder {
        let mut work = self.device.create_command_encoder(&Default::default());
        if let Some(clock) = &self.clock {
            work.write_timestamp(&clock.stamps, 0);
        }
        work
    }

    /// Submits the work, waits, and passes the parts, one after the other, to `look`.
    pub(crate) fn finish<R>(
        &mut self,
        mut work: wgpu::CommandEncoder,
        parts: &[Part<'_>],
        look: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, GpuError> {
        let bytes: u64 = parts.iter().map(|part| part.bytes).sum();
        let stamps_at = bytes.next_multiple_of(stride::<u64>());
        self.staging.reserve(&self.device, stamps_at + STAMPS)?;
        let staging = self.staging.get()?;
        if let Some(clock) = &self.clock {
            work.write_timestamp(&clock.stamps, 1);
            work.resolve_query_set(&clock.stamps, 0..2, &clock.buffer, 0);
        }
        let mut at = 0;
        for part in parts {
            work.copy_buffer_to_buffer(part.buffer, part.start, staging, at, Some(part.bytes));
            at += part.bytes;
        }
        if let Some(clock) = &self.clock {
            work.copy_buffer_to_buffer(&clock.buffer, 0, staging, stamps_at, Some(STAMPS));
        }
        self.queue.submit([work.finish()]);
        self.traffic = [self.traffic[0] + 1, self.traffic[1] + bytes];
        self.wait(staging, stamps_at + STAMPS)?;
        let view = staging.slice(..stamps_at + STAMPS).get_mapped_range();
        let view = view.map_err(|error| GpuError::Device { what: error.to_string() })?;
        let tick = self.clock.as_ref().map(|clock| clock.tick);
        self.seconds = tick.map(|tick| tick * ticks(&view[stamps_at as usize..]) as f64);
        let seen = look(&view[..bytes as usize]);
        drop(view);
        staging.unmap();
        Ok(seen)
    }

    /// Waits for the results and for errors of the driver.
    fn wait(&self, staging: &wgpu::Buffer, bytes: u64) -> Result<(), GpuError> {
        let (describe, reported) = mpsc::channel();
        staging.slice(..bytes).map_async(wgpu::MapMode::Read, move |mapped| {
            // The receiver may have given up; then the result is not needed.
            let _ = describe.send(mapped);
        });
        let fault = |what: String| GpuError::Device { what };
        let waited =
            self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: None });
        let complaint = self.fault.lock().map_err(|error| fault(error.to_string()))?.take();
        let mapped = reported.try_recv();
        if let Some(what) = complaint {
            if let Ok(Ok(())) = mapped {
                staging.unmap();
            }
            return Err(fault(what));
        }
        waited.map_err(|error| fault(error.to_string()))?;
        match mapped {
            Ok(mapped) => mapped.map_err(|error| fault(error.to_string())),
            Err(error) => Err(fault(error.to_string())),
        }
    }

    /// A kernel and what it is bound to, from its source and the name of its entry.
    pub(crate) fn kernel(&self, source: &str, entry: &str) -> wgpu::ComputePipeline {
        let module = self.shader(source);
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: None,
            module: &module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            cache: None,
        })
    }

    /// Compiles a source.
    pub(crate) fn shader(&self, source: &str) -> wgpu::ShaderModule {
        let source = wgpu::ShaderSource::Wgsl(source.into());
        self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
    }

    /// Binds resources, numbered from zero, to a kernel's or pipeline's first group.
    pub(crate) fn bind(
        &self,
        layout: &wgpu::BindGroupLayout,
        resources: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        let entries: Vec<(u32, wgpu::BindingResource<'_>)> =
            (0..).zip(resources.iter().cloned()).collect();
        self.bind_numbered(layout, &entries)
    }

    /// Binds resources with their numbers to a kernel's or pipeline's first group.
    pub(crate) fn bind_numbered(
        &self,
        layout: &wgpu::BindGroupLayout,
        resources: &[(u32, wgpu::BindingResource<'_>)],
    ) -> wgpu::BindGroup {
        let entries: Vec<wgpu::BindGroupEntry<'_>> = resources
            .iter()
            .map(|(binding, resource)| wgpu::BindGroupEntry {
                binding: *binding,
                resource: resource.clone(),
            })
            .collect();
        let (label, entries) = (None, &entries[..]);
        self.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries })
    }
}

impl Clock {
    fn new(device: &wgpu::Device, tick_ns: f32) -> Clock {
        let stamps = device.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count: 2,
        });
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: STAMPS,
            usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Clock { stamps, buffer, tick: 1e-9 * f64::from(tick_ns) }
    }
}

/// The GPUs of all drivers there are.
///
/// Where `XDG_RUNTIME_DIR` is unset, a layer of Mesa complains of it on the standard error:
/// wgpu turns on all kinds of windows that a Vulkan driver knows, whether there is a
/// display or not, and the layer then looks for one.
fn offers() -> Vec<wgpu::Adapter> {
    let mut wanted = wgpu::InstanceDescriptor::new_without_display_handle();
    wanted.flags = wgpu::InstanceFlags::empty();
    let instance = wgpu::Instance::new(wanted);
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()))
}

/// Ticks between two timestamps; zero where the driver gave none.
fn ticks(bytes: &[u8]) -> u64 {
    let stamp = |at: usize| bytes.as_chunks().0.get(at).map_or(0, |b| u64::from_le_bytes(*b));
    stamp(1).saturating_sub(stamp(0))
}

/// Which kind of GPU comes first: real ones before software.
fn rank(kind: wgpu::DeviceType) -> u32 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_gpu_goes_before_software() {
        assert!(rank(wgpu::DeviceType::DiscreteGpu) < rank(wgpu::DeviceType::Cpu));
        assert!(rank(wgpu::DeviceType::VirtualGpu) < rank(wgpu::DeviceType::Other));
    }

    #[test]
    fn a_clock_that_runs_backwards_tells_no_time() {
        let stamps = |a: u64, b: u64| [a.to_le_bytes(), b.to_le_bytes()].concat();
        assert_eq!(ticks(&stamps(5, 12)), 7);
        assert_eq!(ticks(&stamps(12, 5)), 0);
    }
}
