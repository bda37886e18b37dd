//! A filesystem with one file whose reads, or all requests, can be held back.
//!
//! The kernel's FUSE protocol spoken directly, as far as one file needs it
//! (linux/fuse.h, version 7.31): a request is a header of 40 bytes and a body, an
//! answer a header of 16 bytes and a body.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

const LOOKUP: u32 = 1;
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const READ: u32 = 15;
const STATFS: u32 = 17;
const RELEASE: u32 = 18;
const INIT: u32 = 26;
/// Requests that want no answer: FORGET, BATCH_FORGET, INTERRUPT.
const SILENT: [u32; 3] = [2, 42, 36];

const ROOT: u64 = 1;
const FILE: u64 = 2;
/// `FOPEN_DIRECT_IO`: every read comes to us, not to the page cache.
const DIRECT_IO: u32 = 1;

/// Which requests are not answered now.
#[derive(Default)]
struct Held {
    /// Reads, or everything.
    is_all: bool,
    /// Unique numbers of the requests, and their answers.
    answers: Vec<(u64, Vec<u8>)>,
}

/// The mounted filesystem; unmounted when dropped, even if requests in it hang.
pub struct Fuse {
    dir: PathBuf,
    device: Arc<File>,
    /// What is held back; `None` while everything is answered.
    held: Arc<Mutex<Option<Held>>>,
    server: Option<JoinHandle<()>>,
}

impl Fuse {
    /// Mounts it on a new directory; the file in it has `size` bytes of zeros.
    pub fn mount(dir: &Path, size: u64) -> Fuse {
        std::fs::create_dir_all(dir).unwrap();
        let device = File::options().read(true).write(true).open("/dev/fuse").expect("this kernel has FUSE");
        let device = Arc::new(device);
        let held = Arc::new(Mutex::new(None));
        let (its_device, its_held) = (device.clone(), held.clone());
        let server = std::thread::spawn(move || serve(&its_device, &its_held, size));
        let child = device.try_clone().unwrap();
        let options = "fd=0,rootmode=40000,user_id=0,group_id=0";
        let mut mount = Command::new("mount");
        mount.args(["-i", "-t", "fuse", "-o", options, "fathom-test"]).arg(dir).stdin(child);
        super::must(&mut mount);
        Fuse { dir: dir.to_owned(), device, held, server: Some(server) }
    }

    /// The file.
    pub fn file(&self) -> PathBuf {
        self.dir.join("data")
    }

    /// Stops answering reads.
    pub fn hold(&self) {
        self.held.lock().unwrap().get_or_insert_default();
    }

    /// Stops answering all requests.
    pub fn hold_all(&self) {
        self.held.lock().unwrap().get_or_insert_default().is_all = true;
    }

    /// Answers what was held back, and all requests to come.
    pub fn release(&self) {
        for (unique, body) in self.held.lock().unwrap().take().unwrap_or_default().answers {
            answer(&self.device, unique, &body);
        }
    }
}

impl Drop for Fuse {
    fn drop(&mut self) {
        self.release();
        super::unmount(&self.dir, &["--force"]);
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

fn serve(device: &File, held: &Mutex<Option<Held>>, size: u64) {
    let mut request = vec![0; 1 << 20];
    loop {
        let length = match (&*device).read(&mut request) {
            Ok(length) => length,
            // Not mounted yet.
            Err(e) if e.kind() == ErrorKind::PermissionDenied => {
                std::thread::sleep(std::time::Duration::from_millis(1));
                continue;
            }
            Err(e) if matches!(e.raw_os_error(), Some(libc::EINTR | libc::ENOENT)) => continue,
            // Unmounted.
            Err(_) => return,
        };
        serve_one(device, held, size, &request[..length]);
    }
}

fn serve_one(device: &File, held: &Mutex<Option<Held>>, size: u64, request: &[u8]) {
    let word = |at: usize| u32::from_le_bytes(request[at..at + 4].try_into().unwrap());
    let long = |at: usize| u64::from_le_bytes(request[at..at + 8].try_into().unwrap());
    let (opcode, unique, node) = (word(4), long(8), long(16));
    let answer = |device: &File, unique: u64, body: &[u8]| match &mut *held.lock().unwrap() {
        Some(held) if held.is_all || opcode == READ => held.answers.push((unique, body.to_vec())),
        _ => answer(device, unique, body),
    };
    match opcode {
        INIT => answer(device, unique, &init()),
        LOOKUP if &request[40..] == b"data\0" => {
            // Node, generation; nothing is valid for any time.
            let mut entry = [FILE, 0, 0, 0, 0].map(u64::to_le_bytes).concat();
            entry.extend(attributes(FILE, size));
            answer(device, unique, &entry);
        }
        LOOKUP => refuse(device, unique, libc::ENOENT),
        GETATTR => {
            let mut entry = [0u64; 2].map(u64::to_le_bytes).concat();
            entry.extend(attributes(node, size));
            answer(device, unique, &entry);
        }
        OPEN => answer(device, unique, &[0, u64::from(DIRECT_IO)].map(u64::to_le_bytes).concat()),
        // Body: handle, offset, length.
        READ => answer(device, unique, &vec![0; word(56) as usize]),
        STATFS => answer(device, unique, &[0; 80]),
        RELEASE => answer(device, unique, &[]),
        opcode if SILENT.contains(&opcode) => {}
        _ => refuse(device, unique, libc::ENOSYS),
    }
}

/// Version 7.31; reads ahead nothing, writes 128 KiB at a time.
fn init() -> Vec<u8> {
    let mut words = [0u32; 16];
    (words[0], words[1], words[5]) = (7, 31, 128 << 10);
    words.map(u32::to_le_bytes).concat()
}

/// `fuse_attr`: six long words, ten short ones.
fn attributes(node: u64, size: u64) -> Vec<u8> {
    let is_root = node == ROOT;
    let size = if is_root { 0 } else { size };
    let mode = if is_root { 0o040_755 } else { 0o100_644 };
    let mut bytes = [node, size, size / 512, 0, 0, 0].map(u64::to_le_bytes).concat();
    bytes.extend([0, 0, 0, mode, 1, 0, 0, 0, 4096, 0].map(u32::to_le_bytes).concat());
    bytes
}

fn answer(device: &File, unique: u64, body: &[u8]) {
    send(device, unique, 0, body);
}

fn refuse(device: &File, unique: u64, errno: i32) {
    send(device, unique, -errno, &[]);
}

/// Writes an answer. It is not an error if nobody waits for it any more.
fn send(device: &File, unique: u64, error: i32, body: &[u8]) {
    let mut bytes = (16 + body.len() as u32).to_le_bytes().to_vec();
    bytes.extend(error.to_le_bytes());
    bytes.extend(unique.to_le_bytes());
    bytes.extend(body);
    let _ = (&*device).write_all(&bytes);
}
