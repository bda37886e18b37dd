//! Which command each I/O is (NVM Command Set Specification 1.0).

use crate::desc::{Desc, Op};
use crate::nvme_command::NvmeCommand;
use crate::target::NamespaceFormat;
use fathom_job::job::Job;
use fathom_job::options as opt;
use fathom_job::plan::passthrough::checks_of;

const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const WRITE_UNCORRECTABLE: u8 = 0x04;
const WRITE_ZEROES: u8 = 0x08;
const DATASET_MANAGEMENT: u8 = 0x09;
const VERIFY: u8 = 0x0c;

/// Bits of command word 12 of reads and writes.
const FUA: u32 = 1 << 30;
const PRACT: u32 = 1 << 29;
const PRCHK_SHIFT: u32 = 26;
const DEAC: u32 = 1 << 25;
/// Checks of PRCHK that need a reference tag, which type 3 has not.
const REFTAG: u8 = 1;

/// Attribute of Dataset Management: deallocate.
const DEALLOCATE: u32 = 1 << 2;

/// The largest number of blocks in one command: the field is 16 bits, and 0 is one block.
const BLOCKS_MAX: u64 = 1 << 16;

/// Bytes of protection information that the drive can add and remove without a buffer of ours.
const PI_BYTES: u32 = 8;

/// A range of Dataset Management.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct TrimRange {
    attributes: u32,
    pub blocks: u32,
    pub first: u64,
}

const _: () = assert!(size_of::<TrimRange>() == 16);

/// What the commands of a job have in common.
#[derive(Clone, Copy, Debug)]
pub struct CommandPlan {
    write: u8,
    read_bits: u32,
    write_bits: u32,
    acts: bool,
    checks: u8,
    tag: u32,
}

impl CommandPlan {
    pub fn of(job: &Job) -> CommandPlan {
        let write = match job.get(&opt::WRITE_MODE) {
            "uncor" => WRITE_UNCORRECTABLE,
            "zeroes" => WRITE_ZEROES,
            "verify" => VERIFY,
            _ => WRITE,
        };
        let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        let fua = bit(job.get(&opt::WRITEFUA) && matches!(write, WRITE | WRITE_ZEROES), FUA);
        CommandPlan {
            write,
            read_bits: bit(job.get(&opt::READFUA), FUA),
            write_bits: fua | bit(job.get(&opt::DEAC) && write == WRITE_ZEROES, DEAC),
            acts: job.get(&opt::PI_ACT),
            checks: checks_of(job).unwrap_or(0),
            tag: job.get(&opt::APPTAG) | job.get(&opt::APPTAG_MASK) << 16,
        }
    }

    /// Does a write take data from a buffer?
    pub fn writes_data(&self) -> bool {
        self.write == WRITE
    }
}

/// The commands of a job for one namespace.
#[derive(Clone, Copy, Debug)]
pub struct Commands {
    nsid: u32,
    shift: u32,
    /// Bytes of metadata that each block has in a buffer of its own.
    metadata: u32,
    has_tags: bool,
    heads: [Head; 2],
}

/// Opcode and bits of word 12, of reads or of writes.
#[derive(Clone, Copy, Debug)]
struct Head {
    opcode: u8,
    bits: u32,
    has_data: bool,
    /// Expected initial reference tag in word 14, and the application tag with its mask in word 15.
    tag: u32,
    has_reference: bool,
}

impl Commands {
    /// # Errors
    /// The format of the namespace and the job do not fit.
    pub fn new(plan: &CommandPlan, format: &NamespaceFormat, writes: bool) -> Result<Commands, &'static str> {
        let has_pi = format.protection_type > 0;
        let metadata = u32::from(format.metadata_bytes);
        if has_pi && !plan.acts && writes && plan.writes_data() {
            return Err("pi_act=0 needs protection information that fathom does not make; leave pi_act out");
        }
        let is_added_by_drive = has_pi && plan.acts && metadata == PI_BYTES;
        if format.is_extended && metadata > 0 && !is_added_by_drive {
            return Err(
                "the namespace has data and metadata of a block in one buffer; format it with separate metadata",
            );
        }
        if !format.block_bytes.is_power_of_two() {
            return Err("the namespace has blocks of no power of two");
        }
        let act = if has_pi && plan.acts { PRACT } else { 0 };
        let checks = if format.protection_type == 3 { plan.checks & !REFTAG } else { plan.checks };
        let check = if has_pi { u32::from(checks) << PRCHK_SHIFT } else { 0 };
        let tag = if has_pi { plan.tag } else { 0 };
        let has_reference = matches!(format.protection_type, 1 | 2);
        let read =
            Head { opcode: READ, bits: plan.read_bits | act | check, has_data: true, tag, has_reference };
        let write_bits = match plan.write {
            WRITE | WRITE_ZEROES => plan.write_bits | act | check,
            // The drive checks what it verifies, and adds nothing to it.
            VERIFY => plan.write_bits | check,
            _ => plan.write_bits,
        };
        let has_tags = plan.write != WRITE_UNCORRECTABLE;
        let write = Head {
            opcode: plan.write,
            bits: write_bits,
            has_data: plan.writes_data(),
            tag: if has_tags { tag } else { 0 },
            has_reference: has_reference && has_tags,
        };
        Ok(Commands {
            nsid: format.nsid,
            shift: format.block_bytes.trailing_zeros(),
            metadata: if is_added_by_drive { 0 } else { metadata },
            has_tags: has_pi,
            heads: [read, write],
        })
    }

    /// Bytes of metadata of an I/O of so many bytes.
    pub fn metadata_of(&self, bytes: u64) -> u64 {
        (bytes >> self.shift) * u64::from(self.metadata)
    }

    /// A read or write, without its buffers; `None` where it is no whole number of blocks, or too many.
    #[inline]
    pub fn transfer(&self, desc: &Desc) -> Option<NvmeCommand> {
        let head = &self.heads[usize::from(desc.is_write())];
        let (first, blocks) = self.blocks(desc.offset, u64::from(desc.len()))?;
        if blocks > BLOCKS_MAX {
            return None;
        }
        let reference = if self.has_tags && head.has_reference { first as u32 } else { 0 };
        Some(NvmeCommand {
            opcode: head.opcode,
            nsid: self.nsid,
            data_len: if head.has_data { desc.len() } else { 0 },
            metadata_len: if head.has_data { blocks as u32 * self.metadata } else { 0 },
            cdw10_15: [
                first as u32,
                (first >> 32) as u32,
                (blocks - 1) as u32 | head.bits,
                0,
                reference,
                head.tag,
            ],
            ..NvmeCommand::default()
        })
    }

    pub fn nsid(&self) -> u32 {
        self.nsid
    }

    /// Dataset Management with so many ranges, which lie at `addr`.
    pub fn trim(&self, ranges: u32, addr: u64) -> NvmeCommand {
        NvmeCommand {
            opcode: DATASET_MANAGEMENT,
            nsid: self.nsid,
            addr,
            data_len: ranges * size_of::<TrimRange>() as u32,
            cdw10_15: [ranges - 1, DEALLOCATE, 0, 0, 0, 0],
            ..NvmeCommand::default()
        }
    }

    /// The range of a trim; `None` where it is no whole number of blocks, or too many.
    pub fn range(&self, desc: &Desc) -> Option<TrimRange> {
        debug_assert!(desc.op() == Op::Trim);
        let (first, blocks) = self.blocks(desc.offset, desc.bytes())?;
        Some(TrimRange { attributes: 0, blocks: u32::try_from(blocks).ok()?, first })
    }

    #[inline]
    fn blocks(&self, offset: u64, bytes: u64) -> Option<(u64, u64)> {
        let part = (1 << self.shift) - 1;
        ((offset | bytes) & part == 0 && bytes > 0).then_some((offset >> self.shift, bytes >> self.shift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;

    const PLAIN: NamespaceFormat = NamespaceFormat {
        nsid: 3,
        block_bytes: 512,
        metadata_bytes: 0,
        is_extended: false,
        protection_type: 0,
    };
    const PI: NamespaceFormat = NamespaceFormat { metadata_bytes: 8, protection_type: 1, ..PLAIN };

    fn plan(options: &str) -> CommandPlan {
        let text = format!(
            "[j]\nioengine=io_uring_cmd\nfilename=/dev/ng0n1\nrw=write\nsize=1m\n{}\n",
            options.replace(' ', "\n")
        );
        CommandPlan::of(&planned(&text).jobs[0].job)
    }

    fn commands(options: &str, format: &NamespaceFormat) -> Commands {
        Commands::new(&plan(options), format, true).unwrap()
    }

    /// Offset 2^41 is block 2^32.
    #[test]
    fn words_of_reads_and_writes() {
        let far = Desc::new(Op::Read, (1 << 41) + 1024, 4096, 0);
        let near = Desc::new(Op::Write, 512, 512, 0);
        let cases = [
            ("", PLAIN, far, READ, [2, 1, 7, 0, 0, 0]),
            ("", PLAIN, near, WRITE, [1, 0, 0, 0, 0, 0]),
            ("readfua=1", PLAIN, far, READ, [2, 1, 7 | 1 << 30, 0, 0, 0]),
            ("readfua=1", PLAIN, near, WRITE, [1, 0, 0, 0, 0, 0]),
            ("writefua=1", PLAIN, near, WRITE, [1, 0, 1 << 30, 0, 0, 0]),
            ("write_mode=uncor writefua=1", PLAIN, near, WRITE_UNCORRECTABLE, [1, 0, 0, 0, 0, 0]),
            ("write_mode=zeroes deac=1", PLAIN, near, WRITE_ZEROES, [1, 0, 1 << 25, 0, 0, 0]),
            ("deac=1", PLAIN, near, WRITE, [1, 0, 0, 0, 0, 0]),
            ("write_mode=verify", PLAIN, near, VERIFY, [1, 0, 0, 0, 0, 0]),
            // Nothing of protection information where the namespace has none.
            ("pi_chk=GUARD apptag=7", PLAIN, near, WRITE, [1, 0, 0, 0, 0, 0]),
            ("", PI, near, WRITE, [1, 0, 1 << 29, 0, 1, 0xffff_1234]),
            ("pi_chk=GUARD,REFTAG apptag=7", PI, far, READ, [2, 1, 7 | 0b1101 << 26, 0, 2, 0xffff_0007]),
            ("apptag=7 apptag_mask=0xff", PI, near, WRITE, [1, 0, 1 << 29, 0, 1, 0x00ff_0007]),
            (
                "pi_chk=GUARD,REFTAG,APPTAG",
                NamespaceFormat { protection_type: 3, ..PI },
                near,
                WRITE,
                [1, 0, 0b1110 << 26, 0, 0, 0xffff_1234],
            ),
            ("write_mode=verify pi_chk=GUARD", PI, near, VERIFY, [1, 0, 0b0100 << 26, 0, 1, 0xffff_1234]),
            ("write_mode=uncor pi_chk=GUARD", PI, near, WRITE_UNCORRECTABLE, [1, 0, 0, 0, 0, 0]),
        ];
        for (options, format, desc, opcode, words) in cases {
            let command = commands(options, &format).transfer(&desc).unwrap();
            assert_eq!((command.opcode, command.nsid), (opcode, 3), "{options} {desc:?}");
            assert_eq!(command.cdw10_15, words, "{options} {desc:?} {format:?}");
            let has_data = matches!(opcode, READ | WRITE);
            assert_eq!(command.data_len, if has_data { desc.len() } else { 0 }, "{options}");
        }
    }

    #[test]
    fn metadata_has_a_buffer_unless_the_drive_adds_it() {
        let desc = Desc::new(Op::Write, 0, 4096, 0);
        let sixteen = NamespaceFormat { metadata_bytes: 16, ..PI };
        let unprotected = NamespaceFormat { protection_type: 0, ..PI };
        for (format, bytes) in [(PLAIN, 0), (PI, 0), (sixteen, 8 * 16), (unprotected, 8 * 8)] {
            let commands = commands("", &format);
            assert_eq!(commands.transfer(&desc).unwrap().metadata_len, bytes, "{format:?}");
            assert_eq!(commands.metadata_of(4096), u64::from(bytes), "{format:?}");
        }
        let zeroes = commands("write_mode=zeroes", &sixteen).transfer(&desc).unwrap();
        assert_eq!((zeroes.metadata_len, zeroes.data_len), (0, 0));
    }

    #[test]
    fn a_format_that_does_not_fit_is_refused() {
        let extended = NamespaceFormat { is_extended: true, ..PI };
        assert!(Commands::new(&plan(""), &extended, true).is_ok(), "the drive adds and removes it");
        let extended = NamespaceFormat { protection_type: 0, ..extended };
        assert!(Commands::new(&plan(""), &extended, false).unwrap_err().contains("one buffer"));
        assert!(Commands::new(&plan("pi_act=0"), &PI, true).unwrap_err().contains("pi_act"));
        assert!(Commands::new(&plan("pi_act=0"), &PI, false).is_ok(), "a read brings its own");
    }

    #[test]
    fn trims_and_their_ranges() {
        let commands = commands("", &NamespaceFormat { block_bytes: 4096, ..PLAIN });
        let trim = commands.trim(5, 0x1000);
        assert_eq!((trim.opcode, trim.addr, trim.data_len), (DATASET_MANAGEMENT, 0x1000, 80));
        assert_eq!(trim.cdw10_15, [4, 4, 0, 0, 0, 0]);
        let range = |offset, bytes| commands.range(&Desc::trim(offset, bytes, 0));
        assert_eq!(range(1 << 45, 8192), Some(TrimRange { attributes: 0, blocks: 2, first: 1 << 33 }));
        assert_eq!(range(0, 4 << 30), Some(TrimRange { attributes: 0, blocks: 1 << 20, first: 0 }));
        assert_eq!(range(512, 4096), None);
        assert_eq!(range(0, 512), None);
    }

    #[test]
    fn a_part_of_a_block_and_too_many_blocks_are_no_command() {
        let commands = commands("", &PLAIN);
        let read = |offset, len| commands.transfer(&Desc::new(Op::Read, offset, len, 0));
        assert!(read(256, 512).is_none() && read(0, 700).is_none() && read(0, 0).is_none());
        assert_eq!(read(0, 32 << 20).unwrap().cdw10_15[2], 0xffff);
        assert!(read(0, (32 << 20) + 512).is_none());
    }
}
