//! Installs the package in a new Debian system, in a directory, and uses it there as a user would.
//!
//! The system is made by debootstrap, inside a namespace of mounts and processes of its own, so that nothing of it
//! is left when the proof ends.

use std::path::Path;

use super::need;
use crate::command::need_root;
use crate::command::{capture, command, run};

/// The programs of the proof, with the package of Debian that brings each.
const PROGRAMS: &[(&str, &str)] =
    &[("debootstrap", "debootstrap"), ("unshare", "util-linux"), ("chroot", "coreutils")];

/// Where Debian's packages come from.
const MIRROR: &str = "http://deb.debian.org/debian";

/// What is run in the new system, line by line. Each must succeed.
const USE: &str = include_str!("proof.sh");

/// Makes the system, installs the package, uses it.
pub fn prove(deb: &Path) -> Result<(), String> {
    need_root("cargo xtask package --prove")?;
    need(PROGRAMS)?;
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
