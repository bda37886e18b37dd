//! `fs.lie`: does the system use the same disk?

use std::path::Path;

use super::mounted::{each_mounted, seen};
use crate::audit::{Check, Needs, Observe, Observed, Scene, Target};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::device::DevNumber;
use fathom_device::diskstat::disks_beneath;
use fathom_device::inventory::Standing;
use fathom_device::mounts::{Mount, own_mounts, pool_members};
use fathom_device::swaps::active_swaps;

pub(super) const CHECK: Check = Check {
    id: "fs.lie",
    title: "Other users of the test file's disk",
    reads: "/proc/self/mountinfo, /proc/swaps; the disks below them in /sys",
    why: "A disk that also holds the root file system, the logs or swap has other I/O while the job runs: every log \
          line is a small write with a flush, at unpredictable times. It shows in the slowest percentiles first, and \
          differs from run to run. A heavy test also slows the system down, until it no longer responds.",
    judged: "A disk shared with /, /var, /var/log, /var/lib, /tmp or /home, or with active swap, warns for latency and \
             repeatability. A disk that holds none of them: ok.",
    remedy: "Put the file on a drive that holds nothing else. If it must be this one, stop the programs that write \
             logs, and see noise.device.",
    needs: Needs::Job,
    kernels: "all",
    sources: &["V-68", "T-34"],
    observe: Observe::Once(|scene| each_mounted(scene, |target, mount| one(scene, target, mount))),
};

/// Mount points to which every system writes.
const BUSY: [&str; 6] = ["/", "/var", "/var/log", "/var/lib", "/tmp", "/home"];

fn one(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    target.graph.as_ref().map_err(Clone::clone)?;
    let devices = target.graphs().map(|graph| graph.target().number).collect();
    let own = Standing { mount: None, devices }.counting_disks(scene.root)?;
    let shares = |number: DevNumber| {
        disks_beneath(scene.root, number).is_ok_and(|disks| disks.iter().any(|disk| own.contains(disk)))
    };
    let mounts = own_mounts(scene.root)?;
    let busy = mounts.iter().filter(|mount| BUSY.iter().any(|point| mount.point == Path::new(point)));
    let pools = pool_members(scene.root);
    let busy = busy.filter(|mount| mount.block_numbers(scene.root, &pools).into_iter().any(shares));
    let mut users: Vec<String> = busy.map(|mount| mount.point.display().to_string()).collect();
    let swaps = active_swaps(scene.root)?;
    let swaps = swaps.iter().filter(|swap| swap.device.is_some_and(shares));
    users.extend(swaps.map(|swap| format!("swap ({})", swap.path.display())));
    let seen = seen(target, mount);
    Ok(match users.is_empty() {
        true => seen.ok(format!("on disks of its own ({})", own.join(", "))),
        false => {
            seen.warn_for(&[Latency, Repeatability], format!("on the same disk as {}", users.join(", ")))
        }
    })
}
