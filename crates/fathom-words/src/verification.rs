//! What a verifying job found, in words.

use fathom_results::answer::{VerifiedHeadline, VerifiedPass};
use fathom_results::{CachedFile, FaultAt, SavedBlock, Unchecked, Verification};
use fathom_text::number::grouped;
use fathom_text::quantity::{bandwidth, bytes, rounded_time};
use fathom_verify::{Fault, FaultKind, Method, WrongPart};

/// What was checked, and how much of it was wrong, without a full stop.
pub fn verification(found: &Verification) -> String {
    let Verification { ios, wrong, unchecked, method, replaced, trimmed, cached, of_any_run, .. } = found;
    let what = *method;
    let method = method.name();
    let reads = counted(*ios, "read", "reads");
    let checked = match (ios, wrong) {
        (0, _) => format!("nothing was checked ({method})"),
        (_, 0) if what == Method::Null => format!("nothing was compared in {reads} ({method})"),
        (_, 0) if what == Method::Meta => format!("all headers in {reads} are right ({method})"),
        (_, 0) if *of_any_run => format!(
            "all blocks in {reads} are whole and in their places, whichever run wrote them ({method})"
        ),
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
    let Unchecked { failed, overlapped, in_flight, cut, not_read, short_reads, not_synced, newer, unknown } =
        *unchecked;
    let reasons = [
        (failed, "failed or short"),
        (overlapped, "in flight together with another write of the same place"),
        (in_flight, "not complete at the end"),
        (cut, "partly covered by a later write"),
        (not_read, "not read back before the job ended"),
        (short_reads, "not readable"),
        (not_synced, "in no sync that completed"),
        (newer, "newer than the saved state"),
        (unknown, "not in the saved state"),
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
            let block = if fault.part.is_some() { "part of the block" } else { "the block" };
            format!("{} {block} that belongs at {}", holding(fault), grouped(belongs_at))
        }
        FaultKind::Stale { of_this_run: true } => "it holds an earlier write of this run".to_owned(),
        FaultKind::Stale { of_this_run: false } => "it holds a write of another run".to_owned(),
        FaultKind::EarlierPass => "it holds a write of an earlier pass of this verification".to_owned(),
        FaultKind::Torn { at } => format!("it is torn: another write begins at byte {}", grouped(at.into())),
        FaultKind::BitFlip { bits: 1, first } => format!("1 bit differs, in byte {}", grouped(first.into())),
        FaultKind::BitFlip { bits, first } => {
            format!("{bits} bits differ, the first of them in byte {}", grouped(first.into()))
        }
        FaultKind::Checksum => "its header is right, and its checksum does not fit its content".to_owned(),
        FaultKind::NotTrimmed { first } => {
            format!("it was trimmed and is not zeros, from byte {} on", grouped(first.into()))
        }
        FaultKind::Foreign => format!("{} nothing that a verifying job has written", holding(fault)),
    };
    match saved {
        None => format!("{at}: {how}"),
        Some(SavedBlock { received, expected: None }) => format!("{at}: {how}; saved as {received}"),
        Some(SavedBlock { received, expected: Some(expected) }) => {
            format!("{at}: {how}; saved as {received}, and what was expected as {expected}")
        }
    }
}

/// `it holds`, or which part of the block holds what follows.
fn holding(fault: &Fault) -> String {
    let Some(WrongPart { sectors, at }) = fault.part else { return "it holds".to_owned() };
    let (all, at) = (grouped(u64::from(fault.len).div_ceil(512)), grouped(at.into()));
    match sectors {
        1 => format!("1 of its {all} sectors, at byte {at}, holds"),
        _ => format!("{} of its {all} sectors, from byte {at} on, hold", grouped(sectors.into())),
    }
}

/// What the verification of a whole target found, in one sentence.
pub fn whole_target(headline: &VerifiedHeadline) -> String {
    let VerifiedHeadline { target, method, wrong, errors, passes, .. } = headline;
    let (still, all) = (if headline.is_read_only { "still " } else { "" }, grouped(headline.bytes));
    let each = match passes.len() {
        0 | 1 => String::new(),
        passes => format!(", in each of {passes} passes"),
    };
    let checked = passes.last().map_or(0, |pass| pass.checked_bytes);
    match (*wrong, *errors) {
        (0, 0) if checked == 0 => format!("Nothing of {target} was verified."),
        (0, 0) if checked < headline.bytes => format!(
            "{} of {all} bytes of {target} were verified, and {still}hold what was written ({method}). The rest could not \
             be checked.",
            grouped(checked)
        ),
        (0, 0) => format!("All {all} bytes of {target} {still}hold what was written ({method}){each}."),
        (0, errors) => format!("{target} returned {}.", counted(errors, "I/O error", "I/O errors")),
        (wrong, errors) => {
            let are = if wrong == 1 { "is" } else { "are" };
            let failed = match errors {
                0 => String::new(),
                errors => format!(", and {} failed", counted(errors, "I/O", "I/Os")),
            };
            let blocks = counted(wrong, "block", "blocks");
            format!("{blocks} of {target} {are} NOT what was written ({method}){failed}.")
        }
    }
}

/// Passes that have a line of their own where none of them found anything.
const PASSES_MAX: usize = 5;

/// A line for each pass, or, of many, for the first one, the last one and the first of those that found something.
fn lines_of_passes(passes: &[VerifiedPass]) -> Vec<String> {
    if passes.len() <= PASSES_MAX {
        return passes.iter().map(of_pass).collect();
    }
    let is_clean = |pass: &VerifiedPass| pass.wrong == 0 && pass.unchecked.total() == 0;
    let (middle, last) = passes[1..].split_at(passes.len() - 2);
    let (clean, not_clean): (Vec<_>, Vec<_>) = middle.iter().partition(|pass| is_clean(pass));
    let left = not_clean.len().saturating_sub(PASSES_MAX) as u64;
    let left = (left > 0)
        .then(|| format!("{} of which not all is right", counted(left, "more pass", "more passes")));
    let clean = clean.len() as u64;
    let clean = (clean > 0).then(|| format!("{}: all right", counted(clean, "more pass", "more passes")));
    let named = passes[..1].iter().chain(not_clean.into_iter().take(PASSES_MAX)).map(of_pass);
    named.chain(left).chain(clean).chain(last.iter().map(of_pass)).collect()
}

/// The passes of the verification of a whole target and its first wrong blocks, a line each.
pub fn lines_of_whole_target(headline: &VerifiedHeadline) -> Vec<String> {
    let named =
        headline.faults.iter().map(|fault| format!("wrong: {}", wrong_block(&headline.target, fault)));
    let left = headline.wrong.saturating_sub(headline.faults.len() as u64);
    let more = (left > 0).then(|| format!("wrong: and {} more", grouped(left)));
    lines_of_passes(&headline.passes).into_iter().chain(named).chain(more).collect()
}

/// `pass 1: 64.0 MB written in 2 s, 32.0 MB/s; 64.0 MB read back in 1 s, 64.0 MB/s; all right`.
fn of_pass(pass: &VerifiedPass) -> String {
    let flow = |count: u64, seconds: f64| {
        let time = rounded_time((seconds * 1e9) as u64);
        let rate =
            if seconds > 0.0 { format!(", {}", bandwidth(count as f64 / seconds)) } else { String::new() };
        (bytes(count as f64), format!("in {time}{rate}"))
    };
    let (written, wrote) = flow(pass.written_bytes, pass.write_seconds);
    let (checked, read) = flow(pass.checked_bytes, pass.read_seconds);
    let wrote = if pass.written_bytes > 0 { format!("{written} written {wrote}; ") } else { String::new() };
    let result = match (pass.wrong, unchecked_writes(&pass.unchecked)) {
        (0, None) => "all right".to_owned(),
        (0, Some(unchecked)) => unchecked,
        (wrong, None) => format!("{} wrong", counted(wrong, "block", "blocks")),
        (wrong, Some(unchecked)) => format!("{} wrong; {unchecked}", counted(wrong, "block", "blocks")),
    };
    format!("pass {}: {wrote}{checked} read back {read}; {result}", pass.pass)
}

/// `1 block`, `2,000 blocks`.
pub(crate) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { several })
}
