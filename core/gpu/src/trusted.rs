//! Shader modules without run-time checks.
#![expect(unsafe_code, reason = "wgpu makes modules without bounds and loop checks through an unsafe call only")]

/// A shader module, with wgpu's checks of bounds and loops if `checks`.
pub(crate) fn shader_module(device: &wgpu::Device, label: &str, wgsl: &str, checks: bool) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor { label: Some(label), source: wgpu::ShaderSource::Wgsl(wgsl.into()) };
    if checks {
        return device.create_shader_module(descriptor);
    }
    // Sound because the same sources run with checks in the tests, and their indices come from validated link tables.
    unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) }
}
