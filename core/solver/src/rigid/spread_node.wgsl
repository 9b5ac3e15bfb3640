                        let most = vec3<real>(real(${largest_answer}));
                        let f = vec3<i32>(round(real(${scale.force}) * clamp(w * (g + cross(alpha, r - c)), -most, most)));
                        atomicAdd(&node_force[n], f.x);
                        atomicAdd(&node_force[span.node_stride + n], f.y);
                        atomicAdd(&node_force[2u * span.node_stride + n], f.z);
