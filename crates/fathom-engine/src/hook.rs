//! What is called for each I/O of a worker: verification, and whatever else must know what completed.
//!
//! A worker with a hook runs its engine inside [`crate::engine::hooked::Hooked`], which calls the hook before an I/O is issued and when it
//! is complete, with the I/O's buffer, while its slot is still taken. So the loops contain no hooks, a job without one
//! runs the engine alone, and the hook's time is in no latency: a completion has its stamp before the hook is called.

use crate::desc::Desc;
use std::cell::RefCell;
use std::rc::Rc;

/// Is called for each I/O of one worker. An I/O is issued once and completed once; between the two nothing else uses its
/// slot.
pub trait Hook {
    /// A read, write, trim or sync is about to be issued. The buffer of a write may be changed; a trim or sync has none.
    fn issue(&mut self, slot: u32, desc: &Desc, data: &mut [u8]);

    /// It has completed. `result` is the bytes that were moved, 0 for a trim or sync, or a negative errno. The buffer of a read
    /// holds what was read.
    fn complete(&mut self, slot: u32, desc: &Desc, result: i32, data: &mut [u8]);
}

/// A hook of a worker, which its engine and its source may share. It stays on the worker's thread.
pub type SharedHook = Rc<RefCell<dyn Hook>>;
