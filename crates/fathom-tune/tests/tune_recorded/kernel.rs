//! A kernel for recorded machines: what its files do when they are written,
//! as far as tuning depends on it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use fathom_device::Root;
use fathom_device::ask::Question;
use fathom_tune::{SettingPlace, Writer};

/// Writes as a kernel would, unless told to fail.
#[derive(Default)]
pub struct Kernel {
    /// End of a path, and the error that a write to it gives.
    pub faults: Mutex<BTreeMap<String, i32>>,
    /// Everything that was written, in order.
    pub log: Mutex<Vec<(String, String)>>,
}

impl Kernel {
    /// From now on, writing to a path with this end fails.
    pub fn fail(&self, end: &str, errno: i32) {
        self.faults.lock().unwrap().insert(end.to_owned(), errno);
    }

    /// Nothing fails any more.
    pub fn heal(&self) {
        self.faults.lock().unwrap().clear();
    }

    /// Paths that were written, in order, by their last part.
    pub fn written(&self) -> Vec<String> {
        let log = self.log.lock().unwrap();
        log.iter().map(|(path, _)| path.rsplit('/').next().unwrap_or_default().to_owned()).collect()
    }
}

impl Writer for Kernel {
    fn write(&self, root: &Root, place: &SettingPlace, text: &str) -> io::Result<()> {
        let fault = |path: &str| {
            let faults = self.faults.lock().unwrap();
            faults.iter().find(|(end, _)| path.ends_with(end.as_str())).map(|(_, errno)| *errno)
        };
        if let Some(errno) = fault(&place.to_string()) {
            return Err(io::Error::from_raw_os_error(errno));
        }
        self.log.lock().unwrap().push((place.to_string(), text.to_owned()));
        match place {
            SettingPlace::File(path) => Files { root }.store(path, text),
            SettingPlace::Feature { controller, feature } => {
                let question = Question::NvmeFeature { controller: controller.clone(), feature: *feature };
                fs::write(root.at(question.path()), text.parse::<u32>().unwrap().to_le_bytes())
            }
            SettingPlace::Unit(unit) => {
                let path = root.at(Question::Unit { unit: unit.clone() }.path());
                let enabled = fs::read_to_string(&path)?.split_whitespace().last().unwrap().to_owned();
                fs::write(path, format!("{text} {enabled}\n"))
            }
            SettingPlace::Mount(point) => remount(root, point, text),
            SettingPlace::Held(_) => panic!("a handle is never written through the writer"),
        }
    }
}

fn remount(root: &Root, point: &Path, word: &str) -> io::Result<()> {
    let table = root.at("/proc/self/mountinfo");
    let text = fs::read_to_string(&table)?;
    let change = |line: &str| match line.split(' ').nth(4) == point.to_str() {
        true => line.replace("relatime", if word == "noatime" { word } else { "relatime" }).replace(
            ",noatime",
            match word {
                "relatime" => ",relatime",
                _ => ",noatime",
            },
        ),
        false => line.to_owned(),
    };
    fs::write(&table, text.lines().map(change).collect::<Vec<_>>().join("\n") + "\n")
}

struct Files<'a> {
    root: &'a Root,
}

fn invalid() -> io::Error {
    io::Error::from_raw_os_error(libc::EINVAL)
}

impl Files<'_> {
    fn store(&self, path: &Path, text: &str) -> io::Result<()> {
        let name = path.file_name().unwrap().to_str().unwrap();
        if !self.root.exists(path) {
            return Err(io::Error::from_raw_os_error(libc::ENOENT));
        }
        match name {
            "scheduler" => {
                self.select(path, text)?;
                // Both are the new scheduler's own from now on.
                self.put_if(
                    &path.with_file_name("nr_requests"),
                    if text == "none" { "1023" } else { "256" },
                )?;
                self.put_if(&path.with_file_name("wbt_lat_usec"), "2000")
            }
            "enabled" | "defrag" | "policy" => self.select(path, text),
            "nr_requests" => self.nr_requests(path, text),
            "wbt_lat_usec" if text == "-1" => self.put(path, "2000"),
            "energy_performance_preference" => {
                let governor = self.get(&path.with_file_name("scaling_governor"));
                match governor == "performance" && text != "performance" {
                    true => Err(io::Error::from_raw_os_error(libc::EBUSY)),
                    false => self.put(path, text),
                }
            }
            "scaling_max_freq"
                if number(text) < number(&self.get(&path.with_file_name("scaling_min_freq"))) =>
            {
                Err(invalid())
            }
            "scaling_min_freq"
                if number(text) > number(&self.get(&path.with_file_name("scaling_max_freq"))) =>
            {
                Err(invalid())
            }
            "max_sectors_kb"
                if number(text) > number(&self.get(&path.with_file_name("max_hw_sectors_kb"))) =>
            {
                Err(invalid())
            }
            // One block of limits: each of them resets the read-ahead.
            "max_sectors_kb" | "iostats" | "add_random" | "rotational" => {
                self.put(path, text)?;
                self.put_if(&path.with_file_name("read_ahead_kb"), "256")
            }
            "boost" | "no_turbo" => self.turbo(path, text),
            "dirty_bytes" | "dirty_ratio" => self.excluding(path, text, "dirty_bytes", "dirty_ratio"),
            "dirty_background_bytes" | "dirty_background_ratio" => {
                self.excluding(path, text, "dirty_background_bytes", "dirty_background_ratio")
            }
            "sync_speed_max" if text == "system" => self.put(path, "200000 (system)"),
            "sync_speed_max" if number(text) > 0 => self.put(path, &format!("{text} (local)")),
            "sync_speed_max" => Err(invalid()),
            "l1_aspm" if text == "0" => {
                self.put(&path.with_file_name("l1_1_aspm"), "0")?;
                self.put(&path.with_file_name("l1_2_aspm"), "0")?;
                self.put(path, text)
            }
            "l1_1_aspm" | "l1_2_aspm" if text == "1" => {
                self.put(&path.with_file_name("l1_aspm"), "1")?;
                self.put(path, text)
            }
            _ => self.put(path, text),
        }
    }

    fn select(&self, path: &Path, text: &str) -> io::Result<()> {
        let words = self.get(path).replace(['[', ']'], "");
        if !words.split(' ').any(|word| word == text) {
            return Err(invalid());
        }
        let show = |word: &str| if word == text { format!("[{word}]") } else { word.to_owned() };
        self.put(path, &words.split(' ').map(show).collect::<Vec<_>>().join(" "))
    }

    fn nr_requests(&self, path: &Path, text: &str) -> io::Result<()> {
        let tags = path.parent().unwrap().with_file_name("mq").join("0/nr_tags");
        let has_none = self.get(&path.with_file_name("scheduler")).contains("[none]");
        match has_none && number(text) > number(&self.get(&tags)) {
            true => Err(invalid()),
            // BLKDEV_MIN_RQ
            false => self.put(path, &number(text).max(4).to_string()),
        }
    }

    fn turbo(&self, path: &Path, text: &str) -> io::Result<()> {
        let cpu = "/sys/devices/system/cpu";
        let other = if text == "1" { "0" } else { "1" };
        let (boost, no_turbo) = if path.ends_with("boost") { (text, other) } else { (other, text) };
        self.put(Path::new(&format!("{cpu}/cpufreq/boost")), boost)?;
        self.put(Path::new(&format!("{cpu}/intel_pstate/no_turbo")), no_turbo)
    }

    fn excluding(&self, path: &Path, text: &str, bytes: &str, ratio: &str) -> io::Result<()> {
        let is_bytes = path.ends_with(bytes);
        if text == "0" && is_bytes {
            return Err(invalid());
        }
        self.put(path, text)?;
        self.put(&path.with_file_name(if is_bytes { ratio } else { bytes }), "0")
    }

    fn get(&self, path: &Path) -> String {
        self.root.read_text(path).unwrap_or_default()
    }

    fn put_if(&self, path: &Path, text: &str) -> io::Result<()> {
        if self.root.exists(path) { self.put(path, text) } else { Ok(()) }
    }

    fn put(&self, path: &Path, text: &str) -> io::Result<()> {
        fs::write(self.root.at(path), format!("{text}\n"))
    }
}

fn number(text: &str) -> i64 {
    text.trim().parse().unwrap_or(0)
}
