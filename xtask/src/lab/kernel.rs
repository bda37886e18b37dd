//! The kernel: Debian's 6.12 package, which is fetched and unpacked, but not installed.
//!
//! The meta package names the newest build; the package index of the machine says where it is. An
//! unpacked kernel is used again as long as the index still names it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{capture, command, run};

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
    let place = tempfile::tempdir_in(&near).map_err(|e| format!("{}: {e}", near.display()))?;
    let downloaded = place.path().join("package");
    fs::create_dir(&downloaded).map_err(|e| format!("{}: {e}", downloaded.display()))?;
    // apt downloads as its own user if that user may write there, and warns if not.
    let download = ["-o", "APT::Sandbox::User=root", "download", package];
    run(command("apt-get", &download).current_dir(&downloaded))?;
    let archive = only_file(&downloaded)?;
    let unpacked = place.path().join("unpacked");
    run(&mut command("dpkg", &["-x", &archive.to_string_lossy(), &unpacked.to_string_lossy()]))?;
    // Half an unpacked kernel of an earlier attempt would be in the way.
    let _ = fs::remove_dir_all(to);
    fs::rename(&unpacked, to).map_err(|e| format!("{}: {e}", to.display()))
}

fn only_file(directory: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    paths.next().ok_or_else(|| format!("apt-get put no package into {}", directory.display()))
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
}
