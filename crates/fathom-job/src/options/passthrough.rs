//! Commands of drives (`ioengine=io_uring_cmd`, `ioengine=sg`): which command a write is, and what each command carries.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::units::Bytes;

const ENGINES: &[&str] = &["io_uring_cmd"];
const BASE: OptionDef = OptionDef { engines: ENGINES, ..OptionDef::BASE };
const OFF: OptionDef = OptionDef { engines: ENGINES, ..OptionDef::OFF };
const SG: OptionDef = OptionDef { engines: &["sg"], ..OptionDef::BASE };
const FUA: OptionDef = OptionDef { engines: &["io_uring_cmd", "sg"], ..OptionDef::OFF };
/// fio's old names stand behind the new ones.
const SCSI_WRITES: Kind = Kind::Word(&[
    ("write", "write"),
    ("write_and_verify", "write_and_verify"),
    ("verify", "write_and_verify"),
    ("write_same", "write_same"),
    ("same", "write_same"),
    ("write_same_ndob", "write_same_ndob"),
    ("verify_bytchk_00", "verify_bytchk_00"),
    ("verify_bytchk_01", "verify_bytchk_01"),
    ("verify_bytchk_11", "verify_bytchk_11"),
    ("write_stream", "write_stream"),
]);
const TAG: Kind = Kind::Int { min: 0, max: 0xffff };
const BSG: &[(&str, &str)] =
    &[("bsg", "SCSI commands are not sent; ioengine=io_uring and the block device measure the same disk")];
const NO_APPEND: &[(&str, &str)] = &[(
    "zone_append",
    "zone append is not sent; ioengine=io_uring with zonemode=zbd writes at the write pointers of zones",
)];

table! {
    CMD_TYPE: &'static str = OptionDef {
        name: "cmd_type", kind: Kind::Word(&[("nvme", "nvme")]), default: "nvme", refused_words: BSG,
        engines: &["io_uring_cmd", "io_uring"],
        help: "kind of the commands of io_uring_cmd; io_uring takes the option too, as in fio, and sends no commands",
        ..BASE
    };
    WRITE_MODE: &'static str = OptionDef {
        name: "write_mode",
        kind: Kind::Word(&[("write", "write"), ("uncor", "uncor"), ("zeroes", "zeroes"), ("verify", "verify")]),
        default: "write", refused_words: NO_APPEND,
        help: "command of a write: Write, Write Uncorrectable, Write Zeroes or Verify; only Write moves data", ..BASE
    };
    READFUA: bool = FUA.row("readfua", "FUA in each Read: the drive reads from its medium, and not from its cache");
    WRITEFUA: bool = FUA.row("writefua", "FUA in each write of data, and in Write Zeroes of NVMe: it is done when it is on the medium");
    SG_WRITE_MODE: &'static str = SG.of("sg_write_mode", SCSI_WRITES, "write",
        "SCSI command of a write: WRITE, WRITE AND VERIFY, WRITE SAME (the first block of the buffer, or zeroes without a buffer: ndob), \
        VERIFY (of the medium, 00; of each block with the buffer, 01; with its first block, 11), or WRITE STREAM");
    STREAM_ID: u32 = OptionDef {
        name: "stream_id", kind: TAG, default: "0",
        status: OptionStatus::Differently("0 is an error with sg_write_mode=write_stream: fathom opens and closes no stream of a drive"),
        help: "stream of WRITE STREAM(16) (sg_write_mode=write_stream), which is open", ..SG
    };
    DEAC: bool = OFF.row("deac", "write_mode=zeroes: the drive may deallocate the blocks");
    MD_PER_IO_SIZE: Bytes = BASE.of("md_per_io_size", Kind::BYTES, "0",
        "bytes of the metadata buffer of each I/O, where metadata is separate; 0 is as many as the largest block needs");
    PI_ACT: bool = OptionDef { name: "pi_act", kind: Kind::Bool, default: "1",
        status: OptionStatus::Differently("0 is refused where the namespace has protection information: fathom makes none itself"),
        help: "the drive makes protection information of what is written, and checks and removes it when it is read", ..BASE };
    PI_CHK: Option<String> = BASE.of("pi_chk", Kind::Text, "",
        "what the drive checks: GUARD, REFTAG, APPTAG, separated by commas");
    APPTAG: u32 = BASE.of("apptag", TAG, "0x1234", "application tag of protection information");
    APPTAG_MASK: u32 = BASE.of("apptag_mask", TAG, "0xffff", "bits of the application tag that the drive checks");
    NUM_RANGE: u32 = OptionDef {
        name: "num_range", kind: Kind::Int { min: 1, max: 256 }, default: "1",
        status: OptionStatus::Differently("each range is a trim of its own in the figures, with the latency of its command, and iodepth \
            counts ranges"),
        help: "ranges in each Dataset Management command of a trim (ioengine=io_uring_cmd)", ..OptionDef::BASE
    };
}
