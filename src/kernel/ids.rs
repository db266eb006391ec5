//! Newtypes for ids, so that ids of different kinds cannot be confused. In memory, each is a `u32`.

pub(crate) trait Id: Copy + Ord {
    fn to_bits(self) -> u32;
    fn of_bits(bits: u32) -> Self;
}

/// For states of automata and numbers of sets, which have no newtype and are packed into keys beside nodes.
impl Id for u32 {
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self
    }

    #[inline(always)]
    fn of_bits(bits: u32) -> Self {
        bits
    }
}

/// Defines an id type. Only the kernel converts ids from and to bits, in packed keys, slots and files.
macro_rules! id {
    ($(#[$attribute:meta])* $visible:vis struct $name:ident) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[repr(transparent)]
        $visible struct $name(u32);

        impl $name {
            #[inline(always)]
            pub(in crate) const fn bits(self) -> u32 {
                self.0
            }

            #[inline(always)]
            pub(in crate) const fn from_bits(bits: u32) -> Self {
                Self(bits)
            }
        }

        impl $crate::ids::Id for $name {
            #[inline(always)]
            fn to_bits(self) -> u32 {
                self.0
            }

            #[inline(always)]
            fn of_bits(bits: u32) -> Self {
                Self(bits)
            }
        }

        // Sweeps sort lists of ids, so ids compare as plain integers instead of by derived code.
        impl PartialOrd for $name {
            #[inline(always)]
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }

            #[inline(always)]
            fn lt(&self, other: &Self) -> bool {
                self.0 < other.0
            }

            #[inline(always)]
            fn le(&self, other: &Self) -> bool {
                self.0 <= other.0
            }

            #[inline(always)]
            fn gt(&self, other: &Self) -> bool {
                self.0 > other.0
            }

            #[inline(always)]
            fn ge(&self, other: &Self) -> bool {
                self.0 >= other.0
            }
        }

        impl Ord for $name {
            #[inline(always)]
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.0.cmp(&other.0)
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }
        }
    };
}
pub(super) use id;
