//! What fio prints on standard error about blocks that are wrong.

use fathom_results::{FaultAt, JobResult, RunResult, SavedBlock};
use fathom_verify::{FailedCheck, Fault, FaultKind, Identity};

/// fio's lines about every wrong block that was kept, each with its newline.
pub fn wrong_blocks(run: &RunResult) -> String {
    run.jobs.iter().map(of_job).collect()
}

fn of_job(job: &JobResult) -> String {
    let Some(found) = job.verification() else { return String::new() };
    found.faults.iter().map(|fault| lines(job, found.method.name(), fault)).collect()
}

fn lines(job: &JobResult, method: &str, at: &FaultAt) -> String {
    let saved = at.saved.iter().flat_map(|SavedBlock { received, expected }| {
        let expected = expected.iter().map(|name| ("expected", name));
        [("received", received)].into_iter().chain(expected)
    });
    let dumped = saved.map(|(what, name)| format!("       {what} data dumped as {name}\n"));
    of_fault(job, method, at) + &dumped.collect::<String>()
}

fn of_fault(job: &JobResult, method: &str, at: &FaultAt) -> String {
    let FaultAt { fault, io_offset, io_bytes, .. } = at;
    let path = job.path_of(at);
    let block = format!("at file {path} offset {}, length {}", fault.offset, fault.len);
    let io = format!("requested block: offset={io_offset}, length={io_bytes}");
    let bad = |what: String| format!("verify: bad {what} {block} ({io})\n");
    let failed = |more: &str| format!("{method}: verify failed {block} ({io}, flags=8)\n{more}");
    let expected = fault.expected.as_ref();
    if let FaultKind::NotTrimmed { first } = fault.kind {
        return format!(
            "trim: verify failed at file {path} offset {io_offset}, length {io_bytes}, block offset {first}\n"
        );
    }
    match &fault.check {
        FailedCheck::Magic { received } => bad(format!("magic header {received:x}, wanted acca")),
        FailedCheck::HeaderChecksum { received, calculated } => {
            bad(format!("header crc {received:x}, calculated {calculated:x}"))
        }
        FailedCheck::Length { received } => bad(format!("header length {received}, wanted {}", fault.len)),
        FailedCheck::Offset { received } => bad(format!("header offset {received}, wanted {}", fault.offset)),
        FailedCheck::Write { .. } if seeds(fault).is_some_and(|(is, wanted)| is != wanted) => {
            let (is, wanted) = seeds(fault).unwrap_or_default();
            bad(format!("header rand_seed {is}, wanted {wanted}"))
        }
        FailedCheck::Write { received } => {
            let wanted = expected.map_or(0, |it: &Identity| it.write & 0xffff);
            bad(format!("header numberio {received}, wanted {wanted}"))
        }
        FailedCheck::Method { received } => bad(format!("verify type {received}, wanted {method}")),
        FailedCheck::Checksum { stored, calculated } => {
            failed(&format!("       Expected CRC: {stored}\n       Received CRC: {calculated}\n"))
        }
        FailedCheck::Pattern { at, received, expected } => {
            let bits = (received ^ expected).count_ones();
            let pattern = format!(
                "fio: got pattern '{received:02x}', wanted '{expected:02x}'. Bad bits {bits}\n\
                 fio: bad pattern block offset {at}\n"
            );
            pattern + &failed("")
        }
    }
}

/// The seed in the header, and the one that was expected.
fn seeds(fault: &Fault) -> Option<(u64, u64)> {
    Some((fault.received?.seed, fault.expected?.seed))
}
