// Dashpots along edges: the force on i from its neighbour j is -gamma (v_ij . e_ij) e_ij, with e_ij the unit vector
// between them. It conserves linear and angular momentum. In 3-D eta_m = sqrt(3) / 4 gamma (Fedosov, Caswell and
// Karniadakis,
// Biophys. J. 98, 2215, 2010, without transversal friction); in 2-D gamma = eta_m / l, the tension of a stretched
// sheet. Returns the tension of the edge `edge` from i to j, of length `l`; `dv` = v_j - v_i.
fn damping(edge: Axes, l: real, dv: Axes) -> real {
#if dimension == 2
    return real(${eta}) * dot(dv, edge) / (l * l);
#else
    return real(${gamma}) * dot(dv, edge) / l;
#endif
}
