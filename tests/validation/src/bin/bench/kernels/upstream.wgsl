    // Where the populations of node n stand on odd steps, in numbers whose names end in `t`: at, or else
    // upstream, which leaves walls aside.
    let n${t} = first + ${t_nodes}u;
#if links == "table"
#for p in pairs
    let at${p.i}${t} = links_${p.k}[n${t}];
    let at${p.j}${t} = links_${p.k}[stride + n${t}];
#endfor
#elif links == "fixed"
#for p in pairs
    let at${p.i}${t} = stride + n${t} + ${p.k * 640 + shift * p.k}u;
    let at${p.j}${t} = n${t} + ${p.k * 6400 + shift * p.k}u;
#endfor
#else
#if links == "groups"
    let group${t} = groups${again}[n${t} >> 5u];
    let lane${t} = n${t} & 31u;
    let run${t} = group${t}.y + countOneBits(group${t}.x & ((2u << lane${t}) - 1u));
    let special${t} = (group${t}.w & 0x7fffffffu) + countOneBits(group${t}.z & ((1u << lane${t}) - 1u));
    let word${t} = select(0u, specials[special${t}], (group${t}.z >> lane${t} & 1u) != 0u);
#else
    let word${t} = words[n${t}];
#endif
#if links == "directions" or links == "split"
    let run${t} = (first_run[n${t} >> 8u] + (word${t} >> ${directions}u)) * ${direction_loads}u;
#for r in range(direction_loads)
    let d${r}${t} = distances[run${t} + ${r}u];
#endfor
#for p in pairs
    let upstream${p.i}${t} = n${t} + d${p.row_i}${t}[${p.at_i}];
    let upstream${p.j}${t} = n${t} + d${p.row_j}${t}[${p.at_j}];
#endfor
#else
#for r in range(row_loads)
    let d${r}${t} = distances${again}[run${t} * ${row_loads}u + ${r}u];
#endfor
#for p in pairs
    var upstream${p.i}${t} = min(n${t} ${p.upstream_i}#{% if p.beside_i %} + d${p.beside_i[0]}${t}${p.beside_i[1]}#{% endif %}, stride - 1u);
    var upstream${p.j}${t} = min(n${t} ${p.upstream_j}#{% if p.beside_j %} + d${p.beside_j[0]}${t}${p.beside_j[1]}#{% endif %}, stride - 1u);
#endfor
    if (group${t}.w >= 0x80000000u && (word${t} & ${listed_bit}u) != 0u) {
        let list = d0${t}.x * ${directions}u;
#for p in pairs
        upstream${p.i}${t} = n${t} + lists[list + ${p.i - 1}u];
        upstream${p.j}${t} = n${t} + lists[list + ${p.j - 1}u];
#endfor
    }
#endif
#if links != "split"
#for p in pairs
    let at${p.i}${t} = select(stride + upstream${p.i}${t}, n${t}, (word${t} & ${p.bit_i}u) != 0u);
    let at${p.j}${t} = select(upstream${p.j}${t}, stride + n${t}, (word${t} & ${p.bit_j}u) != 0u);
#endfor
#endif
#endif
