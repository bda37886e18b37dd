//! Background noise: other work on the host, before a run and during it.

mod device;
pub(super) mod process;

use crate::audit::checks::prelude::*;
use fathom_text::quantity::waiting;

/// The checks of the family `noise`.
pub(super) const FAMILY: Family = (
    include_str!("../noise.toml"),
    &[
        ("noise.device", Watch(&[device::STATS], &EachQueue(device::device))),
        (
            "noise.siblings",
            Watch(&[device::STATS, device::RECEIVED, device::SENT], &Several(device::siblings)),
        ),
        ("noise.load", Watch(&["/proc/stat", PROCESSES], &All("host", process::load))),
        ("noise.timers", Several(timers)),
        ("noise.kthreads", Watch(&["/proc/stat", PROCESSES], &All("kernel", process::kthreads))),
        ("noise.cv", Of("probes", |scene| device::cv(&scene.job.probe_iops))),
    ],
);

// Timers and cron jobs.

/// The time to look ahead where the job's length is not known.
const HOUR_S: u64 = 3600;

/// `noise.timers`: will a timer start other work while the job runs?
fn timers(scene: &Scene<'_>) -> Vec<Observation> {
    let timers = judge_timers(scene).unwrap_or_else(|unknown| vec![Observation::unknown("timers", unknown)]);
    timers.into_iter().chain(cron(scene)).collect()
}

struct Timer {
    unit: String,
    left_s: u64,
}

fn judge_timers(scene: &Scene<'_>) -> ObservedAll {
    let raw = scene.ask(&Question::Timers)?;
    let window_s = scene.job.seconds.unwrap_or(HOUR_S);
    let rows = raw.text.lines().filter(|line| !line.trim().is_empty());
    let timers: Option<Vec<Option<Timer>>> = rows.map(timer).collect();
    let timers = timers.ok_or_else(|| raw.garbled())?;
    let due: Vec<Timer> = timers.into_iter().flatten().filter(|timer| timer.left_s <= window_s).collect();
    if due.is_empty() {
        let says = format!("no timer is due within {}", waiting(1_000_000_000 * window_s));
        return Ok(vec![Observation::on("timers").show(&raw).ok(says)]);
    }
    Ok(due.iter().map(|timer| tell(timer, &raw)).collect())
}

fn tell(timer: &Timer, raw: &Raw) -> Observation {
    let row = raw.text.lines().find(|line| line.contains(&timer.unit)).unwrap_or_default();
    let observation = Observation::on(&timer.unit).with(&raw.path, row);
    let left = waiting(1_000_000_000 * timer.left_s);
    match KNOWN.timers.iter().find(|(name, _)| timer.unit.starts_with(name)) {
        Some((_, does)) => observation.warn(format!("due in {left}: {} {does}", timer.unit)),
        None => observation.info(format!("due in {left}: {}", timer.unit)),
    }
}

/// A row of `systemctl list-timers --all --plain`: when, left, last, passed,
/// unit, what it starts. `Some(None)` for a timer that is never due; `None` for
/// a row that is not a timer.
fn timer(row: &str) -> Option<Option<Timer>> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let unit = words.iter().find(|word| word.ends_with(".timer"))?;
    // "-" (or "n/a" before 252) in place of the time.
    if matches!(words[0], "-" | "n/a") {
        return Some(None);
    }
    // The first four words are day of the week, date, time and zone.
    let left = words.get(4..)?.iter().take_while(|word| is_length(word) || is_unit(word) || **word == "left");
    let left: Vec<&str> = left.copied().collect();
    Some(Some(Timer { unit: (*unit).to_owned(), left_s: seconds(&left)? }))
}

fn is_length(word: &str) -> bool {
    word.bytes().next().is_some_and(|b| b.is_ascii_digit()) && !word.contains(['-', ':'])
}

fn is_unit(word: &str) -> bool {
    length_of(word).is_some()
}

/// `1 week 2 days`, `5h 20min`, `3min 20s`, with or without `left`.
fn seconds(words: &[&str]) -> Option<u64> {
    let mut sum = 0;
    let mut words = words.iter().filter(|word| **word != "left").peekable();
    words.peek()?;
    while let Some(word) = words.next() {
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number: u64 = word.get(..digits)?.parse().ok()?;
        let unit = if digits == word.len() { *words.next()? } else { &word[digits..] };
        sum += number * length_of(unit)?;
    }
    Some(sum)
}

/// Seconds in one of systemd's units of time (systemd.time(7)); units below a second count as 0.
fn length_of(unit: &str) -> Option<u64> {
    const DAY_S: u64 = 24 * 3600;
    Some(match unit {
        "us" | "ms" => 0,
        "s" => 1,
        "min" => 60,
        "h" => 3600,
        "d" | "day" | "days" => DAY_S,
        "w" | "week" | "weeks" => 7 * DAY_S,
        "month" | "months" => 30 * DAY_S,
        "y" | "year" | "years" => 365 * DAY_S,
        _ => return None,
    })
}

fn cron(scene: &Scene<'_>) -> Option<Observation> {
    let dir = "/etc/cron.d";
    let mut names = scene.root.list(dir).ok()?;
    names.retain(|name| KNOWN.cron_jobs.contains(name));
    let says = format!("cron has {}, which read whole arrays or file systems", names.join(", "));
    (!names.is_empty()).then(|| Observation::on("cron").with(dir, names.join(" ")).info(says))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_as_systemd_writes_them() {
        let of = |text: &str| seconds(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(of("5h 20min left"), Some(19_200));
        assert_eq!(of("1 week 2 days left"), Some(9 * 86_400));
        assert_eq!(of("3min 20s"), Some(200));
        assert_eq!(of("2 months 3 days"), Some(63 * 86_400));
        assert_eq!(of("850ms left"), Some(0));
        assert_eq!(of("soon"), None);
        assert_eq!(of("left"), None);
    }
}
