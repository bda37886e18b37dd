//! Block sizes by direction: which directions use them, how a pass visits its blocks, and the alignment that targets ask for.

use super::notes::{self, Checked, Notes};
use super::{BlockSizes, PlannedFile, PlannedJob, TargetKind};
use crate::diagnostic::{Diagnostic, Severity};
use crate::direction::{Direction, PerDirection};
use crate::engine::EngineDef;
use crate::job::{Job, Origin};
use crate::options;
use crate::units::Bytes;
use crate::value::{Mix, SizeRange, Split};
use fathom_text::shell::quoted_carried;

/// Block sizes by direction. The more specific option wins, whatever the
/// order, as in fio: `bssplit` over `bsrange` over `bs`.
pub(crate) fn sizes(job: &Job) -> PerDirection<BlockSizes> {
    let sizes = given_sizes(job);
    if !job.get(&options::BS_IS_SEQ_RAND) {
        return sizes;
    }
    let (random, percent) = (job.get(&options::RW).random, job.get(&options::PERCENTAGE_RANDOM));
    PerDirection::from_fn(|d| if random && percent[d] > 0 { sizes.write.clone() } else { sizes.read.clone() })
}

/// With `bs_is_seq_rand` every I/O of a direction has to be sequential, or every one random.
pub(super) fn check_seq_rand(job: &Job) -> Checked<()> {
    let (rw, percent) = (job.get(&options::RW), job.get(&options::PERCENTAGE_RANDOM));
    let is_mixed = rw.postfix.is_some_and(|run| run > 1) || percent.iter().any(|(_, p)| (1..100).contains(p));
    if !job.get(&options::BS_IS_SEQ_RAND) || !rw.random || !is_mixed {
        return Ok(());
    }
    let message = format!(
        "job {}: bs_is_seq_rand in a job that has both sequential and random I/O is not in this version",
        job.name
    );
    Err(notes::error(job, &options::BS_IS_SEQ_RAND, "seq-rand-mixed", message)
        .hint("two jobs, one with rw=read or rw=write and one that is random, each with its bs"))
}

fn given_sizes(job: &Job) -> PerDirection<BlockSizes> {
    if let Some(splits) = job.get(&options::BSSPLIT) {
        splits.map(|split| weighted(&split))
    } else if let Some(ranges) = job.get(&options::BSRANGE) {
        ranges.map(range)
    } else {
        job.get(&options::BS).map(BlockSizes::Fixed)
    }
}

/// Random offsets are multiples of this: `blockalign`, else the smallest block.
pub(super) fn align(job: &Job, blocks: &PerDirection<BlockSizes>) -> PerDirection<Bytes> {
    let given = job.get(&options::BLOCKALIGN);
    PerDirection::from_fn(|direction| {
        let asked = given.map(|align| align[direction]).filter(|align| align.0 > 0);
        asked.unwrap_or_else(|| blocks[direction].min())
    })
}

/// The option that the block sizes come from, for findings.
pub(super) fn option_in_force(job: &Job) -> &'static str {
    if job.is_given(&options::BSSPLIT) {
        "bssplit"
    } else if job.is_given(&options::BSRANGE) {
        "bsrange"
    } else {
        "bs"
    }
}

fn range(range: SizeRange) -> BlockSizes {
    if range.low == range.high {
        BlockSizes::Fixed(range.low)
    } else {
        BlockSizes::Range { low: range.low, high: range.high }
    }
}

/// Shares that sum to 100: entries without a share divide what the others leave, and the largest
/// share gets the remainder of that division, as in fio. The parser has checked that the given
/// shares leave room for that.
fn weighted(splits: &[Split]) -> BlockSizes {
    let given: u32 = splits.iter().filter_map(|split| split.percent).map(u32::from).sum();
    let blanks = splits.iter().filter(|split| split.percent.is_none()).count();
    let each = (100 - given).checked_div(u32::try_from(blanks).expect("few entries")).unwrap_or(0);
    let share = |split: &Split| split.percent.unwrap_or(u8::try_from(each).expect("at most 100"));
    let mut parts: Vec<(Bytes, u8)> = splits.iter().map(|split| (split.bytes, share(split))).collect();
    parts.sort_by_key(|(_, percent)| *percent);
    let sum: u8 = parts.iter().map(|(_, percent)| *percent).sum();
    if let Some((_, largest)) = parts.last_mut() {
        *largest += 100 - sum;
    }
    parts.retain(|(_, percent)| *percent > 0);
    match parts.as_slice() {
        [(only, _)] => BlockSizes::Fixed(*only),
        _ => BlockSizes::Split(parts),
    }
}

// How a pass visits its files: each block once or not, to their end or not.

impl PlannedJob {
    /// Is each random offset drawn without regard to those before it (`norandommap`)? As in fio, this holds
    /// for every distribution that is not uniform.
    pub fn draws_freely(&self) -> bool {
        self.job.get(&options::NORANDOMMAP) || !self.job.get(&options::RANDOM_DISTRIBUTION).is_uniform()
    }

    /// Does it write each byte of its region once in a pass, with data of its own?
    pub fn writes_all(&self) -> bool {
        let only_writes = Direction::ALL.into_iter().all(|d| self.uses(d) == (d == Direction::Write));
        only_writes && ends_with_files(self) && !self.job.get(&options::ZERO_BUFFERS)
    }
}

/// Does one pass visit each block once? Not where offsets are drawn freely, not when blocks and their
/// alignment differ, and not when some I/Os continue after the last one instead of drawing an offset.
pub(crate) fn covers_once(planned: &PlannedJob) -> bool {
    let used = || Direction::ALL.into_iter().filter(|d| planned.uses(*d));
    let is_aligned = used().all(|d| planned.align[d] == planned.block[d].min());
    planned.draws_each() && !planned.draws_freely() && is_aligned && !has_zones(planned)
}

/// Does a pass end where its files do? Otherwise it goes on until its bytes are moved: reads and
/// writes each have their own position in a region, holes and zones leave blocks out, and drawn offsets never
/// run out.
pub(super) fn ends_with_files(planned: &PlannedJob) -> bool {
    let has_hole = planned.rw.postfix.is_some_and(|hole| hole != 0);
    let is_two_way = planned.uses(Direction::Read) && planned.uses(Direction::Write);
    if planned.rw.random { covers_once(planned) } else { !has_hole && !is_two_way && !has_zones(planned) }
}

fn has_zones(planned: &PlannedJob) -> bool {
    planned.job.get(&options::ZONEMODE) != "none"
}

/// The block size, when every direction in use has the same single one.
pub(super) fn one_block(planned: &PlannedJob) -> Option<Bytes> {
    let mut sizes = Direction::ALL.into_iter().filter(|d| planned.uses(*d)).map(|d| match planned.block[d] {
        BlockSizes::Fixed(size) => Some(size),
        _ => None,
    });
    let first = sizes.next().flatten()?;
    sizes.all(|size| size == Some(first)).then_some(first)
}

// Which directions a job really issues, and in what proportion.

/// fio's mix when neither share is given.
const READ_PERCENT: u32 = 50;

impl Mix {
    /// Does a mix with this share of reads issue I/O in this direction? The
    /// vendor guides write `rw=randrw, rwmixread=0` for a write test, so a mix of
    /// 0 % or 100 % must not count as mixed.
    pub fn issues(self, read_percent: u8, direction: Direction) -> bool {
        match (self, direction) {
            (Mix::Read, Direction::Read) | (Mix::Write, Direction::Write) | (Mix::Trim, Direction::Trim) => {
                true
            }
            (Mix::ReadWrite, Direction::Read) => read_percent > 0,
            (Mix::ReadWrite, Direction::Write) => read_percent < 100,
            (Mix::TrimWrite, Direction::Write | Direction::Trim) => true,
            _ => false,
        }
    }
}

/// Percent of I/Os that are reads. `rwmixread` and `rwmixwrite` set the same value; the parser
/// keeps the one given last.
pub(crate) fn read_percent(job: &Job, mix: Mix) -> u8 {
    match mix {
        Mix::Read => 100,
        Mix::Write | Mix::Trim | Mix::TrimWrite => 0,
        Mix::ReadWrite => {
            let write = job.get(&options::RWMIXWRITE).map(|percent| 100 - percent.min(100));
            let read = job.get(&options::RWMIXREAD).or(write).unwrap_or(READ_PERCENT);
            u8::try_from(read.min(100)).expect("at most 100")
        }
    }
}

// Does a direct job obey the alignment of its targets?
//
// O_DIRECT wants offset and length in multiples of the device's logical
// block. The kernel answers a violation with a bare EINVAL at
// the first I/O; the plan says before it starts which option to change.

/// The smallest sector of a drive.
const SECTOR_MIN: u64 = 512;

/// Is the page cache bypassed? Of `direct` and `buffered`, which are
/// opposites, the parser keeps the one given last.
pub(super) fn is_direct(job: &Job) -> bool {
    job.get(&options::ATOMIC) || job.given(&options::DIRECT).unwrap_or_else(|| !job.get(&options::BUFFERED))
}

/// One thing that must be a multiple of the unit.
struct Multiple {
    option: &'static str,
    bytes: u64,
}

/// Adds one error for each option that breaks a target's unit.
pub(super) fn check_alignment(
    planned: &PlannedJob,
    file: &PlannedFile,
    unit: Option<Bytes>,
    notes: &mut Notes,
) {
    let is_always_direct = sends_commands(planned);
    let Some(unit) = unit.filter(|unit| (planned.direct || is_always_direct) && unit.0 > 1) else {
        return;
    };
    for multiple in multiples(planned, file) {
        if !multiple.bytes.is_multiple_of(unit.0) {
            notes.push(misaligned(planned, file, unit, &multiple));
        }
    }
}

fn multiples(planned: &PlannedJob, file: &PlannedFile) -> Vec<Multiple> {
    let mut all = Vec::new();
    for direction in Direction::ALL.into_iter().filter(|d| planned.uses(*d)) {
        let option = option_in_force(&planned.job);
        all.extend(block_sizes(planned, direction).into_iter().map(|bytes| Multiple { option, bytes }));
        if planned.rw.random && planned.job.is_given(&options::BLOCKALIGN) {
            all.push(Multiple { option: options::BLOCKALIGN.def.name, bytes: planned.align[direction].0 });
        }
    }
    if let (false, Some(hole)) = (planned.rw.random, planned.rw.postfix) {
        all.push(Multiple { option: options::RW.def.name, bytes: hole.unsigned_abs() });
    }
    let shifted = planned.subjob > 0 && planned.job.is_given(&options::OFFSET_INCREMENT);
    let option = if shifted { options::OFFSET_INCREMENT.def.name } else { options::OFFSET.def.name };
    all.push(Multiple { option, bytes: file.offset.0 });
    all
}

/// The sizes that can occur; a range is stepped by its low end, unless it is
/// unaligned, and then any size can.
fn block_sizes(planned: &PlannedJob, direction: Direction) -> Vec<u64> {
    match &planned.block[direction] {
        BlockSizes::Fixed(size) => vec![size.0],
        BlockSizes::Range { low, .. } if planned.job.get(&options::BS_UNALIGNED) => {
            vec![low.0, low.0 + 1]
        }
        BlockSizes::Range { low, .. } => vec![low.0],
        BlockSizes::Split(parts) => parts.iter().map(|(size, _)| size.0).collect(),
    }
}

/// A command is not buffered, so it moves whole blocks whatever `direct=` says.
fn sends_commands(planned: &PlannedJob) -> bool {
    planned.engine_def().is_some_and(EngineDef::sends_commands)
}

fn misaligned(planned: &PlannedJob, file: &PlannedFile, unit: Bytes, multiple: &Multiple) -> Diagnostic {
    let Multiple { option, bytes } = multiple;
    let message = format!(
        "job {}: {} takes {} in multiples of {} bytes only, but {option} gives {bytes}",
        planned.name,
        file.path,
        if sends_commands(planned) { "commands" } else { "direct I/O" },
        unit.0
    );
    let nearest = bytes.next_multiple_of(unit.0).max(unit.0);
    let finding = notes::at_name(Diagnostic::error("V-44", message), &planned.job, option)
        .hint(fits(option, *bytes, nearest));
    if sends_commands(planned) {
        return finding;
    }
    let finding = finding.hint("direct=0 has no such rule, but measures the page cache");
    let path = quoted_carried(&file.path);
    match file.kind == TargetKind::Block && unit.0 > SECTOR_MIN {
        true => finding.hint(format!(
            "fathom purge {path} --plan says whether the drive can be formatted with 512-byte sectors"
        )),
        false => finding,
    }
}

/// Which value fits. An option that has several sizes keeps the others.
fn fits(option: &str, bytes: u64, nearest: u64) -> String {
    match [options::BSSPLIT.def.name, options::BSRANGE.def.name].contains(&option) {
        true => format!("{nearest} in the place of {bytes} in {option} is the next that fits"),
        false => format!("{option}={nearest} is the next that fits"),
    }
}

// The guides want 512-byte sectors for blocks below 4 KiB, and 4096-byte sectors from there on (contract
// V-24). A plan with both kinds on one drive is one for two runs, with a format between them.

/// From this block size on, sectors are to be as large.
const LARGE: Bytes = Bytes::kib(4);
const SMALL_SECTOR: u64 = 512;
const LARGE_SECTOR: u64 = 4096;

/// Says for each drive with both kinds of jobs how they are run in two parts.
pub(super) fn sector_findings(jobs: &[PlannedJob]) -> Vec<Diagnostic> {
    let mut devices: Vec<(&str, Bytes)> = Vec::new();
    for file in jobs.iter().filter(|job| job.subjob == 0).flat_map(|job| &job.files) {
        if file.kind == TargetKind::Block && !devices.iter().any(|(path, _)| *path == file.path) {
            devices.push((&file.path, file.lba));
        }
    }
    devices.into_iter().filter_map(|(path, sector)| sector_split(jobs, path, sector)).collect()
}

fn sector_split(jobs: &[PlannedJob], path: &str, sector: Bytes) -> Option<Diagnostic> {
    let on_it =
        |job: &&PlannedJob| job.subjob == 0 && job.direct && job.files.iter().any(|file| file.path == path);
    let (small, large): (Vec<&PlannedJob>, Vec<&PlannedJob>) =
        jobs.iter().filter(on_it).partition(|job| job.block_min() < LARGE);
    let (first_small, _) = (small.first()?, large.first()?);
    let message = format!(
        "{} below 4 KiB and {} from 4 KiB on use {path}, which has sectors of {} bytes; a drive is fastest with \
         512-byte sectors for the former and with 4096-byte sectors for the latter. If it can be formatted so, run \
         them in two parts",
        fathom_text::words::counted(small.len(), "job"),
        fathom_text::words::counted(large.len(), "job"),
        sector.0
    );
    // The part for the sectors that the drive has comes first.
    let mut parts = vec![(SMALL_SECTOR, small.clone()), (LARGE_SECTOR, large.clone())];
    if sector.0 >= LARGE_SECTOR {
        parts.reverse();
    }
    let place = first_small.job.setting(&options::BS).map_or(&first_small.job.span, |setting| &setting.span);
    let mut finding = Diagnostic::new(Severity::Note, "V-24", message).at(place);
    for (bytes, part) in &parts {
        if *bytes != sector.0 {
            finding =
                finding.hint(format!("fathom purge {} --lba {bytes} --destroy SERIAL", quoted_carried(path)));
        }
        finding = finding.hint(sector_command(part, jobs));
    }
    Some(finding)
}

/// The command line that runs these jobs: their files, and their sections where a file has others too.
fn sector_command(part: &[&PlannedJob], all: &[PlannedJob]) -> String {
    let mut files: Vec<&str> = part.iter().map(|job| job.job.span.file.as_str()).collect();
    files.dedup();
    let is_other = |job: &PlannedJob| job.subjob == 0 && !part.iter().any(|own| own.id == job.id);
    let has_others = all.iter().any(|job| is_other(job) && files.contains(&job.job.span.file.as_str()));
    let mut line = "fathom run".to_owned();
    files.iter().for_each(|file| line += &format!(" {}", quoted_carried(file)));
    if has_others {
        part.iter().for_each(|job| line += &format!(" --section {}", quoted_carried(&job.job.section)));
    }
    line + &overrides(&part[0].job)
}

/// What the command line set in every job.
fn overrides(job: &Job) -> String {
    let set = job.settings().filter(|(_, setting)| setting.origin == Origin::Override);
    set.map(|(name, setting)| match name == options::FILENAME.def.name {
        true => format!(" --target {}", quoted_carried(&setting.text.replace("\\:", ":"))),
        false => format!(" --set {}", quoted_carried(&format!("{name}={}", setting.text))),
    })
    .collect()
}
