//! Other I/O on the disks under test and beside them.

use std::collections::BTreeSet;

use crate::audit::checks::prelude::*;
use fathom_device::diskstat::DiskCounters;
use fathom_text::quantity::{bandwidth, percent_with};

/// The files with the counters of every block device.
pub(super) const STATS: &str = "/sys/block/*/stat";

/// The I/O on the block device of this name between the two readings, and its file now.
fn growth(scene: &Scene<'_>, name: &str) -> Result<(DiskCounters, Raw), Unknown> {
    let path = PathBuf::from(format!("/sys/block/{name}/stat"));
    let raw = scene.read(&path)?;
    let parse = |text: &str| DiskCounters::parse(text).ok_or_else(|| Unknown::garbled(&path, text));
    let now = parse(&raw.text)?;
    let then = parse(scene.before(&path)?)?;
    Ok((now.since(&then), raw))
}

/// The number of I/Os of every kind.
fn ios(counters: &DiskCounters) -> u64 {
    counters.reads + counters.writes + counters.discards + counters.flushes
}

/// Bytes moved; a discard moves none.
fn moved_bytes(counters: &DiskCounters) -> u64 {
    (counters.read_sectors + counters.write_sectors).saturating_mul(512)
}

/// Shares of the job's own bytes, in thousandths.
const WARN_PER_MILLE: u64 = 1;
const BAD_PER_MILLE: u64 = 10;

/// If the first reading is older than this, it was made at the start of a run,
/// not of an audit (which waits half a second, or three seconds if it is
/// careful). Then the counters contain the job's own I/O.
const AUDIT_MAX_MS: u128 = 5_000;

/// `noise.device`: do other programs use the drive?
pub(super) fn device(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let (grown, raw) = growth(scene, &disk.name)?;
    let elapsed_ms = scene.earlier.as_ref().map_or(0, |earlier| earlier.elapsed.as_millis());
    match scene.job.moved_bytes {
        Some(own) => after(scene, disk, &grown, &raw, own),
        None if elapsed_ms > AUDIT_MAX_MS => Err(Unknown::new(
            &raw.path,
            "was first read too long ago: the I/O of the run cannot be separated from that of others",
        )),
        None => Ok(before(disk, &grown, &raw, elapsed_ms)),
    }
}

fn before(disk: &Disk, grown: &DiskCounters, raw: &Raw, elapsed_ms: u128) -> Observation {
    let observation = Observation::on(&disk.name).show(raw);
    let count = ios(grown);
    if count == 0 && grown.in_flight == 0 {
        return observation.ok(format!("quiet for {elapsed_ms} ms"));
    }
    let says = format!(
        "{count} I/Os of others in {elapsed_ms} ms ({} KiB, busy {} ms, {} I/Os waiting)",
        moved_bytes(grown) >> 10,
        grown.busy_ms,
        grown.in_flight
    );
    match u128::from(grown.busy_ms) * 100 > elapsed_ms {
        true => observation.bad(says),
        false => observation.warn_for(&[Latency, Repeatability], says),
    }
}

/// Merging and splitting change the number of I/Os that reach the disk, but not
/// the bytes; redundancy and caches change the bytes too.
fn after(scene: &Scene<'_>, disk: &Disk, grown: &DiskCounters, raw: &Raw, own_bytes: u64) -> Observed {
    let is_plain = scene.disks.len() == 1 && scene.stacked.is_empty() && scene.job.direct == Some(true);
    if !is_plain {
        let reason = "counts the job's own I/O too, changed by an array, a cache or its spread over disks";
        return Err(Unknown::new(&raw.path, reason));
    }
    let foreign = moved_bytes(grown).saturating_sub(own_bytes);
    let observation = Observation::on(&disk.name).show(raw);
    let says = format!("others moved {} KiB, the job {} KiB", foreign >> 10, own_bytes >> 10);
    let exceeds = |per_mille: u64| u128::from(foreign) * 1000 > u128::from(own_bytes) * u128::from(per_mille);
    Ok(match () {
        () if exceeds(BAD_PER_MILLE) => observation.bad(says),
        () if exceeds(WARN_PER_MILLE) => observation.warn_for(&[Latency, Repeatability], says),
        () => observation.ok(says),
    })
}

pub(super) const RECEIVED: &str = "/sys/class/net/*/statistics/rx_bytes";
pub(super) const SENT: &str = "/sys/class/net/*/statistics/tx_bytes";

/// 0.1 % of four lanes of the first generation (1 GB/s).
const QUIET_MAX_BYTES_PER_S: u128 = 1_000_000;

/// A neighbour and the port (or array) that it shares with a target.
struct Neighbour {
    name: String,
    kind: Shared,
    shares: String,
}

enum Shared {
    Drive,
    Card,
}

/// `noise.siblings`: do other devices use the same lanes?
pub(super) fn siblings(scene: &Scene<'_>) -> Vec<Observation> {
    if scene.disks.is_empty() {
        return vec![Observation::on("host").not_applicable("there is no disk below the target")];
    }
    let mut neighbours = drives(scene);
    neighbours.extend(cards(scene));
    let judge =
        |neighbour: &Neighbour| Observation::or_unknown(&neighbour.name, siblings_of(scene, neighbour));
    let observations: Vec<Observation> = neighbours.iter().map(judge).collect();
    if observations.is_empty() { scene.disks.iter().map(alone).collect() } else { observations }
}

/// An observation on a disk that shares its port with no other device. For a
/// disk that is not on PCI, we cannot see what it shares.
fn alone(disk: &Disk) -> Observation {
    let observation = Observation::on(&disk.name);
    match disk.functions().first() {
        Some(port) => {
            observation.with(port, "").ok(format!("no other drive or network card is behind {}", leaf(port)))
        }
        None => observation.not_applicable("it is not a PCI device, so it is not known what it shares"),
    }
}

fn drives(scene: &Scene<'_>) -> Vec<Neighbour> {
    let names = scene.root.list("/sys/block").unwrap_or_default();
    let others = names.into_iter().filter(|name| !scene.queues().any(|disk| disk.name == *name));
    let theirs = scene.disks.iter().flat_map(|disk| holders(scene, &disk.sys_dir)).collect();
    let neighbour = |name: String| {
        let dir = scene.root.resolve(format!("/sys/block/{name}")).ok()?;
        let shares = shared_port(scene, &dir).or_else(|| shared_array(scene, &dir, &theirs))?;
        Some(Neighbour { name, kind: Shared::Drive, shares })
    };
    others.filter_map(neighbour).collect()
}

fn cards(scene: &Scene<'_>) -> Vec<Neighbour> {
    let names = scene.root.list("/sys/class/net").unwrap_or_default();
    let neighbour = |name: String| {
        let dir = scene.root.resolve(format!("/sys/class/net/{name}")).ok()?;
        Some(Neighbour { kind: Shared::Card, shares: shared_port(scene, &dir)?, name })
    };
    names.into_iter().filter_map(neighbour).collect()
}

/// The root port that is above both the device and a target.
fn shared_port(scene: &Scene<'_>, dir: &Path) -> Option<String> {
    let mut ports = scene.disks.iter().flat_map(|disk| &disk.ways).filter_map(|way| way.first());
    ports.find(|port| dir.starts_with(port)).map(|port| leaf(port))
}

/// The array or volume that both the device and a target are part of. `theirs`
/// is what the disks of the targets are part of.
fn shared_array(scene: &Scene<'_>, dir: &Path, theirs: &BTreeSet<String>) -> Option<String> {
    holders(scene, dir).into_iter().find(|holder| theirs.contains(holder))
}

fn holders(scene: &Scene<'_>, dir: &Path) -> Vec<String> {
    scene.root.list(dir.join("holders")).unwrap_or_default()
}

fn siblings_of(scene: &Scene<'_>, neighbour: &Neighbour) -> Observed {
    let name = &neighbour.name;
    let mut observation = Observation::on(name);
    let bytes = match neighbour.kind {
        Shared::Drive => {
            let (grown, raw) = growth(scene, name)?;
            observation = observation.show(&raw);
            moved_bytes(&grown)
        }
        Shared::Card => {
            let dir = format!("/sys/class/net/{name}/statistics");
            let (received, raw) = scene.growth(format!("{dir}/rx_bytes"))?;
            observation = observation.show(&raw);
            let (sent, raw) = scene.growth(format!("{dir}/tx_bytes"))?;
            observation = observation.show(&raw);
            received + sent
        }
    };
    let elapsed_ms = scene.earlier.as_ref().map_or(0, |earlier| earlier.elapsed.as_millis());
    let rate = (u128::from(bytes) * 1000).checked_div(elapsed_ms);
    let rate = rate.ok_or_else(|| Unknown::new("/sys/block", "no time passed between the two readings"))?;
    let says = format!("it moves {} and shares {}", bandwidth(rate as f64), neighbour.shares);
    Ok(match rate > QUIET_MAX_BYTES_PER_S {
        true => observation.warn_for(&[Bandwidth], says),
        false => observation.ok(says),
    })
}

/// Fewer probes say nothing about their spread.
const PROBES_MIN: usize = 3;
/// The largest spread that is ok, in per cent.
const CV_MAX_PERCENT: f64 = 5.0;

/// `noise.cv`: do equal probes give equal rates?
pub(super) fn cv(rates: &[u64]) -> Observed {
    if rates.len() < PROBES_MIN {
        let reason =
            format!("it takes {PROBES_MIN} probes, there are {}: repeat the run, and compare", rates.len());
        return Err(Unknown::new("probes", reason));
    }
    if rates.contains(&0) {
        return Err(Unknown::new("probes", "one of them did no I/O at all"));
    }
    let words: Vec<String> = rates.iter().map(u64::to_string).collect();
    let observation = Observation::on("probes").with("probes", words.join(" "));
    let cv = cv_percent(rates);
    if cv <= CV_MAX_PERCENT {
        return Ok(observation.ok(format!(
            "{} probes spread by {}",
            rates.len(),
            percent_with(cv / 100.0, 1)
        )));
    }
    let falls = rates.windows(2).all(|pair| pair[1] < pair[0]);
    let trend = if falls { ", each slower than the last" } else { "" };
    Ok(observation.warn_for(
        &[Repeatability],
        format!("{} probes spread by {}{trend}", rates.len(), percent_with(cv / 100.0, 1)),
    ))
}

/// Sample standard deviation over mean.
fn cv_percent(rates: &[u64]) -> f64 {
    let count = rates.len() as f64;
    let mean = rates.iter().map(|rate| *rate as f64).sum::<f64>() / count;
    let squares: f64 = rates.iter().map(|rate| (*rate as f64 - mean).powi(2)).sum();
    (squares / (count - 1.0)).sqrt() / mean * 100.0
}
