//! `benches/history/`: what was measured when, where and at which commit.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::cases::CASES;
use super::figure::Figure;
use super::rows::Row;
use serde::{Deserialize, Serialize};
use xtask::command::{capture, command};
use xtask::workspace::{self, read_text};

/// Version of the records; a new field does not change it.
pub const FORMAT: u32 = 1;

/// The record of one session of `cargo xtask bench`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: u32,
    /// When it ended, UTC.
    pub date: String,
    /// What was measured.
    pub commit: String,
    /// The machine.
    pub machine: Machine,
    /// The other tool, such as `fio-3.33`.
    pub fio: String,
    /// Number of pairs that were asked for.
    pub pairs: u64,
    /// Length of a run, in seconds.
    pub seconds: u64,
    /// The comparisons.
    pub cases: Vec<Figure>,
    /// Instructions per I/O by case: fathom's, and fio's if fio can run the case.
    pub instructions: BTreeMap<String, (f64, Option<f64>)>,
    /// The other budgets.
    pub rows: Vec<Row>,
}

impl Record {
    /// Writes it under its date and commit, and returns the path.
    pub fn save(&self) -> Result<PathBuf, String> {
        self.save_in(&directory())
    }

    fn save_in(&self, directory: &Path) -> Result<PathBuf, String> {
        let day = self.date.split('T').next().unwrap_or(&self.date);
        let path = directory.join(format!("{day}-{}.json", self.commit));
        let text = serde_json::to_string_pretty(self).map_err(|e| said(&path, &e))?;
        fs::create_dir_all(directory).map_err(|e| said(directory, &e))?;
        fs::write(&path, text + "\n").map_err(|e| said(&path, &e))?;
        Ok(path)
    }

    /// Every record, oldest first.
    pub fn all() -> Result<Vec<Record>, String> {
        Self::all_in(&directory())
    }

    fn all_in(directory: &Path) -> Result<Vec<Record>, String> {
        if !directory.exists() {
            return Ok(Vec::new());
        }
        let mut records = Vec::new();
        for entry in directory.read_dir().map_err(|e| said(directory, &e))? {
            let path = entry.map_err(|e| said(directory, &e))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                records.push(Self::load(&path)?);
            }
        }
        records.sort_by(|a, b| a.date.cmp(&b.date));
        Ok(records)
    }

    fn load(path: &Path) -> Result<Record, String> {
        let text = fs::read_to_string(path).map_err(|e| said(path, &e))?;
        serde_json::from_str(&text).map_err(|e| said(path, &e))
    }
}

fn directory() -> PathBuf {
    workspace::root().join("benches/history")
}

fn said(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

// The machine and the versions for which a figure is valid.

/// The machine on which figures were measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Processors that we may use.
    pub cpus: u32,
    /// Release of the kernel.
    pub kernel: String,
}

impl Machine {
    /// This one.
    pub fn here() -> Result<Self, String> {
        let info = read_text("/proc/cpuinfo")?;
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let cpus = std::thread::available_parallelism().map_err(|e| format!("processors: {e}"))?;
        Ok(Self {
            cpu: model.map_or("unknown", |(_, name)| name.trim()).to_owned(),
            cpus: cpus.get() as u32,
            kernel: read_text("/proc/sys/kernel/osrelease")?.trim().to_owned(),
        })
    }
}

/// The version of the other tool, such as `fio-3.33`.
pub fn fio_version() -> Result<String, String> {
    Ok(capture(&mut command("fio", &["--version"]))?.trim().to_owned())
}

/// The commit that was measured, with `-dirty` if the tree has other changes.
pub fn commit() -> Result<String, String> {
    let commit = capture(&mut command("git", &["rev-parse", "--short=10", "HEAD"]))?.trim().to_owned();
    let changes = capture(&mut command("git", &["status", "--porcelain", "--untracked-files=no"]))?;
    Ok(if changes.is_empty() { commit } else { format!("{commit}-dirty") })
}

/// Now in UTC, such as `2026-01-31T12:00:00Z`.
pub fn now() -> Result<String, String> {
    Ok(capture(&mut command("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]))?.trim().to_owned())
}

// The table of docs/performance.md.

/// The record as markdown.
pub fn table(record: &Record) -> String {
    let mut text = format!(
        "Ratios to {} on the same machine, interleaved, one CPU, all latency statistics on: median of pairs\n\
         with its 95 % interval. `cargo xtask bench --markdown` repeats it.\n\n",
        record.fio
    );
    text.push_str(
        "| 4 KiB random reads unless said | IOPS, × fio | 95 % interval | pairs | CPU per I/O, × fio |",
    );
    text.push_str(" system calls per I/O, fathom : fio |\n|---|---|---|---|---|---|\n");
    for figure in &record.cases {
        text.push_str(&line(figure).unwrap_or_default());
    }
    text.push_str("\n| instructions per I/O, user space | fathom | fio |\n|---|---|---|\n");
    for (name, (ours, theirs)) in &record.instructions {
        let theirs = theirs.map_or("-".to_owned(), |n| format!("{n:.0}"));
        writeln!(text, "| {name} | {ours:.0} | {theirs} |").expect("writing to a string");
    }
    text.push_str("\n| other budgets | measured | allowed |\n|---|---|---|\n");
    for row in &record.rows {
        let figure = format!("{:.3} {}", row.value, row.unit);
        writeln!(text, "| {} | {} | {} |", row.what, figure.trim_end(), row.budget)
            .expect("writing to a string");
    }
    let machine = &record.machine;
    writeln!(
        text,
        "\nMeasured on {} CPUs of {}, Linux {}, with `--pairs {} --seconds {}`, {}, at {}.",
        machine.cpus,
        machine.cpu,
        machine.kernel,
        record.pairs,
        record.seconds,
        record.date.split('T').next().unwrap_or_default(),
        record.commit
    )
    .expect("writing to a string");
    text
}

/// `None` for a case without a second tool.
fn line(figure: &Figure) -> Option<String> {
    let iops = figure.iops.ratio.as_ref()?;
    let title = CASES
        .iter()
        .find(|case| case.name == figure.name)
        .map_or(figure.name.as_str(), |case| case.title.as_str());
    let interval =
        iops.interval.map_or("too few pairs".to_owned(), |(low, high)| format!("{low:.2} to {high:.2}"));
    let cpu = figure.cpu_ns.ratio.as_ref().map_or("-".to_owned(), |cpu| format!("{:.2}", cpu.value));
    let calls = match figure.calls {
        Some((ours, Some(theirs))) => format!("{ours:.2} : {theirs:.2}"),
        _ => "-".to_owned(),
    };
    Some(format!("| {title} | {:.2} | {interval} | {} | {cpu} | {calls} |\n", iops.value, iops.pairs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Quantity;
    use crate::figure::Ratio;

    /// A record with one case, whose ratio and interval are given.
    pub fn record(date: &str, value: f64, interval: (f64, f64)) -> Record {
        let ratio = Ratio { value, interval: Some(interval), pairs: 12 };
        let quantity = |ratio| Quantity { ours: 2.0, theirs: Some(1.0), ratio };
        Record {
            format: FORMAT,
            date: date.to_owned(),
            commit: "0123456789".to_owned(),
            machine: Machine { cpu: "a processor".to_owned(), cpus: 2, kernel: "6.1".to_owned() },
            fio: "fio-3.33".to_owned(),
            pairs: 12,
            seconds: 3,
            cases: vec![Figure {
                name: "null-plain".to_owned(),
                iops: quantity(Some(ratio)),
                cpu_ns: quantity(None),
                machine_ns: quantity(None),
                calls: Some((0.5, Some(1.0))),
            }],
            instructions: BTreeMap::from([("null".to_owned(), (50.0, Some(3000.0)))]),
            rows: Vec::new(),
        }
    }

    #[test]
    fn records_come_back_in_the_order_of_their_dates() {
        let directory = tempfile::tempdir().unwrap();
        let newer = record("2026-02-01T10:00:00Z", 2.0, (1.9, 2.1));
        let older = record("2026-01-31T10:00:00Z", 1.0, (0.9, 1.1));
        for one in [&newer, &older] {
            one.save_in(directory.path()).unwrap();
        }
        assert_eq!(Record::all_in(directory.path()), Ok(vec![older, newer]));
        assert_eq!(Record::all_in(&directory.path().join("none")), Ok(Vec::new()));
    }

    #[test]
    fn the_records_in_the_repository_can_be_read() {
        for one in Record::all().unwrap() {
            assert_eq!(one.format, FORMAT);
        }
    }

    #[test]
    fn every_figure_stands_with_its_interval() {
        let text = table(&record("2026-01-31T10:00:00Z", 2.0, (1.9, 2.1)));
        let expected = "| null engine, QD32: what the generator itself costs | 2.00 | 1.90 to 2.10 | 12 | - | 0.50 : 1.00 |";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("| null | 50 | 3000 |"), "{text}");
        assert!(text.contains("`--pairs 12 --seconds 3`, 2026-01-31, at 0123456789"), "{text}");
    }
}
