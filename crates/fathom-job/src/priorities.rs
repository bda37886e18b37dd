//! Which I/Os of a job have a raised priority (`cmdprio_percentage`, `cmdprio_bssplit`).

use crate::direction::{Direction, PerDirection};
use crate::job::Job;
use crate::options;

/// A part of the I/Os of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaisedShare {
    /// Only I/Os of this length, bytes; `None` for all.
    pub bytes: Option<u32>,
    /// Percent of those I/Os.
    pub percent: u32,
    /// Their priority, as ioprio_set(2) encodes it: class, hint and level.
    pub ioprio: u16,
}

/// Real-time: the class of what is raised, if none is given.
const REAL_TIME: u32 = 1;

/// The class, the hint and the level of a priority as ioprio_set(2) encodes it.
pub fn parts(ioprio: u16) -> (u16, u16, u16) {
    (ioprio >> 13, ioprio >> 3 & 0x3ff, ioprio & 7)
}

/// Is this priority, as ioprio_set(2) encodes it, real-time?
pub fn is_real_time(ioprio: u16) -> bool {
    u32::from(ioprio >> 13) == REAL_TIME
}

/// A priority as ioprio_set(2) encodes it, in words: `best effort, level 3`.
pub fn words(ioprio: u16) -> String {
    let (class, hint, level) = parts(ioprio);
    let class = match class {
        1 => "real-time",
        2 => "best effort",
        3 => "idle",
        _ => "no class",
    };
    let hint = match hint {
        0 => String::new(),
        hint => format!(", hint {hint}"),
    };
    format!("{class}, level {level}{hint}")
}

/// A priority as ioprio_set(2) encodes it, in short for names of columns: `rt0`, `be4`, `idle0`, `none0`; with a hint `be4h1`.
pub fn short(ioprio: u16) -> String {
    let (class, hint, level) = parts(ioprio);
    let class = ["none", "rt", "be", "idle"].get(usize::from(class)).unwrap_or(&"none");
    let hint = if hint > 0 { format!("h{hint}") } else { String::new() };
    format!("{class}{level}{hint}")
}

/// Best effort: the class of a job that is given a level or a hint, and no class.
const BEST_EFFORT: u32 = 2;

/// The priority that a job is given, as ioprio_set(2) encodes it: class from bit 13, hint from bit 3, and level.
pub fn own(job: &Job) -> Option<u16> {
    let (class, level) = (job.get(&options::PRIOCLASS), job.get(&options::PRIO));
    let hint = job.get(&options::PRIOHINT);
    let is_given = class.is_some() || level.is_some() || hint > 0;
    is_given.then(|| (class.unwrap_or(BEST_EFFORT) << 13 | hint << 3 | level.unwrap_or(0)) as u16)
}

/// The shares of each direction; `None` where no priority is raised.
///
/// # Errors
/// Why the options cannot be meant, without a full stop.
pub fn raised(job: &Job) -> Result<Option<PerDirection<Vec<RaisedShare>>>, String> {
    let percent = job.get(&options::CMDPRIO_PERCENTAGE);
    let by_percent = Direction::ALL.into_iter().any(|direction| percent[direction] > 0);
    match job.get(&options::CMDPRIO_BSSPLIT) {
        Some(_) if by_percent => Err("cmdprio_percentage and cmdprio_bssplit exclude each other".to_owned()),
        Some(text) => by_size(job, &text).map(Some),
        None if by_percent => Ok(Some(PerDirection::from_fn(|direction| {
            let percent = percent[direction];
            vec![RaisedShare { bytes: None, percent, ioprio: ioprio(job, direction, None) }]
        }))),
        None => Ok(None),
    }
}

/// The priorities that I/Os of each direction may have: that of the job, and then the raised ones in their order. `None` where no
/// priority is raised.
///
/// # Errors
/// As [`raised`].
pub fn of_ios(job: &Job) -> Result<Option<PerDirection<Vec<u16>>>, String> {
    let own = own(job).unwrap_or(0);
    let all = raised(job)?.map(|shares| {
        PerDirection::from_fn(|direction| {
            let mut all = vec![own];
            for share in &shares[direction] {
                if !all.contains(&share.ioprio) {
                    all.push(share.ioprio);
                }
            }
            all
        })
    });
    Ok(all)
}

/// Are the latencies by priority those of the whole I/O, and not those of its completion? As in fio, it is the one whose
/// percentiles the job asks for.
pub fn are_total(job: &Job) -> bool {
    job.get(&options::LAT_PERCENTILES) && !job.get(&options::DISABLE_LAT)
}

/// The priority of a direction, or with a class and a level of its own.
fn ioprio(job: &Job, direction: Direction, own: Option<(u32, u32)>) -> u16 {
    let class = job.get(&options::CMDPRIO_CLASS).map_or(REAL_TIME, |classes| classes[direction]);
    let (class, level) = own.unwrap_or((class, job.get(&options::CMDPRIO)[direction]));
    (class << 13 | job.get(&options::CMDPRIO_HINT)[direction] << 3 | level) as u16
}

fn by_size(job: &Job, text: &str) -> Result<PerDirection<Vec<RaisedShare>>, String> {
    let mut parts = text.split(',');
    let read = parts.next().unwrap_or_default();
    let write = parts.next().unwrap_or(read);
    let shares = |direction, text: &str| -> Result<Vec<RaisedShare>, String> {
        let shares = text.split(':').map(|entry| share(job, direction, entry.trim()));
        let mut shares = shares.collect::<Result<Vec<_>, _>>()?;
        // fio's order, which its output shows.
        shares.sort_by_key(|share| share.bytes);
        Ok(shares)
    };
    let shares = PerDirection {
        read: shares(Direction::Read, read)?,
        write: shares(Direction::Write, write)?,
        trim: Vec::new(),
    };
    [&shares.read, &shares.write].into_iter().try_for_each(|shares: &Vec<RaisedShare>| adds_up(shares))?;
    Ok(shares)
}

fn adds_up(shares: &[RaisedShare]) -> Result<(), String> {
    let sum =
        |bytes| shares.iter().filter(|share| share.bytes == bytes).map(|share| share.percent).sum::<u32>();
    match shares.iter().find(|share| sum(share.bytes) > 100) {
        None => Ok(()),
        Some(share) => Err(format!(
            "cmdprio_bssplit: the percentages of {} bytes add up to more than 100",
            share.bytes.unwrap_or_default()
        )),
    }
}

fn share(job: &Job, direction: Direction, entry: &str) -> Result<RaisedShare, String> {
    let wrong = || format!("cmdprio_bssplit: {entry:?} is not size/percent or size/percent/class/level");
    let fields: Vec<&str> = entry.split('/').map(str::trim).collect();
    let number =
        |text: &str, max: u32| text.parse::<u32>().ok().filter(|value| *value <= max).ok_or_else(wrong);
    let (size, percent, own) = match fields[..] {
        [size, percent] => (size, percent, None),
        [size, percent, class, level] => (size, percent, Some((number(class, 3)?, number(level, 7)?))),
        _ => return Err(wrong()),
    };
    let bytes =
        crate::parse::read_size(size).ok().and_then(|bytes| u32::try_from(bytes).ok()).ok_or_else(wrong)?;
    Ok(RaisedShare {
        bytes: Some(bytes),
        percent: number(percent, 100)?,
        ioprio: ioprio(job, direction, own),
    })
}
