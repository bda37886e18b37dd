//! mdadm: the program that writes superblocks and starts and stops arrays.

use super::error::ArrayError;
use super::metadata::{ArrayLevel, ArrayMetadata};
use super::plan::ArrayPlan;
use crate::program;
use fathom_device::root::Root;
use fathom_text::shell::quoted;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What the first line of `/proc/mdstat` begins with: the levels that the kernel can run (md(4)).
const PERSONALITIES: &str = "Personalities :";

/// An error if this kernel can neither run md with this level nor load it. Nothing is loaded.
pub fn can_run(root: &Root, level: ArrayLevel, has_module: impl Fn(&str) -> bool) -> Result<(), ArrayError> {
    if !root.exists("/proc/mdstat") && !has_module("md_mod") {
        return Err(no_md());
    }
    let status = root.read_text("/proc/mdstat").unwrap_or_default();
    let known = status.lines().find_map(|line| line.strip_prefix(PERSONALITIES)).unwrap_or_default();
    let is_known = known.split_whitespace().any(|name| name == format!("[raid{}]", level.number()));
    match is_known || has_module(&format!("md-level-{}", level.number())) {
        true => Ok(()),
        false => Err(ArrayError::asked(
            format!("this kernel cannot run {level}: it has no such module"),
            "give another --level; the first line of /proc/mdstat lists those that are loaded",
        )),
    }
}

fn no_md() -> ArrayError {
    ArrayError::asked(
        "this kernel has no md: there is no /proc/mdstat, and the module md_mod cannot be loaded",
        "use a kernel with CONFIG_BLK_DEV_MD; simulated arrays need none: --target sim:4xdatacentre/64,raid=5",
    )
}

/// Loads md, if the kernel has it only as a module. mdadm without md leaves names in `/dev` that lead to nothing.
pub fn load_md(root: &Root) -> Result<(), ArrayError> {
    if !root.exists("/proc/mdstat") {
        let _ = Command::new("modprobe").arg("md_mod").output();
    }
    if root.exists("/proc/mdstat") { Ok(()) } else { Err(no_md()) }
}

/// The program.
pub struct Mdadm(PathBuf);

impl Mdadm {
    /// Looks for it, before anything is changed.
    pub fn find() -> Result<Self, ArrayError> {
        program::find("mdadm").map(Self).ok_or(ArrayError::NoMdadm)
    }

    /// Makes an array with md's own metadata, of devices that are open. `Err` is what mdadm said.
    pub fn create(
        &self,
        plan: &ArrayPlan,
        uuid: &str,
        name: &str,
        members: &[OwnedFd],
    ) -> Result<(), String> {
        self.of_open(plan, members, |paths| array_words(plan, uuid, name, paths))
    }

    /// Makes a container of devices that are open. `Err` is what mdadm said.
    pub fn create_container(&self, plan: &ArrayPlan, name: &str, members: &[OwnedFd]) -> Result<(), String> {
        self.of_open(plan, members, |paths| container_words(plan, name, paths))
    }

    /// Makes the array as a volume of all members of a container, given by its kernel name. `Err` is what mdadm said.
    pub fn create_volume(&self, plan: &ArrayPlan, name: &str, container: &str) -> Result<(), String> {
        self.run(&volume_words(plan, name, &format!("/dev/{container}")))
    }

    fn of_open(
        &self,
        plan: &ArrayPlan,
        members: &[OwnedFd],
        words: impl FnOnce(&[String]) -> Vec<String>,
    ) -> Result<(), String> {
        let of_fathom = |fd: &OwnedFd| format!("/proc/{}/fd/{}", std::process::id(), fd.as_raw_fd());
        let paths: Vec<String> = members.iter().map(of_fathom).collect();
        let result = self.run(&words(&paths));
        // A person knows the members by their own names.
        result.map_err(|message| {
            let named = |message: String, (path, member): (&String, &crate::purge::Affected)| {
                message.replace(path.as_str(), &member.path.display().to_string())
            };
            // The last first, because `fd/1` begins `fd/12`.
            paths.iter().zip(&plan.members).rev().fold(message, named)
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
        let message = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if output.status.success() { Ok(()) } else { Err(lines.join("; ")) }
    }
}

/// The commands that make the array, for people. `NAME` and `UUID` are made up when it is made.
pub fn commands(plan: &ArrayPlan) -> Vec<String> {
    let members: Vec<String> = plan.members.iter().map(|member| quoted(&member.path)).collect();
    let name = plan.name.as_deref().unwrap_or("NAME");
    let container = container_name("NAME");
    let all = match plan.metadata {
        ArrayMetadata::Native => vec![array_words(plan, "UUID", name, &members)],
        ArrayMetadata::Imsm => vec![
            container_words(plan, &container, &members),
            volume_words(plan, name, &format!("/dev/md/{container}")),
        ],
    };
    all.iter().map(|words| format!("mdadm {}", words.join(" "))).collect()
}

/// What the container of a volume is called.
pub fn container_name(of: &str) -> String {
    format!("imsm-{of}")
}

/// Every option that a configuration file or a version of mdadm could choose differently is given. The
/// options are those of mdadm 3.3 and later.
fn words(name: &str, options: impl IntoIterator<Item = String>) -> Vec<String> {
    let begin = ["--create".to_owned(), format!("/dev/md/{name}")];
    let usual = ["--config=none", "--homehost=any", "--run"].map(str::to_owned);
    begin.into_iter().chain(usual).chain(options).collect()
}

fn array_words(plan: &ArrayPlan, uuid: &str, name: &str, members: &[String]) -> Vec<String> {
    let metadata = [format!("--metadata={}", plan.metadata), format!("--uuid={uuid}")];
    words(name, metadata.into_iter().chain(shape_words(plan, members.len())).chain(members.iter().cloned()))
}

fn container_words(plan: &ArrayPlan, name: &str, members: &[String]) -> Vec<String> {
    let options = [format!("--metadata={}", plan.metadata), format!("--raid-devices={}", members.len())];
    words(name, options.into_iter().chain(members.iter().cloned()))
}

/// mdadm takes the members from the container, and the form of the metadata with them.
fn volume_words(plan: &ArrayPlan, name: &str, container: &str) -> Vec<String> {
    words(name, shape_words(plan, plan.members.len()).into_iter().chain([container.to_owned()]))
}

fn shape_words(plan: &ArrayPlan, members: usize) -> Vec<String> {
    let mut words = vec![format!("--level={}", plan.level.number()), format!("--raid-devices={members}")];
    words.extend(plan.chunk_bytes.map(|bytes| format!("--chunk={}K", bytes >> 10)));
    if plan.level.is_redundant() {
        // mdadm adds a bitmap to arrays of 100 GB and more, whose writes would be measured too.
        words.push("--bitmap=none".to_owned());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::tree::Tree;

    fn plan(level: ArrayLevel, chunk_bytes: Option<u64>, metadata: ArrayMetadata) -> ArrayPlan {
        let (members, notes, name) = (Vec::new(), Vec::new(), None);
        ArrayPlan { metadata, level, chunk_bytes, name, members, size_bytes: 0, notes }
    }

    /// The container first, of the members; then the volume, in the container.
    #[test]
    fn a_volume_is_made_in_a_container() {
        let plan = plan(ArrayLevel::Raid0, Some(128 << 10), ArrayMetadata::Imsm);
        let container =
            container_words(&plan, "imsm-x", &["/proc/1/fd/3".to_owned(), "/proc/1/fd/4".to_owned()]);
        let begins = "--create /dev/md/imsm-x --config=none --homehost=any --run --metadata=imsm";
        assert_eq!(container.join(" "), format!("{begins} --raid-devices=2 /proc/1/fd/3 /proc/1/fd/4"));
        let [container, volume] = commands(&plan).try_into().unwrap();
        assert!(container.contains("--create /dev/md/imsm-NAME ") && container.contains("--metadata=imsm"));
        let begins = "mdadm --create /dev/md/NAME --config=none --homehost=any --run --level=0";
        assert_eq!(volume, format!("{begins} --raid-devices=0 --chunk=128K /dev/md/imsm-NAME"));
    }

    /// mdadm writes its superblocks before the kernel refuses a level.
    #[test]
    fn a_level_that_the_kernel_cannot_run_is_known_before_a_write() {
        let judged = |mdstat: &str, modules: &[&str]| {
            let root = Root::held(&Tree::parse(&format!("fathom-tree 1\n{mdstat}")).unwrap());
            let judged = can_run(&root, ArrayLevel::Raid5, |name| modules.contains(&name));
            judged.map_err(|e| e.to_string())
        };
        let loaded = "/proc/mdstat = Personalities : [raid6] [raid5] [raid4]\n";
        let other = "/proc/mdstat = Personalities : [raid0]\n";
        assert_eq!(judged(loaded, &[]), Ok(()));
        assert_eq!(judged(other, &["md-level-5"]), Ok(()));
        assert_eq!(judged("", &["md_mod", "md-level-5"]), Ok(()));
        assert!(judged(other, &["md-level-1"]).is_err_and(|message| message.contains("cannot run RAID 5")));
        assert!(judged("", &[]).is_err_and(|message| message.contains("this kernel has no md")));
    }

    #[test]
    fn every_option_is_given_and_members_come_last() {
        for (level, chunk_bytes, more) in [
            (ArrayLevel::Raid0, Some(1 << 18), "--level=0 --raid-devices=2 --chunk=256K"),
            (ArrayLevel::Raid1, None, "--level=1 --raid-devices=2 --bitmap=none"),
            (ArrayLevel::Raid5, Some(4096), "--level=5 --raid-devices=2 --chunk=4K --bitmap=none"),
        ] {
            let plan = plan(level, chunk_bytes, ArrayMetadata::Native);
            let words = array_words(&plan, "u", "x", &["/proc/1/fd/3".to_owned(), "/proc/1/fd/4".to_owned()]);
            let begins = "--create /dev/md/x --config=none --homehost=any --run --metadata=1.2 --uuid=u";
            assert_eq!(words.join(" "), format!("{begins} {more} /proc/1/fd/3 /proc/1/fd/4"));
        }
    }
}
