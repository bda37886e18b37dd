//! The regions of a clone's files: where each begins, how much is asked from there, whole blocks, room on the disk, zones.
//!
//! The rules are fio's, checked against fio 3.33 on loop devices and files:
//! an absolute `size` is divided by the number of files and makes a regular
//! file longer, but is cut at the end of a device; a percentage is of the file
//! or device and is always cut at its end; an offset given in percent is
//! rounded up to the smallest block. Where fio then does nothing and reports
//! success (region beyond the end, or shorter than a block), this is an error.

use super::layout::PlannedLayout;
use super::notes::{self, Checked, Notes};
use super::target::{PlannedTarget, TargetKind};
use super::{BlockSizes, PlannedFile, PlannedJob, layout, zones};
use crate::diagnostic::Diagnostic;
use crate::direction::{Direction, PerDirection};
use crate::distribution::{Distribution, Millionths, Zone, ZoneSpan, spans};
use crate::option::Key;
use crate::options;
use crate::units::Bytes;
use crate::value::{Size, SizeRange};

/// The kernel's sector, in which LBAs count where there is no device.
const SECTOR: Bytes = Bytes(512);

/// The files of a clone, and the bytes of one pass over each as asked, before
/// cutting to whole blocks.
pub(super) struct Regions {
    pub(super) files: Vec<PlannedFile>,
    pub(super) asked: Vec<u64>,
    /// Bytes of a zone of the first file, with zones.
    pub(super) zone: Option<u64>,
}

pub(super) fn regions(
    planned: &PlannedJob,
    targets: &[PlannedTarget],
    layout: &PlannedLayout,
    notes: &mut Notes,
) -> Option<Regions> {
    let mut regions = Regions {
        files: Vec::with_capacity(targets.len()),
        asked: Vec::with_capacity(targets.len()),
        zone: targets.first().and_then(|target| zones::zone_bytes(&planned.job, &target.facts)),
    };
    for (index, target) in targets.iter().enumerate() {
        let mut spot = Spot::new(planned, target, index, targets.len() as u64);
        spot.laid = layout.length(&target.path);
        let region = spot.region(notes);
        let (file, asked) = notes.take(region)?;
        regions.asked.push(asked);
        regions.files.push(file);
    }
    Some(regions)
}

impl Spot<'_> {
    fn region(&self, notes: &mut Notes) -> Checked<(PlannedFile, u64)> {
        let offset = self.offset(notes)?;
        let (asked, room) = self.extent(offset, notes)?;
        let (offset, asked, room) = self.whole_zones(offset, asked, room, notes)?;
        let size = self.whole_blocks(asked, room);
        self.holds_a_block(offset, size, asked)?;
        let end = offset
            .checked_add(asked.max(size))
            .ok_or_else(|| self.error(&options::OFFSET, "overflow", "offset and size overflow 64 bits"))?;
        let exists = self.target.facts.kind != TargetKind::None;
        // What is to fill the space left is not laid out: nothing is reserved, as in fio.
        let has_no_layout =
            layout::fills_files(self.planned) || self.planned.job.get(&options::CREATE_ON_OPEN);
        let grows_as_written = has_no_layout && self.target.facts.kind.is_file();
        let needs = if exists && !grows_as_written { end } else { 0 };
        Ok((self.file(offset, size, needs), asked))
    }

    fn zone_bytes(&self) -> Option<u64> {
        zones::zone_bytes(&self.planned.job, &self.target.facts)
    }

    /// With zones, the region has whole zones, and ends with them.
    fn whole_zones(&self, offset: u64, asked: u64, room: u64, notes: &mut Notes) -> Checked<(u64, u64, u64)> {
        let Some(zone) = self.zone_bytes() else { return Ok((offset, asked, room)) };
        let (start, size) = zones::whole(zone, offset, asked);
        if size == 0 {
            let message = format!(
                "job {}: the {asked} bytes of {} from offset {offset} hold no whole zone of {zone} bytes",
                self.planned.name,
                self.name()
            );
            return Err(self.error(&options::SIZE, "target-small", &message).hint("a larger size"));
        }
        if (start, size) != (offset, asked) {
            let message = format!(
                "{}: {asked} bytes from offset {offset} are cut to the whole zones in them, {size} bytes from offset {start}",
                self.name()
            );
            notes.push(notes::note(&self.planned.job, &options::SIZE, "zones-whole", message));
        }
        Ok((start, size, size))
    }

    pub(super) fn file(&self, offset: u64, size: u64, needs: u64) -> PlannedFile {
        let facts = &self.target.facts;
        let device_block = facts.direct_align.filter(|_| facts.kind.is_drive());
        PlannedFile {
            path: self.target.path.clone(),
            kind: facts.kind,
            length: facts.size.filter(|_| facts.kind == TargetKind::File || facts.kind.is_drive()),
            lba: device_block.unwrap_or(SECTOR),
            offset: Bytes(offset),
            size: Bytes(size),
            needs: Bytes(needs),
            layout: Bytes(0),
            never_written: None,
            without_data: None,
            is_written: false,
            zones: facts.zones.filter(|_| facts.kind == TargetKind::Block),
        }
    }

    /// A random pass covers whole blocks only, and so does one whose blocks vary
    /// in size, since each is drawn to fit. A sequential one of equal blocks
    /// goes on while it is inside what was asked, so the last block may reach
    /// beyond it, where there is room.
    fn whole_blocks(&self, asked: u64, room: u64) -> u64 {
        let block = self.planned.block_min().0;
        let round_down = |bytes: u64| bytes - bytes % block;
        let mut sizes = self.planned.block.iter().filter(|(direction, _)| self.planned.uses(*direction));
        let varies = sizes.any(|(_, sizes)| !matches!(sizes, BlockSizes::Fixed(_)));
        if self.planned.rw.random || varies {
            round_down(asked)
        } else {
            asked
                .checked_next_multiple_of(block)
                .map_or_else(|| round_down(asked), |up| up.min(round_down(room)))
        }
    }
}

// One file of one clone: what its length is, where the clone begins in it,
// and how much is asked from there.

/// Golden ratio less one: multiples of it, mod 1, spread evenly whatever their
/// number (Weyl's sequence), so drawn values repeat from run to run.
pub(super) const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// What is known of one file while its region is found.
pub(super) struct Spot<'a> {
    pub(super) planned: &'a PlannedJob,
    pub(super) target: &'a PlannedTarget,
    /// Length that percentages and the end refer to, if there is one.
    pub(super) length: Option<u64>,
    /// This file's part of an absolute `size`.
    share: Option<u64>,
    /// Length of a missing file once the clones before this one have laid it
    /// out; `None` where none of them does.
    pub(super) laid: Option<u64>,
}

impl<'a> Spot<'a> {
    pub(super) fn new(planned: &'a PlannedJob, target: &'a PlannedTarget, index: usize, count: u64) -> Self {
        let share = match planned.job.get(&options::SIZE) {
            Some(Size::Bytes(size)) if size.0 > 0 && !planned.job.is_given(&options::FILESIZE) => {
                Some(size.0 / count)
            }
            _ => None,
        };
        Spot { planned, target, length: length_of(planned, target, index, share), share, laid: None }
    }

    /// `offset` and the clone's part of `offset_increment`; with `file_append` the end of the file, as in fio.
    pub(super) fn offset(&self, notes: &mut Notes) -> Checked<u64> {
        let job = &self.planned.job;
        if job.get(&options::FILE_APPEND) && self.target.facts.kind == TargetKind::File {
            return Ok(self.target.facts.size.unwrap_or_default().0);
        }
        let (base, step) = (job.get(&options::OFFSET), job.get(&options::OFFSET_INCREMENT));
        let clone = u64::from(self.planned.subjob);
        let start = self.distance(&options::OFFSET, base, notes)?;
        let each = if clone == 0 { 0 } else { self.distance(&options::OFFSET_INCREMENT, step, notes)? };
        let unit = match (base, step) {
            (Size::Percent(_), _) | (_, Size::Percent(_)) => self.offset_unit(),
            _ => 1,
        };
        let shifted = each.checked_mul(clone).and_then(|shift| shift.checked_add(start));
        shifted.and_then(|offset| offset.checked_next_multiple_of(unit)).ok_or_else(|| {
            let message = "offset_increment times the number of clones overflows 64 bits";
            self.error(&options::OFFSET_INCREMENT, "overflow", message)
        })
    }

    fn offset_unit(&self) -> u64 {
        match self.planned.job.get(&options::OFFSET_ALIGN) {
            Bytes(0) => self.planned.block_min().0,
            Bytes(unit) => unit,
        }
    }

    /// An offset in bytes of this file. A percentage of a file that the job will create refers to
    /// its length when the job is set up: 0, or what an earlier clone has laid out. fio does the
    /// same.
    fn distance(&self, key: &Key<Size>, distance: Size, notes: &mut Notes) -> Checked<u64> {
        let is_made_here = self.target.facts.kind == TargetKind::Missing && self.share.is_some();
        let Size::Percent(percent) = distance else { return self.amount(key, distance) };
        if !is_made_here || self.length.is_some() {
            return self.amount(key, distance);
        }
        if self.laid.is_none() && percent > 0 {
            notes.push(self.of_nothing(key, percent));
        }
        Ok(percent_of(self.laid.unwrap_or(0), percent))
    }

    /// A size option in bytes of this file.
    fn amount<T>(&self, key: &Key<T>, size: Size) -> Checked<u64> {
        match (size, self.length) {
            (Size::Bytes(bytes), _) => Ok(bytes.0),
            (Size::Percent(percent), Some(length)) => Ok(percent_of(length, percent)),
            (Size::Percent(percent), None) => {
                let message =
                    format!("{}={percent}% of {}: its size is not known", key.def.name, self.name());
                let hint = match self.target.facts.kind {
                    TargetKind::Missing => {
                        format!("name a device or a file that exists, or give {} in bytes", key.def.name)
                    }
                    _ => format!("give {} in bytes", key.def.name),
                };
                Err(self.error(key, "size-needed", &message).hint(hint))
            }
            (Size::Zones(count), _) => match self.zone_bytes() {
                Some(zone) => Ok(zone.saturating_mul(count.into())),
                None => {
                    Err(self.error(key, "zones", "sizes in zones need zonemode=zbd").hint("give it in bytes"))
                }
            },
        }
    }

    /// Bytes asked for from `offset`, and bytes there are. Of a percentage only whole blocks count, as in fio.
    pub(super) fn extent(&self, offset: u64, notes: &mut Notes) -> Checked<(u64, u64)> {
        let job = &self.planned.job;
        match (job.get(&options::SIZE), self.share) {
            (_, Some(share)) if !self.target.facts.kind.is_drive() => {
                let behind = self.length.unwrap_or(0).saturating_sub(offset);
                Ok((share, behind.max(share)))
            }
            (_, Some(share)) => {
                let room = self.room(offset)?;
                if share > room {
                    notes.push(self.clipped(offset, share, room));
                }
                Ok((share.min(room), room))
            }
            (Some(Size::Percent(100)), None) => self.room(offset).map(|room| (room, room)),
            (Some(size @ (Size::Percent(_) | Size::Zones(_))), None)
                if self.target.facts.kind.is_file() && self.length.is_none() =>
            {
                let part = self.amount(&options::SIZE, size)?;
                Ok((part, part))
            }
            (Some(size @ (Size::Percent(_) | Size::Zones(_))), None) => {
                let part = self.amount(&options::SIZE, size)?;
                let room = self.room(offset)?;
                let asked = part.min(room);
                self.holds_a_block(offset, asked, asked)?;
                Ok((asked - asked % self.planned.block_min().0, room))
            }
            _ if self.is_until_full() => Ok((layout::room_of_fill(offset), layout::room_of_fill(offset))),
            _ => self.room(offset).map(|room| (room, room)),
        }
    }

    /// Does the file grow until no space is left?
    fn is_until_full(&self) -> bool {
        let job = &self.planned.job;
        let has_size = job.is_given(&options::FILESIZE) || job.get(&options::SIZE).is_some();
        layout::fills_files(self.planned) && self.target.facts.kind.is_file() && !has_size
    }

    /// Bytes from `offset` to the end.
    fn room(&self, offset: u64) -> Checked<u64> {
        let Some(length) = self.length.filter(|length| *length > 0) else {
            return Err(self.size_needed());
        };
        length.checked_sub(offset).filter(|room| *room > 0).ok_or_else(|| self.beyond_end(offset, length))
    }
}

/// The length that percentages and the end refer to: `filesize`, cut at the
/// end of a device; else what is there; for a target without end, its share of
/// the size asked.
fn length_of(planned: &PlannedJob, target: &PlannedTarget, index: usize, share: Option<u64>) -> Option<u64> {
    let facts = &target.facts;
    let real =
        facts.size.map(|size| size.0).filter(|_| facts.kind == TargetKind::File || facts.kind.is_drive());
    let Some(range) = planned.job.get(&options::FILESIZE) else {
        return if facts.kind == TargetKind::None { share } else { real };
    };
    let drawn = drawn_length(range, index, planned.block_min().0);
    match (facts.kind, real) {
        (kind, Some(real)) if kind.is_drive() => Some(drawn.min(real)),
        _ => Some(drawn),
    }
}

/// A length within `filesize=low-high`, whole blocks, for the file of this
/// number.
fn drawn_length(range: SizeRange, index: usize, block: u64) -> u64 {
    let SizeRange { low, high } = range;
    if low == high {
        return low.0;
    }
    let draw = ((index + 1) as f64 * GOLDEN).fract();
    let between = low.0 + ((high.0 - low.0) as f64 * draw) as u64;
    between - between % block
}

/// Whole percent, without overflow.
pub(super) fn percent_of(length: u64, percent: u8) -> u64 {
    u64::try_from(u128::from(length) * u128::from(percent) / 100).unwrap_or(u64::MAX)
}

// The errors of a region, with the numbers that cause them.

/// No drive has smaller blocks, so a smaller one is no advice.
const BLOCK_LEAST: u64 = 512;

impl Spot<'_> {
    pub(super) fn holds_a_block(&self, offset: u64, size: u64, asked: u64) -> Checked<()> {
        let block = self.planned.block_max();
        if size >= block.0 {
            return Ok(());
        }
        let option = super::blocks::option_in_force(&self.planned.job);
        let message = format!(
            "job {}: {option} of {} bytes does not fit in the {asked} bytes of {} from offset \
             {offset}{}",
            self.planned.name,
            block.0,
            self.name(),
            self.share_of_the_whole()
        );
        Err(self.error(&options::SIZE, "target-small", &message).hint(match asked {
            asked if asked < BLOCK_LEAST => "a larger size, or an offset further from the end".to_owned(),
            _ => format!("a larger size, or {option} of at most {asked} bytes"),
        }))
    }

    /// What the size is a percentage of, where it is one.
    fn share_of_the_whole(&self) -> String {
        match (self.planned.job.get(&options::SIZE), self.length) {
            (Some(Size::Percent(percent)), Some(length)) if percent < 100 => {
                format!(" ({percent} % of {length} bytes)")
            }
            _ => String::new(),
        }
    }

    pub(super) fn name(&self) -> &str {
        if self.target.path.is_empty() { "the null target" } else { &self.target.path }
    }

    pub(super) fn error<T>(&self, key: &Key<T>, code: &str, message: &str) -> Diagnostic {
        notes::error(&self.planned.job, key, code, message)
    }

    pub(super) fn size_needed(&self) -> Diagnostic {
        if self.target.facts.kind == TargetKind::Block && self.length == Some(0) {
            let message = format!("job {} cannot use {}: it has size 0", self.planned.name, self.name());
            let hint = "the drive has no medium, or nothing is attached to the device yet";
            return self.error(&options::FILENAME, "target-empty", &message).hint(hint);
        }
        let why = match self.target.facts.kind {
            TargetKind::Missing => "it does not exist yet",
            TargetKind::None => "the engine has no target whose size could be used",
            TargetKind::Char => "it has no end",
            _ if self.length == Some(0) => "it is empty",
            _ => "its size could not be read",
        };
        let message = format!("job {} needs size= for {}: {why}", self.planned.name, self.name());
        self.error(&options::SIZE, "size-needed", &message).hint("size=1g, for example")
    }

    /// A percentage of a file that does not exist yet.
    pub(super) fn of_nothing(&self, key: &Key<Size>, percent: u8) -> Diagnostic {
        let name = key.def.name;
        let message = format!(
            "job {}: {name}={percent}% is a share of a file that does not exist yet, so it is 0 bytes, as in fio",
            self.planned.name
        );
        notes::warning(&self.planned.job, key, "percent-of-nothing", message)
            .hint(format!("give {name} in bytes"))
    }

    pub(super) fn beyond_end(&self, offset: u64, length: u64) -> Diagnostic {
        let message = format!(
            "clone {} of job {} would begin at byte {offset}, but {} has {length} bytes",
            self.planned.subjob,
            self.planned.name,
            self.name()
        );
        let option = if self.planned.subjob > 0 { &options::OFFSET_INCREMENT } else { &options::OFFSET };
        self.error(option, "target-small", &message).hint(format!("a smaller {}", option.def.name))
    }

    pub(super) fn clipped(&self, offset: u64, share: u64, room: u64) -> Diagnostic {
        let message = format!(
            "{} ends before the size asked: {share} bytes from offset {offset} are cut to {room}",
            self.name()
        );
        notes::warning(&self.planned.job, &options::SIZE, "size-clipped", message)
            .hint("size=100% for the whole device")
    }
}

// Do the zones of `random_distribution` lie in the region, and has each of them room for a block?
//
// fio ends a job when it draws a zone that lies beyond the file, and takes the first block of a zone that
// has none. Here, both are errors before anything runs.

/// Checks the zones of each direction in use on each file.
pub(super) fn zones_fit(planned: &PlannedJob, files: &[PlannedFile]) -> Checked<()> {
    if !planned.rw.random {
        return Ok(());
    }
    let zones = match planned.job.get(&options::RANDOM_DISTRIBUTION) {
        Distribution::Zoned(zones) => zones,
        Distribution::Sequence(places) => return sequence_fits(planned, files, &places),
        _ => return Ok(()),
    };
    // Files in a row are often of one size, which is checked once.
    for group in files.chunk_by(|a, b| a.size == b.size) {
        zones_fit_file(planned, &group[0], &zones)?;
    }
    Ok(())
}

fn zones_fit_file(planned: &PlannedJob, file: &PlannedFile, zones: &PerDirection<Vec<Zone>>) -> Checked<()> {
    for direction in Direction::ALL.into_iter().filter(|d| planned.uses(*d)) {
        let spans = spans(&zones[direction], file.size.0, planned.align[direction].0);
        let used = spans.iter().enumerate().filter(|(_, span)| span.access > Millionths(0));
        for (index, span) in used {
            if span.to > file.size.0 {
                return Err(beyond(planned, file, index, span));
            }
            let block = planned.block[direction].min();
            if span.to == span.from || span.from + block.0 > file.size.0 {
                return Err(too_small(planned, file, index, block));
            }
        }
    }
    Ok(())
}

/// Checks that each block of a sequence lies in the region of each file. fio 3.42 ends the job when it comes to one that does not.
fn sequence_fits(planned: &PlannedJob, files: &[PlannedFile], places: &[u64]) -> Checked<()> {
    let job = &planned.job;
    let used = || Direction::ALL.into_iter().filter(|d| planned.uses(*d));
    let step = used().map(|d| planned.align[d].0.max(1)).max().unwrap_or(1);
    let block = used().map(|d| planned.block[d].max().0).max().unwrap_or(1);
    let last = places.iter().max().copied().unwrap_or(0);
    let end = last.saturating_mul(step).saturating_add(block);
    match files.iter().find(|file| end > file.size.0) {
        None => Ok(()),
        Some(file) => {
            let message = format!(
                "job {}: block {last} of the sequence ends at byte {end} of the region, but the region of {} has {} bytes",
                planned.name,
                zone_file(file),
                file.size.0
            );
            let error = notes::error(job, &options::RANDOM_DISTRIBUTION, "sequence-beyond", message);
            Err(error.hint("the numbers count blocks from 0; a larger size, or other numbers"))
        }
    }
}

fn beyond(planned: &PlannedJob, file: &PlannedFile, index: usize, span: &ZoneSpan) -> Diagnostic {
    let message = format!(
        "job {}: zone {} ends at byte {} of the region, but the region of {} has {} bytes",
        planned.name,
        index + 1,
        span.to,
        zone_file(file),
        file.size.0
    );
    notes::error(&planned.job, &options::RANDOM_DISTRIBUTION, "zone-beyond", message)
        .hint("shorter zones or a larger size; zoned takes lengths in percent of the region")
}

fn too_small(planned: &PlannedJob, file: &PlannedFile, index: usize, block: Bytes) -> Diagnostic {
    let message = format!(
        "job {}: zone {} of {} has no room for a block of {block}, but a share of the I/Os",
        planned.name,
        index + 1,
        zone_file(file)
    );
    notes::error(&planned.job, &options::RANDOM_DISTRIBUTION, "zone-small", message)
        .hint("a longer zone, a larger size or smaller blocks")
}

fn zone_file(file: &PlannedFile) -> &str {
    if file.path.is_empty() { "the null target" } else { &file.path }
}
