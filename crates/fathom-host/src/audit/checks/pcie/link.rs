//! How much a link carries.

use super::{Hop, known, show};
use crate::audit::Pci;
use crate::audit::checks::prelude::*;
use crate::calc::pcie::{Generation, LinkDirection, LinkRate, PAYLOAD_DEFAULT_BYTES, efficiency};
use crate::topology::function::{Function, Role};
use crate::topology::link::{Link, LinkEnd};
use fathom_text::quantity::{megabytes, percent_with};

/// `pcie.width`: does each link use all the lanes that both ends have?
pub(super) fn width(hop: &Hop<'_>) -> Observed {
    let link = hop.link;
    let (now, own, port) =
        (known(&link.current.lanes)?, known(&link.max.lanes)?, known(&link.partner_max.lanes)?);
    let facts = [&link.current.lanes, &link.max.lanes, &link.partner_max.lanes];
    let observation = facts.into_iter().fold(Observation::on(hop.subject()), show);
    Ok(judged_width(observation, now, own, port))
}

/// Judges a link: the lanes in use, and those that the device and the port
/// above it have.
pub(crate) fn judged_width(observation: Observation, now: u32, own: u32, port: u32) -> Observation {
    let could = own.min(port);
    if now < could {
        observation.bad_for(
            &[Bandwidth],
            format!("the link runs with {now} of the {could} lanes that both ends have"),
        )
    } else if own > port {
        observation.warn_for(
            &[Bandwidth],
            format!("limited by the slot: the device has {own} lanes, the port above only {port}"),
        )
    } else {
        observation.ok(format!("x{now}, all the lanes that both ends have"))
    }
}

/// `pcie.speed`: does each link run at the highest speed of both ends?
pub(super) fn speed(scene: &Scene<'_>, hop: &Hop<'_>) -> Observed {
    let link = hop.link;
    let (now, own, port) =
        (known(&link.current.speed)?, known(&link.max.speed)?, known(&link.partner_max.speed)?);
    let facts = [&link.current.speed, &link.max.speed, &link.partner_max.speed];
    let observation = facts.into_iter().fold(Observation::on(hop.subject()), show);
    let in_flight = || hop.disks.iter().find_map(|disk| in_flight(scene, &disk.name));
    Ok(judged_speed(observation, now, own, port, in_flight))
}

/// Judges a link: its speed, and those that the device and the port above it
/// have. `in_flight` tells what shows that the link was not idle.
pub(crate) fn judged_speed(
    observation: Observation,
    now: Generation,
    own: Generation,
    port: Generation,
    in_flight: impl FnOnce() -> Option<Raw>,
) -> Observation {
    let could = own.min(port);
    if now >= could {
        return match own > port {
            true => {
                observation.info(format!("{now}, the fastest of the port above; the device could do {own}"))
            }
            false => observation.ok(format!("{now}, the fastest that both ends support")),
        };
    }
    let slow = format!("the link runs at {now}, both ends could do {could}");
    match in_flight() {
        Some(raw) => observation.show(&raw).bad_for(&[Bandwidth], format!("{slow}, and I/O was in flight")),
        None => observation
            .warn_for(&[Bandwidth], format!("{slow}; check again under load, because the link may be idle")),
    }
}

/// The file that counts reads and writes under way, if there are any.
fn in_flight(scene: &Scene<'_>, disk: &str) -> Option<Raw> {
    let raw = scene.read(format!("/sys/block/{disk}/inflight")).ok()?;
    let count: u64 = raw.text.split_whitespace().filter_map(|word| word.parse::<u64>().ok()).sum();
    (count > 0).then_some(raw)
}

/// `pcie.path_bw`: does the whole path carry as much as the drive's link could?
pub(super) fn path_bw(disk: &Disk, end: &Function, pci: &Pci) -> Observed {
    let observation = Observation::on(&disk.name);
    let Some(own) = &end.link else {
        return Ok(observation.not_applicable("no PCIe link leads to its controller"));
    };
    let best = rate(&own.max)?;
    let mut least: Option<(LinkRate, &Function, &Link)> = None;
    for function in pci.bus.up_from(end.address) {
        let Some(link) = &function.link else { continue };
        let now = rate(&link.current)?;
        if least.is_none_or(|(other, ..)| now.raw_mbps() < other.raw_mbps()) {
            least = Some((now, function, link));
        }
    }
    // The drive's own link is on the path, so there is always a slowest link.
    let (now, at, link) = least.unwrap_or((rate(&own.current)?, end, own));
    let facts = [&link.current.speed, &own.max.speed];
    let observation = facts.into_iter().fold(observation, show);
    let observation = [&link.current.lanes, &own.max.lanes].into_iter().fold(observation, show);
    let place = if at.address == end.address {
        OWN_LINK.to_owned()
    } else {
        format!("the link above {}", at.address)
    };
    Ok(judged_path(observation, &place, now, best, end.payload_bytes.value))
}

/// The narrowest link where that is the drive's own.
pub(crate) const OWN_LINK: &str = "its own link";

/// Judges a way: what its narrowest link carries `now`, which link that is
/// (`place`), and the `best` that the drive's link could do. `payload_bytes` is
/// what the drive is set to, if that is known.
pub(crate) fn judged_path(
    observation: Observation,
    place: &str,
    now: LinkRate,
    best: LinkRate,
    payload_bytes: Option<u32>,
) -> Observation {
    let payload = payload_bytes.unwrap_or(PAYLOAD_DEFAULT_BYTES);
    let data = now.ceiling_mbps(payload, LinkDirection::DeviceToHost);
    let carries = format!("{now}, {}, about {data:.0} of them data", megabytes(now.raw_mbps()));
    let share = now.raw_mbps() / best.raw_mbps();
    let verdict = match share {
        share if share <= 0.501 => Grade::Bad,
        share if share < 0.999 => Grade::Warn,
        _ => return observation.ok(format!("the path carries {carries}")),
    };
    observation.judge(
        Grades::on(&[Bandwidth], verdict),
        format!("{place} carries {carries}; the drive could use {best}, {}", megabytes(best.raw_mbps())),
    )
}

fn rate(end: &LinkEnd) -> Result<LinkRate, Unknown> {
    Ok(LinkRate { generation: known(&end.speed)?, lanes: known(&end.lanes)? })
}

/// A smaller ratio of demand to capacity may be rounding.
const RATIO_MIN: f64 = 1.001;

/// `pcie.oversub`: do several drives together need more than their shared link carries?
pub(super) fn oversub(scene: &Scene<'_>, hop: &Hop<'_>) -> Observed {
    let current = &hop.link.current;
    let (generation, lanes) = (known(&current.speed)?, known(&current.lanes)?);
    let observation = show(show(Observation::on(hop.subject()), &current.speed), &current.lanes);
    let load = hop.function.load.unwrap_or_default();
    let capacity = load.capacity_mbps.unwrap_or_default();
    let carries = format!("{generation} x{lanes} carries {}", megabytes(capacity));
    if load.all.devices < 2 || capacity <= 0.0 {
        return Ok(observation.ok(format!("{carries}, not shared with other devices")));
    }
    let ratio = load.selected.now_mbps / capacity;
    let wanted = format!(
        "{carries}; {} can move {}, {ratio:.2} times as much",
        hop.names(),
        megabytes(load.selected.now_mbps)
    );
    if ratio > RATIO_MIN {
        let goals = [Bandwidth, Repeatability];
        return Ok(match array(scene, hop) {
            Some(array) => observation.bad_for(&goals, format!("{wanted}, and they are members of {array}")),
            None => observation.warn_for(&goals, wanted),
        });
    }
    let all = load.all.now_mbps / capacity;
    Ok(match all > RATIO_MIN {
        true => observation.info(format!(
            "{wanted}; all {} devices below it can move {all:.2} times as much",
            load.all.devices
        )),
        false => observation.ok(wanted),
    })
}

/// An array that has two members or more behind this link.
fn array(scene: &Scene<'_>, hop: &Hop<'_>) -> Option<String> {
    let behind = |array: &&crate::audit::Disk| {
        let members = scene.members(array);
        members.iter().filter(|member| hop.disks.iter().any(|disk| disk.name == member.name)).count() > 1
    };
    scene.stacked.iter().find(behind).map(|array| array.name.clone())
}

/// `pcie.mps`: do packets carry as much as all ports on the path can take?
pub(super) fn mps(disk: &Disk, end: &Function, pci: &Pci) -> Observed {
    let observation = Observation::on(&disk.name);
    let Some(link) = &end.link else {
        return Ok(observation.not_applicable("no PCIe link leads to its controller"));
    };
    let now = known(&end.payload_bytes)?;
    let mut could = known(&end.payload_capable_bytes)?;
    let mut observation = show(show(observation, &end.payload_bytes), &end.payload_capable_bytes);
    // VMD is not a hop: it only gives new names to the functions that it hides.
    for function in pci.bus.up_from(end.address).skip(1).filter(|function| function.role != Role::Nest) {
        could = could.min(known(&function.payload_capable_bytes)?);
        observation = show(observation, &function.payload_capable_bytes);
    }
    if now >= could {
        return Ok(mps_fits(observation, now));
    }
    Ok(mps_gap(observation, known(&link.current.speed)?, now, could))
}

/// The payload is the most that the path can take.
pub(crate) fn mps_fits(observation: Observation, now: u32) -> Observation {
    observation.ok(format!("{now} bytes, the most that the path can take"))
}

/// The payload of `now` bytes is less than the `could` bytes that every
/// function on the way can take.
pub(crate) fn mps_gap(observation: Observation, generation: Generation, now: u32, could: u32) -> Observation {
    let share = |bytes| efficiency(generation, bytes, LinkDirection::DeviceToHost);
    let gain = (share(could) / share(now) - 1.0) * 100.0;
    observation.warn_for(
        &[Bandwidth],
        format!(
            "packets carry {now} bytes, the whole path could take {could}: {} more data on a full link",
            percent_with(gain / 100.0, 1)
        ),
    )
}

/// The smallest possible request: only this setting certainly costs bandwidth.
const SMALL_BYTES: u32 = 128;

/// `pcie.mrrs`: how large are the drive's read requests to memory?
pub(super) fn mrrs(scene: &Scene<'_>, disk: &Disk, end: &Function) -> Observed {
    let observation = Observation::on(&disk.name);
    if end.link.is_none() {
        return Ok(observation.not_applicable("no PCIe link leads to its controller"));
    }
    let bytes = known(&end.read_request_bytes)?;
    let observation = show(observation, &end.read_request_bytes);
    Ok(judged_mrrs(observation, bytes, scene.job.writes))
}

/// Judges a drive that asks for `bytes` at once; `writes` tells whether the job
/// writes, if there is one.
pub(crate) fn judged_mrrs(observation: Observation, bytes: u32, writes: Option<bool>) -> Observation {
    match (bytes, writes) {
        (..=SMALL_BYTES, Some(false)) => {
            observation.info(format!("requests of {bytes} bytes; the job does not write"))
        }
        (..=SMALL_BYTES, _) => observation.warn_for(
            &[Bandwidth],
            format!("the drive fetches the data of writes in requests of {bytes} bytes"),
        ),
        _ => observation.ok(format!("requests of {bytes} bytes")),
    }
}
