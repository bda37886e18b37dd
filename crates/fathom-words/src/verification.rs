//! What a verifying job found, in words.

use fathom_results::{CachedFile, FaultAt, SavedBlock, Unchecked, Verification};
use fathom_text::number::grouped;
use fathom_verify::FaultKind;

/// What was checked, and how much of it was wrong, without a full stop.
pub fn verification(found: &Verification) -> String {
    let Verification { ios, wrong, unchecked, method, replaced, trimmed, cached, .. } = found;
    let method = method.name();
    let reads = counted(*ios, "read", "reads");
    let checked = match (ios, wrong) {
        (0, _) => format!("nothing was checked ({method})"),
        (1, 0) => format!("the one read has what was written ({method})"),
        (_, 0) => format!("all {reads} have what was written ({method})"),
        (_, 1) => format!("1 block in {reads} is not what was written ({method})"),
        _ => format!("{} blocks in {reads} are not what was written ({method})", grouped(*wrong)),
    };
    let gone = [(*replaced, "covered by later writes"), (*trimmed, "trimmed")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, how)| format!("{} {how}", counted(count, "write was", "writes were")));
    let parts =
        [checked].into_iter().chain(unchecked_writes(unchecked)).chain(gone).chain(kept_in_cache(cached));
    parts.collect::<Vec<_>>().join("; ")
}

/// That what was read back may have been in memory.
fn kept_in_cache(cached: &[CachedFile]) -> Option<String> {
    let CachedFile { errno, .. } = cached.first()?;
    let files = counted(cached.len() as u64, "file", "files");
    let why = std::io::Error::from_raw_os_error(*errno);
    Some(format!(
        "the page cache of {files} could not be dropped ({why}), so what was checked may have been in memory and not on the target"
    ))
}

/// How many writes could not be checked, and why.
fn unchecked_writes(unchecked: &Unchecked) -> Option<String> {
    let Unchecked { failed, overlapped, in_flight, cut, not_read, short_reads, not_synced } = *unchecked;
    let reasons = [
        (failed, "failed or short"),
        (overlapped, "in flight together with another write of the same place"),
        (in_flight, "not complete at the end"),
        (cut, "partly covered by a later write"),
        (not_read, "not read back before the job ended"),
        (short_reads, "not readable"),
        (not_synced, "in no sync that completed"),
    ];
    let parts: Vec<String> = reasons
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{} {why}", grouped(count)))
        .collect();
    let total = counted(unchecked.total(), "write was", "writes were");
    (!parts.is_empty()).then(|| format!("{total} not checked: {}", parts.join(", ")))
}

/// Where a block is wrong and how, without a full stop. `path` is the file of the fault.
pub fn wrong_block(path: &str, FaultAt { fault, saved, .. }: &FaultAt) -> String {
    let at = format!("{path} at {}", grouped(fault.offset));
    let how = match fault.kind {
        FaultKind::Zeroed { bytes } if bytes == fault.len => "it is all zeros".to_owned(),
        FaultKind::Zeroed { bytes } => {
            format!("{} of its {} bytes are zeros", grouped(bytes.into()), grouped(fault.len.into()))
        }
        FaultKind::Misplaced { belongs_at } => {
            format!("it holds the block that belongs at {}", grouped(belongs_at))
        }
        FaultKind::Stale { of_this_run: true } => "it holds an earlier write of this run".to_owned(),
        FaultKind::Stale { of_this_run: false } => "it holds a write of another run".to_owned(),
        FaultKind::Torn { at } => format!("it is torn: another write begins at byte {}", grouped(at.into())),
        FaultKind::BitFlip { bits: 1, first } => format!("1 bit differs, in byte {}", grouped(first.into())),
        FaultKind::BitFlip { bits, first } => {
            format!("{bits} bits differ, the first of them in byte {}", grouped(first.into()))
        }
        FaultKind::Checksum => "its header is right, and its checksum does not fit its content".to_owned(),
        FaultKind::NotTrimmed { first } => {
            format!("it was trimmed and is not zeros, from byte {} on", grouped(first.into()))
        }
        FaultKind::Foreign => "it holds nothing that a verifying job has written".to_owned(),
    };
    match saved {
        None => format!("{at}: {how}"),
        Some(SavedBlock { received, expected: None }) => format!("{at}: {how}; saved as {received}"),
        Some(SavedBlock { received, expected: Some(expected) }) => {
            format!("{at}: {how}; saved as {received}, and what was expected as {expected}")
        }
    }
}

fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { several })
}
