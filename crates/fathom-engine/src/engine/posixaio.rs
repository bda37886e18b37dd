//! `posixaio`: the POSIX interface for asynchronous I/O, as the C library has it.
//!
//! glibc does this I/O in threads of its own, with one thread for each open file: I/Os of one descriptor come one after the
//! other, whatever the depth. fio measures the same.

use super::inline::InlineFiles;
use super::{AsyncEngine, Context, EngineEntry, EngineError, Replacement, Staged, errno};
use crate::desc::{Desc, Op};
use crate::memory::SlotBuffers;
use std::collections::VecDeque;
use std::io;

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::queued::<PosixAio>("posixaio");

/// How long to wait before the next try where the C library accepts no I/O and has none, ns.
const NO_ROOM_NS: u64 = 100_000;

/// A control block for each slot.
pub struct PosixAio {
    inline: InlineFiles,
    slots: SlotBuffers,
    /// They never move, because the C library has their addresses.
    blocks: Box<[libc::aiocb]>,
    /// Slots that are not yet given to the C library, with what each does.
    staged: VecDeque<(u32, Op)>,
    /// Slots that the C library has.
    flying: Vec<u32>,
    /// Slots that are done, with their results.
    landed: VecDeque<(u32, i32)>,
    /// The blocks of `flying`, for aio_suspend(3).
    waited_for: Vec<*const libc::aiocb>,
}

impl AsyncEngine for PosixAio {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let depth = context.depth as usize;
        // SAFETY: a control block is plain data, for which all zeros are a value.
        let blocks = (0..depth).map(|_| unsafe { std::mem::zeroed() }).collect();
        Ok(PosixAio {
            inline: InlineFiles::of(context.files, context.plan),
            slots: context.buffers.slots(),
            blocks,
            staged: VecDeque::with_capacity(depth),
            flying: Vec::with_capacity(depth),
            landed: VecDeque::with_capacity(depth),
            waited_for: Vec::with_capacity(depth),
        })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.inline.replace(by);
        Ok(())
    }

    fn stage(&mut self, slot: u32, desc: &Desc) {
        let block = &mut self.blocks[slot as usize];
        block.aio_fildes = self.inline.fd(desc);
        block.aio_buf = self.slots.of(slot, desc.is_write()).cast();
        block.aio_nbytes = desc.len() as usize;
        block.aio_offset = desc.offset as libc::off_t;
        block.aio_sigevent.sigev_notify = libc::SIGEV_NONE;
        self.staged.push_back((slot, desc.op()));
    }

    fn control(&mut self, _slot: u32, desc: &Desc) -> Staged {
        Staged::Done(self.inline.control(desc))
    }

    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        let submitted = self.submit_staged();
        self.look();
        let began = std::time::Instant::now();
        while self.landed.len() < wait as usize {
            let passed = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
            let Some(left_ns) = timeout_ns.checked_sub(passed).filter(|left| *left > 0) else { break };
            match self.flying.is_empty() {
                true => {
                    std::thread::sleep(std::time::Duration::from_nanos(left_ns.min(NO_ROOM_NS)));
                    break;
                }
                false => self.suspend(left_ns)?,
            }
            self.look();
        }
        Ok(submitted)
    }

    fn available(&mut self) -> usize {
        self.look();
        self.landed.len()
    }

    fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
        for (slot, result) in self.landed.drain(..count) {
            done(slot.into(), result);
        }
    }

    fn notes(&self) -> Vec<(String, String)> {
        vec![("posixaio.threads".into(), "one thread of the C library for each open file".into())]
    }
}

impl PosixAio {
    /// Gives what is staged to the C library until it accepts no more. What it refuses for another reason has that as its
    /// result.
    fn submit_staged(&mut self) -> u32 {
        let mut count = 0;
        while let Some(&(slot, op)) = self.staged.front() {
            let block = &raw mut self.blocks[slot as usize];
            // SAFETY: the block stays where it is, and its buffer is the slot's, until the slot is reaped.
            let status = unsafe {
                match op {
                    Op::Read => libc::aio_read(block),
                    _ => libc::aio_write(block),
                }
            };
            match (status, errno()) {
                (0, _) => self.flying.push(slot),
                (_, libc::EAGAIN) => break,
                (_, why) => self.landed.push_back((slot, -why)),
            }
            self.staged.pop_front();
            count += 1;
        }
        count
    }

    /// Finds what is done, in the order of submission.
    fn look(&mut self) {
        let PosixAio { blocks, flying, landed, .. } = self;
        flying.retain(|&slot| {
            let block = &raw mut blocks[slot as usize];
            // SAFETY: the C library has this block, and has not returned its result yet.
            let result = unsafe {
                match libc::aio_error(block) {
                    libc::EINPROGRESS => return true,
                    0 => libc::aio_return(block) as i32,
                    why => {
                        libc::aio_return(block);
                        -why
                    }
                }
            };
            landed.push_back((slot, result));
            false
        });
    }

    /// Waits until one is done, or `left_ns` are over.
    fn suspend(&mut self, left_ns: u64) -> io::Result<()> {
        self.waited_for.clear();
        self.waited_for.extend(self.flying.iter().map(|slot| &raw const self.blocks[*slot as usize]));
        let left = libc::timespec {
            tv_sec: (left_ns / 1_000_000_000).min(i64::MAX as u64) as libc::time_t,
            tv_nsec: (left_ns % 1_000_000_000) as i64,
        };
        // SAFETY: the list holds as many blocks as the count says, and all of them are the C library's.
        let status = unsafe {
            libc::aio_suspend(self.waited_for.as_ptr(), self.waited_for.len() as i32, &raw const left)
        };
        match (status, errno()) {
            (0, _) | (_, libc::EAGAIN | libc::EINTR) => Ok(()),
            (_, why) => Err(io::Error::from_raw_os_error(why)),
        }
    }
}
