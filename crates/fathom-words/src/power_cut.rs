//! What a target held after a power cut, in words.

use crate::verification::counted;
use fathom_results::{LogEnd, PowerCutResult};
use fathom_text::number::grouped;
use fathom_text::quantity::size;
use fathom_verify::power_cut::{
    Acknowledged, CutFault, CutTally, CutVerdict, Durability, FlushMode, LossOrder, Promise, UnitFault,
};

/// What the check found, in one line without a full stop.
pub fn headline(result: &PowerCutResult) -> &'static str {
    let CutTally { lost, torn, .. } = result.tally;
    match result.verdict {
        CutVerdict::Kept => match result.log.end {
            LogEnd::Damaged { .. } => {
                "every acknowledged write before the damage of the log is there, and no unit is torn"
            }
            LogEnd::Ended => {
                "every acknowledged write is there, and no unit is torn; but the writer had ended, so no cut was tested"
            }
            LogEnd::Cut | LogEnd::Torn { .. } => "every acknowledged write is there, and no unit is torn",
        },
        CutVerdict::NothingDurable => "nothing was durable by the log, so nothing can be judged",
        CutVerdict::Wrong { .. } if lost > 0 && torn > 0 => {
            "acknowledged writes are lost, and units are torn"
        }
        CutVerdict::Wrong { .. } if lost > 0 => "acknowledged writes are lost",
        CutVerdict::Wrong { .. } if torn > 0 => "units are torn that the target promises to write as a whole",
        CutVerdict::Wrong { .. } => "units hold what was never written there",
    }
}

/// The evidence: what each line is about, and the line without a full stop.
pub fn evidence(result: &PowerCutResult) -> Vec<(&'static str, String)> {
    let tally = &result.tally;
    let unit = size(result.log.unit.into());
    let units = counted(tally.units, "unit", "units");
    let mut lines = vec![
        ("judged", format!("{units} of {unit}; {} have a write that must not be lost", grouped(tally.bound))),
        ("kept", format!("{} of these hold that write or a later one", grouped(tally.kept))),
    ];
    lines.extend(wrong(tally));
    if let CutVerdict::Wrong { order: Some(order) } = result.verdict {
        lines.push(("order", self::order(order)));
    }
    let cached = format!("{} hold a write that was not durable and survived", grouped(tally.not_durable));
    lines.push(("cache", cached));
    lines.push(("durable", durable(result)));
    let log = &result.log;
    let writes = counted(log.writes, "write", "writes");
    let flushes = counted(log.flushes, "flush", "flushes");
    lines.push(("log", format!("{writes} and {flushes} were complete; {}", end(log.end))));
    lines
}

/// How many units are wrong in which way.
fn wrong(tally: &CutTally) -> Vec<(&'static str, String)> {
    let CutTally { lost, torn, misplaced, damaged, unreadable, .. } = *tally;
    let kinds = [
        ("lost", lost, "no longer hold the write that was acknowledged, nor a later one"),
        ("torn", torn, "hold parts of different writes"),
        ("misplaced", misplaced, "hold the unit of another place"),
        ("damaged", damaged, "hold a write of which bytes are wrong"),
        ("unreadable", unreadable, "cannot be read"),
    ];
    let some = kinds.into_iter().filter(|(_, count, _)| *count > 0);
    some.map(|(name, count, what)| (name, format!("{} of the units {what}", grouped(count)))).collect()
}

/// What the losses say about the order of the target.
fn order(order: LossOrder) -> String {
    match order {
        LossOrder::AcrossFlush { flush, later_write } => format!(
            "write {} was issued after flush {} was complete, and is there; a write from before that flush is lost: the target \
             ignores flushes, or keeps writes in another order than they demand",
            grouped(later_write),
            grouped(flush)
        ),
        LossOrder::EarlierState { flush, last_write } => {
            let last = match last_write {
                Some(write) => format!("the last write that is there is {}", grouped(write)),
                None => "no write is there".to_owned(),
            };
            format!(
                "nothing is there that was issued after flush {} was complete; {last}: the target went back to an earlier state, \
                 as one does that acknowledges a flush before the data is safe",
                grouped(flush)
            )
        }
    }
}

fn durable(result: &PowerCutResult) -> String {
    match (result.log.durability, result.log.flush) {
        (Durability::AtCompletion, _) => {
            "a write counted once it was complete: the kernel says that the target has no volatile cache"
                .to_owned()
        }
        (_, FlushMode::Every { writes }) => {
            format!(
                "a write counted once a later flush was complete; a flush was issued after {writes} writes"
            )
        }
        (_, FlushMode::Fua) => "a write counted once it was complete, if it had FUA".to_owned(),
        (_, FlushMode::Never) => {
            "only the first pass over the region was flushed, so later writes may be lost".to_owned()
        }
    }
}

fn end(end: LogEnd) -> String {
    match end {
        LogEnd::Cut => "the log ends with a whole record".to_owned(),
        LogEnd::Torn { bytes } => {
            format!(
                "the log was cut off within a part that was being written: {} bytes do not count",
                grouped(bytes)
            )
        }
        LogEnd::Damaged { bytes } => format!(
            "the log is damaged: a record is missing or altered, and the {} bytes from there on do not count",
            grouped(bytes)
        ),
        LogEnd::Ended => {
            "the writer had ended before any cut: only a cut while it writes tests the target".to_owned()
        }
    }
}

/// What is wrong with a unit, without a full stop.
pub fn fault(fault: &UnitFault) -> String {
    let there = match fault.fault {
        CutFault::Older { write } => format!("write {} is there", grouped(write)),
        CutFault::Zeroed => "zeros are there".to_owned(),
        CutFault::OtherRun => "a block of another run is there".to_owned(),
        CutFault::Foreign => "nothing that fathom writes is there".to_owned(),
        CutFault::Misplaced { belongs_at } => {
            format!("the unit that belongs at {} is there", grouped(belongs_at))
        }
        CutFault::Torn { at, first, second } => {
            let part = |write: Option<u64>| {
                write.map_or_else(|| "something else".to_owned(), |write| format!("write {}", grouped(write)))
            };
            format!("up to byte {} it holds {}, then {}", grouped(at.into()), part(first), part(second))
        }
        CutFault::Damaged { write } => format!("write {} is there, with wrong bytes", grouped(write)),
        CutFault::Unreadable => "it cannot be read".to_owned(),
    };
    let at = grouped(fault.offset);
    match fault.acknowledged {
        Some(Acknowledged { write, promise }) => {
            format!("at {at}: write {} was acknowledged {}, and {there}", grouped(write), by(promise))
        }
        None => format!("at {at}: {there}"),
    }
}

fn by(promise: Promise) -> String {
    match promise {
        Promise::Flush { flush } => format!("by flush {}", grouped(flush)),
        Promise::Fua => "with FUA".to_owned(),
        Promise::Completion => "by a device without a volatile cache".to_owned(),
    }
}
