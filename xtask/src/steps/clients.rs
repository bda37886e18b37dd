//! Installs the clients of fio that are in no package of Debian: from PyPI, at fixed versions, in `target/clients`.
//!
//! The modules that they import are Debian's: see `packages.txt`.

use crate::command::{command, run};
use crate::workspace::{at, target};

/// As pip reads it.
const REQUIREMENTS: &str = include_str!("clients.txt");

/// Installs them, unless they are there.
pub fn install() -> Result<(), String> {
    let home = target().join("clients");
    let mark = home.join("clients.txt");
    if std::fs::read_to_string(&mark).is_ok_and(|installed| installed == REQUIREMENTS) {
        println!("nothing is missing");
        return Ok(());
    }
    if home.exists() {
        std::fs::remove_dir_all(&home).map_err(at(&home))?;
    }
    // Debian's Python, whatever is first in PATH: its modules are for that one.
    run(command("/usr/bin/python3", &["-m", "venv", "--system-site-packages"]).arg(&home))?;
    let list = home.join("wanted.txt");
    std::fs::write(&list, REQUIREMENTS).map_err(at(&list))?;
    let words =
        "install --quiet --no-deps --no-build-isolation --require-hashes --disable-pip-version-check -r";
    let words: Vec<&str> = words.split(' ').collect();
    run(command(&home.join("bin/pip").display().to_string(), &words).arg(&list))?;
    std::fs::rename(&list, &mark).map_err(at(&mark))
}
