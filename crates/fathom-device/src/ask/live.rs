//! Answers of the machine we run on.

use super::{Limit, Question, attached, file};
use crate::root::Unknown;
use crate::signature::Contents;
use crate::sys::child::{self, Ask};
use crate::sys::nvme::{self, AdminCommand};
use crate::sys::{self, cache, device_mapper};
use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

pub(super) fn answer(question: &Question) -> Result<Vec<u8>, Unknown> {
    match question {
        Question::NvmeController { controller } => {
            let identify = AdminCommand::identify(0, AdminCommand::CNS_CONTROLLER);
            send(controller, identify, AdminCommand::IDENTIFY_BYTES).map(|(bytes, _)| bytes)
        }
        Question::NvmeNamespace { controller, nsid } => {
            let identify = AdminCommand::identify(*nsid, AdminCommand::CNS_NAMESPACE);
            send(controller, identify, AdminCommand::IDENTIFY_BYTES).map(|(bytes, _)| bytes)
        }
        Question::NvmeLog { controller, page, len_bytes } => {
            send(controller, AdminCommand::log(*page, *len_bytes), *len_bytes).map(|(bytes, _)| bytes)
        }
        Question::NvmeFeature { controller, feature } => {
            let value = send(controller, AdminCommand::feature(*feature), 0);
            value.map(|(_, value)| value.to_le_bytes().to_vec())
        }
        Question::Space { path } => {
            let space = sys::file_system_at(path).map_err(|e| Unknown::from_io(path, &e))?;
            Ok(format!("{} {} {}", space.size_bytes, space.unused_bytes, space.free_bytes).into_bytes())
        }
        Question::Limit { limit } => limit_text(*limit).map_err(|e| Unknown::from_io(question.path(), &e)),
        Question::Unit { unit } => {
            let states = ["show", "--property=ActiveState", "--property=UnitFileState", "--value", unit];
            let text = systemctl(&states).map_err(|e| Unknown::from_io(question.path(), &e))?;
            Ok(text.lines().collect::<Vec<_>>().join(" ").into_bytes())
        }
        Question::Extents { path } => file::extents(path),
        Question::DirectIo { path } => file::direct_io(path),
        Question::Ext4Shape { device } => file::ext4_shape(Path::new("/dev").join(device).as_path()),
        Question::MapperTable { number, .. } => {
            let path = "/dev/mapper/control";
            let control = File::open(path).map_err(|e| Unknown::from_io(path, &e))?;
            let table = device_mapper::table(&control, *number).map_err(|e| Unknown::from_io(path, &e))?;
            Ok(table.into_bytes())
        }
        Question::LoopBacking { device } => {
            let status = attached::file_behind(device);
            let status = status.map_err(|e| Unknown::from_io(Path::new("/dev").join(device), &e))?;
            let device = status.rdev.map(|number| format!(" {number}")).unwrap_or_default();
            Ok(format!("{} {}{device}", status.dev, status.inode).into_bytes())
        }
        Question::Timers => {
            let list = ["list-timers", "--all", "--no-legend", "--no-pager", "--plain"];
            let text = systemctl(&list).map_err(|e| Unknown::from_io(question.path(), &e))?;
            Ok(text.into_bytes())
        }
        Question::Cached { path } => cached(path).map_err(|e| Unknown::from_io(path, &e)),
        Question::Contents { node } => {
            let path = format!("/dev/{}", node.replace('!', "/"));
            contents(&path).map_err(|e| Unknown::from_io(&path, &e))
        }
    }
}

fn cached(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let cached_bytes = cache::cached_bytes(&file)?;
    Ok(format!("{cached_bytes} {}", file.metadata()?.len()).into_bytes())
}

/// How long a device may take for its first block, and then for its two ends. A disk that was asleep needs longer, and answers
/// the next time.
const BLOCK_LIMIT: Duration = Duration::from_secs(5);

/// Opens it read-only and without waiting for a medium, as the guard does. A process that waits for
/// a device that does not answer cannot be ended, so another process reads a block first.
fn contents(path: &str) -> io::Result<Vec<u8>> {
    let block = Ask::Block(CString::new(path)?);
    match child::ask(&[block], BLOCK_LIMIT)?.first() {
        Some(None) => {
            let message = format!("it did not answer within {} s", BLOCK_LIMIT.as_secs());
            return Err(io::Error::new(io::ErrorKind::TimedOut, message));
        }
        Some(Some(answer)) if answer.error != 0 => {
            return Err(io::Error::from_raw_os_error(i32::try_from(answer.error).unwrap_or(libc::EIO)));
        }
        _ => {}
    }
    let mut node = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let size_bytes = node.seek(SeekFrom::End(0))?;
    Ok(Contents::read_within(&node, size_bytes, BLOCK_LIMIT)?.to_string().into_bytes())
}

/// What the drive sends, and its result.
fn send(controller: &str, command: AdminCommand, len_bytes: usize) -> Result<(Vec<u8>, u32), Unknown> {
    let path = format!("/dev/{controller}");
    let node = File::open(&path).map_err(|e| Unknown::from_io(&path, &e))?;
    send_to(&node, &path, command, len_bytes)
}

/// Identify Namespace (4,096 bytes) of an open generic character device.
pub fn identify_open(node: &File, nsid: u32) -> Result<Vec<u8>, Unknown> {
    let command = AdminCommand::identify(nsid, AdminCommand::CNS_NAMESPACE);
    send_to(node, "Identify Namespace", command, AdminCommand::IDENTIFY_BYTES).map(|(data, _)| data)
}

fn send_to(
    node: &File,
    path: &str,
    command: AdminCommand,
    len_bytes: usize,
) -> Result<(Vec<u8>, u32), Unknown> {
    let mut data = vec![0; len_bytes];
    let done = nvme::admin(node, command, &mut data).map_err(|e| Unknown::from_io(path, &e))?;
    match done.status {
        0 => Ok((data, done.result)),
        status => Err(Unknown::new(path, format!("the drive returned status 0x{status:x}"))),
    }
}

fn limit_text(limit: Limit) -> io::Result<Vec<u8>> {
    let resource = match limit {
        Limit::MemLock => libc::RLIMIT_MEMLOCK,
        Limit::NoFile => libc::RLIMIT_NOFILE,
    };
    let (soft, hard) = sys::limit(resource)?;
    let text = |value: Option<u64>| value.map_or_else(|| "unlimited".to_owned(), |v| v.to_string());
    Ok(format!("{} {}", text(soft), text(hard)).into_bytes())
}

/// What tells that systemd started the machine (sd_booted(3)).
const SYSTEMD: &str = "/run/systemd/system";

/// Where systemd did not start the machine, `systemctl` refuses every question, so its first refusal answers the others too. An
/// audit has eleven questions, and to start the program for each cost a fifth of the CPU time of a short run.
fn systemctl(words: &[&str]) -> io::Result<String> {
    static REFUSAL: OnceLock<(io::ErrorKind, String)> = OnceLock::new();
    let may_answer = Path::new(SYSTEMD).is_dir();
    if let (false, Some((kind, text))) = (may_answer, REFUSAL.get()) {
        return Err(io::Error::new(*kind, text.as_str()));
    }
    let answer = run("systemctl", words);
    if let (false, Err(refused)) = (may_answer, &answer) {
        REFUSAL.get_or_init(|| (refused.kind(), refused.to_string()));
    }
    answer
}

fn run(program: &str, words: &[&str]) -> io::Result<String> {
    let output = Command::new(program).args(words).output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
