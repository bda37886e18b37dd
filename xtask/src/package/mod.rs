//! The Debian package: `target/package/fathom_VERSION_ARCH.deb`.
//!
//! ```text
//! dist build ────► binary ─► man pages, completions ─┐
//! docs, examples, licences, change log ──────────────┼─► tree ─► dpkg-deb ─► lintian
//! Cargo metadata, dpkg-shlibdeps ─► control ─────────┘
//! ```
//! `--prove` installs it in a new Debian system, in a directory, and uses it there.

mod documents;

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::arguments::Arguments;
use crate::command::{capture, command, need_root, run};
use crate::steps::find_program;
use crate::workspace::{self, at, write_file};
use documents::Metadata;

/// The programs that make and check a package, with the package of Debian that brings each.
const PROGRAMS: &[(&str, &str)] = &[
    ("dpkg-deb", "dpkg"),
    ("dpkg-shlibdeps", "dpkg-dev"),
    ("strip", "binutils"),
    ("gzip", "gzip"),
    ("lintian", "lintian"),
];

/// `cargo xtask package [--prove]`.
pub fn chore(mut arguments: Arguments) -> Result<(), String> {
    let proves = arguments.flag("--prove");
    arguments.finish()?;
    need(PROGRAMS)?;
    let deb = build()?;
    check(&deb)?;
    let bytes = deb.metadata().map_err(at(&deb))?.len();
    println!("{}: {:.1} MB, lintian has no remark", deb.display(), bytes as f64 / 1e6);
    if proves { prove(&deb) } else { Ok(()) }
}

/// Fails if one of the programs is missing, with the command that installs it.
fn need(programs: &[(&str, &str)]) -> Result<(), String> {
    let missing: Vec<&str> =
        programs.iter().filter(|(program, _)| find_program(program).is_none()).map(|(_, deb)| *deb).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!("these programs are missing: apt-get install {}", missing.join(" "))),
    }
}

fn build() -> Result<PathBuf, String> {
    let binary = workspace::build_fathom_dist()?;
    let metadata = Metadata::read()?;
    let dir = workspace::target().join("package");
    let tree = Tree::new(dir.join("tree"))?;
    documents::put(&tree, &binary, &metadata)?;
    let control = documents::control_text(&metadata, &documents::libraries(&binary, &dir)?, tree.size_kib()?);
    tree.file("DEBIAN/control", control.as_bytes())?;
    tree.file("DEBIAN/md5sums", tree.md5sums()?.as_bytes())?;
    let deb = dir.join(format!("{}_{}_{}.deb", metadata.name, metadata.version, metadata.architecture));
    // The same sources give the same package: files have the time of the commit.
    let mut pack = command("dpkg-deb", &["--root-owner-group", "-Zxz", "--build"]);
    pack.arg(tree.root()).arg(&deb).env("SOURCE_DATE_EPOCH", metadata.commit_unix_s.to_string());
    run(&mut pack)?;
    Ok(deb)
}

/// Every remark of lintian is a failure. The two that are overridden are errors of lintian, as the file of overrides
/// explains; an override that lintian does not need is a remark.
fn check(deb: &Path) -> Result<(), String> {
    let words = ["--allow-root", "--tag-display-limit", "0", "--display-info", "--pedantic", "--no-cfg"];
    let said = capture(command("lintian", &words).args(["--fail-on", "none"]).arg(deb))?;
    match said.trim() {
        "" => Ok(()),
        remarks => Err(format!("lintian:\n{remarks}")),
    }
}

// Installs the package in a new Debian system, in a directory, and uses it there as a user would.
//
// The system is made by debootstrap, inside a namespace of mounts and processes of its own, so that nothing of it
// is left when the proof ends.

/// The programs of the proof, with the package of Debian that brings each.
const PROOF_PROGRAMS: &[(&str, &str)] =
    &[("debootstrap", "debootstrap"), ("unshare", "util-linux"), ("chroot", "coreutils")];

/// Where Debian's packages come from.
const MIRROR: &str = "http://deb.debian.org/debian";

/// What is run in the new system, line by line. Each must succeed.
const USE: &str = include_str!("proof.sh");

/// Makes the system, installs the package, uses it.
pub fn prove(deb: &Path) -> Result<(), String> {
    need_root("cargo xtask package --prove")?;
    need(PROOF_PROGRAMS)?;
    let dir = tempfile::tempdir().map_err(|e| format!("a directory for the new system: {e}"))?;
    let root = dir.path().join("root");
    let suite = capture(&mut command("sh", &["-c", ". /etc/os-release; echo \"$VERSION_CODENAME\""]))?;
    let script = dir.path().join("prove.sh");
    write_file(&script, SYSTEM)?;
    let usage = dir.path().join("use.sh");
    write_file(&usage, USE)?;
    // Mounts and processes of the new system end with the namespaces.
    let mut prove = command("unshare", &["--mount", "--pid", "--fork", "--kill-child", "sh", "-eu"]);
    prove.arg(&script).arg(suite.trim()).arg(&root).arg(MIRROR).arg(deb).arg(&usage);
    run(&mut prove)?;
    println!("the package installs in a new Debian {}, and works there", suite.trim());
    Ok(())
}

/// Makes the system. Arguments: suite, directory, mirror, package, script for the new system.
const SYSTEM: &str = include_str!("system.sh");

// The files of the package, as they will be installed.

/// A directory that becomes the root of a package.
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// An empty tree. What was there is removed.
    pub fn new(root: PathBuf) -> Result<Tree, String> {
        let renew = || {
            if root.exists() {
                fs::remove_dir_all(&root)?;
            }
            fs::create_dir_all(&root)?;
            fs::set_permissions(&root, Permissions::from_mode(0o755))
        };
        renew().map_err(at(&root))?;
        Ok(Tree { root })
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Puts a file that everybody may read.
    pub fn file(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        self.put(path, bytes, 0o644).map_err(|e| format!("{path}: {e}"))
    }

    /// Puts a program.
    pub fn program(&self, path: &str, source: &Path) -> Result<(), String> {
        let bytes = fs::read(source).map_err(at(source))?;
        self.put(path, &bytes, 0o755).map_err(|e| format!("{path}: {e}"))
    }

    /// Puts a compressed file; `.gz` is added to its name.
    pub fn compressed(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        self.file(&format!("{path}.gz"), &gzip(bytes)?)
    }

    fn put(&self, path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
        let path = self.root.join(path);
        let mut above = path.parent();
        fs::create_dir_all(above.unwrap_or(&self.root))?;
        while let Some(directory) = above.filter(|directory| directory.starts_with(&self.root)) {
            fs::set_permissions(directory, Permissions::from_mode(0o755))?;
            above = directory.parent();
        }
        fs::write(&path, bytes)?;
        fs::set_permissions(&path, Permissions::from_mode(mode))
    }

    /// Every file below the root, without those for dpkg, sorted, relative to the root.
    fn files(&self) -> Result<Vec<String>, String> {
        let said = capture(
            command("find", &[".", "-type", "f", "-not", "-path", "./DEBIAN/*"]).current_dir(&self.root),
        )?;
        let mut files: Vec<String> =
            said.lines().map(|line| line.trim_start_matches("./").to_owned()).collect();
        files.sort();
        Ok(files)
    }

    /// The sums by which `dpkg --verify` finds files that were changed.
    pub fn md5sums(&self) -> Result<String, String> {
        capture(command("md5sum", &[]).args(self.files()?).current_dir(&self.root))
    }

    /// Size of all files in KiB, each rounded up as a file system would.
    pub fn size_kib(&self) -> Result<u64, String> {
        let length = |file: &String| fs::metadata(self.root.join(file)).map_or(0, |found| found.len());
        Ok(self.files()?.iter().map(|file| length(file).div_ceil(1024)).sum())
    }
}

/// The bytes as `gzip -9n` packs them: without name and time, so that the same input gives the same output.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let cannot = |e: io::Error| format!("gzip: {e}");
    let mut gzip = Command::new("gzip");
    let child = gzip.arg("-9n").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(cannot)?;
    let mut input = child.stdin.take().expect("it was asked for as a pipe");
    let output = std::thread::scope(|scope| {
        // A pipe holds less than the whole, so it is written while the output is read.
        scope.spawn(move || input.write_all(bytes));
        child.wait_with_output()
    });
    Ok(output.map_err(cannot)?.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_permissions_of_a_package() {
        let dir = tempfile::tempdir().unwrap();
        let tree = Tree::new(dir.path().join("tree")).unwrap();
        tree.file("usr/share/doc/x/a", b"a\n").unwrap();
        tree.compressed("usr/share/doc/x/b", &[b'b'; 200_000]).unwrap();
        tree.file("DEBIAN/control", b"").unwrap();
        let sums = tree.md5sums().unwrap();
        assert_eq!(sums.lines().count(), 2, "{sums}");
        assert!(sums.starts_with("60b725f10c9c85c70d97880dfe8191b3  usr/share/doc/x/a"), "{sums}");
        assert_eq!(tree.size_kib().unwrap(), 2);
        for (path, mode) in [("usr", 0o755), ("usr/share/doc/x/b.gz", 0o644)] {
            let found = fs::metadata(tree.root().join(path)).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{path}");
        }
    }
}
