//! The link `latest` in the directory of the runs, which leads to the newest run.
//!
//! The link is a convenience, so no file is lost for it: only a link that fathom
//! made is replaced. Anything else of that name stays as it is, and the run
//! reports that.

use crate::here::Here;
use crate::notice::Message;
use crate::run_id::is_id;
use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path};

/// Name of the link.
const NAME: &str = "latest";

/// Makes `latest` in `runs` lead to `dir`, which is in `runs`. Where links
/// cannot be made, it does nothing.
pub fn point_at(runs: &Path, dir: &Path, here: &Here) {
    let Some(name) = dir.file_name() else { return };
    let link = runs.join(NAME);
    match symlink(name, &link) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        _ => return,
    }
    if !is_ours(&link) {
        return here.tell(Message::note(format!(
            "{} was not made by fathom; it stays as it is, and does not lead to this run",
            link.display()
        )));
    }
    replace(runs, name);
}

/// Makes `latest` in `runs` lead to the newest run that is there, if it leads to `dir`, which a run that did not begin has
/// removed again. Without any run the link is removed.
pub fn take_back(runs: &Path, dir: &Path) {
    let link = runs.join(NAME);
    let leads_there = std::fs::read_link(&link).is_ok_and(|to| Some(to.as_os_str()) == dir.file_name());
    if !leads_there || dir.exists() {
        return;
    }
    let entries = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    // The name of a run begins with its time.
    match names.filter(|name| name.to_str().and_then(id_in).is_some()).max() {
        Some(newest) => replace(runs, &newest),
        None => drop(std::fs::remove_file(&link)),
    }
}

/// A link cannot be changed in place: a new link is made, and one step gives it the name.
fn replace(runs: &Path, name: &OsStr) {
    let partial = runs.join(format!(".{NAME}.{}", std::process::id()));
    if symlink(name, &partial).is_ok() && std::fs::rename(&partial, runs.join(NAME)).is_err() {
        let _ = std::fs::remove_file(&partial);
    }
}

/// A link that fathom made leads to a directory beside it that has the name of a
/// run. The run itself may have been removed since.
fn is_ours(link: &Path) -> bool {
    let Ok(to) = std::fs::read_link(link) else { return false };
    let mut parts = to.components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) => name.to_str().and_then(id_in).is_some(),
        _ => false,
    }
}

/// The id in the name of a run, `20261121-033846Z-NAME-ID`, as [`crate::run_dir::create`] makes it;
/// `None` for any other name.
pub fn id_in(name: &str) -> Option<&str> {
    let is_stamp = |text: &str| {
        text.len() == 16
            && text.bytes().enumerate().all(|(place, byte)| match place {
                8 => byte == b'-',
                15 => byte == b'Z',
                _ => byte.is_ascii_digit(),
            })
    };
    let (stamp, rest) = name.split_at_checked(16)?;
    let (_, id) = name.rsplit_once('-')?;
    let has_name = rest.len() > "-".len() + "-".len() + id.len() && rest.starts_with('-');
    (is_stamp(stamp) && is_id(id) && has_name).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_did_not_begin_is_not_the_latest() {
        let runs = tempfile::tempdir().unwrap();
        let at = |name: &str| runs.path().join(name);
        let (old, new) = ("20261121-033846Z-z-0000000000000", "20261122-033846Z-a-0000000000000");
        let leads_to = || std::fs::read_link(at(NAME)).ok().map(|to| to.to_str().unwrap().to_owned());
        symlink("20261123-033846Z-c-0000000000000", at(NAME)).unwrap();
        for (known, expected) in [(vec![old, "zzz"], Some(old)), (vec![new], Some(new))] {
            known.iter().for_each(|name| std::fs::create_dir(at(name)).unwrap());
            let before = std::fs::read_link(at(NAME)).unwrap();
            take_back(runs.path(), &at("another"));
            assert_eq!(std::fs::read_link(at(NAME)).unwrap(), before, "it led to another run");
            std::fs::remove_file(at(NAME)).unwrap();
            symlink("20261123-033846Z-c-0000000000000", at(NAME)).unwrap();
            take_back(runs.path(), &at("20261123-033846Z-c-0000000000000"));
            assert_eq!(leads_to().as_deref(), expected);
        }
        take_back(runs.path(), &at(new));
        assert_eq!(leads_to().as_deref(), Some(new), "it is there");
        [old, new].iter().for_each(|name| std::fs::remove_dir(at(name)).unwrap());
        take_back(runs.path(), &at(new));
        assert_eq!(leads_to(), None);
    }

    #[test]
    fn names_of_runs() {
        let names = ["20261121-033846Z-a-b-0000000000000", "20261121-033846Z-quick-7zq0c5m1xk9ab"];
        for name in names {
            assert!(id_in(name).is_some(), "{name}");
        }
        for name in [
            "",
            "latest",
            "archive",
            "20261121-033846Z",
            "20261121-033846Z-7zq0c5m1xk9ab",
            "20261121-033846Z--7zq0c5m1xk9ab",
            "20261121-033846Z-quick-7ZQ0C5M1XK9AB",
            "20261121-033846Z-quick-0a1b2c",
            "20261121_033846Z-quick-7zq0c5m1xk9ab",
            "mine-20261121-033846Z-quick-7zq0c5m1xk9ab",
            "日本語日本語日本語-quick-7zq0c5m1xk9ab",
        ] {
            assert_eq!(id_in(name), None, "{name}");
        }
    }
}
