//! `noise.siblings`: do other devices use the same lanes?

use std::collections::BTreeSet;
use std::path::Path;

use super::stat::{STATS, growth, moved_bytes};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene, leaf};
use fathom_device::Goal::Bandwidth;
use fathom_device::root::Unknown;

const RECEIVED: &str = "/sys/class/net/*/statistics/rx_bytes";
const SENT: &str = "/sys/class/net/*/statistics/tx_bytes";

pub(super) const CHECK: Check = Check {
    id: "noise.siblings",
    title: "Traffic of neighbours on the same port",
    reads: "/sys/block/*/stat and /sys/class/net/*/statistics, twice; their places in /sys/devices",
    why: "Drives, network cards and graphics cards behind one root port or switch share its lanes towards the \
          processor, and the drives of one array wait for each other. The traffic of a neighbour reduces that of the \
          drive under test as soon as the shared link is full, and no setting of the drive shows it.",
    judged: "A neighbour (another drive or network card below the same root port, or another member of the array that \
             the drive is in) that moves more than 1 MB/s between the two readings warns for bandwidth; that is 0.1 % \
             of the slowest link in use today. Less is ok. Graphics and other cards have no such counters: \
             pcie.oversub lists them.",
    remedy: "Stop the I/O of the neighbour during the run, move one of the two to another port (fathom topology shows \
             which device is on which port), or choose drives on different ports.",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["V-72", "M-7"],
    observe: Observe::Watch(&[STATS, RECEIVED, SENT], observe),
};

/// 0.1 % of four lanes of the first generation (1 GB/s).
const QUIET_MAX_BYTES_PER_S: u128 = 1_000_000;

/// A neighbour and the port (or array) that it shares with a target.
struct Neighbour {
    name: String,
    kind: Kind,
    shares: String,
}

enum Kind {
    Drive,
    Card,
}

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    if scene.disks.is_empty() {
        return vec![Observation::on("host").not_applicable("there is no disk below the target")];
    }
    let mut neighbours = drives(scene);
    neighbours.extend(cards(scene));
    let judge = |neighbour: &Neighbour| Observation::or_unknown(&neighbour.name, one(scene, neighbour));
    let seen: Vec<Observation> = neighbours.iter().map(judge).collect();
    if seen.is_empty() { scene.disks.iter().map(alone).collect() } else { seen }
}

/// An observation on a disk that shares its port with no other device. For a
/// disk that is not on PCI, we cannot see what it shares.
fn alone(disk: &Disk) -> Observation {
    let seen = Observation::on(&disk.name);
    match disk.functions().first() {
        Some(port) => {
            seen.with(port, "").ok(format!("no other drive or network card is behind {}", leaf(port)))
        }
        None => seen.not_applicable("it is not a PCI device, so it is not known what it shares"),
    }
}

fn drives(scene: &Scene<'_>) -> Vec<Neighbour> {
    let names = scene.root.list("/sys/block").unwrap_or_default();
    let others = names.into_iter().filter(|name| !scene.queues().any(|disk| disk.name == *name));
    let theirs = scene.disks.iter().flat_map(|disk| holders(scene, &disk.sys_dir)).collect();
    let neighbour = |name: String| {
        let dir = scene.root.resolve(format!("/sys/block/{name}")).ok()?;
        let shares = shared_port(scene, &dir).or_else(|| shared_array(scene, &dir, &theirs))?;
        Some(Neighbour { name, kind: Kind::Drive, shares })
    };
    others.filter_map(neighbour).collect()
}

fn cards(scene: &Scene<'_>) -> Vec<Neighbour> {
    let names = scene.root.list("/sys/class/net").unwrap_or_default();
    let neighbour = |name: String| {
        let dir = scene.root.resolve(format!("/sys/class/net/{name}")).ok()?;
        Some(Neighbour { kind: Kind::Card, shares: shared_port(scene, &dir)?, name })
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

fn one(scene: &Scene<'_>, neighbour: &Neighbour) -> Observed {
    let name = &neighbour.name;
    let mut seen = Observation::on(name);
    let bytes = match neighbour.kind {
        Kind::Drive => {
            let (grown, raw) = growth(scene, name)?;
            seen = seen.show(&raw);
            moved_bytes(&grown)
        }
        Kind::Card => {
            let dir = format!("/sys/class/net/{name}/statistics");
            let (received, raw) = scene.growth(format!("{dir}/rx_bytes"))?;
            seen = seen.show(&raw);
            let (sent, raw) = scene.growth(format!("{dir}/tx_bytes"))?;
            seen = seen.show(&raw);
            received + sent
        }
    };
    let elapsed_ms = scene.earlier.as_ref().map_or(0, |earlier| earlier.elapsed.as_millis());
    let rate = (u128::from(bytes) * 1000).checked_div(elapsed_ms);
    let rate = rate.ok_or_else(|| Unknown::new("/sys/block", "no time passed between the two readings"))?;
    let says = format!("it moves {:.1} MB/s and shares {}", rate as f64 / 1e6, neighbour.shares);
    Ok(match rate > QUIET_MAX_BYTES_PER_S {
        true => seen.warn_for(&[Bandwidth], says),
        false => seen.ok(says),
    })
}
