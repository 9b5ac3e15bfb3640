    // Index of the node upstream of node n along each direction, see links.rs; any node where a wall or an opening is upstream.
    let mark${again} = marks${again}[n / ${group}u];
    let offset${again} = n % ${group}u;
    let run${again} = mark${again}.y + countOneBits(mark${again}.x & ((2u << offset${again}) - 1u));
    // A word that most nodes need not, but a branch would cost more.
    let special${again} = specials[(mark${again}.w & ~${lists}u) + countOneBits(mark${again}.z & ((1u << offset${again}) - 1u))];
    let word${again} = select(0u, special${again}, (mark${again}.z >> offset${again} & 1u) != 0u);
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
