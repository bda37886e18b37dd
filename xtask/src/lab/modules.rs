//! The kernel modules of the lab, decompressed, with all modules that they need.
//!
//! A module in the list costs only a few hundred kilobytes of the image: the init script and the
//! kernel load what is needed, and `modprobe` finds the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::command::{command, run};
use crate::workspace::target;

use super::kernel::Kernel;

/// The modules by purpose. Some may be built into the kernel; they are here for kernels that are built
/// in another way.
const WANTED: &[&str] = &[
    // Drives: those that QEMU emulates, and those that the kernel simulates.
    "nvme",
    "sd_mod",
    "sg",
    "ahci",
    "virtio_pci",
    "virtio_blk",
    "virtio_scsi",
    "null_blk",
    "scsi_debug",
    "brd",
    "loop",
    "zram",
    "zsmalloc",
    // Arrays and volumes.
    "raid0",
    "raid1",
    "raid10",
    "raid456",
    "dm_mod",
    "dm_crypt",
    "dm_thin_pool",
    "dm_snapshot",
    "dm_delay",
    "dm_flakey",
    "dm_raid",
    "dm_cache",
    "dm_cache_smq",
    "dm_integrity",
    "dm_multipath",
    "dm_zero",
    "bcache",
    // File systems and what they ask of the kernel by name.
    "ext4",
    "xfs",
    "btrfs",
    "f2fs",
    "vfat",
    "nls_cp437",
    "nls_ascii",
    "nls_iso8859_1",
    "overlay",
    "fuse",
    // LUKS: aes-xts, hashes, and the user-space interface that cryptsetup uses.
    "xts",
    "essiv",
    "cbc",
    "ecb",
    "hmac",
    "sha256_generic",
    "sha512_generic",
    "af_alg",
    "algif_skcipher",
    "algif_hash",
    "crypto_user",
    "crc32c_generic",
    "crc32c_intel",
    "blake2b_generic",
    "xxhash_generic",
    // Schedulers.
    "mq_deadline",
    "bfq",
    "kyber_iosched",
    // What the readers need, and what saves the kernel gathering randomness (seconds of emulation).
    "msr",
    "cpuid",
    "virtio_rng",
];

/// Decompresses the wanted modules into `target/lab`, unless they are there. Returns the directory to
/// be packed as `/lib/modules/VERSION`.
pub fn stage(kernel: &Kernel) -> Result<PathBuf, String> {
    let stage = super::directory()?.join("modules").join(&kernel.version);
    let staged = stage.join("lib/modules").join(&kernel.version);
    let stamp = stage.join("wanted");
    if fs::read_to_string(&stamp).is_ok_and(|text| text == WANTED.join(" ")) {
        return Ok(staged);
    }
    println!("decompressing kernel modules into {}", staged.display());
    let _ = fs::remove_dir_all(&stage);
    let index = Index::read(&kernel.modules())?;
    for module in index.closure(WANTED)? {
        decompress(&kernel.modules().join(&module), &staged.join(module.trim_end_matches(".xz")))?;
    }
    for list in ["modules.builtin", "modules.builtin.modinfo", "modules.order"] {
        copy(&kernel.modules().join(list), &staged.join(list))?;
    }
    run(&mut command("depmod", &["--basedir", &stage.to_string_lossy(), &kernel.version]))?;
    fs::write(&stamp, WANTED.join(" ")).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(staged)
}

fn decompress(from: &Path, to: &Path) -> Result<(), String> {
    let directory = to.parent().expect("modules lie in directories");
    fs::create_dir_all(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    if from.extension().is_none_or(|extension| extension != "xz") {
        return copy(from, to);
    }
    let file = File::create(to).map_err(|e| format!("{}: {e}", to.display()))?;
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
            fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
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
