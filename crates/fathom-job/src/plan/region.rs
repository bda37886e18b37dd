//! The regions of a clone's files: whole blocks, room on the disk.
//!
//! The rules are fio's, checked against fio 3.33 on loop devices and files:
//! an absolute `size` is divided by the number of files and makes a regular
//! file longer, but is cut at the end of a device; a percentage is of the file
//! or device and is always cut at its end; an offset given in percent is
//! rounded up to the smallest block. Where fio then does nothing and reports
//! success (region beyond the end, or shorter than a block), this is an error.

use super::fill;
use super::layout::PlannedLayout;
use super::notes::{self, Checked, Notes};
use super::spot::Spot;
use super::target::PlannedTarget;
use super::target::TargetKind;
use super::{BlockSizes, PlannedFile, PlannedJob};
use crate::options;
use crate::units::Bytes;

/// The kernel's sector, in which LBAs count where there is no device.
const SECTOR: Bytes = Bytes(512);

/// The files of a clone, and the bytes of one pass over each as asked, before
/// cutting to whole blocks.
pub(super) struct Regions {
    pub(super) files: Vec<PlannedFile>,
    pub(super) asked: Vec<u64>,
}

pub(super) fn regions(
    planned: &PlannedJob,
    targets: &[PlannedTarget],
    layout: &PlannedLayout,
    notes: &mut Notes,
) -> Option<Regions> {
    let mut regions =
        Regions { files: Vec::with_capacity(targets.len()), asked: Vec::with_capacity(targets.len()) };
    for (index, target) in targets.iter().enumerate() {
        let mut spot = Spot::new(planned, target, index, targets.len() as u64);
        spot.laid = layout.length(&target.path);
        let found = spot.region(notes);
        let (file, asked) = notes.take(found)?;
        regions.asked.push(asked);
        regions.files.push(file);
    }
    Some(regions)
}

impl Spot<'_> {
    fn region(&self, notes: &mut Notes) -> Checked<(PlannedFile, u64)> {
        let offset = self.offset(notes)?;
        let (asked, room) = self.extent(offset, notes)?;
        let size = self.whole_blocks(asked, room);
        self.holds_a_block(offset, size, asked)?;
        let end = offset
            .checked_add(asked.max(size))
            .ok_or_else(|| self.error(&options::OFFSET, "overflow", "offset and size overflow 64 bits"))?;
        let exists = self.target.facts.kind != TargetKind::None;
        // What is to fill the space left is not laid out: nothing is reserved, as in fio.
        let grows_as_written = fill::fills_files(self.planned) && self.target.facts.kind.is_file();
        let needs = if exists && !grows_as_written { end } else { 0 };
        Ok((self.file(offset, size, needs), asked))
    }

    fn file(&self, offset: u64, size: u64, needs: u64) -> PlannedFile {
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

/// A layout that cannot fit in the free space fails now, not after an hour.
pub(super) fn fits(planned: &PlannedJob, targets: &[PlannedTarget], files: &[PlannedFile]) -> Checked<()> {
    let layout = files.iter().map(|file| file.layout.0).fold(0, u64::saturating_add);
    match targets.iter().filter_map(|target| target.facts.free).min() {
        Some(free) if layout > free.0 => {
            let message = format!(
                "job {} must first write {layout} bytes of files, but {} bytes are free",
                planned.name, free.0
            );
            Err(notes::error(&planned.job, &options::SIZE, "no-space", message)
                .hint("a smaller size, or another directory"))
        }
        _ => Ok(()),
    }
}
