//! The Debian package: `target/package/fathom_VERSION_ARCH.deb`.
//!
//! ```text
//! dist build ────► binary ─► man pages, completions ─┐
//! docs, examples, licences, change log ──────────────┼─► tree ─► dpkg-deb ─► lintian
//! Cargo metadata, dpkg-shlibdeps ─► control ─────────┘
//! ```
//! `--prove` installs it in a new Debian system, in a directory, and uses it there.

mod documents;
mod tree;

use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::command::{capture, command, need_root, run};
use crate::steps::find_program;
use crate::workspace;
use documents::Metadata;
use tree::Tree;

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
    let bytes = deb.metadata().map_err(|e| format!("{}: {e}", deb.display()))?.len();
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
    std::fs::write(&script, SYSTEM).map_err(|e| format!("{}: {e}", script.display()))?;
    let usage = dir.path().join("use.sh");
    std::fs::write(&usage, USE).map_err(|e| format!("{}: {e}", usage.display()))?;
    // Mounts and processes of the new system end with the namespaces.
    let mut prove = command("unshare", &["--mount", "--pid", "--fork", "--kill-child", "sh", "-eu"]);
    prove.arg(&script).arg(suite.trim()).arg(&root).arg(MIRROR).arg(deb).arg(&usage);
    run(&mut prove)?;
    println!("the package installs in a new Debian {}, and works there", suite.trim());
    Ok(())
}

/// Makes the system. Arguments: suite, directory, mirror, package, script for the new system.
const SYSTEM: &str = "\
mount --make-rprivate /
debootstrap --variant=minbase --include=man-db,bash-completion \"$1\" \"$2\" \"$3\" > \"$2.log\" 2>&1 || { tail \"$2.log\"; exit 1; }
mount -t proc proc \"$2/proc\"
mount --rbind /sys \"$2/sys\"
cp \"$4\" \"$2/srv/fathom.deb\"
cp \"$5\" \"$2/srv/use.sh\"
chroot \"$2\" /usr/bin/env -i HOME=/srv LANG=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail /srv/use.sh
";
