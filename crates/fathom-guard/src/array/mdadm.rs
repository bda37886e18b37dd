//! mdadm: the program that writes superblocks and starts and stops arrays.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::ArrayError;
use super::plan::ArrayPlan;

/// Where it is installed; the first directories are missing in the path of some users and of `cron`.
const DIRECTORIES: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/bin"];

/// The program.
pub struct Mdadm(PathBuf);

impl Mdadm {
    /// Looks for it, before anything is changed.
    pub fn find() -> Result<Self, ArrayError> {
        let there = DIRECTORIES.iter().map(|dir| Path::new(dir).join("mdadm"));
        there.into_iter().find(|path| path.is_file()).map(Self).ok_or(ArrayError::NoMdadm)
    }

    /// Makes an array of devices that are open. `Err` is what mdadm said.
    pub fn create(
        &self,
        plan: &ArrayPlan,
        uuid: &str,
        name: &str,
        members: &[OwnedFd],
    ) -> Result<(), String> {
        let of_fathom = |fd: &OwnedFd| format!("/proc/{}/fd/{}", std::process::id(), fd.as_raw_fd());
        let paths: Vec<String> = members.iter().map(of_fathom).collect();
        let said = self.run(&create_words(plan, uuid, name, &paths));
        // A person knows the members by their own names.
        said.map_err(|said| {
            let named = |said: String, (path, member): (&String, &crate::purge::Affected)| {
                said.replace(path.as_str(), &member.path.display().to_string())
            };
            // The last first, because `fd/1` begins `fd/12`.
            paths.iter().zip(&plan.members).rev().fold(said, named)
        })
    }

    /// Stops an array, by its kernel name. `Err` is what mdadm said.
    pub fn stop(&self, array: &str) -> Result<(), String> {
        self.run(&["--stop".to_owned(), format!("/dev/{array}")])
    }

    fn run(&self, words: &[String]) -> Result<(), String> {
        let mut command = Command::new(&self.0);
        // Without a terminal it asks nothing.
        let output = command.args(words).env("LC_ALL", "C").stdin(Stdio::null()).output();
        let output = output.map_err(|e| e.to_string())?;
        let said = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if output.status.success() { Ok(()) } else { Err(lines.join("; ")) }
    }
}

/// Every option that a configuration file or a version of mdadm could choose differently is given. The
/// options are those of mdadm 3.3 and later.
fn create_words(plan: &ArrayPlan, uuid: &str, name: &str, members: &[String]) -> Vec<String> {
    let mut words = vec!["--create".to_owned(), format!("/dev/md/{name}")];
    words.extend(["--config=none", "--homehost=any", "--run", "--metadata=1.2"].map(str::to_owned));
    words.push(format!("--uuid={uuid}"));
    words.push(format!("--level={}", plan.level.number()));
    words.push(format!("--raid-devices={}", members.len()));
    words.extend(plan.chunk_bytes.map(|bytes| format!("--chunk={}K", bytes >> 10)));
    if plan.level.is_redundant() {
        // mdadm adds a bitmap to arrays of 100 GB and more, whose writes would be measured too.
        words.push("--bitmap=none".to_owned());
    }
    words.extend(members.iter().cloned());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::ArrayLevel;

    #[test]
    fn every_option_is_given_and_members_come_last() {
        for (level, chunk_bytes, more) in [
            (ArrayLevel::Raid0, Some(1 << 18), "--level=0 --raid-devices=2 --chunk=256K"),
            (ArrayLevel::Raid1, None, "--level=1 --raid-devices=2 --bitmap=none"),
            (ArrayLevel::Raid5, Some(4096), "--level=5 --raid-devices=2 --chunk=4K --bitmap=none"),
        ] {
            let (members, notes, name) = (Vec::new(), Vec::new(), None);
            let plan = ArrayPlan { level, chunk_bytes, name, members, size_bytes: 0, notes };
            let words =
                create_words(&plan, "u", "x", &["/proc/1/fd/3".to_owned(), "/proc/1/fd/4".to_owned()]);
            let begins = "--create /dev/md/x --config=none --homehost=any --run --metadata=1.2 --uuid=u";
            assert_eq!(words.join(" "), format!("{begins} {more} /proc/1/fd/3 /proc/1/fd/4"));
        }
    }
}
