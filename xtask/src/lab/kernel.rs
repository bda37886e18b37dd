//! The kernel: Debian's 6.12 package, which is fetched and unpacked, but not installed.
//!
//! The meta package names the newest build; the package index of the machine says where it is. An
//! unpacked kernel is used again as long as the index still names it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::command::{capture, command, run};
use crate::workspace::{at, read_text, target};

/// 6.12 is the long-term kernel that this project tests against; Debian 12 has it in backports and
/// security.
const META_PACKAGE: &str = "linux-image-6.12-amd64";

/// An unpacked kernel.
pub struct Kernel {
    /// What `uname -r` will say.
    pub version: String,
    /// Where it was unpacked.
    root: PathBuf,
}

impl Kernel {
    /// Fetches and unpacks it, unless that has been done.
    pub fn fetch() -> Result<Self, String> {
        Self::named_by_index().or_else(|error| {
            // The index may be missing, or so old that the server has dropped what it names.
            println!("{error}");
            run(&mut command("apt-get", &["update"]))?;
            Self::named_by_index()
        })
    }

    fn named_by_index() -> Result<Self, String> {
        let package = package()?;
        let version = version_of(&package)?.to_owned();
        let kernel = Self { root: super::directory()?.join(&package), version };
        if !kernel.image().is_file() {
            unpack(&package, &kernel.root)?;
        }
        let index = kernel.modules().join("modules.dep");
        if !index.is_file() {
            let root = kernel.root.to_string_lossy();
            run(&mut command("depmod", &["--basedir", &root, &kernel.version]))?;
        }
        Ok(kernel)
    }

    /// The file that a boot loader starts.
    pub fn image(&self) -> PathBuf {
        self.root.join("boot").join(format!("vmlinuz-{}", self.version))
    }

    /// Where its modules and their indices lie.
    pub fn modules(&self) -> PathBuf {
        self.root.join("lib/modules").join(&self.version)
    }
}

/// The package of the newest build.
fn package() -> Result<String, String> {
    let depends = capture(&mut command("apt-cache", &["depends", META_PACKAGE]))?;
    let package = dependency(&depends).map(str::to_owned);
    package.ok_or_else(|| format!("{META_PACKAGE} is not in the package index"))
}

/// The image that the meta package depends on.
fn dependency(depends: &str) -> Option<&str> {
    let mut packages = depends.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    packages.find(|package| package.starts_with("linux-image-"))
}

fn version_of(package: &str) -> Result<&str, String> {
    let version = package.strip_prefix("linux-image-");
    version.ok_or_else(|| format!("{package} is not a kernel image"))
}

/// Unpacks next to the final place and moves the result there at the end, so that it is always complete.
fn unpack(package: &str, to: &Path) -> Result<(), String> {
    let near = super::directory()?;
    let place = tempfile::tempdir_in(&near).map_err(at(&near))?;
    let downloaded = place.path().join("package");
    fs::create_dir(&downloaded).map_err(at(&downloaded))?;
    // apt downloads as its own user if that user may write there, and warns if not.
    let download = ["-o", "APT::Sandbox::User=root", "download", package];
    run(command("apt-get", &download).current_dir(&downloaded))?;
    let archive = only_file(&downloaded)?;
    let unpacked = place.path().join("unpacked");
    run(&mut command("dpkg", &["-x", &archive.to_string_lossy(), &unpacked.to_string_lossy()]))?;
    // Half an unpacked kernel of an earlier attempt would be in the way.
    let _ = fs::remove_dir_all(to);
    fs::rename(&unpacked, to).map_err(at(to))
}

fn only_file(directory: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(directory).map_err(at(directory))?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    paths.next().ok_or_else(|| format!("apt-get put no package into {}", directory.display()))
}

// The kernel modules of the lab, decompressed, with all modules that they need.
//
// A module in the list costs only a few hundred kilobytes of the image: the init script and the
// kernel load what is needed, and `modprobe` finds the rest.

/// Decompresses the wanted modules into `target/lab`, unless they are there. Returns the directory to
/// be packed as `/lib/modules/VERSION`.
pub fn stage(kernel: &Kernel) -> Result<PathBuf, String> {
    let stage = super::directory()?.join("modules").join(&kernel.version);
    let staged = stage.join("lib/modules").join(&kernel.version);
    let stamp = stage.join("wanted");
    let wanted: Vec<&str> = super::listed(include_str!("modules.txt")).collect();
    if fs::read_to_string(&stamp).is_ok_and(|text| text == wanted.join(" ")) {
        return Ok(staged);
    }
    println!("decompressing kernel modules into {}", staged.display());
    let _ = fs::remove_dir_all(&stage);
    let index = Index::read(&kernel.modules())?;
    for module in index.closure(&wanted)? {
        decompress(&kernel.modules().join(&module), &staged.join(module.trim_end_matches(".xz")))?;
    }
    for list in ["modules.builtin", "modules.builtin.modinfo", "modules.order"] {
        copy(&kernel.modules().join(list), &staged.join(list))?;
    }
    run(&mut command("depmod", &["--basedir", &stage.to_string_lossy(), &kernel.version]))?;
    fs::write(&stamp, wanted.join(" ")).map_err(at(&stamp))?;
    Ok(staged)
}

fn decompress(from: &Path, to: &Path) -> Result<(), String> {
    let directory = to.parent().expect("modules lie in directories");
    fs::create_dir_all(directory).map_err(at(directory))?;
    if from.extension().is_none_or(|extension| extension != "xz") {
        return copy(from, to);
    }
    let file = File::create(to).map_err(at(to))?;
    let mut xz = command("xz", &["--decompress", "--stdout", &from.to_string_lossy()]);
    let status = xz.stdout(file).status().map_err(|e| format!("xz: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("xz {}: {status}", from.display())) }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(|_| ()).map_err(|e| format!("{} to {}: {e}", from.display(), target().display()))
}

/// Which module file needs which others, and which modules are built in.
struct Index {
    needs: BTreeMap<String, Vec<String>>,
    built_in: BTreeSet<String>,
}

impl Index {
    fn read(modules: &Path) -> Result<Self, String> {
        let read = |name: &str| {
            let path = modules.join(name);
            read_text(&path)
        };
        Self::parse(&read("modules.dep")?, &read("modules.builtin")?)
    }

    /// `modules.dep` has a line `file: file…` for each module, with all of its dependencies;
    /// `modules.builtin` has a line for each module that is part of the kernel.
    fn parse(dependencies: &str, built_in: &str) -> Result<Self, String> {
        let mut needs = BTreeMap::new();
        for line in dependencies.lines() {
            let (file, others) = line.split_once(':').ok_or_else(|| format!("modules.dep: {line:?}"))?;
            needs.insert(file.to_owned(), others.split_whitespace().map(str::to_owned).collect());
        }
        Ok(Self { needs, built_in: built_in.lines().map(name_of).collect() })
    }

    /// The files of the wanted modules and of all that they need.
    fn closure(&self, wanted: &[&str]) -> Result<BTreeSet<String>, String> {
        let mut files = BTreeSet::new();
        for name in wanted {
            match self.needs.iter().find(|(file, _)| name_of(file) == *name) {
                Some((file, others)) => {
                    files.insert(file.clone());
                    files.extend(others.iter().cloned());
                }
                None if self.built_in.contains(*name) => {}
                None => return Err(format!("the kernel has no module {name}")),
            }
        }
        Ok(files)
    }
}

/// `kernel/drivers/md/dm-mod.ko.xz` as the kernel names it: `dm_mod`.
fn name_of(file: &str) -> String {
    let base = file.rsplit('/').next().unwrap_or(file);
    base.split(".ko").next().unwrap_or(base).replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_is_found_among_the_dependencies() {
        let depends = "linux-image-6.12-amd64\n  Depends: linux-image-6.12.9+deb12-amd64\n  Suggests: x\n";
        let package = dependency(depends).unwrap();
        assert_eq!(version_of(package), Ok("6.12.9+deb12-amd64"));
        assert_eq!(dependency("linux-image-6.12-amd64\n"), None);
        assert!(version_of("bash").is_err());
    }

    const DEPENDENCIES: &str = "\
kernel/drivers/md/dm-mod.ko.xz:
kernel/drivers/md/dm-crypt.ko.xz: kernel/drivers/md/dm-mod.ko.xz kernel/lib/a.ko.xz
kernel/lib/a.ko.xz:
kernel/lib/b.ko.xz:
";

    fn closure(wanted: &[&str]) -> Result<Vec<String>, String> {
        let index = Index::parse(DEPENDENCIES, "kernel/crypto/cbc.ko\n")?;
        Ok(index.closure(wanted)?.into_iter().collect())
    }

    #[test]
    fn what_is_wanted_brings_what_it_needs() {
        let files =
            ["kernel/drivers/md/dm-crypt.ko.xz", "kernel/drivers/md/dm-mod.ko.xz", "kernel/lib/a.ko.xz"];
        assert_eq!(closure(&["dm_crypt", "cbc"]).unwrap(), files);
        assert_eq!(closure(&["cbc"]).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_the_kernel_does_not_have_is_an_error() {
        assert_eq!(closure(&["dm_tape"]).unwrap_err(), "the kernel has no module dm_tape");
        assert!(Index::parse("kernel/a.ko", "").is_err());
    }
}
