//! Work that several threads do side by side, and this thread alone where no other can be started.

use std::thread::{Builder, ScopedJoinHandle, scope};

/// Runs `work` in this thread and in up to `threads - 1` further ones, and returns what each returned. `work` must take what it
/// does from a common store until that is empty, since a limit of processes, threads or memory may leave it to fewer threads.
pub fn side_by_side<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    with(threads, &work, Builder::new)
}

fn with<T: Send>(threads: usize, work: &(impl Fn() -> T + Sync), builder: impl Fn() -> Builder) -> Vec<T> {
    scope(|scope| {
        // After the first thread that cannot be started, no other is tried.
        let started = (1..threads).map_while(|_| builder().spawn_scoped(scope, work).ok());
        let others: Vec<ScopedJoinHandle<'_, T>> = started.collect();
        let own = work();
        let join = |other: ScopedJoinHandle<'_, T>| {
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        std::iter::once(own).chain(others.into_iter().map(join)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// All of the work is done, with threads and without.
    #[test]
    fn without_further_threads_this_one_does_all() {
        // No machine has room for such a stack, so the thread cannot be started.
        let none = || Builder::new().stack_size(usize::MAX / 4);
        for (threads, can_start, ended) in [(4, true, 4), (4, false, 1), (1, true, 1), (0, true, 1)] {
            let store = Mutex::new((0..1000).collect::<Vec<u32>>());
            let work = || std::iter::from_fn(|| store.lock().unwrap().pop()).count();
            let counts = if can_start { side_by_side(threads, work) } else { with(threads, &work, none) };
            assert_eq!((counts.len(), counts.iter().sum::<usize>()), (ended, 1000), "{threads} {can_start}");
        }
    }
}
