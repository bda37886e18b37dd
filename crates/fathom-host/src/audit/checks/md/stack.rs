//! The layers of device-mapper.

use crate::audit::{Disk, Grade, Grades, Observation, Observed, Raw, Scene, each};
use fathom_device::Goal::Latency;
use fathom_device::ask::Question;
use fathom_device::device::DiskKind;

/// `dm.stack`: what do the device-mapper layers between job and drive do?
pub(super) fn stack(scene: &Scene<'_>) -> Vec<Observation> {
    let mapped =
        scene.queues().filter(|disk| disk.name.starts_with("dm-") && disk.kind == DiskKind::DeviceMapper);
    let none = || Observation::on("host").not_applicable("there is no device-mapper device at the target");
    each(mapped, none, |disk| disk.name.clone(), |disk| stack_of(scene, disk))
}

fn stack_of(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let name = scene.read(disk.sys_dir.join("dm/name"))?;
    let seen = Observation::on(&disk.name).show(&name);
    let question = Question::MapperTable { device: disk.name.clone(), number: disk.number };
    match scene.ask(&question) {
        Ok(table) => by_table(seen, &name.text, &table),
        Err(unknown) => by_uuid(scene, disk, seen.without(unknown)),
    }
}

/// Judges a table by its line with the worst verdict.
fn by_table(seen: Observation, name: &str, table: &Raw) -> Observed {
    let seen = seen.show(table);
    let lines: Option<Vec<(Grades, String)>> = table.text.lines().map(line).collect();
    let lines = lines.ok_or_else(|| table.garbled())?;
    let worst = lines.into_iter().max_by_key(|(verdicts, _)| verdicts.worst());
    let (verdicts, says) = worst.ok_or_else(|| table.garbled())?;
    Ok(seen.judge(verdicts, format!("{name} {says}")))
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
    let warn = Grades::all(Grade::Warn);
    let (verdicts, does) = match kind {
        "linear" | "striped" => (Grades::all(Grade::Ok), "passes I/O on to the devices below"),
        "multipath" => (Grades::all(Grade::Info), "chooses one of several paths"),
        "crypt" => return crypt(options),
        "thin" | "thin-pool" => (warn, "allocates space at the first write to a place"),
        "snapshot" | "snapshot-merge" | "snapshot-origin" => {
            (warn, "copies data at the first write to a place")
        }
        "raid" | "mirror" => (warn, "writes to several devices, and may be syncing them"),
        "vdo" => (warn, "compresses and deduplicates: figures depend on the data"),
        "cache" | "writecache" | "era" | "clone" => (warn, "keeps or copies part of the data elsewhere"),
        "integrity" | "verity" => (warn, "computes a checksum of every block"),
        "delay" | "flakey" | "dust" | "log-writes" => (warn, "exists to disturb or record I/O"),
        "zero" | "error" => (Grades::all(Grade::Bad), "has no device behind it"),
        _ => (Grades::all(Grade::Info), "is of a kind that fathom does not know"),
    };
    (verdicts, format!("{does} ({kind})"))
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
fn by_uuid(scene: &Scene<'_>, disk: &Disk, seen: Observation) -> Observed {
    let uuid = scene.read(disk.sys_dir.join("dm/uuid"))?;
    let maker = match uuid.text.split('-').next().unwrap_or_default() {
        "CRYPT" => "encrypts; only its table shows whether in other threads",
        "LVM" => "is a volume of LVM; only its table shows of what kind",
        "mpath" => "chooses one of several paths",
        _ => "only its table shows what it does",
    };
    Ok(seen.show(&uuid).info(maker))
}
