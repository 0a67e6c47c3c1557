//! Asking the system for large memory pages: the entries of a table are looked up at random, and with small pages
//! nearly every look-up on a large drive also misses the table of pages.

/// Asks for large memory pages behind `entries`, which should not be used yet. Changes nothing that can be
/// observed; where the system has no large pages, nothing at all.
pub fn ask_for_large_pages<T>(entries: &mut [T]) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        use rustix::mm::{Advice, madvise};
        /// Advice is taken for whole small pages; none is larger than this.
        const ALIGNMENT: usize = 1 << 16;
        let bytes = size_of_val(entries);
        let start = entries.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(ALIGNMENT);
        let length = bytes.saturating_sub(skipped) / ALIGNMENT * ALIGNMENT;
        if length > 0 {
            // SAFETY: `skipped + length <= bytes`, so that the range lies within the slice, which we alone
            // refer to. This advice leaves the contents and the protection of memory as they are.
            let advised = unsafe { madvise(start.add(skipped).cast(), length, Advice::LinuxHugepage) };
            // a system without large pages refuses, and all is as before
            let _ = advised;
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = entries;
}
