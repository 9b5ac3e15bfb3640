    // Each pair of opposite directions, its sum and its difference.
#for p in pairs
    let f${p.i} = load(f_${p.k}[at${p.i}]);
    let f${p.j} = load(f_${p.k}[at${p.j}]);
    let sum${p.k} = f${p.i} + f${p.j};
    let difference${p.k} = f${p.i} - f${p.j};
#endfor
