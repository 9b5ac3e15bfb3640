//! Sends values of numbered items from the ranks that hold them to the ranks that want them.

use hematite_config::{Fault, Result};

use crate::Comm;

/// The values that this rank sends to and receives from each rank. It is found once and used any number of times.
#[derive(Clone, Debug)]
pub struct Route {
    /// For each rank, the indices of the values held here that it wants.
    send: Vec<Vec<u32>>,
    /// For each rank, the indices of its values among those wanted here.
    receive: Vec<Vec<u32>>,
    wanted: usize,
}

impl Route {
    /// Finds the route. This rank holds the items numbered `held` and wants those numbered `wanted`, each at most once.
    /// Each item is held by one rank. Each rank keeps the list of holders for one range of numbers, so that memory
    /// follows the items of a rank. Collective.
    ///
    /// # Errors
    /// A usage fault when no rank holds an item that one wants; a lost-rank fault when a rank is gone.
    pub fn find(comm: &dyn Comm, held: &[u64], wanted: &[u64]) -> Result<Self> {
        let ranks = comm.size();
        let mut count = [held.iter().chain(wanted).max().map_or(0.0, |&most| most as f64 + 1.0)];
        comm.max(&mut count)?;
        let range = (count[0] as u64).div_ceil(ranks as u64).max(1);
        let keeper = |number: u64| (number / range) as usize;

        // The keepers of lists learn the holders of items, and answer the ranks that want them.
        let known = all_to_all(comm, &grouped(held, ranks, keeper).1)?;
        let mut holders: Vec<(u64, u64)> = Vec::new();
        for (rank, numbers) in known.iter().enumerate() {
            holders.extend(numbers.iter().map(|&number| (number, rank as u64)));
        }
        holders.sort_unstable();
        let (places, asked) = grouped(wanted, ranks, keeper);
        let nobody = ranks as u64;
        let look_up = |number: &u64| {
            let found = holders.binary_search_by_key(number, |&(number, _)| number);
            found.map_or(nobody, |at| holders[at].1)
        };
        let questions = all_to_all(comm, &asked)?;
        let answers: Vec<Vec<u64>> = questions.iter().map(|asked| asked.iter().map(look_up).collect()).collect();
        let answers = all_to_all(comm, &answers)?;
        let mut holder = vec![nobody; wanted.len()];
        for (places, answers) in places.iter().zip(&answers) {
            places.iter().zip(answers).for_each(|(&at, &rank)| holder[at as usize] = rank);
        }
        let missing = holder.iter().position(|&rank| rank == nobody);
        crate::agree(
            comm,
            match missing {
                Some(at) => Err(Fault::usage(format!("no rank holds number {}", wanted[at]))),
                None => Ok(()),
            },
        )?;

        // Holders learn which of their items other ranks want.
        let mut receive: Vec<Vec<u32>> = vec![Vec::new(); ranks];
        holder.iter().enumerate().for_each(|(at, &rank)| receive[rank as usize].push(at as u32));
        let orders: Vec<Vec<u64>> =
            receive.iter().map(|places| places.iter().map(|&at| wanted[at as usize]).collect()).collect();
        let mut places: Vec<(u64, u32)> = held.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let place = |number: &u64| {
            let found = places.binary_search_by_key(number, |&(number, _)| number);
            found.map_or(0, |at| places[at].1)
        };
        let send = all_to_all(comm, &orders)?.iter().map(|numbers| numbers.iter().map(place).collect()).collect();
        Ok(Self { send, receive, wanted: wanted.len() })
    }

    /// The rank that holds each of the wanted items, in their order.
    pub fn holders(&self) -> Vec<usize> {
        let mut holders = vec![0; self.wanted];
        for (rank, places) in self.receive.iter().enumerate() {
            places.iter().for_each(|&at| holders[at as usize] = rank);
        }
        holders
    }

    /// Sends `values`, of `width` bytes each, in the order of `held`. Returns the wanted values in the order of
    /// `wanted`. Collective.
    ///
    /// # Errors
    /// A lost-rank fault when a rank is gone.
    pub fn bring(&self, comm: &dyn Comm, values: &[u8], width: usize) -> Result<Vec<u8>> {
        let value = |at: &u32| &values[*at as usize * width..][..width];
        let out: Vec<Vec<u8>> =
            self.send.iter().map(|places| places.iter().flat_map(value).copied().collect()).collect();
        let mut into: Vec<Vec<u8>> = self.receive.iter().map(|places| vec![0; places.len() * width]).collect();
        exchange_all(comm, &out, &mut into)?;
        let mut all = vec![0; self.wanted * width];
        for (places, bytes) in self.receive.iter().zip(&into) {
            for (&at, value) in places.iter().zip(bytes.chunks_exact(width)) {
                all[at as usize * width..][..width].copy_from_slice(value);
            }
        }
        Ok(all)
    }

    /// Sends lists, each with `counts` items of `width` bytes that follow each other in `items`, in the order of `held`.
    /// Returns the counts and the items of the wanted lists in the order of `wanted`. Collective.
    ///
    /// # Errors
    /// A lost-rank fault when a rank is gone.
    pub fn bring_lists(
        &self,
        comm: &dyn Comm,
        counts: &[u32],
        items: &[u8],
        width: usize,
    ) -> Result<(Vec<u32>, Vec<u8>)> {
        let wanted: Vec<u32> =
            bytemuck::pod_collect_to_vec(&self.bring(comm, bytemuck::cast_slice(counts), size_of::<u32>())?);
        let mut start = 0;
        let ranges: Vec<std::ops::Range<usize>> = counts
            .iter()
            .map(|&count| {
                let first = start;
                start += count as usize * width;
                first..start
            })
            .collect();
        let list = |at: &u32| &items[ranges[*at as usize].clone()];
        let out: Vec<Vec<u8>> =
            self.send.iter().map(|places| places.iter().flat_map(list).copied().collect()).collect();
        let bytes = |places: &Vec<u32>| places.iter().map(|&at| wanted[at as usize] as usize * width).sum();
        let mut into: Vec<Vec<u8>> = self.receive.iter().map(|places| vec![0; bytes(places)]).collect();
        exchange_all(comm, &out, &mut into)?;
        let mut of_wanted: Vec<&[u8]> = vec![&[]; self.wanted];
        for (places, mut rest) in self.receive.iter().zip(into.iter().map(Vec::as_slice)) {
            for &at in places {
                let (mine, others) = rest.split_at(wanted[at as usize] as usize * width);
                (of_wanted[at as usize], rest) = (mine, others);
            }
        }
        let found = of_wanted.concat();
        Ok((wanted, found))
    }
}

/// The indices of the numbers and the numbers themselves, by their rank `of(number)`.
fn grouped(numbers: &[u64], ranks: usize, of: impl Fn(u64) -> usize) -> (Vec<Vec<u32>>, Vec<Vec<u64>>) {
    let mut groups = (vec![Vec::new(); ranks], vec![Vec::new(); ranks]);
    for (at, &number) in numbers.iter().enumerate() {
        groups.0[of(number)].push(at as u32);
        groups.1[of(number)].push(number);
    }
    groups
}

/// Sends a list to each rank and returns the lists that ranks send here. Collective.
///
/// # Errors
/// A lost-rank fault when a rank is gone.
pub fn all_to_all<T: bytemuck::Pod>(comm: &dyn Comm, lists: &[Vec<T>]) -> Result<Vec<Vec<T>>> {
    let lengths: Vec<[u64; 1]> = lists.iter().map(|list| [list.len() as u64]).collect();
    let mut come = vec![[0_u64]; comm.size()];
    let bytes = |list| bytemuck::cast_slice::<u64, u8>(list);
    let send: Vec<(usize, &[u8])> = lengths.iter().map(|length| bytes(length)).enumerate().collect();
    let mut receive: Vec<(usize, &mut [u8])> =
        come.iter_mut().map(|length| bytemuck::cast_slice_mut(length)).enumerate().collect();
    comm.exchange(&send, &mut receive)?;
    let mut into: Vec<Vec<T>> = come.into_iter().map(|[length]| vec![T::zeroed(); length as usize]).collect();
    exchange_all(comm, lists, &mut into)?;
    Ok(into)
}

/// Sends each list of `out` to its rank and fills each of `into` from its rank, except empty lists.
fn exchange_all<T: bytemuck::Pod>(comm: &dyn Comm, out: &[Vec<T>], into: &mut [Vec<T>]) -> Result<()> {
    let send: Vec<(usize, &[u8])> =
        out.iter().map(|list| bytemuck::cast_slice(list)).enumerate().filter(|(_, bytes)| !bytes.is_empty()).collect();
    let mut receive: Vec<(usize, &mut [u8])> = into
        .iter_mut()
        .map(|list| bytemuck::cast_slice_mut(list))
        .enumerate()
        .filter(|(_, bytes)| !bytes.is_empty())
        .collect();
    comm.exchange(&send, &mut receive)
}
