//! The rules: a table, and a function for each.

use super::idle::option_idle;
use super::whole::{single_pass, size_zero, whole_device};
use super::{LintInput, LintRule, note, warning};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::job::Origin;
use crate::option::Key;
use crate::plan::{PlannedFile, PlannedJob, Rate, TargetKind, Think, WaitedSync, covers_once, reads_cold};
use crate::units::Bytes;
use crate::value::{Mix, Value};
use crate::{options, parse};

/// All rules, in the order of their findings.
pub const RULES: &[LintRule] = &[
    LintRule { code: "T-60", check: implicit_bs },
    LintRule { code: "V-43", check: buffered_depth },
    LintRule { code: "V-11", check: buffered_device },
    LintRule { code: "sync-depth", check: sync_depth },
    LintRule { code: "page-cache", check: page_cache },
    LintRule { code: "V-43", check: unflushed },
    LintRule { code: "V-43", check: single_pass },
    LintRule { code: "whole-device", check: whole_device },
    LintRule { code: "size-zero", check: size_zero },
    LintRule { code: "V-50", check: reused_buffer },
    LintRule { code: "V-45", check: constant_payload },
    LintRule { code: "V-23", check: unwritten_reads },
    LintRule { code: "unwritten-file", check: unwritten_file },
    LintRule { code: "I-35", check: randrepeat },
    LintRule { code: "early-end", check: early_end },
    LintRule { code: "long-ramp", check: long_ramp },
    LintRule { code: "few-samples", check: few_samples },
    LintRule { code: "rwmix-rates", check: rwmix_rates },
    LintRule { code: "rwmix-one-rate", check: rwmix_one_rate },
    LintRule { code: "option-idle", check: option_idle },
    LintRule { code: "mix-unused", check: mix_unused },
    LintRule { code: "mix-few", check: mix_few },
    LintRule { code: "blocks-cut", check: blocks_cut },
    LintRule { code: "stonewall-first", check: stonewall_first },
    LintRule { code: "late-delay", check: late_delay },
    LintRule { code: "batch-whole", check: batch_whole },
    LintRule { code: "pause-never", check: pause_never },
    LintRule { code: "hist-log", check: hist_log },
    LintRule { code: "region-rest", check: region_rest },
];

/// The block size decides the result more than any other option; a job that
/// leaves it to the default does not say what it measured.
fn implicit_bs(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let job = input.job();
    let given =
        job.is_given(&options::BS) || job.is_given(&options::BSRANGE) || job.is_given(&options::BSSPLIT);
    // A trace states its own.
    (!given && input.first.replays.is_none()).then(|| {
        let message = format!(
            "job {} does not state its block size; the default is {}",
            job.name,
            input.first.block_max()
        );
        note(input, code, &options::BS, message).hint("bs=4k states it in the job file")
    })
}

/// The random map gives an I/O only what is left between the blocks that were used before it, as in fio: large blocks become smaller, the
/// more of the region is used. With the null engine and `bssplit=4k/50:64k/50` the mean is 32 KiB of 34 KiB at a twentieth of the region,
/// 30 at a quarter, 26 at a half and 19 at all of it (fio 3.33: 30, 28, 26 and 20).
fn blocks_cut(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    /// From this part of the region on, the mean is a tenth smaller, which is told after the run, too.
    const PART: f64 = 0.25;
    let planned = input.first;
    let varies = |d: &Direction| planned.uses(*d) && planned.block[*d].min() != planned.block[*d].max();
    let region = planned.files.iter().map(|file| file.size.0).fold(0, u64::saturating_add) as f64;
    let is_cut = Direction::ALL.iter().any(varies) && covers_once(planned);
    let used = bytes_foreseen(planned).filter(|bytes| is_cut && *bytes >= PART * region)?;
    let part = if used >= region {
        "a pass".to_owned()
    } else {
        format!("a pass, and the job uses {:.0} % of them", 100.0 * used / region)
    };
    let message = format!(
        "job {}: each block is used once {part}, so blocks of several sizes are cut to what is left between those before them, and \
            are smaller on average than asked",
        planned.name
    );
    let finding = match planned.job.is_given(&options::BSSPLIT) {
        true => note(input, code, &options::BSSPLIT, message),
        false => note(input, code, &options::BSRANGE, message),
    };
    Some(
        finding
            .hint("norandommap=1 keeps all sizes; some blocks are then used several times, and some never"),
    )
}

/// The bytes that end a job, or that it will have moved when its time is over; `None` where the speed of the target decides.
fn bytes_foreseen(planned: &PlannedJob) -> Option<f64> {
    let end = &planned.end;
    let of_ios = |ios: u64| {
        let means = Direction::ALL.into_iter().filter(|d| planned.uses(*d)).map(|d| planned.block[d].mean());
        means.reduce(f64::max).map(|mean| ios as f64 * mean)
    };
    let limits =
        || end.bytes.map(|bytes| bytes.0 as f64).into_iter().chain(end.ios.and_then(of_ios)).reduce(f64::min);
    match planned.expected.bytes {
        Some(bytes) => Some(bytes.0 as f64),
        None if end.time.is_some() => None,
        None => limits(),
    }
}

/// With buffered I/O, iodepth is the depth at the page cache, not at the device.
/// Where the engine cannot reach that depth at all, the plan already has a finding for it.
fn buffered_depth(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let depth = input.first.depth;
    (input.buffered() && depth.asked > 1 && depth.reachable == depth.asked).then(|| {
        let message = format!(
            "job {}: iodepth={} with direct=0 is the depth at the page cache, which sends its own I/Os to \
                the device",
            input.first.name, depth.asked
        );
        warning(input, code, &options::IODEPTH, message).hint("direct=1")
    })
}

/// A block device through the page cache measures memory as much as the
/// device.
fn buffered_device(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let device = input.file(TargetKind::Block).filter(|_| input.buffered())?;
    let message = format!(
        "job {} goes to {} through the page cache: it measures memory copies and write-back too",
        input.first.name, device.path
    );
    Some(
        warning(input, code, &options::DIRECT, message)
            .hint("direct=1 measures the device; run both to see what the cache does"),
    )
}

/// A sync that the worker waits for empties the queue, whatever `iodepth` says.
fn sync_depth(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let WaitedSync { option, writes } = WaitedSync::of(input.job(), input.engine)?;
    let depth = input.first.depth.reachable;
    (input.first.uses(Direction::Write) && depth > writes).then(|| {
        let each = if writes == 1 { "each write".to_owned() } else { format!("every {writes} writes") };
        let left = if writes == 1 { "1 write is".to_owned() } else { format!("{writes} writes are") };
        let message = format!(
            "job {} asks for {depth} I/Os in flight and for a sync after {each} ({}={writes}): the worker of \
             ioengine={} waits for each sync, so about {left} in flight",
            input.first.name, option.def.name, input.engine.name
        );
        warning(input, code, option, message)
            .hint("ioengine=io_uring queues syncs beside the writes; or numjobs= for more writers")
    })
}

/// A file that fits in memory is read from memory, unless each pass over it begins with its pages dropped.
fn page_cache(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let footprint = input.footprint();
    let fits = footprint < input.machine.memory && input.first.uses(Direction::Read);
    (input.buffered() && fits && !reads_cold(input.clones)).then(|| {
        let message = format!(
            "job {} reads {footprint} with direct=0, and this machine has {} of memory: repeated \
             reads come from the page cache",
            input.first.name, input.machine.memory
        );
        warning(input, code, &options::SIZE, message).hint("direct=1, or a size of at least twice the memory")
    })
}

/// A buffered write counts as done when it is in memory.
fn unflushed(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let writes = input.buffered() && input.first.uses(Direction::Write);
    (writes && !flushes(input)).then(|| {
        let message = format!(
            "job {} writes with direct=0 and never flushes: its last writes may still be in \
             memory when it ends",
            input.first.name
        );
        warning(input, code, &options::END_FSYNC, message)
            .hint("end_fsync=1 includes the flush in the measured time; direct=1 bypasses the cache")
    })
}

fn flushes(input: &LintInput<'_>) -> bool {
    let job = input.job();
    job.get(&options::END_FSYNC)
        || job.get(&options::END_SYNCFS)
        || job.get(&options::FSYNC_ON_CLOSE)
        || job.get(&options::FSYNC) > 0
        || job.get(&options::FDATASYNC) > 0
        || job.get(&options::SYNC) != "none"
}

/// By default one random buffer is written again and again: a drive or
/// array that compresses or deduplicates can store it once, so such a job does not fill it with
/// random data.
fn reused_buffer(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let job = input.job();
    let chosen = job.get(&options::REFILL_BUFFERS)
        || job.get(&options::ZERO_BUFFERS)
        || job.is_given(&options::BUFFER_PATTERN)
        || job.is_given(&options::BUFFER_COMPRESS_PERCENTAGE)
        || job.is_given(&options::DEDUPE_PERCENTAGE)
        || input.first.verify.is_some();
    let writes = input.first.uses(Direction::Write) && !input.engine.diskless;
    (writes && !chosen).then(|| {
        let scrambled =
            if job.get(&options::SCRAMBLE_BUFFERS) { ", a few bytes in each 512 changed" } else { "" };
        let message = format!(
            "job {} writes the same random buffers over and over{scrambled}: a target that \
             compresses or deduplicates can gain from it",
            job.name
        );
        note(input, code, &options::REFILL_BUFFERS, message)
            .hint("refill_buffers=1 writes fresh random data each time")
    })
}

/// Drives that compress store zeros and short patterns at almost no cost (the
/// vendor's own sample fills with 0xAA).
fn constant_payload(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let job = input.job();
    let zeros = job.get(&options::ZERO_BUFFERS);
    let pattern = job.is_given(&options::BUFFER_PATTERN);
    let writes = input.first.uses(Direction::Write) && !input.engine.diskless && input.first.verify.is_none();
    (writes && (zeros || pattern) && !job.get(&options::REFILL_BUFFERS)).then(|| {
        let what = if zeros { "zeros" } else { "a repeated pattern" };
        let message = format!(
            "job {} writes {what}: drives that compress, and thin volumes, may not store it at all",
            job.name
        );
        let key = if zeros { options::ZERO_BUFFERS.def.name } else { options::BUFFER_PATTERN.def.name };
        let finding = match zeros {
            true => warning(input, code, &options::ZERO_BUFFERS, message),
            false => warning(input, code, &options::BUFFER_PATTERN, message),
        };
        finding.hint(format!("without {key}=, the payload is random"))
    })
}

const FILL_DEVICE: &str = "write the device once before all reads: fathom precondition DEVICE";

/// A drive answers reads of blocks that were never written without touching its flash (contracts
/// V-23, V-49), so the figure then measures the interface. What earlier runs wrote is known only
/// for devices that fathom has purged.
fn unwritten_reads(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let device = input.file(TargetKind::Block).filter(|_| input.first.uses(Direction::Read))?;
    if device.is_written || input.filled.holds(device) {
        return None;
    }
    if let Some(unwritten) = device.never_written.filter(|bytes| bytes.0 > 0) {
        let message = format!(
            "job {} reads {} of {}, of which {unwritten} were never written since the purge: reads of \
                those are answered without touching the medium",
            input.first.name, device.size, device.path
        );
        return Some(warning(input, code, &options::RW, message).hint(FILL_DEVICE));
    }
    let message = format!(
        "job {} reads {}, which no job before it fills: reads of blocks that were never written are \
            answered without touching the medium",
        input.first.name, device.path
    );
    Some(note(input, code, &options::RW, message).hint(FILL_DEVICE))
}

/// Reads of a file that holds no data in places: holes, and extents that were reserved and never written. The file
/// system answers them with zeros, and the disk has nothing to do (the same as for a device).
fn unwritten_file(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let file = input.file(TargetKind::File).filter(|_| input.first.uses(Direction::Read))?;
    let empty = file.without_data.filter(|bytes| bytes.0 > 0 && !input.filled.holds(file))?;
    let length = file.length.unwrap_or(file.size);
    let message = format!(
        "job {} reads {}: {empty} of its {length} hold no data, and reads of those are answered with zeros, without \
         the disk",
        input.first.name, file.path
    );
    Some(
        note(input, code, &options::RW, message).hint(
            "write the file once before: a job with rw=write and bs=1m of the whole size before this one",
        ),
    )
}

/// The same random order in each run lets a cache learn it.
fn randrepeat(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let job = input.job();
    let chosen = job.is_given(&options::RANDREPEAT) || job.is_given(&options::RANDSEED);
    (input.first.rw.random && !chosen && !input.engine.diskless).then(|| {
        let message = format!(
            "job {} draws the same random offsets in each run: a cache still warm from the last run can \
                answer, so reads look too fast",
            job.name
        );
        note(input, code, &options::RANDREPEAT, message)
            .hint("randrepeat=0 draws new offsets in each run; randrepeat=1 says that this is intended")
    })
}

/// `runtime` without `time_based` is only an upper limit (fio issues #329,
/// #1414: the most asked question about the two).
fn early_end(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let end = &input.first.end;
    let (time, bytes) = (end.time.filter(|_| !end.time_based)?, end.bytes?);
    let message = format!("job {} ends after {time} or {bytes}, whichever comes first", input.first.name);
    Some(
        note(input, code, &options::RUNTIME, message)
            .hint("time_based=1 repeats the region until the time is over"),
    )
}

/// A ramp longer than the measurement is usually a mistake in the unit.
fn long_ramp(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let (ramp, time) = (input.first.ramp, input.first.end.time?);
    (ramp > time).then(|| {
        let message = format!("job {} warms up for {ramp} and measures for {time}", input.first.name);
        note(input, code, &options::RAMP_TIME, message).hint("runtime counts from the end of ramp_time")
    })
}

/// Of fewer values than this, the 99th percentile is simply the largest one.
const SAMPLES_LEAST: f64 = 100.0;

/// A rate so low that the run has too few I/Os for percentiles.
fn few_samples(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let first = input.first;
    let time = first.end.time?;
    let ios = |d: &Direction| first.ios_asked(*d).map(|per_second| per_second * time.as_secs_f64());
    let used = Direction::ALL.into_iter().filter(|d| first.uses(*d));
    let (direction, ios) = used.filter_map(|d| Some((d, ios(&d)?))).find(|(_, ios)| *ios < SAMPLES_LEAST)?;
    let message = format!(
        "job {} asks for about {ios:.0} {} I/Os in {time}: the 99th percentile of fewer than {SAMPLES_LEAST} is \
         their maximum",
        first.name,
        direction.name()
    );
    let finding = match input.job().is_given(&options::RATE_IOPS) {
        true => note(input, code, &options::RATE_IOPS, message),
        false => note(input, code, &options::RATE, message),
    };
    Some(finding.hint("a longer runtime, or a higher rate"))
}

/// A mix of which one direction has a rate: while its next I/O is not yet due, the job issues the other direction, as in fio.
fn rwmix_one_rate(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let (job, first) = (input.job(), input.first);
    if first.rw.mix != Mix::ReadWrite || matches!(first.read_percent, 0 | 100) {
        return None;
    }
    let (paced, other) = match (first.pace.rate.read, first.pace.rate.write) {
        (Some(_), None) => ("reads", "writes"),
        (None, Some(_)) => ("writes", "reads"),
        _ => return None,
    };
    let message = format!(
        "job {}: only {paced} have a rate, and while none of them is due the job issues {other}, so the mix may not be that of rwmixread",
        job.name
    );
    Some(note(input, code, &options::RATE_IOPS, message).hint("rate_iops=READS,WRITES gives each its share"))
}

/// `rwmixread` of a job whose reads and writes each have a rate: the rates decide how many of each there are.
fn rwmix_rates(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let (job, first) = (input.job(), input.first);
    let is_given = job.is_given(&options::RWMIXREAD) || job.is_given(&options::RWMIXWRITE);
    let percent = u64::from(first.read_percent);
    // With 0 or 100 there is one direction, and its rate is all that counts.
    if first.rw.mix != Mix::ReadWrite || !is_given || matches!(percent, 0 | 100) {
        return None;
    }
    let (name, read, write) = match (first.pace.rate.read?, first.pace.rate.write?) {
        (Rate::Ios(read), Rate::Ios(write)) => (Some("rate_iops"), read, write),
        (Rate::Bytes(read), Rate::Bytes(write)) => (Some("rate"), read, write),
        (Rate::Ios(read) | Rate::Bytes(read), Rate::Ios(write) | Rate::Bytes(write)) => (None, read, write),
    };
    let sum = read.saturating_add(write);
    let wanted = sum / 100 * percent + sum % 100 * percent / 100;
    if name.is_some() && wanted.abs_diff(read) <= sum / 100 {
        return None;
    }
    let message = format!(
        "job {}: rwmixread has no effect, because reads and writes each have a rate, and the rates decide how many of each there are",
        job.name
    );
    let finding = note(input, code, &options::RWMIXREAD, message);
    Some(match name {
        Some(name) => {
            finding.hint(format!("for {percent} % reads at the same sum: {name}={wanted},{}", sum - wanted))
        }
        None => finding.hint("give both rates as rate_iops, and choose them in this ratio"),
    })
}

/// A share of reads in a job that does not mix reads and writes.
fn mix_unused(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let (job, mix) = (input.job(), input.first.rw.mix);
    // Both are kept with the place of the one that was typed.
    let share = job.setting(&options::RWMIXREAD)?;
    let (does, mixed) = match mix {
        Mix::ReadWrite => return None,
        Mix::Read => ("only reads", "a mix"),
        Mix::Write => ("only writes", "a mix"),
        Mix::Trim => ("only trims", "a mix of reads and writes"),
        Mix::TrimWrite => ("trims and writes each block", "a mix of reads and writes"),
    };
    let message = format!(
        "job {} {does}, so {} % reads (rwmixread) has no effect",
        input.first.name,
        share.canonical()
    );
    let wanted = if input.first.rw.random { "rw=randrw" } else { "rw=rw" };
    Some(note(input, code, &options::RWMIXREAD, message).hint(format!("{wanted} is {mixed}")))
}

/// A mix with so few I/Os that one of its directions is not expected once.
fn mix_few(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let first = input.first;
    let reads = u64::from(first.read_percent);
    if first.rw.mix != Mix::ReadWrite || matches!(reads, 0 | 100) {
        return None;
    }
    let most = input.most_ios()?;
    let (rare, share) = if reads < 50 { ("read", reads) } else { ("write", 100 - reads) };
    if most.saturating_mul(share) >= 100 {
        return None;
    }
    let message = format!(
        "job {} makes {} of {reads} % reads: so few may have no {rare} at all",
        first.name,
        fathom_text::words::counted(most as usize, "I/O"),
    );
    let least = 100u64.div_ceil(share);
    Some(
        note(input, code, &options::RW, message)
            .hint(format!("at least {least} I/Os: a larger size, or time_based=1 with a runtime")),
    )
}

/// `stonewall` on the first job alone: there is nothing that it could wait for, and it does not hold back the job behind it.
/// Where the second job has one too, each section has it by habit, and all is as it looks.
fn stonewall_first(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let job = input.job();
    let next = input.next.filter(|next| next.stage == input.first.stage && next.wait_for.is_none())?;
    // In [global] it is meant for the jobs behind the first one.
    let is_own = job.setting(&options::STONEWALL).is_some_and(|wall| wall.origin != Origin::Global);
    if input.first.id > 0 || !is_own || !job.get(&options::STONEWALL) {
        return None;
    }
    let message = format!(
        "stonewall has no effect in job {}: no job is before it, and {} runs at the same time",
        input.first.name, next.name
    );
    Some(
        note(input, code, &options::STONEWALL, message)
            .hint("stonewall in the section behind it has that job wait for this one"),
    )
}

/// `startdelay` of a job that waits for others: it counts from the start of the run, as in fio, so most often it is over
/// before the others are.
fn late_delay(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let first = input.first;
    let waits = first.waits_for_others();
    let delay =
        input.clones.iter().map(|clone| clone.start_delay).max().filter(|delay| delay.0 > 0 && waits)?;
    let message = format!(
        "job {} starts when the jobs before it have ended, but not before {delay} after the start of the run: startdelay \
         is no wait between the two, as in fio",
        first.name
    );
    let finding = note(input, code, &options::STARTDELAY, message);
    let delay = parse::print(&Value::Time(delay));
    Some(
        finding
            .hint(format!("idle_before={delay} waits between the end of the jobs before it and its start")),
    )
}

/// A batch as deep as the queue: it is filled and emptied in turn, and is never kept at its depth.
fn batch_whole(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let depth = &input.first.depth;
    if depth.reachable < 2 || input.first.compat_fio {
        return None;
    }
    let is_whole = |batch: Option<u32>| batch.is_some_and(|batch| batch >= depth.reachable);
    let waits: Option<(&Key<Option<u32>>, &str)> = if is_whole(depth.complete_min) {
        Some((&options::IODEPTH_BATCH_COMPLETE_MIN, "nothing is submitted until all of them are complete"))
    } else if is_whole(depth.submit_batch) {
        Some((&options::IODEPTH_BATCH, "nothing is submitted until that many are ready"))
    } else {
        None
    };
    let (key, why) = waits?;
    let reachable = depth.reachable;
    let message = format!(
        "job {}: {} is as large as the depth of {reachable}, so {why}: the queue runs empty before it is filled again, \
         and is less deep on average",
        input.first.name, key.def.name
    );
    Some(note(input, code, key, message).hint(format!(
        "{}={} keeps at least half of the queue in flight",
        key.def.name,
        reachable / 2
    )))
}

/// A pause for which the job is too short: it ends before `thinktime_blocks` I/Os or `thinktime_iotime`.
fn pause_never(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let first = input.first;
    let think = first.pace.think?;
    // A pause behind the last I/O holds nothing back.
    let most = [input.most_ios(), ios_in_its_time(input)].into_iter().flatten().min();
    let by_count = think.every == u64::MAX || most.is_some_and(|most| most <= think.every);
    let by_time = think.io_time.is_none_or(|every| first.end.time.is_some_and(|time| time <= every));
    if !by_count || !by_time {
        return None;
    }
    let message = format!(
        "job {}: no pause of thinktime comes, since {}",
        first.name,
        why_no_pause(&think, most, input)
    );
    let less = if think.every == u64::MAX { "thinktime_iotime" } else { "thinktime_blocks" };
    let longer = if first.end.time_based { "a longer runtime" } else { "a larger size" };
    Some(note(input, code, &options::THINKTIME, message).hint(format!("a smaller {less}, or {longer}")))
}

/// The I/Os that its rate allows until its time is over; `None` without a rate for every direction or without a time.
fn ios_in_its_time(input: &LintInput<'_>) -> Option<u64> {
    let used = Direction::ALL.into_iter().filter(|direction| input.first.uses(*direction));
    let a_second: Option<f64> = used.map(|direction| input.first.ios_asked(direction)).sum();
    Some((a_second? * input.first.end.time?.as_secs_f64()).ceil() as u64)
}

fn why_no_pause(think: &Think, most: Option<u64>, input: &LintInput<'_>) -> String {
    let count = most.filter(|_| think.every != u64::MAX).map(|most| {
        let ios = fathom_text::words::counted(most, "I/O");
        format!("it makes at most {ios} and pauses after {} (thinktime_blocks)", think.every)
    });
    let time = think
        .io_time
        .zip(input.first.end.time)
        .map(|(every, time)| format!("it ends after {time} and pauses after {every} (thinktime_iotime)"));
    count.into_iter().chain(time).collect::<Vec<_>>().join(", and ")
}

/// Options of a log of histograms, without that log.
fn hist_log(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let job = input.job();
    let windows = job.get(&options::LOG_HIST_MSEC) > 0;
    let coarse = job.get(&options::LOG_HIST_COARSENESS) > 0;
    if job.is_given(&options::WRITE_HIST_LOG) || !windows && !coarse {
        return None;
    }
    let key = if windows { options::LOG_HIST_MSEC } else { options::LOG_HIST_COARSENESS };
    let message = format!("{} has no effect without write_hist_log", key.def.name);
    Some(note(input, code, &key, message).hint("write_hist_log=PREFIX writes PREFIX_clat_hist.1.log"))
}

/// The end of a region in which no whole block fits: it is never touched.
fn region_rest(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let files = input.first.files.iter();
    let rest_of = |file: &PlannedFile| file.needs.0.saturating_sub(file.offset.0.saturating_add(file.size.0));
    let (file, rest) = files.map(|file| (file, rest_of(file))).find(|(_, rest)| *rest > 0)?;
    let block = input.first.block_min();
    let where_ = if file.path.is_empty() { "the region".to_owned() } else { file.path.clone() };
    let message = format!(
        "job {}: the last {rest} bytes of {where_} from byte {} on are not touched: no block of {} bytes fits there",
        input.first.name,
        file.offset.0.saturating_add(file.size.0),
        block.0
    );
    let whole = Bytes(file.size.0);
    Some(
        note(input, code, &options::SIZE, message)
            .hint(format!("size={} is {whole}, in whole blocks", whole.0)),
    )
}
