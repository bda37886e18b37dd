//! A rehearsal: a procedure runs on a simulated drive in the place of its target, and then the time, the writes and the
//! wear are told that it would take there.
//!
//! The real target is only looked at. A simulated drive of 1/n divides capacity and speed alike, so times are those of the whole
//! drive, and amounts are multiplied.

use crate::aim::Aim;
use crate::failure::{Exit, Failure, say};
use clap::Args;
use fathom_device::device::{DiskKind, Identity};
use fathom_job::direction::Direction;
use fathom_job::plan::simulated_model;
use fathom_job::units::Nanos;
use fathom_results::RunResult;
use fathom_results::procedure::load_procedure;
use fathom_session::Here;
use fathom_sim::DriveModel;
use fathom_text::carried::of_os;
use fathom_text::quantity::{bytes, percent_with};
use fathom_text::shown;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Default, Args)]
pub struct RehearsalArgs {
    /// Run all of it on a simulated drive of the target's size first, write nothing to the target, and say how long it would
    /// take and how much it would wear the drive. A model is a preset such as datacentre, or one with changes:
    /// datacentre,op=28 [default: by the kind of the target]
    #[arg(long, value_name = "MODEL", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    pub rehearse: Option<String>,
}

/// Bytes of a simulated drive, about. Smaller ones have too few dies for their speed: on 1 GiB the IOPS test writes 30 % too much, on
/// 16 GiB 1 to 4 %, and a test takes seconds.
const SIZE_BYTES: u64 = 1 << 34;

/// How often its whole capacity may be written by the host over the rated life of such a drive. Published ratings: Intel
/// P5510 3.84 TB, 1 drive write a day for 5 years; Samsung 980 Pro 1 TB, 600 TB; Intel 660p 1 TB, 200 TB.
const RATED_FILLS: [(&str, f64); 4] =
    [("datacentre", 1825.0), ("consumer", 600.0), ("thermal", 600.0), ("qlc", 200.0)];

/// A simulated drive in the place of a target.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// The real target.
    of: PathBuf,
    /// The name of the simulated drive.
    pub target: PathBuf,
    /// How many times larger the whole drive is.
    scale: u64,
    capacity_bytes: u64,
    rated_fills: Option<f64>,
}

impl Rehearsal {
    /// The simulated drive for this target; `None` where no rehearsal is asked for.
    pub fn asked(args: &RehearsalArgs, target: &Path, here: &Here) -> Result<Option<Rehearsal>, Failure> {
        let Some(asked) = &args.rehearse else { return Ok(None) };
        let wrong = |message: String| Failure::new(Exit::Usage, message);
        if of_os(target).starts_with("sim:") {
            return Err(
                wrong(format!("{} is simulated already", shown::path(target))).hint("leave out --rehearse")
            );
        }
        if target.is_dir() {
            let message = format!(
                "--rehearse needs a device or a file, whose size the simulated drive has: {} is a directory",
                shown::path(target)
            );
            return Err(wrong(message).hint("to list the disks of this machine: fathom devices"));
        }
        let aim = Aim::of(target, here)?;
        let usual = if aim.is_zoned { "smr" } else { usual_model(target, here) };
        let model = if asked.is_empty() { usual } else { asked.as_str() };
        let (preset, changes) = model.split_once(',').unwrap_or((model, ""));
        let is_disk = ["disk", "smr"].contains(&preset);
        let scale = if is_disk { 1 } else { (aim.size.0 / SIZE_BYTES).max(1).next_power_of_two() };
        let changes = if changes.is_empty() { String::new() } else { format!(",{changes}") };
        // Whole MiB: a drive has whole mapping units, also when it is scaled.
        let size_mib = ((aim.size.0 / scale) >> 20) * scale;
        let scaled = if is_disk { String::new() } else { format!("/{scale}") };
        let cache = cache(preset, size_mib, &changes);
        let name = format!("sim:{preset}{scaled},size={size_mib}m{cache}{changes}");
        let capacity =
            simulated_model(&name).ok_or_else(|| wrong(format!("{name} is no simulated drive")))?;
        let capacity = capacity.and_then(|model| model.capacity_bytes());
        let capacity = capacity
            .map_err(|why| wrong(format!("--rehearse={model}: {name} cannot be simulated: {why}")))?;
        let rated = RATED_FILLS.iter().find(|(name, _)| *name == preset).map(|(_, fills)| *fills);
        say(&format!("rehearsal: {name} in the place of {}; nothing is written there", shown::path(target)));
        Ok(Some(Rehearsal {
            of: target.to_owned(),
            target: PathBuf::from(name),
            scale,
            capacity_bytes: capacity,
            rated_fills: rated,
        }))
    }

    /// What the rounds of a procedure say of the real target.
    pub fn of_procedure(&self, dir: &Path) -> Result<String, Failure> {
        let saved = load_procedure(dir).map_err(|e| Failure::new(Exit::Incomplete, e))?;
        let rounds = saved.rounds().map(|round| saved.load_round(round));
        let rounds: Result<Vec<RunResult>, _> = rounds.collect();
        Ok(self.text(&rounds.map_err(|e| Failure::new(Exit::Incomplete, e))?))
    }

    /// The forecast.
    pub fn text(&self, runs: &[RunResult]) -> String {
        let after: Vec<Drained> = runs.iter().map(Drained::of).collect();
        let (after_ns, after_bytes) =
            after.iter().fold((0, 0), |(ns, bytes), one| (ns + one.ns, bytes + one.write_bytes));
        let time_ns =
            runs.iter().map(last_end_ns).sum::<u64>().saturating_sub(after_ns) + after_ns / self.scale;
        let counted = |name: &str| runs.iter().map(|run| counter(run, name)).sum::<u64>();
        let (host, media) = (counted("sim.run.host_written_bytes"), counted("sim.run.media_written_bytes"));
        let (host, media) =
            (scaled(host, after_bytes, host, self.scale), scaled(media, after_bytes, host, self.scale));
        let fills = host as f64 / (self.capacity_bytes * self.scale) as f64;
        let amplification = if host > 0 {
            format!(", {:.2} for each byte", media as f64 / host as f64)
        } else {
            String::new()
        };
        let wear = self.rated_fills.map_or_else(String::new, |rated| {
            let share = 100.0 * fills / rated;
            format!(
                "\n  wear      {} of the {rated:.0} fills that such a drive is rated for",
                percent_with(share / 100.0, 2)
            )
        });
        let results = match self.scale {
            1 => String::new(),
            scale => format!(
                "  results   as above, with rates {scale} times as high, and latency of a full queue as much shorter\n"
            ),
        };
        format!(
            "forecast for {} from this rehearsal, if it is like the model:\n  time      {} of I/O\n  written   {} by the host \
             ({fills:.1} fills), {} to the flash{amplification}{wear}\n{results}",
            shown::path(&self.of),
            Nanos(time_ns),
            bytes(host as f64),
            bytes(media as f64)
        )
    }
}

/// The SLC cache of a preset, as large in proportion as that of the preset: otherwise it could be larger than a small drive.
fn cache(preset: &str, size_mib: u64, changes: &str) -> String {
    let Some(Ok(DriveModel::Flash(model))) = simulated_model(&format!("sim:{preset}")) else {
        return String::new();
    };
    let Some(slc) = model.slc.filter(|_| !changes.contains("slc")) else { return String::new() };
    let part = |bytes: u64| u128::from(bytes) * u128::from(size_mib) / u128::from(model.capacity_bytes);
    format!(",slc_fixed={}m,slc_dynamic={}m", part(slc.fixed_bytes), part(slc.dynamic_bytes))
}

/// What completed after the jobs had ended: as many I/Os as on the whole drive, so they take longer on a part of it.
struct Drained {
    ns: u64,
    write_bytes: u64,
}

impl Drained {
    fn of(run: &RunResult) -> Drained {
        let mut stages: BTreeMap<u32, u64> = BTreeMap::new();
        let mut write_bytes = 0;
        for job in &run.jobs {
            write_bytes += job.totals.directions[Direction::Write].drained.bytes;
            let (Some(outcome), Some(last)) = (&job.outcome, job.series.last()) else { continue };
            let longest = stages.entry(job.planned.stage).or_default();
            *longest = (*longest).max(outcome.at_ns.saturating_sub(last.end_ns));
        }
        Drained { ns: stages.into_values().sum(), write_bytes }
    }
}

/// Bytes on the whole drive: what was written while the jobs ran as often as the drive is divided, and what was drained
/// once.
fn scaled(bytes: u64, drained: u64, host: u64, scale: u64) -> u64 {
    let share = drained.min(host) as f64 / host.max(1) as f64;
    let once = bytes as f64 * share;
    ((bytes as f64 - once) * scale as f64 + once) as u64
}

/// The end of the last job, ns since the start of the run.
fn last_end_ns(run: &RunResult) -> u64 {
    run.jobs.iter().filter_map(|job| Some(job.outcome.as_ref()?.at_ns)).max().unwrap_or(0)
}

/// What the drive had counted when the last job of the run ended.
fn counter(run: &RunResult, name: &str) -> u64 {
    let notes = run.jobs.iter().filter_map(|job| job.outcome.as_ref()).flat_map(|outcome| &outcome.notes);
    notes.filter(|(known, _)| known == name).filter_map(|(_, value)| value.parse().ok()).max().unwrap_or(0)
}

/// The preset for a target, by its kind.
fn usual_model(target: &Path, here: &Here) -> &'static str {
    match Identity::at(here.root(), target) {
        Some(device) if device.kind == DiskKind::Nvme => "datacentre",
        Some(device) if device.kind == DiskKind::Scsi && device.rotational == Some(true) => "disk",
        Some(device) if device.kind == DiskKind::Scsi => "consumer",
        _ => "datacentre",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drained_counts_once() {
        // Of 1,000 bytes of the host 200 were drained: 800 came 64 times as fast on the whole drive.
        assert_eq!(scaled(1_000, 200, 1_000, 64), 800 * 64 + 200);
        assert_eq!(scaled(3_000, 200, 1_000, 64), 2_400 * 64 + 600);
        assert_eq!((scaled(0, 0, 0, 64), scaled(500, 0, 500, 1)), (0, 500));
    }
}
