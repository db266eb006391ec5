//! The types for synchronisation in the modules that `loom` checks: those of the standard library or, in a build with
//! `--cfg loom`, those of `loom`, which tries all orders of events.

#[cfg(not(loom))]
pub(crate) use std::sync::{Mutex, OnceLock, atomic};

#[cfg(loom)]
pub(crate) use loom::sync::{Mutex, atomic};

#[cfg(loom)]
pub(crate) use once_lock::OnceLock;

#[cfg(loom)]
mod once_lock {
    use loom::cell::UnsafeCell;
    use loom::sync::Mutex;
    use loom::sync::atomic::{AtomicBool, Ordering};

    /// The used part of the standard library's `OnceLock`, built from types of `loom`.
    pub(crate) struct OnceLock<T> {
        set: AtomicBool,
        setting: Mutex<()>,
        value: UnsafeCell<Option<T>>,
    }

    // SAFETY: the value is written once, under the lock, before `set` tells of it.
    unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

    impl<T> Default for OnceLock<T> {
        fn default() -> Self {
            OnceLock::new()
        }
    }

    impl<T> OnceLock<T> {
        pub(crate) fn new() -> OnceLock<T> {
            OnceLock { set: AtomicBool::new(false), setting: Mutex::new(()), value: UnsafeCell::new(None) }
        }

        pub(crate) fn get(&self) -> Option<&T> {
            if !self.set.load(Ordering::Acquire) {
                return None;
            }
            // SAFETY: the value is not written again.
            self.value.with(|value| unsafe { (*value).as_ref() })
        }

        pub(crate) fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
            if self.get().is_none() {
                let _setting = self.setting.lock().expect("a model ends with its first panic");
                if !self.set.load(Ordering::Relaxed) {
                    let value = make();
                    // SAFETY: nobody reads before `set`, and nobody else writes.
                    self.value.with_mut(|place| unsafe { *place = Some(value) });
                    self.set.store(true, Ordering::Release);
                }
            }
            self.get().expect("just set")
        }
    }
}
