// Particles: position in 1 / ONE from the lowest corner, velocity in lattice units a step, component after component.
var<storage, read_write> position: array<i32>;
var<storage, read_write> velocity: array<f32>;

fn position_of(i: u32) -> vec3<i32> {
    var at = vec3<i32>(0);
#for axis in axes
    at.${axis.name} = position[${axis.index}u * span.room + i];
#endfor
    return at;
}

fn velocity_of(i: u32) -> vec3<f32> {
    var v = vec3<f32>(0.0);
#for axis in axes
    v.${axis.name} = velocity[${axis.index}u * span.room + i];
#endfor
    return v;
}

fn put(i: u32, at: vec3<i32>, v: vec3<f32>) {
#for axis in axes
    position[${axis.index}u * span.room + i] = at.${axis.name};
    velocity[${axis.index}u * span.room + i] = v.${axis.name};
#endfor
}
