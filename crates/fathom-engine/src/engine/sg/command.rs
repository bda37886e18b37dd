//! Which command each I/O is (SBC-4; WRITE STREAM(16) is of SBC-4, too).

use crate::scsi_command::{Cdb, Transfer};
use fathom_job::job::Job;
use fathom_job::options as opt;

/// Operation codes: the form of 10 bytes, where there is one, and that of 16.
const READ: (Option<u8>, u8) = (Some(0x28), 0x88);
const WRITE: (Option<u8>, u8) = (Some(0x2a), 0x8a);
const WRITE_AND_VERIFY: (Option<u8>, u8) = (Some(0x2e), 0x8e);
const VERIFY: (Option<u8>, u8) = (Some(0x2f), 0x8f);
const WRITE_SAME: (Option<u8>, u8) = (Some(0x41), 0x93);
const WRITE_SAME_16: (Option<u8>, u8) = (None, 0x93);
const WRITE_STREAM: u8 = 0x9a;
const UNMAP: u8 = 0x42;

/// Bits of byte 1.
const FUA: u8 = 0x08;
const NO_BUFFER: u8 = 0x01;
const COMPARE_ALL: u8 = 0x02;
const COMPARE_ONE: u8 = 0x06;

/// The parameters of UNMAP with one range: a header of 8 bytes and 16 for the range.
pub type UnmapRange = [u8; 24];

/// Which data a command has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// The whole buffer of the I/O.
    All,
    /// Its first block.
    OneBlock,
    Nothing,
}

/// A range of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    pub first: u64,
    pub count: u32,
}

/// The command of a read or a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    codes: (Option<u8>, u8),
    /// Byte 1.
    bits: u8,
    /// The stream of WRITE STREAM, whose block has another form.
    stream: Option<u16>,
    pub transfer: Transfer,
    pub carries: Carries,
}

impl Head {
    /// The reads of a job.
    pub fn of_reads(job: &Job) -> Head {
        let bits = if job.get(&opt::READFUA) { FUA } else { 0 };
        Head { codes: READ, bits, stream: None, transfer: Transfer::FromDrive, carries: Carries::All }
    }

    /// The writes of a job.
    pub fn of_writes(job: &Job) -> Head {
        let fua = if job.get(&opt::WRITEFUA) { FUA } else { 0 };
        let (codes, bits, carries) = match job.get(&opt::SG_WRITE_MODE) {
            "write_and_verify" => (WRITE_AND_VERIFY, 0, Carries::All),
            "write_same" => (WRITE_SAME, 0, Carries::OneBlock),
            "write_same_ndob" => (WRITE_SAME_16, NO_BUFFER, Carries::Nothing),
            "verify_bytchk_00" => (VERIFY, 0, Carries::Nothing),
            "verify_bytchk_01" => (VERIFY, COMPARE_ALL, Carries::All),
            "verify_bytchk_11" => (VERIFY, COMPARE_ONE, Carries::OneBlock),
            "write_stream" => ((None, WRITE_STREAM), fua, Carries::All),
            _ => (WRITE, fua, Carries::All),
        };
        let stream = (codes.1 == WRITE_STREAM).then(|| job.get(&opt::STREAM_ID) as u16);
        let transfer = if carries == Carries::Nothing { Transfer::None } else { Transfer::ToDrive };
        Head { codes, bits, stream, transfer, carries }
    }

    /// The command for these blocks; `None` if it cannot name so many.
    #[inline]
    pub fn at(&self, Blocks { first, count }: Blocks) -> Option<Cdb> {
        if let (Some(code), Ok(lba), Ok(count)) = (self.codes.0, u32::try_from(first), u16::try_from(count)) {
            let ([a, b, c, d], [e, f]) = (lba.to_be_bytes(), count.to_be_bytes());
            return Some(Cdb::of(&[code, self.bits, a, b, c, d, 0, e, f, 0]));
        }
        let mut bytes = [0; 16];
        (bytes[0], bytes[1]) = (self.codes.1, self.bits);
        bytes[2..10].copy_from_slice(&first.to_be_bytes());
        match self.stream {
            None => bytes[10..14].copy_from_slice(&count.to_be_bytes()),
            Some(stream) => {
                bytes[10..12].copy_from_slice(&stream.to_be_bytes());
                bytes[12..14].copy_from_slice(&u16::try_from(count).ok()?.to_be_bytes());
            }
        }
        Some(Cdb::of(&bytes))
    }
}

/// UNMAP with one range: the command and its parameters.
pub fn unmap(Blocks { first, count }: Blocks) -> (Cdb, UnmapRange) {
    let mut range = [0; 24];
    range[1] = size_of::<UnmapRange>() as u8 - 2;
    range[3] = 16;
    range[8..16].copy_from_slice(&first.to_be_bytes());
    range[16..20].copy_from_slice(&count.to_be_bytes());
    (Cdb::of(&[UNMAP, 0, 0, 0, 0, 0, 0, 0, size_of::<UnmapRange>() as u8]), range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;

    fn head(rw: &str, options: &str) -> Head {
        let options = options.replace(' ', "\n");
        let text = format!("[j]\nioengine=sg\nfilename=/dev/sg0\nrw={rw}\nbs=4k\nsize=1m\n{options}\n");
        let job = planned(&text).jobs[0].job.clone();
        if rw == "read" { Head::of_reads(&job) } else { Head::of_writes(&job) }
    }

    /// Eight blocks at block 0x0102_0304, as the commands of 10 and of 16 bytes have them.
    const SHORT: [u8; 8] = [1, 2, 3, 4, 0, 0, 8, 0];
    const LONG: [u8; 14] = [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 8, 0, 0];

    /// `rw`, options, the first two bytes, the others, and the data.
    type Case<'a> = (&'a str, &'a str, [u8; 2], &'a [u8], Carries);

    #[test]
    fn each_option_is_the_command_of_the_standard() {
        use Carries::{All, Nothing, OneBlock};
        let cases: [Case<'_>; 14] = [
            ("read", "", [0x28, 0], &SHORT, All),
            ("read", "readfua=1 writefua=1", [0x28, 0x08], &SHORT, All),
            ("write", "", [0x2a, 0], &SHORT, All),
            ("write", "readfua=1", [0x2a, 0], &SHORT, All),
            ("write", "writefua=1", [0x2a, 0x08], &SHORT, All),
            ("write", "sg_write_mode=write_and_verify writefua=1", [0x2e, 0], &SHORT, All),
            ("write", "sg_write_mode=verify", [0x2e, 0], &SHORT, All),
            ("write", "sg_write_mode=write_same", [0x41, 0], &SHORT, OneBlock),
            ("write", "sg_write_mode=same", [0x41, 0], &SHORT, OneBlock),
            ("write", "sg_write_mode=write_same_ndob", [0x93, 0x01], &LONG, Nothing),
            ("write", "sg_write_mode=verify_bytchk_00", [0x2f, 0], &SHORT, Nothing),
            ("write", "sg_write_mode=verify_bytchk_01", [0x2f, 0x02], &SHORT, All),
            ("write", "sg_write_mode=verify_bytchk_11", [0x2f, 0x06], &SHORT, OneBlock),
            (
                "write",
                "sg_write_mode=write_stream stream_id=0x1234 writefua=1",
                [0x9a, 0x08],
                &[0, 0, 0, 0, 1, 2, 3, 4, 0x12, 0x34, 0, 8, 0, 0],
                All,
            ),
        ];
        for (rw, options, first, rest, carries) in cases {
            let head = head(rw, options);
            let cdb = head.at(Blocks { first: 0x0102_0304, count: 8 }).unwrap();
            assert_eq!(cdb.bytes(), [&first[..], rest].concat(), "{rw} {options}");
            let transfer = match carries {
                Nothing => Transfer::None,
                _ if rw == "read" => Transfer::FromDrive,
                _ => Transfer::ToDrive,
            };
            assert_eq!((head.carries, head.transfer), (carries, transfer), "{rw} {options}");
        }
    }

    #[test]
    fn blocks_that_the_short_form_cannot_name_have_the_long_one() {
        let (read, write) = (head("read", "readfua=1"), head("write", "sg_write_mode=write_same"));
        for (head, first, count, expected) in [
            (read, u64::from(u32::MAX), 0xffff, vec![0x28, 8, 255, 255, 255, 255, 0, 255, 255, 0]),
            (read, 1 << 32, 1, vec![0x88, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]),
            (read, 7, 0x1_0000, vec![0x88, 8, 0, 0, 0, 0, 0, 0, 0, 7, 0, 1, 0, 0, 0, 0]),
            (write, 1 << 32, 1, vec![0x93, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] {
            assert_eq!(head.at(Blocks { first, count }).unwrap().bytes(), expected);
        }
        let stream = head("write", "sg_write_mode=write_stream stream_id=1");
        assert_eq!(stream.at(Blocks { first: 0, count: 0x1_0000 }), None, "its length has 16 bits");
    }

    #[test]
    fn a_trim_is_one_range_of_unmap() {
        let (cdb, range) = unmap(Blocks { first: 0x0102_0304_0506, count: 0x0708 });
        assert_eq!(cdb.bytes(), [0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0]);
        assert_eq!(range, [0, 22, 0, 16, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0, 0, 0]);
    }
}
