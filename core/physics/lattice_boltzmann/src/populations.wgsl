// The populations of pairs.
#for p in pairs
var<storage, ${access}> f_${p.k}: array<stored>;
#endfor
