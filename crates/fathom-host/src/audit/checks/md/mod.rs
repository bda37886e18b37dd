//! Software RAID and device-mapper.

mod state;

use crate::audit::checks::prelude::*;

/// The checks of the families `md` and `dm`.
pub(super) const FAMILY: Family = (
    include_str!("../md.toml"),
    &[
        ("md.state", Several(|scene| each_array(scene, state::state))),
        ("md.sync", Watch(&[state::ACTION], &Several(|scene| each_array(scene, state::sync)))),
        ("md.sync_speed", Several(|scene| each_array(scene, state::sync_speed))),
        ("md.threads", Several(|scene| each_array(scene, state::threads))),
        ("md.stripe_cache", Several(|scene| each_array(scene, state::stripe_cache))),
        ("md.bitmap", Several(|scene| each_array(scene, state::bitmap))),
        ("md.geometry", Several(|scene| each_array(scene, state::geometry))),
        ("md.members", Several(|scene| each_array(scene, state::members))),
        ("md.external", Several(|scene| each_md(scene, state::external))),
        ("dm.stack", Several(stack)),
    ],
);

// What the checks of md arrays share: which arrays there are, of what level
// and of which members.

/// Levels that md knows (drivers/md/md.h). A container is not an array: it
/// holds the metadata of other md devices, the volumes.
const LEVELS: [&str; 10] =
    ["linear", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "multipath", "faulty", "container"];

/// An md array.
#[derive(Debug)]
struct Array<'a> {
    /// The block device.
    pub disk: &'a Disk,
    /// `raid5`.
    pub level: String,
}

/// An active member.
#[derive(Debug)]
struct Member {
    /// Kernel name of the disk, or of the partition.
    pub name: String,
    /// Its directory below that of the array.
    pub dir: PathBuf,
    /// Directory in sysfs of the disk that it is, or is a partition of.
    pub disk_dir: PathBuf,
}

/// One observation for each array that takes I/O.
fn each_array(scene: &Scene<'_>, one: impl Fn(&Scene<'_>, &Array<'_>) -> Observed) -> Vec<Observation> {
    each_md(scene, |scene, array| match array.level.as_str() {
        "container" => Ok(array
            .observation()
            .not_applicable("holds the metadata of other arrays, and takes no I/O itself")),
        _ => one(scene, array),
    })
}

/// One observation for each md device, containers too.
fn each_md(scene: &Scene<'_>, one: impl Fn(&Scene<'_>, &Array<'_>) -> Observed) -> Vec<Observation> {
    let arrays = scene.queues().filter(|disk| disk.kind == DiskKind::Md);
    let none = || Observation::on("host").not_applicable("there is no md array below or above the target");
    each(arrays, none, |disk| disk.name.clone(), |disk| one(scene, &Array::read(scene, disk)?))
}

impl<'a> Array<'a> {
    fn read(scene: &Scene<'_>, disk: &'a Disk) -> Result<Self, Unknown> {
        let raw = scene.read(disk.sys_dir.join("md/level"))?;
        if !LEVELS.contains(&raw.text.as_str()) {
            return Err(raw.garbled());
        }
        Ok(Self { disk, level: raw.text })
    }

    /// A file of the array's directory.
    pub fn file(&self, name: &str) -> PathBuf {
        self.disk.sys_dir.join("md").join(name)
    }

    /// Begins an observation on the array.
    pub fn observation(&self) -> Observation {
        Observation::on(&self.disk.name).with(self.file("level"), &self.level)
    }

    /// Whether it computes parity, and so needs a stripe cache and threads.
    pub fn has_parity(&self) -> bool {
        matches!(self.level.as_str(), "raid4" | "raid5" | "raid6")
    }

    /// Whether it survives the loss of a member, and so has something to sync.
    pub fn has_redundancy(&self) -> bool {
        self.has_parity() || matches!(self.level.as_str(), "raid1" | "raid10")
    }

    /// The active members, in the order of their places.
    pub fn members(&self, scene: &Scene<'_>) -> Vec<Member> {
        let places = scene.glob(&format!("{}/rd#", self.file("").display()));
        places.iter().filter_map(|place| member(scene, place)).collect()
    }

    /// Whether every member is an NVMe drive, for which one thread and a small
    /// cache are the bottleneck.
    pub fn is_of_nvme(&self, scene: &Scene<'_>) -> bool {
        let members = self.members(scene);
        !members.is_empty() && members.iter().all(|member| member.name.starts_with("nvme"))
    }
}

fn member(scene: &Scene<'_>, place: &Path) -> Option<Member> {
    let dir = scene.root.resolve(place).ok()?;
    let block = scene.root.resolve(dir.join("block")).ok()?;
    let is_partition = scene.root.exists(block.join("partition"));
    let disk_dir = if is_partition { block.parent()?.to_path_buf() } else { block.clone() };
    Some(Member { name: leaf(&block), dir, disk_dir })
}

/// The number that a file begins with. While an array is reshaped, the old
/// value follows in brackets; after a limit follows whether it is local or the
/// system's.
fn first_number(scene: &Scene<'_>, path: PathBuf) -> Result<(u64, Raw), Unknown> {
    let raw = scene.read(path)?;
    let first = raw.text.split(' ').next().and_then(|word| word.parse().ok());
    Ok((first.ok_or_else(|| raw.garbled())?, raw))
}

// The layers of device-mapper.

/// `dm.stack`: what do the device-mapper layers between job and drive do?
fn stack(scene: &Scene<'_>) -> Vec<Observation> {
    let mapped =
        scene.queues().filter(|disk| disk.name.starts_with("dm-") && disk.kind == DiskKind::DeviceMapper);
    let none = || Observation::on("host").not_applicable("there is no device-mapper device at the target");
    each(mapped, none, |disk| disk.name.clone(), |disk| stack_of(scene, disk))
}

fn stack_of(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let name = scene.read(disk.sys_dir.join("dm/name"))?;
    let observation = Observation::on(&disk.name).show(&name);
    let question = Question::MapperTable { device: disk.name.clone(), number: disk.number };
    match scene.ask(&question) {
        Ok(table) => by_table(observation, &name.text, &table),
        Err(unknown) => by_uuid(scene, disk, observation.without(unknown)),
    }
}

/// Judges a table by its line with the worst verdict.
fn by_table(observation: Observation, name: &str, table: &Raw) -> Observed {
    let observation = observation.show(table);
    let lines: Option<Vec<(Grades, String)>> = table.text.lines().map(line).collect();
    let lines = lines.ok_or_else(|| table.garbled())?;
    let worst = lines.into_iter().max_by_key(|(verdicts, _)| verdicts.worst());
    let (verdicts, says) = worst.ok_or_else(|| table.garbled())?;
    Ok(observation.judge(verdicts, format!("{name} {says}")))
}

/// `START LENGTH TYPE …`
fn line(text: &str) -> Option<(Grades, String)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [start, length, kind, options @ ..] = words.as_slice() else {
        return None;
    };
    (start.parse::<u64>().is_ok() && length.parse::<u64>().is_ok()).then(|| judge_stack(kind, options))
}

fn judge_stack(kind: &str, options: &[&str]) -> (Grades, String) {
    if kind == "crypt" {
        return crypt(options);
    }
    let otherwise = (Grade::Info, "is of a kind that fathom does not know");
    let (grade, does) = known::kind(&KNOWN.mapper, kind).unwrap_or(otherwise);
    (Grades::all(grade), format!("{does} ({kind})"))
}

fn crypt(options: &[&str]) -> (Grades, String) {
    let lacking: Vec<&str> = ["no_read_workqueue", "no_write_workqueue"]
        .into_iter()
        .filter(|flag| !options.contains(flag))
        .collect();
    match lacking.is_empty() {
        true => (Grades::all(Grade::Info), "encrypts every block, at once (crypt)".to_owned()),
        false => {
            let says =
                format!("encrypts every block in other threads (crypt without {})", lacking.join(", "));
            (Grades::on(&[Latency], Grade::Warn), says)
        }
    }
}

/// The tools begin the UUID with their own name (`CRYPT-LUKS2-…`, `LVM-…`).
fn by_uuid(scene: &Scene<'_>, disk: &Disk, observation: Observation) -> Observed {
    let uuid = scene.read(disk.sys_dir.join("dm/uuid"))?;
    let maker = match uuid.text.split('-').next().unwrap_or_default() {
        "CRYPT" => "encrypts; only its table shows whether in other threads",
        "LVM" => "is a volume of LVM; only its table shows of what kind",
        "mpath" => "chooses one of several paths",
        _ => "only its table shows what it does",
    };
    Ok(observation.show(&uuid).info(maker))
}
