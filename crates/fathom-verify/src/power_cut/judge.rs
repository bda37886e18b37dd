//! Whether what a unit holds may be there, and what all of them say together.

use super::history::{Acknowledged, History, Promise};
use super::unit::{UnitContent, UnitFormat};
use serde::{Deserialize, Serialize};

/// Faults that are kept one by one; the others are counted.
const FAULTS_KEPT: usize = 100;

/// Judges the units of a region.
#[derive(Debug)]
pub struct CutJudge<'a> {
    history: &'a History,
    format: UnitFormat,
    tally: CutTally,
}

/// A unit that holds what may not be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnitFault {
    /// Its first byte, from the start of the target.
    pub offset: u64,
    /// The last durable write of the unit, if there was one.
    pub acknowledged: Option<Acknowledged>,
    /// What is there.
    pub fault: CutFault,
}

/// What is wrong with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum CutFault {
    /// The acknowledged write is lost, and an earlier one is there.
    Older {
        /// The number of the write that is there.
        write: u64,
    },
    /// The acknowledged write is lost, and zeros are there.
    Zeroed,
    /// The acknowledged write is lost, and a block of another run is there.
    OtherRun,
    /// The acknowledged write is lost, and nothing that fathom writes is there.
    Foreign,
    /// The unit of another place is there.
    Misplaced {
        /// The offset at which it belongs.
        belongs_at: u64,
    },
    /// Parts of different writes are there: the unit was not written as a whole.
    Torn {
        /// Where the second part begins, bytes from the start of the unit.
        at: u32,
        /// The write of the first part, if it is one of this run.
        first: Option<u64>,
        /// The write of the second part, if it is one of this run.
        second: Option<u64>,
    },
    /// A write of the run is there, and some of its bytes are wrong.
    Damaged {
        /// The number of that write.
        write: u64,
    },
    /// The unit cannot be read.
    Unreadable,
}

impl CutFault {
    /// Is a write missing that was acknowledged as durable?
    fn is_loss(self) -> bool {
        matches!(self, CutFault::Older { .. } | CutFault::Zeroed | CutFault::OtherRun | CutFault::Foreign)
    }
}

/// What the units of a region were found to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CutTally {
    /// Units that were read.
    pub units: u64,
    /// Units with a write that must not be lost.
    pub bound: u64,
    /// Of these, units that hold that write or a later one.
    pub kept: u64,
    /// Units that hold a write that was not durable, and may be there.
    pub not_durable: u64,
    /// Units that lost an acknowledged write.
    pub lost: u64,
    /// Units that hold parts of different writes.
    pub torn: u64,
    /// Units with the block of another place.
    pub misplaced: u64,
    /// Units with wrong bytes.
    pub damaged: u64,
    /// Units that could not be read.
    pub unreadable: u64,
    /// The first faults, at most 100.
    pub faults: Vec<UnitFault>,
    /// The first flush of which a write is lost.
    pub first_flush_lost: Option<u64>,
    /// The last write of which a unit is there.
    pub last_write: Option<u64>,
}

/// What the state after the cut proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum CutVerdict {
    /// Every acknowledged write is there, and no unit is torn.
    Kept,
    /// Nothing was durable by the log, so nothing could be lost.
    NothingDurable,
    /// Something is there that may not be.
    Wrong {
        /// What the losses say about the order in which the target keeps writes; `None` if no write of a flush is lost.
        order: Option<LossOrder>,
    },
}

/// In which order a target that lost acknowledged writes kept the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum LossOrder {
    /// A write that was issued after the flush was complete is there, and a write from before the flush is lost: the target keeps
    /// writes in another order than flushes demand, or ignores flushes.
    AcrossFlush {
        /// The first flush of which a write is lost.
        flush: u64,
        /// The last write that is there.
        later_write: u64,
    },
    /// Nothing is there that was issued after the flush was complete: the target went back to an earlier state, as one does that
    /// acknowledges a flush before the data is safe.
    EarlierState {
        /// The first flush of which a write is lost.
        flush: u64,
        /// The last write that is there.
        last_write: Option<u64>,
    },
}

impl<'a> CutJudge<'a> {
    /// Judges by this history.
    pub fn new(history: &'a History) -> CutJudge<'a> {
        CutJudge { history, format: UnitFormat::new(history.header()), tally: CutTally::default() }
    }

    /// Takes units that were read one after the other, from unit `first` of the region on.
    pub fn add(&mut self, first: u64, units: &[u8]) {
        for (n, unit) in units.chunks_exact(self.format.unit()).enumerate() {
            let number = first + n as u64;
            let content = self.format.content(unit, self.offset(number));
            self.take(number, content);
        }
    }

    /// Takes a unit that could not be read.
    pub fn add_unreadable(&mut self, unit: u64) {
        let acknowledged = self.counted(unit);
        self.tally.unreadable += 1;
        self.keep(unit, acknowledged, CutFault::Unreadable);
    }

    /// What was found.
    pub fn tally(self) -> CutTally {
        self.tally
    }

    fn offset(&self, unit: u64) -> u64 {
        let header = self.history.header();
        header.start + unit * u64::from(header.unit)
    }

    fn counted(&mut self, unit: u64) -> Option<Acknowledged> {
        let acknowledged = self.history.bound(unit);
        self.tally.units += 1;
        self.tally.bound += u64::from(acknowledged.is_some());
        acknowledged
    }

    fn take(&mut self, unit: u64, content: UnitContent) {
        let acknowledged = self.counted(unit);
        if let UnitContent::Write(write) = content {
            self.tally.last_write = self.tally.last_write.max(Some(write));
        }
        match fault(content, acknowledged) {
            None => {
                self.tally.kept += u64::from(acknowledged.is_some());
                let holds = if let UnitContent::Write(write) = content { Some(write) } else { None };
                let is_later = holds.is_some() && holds != acknowledged.map(|it| it.write);
                self.tally.not_durable += u64::from(is_later);
            }
            Some(fault) => {
                self.count(fault, acknowledged);
                self.keep(unit, acknowledged, fault);
            }
        }
    }

    fn count(&mut self, fault: CutFault, acknowledged: Option<Acknowledged>) {
        let tally = &mut self.tally;
        match fault {
            CutFault::Torn { .. } => tally.torn += 1,
            CutFault::Misplaced { .. } => tally.misplaced += 1,
            CutFault::Damaged { .. } => tally.damaged += 1,
            CutFault::Unreadable => tally.unreadable += 1,
            _ => tally.lost += 1,
        }
        if let (true, Some(Acknowledged { promise: Promise::Flush { flush }, .. })) =
            (fault.is_loss(), acknowledged)
        {
            tally.first_flush_lost = Some(tally.first_flush_lost.map_or(flush, |first| first.min(flush)));
        }
    }

    fn keep(&mut self, unit: u64, acknowledged: Option<Acknowledged>, fault: CutFault) {
        let offset = self.offset(unit);
        if self.tally.faults.len() < FAULTS_KEPT {
            self.tally.faults.push(UnitFault { offset, acknowledged, fault });
        }
    }
}

/// What is wrong with a unit of this content. A unit without a durable write may hold what was there before the run.
fn fault(content: UnitContent, acknowledged: Option<Acknowledged>) -> Option<CutFault> {
    let is_bound = acknowledged.is_some();
    match content {
        UnitContent::Write(write) => {
            acknowledged.filter(|it| write < it.write).map(|_| CutFault::Older { write })
        }
        UnitContent::Zeros => is_bound.then_some(CutFault::Zeroed),
        UnitContent::OtherRun => is_bound.then_some(CutFault::OtherRun),
        UnitContent::Foreign => is_bound.then_some(CutFault::Foreign),
        UnitContent::OtherPlace { belongs_at } => Some(CutFault::Misplaced { belongs_at }),
        UnitContent::Torn { at, first, second } => Some(CutFault::Torn { at, first, second }),
        UnitContent::Damaged(write) => Some(CutFault::Damaged { write }),
    }
}

impl CutTally {
    /// Units that hold what may not be there.
    pub fn wrong(&self) -> u64 {
        let CutTally { lost, torn, misplaced, damaged, unreadable, .. } = self;
        lost + torn + misplaced + damaged + unreadable
    }

    /// What the units prove together.
    pub fn verdict(&self, history: &History) -> CutVerdict {
        match (self.wrong(), self.bound) {
            (0, 0) => CutVerdict::NothingDurable,
            (0, _) => CutVerdict::Kept,
            _ => CutVerdict::Wrong { order: self.order(history) },
        }
    }

    fn order(&self, history: &History) -> Option<LossOrder> {
        let flush = self.first_flush_lost?;
        let mark = history.flushes().iter().find(|mark| mark.flush == flush)?;
        Some(match self.last_write {
            Some(later_write) if later_write >= mark.next_write => {
                LossOrder::AcrossFlush { flush, later_write }
            }
            last_write => LossOrder::EarlierState { flush, last_write },
        })
    }
}
