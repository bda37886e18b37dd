//! File systems.

use crate::audit::Target;
use crate::audit::checks::prelude::*;
use fathom_device::Goal;
use fathom_device::device::{DevNumber, Node};
use fathom_device::diskstat::disks_beneath;
use fathom_device::inventory::Standing;
use fathom_device::mounts::{Mount, own_mounts, pool_members};
use fathom_device::swaps::active_swaps;

/// The checks of the family `fs`.
pub(super) const FAMILY: Family = (
    include_str!("fs.toml"),
    &[
        ("fs.type", Several(|scene| each_mounted(scene, fs_type))),
        ("fs.atime", Several(|scene| each_mounted(scene, atime))),
        ("fs.discard", Several(|scene| each_mounted(scene, discard))),
        ("fs.barrier", Several(|scene| each_mounted(scene, barrier))),
        ("fs.geometry", Several(|scene| each_mounted(scene, geometry))),
        ("fs.mode", Several(|scene| each_mounted(scene, mode))),
        ("fs.lazyinit", Of("host", lazyinit)),
        ("fs.fill", Several(fill)),
        ("fs.dio", Several(|scene| each_mounted(scene, dio))),
        ("fs.lie", Several(|scene| each_mounted(scene, lie))),
    ],
);

// What the checks of file systems share: which targets are files, and how
// their file systems are mounted.

const MOUNTINFO: &str = "/proc/self/mountinfo";

/// One observation for each target that is a file or directory. What a raw
/// device holds does not matter here: no file system is between it and the job.
fn each_mounted(
    scene: &Scene<'_>,
    one: impl Fn(&Scene<'_>, &Target, &Mount) -> Observed,
) -> Vec<Observation> {
    let is_file = |target: &&Target| target.mount.is_some() || target.graph.is_err();
    let none = || Observation::on("host").not_applicable("no target is a file or directory");
    each(
        scene.targets.iter().filter(is_file),
        none,
        |target| name(target),
        |target| match &target.mount {
            Some(mount) => one(scene, target, mount),
            None => Err(not_mounted(scene, target)),
        },
    )
}

/// A target's name as a subject.
fn name(target: &Target) -> String {
    target.path.display().to_string()
}

/// Begins an observation on a target, with how it is mounted.
fn observe(target: &Target, mount: &Mount) -> Observation {
    let line = format!("{} {} {} {}", mount.point.display(), mount.fs_type, mount.source, mount.options);
    Observation::on(name(target)).with(MOUNTINFO, line)
}

/// Whether the mount has this option, without a value.
fn has(mount: &Mount, option: &str) -> bool {
    mount.options.split(',').any(|word| word == option)
}

/// The value of an option, `sunit=256`.
fn value<'m>(mount: &'m Mount, option: &str) -> Option<&'m str> {
    let mut values = mount.options.split(',').filter_map(|word| word.split_once('='));
    values.find_map(|(name, value)| (name == option).then_some(value))
}

/// Why it is not known where the target is mounted.
fn not_mounted(scene: &Scene<'_>, target: &Target) -> Unknown {
    match (own_mounts(scene.root), &target.graph) {
        (Err(unknown), _) => unknown,
        (Ok(_), Err(unknown)) => unknown.clone(),
        (Ok(_), Ok(_)) => Unknown::missing(&target.path),
    }
}

// What the options of a mount do.

/// `fs.atime`: do reads cause writes?
fn atime(_: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let observation = observe(target, mount);
    // mountinfo does not show strictatime.
    Ok(if has(mount, "noatime") {
        observation.ok("reads do not change the inode")
    } else if has(mount, "ro") {
        observation.ok("mounted read-only: nothing is written")
    } else if has(mount, "relatime") {
        observation.info("reads change the inode once a day at most")
    } else {
        observation.warn_for(
            &[Latency, Iops, Repeatability],
            "every read sets the time of last access, and so writes",
        )
    })
}

/// `fs.discard`: does deleting a file send trims during a run?
fn discard(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let observation = observe(target, mount);
    let timer = scene.ask(&Question::Unit { unit: "fstrim.timer".to_owned() });
    let observation = timer.iter().fold(observation, Observation::show);
    let weekly = match timer.is_ok_and(|raw| raw.text.starts_with("active")) {
        true => "; fstrim.timer trims once a week anyway",
        false => "",
    };
    Ok(if has(mount, "discard") || value(mount, "discard") == Some("sync") {
        observation.warn_for(&[Repeatability], format!("every deletion sends trims{weekly}"))
    } else if value(mount, "discard").is_some() {
        observation.info(format!("deletions send trims later, a few at a time{weekly}"))
    } else {
        observation.ok("deletions send no trims")
    })
}

/// `fs.barrier`: does a flush reach the drive?
fn barrier(_: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let is_off = has(mount, "nobarrier")
        || matches!(value(mount, "barrier"), Some("0" | "none" | "off"))
        || value(mount, "fsync_mode") == Some("nobarrier");
    let observation = observe(target, mount);
    Ok(match is_off {
        true => observation.bad("fsync does not reach the drive: nothing is durable"),
        false => observation.ok("flushes reach the drive"),
    })
}

/// A mode: the goals that it matters for, its verdict for them, and what it does.
type Mode = (&'static [Goal], Grade, &'static str);

const ALL: &[Goal] = &Goal::ALL;
const STEADY: &[Goal] = &[Repeatability, Latency];

/// Options that are judged without looking at anything else.
const OPTIONS: [(&str, Mode); 5] = [
    ("nodelalloc", (&[Bandwidth, Iops], Grade::Warn, "allocates at each write (nodelalloc)")),
    ("dax", (ALL, Grade::Info, "maps files without page cache and block layer (dax)")),
    ("dax=always", (ALL, Grade::Info, "maps files without page cache and block layer (dax)")),
    ("data=journal", (&[Bandwidth, Iops], Grade::Warn, "writes every block twice (data=journal)")),
    ("data=writeback", (ALL, Grade::Info, "does not order data and metadata (data=writeback)")),
];

/// `fs.mode`: do mount options change what a write does?
fn mode(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let modes = modes(scene, mount);
    let observation = observe(target, mount);
    if modes.is_empty() {
        return Ok(observation.ok("stores what is written, once and in place"));
    }
    let says: Vec<&str> = modes.iter().map(|(_, _, says)| *says).collect();
    Ok(observation.judge(worst(&modes), says.join("; ")))
}

fn modes(scene: &Scene<'_>, mount: &Mount) -> Vec<Mode> {
    let named = OPTIONS.into_iter().filter(|(option, _)| has(mount, option));
    let mut modes: Vec<Mode> = named.map(|(_, mode)| mode).collect();
    if value(mount, "commit").is_some() {
        modes.push((ALL, Grade::Info, "has a commit interval that was set by hand (commit=)"));
    }
    if has(mount, "sync") && scene.job.direct != Some(true) {
        modes.push((ALL, Grade::Warn, "makes every write wait for the drive (sync)"));
    }
    if compresses(mount) {
        modes.push((ALL, Grade::Warn, "compresses: figures depend on the data"));
    }
    if copies_on_write(mount) {
        modes.push((STEADY, Grade::Warn, "writes each block to a new place: overwriting fragments the file"));
    }
    modes
}

fn compresses(mount: &Mount) -> bool {
    let names = ["compress", "compress-force", "compression", "compress_algorithm"];
    names.into_iter().any(|name| {
        has(mount, name) || value(mount, name).is_some_and(|how| !matches!(how, "no" | "none" | "off"))
    })
}

fn copies_on_write(mount: &Mount) -> bool {
    match mount.fs_type.as_str() {
        "btrfs" => !has(mount, "nodatacow"),
        "bcachefs" => !has(mount, "nocow"),
        "zfs" => true,
        _ => false,
    }
}

fn worst(modes: &[Mode]) -> Grades {
    let raise = |verdicts: Grades, (goals, verdict, _): &Mode| {
        let raised = goals.iter().filter(|goal| verdicts.of(**goal) < *verdict);
        raised.fold(verdicts, |verdicts, goal| verdicts.and(&[*goal], *verdict))
    };
    modes.iter().fold(Grades::all(Grade::Info), raise)
}

// What a file system is, and how it lies on its device.

/// `fs.type`: which file system does the target have?
fn fs_type(_: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let (verdict, says) = judge_fs_type(&mount.fs_type);
    Ok(observe(target, mount).judge(Grades::all(verdict), format!("on {}, {says}", mount.fs_type)))
}

fn judge_fs_type(fs_type: &str) -> (Grade, &'static str) {
    known::kind(&KNOWN.file_system, fs_type).unwrap_or(match fs_type.starts_with("fuse") {
        true => (Grade::Bad, "where every I/O goes through another process"),
        false => (Grade::Info, "which fathom does not know"),
    })
}

/// Unit of `sunit` and `swidth` in the options of XFS.
const SECTOR_BYTES: u64 = 512;

/// Chunk and stripe, in bytes; 0 where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    chunk_bytes: u64,
    stripe_bytes: u64,
}

/// `fs.geometry`: does the file system know the stripes below it?
fn geometry(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let observation = observe(target, mount);
    if !matches!(mount.fs_type.as_str(), "xfs" | "ext4") {
        return Ok(observation.not_applicable(format!("{} has no such numbers", mount.fs_type)));
    }
    let graph = target.graph.as_ref().map_err(Clone::clone)?;
    let disk = graph.whole_disk();
    let (device, observation) = device_shape(scene, disk, observation)?;
    if device.stripe_bytes == 0 {
        return Ok(observation.ok("the device has no stripes"));
    }
    let (own, observation) = match mount.fs_type.as_str() {
        "xfs" => (xfs_shape(mount)?, observation),
        _ => ext4_shape(scene, graph.target(), observation)?,
    };
    let (chunk, stripe) = (size(device.chunk_bytes), size(device.stripe_bytes));
    Ok(if own == device {
        observation.ok(format!("knows the device's chunks of {chunk} and stripes of {stripe}"))
    } else if own.stripe_bytes == 0 {
        observation.warn_for(
            &[Bandwidth],
            format!("does not know the device's chunks of {chunk} and stripes of {stripe}"),
        )
    } else {
        let (own_chunk, own_stripe) = (size(own.chunk_bytes), size(own.stripe_bytes));
        observation.warn_for(
            &[Bandwidth],
            format!("lays out by {own_chunk} and {own_stripe}, the device by {chunk} and {stripe}"),
        )
    })
}

/// The two limits that arrays and their volumes report: the smallest I/O
/// without penalty (the chunk) and the best I/O (the stripe). mkfs uses the
/// same two. A plain drive may report a best size too; it is a stripe only if
/// it is several chunks and a chunk is larger than a block.
fn device_shape(
    scene: &Scene<'_>,
    disk: &Node,
    observation: Observation,
) -> Result<(Shape, Observation), Unknown> {
    let queue = disk.sys_dir.join("queue");
    let (chunk_bytes, least) = scene.value::<u64>(queue.join("minimum_io_size"))?;
    let (best, most) = scene.value::<u64>(queue.join("optimal_io_size"))?;
    let (block, _) = scene.value::<u64>(queue.join("physical_block_size"))?;
    let is_striped = chunk_bytes > block && best > chunk_bytes && best.is_multiple_of(chunk_bytes);
    let shape = Shape { chunk_bytes, stripe_bytes: if is_striped { best } else { 0 } };
    Ok((shape, observation.show(&least).show(&most)))
}

/// XFS shows both among its options whenever it has them, so no ioctl is
/// needed (`xfs_fs_show_options`).
fn xfs_shape(mount: &Mount) -> Result<Shape, Unknown> {
    let bytes = |option: &str| match value(mount, option) {
        None => Ok(0),
        Some(text) => {
            let units = text.parse::<u64>().ok().and_then(|units| units.checked_mul(SECTOR_BYTES));
            units.ok_or_else(|| Unknown::garbled("/proc/self/mountinfo".as_ref(), text))
        }
    };
    Ok(Shape { chunk_bytes: bytes("sunit")?, stripe_bytes: bytes("swidth")? })
}

fn ext4_shape(
    scene: &Scene<'_>,
    node: &Node,
    observation: Observation,
) -> Result<(Shape, Observation), Unknown> {
    let raw = scene.ask(&Question::Ext4Shape { device: node.name.clone() })?;
    let words: Vec<u64> = raw.text.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [block, stride, stripe] = words[..] else {
        return Err(raw.garbled());
    };
    let shape =
        Shape { chunk_bytes: block.saturating_mul(stride), stripe_bytes: block.saturating_mul(stripe) };
    Ok((shape, observation.show(&raw)))
}

/// The parent of all kernel threads: if it is not visible, no kernel thread is.
const KTHREADD: &str = "/proc/2/comm";

/// `fs.lazyinit`: is ext4 still being formatted?
fn lazyinit(scene: &Scene<'_>) -> Observed {
    let father = scene.read(KTHREADD)?;
    if father.text != "kthreadd" {
        return Err(father.garbled());
    }
    let observation = Observation::on("host").show(&father);
    let Some(thread) = thread(scene) else {
        return Ok(observation.ok("no ext4 is being initialised"));
    };
    let observation = observation.show(thread);
    let points = points(scene)?;
    Ok(match points.is_empty() {
        false => {
            let verdicts = Grades::all(Grade::Warn).and(&[Repeatability], Grade::Bad);
            observation
                .judge(verdicts, format!("inode tables are being zeroed, perhaps of {}", points.join(", ")))
        }
        true => observation.info("inode tables are being zeroed, of a file system on other disks"),
    })
}

fn thread<'a>(scene: &'a Scene<'_>) -> Option<&'a Raw> {
    scene.process_names().iter().find(|raw| raw.text == "ext4lazyinit")
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

/// Below this share of free space, allocators begin to search for gaps. The
/// exact share depends on the file system; this value is a cautious choice of
/// ours.
const FREE_PERCENT_MIN: u64 = 20;
/// A hole that is smaller than this share of the file changes no figure by more than this share.
const HOLE_PERCENT_MAX: u64 = 1;

/// `fs.fill`: is there data where the job reads, and room where it writes?
fn fill(scene: &Scene<'_>) -> Vec<Observation> {
    let mut all = each_mounted(scene, space);
    let is_file = |target: &&Target| target.mount.is_some();
    all.extend(
        scene
            .targets
            .iter()
            .filter(is_file)
            .map(|target| Observation::or_unknown(name(target), extents(scene, target))),
    );
    all
}

fn space(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    let raw = scene.ask(&Question::Space { path: mount.point.clone() })?;
    let words: Vec<u64> = raw.text.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [size, _, available] = words[..] else {
        return Err(raw.garbled());
    };
    let percent = available.saturating_mul(100).checked_div(size).ok_or_else(|| raw.garbled())?;
    let observation = observe(target, mount).show(&raw);
    Ok(match percent {
        ..FREE_PERCENT_MIN => observation.warn_for(
            &[Repeatability],
            format!("{percent} % of the file system is free: new files are fragmented"),
        ),
        _ => observation.ok(format!("{percent} % of the file system is free")),
    })
}

fn extents(scene: &Scene<'_>, target: &Target) -> Observed {
    let raw = scene.ask(&Question::Extents { path: target.path.clone() })?;
    let words: Vec<u64> = raw.text.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [size, written, unwritten, pieces] = words[..] else {
        return Err(raw.garbled());
    };
    let observation = Observation::on(name(target)).show(&raw);
    let empty = size.saturating_sub(written);
    let Some(percent) = empty.saturating_mul(100).checked_div(size) else {
        return Ok(observation.not_applicable("the file is empty"));
    };
    if empty == 0 {
        return Ok(observation.ok(format!("every byte has been written, in {}", counted(pieces, "piece"))));
    }
    let unwritten = unwritten.saturating_mul(100) / size;
    let says = format!("{percent} % of the file holds no data ({unwritten} % reserved, the rest holes)");
    Ok(match (percent, scene.job.reads) {
        (..=HOLE_PERCENT_MAX, _) => observation.info(says),
        (_, Some(false)) => observation.warn(format!("{says}: writes must allocate")),
        _ => observation
            .bad_for(&[Latency, Iops, Bandwidth], format!("{says}: reads there never reach the drive")),
    })
}

/// `fs.dio`: does the file support direct I/O, also with the job's block size?
fn dio(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
    if scene.job.direct == Some(false) {
        return Ok(observe(target, mount).not_applicable("the job is buffered"));
    }
    let raw = scene.ask(&Question::DirectIo { path: target.path.clone() })?;
    let observation = observe(target, mount).show(&raw);
    match raw.text.as_str() {
        "refused" => return Ok(observation.bad(format!("{} refuses direct I/O here", mount.fs_type))),
        "accepted" => {
            return Ok(observation.info("takes direct I/O; the kernel does not report the alignment"));
        }
        _ => {}
    }
    let alignment = raw.text.split_once(' ').and_then(|(memory, offset)| {
        memory.parse::<u64>().ok()?;
        offset.parse::<u64>().ok().filter(|offset| *offset > 0)
    });
    let alignment = alignment.ok_or_else(|| raw.garbled())?;
    let job = &scene.job;
    let needs = [job.block_bytes_min, job.block_bytes_max, job.align_bytes];
    Ok(match needs.into_iter().flatten().find(|bytes| !bytes.is_multiple_of(alignment)) {
        Some(bytes) => observation.bad(format!(
            "direct I/O in steps of {bytes} bytes fails: they must be multiples of {alignment}"
        )),
        None => observation.ok(format!("takes direct I/O in multiples of {alignment} bytes")),
    })
}

/// Mount points to which every system writes.
const BUSY: [&str; 6] = ["/", "/var", "/var/log", "/var/lib", "/tmp", "/home"];

/// `fs.lie`: does the system use the same disk?
fn lie(scene: &Scene<'_>, target: &Target, mount: &Mount) -> Observed {
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
    let observation = observe(target, mount);
    Ok(match users.is_empty() {
        true => observation.ok(format!("on disks of its own ({})", own.join(", "))),
        false => observation
            .warn_for(&[Latency, Repeatability], format!("on the same disk as {}", users.join(", "))),
    })
}
