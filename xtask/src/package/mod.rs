//! The Debian package: `target/package/fathom_VERSION_ARCH.deb`.
//!
//! ```text
//! dist build ────► binary ─► man pages, completions ─┐
//! docs, examples, licences, change log ──────────────┼─► tree ─► dpkg-deb ─► lintian
//! Cargo metadata, dpkg-shlibdeps ─► control ─────────┘
//! ```
//! `--prove` installs it in a new Debian system, in a directory, and uses it there.

mod control;
mod copyright;
mod documents;
mod metadata;
mod proof;
mod tree;

use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::command::{capture, command, run};
use crate::steps::find_program;
use crate::{fathom, workspace};

use self::metadata::Metadata;
use self::tree::Tree;

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
    if proves { proof::prove(&deb) } else { Ok(()) }
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
    let binary = fathom::build_dist()?;
    let metadata = Metadata::read()?;
    let dir = workspace::target().join("package");
    let tree = Tree::new(dir.join("tree"))?;
    documents::put(&tree, &binary, &metadata)?;
    let control = control::text(&metadata, &control::libraries(&binary, &dir)?, tree.size_kib()?);
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
