//! Codes and references as numbers of 2 or 4 bytes, whichever suffices.

use super::plan::Plan;

pub(super) fn code_bytes(plan: &Plan) -> usize {
    // Codes of deeper levels are smaller than `base`.
    if plan.base <= 1 << 16 { 2 } else { 4 }
}

pub(super) fn reference_bytes(records: u32) -> usize {
    if records <= 1 << 16 { 2 } else { 4 }
}

#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub(super) at: *mut u8,
    pub(super) wide: bool,
}

impl Numbers {
    /// # Safety
    /// There must be room for the number.
    #[inline(always)]
    pub(super) unsafe fn set(self, place: usize, number: u32) {
        // SAFETY: by this function's contract; pieces of logs are aligned to 8 bytes.
        unsafe {
            if self.wide {
                *self.at.cast::<u32>().add(place) = number;
            } else {
                *self.at.cast::<u16>().add(place) = number as u16;
            }
        }
    }

    /// # Safety
    /// The number must have been written.
    #[inline(always)]
    pub(super) unsafe fn get(self, place: usize) -> u32 {
        // SAFETY: by this function's contract.
        unsafe {
            if self.wide { *self.at.cast::<u32>().add(place) } else { u32::from(*self.at.cast::<u16>().add(place)) }
        }
    }
}
