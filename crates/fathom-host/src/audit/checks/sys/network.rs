//! The network, if the storage is behind one.

use std::net::IpAddr;

use crate::audit::Target;
use crate::audit::checks::prelude::*;

/// From this size on, packets count as jumbo frames, which are 9,000 or 9,216 bytes.
const JUMBO_MIN_BYTES: u64 = 5000;

/// The name of the storage and its address.
type Peer = (String, Result<IpAddr, Unknown>);

/// `net.mtu`: how large are the packets to networked storage?
pub(super) fn mtu(scene: &Scene<'_>) -> Vec<Observation> {
    let disks = scene.disks.iter().flat_map(|disk| nvme(scene, disk).into_iter().chain(iscsi(scene, disk)));
    let peers: Vec<Peer> = disks.chain(scene.targets.iter().filter_map(nfs)).collect();
    let none = || Observation::on("host").not_applicable("no target is reached over a network");
    each(peers, none, |(name, _)| name.clone(), |peer| mtu_of(scene, peer))
}

fn nvme(scene: &Scene<'_>, disk: &Disk) -> Vec<Peer> {
    let over_network = |controller: &&String| {
        let transport = scene.read(format!("/sys/class/nvme/{controller}/transport"));
        transport.is_ok_and(|raw| raw.text == "tcp" || raw.text == "rdma")
    };
    let peer = |controller: &String| {
        let raw = scene.read(format!("/sys/class/nvme/{controller}/address"));
        let address = raw.and_then(|raw| {
            let mut parts = raw.text.split(',').filter_map(|part| part.trim().split_once('='));
            let found = parts.find(|(key, _)| *key == "traddr").and_then(|(_, value)| value.parse().ok());
            found.ok_or_else(|| raw.garbled())
        });
        (controller.clone(), address)
    };
    disk.controllers.iter().filter(over_network).map(peer).collect()
}

/// A disk of an iSCSI session is below `sessionN` in sysfs.
fn iscsi(scene: &Scene<'_>, disk: &Disk) -> Vec<Peer> {
    let mut parts = disk.sys_dir.iter().filter_map(|part| part.to_str());
    let Some(session) = parts.find_map(|part| part.strip_prefix("session")) else {
        return Vec::new();
    };
    let peer = |path: PathBuf| (disk.name.clone(), scene.value(path).map(|(address, _)| address));
    scene
        .glob(&format!("/sys/class/iscsi_connection/connection{session}:#/address"))
        .into_iter()
        .map(peer)
        .collect()
}

/// The mount options of NFS contain the server's address.
fn nfs(target: &Target) -> Option<Peer> {
    let mount = target.mount.as_ref().filter(|mount| mount.fs_type.starts_with("nfs"))?;
    let address = mount.options.split(',').find_map(|option| option.strip_prefix("addr="))?;
    let garbled = || Unknown::garbled(&mount.point, address);
    Some((mount.point.display().to_string(), address.parse().map_err(|_| garbled())))
}

fn mtu_of(scene: &Scene<'_>, (name, address): &Peer) -> Observed {
    let interface = interface_to(scene, address.clone()?)?;
    let (mtu, raw) = scene.value::<u64>(format!("/sys/class/net/{interface}/mtu"))?;
    let mut observation = Observation::on(name).show(&raw);
    let mut smaller = None;
    for path in scene.glob(&format!("/sys/class/net/{interface}/lower_*/mtu")) {
        let (lower, raw) = scene.value::<u64>(&path)?;
        observation = observation.show(&raw);
        // A VLAN may have a smaller MTU than the interface below it, but not a larger one.
        smaller = smaller.or((lower < mtu).then_some(lower));
    }
    Ok(match (smaller, mtu) {
        (Some(lower), _) => observation.bad_for(
            &[Bandwidth, Iops],
            format!("{interface} sends packets of {mtu} bytes, but an interface below it takes only {lower}"),
        ),
        (None, ..JUMBO_MIN_BYTES) => observation
            .warn_for(&[Bandwidth], format!("{interface} sends packets of {mtu} bytes, no jumbo frames")),
        _ => observation.ok(format!(
            "{interface} sends packets of {mtu} bytes (on this host; the rest of the path is not known)"
        )),
    })
}

/// Where packets go (`/proc/net/route`, `/proc/net/ipv6_route`): the longest prefix wins, then the lowest metric.
struct Route {
    interface: String,
    network: u128,
    prefix_bits: u32,
    metric: u32,
}

/// The interface that the main routing table uses for the address.
fn interface_to(scene: &Scene<'_>, to: IpAddr) -> Result<String, Unknown> {
    let (path, bits, parse): (_, _, fn(&str) -> Option<Route>) = match to {
        IpAddr::V4(_) => ("/proc/net/route", 32, route_v4),
        IpAddr::V6(_) => ("/proc/net/ipv6_route", 128, route_v6),
    };
    let to_bits = match to {
        IpAddr::V4(v4) => u128::from(v4.to_bits()),
        IpAddr::V6(v6) => v6.to_bits(),
    };
    let table = scene.read(path)?;
    let routes = table.text.lines().filter_map(parse);
    let leads = |route: &Route| {
        let host_bits = bits - route.prefix_bits.min(bits);
        let cut = |address: u128| address.checked_shr(host_bits).unwrap_or(0);
        cut(route.network) == cut(to_bits)
    };
    let best = routes.filter(leads).min_by_key(|route| (std::cmp::Reverse(route.prefix_bits), route.metric));
    let best = best.ok_or_else(|| Unknown::new(path, format!("has no route to {to}")))?;
    Ok(best.interface)
}

/// `eth0 0000000A 00000000 0001 0 0 100 000000FF …`: name, destination,
/// gateway, flags, counts, metric, mask. Addresses are in network byte order,
/// printed as numbers of this machine's byte order.
fn route_v4(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let address = |at: usize| Some(u32::from_str_radix(fields.get(at)?, 16).ok()?.swap_bytes());
    Some(Route {
        interface: (*fields.first()?).to_owned(),
        network: u128::from(address(1)?),
        prefix_bits: address(7)?.leading_ones(),
        metric: fields.get(6)?.parse().ok()?,
    })
}

/// Destination and length, source and length, gateway, metric, counts, flags,
/// name; all in hexadecimal. Lines of the loopback interface are routes that
/// reject.
fn route_v6(line: &str) -> Option<Route> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let hex = |at: usize| u32::from_str_radix(fields.get(at)?, 16).ok();
    Some(Route {
        interface: (*fields.get(9)?).to_owned(),
        network: u128::from_str_radix(fields.first()?, 16).ok()?,
        prefix_bits: hex(1)?,
        metric: hex(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::JobNeeds;
    use fathom_device::Root;

    #[test]
    fn the_longest_prefix_wins_then_the_metric() {
        let mut tree = fathom_device::tree::Tree::default();
        tree.overlay(
            "/proc/net/route <<\n\
             \tIface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n\
             \teth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n\
             \teth2\t0002A8C0\t00000000\t0001\t0\t0\t200\t00FFFFFF\t0\t0\t0\n\
             \teth1\t0002A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n\
             /proc/net/ipv6_route <<\n\
             \tfd000000000000000000000000000000 10 00000000000000000000000000000000 00 \
             00000000000000000000000000000000 00000100 00000001 00000000 00000001 eth3\n",
        )
        .unwrap();
        let root = Root::held(&tree);
        let scene = Scene::new(&root, &[], JobNeeds::default(), None);
        let to = |address: &str| interface_to(&scene, address.parse().unwrap());
        assert_eq!(to("192.168.2.9").unwrap(), "eth1");
        assert_eq!(to("8.8.8.8").unwrap(), "eth0");
        assert_eq!(to("fd00::7").unwrap(), "eth3");
        assert!(to("fe80::1").is_err());
    }
}
