    // The node upstream of node n along each direction, see links.rs; some node where a wall or an opening is upstream.
    let word${again} = words${again}[n];
    let run${again} = first_run[n / ${block}u] + (word${again} >> ${q}u);
#for r in range(row_loads)
    let rows${again}${r} = distances${again}[${row_loads}u * run${again} + ${r}u];
#endfor
#for p in pairs
#for way in [p.ij, p.ji]
    var upstream${again}${way.out} = min(n ${way.upstream | replace("rows", "rows" ~ again)}, span.stride - 1u);
#endfor
#endfor
    if ((word${again} & ${listed}u) != 0u) {
        let list = ${q - 1}u * rows${again}0.x;
#for p in pairs
        upstream${again}${p.i} = n + lists[list + ${p.i - 1}u];
        upstream${again}${p.j} = n + lists[list + ${p.j - 1}u];
#endfor
    }
