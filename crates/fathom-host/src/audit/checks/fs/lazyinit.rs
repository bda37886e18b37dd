//! `fs.lazyinit`: is ext4 still being formatted?

use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::Goal::Repeatability;
use fathom_device::mounts::own_mounts;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "fs.lazyinit",
    title: "Formatting that goes on after mkfs (ext4lazyinit)",
    reads: "/proc/*/comm; /proc/self/mountinfo",
    why: "mkfs.ext4 leaves most of the inode tables unwritten, and the kernel zeroes them after the first mount, in a \
          thread that waits ten times as long as each piece took. On a large drive this takes minutes to hours and up \
          to a tenth of the drive's write rate, in bursts that belong to no visible program.",
    judged: "The thread, with an ext4 file system mounted from a disk under test, is bad for repeatability and warns \
             for the others. There is one thread for all file systems: where none of the disks has an ext4, it is a \
             remark. No such thread: ok.",
    remedy: "Wait until it is gone, or format with mkfs.ext4 -E lazy_itable_init=0,lazy_journal_init=0; or mount with \
             noinit_itable for the test, which only delays the work.",
    needs: Needs::Administrator,
    kernels: "2.6.37 and later",
    sources: &["Documentation/admin-guide/ext4.rst", "commit bfff68738f1c"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", one(scene))]),
};

/// The parent of all kernel threads: if it is not visible, no kernel thread is.
const KTHREADD: &str = "/proc/2/comm";

fn one(scene: &Scene<'_>) -> Observed {
    let father = scene.read(KTHREADD)?;
    if father.text != "kthreadd" {
        return Err(father.garbled());
    }
    let seen = Observation::on("host").show(&father);
    let Some(thread) = thread(scene) else {
        return Ok(seen.ok("no ext4 is being initialised"));
    };
    let seen = seen.show(&thread);
    let points = points(scene)?;
    Ok(match points.is_empty() {
        false => {
            let verdicts = Grades::all(Grade::Warn).and(&[Repeatability], Grade::Bad);
            seen.judge(verdicts, format!("inode tables are being zeroed, perhaps of {}", points.join(", ")))
        }
        true => seen.info("inode tables are being zeroed, of a file system on other disks"),
    })
}

fn thread(scene: &Scene<'_>) -> Option<Raw> {
    let names = scene.glob("/proc/#/comm");
    let mut names = names.iter().filter_map(|path| scene.read(path).ok());
    names.find(|raw| raw.text == "ext4lazyinit")
}

/// Where ext4 file systems of the disks under test are mounted.
fn points(scene: &Scene<'_>) -> Result<Vec<String>, Unknown> {
    let graphs = || scene.targets.iter().filter_map(|target| target.graph.as_ref().ok());
    let mounts = own_mounts(scene.root)?;
    let ours = mounts.into_iter().filter(|mount| {
        let number = mount.block_number(scene.root);
        mount.fs_type == "ext4" && number.is_some_and(|n| graphs().any(|graph| graph.node(n).is_some()))
    });
    Ok(ours.map(|mount| mount.point.display().to_string()).collect())
}
