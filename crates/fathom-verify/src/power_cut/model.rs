//! Models of devices with a volatile cache, to prove the judge: what a target received is replayed, and cut.
//!
//! A recording has the writes and flushes of a target in the order in which it received them. For each cut a model
//! builds the image that its device would have, and the judge is asked with the acknowledgements that could exist at that
//! moment. An honest device must pass at every cut, and each dishonest one must be caught.

use super::history::History;
use super::judge::{CutJudge, CutTally};
use super::log::{LogHeader, Record};
use super::unit::{UnitContent, UnitFormat};
use crate::body::SECTOR;
use crate::scramble::mix;
use std::collections::HashMap;

/// What a target received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// A write.
    Write {
        /// Its first byte.
        offset: u64,
        /// What was written.
        data: Vec<u8>,
        /// Had it FUA?
        fua: bool,
    },
    /// A flush.
    Flush,
}

/// What a target received, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The writes and flushes.
    pub entries: Vec<Recorded>,
}

/// A device with a volatile cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceModel {
    /// Keeps what was flushed and what had FUA; of the rest any units.
    Honest,
    /// Ignores flushes: of the last writes any units are lost.
    DropsFlushes,
    /// Acknowledges flushes and FUA before the data is safe: it goes back to an earlier state.
    GoesBack,
    /// Keeps writes that follow a flush, and loses some from before it.
    ReordersAcrossFlush,
    /// Treats writes with FUA as any others.
    IgnoresFua,
    /// Honest, but cuts the writes that were not flushed at any sector.
    TearsUnits,
}

impl DeviceModel {
    /// All of them, the honest one first.
    pub const ALL: [DeviceModel; 6] = [
        DeviceModel::Honest,
        DeviceModel::DropsFlushes,
        DeviceModel::GoesBack,
        DeviceModel::ReordersAcrossFlush,
        DeviceModel::IgnoresFua,
        DeviceModel::TearsUnits,
    ];

    /// Its name in a table.
    pub fn name(self) -> &'static str {
        match self {
            DeviceModel::Honest => "honest",
            DeviceModel::DropsFlushes => "drops flushes",
            DeviceModel::GoesBack => "goes back",
            DeviceModel::ReordersAcrossFlush => "reorders across a flush",
            DeviceModel::IgnoresFua => "ignores FUA",
            DeviceModel::TearsUnits => "tears units",
        }
    }
}

/// Entries that a device without order may lose: the cache of a small drive holds more, and the test of a smaller number
/// is the harder one.
const CACHED_ENTRIES: usize = 64;

/// How many cuts a model was tried at, and at how many of them the judge objected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialTally {
    /// Cuts.
    pub cuts: u32,
    /// Cuts with a unit that may not be there.
    pub wrong: u32,
    /// Cuts with torn units.
    pub torn: u32,
    /// Cuts with a write that was acknowledged and is lost.
    pub lost: u32,
    /// Units that had a write that must not be lost, over all cuts.
    pub bound: u64,
    /// Units that hold a write that was not durable, over all cuts.
    pub not_durable: u64,
    /// The first cut with a fault, and what was found there.
    pub first_wrong: Option<(usize, CutTally)>,
}

/// A recording with the log of its run.
#[derive(Debug)]
pub struct RecordingTrial<'a> {
    header: &'a LogHeader,
    recording: &'a Recording,
    /// Each record, and how many entries the target must have received before it could be logged.
    records: Vec<(Record, usize)>,
    /// The places of the flushes among the entries.
    flushes: Vec<usize>,
}

impl<'a> RecordingTrial<'a> {
    /// Finds in the recording what each record acknowledges.
    pub fn new(header: &'a LogHeader, records: &[Record], recording: &'a Recording) -> RecordingTrial<'a> {
        let is_flush = |(at, entry): (usize, &Recorded)| (*entry == Recorded::Flush).then_some(at);
        let flushes: Vec<usize> = recording.entries.iter().enumerate().filter_map(is_flush).collect();
        let written = WrittenAt::of(header, recording);
        let after = |at: usize| flushes.iter().find(|flush| **flush >= at).map_or(usize::MAX, |at| at + 1);
        let (mut so_far, mut last_flush, mut at_begin) = (0, 0, 0);
        let needed = records.iter().map(|record| {
            let needed: usize = match record {
                Record::Written { write, units, fua, .. } => match written.0.get(write) {
                    Some(found) if found.units < u64::from(*units) => usize::MAX,
                    None => usize::MAX,
                    Some(found) if *fua && !found.fua => after(found.entries),
                    Some(found) => found.entries,
                },
                Record::FlushBegun { .. } => {
                    at_begin = so_far.max(last_flush);
                    0
                }
                Record::FlushDone { .. } => {
                    last_flush = after(at_begin);
                    last_flush
                }
                Record::Ended { .. } => 0,
            };
            so_far = so_far.max(needed);
            (*record, so_far)
        });
        let records = needed.collect();
        RecordingTrial { header, recording, records, flushes }
    }

    /// How many records acknowledge something that is in the recording.
    pub fn records_in_recording(&self) -> usize {
        self.records.iter().filter(|(_, needed)| *needed != usize::MAX).count()
    }

    /// Cuts the power of a device at random moments, and judges what it has then.
    pub fn prove(&self, model: DeviceModel, cuts: u32, seed: u64) -> TrialTally {
        let entries = self.recording.entries.len() as u64;
        let mut places: Vec<usize> =
            (0..cuts).map(|n| (mix(seed ^ mix(u64::from(n))) % (entries + 1)) as usize).collect();
        places.sort_unstable();
        let mut device = Device::new(self, model, seed);
        let (mut history, mut logged) = (History::new(self.header), 0);
        let mut tally = TrialTally { cuts, ..TrialTally::default() };
        for cut in places {
            while let Some((record, _)) = self.records.get(logged).filter(|(_, needed)| *needed <= cut) {
                // The writer makes no such record; if it did, nothing behind it would be believed.
                if history.add(record).is_err() {
                    break;
                }
                logged += 1;
            }
            let mut judge = CutJudge::new(&history);
            judge.add(0, &device.image_at(cut));
            tally.add(cut, judge.tally());
        }
        tally
    }
}

impl TrialTally {
    fn add(&mut self, cut: usize, found: CutTally) {
        self.bound += found.bound;
        self.not_durable += found.not_durable;
        self.wrong += u32::from(found.wrong() > 0);
        self.torn += u32::from(found.torn > 0);
        self.lost += u32::from(found.lost > 0);
        if found.wrong() > 0 && self.first_wrong.is_none() {
            self.first_wrong = Some((cut, found));
        }
    }
}

/// Where the recording has each write of the run.
struct WrittenAt(HashMap<u64, Found>);

#[derive(Clone, Copy, Default)]
struct Found {
    units: u64,
    /// Entries up to the last one that has a part of it.
    entries: usize,
    fua: bool,
}

impl WrittenAt {
    fn of(header: &LogHeader, recording: &Recording) -> WrittenAt {
        let format = UnitFormat::new(header);
        let mut written: HashMap<u64, Found> = HashMap::new();
        for (at, entry) in recording.entries.iter().enumerate() {
            let Recorded::Write { offset, data, fua } = entry else { continue };
            for (n, unit) in data.chunks_exact(format.unit()).enumerate() {
                let offset = offset + (n * format.unit()) as u64;
                if let UnitContent::Write(write) = format.content(unit, offset) {
                    let found = written.entry(write).or_default();
                    (found.units, found.entries, found.fua) = (found.units + 1, at + 1, *fua);
                }
            }
        }
        WrittenAt(written)
    }
}

/// A device on its way through the recording.
struct Device<'a> {
    trial: &'a RecordingTrial<'a>,
    model: DeviceModel,
    /// The region with all entries before `applied`.
    safe: Vec<u8>,
    applied: usize,
    draws: u64,
}

impl<'a> Device<'a> {
    fn new(trial: &'a RecordingTrial<'a>, model: DeviceModel, seed: u64) -> Device<'a> {
        let draws = mix(seed.wrapping_add(1));
        Device { trial, model, safe: vec![0; trial.header.len as usize], applied: 0, draws }
    }

    /// The region after a cut behind the first `until` entries.
    fn image_at(&mut self, until: usize) -> Vec<u8> {
        let before = |at: usize| self.trial.flushes.iter().rev().find(|flush| **flush < at).copied();
        let last_flush = before(until).unwrap_or(0);
        let unsafe_from = match self.model {
            DeviceModel::DropsFlushes | DeviceModel::GoesBack => until.saturating_sub(CACHED_ENTRIES),
            DeviceModel::ReordersAcrossFlush => before(last_flush).unwrap_or(0),
            _ => last_flush,
        };
        for at in self.applied..unsafe_from {
            apply(self.trial, at, &mut self.safe, &mut |_| 1.0);
        }
        self.applied = self.applied.max(unsafe_from);
        let mut image = self.safe.clone();
        let cut = Cut {
            last_flush,
            share: self.random(5) as f64 / 4.0,
            kept_until: self.applied + self.random((until - self.applied + 1) as u64) as usize,
        };
        let (trial, model) = (self.trial, self.model);
        for at in self.applied..until {
            apply(trial, at, &mut image, &mut |fua| cut.kept(model, at, fua, self.random(u64::MAX)));
        }
        image
    }

    fn random(&mut self, below: u64) -> u64 {
        self.draws = self.draws.wrapping_add(1);
        mix(self.draws) % below
    }
}

/// What one cut does to the entries in the cache.
struct Cut {
    /// The last flush before the cut.
    last_flush: usize,
    /// The share of the cached units that is kept: all, none, or in between.
    share: f64,
    /// The entry to which a device goes back that does so.
    kept_until: usize,
}

impl Cut {
    /// The share of a unit of the entry `at` that is kept. `draw` is a random number.
    fn kept(&self, model: DeviceModel, at: usize, fua: bool, draw: u64) -> f64 {
        let chance = (draw >> 16) as f64 / (u64::MAX >> 16) as f64;
        let by_chance = |share: f64| f64::from(u8::from(chance < share));
        match model {
            DeviceModel::GoesBack => f64::from(u8::from(at < self.kept_until)),
            DeviceModel::ReordersAcrossFlush if at < self.last_flush => by_chance(0.75),
            DeviceModel::IgnoresFua => by_chance(self.share),
            _ if fua => 1.0,
            DeviceModel::TearsUnits if draw.is_multiple_of(4) => chance,
            _ => by_chance(self.share),
        }
    }
}

/// Applies an entry to the region: of each unit the share that `kept` answers, in whole sectors.
fn apply(trial: &RecordingTrial<'_>, at: usize, region: &mut [u8], kept: &mut impl FnMut(bool) -> f64) {
    let Some(Recorded::Write { offset, data, fua }) = trial.recording.entries.get(at) else { return };
    let unit = trial.header.unit as usize;
    for (n, unit_data) in data.chunks_exact(unit).enumerate() {
        let place = offset + (n * unit) as u64;
        let Some(inside) = place.checked_sub(trial.header.start).filter(|at| *at < trial.header.len) else {
            continue;
        };
        let sectors = (kept(*fua) * (unit / SECTOR) as f64).round() as usize;
        let (bytes, inside) = (sectors * SECTOR, inside as usize);
        region[inside..inside + bytes].copy_from_slice(&unit_data[..bytes]);
    }
}
