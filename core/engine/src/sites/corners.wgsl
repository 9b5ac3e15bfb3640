    // The sites around a position p, low (0) and high (1) along each axis: the distance f of the position from the low
    // site, the sites s, the places k of their blocks and the places l in these.
#for axis in axes
    let f${axis.name} = fraction(p${axis.name}.y);
    let s${axis.name}0 = wrapped_${axis.name}(p${axis.name}.x);
    let s${axis.name}1 = after_${axis.name}(s${axis.name}0);
    let k${axis.name}0 = place_${axis.name}(s${axis.name}0);
    let k${axis.name}1 = place_${axis.name}(s${axis.name}1);
    let l${axis.name}0 = u32(s${axis.name}0 & 7) << ${3 * axis.index}u;
    let l${axis.name}1 = u32(s${axis.name}1 & 7) << ${3 * axis.index}u;
#endfor
