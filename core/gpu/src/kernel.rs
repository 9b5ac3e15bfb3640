//! Kernels: WGSL whose storage buffers are bound by name.

use hematite_config::{Fault, Result};

use crate::binding::{self, Binding};
use crate::{Buffer, Gpu, trusted};

/// A compute pipeline and the table of its bindings.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    table: Vec<Binding>,
    label: String,
}

/// The buffers bound to a kernel.
#[derive(Clone, Debug)]
pub struct Bound {
    pub(crate) group: wgpu::BindGroup,
}

impl Kernel {
    /// Compiles `wgsl` from [`crate::render`]. Its entry point is `main`; it declares its storage buffers and
    /// `immediates` bytes of immediate data.
    ///
    /// # Errors
    /// A no-GPU fault where the device has too few bindings or refuses the shader.
    pub fn new(gpu: &Gpu, label: &str, wgsl: &str, immediates: u32) -> Result<Self> {
        let table = binding::table(wgsl);
        let limit = gpu.limits.max_storage_buffers_per_shader_stage as usize;
        if table.len() > limit {
            return Err(Fault::no_gpu(format!(
                "{} binds {limit} storage buffers, kernel {label} needs {}",
                gpu.info().name,
                table.len()
            )));
        }
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let entries: Vec<_> = table
            .iter()
            .zip(0..)
            .map(|(binding, number)| wgpu::BindGroupLayoutEntry {
                binding: number,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: !binding.written },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let layout = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries: &entries });
        let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: immediates,
        });
        let module = trusted::shader_module(&gpu.device, label, wgsl, gpu.checks);
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        match pollster::block_on(scope.pop()) {
            None => Ok(Self { pipeline, layout, table, label: label.to_owned() }),
            Some(error) => Err(Fault::no_gpu(format!("{} refuses kernel {label}: {error}", gpu.info().name))),
        }
    }

    /// Binds buffers by name, in any order. Names that the kernel lacks are ignored.
    ///
    /// # Panics
    /// When a name is missing, which is a bug of the program.
    pub fn bind(&self, gpu: &Gpu, buffers: &[(&str, &Buffer)]) -> Bound {
        let entries: Vec<_> = self
            .table
            .iter()
            .zip(0..)
            .map(|(binding, number)| {
                let buffer = buffers.iter().find(|(name, _)| *name == binding.name);
                let (_, buffer) =
                    buffer.unwrap_or_else(|| panic!("kernel {}: nothing bound to {}", self.label, binding.name));
                wgpu::BindGroupEntry { binding: number, resource: buffer.inner.as_entire_binding() }
            })
            .collect();
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&self.label),
            layout: &self.layout,
            entries: &entries,
        });
        Bound { group }
    }
}
