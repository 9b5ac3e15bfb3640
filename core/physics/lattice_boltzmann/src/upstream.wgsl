    // Index of the node upstream of node n along each direction, see links.rs; any node where a wall or an opening is upstream.
#if joined
    let both${again} = marks${again}[n / ${group}u];
    let mark${again} = vec4(split(both${again}.x), split(both${again}.y));
#else
    let mark${again} = marks${again}[n / ${group}u];
#endif
    let offset${again} = n % ${group}u;
    let run${again} = mark${again}.y + countOneBits(mark${again}.x & ((2u << offset${again}) - 1u));
    // A word that most nodes need not, but a branch would cost more.
    let special${again} = specials[(mark${again}.w & ~${lists}u) + countOneBits(mark${again}.z & ((1u << offset${again}) - 1u))];
    let word${again} = select(0u, special${again}, (mark${again}.z >> offset${again} & 1u) != 0u);
#if joined
#for p in pairs
    let beside${again}${p.k} = split(distances${again}[${pairs | length}u * run${again} + ${p.k - 1}u]);
    let upstream${again}${p.i} = min(n + beside${again}${p.k}.x, span.stride - 1u);
    let upstream${again}${p.j} = min(n + beside${again}${p.k}.y, span.stride - 1u);
#endfor
#else
#for r in range(row_loads)
    let rows${again}${r} = distances${again}[${row_loads}u * run${again} + ${r}u];
#endfor
#for p in pairs
#for way in [p.ij, p.ji]
    var upstream${again}${way.out} = min(n ${way.upstream | replace("rows", "rows" ~ again)}, span.stride - 1u);
#endfor
#endfor
    if (mark${again}.w >= ${lists}u && (word${again} & ${listed}u) != 0u) {
        let list = ${q - 1}u * rows${again}0.x;
#for p in pairs
        upstream${again}${p.i} = n + lists[list + ${p.i - 1}u];
        upstream${again}${p.j} = n + lists[list + ${p.j - 1}u];
#endfor
    }
#endif
