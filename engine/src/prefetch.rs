//! Asking for memory before it is needed. Knows nothing of what is kept there.

/// Asks for the cache line where `item` begins.
#[inline(always)]
#[expect(unsafe_code, reason = "there is no safe prefetch")]
pub(crate) fn prefetch<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch may be given any address, and changes nothing but the cache.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}

/// Asks for all cache lines of some items; none is larger than a line.
#[inline]
pub(crate) fn prefetch_all<T>(items: &[T]) {
    items.iter().step_by(64 / size_of::<T>()).for_each(prefetch);
}
