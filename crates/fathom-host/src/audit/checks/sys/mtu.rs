//! `net.mtu`: how large are the packets to networked storage?

use std::net::IpAddr;
use std::path::PathBuf;

use super::route::interface_to;
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene, Target, each};
use fathom_device::Goal::{Bandwidth, Iops};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "net.mtu",
    title: "Packet size towards networked storage",
    reads: "/sys/class/nvme/N/{transport,address}, /sys/class/iscsi_connection/*/address, /proc/self/mountinfo, \
            /proc/net/route, /sys/class/net/I/{mtu,lower_*/mtu}",
    why: "A drive behind a network (NVMe over TCP or RDMA, iSCSI, NFS) gets its data in packets. At the usual 1,500 \
          bytes a 128 KiB block takes about 90 of them, with jumbo frames of 9,000 bytes 15: fewer interrupts and less \
          work for each byte. The size must be the same on host, switch and storage. Where one of them takes less, \
          large packets are lost or split, and large blocks are very slow or hang, while small ones and ping work \
          well.",
    judged: "The interface that leads to each address is looked at. Different sizes on one path (a bond or VLAN and \
             the interfaces below it) are bad for bandwidth and IOPS; below 5,000 bytes is a warning for bandwidth; \
             5,000 and more is ok on this host. Local drives: n-a.",
    remedy: "ip link set dev I mtu 9000 on the host, and the same on every switch port and on the storage; fathom does \
             not touch the network. Test the whole path with ping -M do -s 8972 ADDRESS (9,000 less 28 bytes of \
             headers): only this shows whether the switches take the size.",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["H-14"],
    observe: Observe::Once(observe),
};

/// From this size on, packets count as jumbo frames, which are 9,000 or 9,216 bytes (H-14).
const JUMBO_MIN_BYTES: u64 = 5000;

/// The name of the storage and its address.
type Peer = (String, Result<IpAddr, Unknown>);

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let disks = scene.disks.iter().flat_map(|disk| nvme(scene, disk).into_iter().chain(iscsi(scene, disk)));
    let peers: Vec<Peer> = disks.chain(scene.targets.iter().filter_map(nfs)).collect();
    let none = || Observation::on("host").not_applicable("no target is reached over a network");
    each(peers, none, |(name, _)| name.clone(), |peer| one(scene, peer))
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

fn one(scene: &Scene<'_>, (name, address): &Peer) -> Observed {
    let interface = interface_to(scene, address.clone()?)?;
    let (mtu, raw) = scene.value::<u64>(format!("/sys/class/net/{interface}/mtu"))?;
    let mut seen = Observation::on(name).show(&raw);
    let mut smaller = None;
    for path in scene.glob(&format!("/sys/class/net/{interface}/lower_*/mtu")) {
        let (lower, raw) = scene.value::<u64>(&path)?;
        seen = seen.show(&raw);
        // A VLAN may have a smaller MTU than the interface below it, but not a larger one.
        smaller = smaller.or((lower < mtu).then_some(lower));
    }
    Ok(match (smaller, mtu) {
        (Some(lower), _) => seen.bad_for(
            &[Bandwidth, Iops],
            format!("{interface} sends packets of {mtu} bytes, but an interface below it takes only {lower}"),
        ),
        (None, ..JUMBO_MIN_BYTES) => {
            seen.warn_for(&[Bandwidth], format!("{interface} sends packets of {mtu} bytes, no jumbo frames"))
        }
        _ => seen.ok(format!(
            "{interface} sends packets of {mtu} bytes (on this host; the rest of the path is not known)"
        )),
    })
}
