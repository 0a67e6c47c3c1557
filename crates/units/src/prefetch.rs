//! Asking the cache for an entry of a table before it is needed: on a drive of any size nearly every look-up
//! of a random page is a cache miss, and what is looked up is known long before.

/// Starts to fetch `entries[index]` into the cache; beyond the end it does nothing.
#[inline]
pub fn prefetch<T>(entries: &[T], index: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(entry) = entries.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the pointer comes from a live reference, and PREFETCHT0 reads and writes
        // nothing architecturally visible: it cannot fault and has no result. SSE, which it
        // belongs to, is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(entry).cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (entries, index);
}
