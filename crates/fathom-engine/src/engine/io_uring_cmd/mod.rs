//! `io_uring_cmd`: NVMe commands through an io_uring, to the generic character device of a namespace.
//!
//! A command passes neither the block layer nor the page cache. Its entry is that of a ring with large entries; the kernel maps the
//! buffers for the drive and returns the drive's status. `num_range` puts several trims into one command: their I/Os then have one
//! entry and one completion.

mod command;

use super::{AsyncEngine, Context, EngineEntry, EngineError, Replacement, Staged};
use crate::desc::{Desc, Op};
use crate::memory::SlotBuffers;
use crate::nvme_command::NvmeCommand;
use crate::nvme_status::result_of;
use crate::ring::abi::*;
use crate::ring::{RingOf, RingSetup, Wide};
use crate::target::OpenTarget;
use command::{CommandPlan, Commands, TrimRange};
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Passthrough>(NAME);

const NAME: &str = "io_uring_cmd";

/// `NVME_URING_CMD_IO`: `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
const COMMAND_IO: u64 = libc::_IOWR::<NvmeCommand>(b'N' as u32, 0x80) as u64;

/// The word of an entry at which the command begins.
const COMMAND_WORD: usize = 6;
const COMMAND_WORDS: usize = size_of::<NvmeCommand>() / 8;

/// A ring, and what the commands of the job are.
pub struct Passthrough {
    ring: RingOf<Wide>,
    files: Vec<CommandFile>,
    plan: CommandPlan,
    slots: SlotBuffers,
    /// What each slot's I/O moves if it succeeds.
    moves: Vec<i32>,
    metadata: Metadata,
    trims: Trims,
    /// I/Os whose result is known.
    landed: VecDeque<(u32, i32)>,
    /// I/Os that no command can do, since the last submit call.
    refused: u32,
    async_every: u32,
    async_count: u32,
    has_fixed_files: bool,
    has_fixed_buffers: bool,
}

/// A namespace, as an entry names it.
#[derive(Clone, Copy)]
struct CommandFile {
    /// Index of a registered file, or a descriptor.
    name: u32,
    commands: Commands,
}

impl AsyncEngine for Passthrough {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let job = &context.plan.job;
        let setup = RingSetup {
            entries: context.depth.next_power_of_two(),
            is_polled: job.get(&opt::HIPRI),
            poller: job.get(&opt::SQTHREAD_POLL).then(|| job.get(&opt::SQTHREAD_POLL_CPU)),
        };
        let ring =
            RingOf::<Wide>::new(&setup).map_err(|source| cannot("set up a ring for commands", source))?;
        let fds: Vec<RawFd> = context.files.iter().map(|file| file.fd.as_raw_fd()).collect();
        let has_fixed_files = !context.replaces_files && ring.register_files(&fds).is_ok();
        // SAFETY: the region outlives the ring: the worker drops its engine before its buffers, or drops neither.
        let has_fixed_buffers = unsafe { ring.register_region(context.buffers.iovec()) }.is_ok();
        let plan = CommandPlan::of(job);
        let mut files = Vec::with_capacity(fds.len());
        for (index, file) in context.files.iter().enumerate() {
            let name = if has_fixed_files { index as u32 } else { fds[index] as u32 };
            files.push(CommandFile { name, commands: commands(&plan, context.plan, file)? });
        }
        let depth = context.depth as usize;
        Ok(Passthrough {
            ring,
            metadata: Metadata::new(context.plan, &files, depth)?,
            trims: Trims::new(context.plan, depth),
            files,
            plan,
            slots: context.buffers.slots(),
            moves: vec![0; depth],
            landed: VecDeque::with_capacity(depth),
            refused: 0,
            async_every: job.get(&opt::FORCE_ASYNC),
            async_count: 0,
            has_fixed_files,
            has_fixed_buffers,
        })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        // Whether the job writes does not change.
        let format = by.file.namespace().ok_or_else(no_namespace)?;
        let commands = Commands::new(&self.plan, format, false).map_err(unfit)?;
        self.files[by.entry] = CommandFile { name: by.file.fd.as_raw_fd() as u32, commands };
        Ok(())
    }

    fn stage(&mut self, slot: u32, desc: &Desc) {
        let file = self.files[desc.file() as usize];
        let Some(mut command) = file.commands.transfer(desc) else {
            self.refused += 1;
            return self.landed.push_back((slot, -libc::EINVAL));
        };
        let has_data = command.data_len > 0;
        if has_data {
            command.addr = self.slots.of(slot, desc.is_write()) as u64;
            command.metadata = self.metadata.of(slot, command.metadata_len);
        }
        self.moves[slot as usize] = desc.len() as i32;
        self.send(slot, file.name, &command, has_data && self.has_fixed_buffers);
    }

    fn control(&mut self, slot: u32, desc: &Desc) -> Staged {
        let file = self.files[desc.file() as usize];
        match desc.op() {
            Op::Trim => {
                let Some(range) = file.commands.range(desc) else { return Staged::Done(-libc::EINVAL) };
                self.moves[slot as usize] = 0;
                if self.trims.begins_another(desc.file()) {
                    self.send_trims();
                }
                if self.trims.add(slot, desc.file(), range) {
                    self.send_trims();
                }
            }
            Op::Fsync | Op::Fdatasync => {
                self.moves[slot as usize] = 0;
                self.send(slot, file.name, &NvmeCommand::flush(file.commands.nsid()), false);
            }
            Op::Read | Op::Write | Op::SyncRange => return Staged::Done(-libc::EINVAL),
        }
        Staged::Queued
    }

    fn queues(&self, desc: &Desc) -> bool {
        matches!(desc.op(), Op::Trim | Op::Fsync | Op::Fdatasync)
    }

    /// Trims that were submitted one by one would share no command.
    fn joins(&self, desc: &Desc, as_fio: bool) -> bool {
        (as_fio || self.trims.most > 1) && self.queues(desc)
    }

    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        self.send_trims();
        let known = self.landed.len() as u32;
        let entries = self.ring.enter(self.trims.entries_for(wait.saturating_sub(known)), timeout_ns)?;
        Ok(self.trims.ios_of(entries) + std::mem::take(&mut self.refused))
    }

    fn commit(&mut self) -> io::Result<()> {
        self.send_trims();
        self.trims.staged.clear();
        self.refused = 0;
        if self.ring.has_poller() { self.ring.publish() } else { self.ring.enter(0, 0).map(drop) }
    }

    fn available(&mut self) -> usize {
        let count = self.ring.available() as usize;
        let Passthrough { ring, trims, landed, moves, .. } = self;
        ring.reap(count, |slot, result| {
            let slot = slot as u32;
            let outcome = |slot: u32| match result {
                0 => moves.get(slot as usize).copied().unwrap_or(0),
                status if status > 0 => result_of(status),
                errno => errno,
            };
            landed.push_back((slot, outcome(slot)));
            for member in trims.joined(slot) {
                landed.push_back((member, outcome(member)));
            }
        });
        self.landed.len()
    }

    fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
        for (slot, result) in self.landed.drain(..count) {
            done(slot.into(), result);
        }
    }

    fn notes(&self) -> Vec<(String, String)> {
        let yes = |b: bool| if b { "yes" } else { "no" }.to_owned();
        vec![
            ("io_uring_cmd.setup".into(), self.ring.setup().to_owned()),
            ("io_uring_cmd.registered_files".into(), yes(self.has_fixed_files)),
            ("io_uring_cmd.registered_buffers".into(), yes(self.has_fixed_buffers)),
        ]
    }
}

impl Passthrough {
    fn send(&mut self, slot: u32, file: u32, command: &NvmeCommand, is_fixed: bool) {
        let fixed_file = if self.has_fixed_files { u64::from(ENTRY_FIXED_FILE) } else { 0 };
        let flags = fixed_file | self.async_flag();
        let entry = self.ring.stage();
        *entry = [0; 16];
        entry[0] = u64::from(OP_COMMAND) | flags << 8 | u64::from(file) << 32;
        entry[1] = COMMAND_IO;
        entry[3] = if is_fixed { u64::from(COMMAND_FIXED) << 32 } else { 0 };
        entry[4] = u64::from(slot);
        // SAFETY: the command has nine words of numbers, and no padding.
        let words = unsafe { std::mem::transmute::<NvmeCommand, [u64; COMMAND_WORDS]>(*command) };
        entry[COMMAND_WORD..COMMAND_WORD + COMMAND_WORDS].copy_from_slice(&words);
        self.trims.note_entry(1);
    }

    /// `force_async=N`: every Nth command goes to a kernel worker.
    fn async_flag(&mut self) -> u64 {
        if self.async_every == 0 {
            return 0;
        }
        self.async_count = (self.async_count + 1) % self.async_every;
        if self.async_count == 0 { u64::from(ENTRY_ASYNC) } else { 0 }
    }

    /// Makes a command of the trims that wait for further ones.
    fn send_trims(&mut self) {
        let Some((leader, file, count)) = self.trims.close() else { return };
        let CommandFile { name, commands } = self.files[file as usize];
        let command = commands.trim(count, self.trims.ranges_of(leader) as u64);
        self.send(leader, name, &command, false);
        if count > 1 {
            self.trims.note_entry(count);
        }
    }
}

fn commands(plan: &CommandPlan, job: &PlannedJob, file: &OpenTarget) -> Result<Commands, EngineError> {
    let format = file.namespace().ok_or_else(no_namespace)?;
    Commands::new(plan, format, job.writes()).map_err(unfit)
}

fn unfit(why: &'static str) -> EngineError {
    cannot("send commands", io::Error::other(why))
}

fn no_namespace() -> EngineError {
    cannot(
        "send commands",
        io::Error::other("the target is no generic character device of an NVMe namespace"),
    )
}

fn cannot(act: &str, source: io::Error) -> EngineError {
    EngineError { engine: NAME, act: act.to_owned(), source }
}

/// The metadata of each slot, where a namespace has it in a buffer of its own. The kernel copies it, or maps it.
struct Metadata {
    bytes: Box<[u64]>,
    stride: usize,
}

impl Metadata {
    fn new(job: &PlannedJob, files: &[CommandFile], depth: usize) -> Result<Metadata, EngineError> {
        let block = job.block_max().0;
        let needed = files.iter().map(|file| file.commands.metadata_of(block)).max().unwrap_or(0);
        let asked = job.job.get(&opt::MD_PER_IO_SIZE).0;
        if asked > 0 && asked < needed {
            let why = format!(
                "md_per_io_size={asked} is less than the {needed} bytes of metadata of the largest block"
            );
            return Err(cannot("send commands", io::Error::other(why)));
        }
        let stride = (if needed > 0 { asked.max(needed) } else { 0 }).next_multiple_of(8) as usize / 8;
        Ok(Metadata { bytes: vec![0; stride * depth].into(), stride })
    }

    fn of(&self, slot: u32, bytes: u32) -> u64 {
        match bytes {
            0 => 0,
            _ => self.bytes[slot as usize * self.stride..].as_ptr() as u64,
        }
    }
}

/// Trims that share commands.
struct Trims {
    /// Ranges of a command; 1 is no sharing.
    most: u32,
    /// For each slot, the ranges of the command that it leads.
    ranges: Box<[TrimRange]>,
    /// For each slot, the next one of the same command.
    next: Box<[u32]>,
    open: Option<OpenCommand>,
    /// I/Os of each entry that is staged, in order, where they differ from one.
    staged: VecDeque<u32>,
}

/// A command that may get further ranges.
#[derive(Clone, Copy)]
struct OpenCommand {
    leader: u32,
    last: u32,
    file: u32,
    count: u32,
}

/// No further slot.
const NONE: u32 = u32::MAX;

impl Trims {
    fn new(job: &PlannedJob, depth: usize) -> Trims {
        let has_trims = job.uses(fathom_job::direction::Direction::Trim);
        let most = if has_trims { job.job.get(&opt::NUM_RANGE) } else { 1 };
        let ranges = if has_trims { depth * most as usize } else { 0 };
        Trims {
            most,
            ranges: vec![TrimRange::default(); ranges].into(),
            next: vec![NONE; depth].into(),
            open: None,
            staged: VecDeque::with_capacity(if most > 1 { depth } else { 0 }),
        }
    }

    /// Is there a command that this file's range cannot join?
    fn begins_another(&self, file: u32) -> bool {
        self.open.is_some_and(|open| open.file != file)
    }

    /// Adds a range; says whether its command has all that it can have.
    fn add(&mut self, slot: u32, file: u32, range: TrimRange) -> bool {
        self.next[slot as usize] = NONE;
        let open = match self.open {
            None => OpenCommand { leader: slot, last: slot, file, count: 1 },
            Some(open) => {
                self.next[open.last as usize] = slot;
                OpenCommand { last: slot, count: open.count + 1, ..open }
            }
        };
        self.ranges[open.leader as usize * self.most as usize + open.count as usize - 1] = range;
        self.open = Some(open);
        open.count >= self.most
    }

    /// The slot that leads the open command, its file, and how many ranges it has.
    fn close(&mut self) -> Option<(u32, u32, u32)> {
        self.open.take().map(|open| (open.leader, open.file, open.count))
    }

    fn ranges_of(&self, leader: u32) -> *const TrimRange {
        self.ranges[leader as usize * self.most as usize..].as_ptr()
    }

    /// The other slots of the command that this one leads.
    fn joined(&mut self, leader: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = leader;
        std::iter::from_fn(move || {
            let next = std::mem::replace(self.next.get_mut(at as usize)?, NONE);
            at = next;
            (next != NONE).then_some(next)
        })
    }

    /// An entry was staged, which has so many I/Os.
    fn note_entry(&mut self, ios: u32) {
        match self.most {
            1 => {}
            _ if ios > 1 => *self.staged.back_mut().expect("the entry was just staged") = ios,
            _ => self.staged.push_back(ios),
        }
    }

    /// How many I/Os the kernel took with so many entries.
    fn ios_of(&mut self, entries: u32) -> u32 {
        if self.most == 1 {
            return entries;
        }
        self.staged.drain(..(entries as usize).min(self.staged.len())).sum()
    }

    /// How many completions bring at least one of these I/Os.
    fn entries_for(&self, ios: u32) -> u32 {
        if self.most == 1 { ios } else { ios.min(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::fixture::planned;
    use crate::memory::{SlotLayout, SlotMemory};
    use crate::target::{CommandTarget, NamespaceFormat, NoTargets};

    fn slots(slots: usize) -> SlotMemory {
        let layout = SlotLayout { slots, slot_bytes: 4096, align: 4096, huge: false, splits_writes: false };
        SlotMemory::map(layout).unwrap()
    }

    fn trims(ranges: u32) -> Trims {
        let text = format!(
            "[j]\nioengine=io_uring_cmd\nfilename=/dev/ng0n1\nrw=trim\nsize=1m\niodepth=8\nnum_range={ranges}\n"
        );
        Trims::new(&planned(&text).jobs[0], 8)
    }

    fn range(first: u64) -> TrimRange {
        let mut range = TrimRange::default();
        range.first = first;
        range
    }

    #[test]
    fn several_trims_are_one_command_and_come_back_together() {
        let mut trims = trims(4);
        let full: Vec<bool> =
            [5, 2, 7, 0].iter().map(|&slot| trims.add(slot, 0, range(u64::from(slot)))).collect();
        assert_eq!(full, [false, false, false, true]);
        assert_eq!(trims.close(), Some((5, 0, 4)));
        assert_eq!(
            trims.ranges[5 * 4..6 * 4].iter().map(|range| range.first).collect::<Vec<_>>(),
            [5, 2, 7, 0]
        );
        assert_eq!(trims.joined(5).collect::<Vec<_>>(), [2, 7, 0]);
        assert_eq!(trims.joined(5).count(), 0, "they come back once");
        trims.add(1, 0, range(1));
        assert!(trims.begins_another(1) && !trims.begins_another(0));
    }

    /// The kernel takes no command for a file. It says so of each entry, and every I/O of an entry gets that result.
    #[test]
    fn trims_of_one_entry_are_submitted_and_end_together() {
        let plan = planned(
            "[j]\nioengine=io_uring_cmd\nfilename=/dev/ng0n1\nrw=trim\nsize=1m\niodepth=16\nnum_range=8\n",
        );
        let (buffers, clock) = (slots(16), Clock::calibrate(false));
        let format = NamespaceFormat {
            nsid: 1,
            block_bytes: 512,
            metadata_bytes: 0,
            is_extended: false,
            protection_type: 0,
        };
        let fd = tempfile::tempfile().unwrap().into();
        let files = [OpenTarget {
            fd,
            is_block: false,
            size: 1 << 30,
            commands: Some(CommandTarget::Namespace(format)),
        }];
        let context = Context {
            targets: &NoTargets,
            plan: &plan.jobs[0],
            files: &files,
            simulated: &[],
            replaces_files: false,
            buffers: &buffers,
            depth: 16,
            clock,
            hook: None,
        };
        let mut engine = Passthrough::open(&context).unwrap();
        for slot in 0..16 {
            let desc = Desc::trim(u64::from(slot) * 4096, 4096, 0);
            assert_eq!(engine.control(slot, &desc), Staged::Queued);
        }
        assert_eq!(engine.trims.staged, [8, 8]);
        assert_eq!(engine.submit(1, 1_000_000_000).unwrap(), 16);
        let mut ended = Vec::new();
        while ended.len() < 16 {
            let count = engine.available();
            engine.reap(count, |slot, result| ended.push((slot, result)));
            engine.submit(0, 0).unwrap();
        }
        ended.sort_unstable();
        assert_eq!(ended, (0..16).map(|slot| (slot, -libc::EOPNOTSUPP)).collect::<Vec<_>>());
    }

    #[test]
    fn entries_are_counted_as_their_ios() {
        let mut trims = trims(4);
        for ios in [4, 1, 3] {
            trims.note_entry(1);
            if ios > 1 {
                trims.note_entry(ios);
            }
        }
        assert_eq!((trims.ios_of(1), trims.ios_of(2), trims.ios_of(0)), (4, 4, 0));
        let mut alone = super::tests::trims(1);
        alone.note_entry(1);
        assert_eq!((alone.ios_of(7), alone.entries_for(7)), (7, 7));
    }

    #[test]
    fn the_request_is_the_kernels() {
        assert_eq!(COMMAND_IO, 0xc048_4e80);
    }
}
