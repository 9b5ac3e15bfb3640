                        let most = vec3<real>(real(${largest_answer}));
                        let F = real(${scale.force}) * clamp(w * (g + cross(alpha, r - c)), -most, most);
                        let half = vec3<real>(real(0.5));
                        let f = vec3<i32>(F + select(half, -half, F < vec3<real>()));
                        atomicAdd(&node_force[n], f.x);
                        atomicAdd(&node_force[span.node_stride + n], f.y);
                        atomicAdd(&node_force[2u * span.node_stride + n], f.z);
