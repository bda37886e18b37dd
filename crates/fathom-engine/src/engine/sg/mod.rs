//! `sg`: SCSI commands by ioctl(2) with `SG_IO`, to a disk or to its generic character device.
//!
//! A command passes neither the block layer's queues nor the page cache. The worker waits for each, as for a system call that reads
//! or writes. Only a whole disk takes them: for a partition or a volume the kernel sends the same block numbers to the disk below.

mod command;

use super::{Context, EngineEntry, EngineError, Replacement, SyncEngine};
use crate::command_status::{errno_of, text_of};
use crate::desc::{Desc, Op};
use crate::scsi_command::{self, Capacity, Data, Reply, Sending, Transfer, send};
use crate::target::{CommandTarget, OpenTarget};
use command::{Blocks, Carries, Head, unmap};
use fathom_job::direction::Direction;
use fathom_job::options as opt;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::sync::<Sg>(NAME);

const NAME: &str = "sg";

/// The disks of a job, and what its commands are.
pub struct Sg {
    files: Vec<ScsiFile>,
    reads: Head,
    writes: Head,
    sending: Sending,
    trims: bool,
    /// Commands to generic character devices that moved data, and those of them for which the kernel copied it. It says so for no
    /// other target.
    moved: bool,
    copied: bool,
}

/// An open disk.
#[derive(Clone, Copy, Debug)]
struct ScsiFile {
    fd: RawFd,
    block_shift: u32,
    is_node: bool,
    /// Most blocks of one UNMAP, if the job trims.
    unmap_most: u32,
}

impl SyncEngine for Sg {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let job = &context.plan.job;
        let trims = context.plan.issues(Direction::Trim);
        let files = context.files.iter().map(|file| ScsiFile::of(file, trims)).collect::<Result<_, _>>()?;
        Ok(Sg {
            files,
            reads: Head::of_reads(job),
            writes: Head::of_writes(job),
            sending: Sending::new(job.get(&opt::HIPRI)),
            trims,
            moved: false,
            copied: false,
        })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.files[by.entry] = ScsiFile::of(by.file, self.trims)?;
        Ok(())
    }

    #[inline]
    fn execute(&mut self, desc: &Desc, buffer: *mut u8) -> i32 {
        let file = self.files[desc.file() as usize];
        let head = if desc.is_write() { &self.writes } else { &self.reads };
        let cdb = file.blocks(desc.offset, desc.len().into()).and_then(|blocks| head.at(blocks));
        let Some(cdb) = cdb else { return -libc::EINVAL };
        let bytes = match head.carries {
            Carries::All => desc.len(),
            Carries::OneBlock => 1 << file.block_shift,
            Carries::Nothing => 0,
        };
        let data = Data { transfer: head.transfer, at: buffer, bytes };
        // SAFETY: the slot's buffer holds the I/O, and with it a block of it; nobody else uses it until the call returns.
        let reply = unsafe { send(file.fd, &cdb, data, self.sending) };
        self.note_copy(file, reply);
        result_of(desc.len(), bytes, reply.result)
    }

    fn control(&mut self, desc: &Desc) -> i32 {
        let file = self.files[desc.file() as usize];
        match desc.op() {
            Op::Fsync | Op::Fdatasync => file.synchronize(self.sending),
            Op::Trim => file.trim(desc, self.sending),
            Op::SyncRange | Op::Read | Op::Write => -libc::EINVAL,
        }
    }

    fn notes(&self) -> Vec<(String, String)> {
        let copied = if self.copied { "yes" } else { "no" };
        self.moved.then(|| ("sg.copied_data".into(), copied.into())).into_iter().collect()
    }
}

impl Sg {
    #[inline]
    fn note_copy(&mut self, file: ScsiFile, reply: Reply) {
        if file.is_node && reply.result > 0 {
            self.moved = true;
            self.copied |= !reply.was_direct;
        }
    }
}

/// What an I/O of `len` bytes comes to whose command carries `bytes`. The drive does all of it once it has the data of the command.
#[inline]
fn result_of(len: u32, bytes: u32, result: i32) -> i32 {
    match u32::try_from(result) {
        Ok(moved) if moved == bytes => len as i32,
        _ => result,
    }
}

impl ScsiFile {
    fn of(file: &OpenTarget, trims: bool) -> Result<ScsiFile, EngineError> {
        if !matches!(file.commands, Some(CommandTarget::ScsiDisk | CommandTarget::ScsiNode)) {
            return Err(unfit(
                "the target is neither a whole SCSI disk nor its generic character device".to_owned(),
            ));
        }
        let fd = file.fd.as_raw_fd();
        let capacity = scsi_command::capacity(fd).map_err(|failure| failed("read its capacity", failure))?;
        let block_shift = shift_of(capacity, file.size).map_err(unfit)?;
        let unmap_most = if trims { unmap_most(fd)? } else { 0 };
        let is_node = file.commands == Some(CommandTarget::ScsiNode);
        Ok(ScsiFile { fd, block_shift, is_node, unmap_most })
    }

    /// The blocks of a range of bytes; `None` if it is no whole number of blocks, or too many.
    fn blocks(&self, offset: u64, bytes: u64) -> Option<Blocks> {
        let is_whole = (offset | bytes).trailing_zeros() >= self.block_shift && bytes > 0;
        let count = u32::try_from(bytes >> self.block_shift).ok();
        count.filter(|_| is_whole).map(|count| Blocks { first: offset >> self.block_shift, count })
    }

    fn synchronize(&self, sending: Sending) -> i32 {
        // SAFETY: the command has no data.
        let reply = unsafe { send(self.fd, &scsi_command::synchronize_cache(), Data::NONE, sending) };
        reply.result.min(0)
    }

    /// Several commands where the drive takes fewer blocks in one.
    fn trim(&self, desc: &Desc, sending: Sending) -> i32 {
        let Some(mut left) = self.blocks(desc.offset, desc.bytes()) else { return -libc::EINVAL };
        while left.count > 0 {
            let now = Blocks { count: left.count.min(self.unmap_most), ..left };
            let Reply { result, .. } = self.unmap(now, sending);
            if result < 0 {
                return result;
            }
            left = Blocks { first: left.first + u64::from(now.count), count: left.count - now.count };
        }
        0
    }

    fn unmap(&self, blocks: Blocks, sending: Sending) -> Reply {
        let (cdb, mut range) = unmap(blocks);
        let data = Data { transfer: Transfer::ToDrive, at: range.as_mut_ptr(), bytes: range.len() as u32 };
        // SAFETY: the data is the range on this stack.
        unsafe { send(self.fd, &cdb, data, sending) }
    }
}

/// The block size as a power of two. What the drive reports must hold what the block device has, or the two are not the same.
fn shift_of(capacity: Capacity, size: u64) -> Result<u32, String> {
    let Capacity { blocks, block_bytes } = capacity;
    if !block_bytes.is_power_of_two() {
        return Err(format!("the drive has blocks of {block_bytes} bytes"));
    }
    let bytes = blocks.saturating_mul(block_bytes.into());
    match size <= bytes {
        true => Ok(block_bytes.trailing_zeros()),
        false => Err(format!("the drive reports {bytes} bytes, and its block device has {size}")),
    }
}

fn unmap_most(fd: RawFd) -> Result<u32, EngineError> {
    let most = scsi_command::unmap_blocks_most(fd)
        .map_err(|failure| failed("ask whether the drive knows UNMAP", failure))?;
    most.ok_or_else(|| unfit("the drive does not report that it knows UNMAP, which a trim is".to_owned()))
}

fn unfit(why: String) -> EngineError {
    EngineError { engine: NAME, act: "send commands".to_owned(), source: io::Error::other(why) }
}

/// An error of a command that was sent before the job began.
fn failed(act: &str, failure: i32) -> EngineError {
    let source = match text_of(-failure) {
        Some(text) => io::Error::other(text),
        None => io::Error::from_raw_os_error(errno_of(-failure)),
    };
    EngineError { engine: NAME, act: act.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_whole_blocks() {
        let file = ScsiFile { fd: -1, block_shift: 12, is_node: false, unmap_most: 0 };
        for (offset, bytes, expected) in [
            (0, 4096, Some((0, 1))),
            (8192, 12288, Some((2, 3))),
            (1 << 45, 4096, Some((1 << 33, 1))),
            (512, 4096, None),
            (0, 1000, None),
            (0, 0, None),
            (0, 1 << 44, None),
        ] {
            let blocks = file.blocks(offset, bytes).map(|blocks| (blocks.first, blocks.count));
            assert_eq!(blocks, expected, "{offset} {bytes}");
        }
    }

    #[test]
    fn a_command_that_took_less_than_its_data_is_no_whole_io() {
        for (len, bytes, result, expected) in [
            (4096, 4096, 4096, 4096),
            (4096, 4096, 512, 512),
            // WRITE SAME and VERIFY.
            (65536, 512, 512, 65536),
            (65536, 512, 0, 0),
            (65536, 0, 0, 65536),
            (65536, 512, -libc::EIO, -libc::EIO),
        ] {
            assert_eq!(result_of(len, bytes, result), expected, "{len} {bytes} {result}");
        }
    }

    /// The kernel says it for commands to such a device alone, and not for one that it did not carry out.
    #[test]
    fn whether_data_is_copied_is_that_of_the_generic_devices() {
        let plan = crate::fixture::planned("[j]\nioengine=sg\nfilename=/dev/sg0\nrw=read\nbs=4k\nsize=1m\n");
        let job = &plan.jobs[0].job;
        let noted = |replies: &[(bool, i32, bool)]| {
            let mut sg = Sg {
                files: Vec::new(),
                reads: Head::of_reads(job),
                writes: Head::of_writes(job),
                sending: Sending::new(false),
                trims: false,
                moved: false,
                copied: false,
            };
            for (is_node, result, was_direct) in replies.iter().copied() {
                let file = ScsiFile { fd: -1, block_shift: 9, is_node, unmap_most: 0 };
                sg.note_copy(file, Reply { result, was_direct });
            }
            sg.notes().pop().map(|(_, copied)| copied)
        };
        assert_eq!(noted(&[(true, 4096, true)]).as_deref(), Some("no"));
        assert_eq!(noted(&[(true, 4096, true), (true, 4096, false)]).as_deref(), Some("yes"));
        assert_eq!(
            noted(&[(true, 4096, true), (false, 4096, false)]).as_deref(),
            Some("no"),
            "a disk beside it"
        );
        assert_eq!(noted(&[(true, 4096, true), (true, -libc::EIO, false)]).as_deref(), Some("no"));
        assert_eq!(noted(&[(false, 4096, false)]), None);
    }

    #[test]
    fn a_drive_holds_what_its_block_device_has() {
        for (blocks, block_bytes, size, expected) in [
            (2048, 512, 1 << 20, Ok(9)),
            (256, 4096, 1 << 20, Ok(12)),
            (257, 4096, 1 << 20, Ok(12)),
            (2047, 512, 1 << 20, Err("reports 1048064 bytes")),
            (2048, 520, 1 << 20, Err("blocks of 520 bytes")),
            (2048, 0, 1 << 20, Err("blocks of 0 bytes")),
        ] {
            match (shift_of(Capacity { blocks, block_bytes }, size), expected) {
                (Ok(shift), Ok(expected)) => assert_eq!(shift, expected),
                (Err(why), Err(word)) => assert!(why.contains(word), "{why}"),
                (found, _) => panic!("{found:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn a_file_is_no_disk() {
        for (commands, act) in [(None, "send commands"), (Some(CommandTarget::ScsiDisk), "read its capacity")]
        {
            let fd = tempfile::tempfile().unwrap().into();
            let file = OpenTarget { fd, is_block: true, size: 1 << 20, commands };
            assert_eq!(ScsiFile::of(&file, true).unwrap_err().act, act);
        }
    }
}
