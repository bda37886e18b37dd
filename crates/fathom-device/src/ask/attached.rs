//! The files behind loop devices, asked for without a wait that never ends.
//!
//! The kernel passes the question on to the file system of the backing file. If that does not
//! answer, because its server hangs or is gone, the caller waits, and no signal ends the wait.
//! Every program that looks at loop devices would hang then, whatever its own target is.

use crate::device::DevNumber;
use crate::loops::backing_file;
use crate::root::Root;
use crate::sys::LoopStatus;
use crate::sys::child::{self, Ask, ChildAnswer};
use std::collections::HashMap;
use std::ffi::CString;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a file system may take to report a file's numbers. It has them in memory, or asks one
/// server for them.
const LIMIT: Duration = Duration::from_secs(1);

/// An attached loop device. The kernel (since 5.15) gives every attachment another sequence number,
/// so an answer stays true.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Attached {
    name: String,
    diskseq: String,
    file: PathBuf,
}

/// What was answered; an error as its number, 0 for none within the limit.
type Known = Result<LoopStatus, i32>;

static KNOWN: Mutex<Option<HashMap<Attached, Known>>> = Mutex::new(None);

/// The file behind the loop device of this kernel name. The error is of the
/// kind `TimedOut` where its file system does not answer.
pub(super) fn file_behind(name: &str) -> io::Result<LoopStatus> {
    let asked = attached(name).ok_or_else(|| io::Error::from_raw_os_error(libc::ENXIO))?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if asked.diskseq.is_empty() || !known.contains_key(&asked) {
        // One process asks about all of them.
        let all = Root::live().list("/sys/block").unwrap_or_default();
        let loops = all.iter().filter(|other| other.starts_with("loop") && *other != name);
        let others = loops.filter_map(|other| attached(other)).filter(|other| !known.contains_key(other));
        let devices: Vec<Attached> = [asked.clone()].into_iter().chain(others).collect();
        let answers = ask(&devices)?;
        known.extend(devices.into_iter().zip(answers));
    }
    match known[&asked] {
        Ok(status) => Ok(status),
        Err(0) => Err(io::Error::new(
            ErrorKind::TimedOut,
            format!("the file system of {} does not answer", asked.file.display()),
        )),
        Err(error) => Err(io::Error::from_raw_os_error(error)),
    }
}

fn attached(name: &str) -> Option<Attached> {
    let root = Root::live();
    let file = backing_file(&root, name).ok()??;
    let diskseq = root.read_text(format!("/sys/block/{name}/diskseq")).unwrap_or_default();
    Some(Attached { name: name.to_owned(), diskseq, file })
}

/// Asks for the file behind each device, and whether the path of that file can be looked up: the
/// numbers may be remembered where the path is not.
fn ask(devices: &[Attached]) -> io::Result<Vec<Known>> {
    let name = |path: &Path| CString::new(path.as_os_str().as_bytes()).unwrap_or_default();
    let questions = devices.iter().flat_map(|device| {
        [Ask::Loop(name(&Path::new("/dev").join(&device.name))), Ask::Path(name(&device.file))]
    });
    let questions: Vec<Ask> = questions.collect();
    let answers = child::ask(&questions, LIMIT)?;
    let pairs = devices.iter().zip(answers.chunks_exact(2));
    Ok(pairs.map(|(device, pair)| known(device, pair[0], pair[1])).collect())
}

fn known(device: &Attached, numbers: Option<ChildAnswer>, path: Option<ChildAnswer>) -> Known {
    let (Some(numbers), Some(_)) = (numbers, path) else { return Err(0) };
    if numbers.error != 0 {
        return Err(i32::try_from(numbers.error).unwrap_or(libc::EIO));
    }
    let [dev, inode, rdev, node] = numbers.words;
    let number = Root::live().read_text(format!("/sys/block/{}/dev", device.name));
    // In a container a node may have the name of one device and the number of
    // another.
    match number.is_ok_and(|number| number == DevNumber::from_raw(node).to_string()) {
        true => Ok(LoopStatus::of([dev, inode, rdev])),
        false => Err(libc::ENODEV),
    }
}
