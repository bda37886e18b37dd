//! A control group that limits the reads of a device, in either version of control groups.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The group; removed when dropped, once its processes have ended.
pub struct Throttle {
    group: PathBuf,
    /// Number of the device, `7:0`.
    device: String,
}

impl Throttle {
    /// At most so many reads a second.
    pub fn read_iops(device: &str, most: u64) -> Throttle {
        Throttle::of(device, "blkio.throttle.read_iops_device", "riops", most)
    }

    /// At most so many bytes a second.
    pub fn read_bytes_per_second(device: &str, most: u64) -> Throttle {
        Throttle::of(device, "blkio.throttle.read_bps_device", "rbps", most)
    }

    /// A machine whose root can limit no I/O cannot run these tests.
    fn of(device: &str, file: &str, key: &str, most: u64) -> Throttle {
        let name = device.trim_start_matches("/dev/");
        let number = std::fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap().trim().to_owned();
        let tries = [
            ("/sys/fs/cgroup/blkio", file, format!("{number} {most}")),
            ("/sys/fs/cgroup", "io.max", format!("{number} {key}={most}")),
        ];
        let made = tries.into_iter().find_map(|(top, file, limit)| {
            let group = Path::new(top).join(format!("fathom-test-{}-{name}", std::process::id()));
            std::fs::create_dir(&group).ok()?;
            let made = Throttle { group, device: number.clone() };
            std::fs::write(made.group.join(file), limit).ok()?;
            Some(made)
        });
        made.expect("root can make a control group that limits I/O")
    }

    /// The words before a command that runs in the group.
    pub fn within(&self) -> [String; 4] {
        let into = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", self.group.display());
        ["sh".to_owned(), "-c".to_owned(), into, "sh".to_owned()]
    }

    /// The same command within the group.
    pub fn command(&self, command: &Command) -> Command {
        let [program, words @ ..] = self.within();
        let mut within = Command::new(program);
        within.args(words).arg(command.get_program()).args(command.get_args());
        within.current_dir(command.get_current_dir().unwrap()).env("NO_COLOR", "1");
        within
    }

    /// Bytes that the group has read from the device.
    pub fn read_bytes(&self) -> u64 {
        let read = |file: &str| std::fs::read_to_string(self.group.join(file)).ok();
        let of_device = |text: String, before: &str| {
            let line = text.lines().find_map(|line| {
                Some(line.strip_prefix(&self.device)?.trim().split_once(before)?.1.to_owned())
            });
            line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
        };
        let first = read("blkio.throttle.io_service_bytes").map(|text| of_device(text, "Read"));
        first.or_else(|| read("io.stat").map(|text| of_device(text, "rbytes="))).unwrap()
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.group);
    }
}
