// Where the list of tile `tile` among those around begins, into `link`.
#for axis in axes
    let i${axis.name} = tile${axis.tile_digit};
#endfor
    link = span.stride + ((directory[${contact.chosen_place}] << ${contact.tile.block_bits}u) | ${contact.chosen_local});
