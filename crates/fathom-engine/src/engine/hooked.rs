//! An engine that runs another one and calls a hook (`crate::hook`) before and after each I/O.

use super::{AsyncEngine, Context, EngineError, Replacement, Staged, SyncEngine};
use crate::desc::Desc;
use crate::drawn_priorities::DrawnPriorities;
use crate::hook::SharedHook;
use crate::memory::SlotBuffers;
use std::io;

/// An engine that calls a hook for each I/O.
pub struct Hooked<E> {
    engine: E,
    hook: SharedHook,
    buffers: SlotBuffers,
    /// What each slot does.
    descs: Box<[Desc]>,
}

impl<E> Hooked<E> {
    fn around(engine: E, context: &Context<'_>) -> Self {
        let hook = context.hook.clone().unwrap_or_else(|| unreachable!("a hooked engine has a hook"));
        let descs = vec![Desc::EMPTY; context.depth.max(1) as usize].into();
        Hooked { engine, hook, buffers: context.buffers.slots(), descs }
    }
}

/// The buffer of an I/O.
///
/// # Safety
/// `buffer` is the slot's buffer for this direction, the I/O is not in flight, and nothing else uses the buffer.
unsafe fn data_of<'b>(desc: &Desc, buffer: *mut u8) -> &'b mut [u8] {
    let bytes = if desc.is_transfer() { desc.len() as usize } else { 0 };
    // SAFETY: the slot has room for every I/O of its job, and the caller has the rest.
    unsafe { std::slice::from_raw_parts_mut(buffer, bytes) }
}

impl<E: SyncEngine> SyncEngine for Hooked<E> {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        E::open(context).map(|engine| Hooked::around(engine, context))
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.engine.replace(by)
    }

    fn execute(&mut self, desc: &Desc, buffer: *mut u8) -> i32 {
        self.engine.execute(desc, buffer)
    }

    fn control(&mut self, desc: &Desc) -> i32 {
        self.engine.control(desc)
    }

    #[allow(clippy::not_unsafe_ptr_arg_deref, reason = "the loop passes the buffer of the worker's slot")]
    fn before(&mut self, desc: &Desc, buffer: *mut u8) {
        // SAFETY: it is the buffer of the only slot, and nothing is in flight.
        let data = unsafe { data_of(desc, buffer) };
        self.hook.borrow_mut().issue(0, desc, data);
    }

    #[allow(clippy::not_unsafe_ptr_arg_deref, reason = "the loop passes the buffer of the worker's slot")]
    fn after(&mut self, desc: &Desc, result: i32, buffer: *mut u8) {
        // SAFETY: as above; the I/O is complete.
        let data = unsafe { data_of(desc, buffer) };
        self.hook.borrow_mut().complete(0, desc, result, data);
    }

    fn notes(&self) -> Vec<(String, String)> {
        self.engine.notes()
    }
}

impl<E: AsyncEngine> AsyncEngine for Hooked<E> {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        E::open(context).map(|engine| Hooked::around(engine, context))
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.engine.replace(by)
    }

    fn stage(&mut self, slot: u32, desc: &Desc) {
        self.descs[slot as usize] = *desc;
        // SAFETY: the queue stages into a free slot, whose buffer nothing uses.
        let data = unsafe { data_of(desc, self.buffers.of(slot, desc.is_write())) };
        self.hook.borrow_mut().issue(slot, desc, data);
        self.engine.stage(slot, desc);
    }

    fn control(&mut self, slot: u32, desc: &Desc) -> Staged {
        self.descs[slot as usize] = *desc;
        self.hook.borrow_mut().issue(slot, desc, &mut []);
        let staged = self.engine.control(slot, desc);
        if let Staged::Done(result) = staged {
            self.hook.borrow_mut().complete(slot, desc, result, &mut []);
        }
        staged
    }

    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        self.engine.submit(wait, timeout_ns)
    }

    fn queues(&self, desc: &Desc) -> bool {
        self.engine.queues(desc)
    }

    fn joins(&self, desc: &Desc, as_fio: bool) -> bool {
        self.engine.joins(desc, as_fio)
    }

    fn commit(&mut self) -> io::Result<()> {
        self.engine.commit()
    }

    fn collect(&mut self, wait: u32, max: u32, timeout_ns: u64) -> io::Result<()> {
        self.engine.collect(wait, max, timeout_ns)
    }

    fn available(&mut self) -> usize {
        self.engine.available()
    }

    fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
        let Hooked { engine, hook, buffers, descs } = self;
        let mut hook = hook.borrow_mut();
        engine.reap(count, |slot, result| {
            // A number that is no slot is an error of the engine, which the loop reports.
            if let Some(desc) = descs.get(slot as usize) {
                // SAFETY: the I/O of the slot is complete, and the slot is free only after `done`.
                let data = unsafe { data_of(desc, buffers.of(slot as u32, desc.is_write())) };
                hook.complete(slot as u32, desc, result, data);
            }
            done(slot, result);
        });
    }

    fn gives_up(&self, idle_ns: u64) -> Option<&'static str> {
        self.engine.gives_up(idle_ns)
    }

    fn drawn_priorities(&self) -> Option<DrawnPriorities> {
        self.engine.drawn_priorities()
    }

    fn notes(&self) -> Vec<(String, String)> {
        self.engine.notes()
    }
}
