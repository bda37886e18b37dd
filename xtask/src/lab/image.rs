//! The first and only root of the machine: an initramfs with programs, modules and tests.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::kernel;
use super::kernel::Kernel;
use super::programs::{Built, Programs};
use crate::workspace::at;

/// What the kernel starts.
const INIT: &str = include_str!("init.sh");

/// LVM without udev, without its list of devices, and without files that outlive the boot;
/// the tools that check thin pools and caches are not packed.
const LVM_CONF: &str = "\
activation { udev_sync = 0 udev_rules = 0 monitoring = 0 }
devices { obtain_device_list_from_udev = 0 external_device_info_source = \"none\" use_devicesfile = 0 }
global { thin_check_executable = \"\" cache_check_executable = \"\" }
backup { backup = 0 archive = 0 }
";

/// Directories that something is mounted on, or that programs expect.
const DIRECTORIES: &[&str] =
    &["/dev", "/proc", "/sys", "/tmp", "/run", "/var/lock", "/root", "/mnt", "/usr/busybox", "/etc/lvm"];

/// All programs and libraries lie below `/usr`, as on any Debian since 12.
const MERGED: &[(&str, &str)] =
    &[("/bin", "usr/bin"), ("/sbin", "usr/sbin"), ("/lib", "usr/lib"), ("/lib64", "usr/lib64")];

/// An image on disk, gone when dropped.
pub struct Image {
    file: tempfile::NamedTempFile,
}

impl Image {
    /// Packs everything; `runs` are the groups of tests to run, each with what its program is called with.
    pub fn assemble(kernel: &Kernel, fathom: &Path, built: &Built, runs: &[String]) -> Result<Self, String> {
        let mut tree = Tree::default();
        tree.skeleton();
        let mut needing = built.paths();
        needing.push(fathom.to_owned());
        let programs = Programs::find(&needing)?;
        tree.programs(&programs)?;
        tree.copy_all(&kernel::stage(kernel)?, &format!("/usr/lib/modules/{}", kernel.version))?;
        tree.copy(fathom, "/usr/bin/fathom")?;
        if let Some(tests) = &built.tests {
            tree.copy(tests, "/lab/tests")?;
        }
        for aid in &built.aids {
            let name = aid.file_name().unwrap_or_default().to_string_lossy();
            tree.copy(aid, &format!("/usr/bin/{name}"))?;
        }
        tree.text("/lab/run", runs.iter().map(|run| format!("{run}\n")).collect::<String>());
        tree.pack()
    }

    /// Packs fathom and the static shell, for a machine that runs no tests.
    pub fn of_fathom(kernel: &Kernel, fathom: &Path) -> Result<Self, String> {
        let mut tree = Tree::default();
        tree.skeleton();
        let programs = Programs::of(&[fathom.to_owned()])?;
        tree.files(&programs)?;
        tree.copy_all(&kernel::stage(kernel)?, &format!("/usr/lib/modules/{}", kernel.version))?;
        tree.copy(fathom, "/usr/bin/fathom")?;
        tree.pack()
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}

/// What is packed under which path.
#[derive(Default)]
struct Tree(BTreeMap<String, Node>);

enum Node {
    Directory,
    Copy(PathBuf),
    Text(String),
    Link(String),
}

impl Tree {
    fn skeleton(&mut self) {
        for directory in DIRECTORIES {
            self.put(directory, Node::Directory);
        }
        for (name, target) in MERGED {
            self.put(name, Node::Link((*target).to_owned()));
        }
        self.text("/init", INIT.to_owned());
        self.text("/etc/lvm/lvm.conf", LVM_CONF.to_owned());
        self.text(
            "/etc/passwd",
            "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n".to_owned(),
        );
        self.text("/etc/group", "root:x:0:\ndisk:x:6:\nnogroup:x:65534:\n".to_owned());
        self.put("/etc/mtab", Node::Link("/proc/self/mounts".to_owned()));
    }

    /// Programs and libraries, and the static shell.
    fn files(&mut self, programs: &Programs) -> Result<(), String> {
        for file in &programs.files {
            self.copy(file, &file.to_string_lossy())?;
        }
        self.copy(&programs.busybox, "/usr/bin/busybox")
    }

    fn programs(&mut self, programs: &Programs) -> Result<(), String> {
        self.files(programs)?;
        for (name, program) in &programs.links {
            let target = programs.files.iter().find(|file| file.ends_with(program));
            let target =
                target.ok_or_else(|| format!("{name} is a link to {program}, which is not packed"))?;
            self.put(&format!("/usr/sbin/{name}"), Node::Link(merged(&target.to_string_lossy())));
        }
        self.put("/usr/bin/sh", Node::Link("bash".to_owned()));
        self.copy(Path::new("/etc/mke2fs.conf"), "/etc/mke2fs.conf")
    }

    fn copy_all(&mut self, directory: &Path, to: &str) -> Result<(), String> {
        let entries = fs::read_dir(directory).map_err(at(directory))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            let to = format!("{to}/{name}");
            if path.is_dir() { self.copy_all(&path, &to)? } else { self.copy(&path, &to)? }
        }
        Ok(())
    }

    fn copy(&mut self, from: &Path, to: &str) -> Result<(), String> {
        if !from.is_file() {
            return Err(format!("{}: no such file to pack", from.display()));
        }
        self.put(to, Node::Copy(from.to_owned()));
        Ok(())
    }

    fn text(&mut self, name: &str, text: String) {
        self.put(name, Node::Text(text));
    }

    /// Adds an entry and the directories above it.
    fn put(&mut self, name: &str, node: Node) {
        let name = if MERGED.iter().any(|(link, _)| *link == name) { name.to_owned() } else { merged(name) };
        for (at, _) in name.match_indices('/').filter(|(at, _)| *at > 0) {
            self.0.entry(name[..at].to_owned()).or_insert(Node::Directory);
        }
        self.0.insert(name, node);
    }

    fn pack(&self) -> Result<Image, String> {
        let file = tempfile::NamedTempFile::new_in(super::directory()?);
        let file = file.map_err(|e| format!("the image: {e}"))?;
        let mut archive = Archive::new(BufWriter::new(file.as_file()));
        for (name, node) in &self.0 {
            node.add_to(&mut archive, name)?;
        }
        archive.finish().map_err(at(file.path()))?;
        Ok(Image { file })
    }
}

impl Node {
    fn add_to(&self, archive: &mut Archive<BufWriter<&File>>, name: &str) -> Result<(), String> {
        let bytes;
        let entry = match self {
            Self::Directory => Entry::Directory,
            Self::Link(target) => Entry::Link(target),
            Self::Text(text) => Entry::File(0o755, text.as_bytes()),
            Self::Copy(from) => {
                let failed = |e: std::io::Error| format!("{}: {e}", from.display());
                bytes = fs::read(from).map_err(failed)?;
                let permissions = from.metadata().map_err(failed)?.permissions().mode();
                Entry::File(permissions & 0o7777, &bytes)
            }
        };
        archive.add(name, &entry).map_err(|e| format!("{name}: {e}"))
    }
}

/// The path below `/usr` that a path through one of the old directories means.
fn merged(path: &str) -> String {
    let is_old =
        MERGED.iter().any(|(old, _)| path.strip_prefix(old).is_some_and(|rest| rest.starts_with('/')));
    if is_old { format!("/usr{path}") } else { path.to_owned() }
}

// The archive format that the kernel unpacks into its first root: cpio, "newc"
// (Documentation/driver-api/early-userspace/buffer-format.rst).
//
// Uncompressed: the emulated processor unpacks slower than a disk reads. Every owner is root,
// also if another user builds the archive.

const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const LINK: u32 = 0o120_000;

/// What an entry is.
pub enum Entry<'a> {
    /// An empty directory.
    Directory,
    /// A file with its permission bits.
    File(u32, &'a [u8]),
    /// A symbolic link.
    Link(&'a str),
}

/// An archive being written.
pub struct Archive<W> {
    to: W,
    entries: u32,
}

impl<W: Write> Archive<W> {
    /// An empty archive.
    pub fn new(to: W) -> Self {
        Self { to, entries: 0 }
    }

    /// Adds an entry; its directory must have been added before.
    pub fn add(&mut self, name: &str, entry: &Entry<'_>) -> io::Result<()> {
        let (mode, bytes) = match entry {
            Entry::Directory => (DIRECTORY | 0o755, &[][..]),
            Entry::File(permissions, bytes) => (REGULAR | permissions, *bytes),
            Entry::Link(target) => (LINK | 0o777, target.as_bytes()),
        };
        self.record(name.trim_start_matches('/'), mode, bytes)
    }

    /// Ends the archive.
    pub fn finish(mut self) -> io::Result<W> {
        self.record("TRAILER!!!", 0, &[])?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn record(&mut self, name: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
        self.entries += 1;
        let size = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let name_size = u32::try_from(name.len() + 1).map_err(io::Error::other)?;
        // inode, mode, uid, gid, links, mtime, size, device (2), device of a node (2), name, check.
        let fields = [self.entries, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
        write!(self.to, "070701")?;
        fields.iter().try_for_each(|field| write!(self.to, "{field:08x}"))?;
        self.to.write_all(name.as_bytes())?;
        self.to.write_all(b"\0")?;
        self.pad(110 + name.len() + 1)?;
        self.to.write_all(bytes)?;
        self.pad(bytes.len())
    }

    /// Header with name, and contents, each end at a multiple of four.
    fn pad(&mut self, len: usize) -> io::Result<()> {
        self.to.write_all(&[0; 3][..len.next_multiple_of(4) - len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::process::Stdio;

    #[test]
    fn old_paths_lie_below_usr() {
        for (path, expected) in [
            ("/lib/x/libc.so.6", "/usr/lib/x/libc.so.6"),
            ("/lib64/ld.so", "/usr/lib64/ld.so"),
            ("/usr/sbin/lvm", "/usr/sbin/lvm"),
            ("/lab/run", "/lab/run"),
            ("/libs/a", "/libs/a"),
        ] {
            assert_eq!(merged(path), expected);
        }
    }

    #[test]
    fn directories_come_before_what_is_in_them() {
        let mut tree = Tree::default();
        tree.text("/lab/tests/guard", String::new());
        tree.put("/bin", Node::Link("usr/bin".to_owned()));
        let names: Vec<&str> = tree.0.keys().map(String::as_str).collect();
        assert_eq!(names, ["/bin", "/lab", "/lab/tests", "/lab/tests/guard"]);
    }

    #[test]
    fn the_init_script_is_one() {
        let mut place = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut place, INIT.as_bytes()).unwrap();
        let checked = std::process::Command::new("sh").arg("-n").arg(place.path()).status().unwrap();
        assert!(checked.success());
    }

    #[test]
    fn cpio_reads_what_we_write() {
        let place = tempfile::tempdir().unwrap();
        let mut archive = Archive::new(Vec::new());
        archive.add("/a", &Entry::Directory).unwrap();
        archive.add("/a/file", &Entry::File(0o755, b"hello")).unwrap();
        archive.add("/a/link", &Entry::Link("file")).unwrap();
        let bytes = archive.finish().unwrap();
        let mut cpio = Command::new("cpio");
        cpio.args(["--extract", "--quiet"]).current_dir(place.path()).stdin(Stdio::piped());
        let mut child = cpio.spawn().expect("this test needs cpio");
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(std::fs::read(place.path().join("a/link")).unwrap(), b"hello");
    }
}
