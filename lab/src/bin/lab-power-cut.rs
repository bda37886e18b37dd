//! Cuts the power of a recorded drive many times: `lab-power-cut RECORDING LOG CUTS`.
//!
//! RECORDING is what QEMU's filter `blklogwrites` recorded below a drive, in the format of the kernel's dm-log-writes
//! (Documentation/admin-guide/device-mapper/log-writes.rst; QEMU's block/blklogwrites.c). LOG is what `fathom power-cut write`
//! logged meanwhile. At random moments the drive is cut under each model of a device. The honest one must pass every cut,
//! and each dishonest one must be caught. A drive that makes a flush of FUA has no device among its models that ignores FUA.
#![allow(clippy::print_stdout, reason = "its table is the proof")]

use fathom_verify::power_cut::{
    DeviceModel, LogHeader, RECORD_BYTES, Record, RecordCoder, Recorded, Recording, RecordingTrial,
    TrialTally,
};
use std::error::Error;
use std::process::ExitCode;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The first number of the file.
const MAGIC: u64 = 0x006a_7366_7773_6872;
const VERSION: u64 = 1;

/// The flags of an entry.
const FLUSH: u64 = 1;
const FUA: u64 = 2;
const DISCARD: u64 = 4;
const MARK: u64 = 8;

/// Bytes of the numbers of an entry: sector, sectors, flags, bytes of a mark.
const ENTRY: usize = 32;

/// Where the cuts are, so that a failure can be repeated.
const SEED: u64 = 38;

fn main() -> Outcome<ExitCode> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [recording, log, cuts] = &words[..] else {
        return Err("usage: lab-power-cut RECORDING LOG CUTS".into());
    };
    let recording = read_recording(&std::fs::read(recording)?)?;
    let (header, records) = read_log(&std::fs::read(log)?)?;
    let trial = RecordingTrial::new(&header, &records, &recording);
    let flushes = recording.entries.iter().filter(|entry| **entry == Recorded::Flush).count();
    println!("recorded: {} writes, {flushes} flushes", recording.entries.len() - flushes);
    println!(
        "logged: {} records, {} of them of what is recorded",
        records.len(),
        trial.records_in_recording()
    );
    let mut is_proven = trial.records_in_recording() > records.len() / 2;
    println!("{:<24} {:>6} {:>7} {:>6} {:>6}", "device", "cuts", "caught", "lost", "torn");
    let has_fua = recording.entries.iter().any(|entry| matches!(entry, Recorded::Write { fua: true, .. }));
    for model in DeviceModel::ALL.into_iter().filter(|model| has_fua || *model != DeviceModel::IgnoresFua) {
        let tally = trial.prove(model, cuts.parse()?, SEED);
        let TrialTally { cuts, wrong, lost, torn, .. } = tally;
        println!("{:<24} {cuts:>6} {wrong:>7} {lost:>6} {torn:>6}", model.name());
        let is_honest = model == DeviceModel::Honest;
        if is_honest {
            println!(
                "  over these cuts {} units had a write that must not be lost, {} held one that was not durable",
                tally.bound, tally.not_durable
            );
        }
        if let (true, Some(first)) = (is_honest, &tally.first_wrong) {
            println!("  a false alarm, after {} entries: {:?}", first.0, first.1);
        }
        is_proven &=
            if is_honest { wrong == 0 && tally.bound > 0 && tally.not_durable > 0 } else { wrong > 0 };
    }
    Ok(if is_proven { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn number(bytes: &[u8], at: usize) -> Outcome<u64> {
    let part = bytes.get(at..at + 8).ok_or("the recording ends within a number")?;
    Ok(part.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

fn read_recording(bytes: &[u8]) -> Outcome<Recording> {
    let (magic, version, entries) = (number(bytes, 0)?, number(bytes, 8)?, number(bytes, 16)?);
    if magic != MAGIC || version != VERSION {
        return Err(format!("it begins with {magic:#x} and version {version}, and is no recording").into());
    }
    let sector = number(bytes, 24)? as u32 as usize;
    let (mut recording, mut at) = (Recording::default(), sector);
    for _ in 0..entries {
        let (first, sectors) = (number(bytes, at)?, number(bytes, at + 8)? as usize);
        let (flags, mark) = (number(bytes, at + 16)?, number(bytes, at + 24)? as usize);
        let has_data = flags & DISCARD == 0;
        at += sector.max((ENTRY + mark).next_multiple_of(sector));
        if flags & FLUSH != 0 {
            recording.entries.push(Recorded::Flush);
        }
        if has_data && sectors > 0 && flags & MARK == 0 {
            let data =
                bytes.get(at..at + sectors * sector).ok_or("the recording ends within a write")?.to_vec();
            let (offset, fua) = (first * sector as u64, flags & FUA != 0);
            recording.entries.push(Recorded::Write { offset, data, fua });
            at += sectors * sector;
        }
    }
    Ok(recording)
}

fn read_log(bytes: &[u8]) -> Outcome<(LogHeader, Vec<Record>)> {
    let (header, len) = LogHeader::decode(bytes).map_err(|fault| format!("the log: {fault:?}"))?;
    let mut coder = RecordCoder::new(header.key);
    let (records, _) = bytes[len..].as_chunks::<RECORD_BYTES>();
    Ok((header, records.iter().map_while(|record| coder.decode(record)).collect()))
}
