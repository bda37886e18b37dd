//! The control file: what dpkg must know.

use std::path::Path;

use super::metadata::Metadata;
use crate::command::capture;

/// The text below the first line of the description.
const DESCRIPTION: &str = "\
fathom measures disks, arrays, volumes and file systems: rates and latencies
with their intervals, what limits them, and the reasons to distrust a figure.
It runs the job files of fio and takes fio's command line, audits the host,
tunes it for a run and puts everything back, and empties drives with a proof.
.
It does not write to a device that holds data unless exactly this device is
named by its serial number.";

/// The file. `libraries` are the packages of the shared libraries, as dpkg-shlibdeps found them.
pub fn text(metadata: &Metadata, libraries: &str, size_kib: u64) -> String {
    let Metadata { name, version, architecture, maintainer, description, .. } = metadata;
    let synopsis = description.split_once(": ").map_or(description.as_str(), |(_, text)| text);
    let long: String = DESCRIPTION.lines().map(|line| format!(" {line}\n")).collect();
    format!(
        "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {maintainer}\n\
         Installed-Size: {size_kib}\nDepends: {libraries}\nSection: admin\nPriority: optional\n\
         Description: {synopsis}\n{long}"
    )
}

/// The packages of the shared libraries that the binary needs, with their versions.
pub fn libraries(binary: &Path, dir: &Path) -> Result<String, String> {
    // dpkg-shlibdeps looks for the control file of a source package.
    let debian = dir.join("debian");
    let make = || {
        std::fs::create_dir_all(&debian)?;
        std::fs::write(debian.join("control"), "Source: fathom\n\nPackage: fathom\nArchitecture: any\n")
    };
    make().map_err(|e| format!("{}: {e}", debian.display()))?;
    let mut command = crate::command::command("dpkg-shlibdeps", &["-O"]);
    let said = capture(command.arg(binary).current_dir(dir))?;
    let found = said.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    found.map(str::to_owned).ok_or_else(|| format!("dpkg-shlibdeps found no library: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_file_has_what_dpkg_must_know() {
        let metadata = Metadata::read().unwrap();
        let control = text(&metadata, "libc6 (>= 2.34)", 14_000);
        for line in control.lines().filter(|line| !line.starts_with(' ')) {
            let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            assert!(!name.is_empty() && !value.is_empty(), "{line}");
        }
        let synopsis = control.lines().find_map(|line| line.strip_prefix("Description: ")).unwrap();
        assert!(
            synopsis.len() <= 80 && !synopsis.starts_with("fathom") && !synopsis.ends_with('.'),
            "{synopsis}"
        );
        assert!(control.ends_with("serial number.\n"), "{control}");
        assert!(DESCRIPTION.lines().all(|line| line.len() < 80), "{control}");
        assert!(metadata.version.starts_with(env!("CARGO_PKG_VERSION")), "{metadata:?}");
        assert!(metadata.maintainer.contains(" <") && metadata.maintainer.ends_with('>'), "{metadata:?}");
    }
}
