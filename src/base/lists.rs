//! Lists by index, all in one array.

#[derive(Debug, Clone)]
pub struct Lists<T> {
    /// For each list, the start of its items; then the end of the last list.
    offsets: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Makes `count` lists. Each item comes with the index of its list. Both calls of `items` must give the same items.
    /// The items of a list keep their order. Linear time, by counting.
    ///
    /// # Panics
    /// With 2³² items or more.
    pub fn new<I: Iterator<Item = (u32, T)>>(count: usize, items: impl Fn() -> I) -> Lists<T> {
        let (mut offsets, mut total) = (vec![0u32; count + 1], 0u32);
        for (index, _) in items() {
            total = total.checked_add(1).expect("items of lists have numbers of 32 bits");
            offsets[index as usize + 1] += 1;
        }
        (0..count).for_each(|index| offsets[index + 1] += offsets[index]);
        let (mut places, mut all) = (offsets.clone(), vec![T::default(); total as usize]);
        for (index, item) in items() {
            let place = &mut places[index as usize];
            all[*place as usize] = item;
            *place += 1;
        }
        Lists { offsets, items: all }
    }

    #[inline]
    pub fn of(&self, index: u32) -> &[T] {
        &self.items[self.offsets[index as usize] as usize..self.offsets[index as usize + 1] as usize]
    }

    /// Sorts each list.
    pub fn sort(&mut self)
    where
        T: Ord,
    {
        for ends in self.offsets.windows(2) {
            self.items[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
    }

    /// Number of lists.
    pub fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The items of all lists.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    pub fn bytes(&self) -> usize {
        self.offsets.capacity() * size_of::<u32>() + self.items.capacity() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order_in_their_lists() {
        let mut lists = Lists::new(4, || [(2, 'b'), (0, 'x'), (2, 'a'), (2, 'b')].into_iter());
        assert_eq!(
            [0, 1, 2, 3].map(|index| lists.of(index).to_vec()),
            [vec!['x'], vec![], vec!['b', 'a', 'b'], vec![]]
        );
        lists.sort();
        assert_eq!([lists.of(0), lists.of(2)], [&['x'][..], &['a', 'b', 'b']]);
        assert_eq!((lists.count(), lists.items().len()), (4, 4));
        assert_eq!(Lists::<char>::new(0, std::iter::empty).count(), 0);
    }
}
