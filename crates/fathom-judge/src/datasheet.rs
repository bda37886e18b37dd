//! A data sheet beside a run: which claims the device reached, and which cannot be true.
//!
//! A data sheet gives four figures, for large sequential and small random I/O in both directions, and
//! sometimes the latency of one I/O. Each claim is shown with the best measurement of its kind.

use crate::cell::Cell;
use fathom_figures::LARGE_BLOCK;
use fathom_figures::workload::sizes_and_depth;
use fathom_job::direction::Direction;
use fathom_job::units::Bytes;
use fathom_results::{DeviceSheet, ImpossibleClaims, RunResult, SheetLine};
use fathom_stats::Estimate;

/// A claim counts as reached within this share: data sheets are rounded, and drives vary.
const REACHED_WITHIN: f64 = 0.05;

/// Of the interval that decides whether a claim was reached.
const CONFIDENCE: f64 = 0.95;

/// The block that data sheets mean by random IOPS.
const RANDOM_BLOCK: Bytes = Bytes(4096);

/// One kind of claim.
struct ClaimDef {
    name: &'static str,
    words: &'static str,
    unit: &'static str,
    direction: Direction,
    kind: ClaimKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ClaimKind {
    Iops,
    Bandwidth,
    Latency,
}

impl ClaimKind {
    const fn unit(self) -> &'static str {
        match self {
            ClaimKind::Iops => "IOPS",
            ClaimKind::Bandwidth => "MB/s",
            ClaimKind::Latency => "µs",
        }
    }
}

const CLAIMS: [ClaimDef; 6] = [
    claim("read_iops", "random read", Direction::Read, ClaimKind::Iops),
    claim("write_iops", "random write", Direction::Write, ClaimKind::Iops),
    claim("read_mbps", "sequential read", Direction::Read, ClaimKind::Bandwidth),
    claim("write_mbps", "sequential write", Direction::Write, ClaimKind::Bandwidth),
    claim("read_latency_us", "mean read latency", Direction::Read, ClaimKind::Latency),
    claim("write_latency_us", "mean write latency", Direction::Write, ClaimKind::Latency),
];

const fn claim(name: &'static str, words: &'static str, direction: Direction, kind: ClaimKind) -> ClaimDef {
    ClaimDef { name, words, unit: kind.unit(), direction, kind }
}

/// What a data sheet claims.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims(Vec<(usize, f64)>);

impl Claims {
    /// Reads `read_iops=90000,write_mbps=500`.
    ///
    /// # Errors
    /// One sentence: a name or a value is wrong.
    pub fn parse(text: &str) -> Result<Claims, String> {
        let mut claims = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("{part} has no value"))?;
            let place = CLAIMS.iter().position(|claim| claim.name == name.trim());
            let names = || CLAIMS.iter().map(|claim| claim.name).collect::<Vec<_>>().join(", ");
            let place = place.ok_or_else(|| format!("{name} is not one of {}", names()))?;
            if claims.iter().any(|(known, _)| *known == place) {
                return Err(format!("{name} is claimed twice: give it once"));
            }
            let value = number(value.trim()).filter(|value| value.is_finite() && *value > 0.0);
            let wrong =
                || format!("{part} is not a number above 0, such as 90000 or 90k; the name has the unit");
            claims.push((place, value.ok_or_else(wrong)?));
        }
        if claims.is_empty() { Err("it claims nothing".to_owned()) } else { Ok(Claims(claims)) }
    }

    /// The names of what is claimed.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(place, _)| CLAIMS[*place].name)
    }

    fn value(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(place, _)| CLAIMS[*place].name == name).map(|(_, value)| *value)
    }
}

/// A number as data sheets have it: 90000, 90k, 1.5M.
fn number(text: &str) -> Option<f64> {
    let suffixes = [("k", 1e3), ("K", 1e3), ("M", 1e6)];
    let found = suffixes.into_iter().find_map(|(end, factor)| Some((text.strip_suffix(end)?, factor)));
    let (digits, factor) = found.unwrap_or((text, 1.0));
    digits.parse::<f64>().ok().map(|value| value * factor)
}

/// The claims beside the best measurements of the run. Where its answer says that something else than the disk was
/// measured, no claim counts as reached, and none as missed.
pub fn datasheet(run: &RunResult, claims: &Claims) -> DeviceSheet {
    let cells = Cell::all(run);
    let is_of_disk = run.record.answer.as_ref().is_none_or(|answer| answer.instead.is_none());
    let of_disk = |line: SheetLine| if is_of_disk { line } else { withheld(line) };
    let lines = claims.0.iter().map(|(place, claimed)| of_disk(line(&CLAIMS[*place], *claimed, &cells)));
    let trust = run.record.answer.as_ref().map(|answer| answer.trust.clone());
    DeviceSheet { lines: lines.collect(), impossible: impossible(claims), trust }
}

/// Nothing is said of the claim.
fn withheld(line: SheetLine) -> SheetLine {
    SheetLine { is_reached: None, is_open: false, ..line }
}

/// The claims beside the means of several rounds, each with its own sheet; a claim that a round did not measure is not
/// measured. `None` without a round.
pub fn datasheet_of_rounds(rounds: &[DeviceSheet]) -> Option<DeviceSheet> {
    let (first, _) = rounds.split_first()?;
    let is_of_disk = |place: usize| {
        let mut lines = rounds.iter().filter_map(|round| round.lines.get(place));
        !lines.any(SheetLine::is_withheld)
    };
    let lines = first.lines.iter().enumerate().map(|(place, line)| {
        let each = rounds.iter().map(|round| round.lines.get(place)?.measured);
        let values: Option<Vec<f64>> = each.collect();
        let measured = values.as_ref().map(|values| values.iter().sum::<f64>() / values.len() as f64);
        let mean = values.and_then(|values| Estimate::of_independent(&values, CONFIDENCE));
        let is_same_job =
            rounds.iter().all(|round| round.lines.get(place).is_some_and(|it| it.job == line.job));
        // Without one job there are no conditions of the mean either.
        let of_job = |text: &Option<String>| text.clone().filter(|_| is_same_job && measured.is_some());
        let (what, unit) = (line.what.clone(), line.unit.clone());
        let (job, does) = (of_job(&line.job), of_job(&line.does));
        let line = SheetLine { what, unit, claimed: line.claimed, job, does, ..SheetLine::default() };
        let half = mean.map(|mean| 100.0 * mean.relative_half_width());
        let line = measured.map_or(line.clone(), |value| judged(line, value, half));
        if is_of_disk(place) { line } else { withheld(line) }
    });
    let least = rounds.iter().filter_map(|round| round.trust.as_ref()).min_by_key(|trust| trust.level);
    Some(DeviceSheet { lines: lines.collect(), impossible: first.impossible.clone(), trust: least.cloned() })
}

/// The claim with what was measured of it: the value, and half of its interval, per cent.
fn judged(line: SheetLine, value: f64, half_percent: Option<f64>) -> SheetLine {
    let is_less_better = line.unit == ClaimKind::Latency.unit();
    let is_reached = |value: f64| match is_less_better {
        true => value <= line.claimed * (1.0 + REACHED_WITHIN),
        false => value >= line.claimed * (1.0 - REACHED_WITHIN),
    };
    let half = value * half_percent.unwrap_or(0.0) / 100.0;
    let is_open = is_reached(value - half) != is_reached(value + half);
    SheetLine {
        measured: Some(value),
        half_percent,
        is_reached: Some(is_reached(value)).filter(|_| !is_open),
        is_open,
        ..line
    }
}

fn line(def: &ClaimDef, claimed: f64, cells: &[Cell<'_>]) -> SheetLine {
    let values = cells.iter().filter_map(|cell| Some((measured(def, cell)?, cell)));
    let is_less_better = def.kind == ClaimKind::Latency;
    let best = values.reduce(|best, next| if (next.0 < best.0) == is_less_better { next } else { best });
    let line = SheetLine {
        what: def.words.to_owned(),
        unit: def.unit.to_owned(),
        claimed,
        job: best.map(|(_, cell)| cell.name().to_owned()),
        does: best.map(|(_, cell)| sizes_and_depth(cell.planned())),
        ..SheetLine::default()
    };
    // At depth 1 the mean latency is the reciprocal of the rate, and varies as the rate does.
    let half = |cell: &Cell<'_>| Some(100.0 * cell.flow(def.direction).iops_half()?);
    match best {
        Some((value, cell)) => judged(line, value, half(cell)),
        None => line,
    }
}

/// What a job measured of this kind.
fn measured(def: &ClaimDef, cell: &Cell<'_>) -> Option<f64> {
    let planned = cell.planned();
    let is_alone = cell.flows().count() == 1;
    let flow = cell.flow(def.direction);
    if flow.totals.ios == 0 || flow.unrated().is_some() || !is_alone {
        return None;
    }
    let block = planned.block[def.direction].max();
    let is_random = planned.rw.random;
    match def.kind {
        ClaimKind::Iops => (is_random && block <= RANDOM_BLOCK).then(|| flow.iops()),
        ClaimKind::Bandwidth => (block >= LARGE_BLOCK).then(|| flow.bytes_per_second() / 1e6),
        ClaimKind::Latency => {
            let is_one = cell.depth() == 1 && block <= RANDOM_BLOCK;
            is_one.then(|| flow.main_latency_ns_mean().map(|ns| ns / 1e3)).flatten()
        }
    }
}

/// Claims that contradict each other.
fn impossible(claims: &Claims) -> Vec<ImpossibleClaims> {
    let of = |(direction, iops, mbps)| {
        let (iops, mbps) = (claims.value(iops)?, claims.value(mbps)?);
        let moved = iops * RANDOM_BLOCK.0 as f64 / 1e6;
        let claims = ImpossibleClaims { direction, iops, block_bytes: RANDOM_BLOCK.0, mbps };
        (moved > mbps).then_some(claims)
    };
    let each = [(Direction::Read, "read_iops", "read_mbps"), (Direction::Write, "write_iops", "write_mbps")];
    each.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    /// The four figures of the drive of contract T-16.
    const PX600: &str = "read_mbps=2590.2,write_mbps=1337.1,read_iops=271557,write_iops=284429";

    #[test]
    fn figures_of_a_real_drive_are_possible() {
        // 271,557 reads of 4 KiB are 1,112 MB/s, less than 2,590; 284,429 writes are 1,165, less than 1,337.
        let claims = Claims::parse(PX600).unwrap();
        assert_eq!(impossible(&claims), []);
        let claims = Claims::parse("read_iops=271557, read_mbps=531.59").unwrap();
        let (direction, iops, mbps) = (Direction::Read, 271_557.0, 531.59);
        assert_eq!(impossible(&claims), [ImpossibleClaims { direction, iops, block_bytes: 4096, mbps }]);
    }

    #[test]
    fn the_best_measurement_of_each_kind_stands_beside_its_claim() {
        let text = "[global]\nioengine=io_uring\nfilename=/dev/x\n[r]\nrw=randread\nbs=4k\niodepth=32\n\
                    [one]\nstonewall\nrw=randread\nbs=4k\n[s]\nstonewall\nrw=read\nbs=1m\niodepth=8\n";
        let reads = |ios, bytes| [DirectionLoad::reads(ios, bytes, 80_000)];
        let run = RunBuilder::text(text)
            .seconds(0, 5, &reads(260_000, 4096))
            .after(1, 5_000_000_000)
            .seconds(1, 5, &reads(12_000, 4096))
            .after(2, 10_000_000_000)
            .seconds(2, 5, &reads(2_000, 1 << 20))
            .run();
        let claims = Claims::parse(&format!("{PX600},read_latency_us=70")).unwrap();
        let sheet = datasheet(&run, &claims);
        let told: Vec<_> =
            sheet.lines.iter().map(|l| (l.what.as_str(), l.job.as_deref(), l.is_reached)).collect();
        assert_eq!(
            told,
            [
                ("sequential read", Some("s"), Some(false)),
                ("sequential write", None, None),
                ("random read", Some("r"), Some(true)),
                ("random write", None, None),
                ("mean read latency", Some("one"), Some(false)),
            ]
        );
        assert!((sheet.lines[0].share().unwrap() - 0.8097).abs() < 1e-3);
    }

    #[test]
    fn a_claim_inside_the_interval_is_open() {
        let line = |claimed: f64, unit: &str, half: Option<f64>| {
            let line = SheetLine { unit: unit.to_owned(), claimed, ..SheetLine::default() };
            let line = judged(line, 100.0, half);
            (line.is_reached, line.is_open)
        };
        // What counts as reached begins 5 % beside the claim.
        assert_eq!(line(120.0, "IOPS", Some(10.0)), (Some(false), false));
        assert_eq!(line(120.0, "IOPS", Some(15.0)), (None, true));
        assert_eq!(line(120.0, "IOPS", None), (Some(false), false));
        assert_eq!(line(90.0, "IOPS", Some(10.0)), (Some(true), false));
        assert_eq!(line(80.0, "µs", Some(10.0)), (Some(false), false));
        assert_eq!(line(90.0, "µs", Some(10.0)), (None, true));
        let round = |value: f64| {
            let claims = Claims::parse("read_iops=110").unwrap();
            let line = super::line(&CLAIMS[0], claims.value("read_iops").unwrap(), &[]);
            DeviceSheet { lines: vec![judged(line, value, None)], ..DeviceSheet::default() }
        };
        let of_rounds = |values: [f64; 3]| {
            let sheet = datasheet_of_rounds(&values.map(round)).unwrap();
            (sheet.lines[0].is_reached, sheet.lines[0].is_open)
        };
        assert_eq!(of_rounds([99.0, 100.0, 101.0]), (Some(false), false));
        assert_eq!(of_rounds([90.0, 100.0, 110.0]), (None, true));
        assert_eq!(of_rounds([109.0, 110.0, 111.0]), (Some(true), false));
    }

    /// What was not the disk's says nothing of it: it may be better than the disk, and worse.
    #[test]
    fn of_what_is_not_the_disks_nothing_is_reached_and_nothing_missed() {
        let claims = Claims::parse("read_iops=1000,write_iops=9").unwrap();
        let sheet = |job: &str, iops: u64| {
            let load = DirectionLoad::reads(iops, 4096, 80_000);
            let text = format!("rw=randread bs=4k direct=1 filename=/dev/x {job}");
            let mut run = RunBuilder::of(&text).all(10, load).run();
            crate::judge(&mut run, &crate::fixture::OWN);
            datasheet(&run, &claims)
        };
        let told = |sheet: &DeviceSheet| {
            let line = &sheet.lines[0];
            (line.is_reached, line.is_withheld(), sheet.trust.as_ref().unwrap().level.name())
        };
        let disk = "ioengine=psync";
        assert_eq!(told(&sheet(disk, 2_000)), (Some(true), false, "medium"));
        assert_eq!(told(&sheet(disk, 500)), (Some(false), false, "medium"));
        let null = "ioengine=null size=1g";
        let (fast, slow) = (sheet(null, 2_000), sheet(null, 500));
        assert_eq!((told(&fast), told(&slow)), ((None, true, "low"), (None, true, "low")));
        assert!(!fast.lines[1].is_withheld(), "it was not measured");
        let rounds = datasheet_of_rounds(&[sheet(disk, 500), slow]).unwrap();
        assert_eq!(told(&rounds), (None, true, "low"), "one round was not of the disk");
    }

    #[test]
    fn thousands_and_millions_are_read_as_data_sheets_write_them() {
        let [long, short] =
            ["read_iops=1500000,write_iops=90000", "read_iops=1.5M,write_iops=90k"].map(Claims::parse);
        assert_eq!(long.unwrap().0, short.unwrap().0);
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, said) in [
            ("iops=3", "iops is not one of read_iops"),
            ("read_iops", "read_iops has no value"),
            ("read_iops=-1", "read_iops=-1 is not a number above 0"),
            (
                "write_mbps=2GB/s",
                "write_mbps=2GB/s is not a number above 0, such as 90000 or 90k; the name has the unit",
            ),
            (" , ", "it claims nothing"),
            ("read_iops=1,read_iops=2", "read_iops is claimed twice: give it once"),
        ] {
            assert!(Claims::parse(text).unwrap_err().starts_with(said), "{text}");
        }
    }
}
