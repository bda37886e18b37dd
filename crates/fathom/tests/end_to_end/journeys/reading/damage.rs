//! What can befall a directory: faults of disks and of people, and what a stranger puts there.

use crate::dice::Dice;
use crate::support::must;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longer than what any disk holds here.
const SPARSE_BYTES: u64 = 1 << 40;

/// A directory that is damaged.
pub struct Damage<'a> {
    pub dice: &'a mut Dice,
    /// The directory.
    pub dir: &'a Path,
    /// A directory elsewhere, with the file `secret`.
    pub outside: &'a Path,
    /// What was done, for the message of a failure.
    pub done: Vec<String>,
    /// A record was changed and has the right checksum.
    pub is_forged: bool,
}

impl Damage<'_> {
    /// Does one of the acts.
    pub fn act(&mut self) {
        let files = found(self.dir, |path| path.is_file());
        let dirs = found(self.dir, |path| path.is_dir());
        match (self.dice.below(26), files.is_empty(), dirs.is_empty()) {
            (0..=2, _, _) => self.strange_file(),
            (3, _, false) => self.of_directory(&dirs),
            (4..=6, false, _) => self.forge(&files),
            (_, false, _) => {
                let path = self.one(&files);
                self.of_file(&path, &files);
            }
            _ => {}
        }
    }

    fn tell(&mut self, what: &str, path: &Path) {
        let path = path.strip_prefix(self.dir).unwrap_or(path).display();
        self.done.push(format!("{what} {path}"));
    }

    /// One of the paths; more often one that is not deep.
    fn one(&mut self, paths: &[PathBuf]) -> PathBuf {
        let depth = |path: &Path| path.components().count();
        let least = paths.iter().map(|path| depth(path)).min().unwrap_or(0);
        let high: Vec<&PathBuf> = paths.iter().filter(|path| depth(path) == least).collect();
        let path = match self.dice.chance(40) {
            true => high[self.dice.below(high.len() as u64) as usize],
            false => &paths[self.dice.below(paths.len() as u64) as usize],
        };
        path.clone()
    }

    fn bytes(&mut self, most: u64) -> Vec<u8> {
        (0..=self.dice.below(most)).map(|_| self.dice.below(256) as u8).collect()
    }

    fn of_file(&mut self, path: &Path, all: &[PathBuf]) {
        let length = fs::metadata(path).unwrap().len();
        match self.dice.below(19) {
            0..=2 if length > 0 => {
                let (at, bit) = (self.dice.below(length), 1 << self.dice.below(8));
                let file = File::options().read(true).write(true).open(path).unwrap();
                let mut byte = [0];
                file.read_exact_at(&mut byte, at).unwrap();
                file.write_all_at(&[byte[0] ^ bit], at).unwrap();
                self.tell(&format!("flipped bit {bit} of byte {at} of"), path);
            }
            3 => {
                let left = self.dice.below(length.max(1));
                File::options().write(true).open(path).unwrap().set_len(left).unwrap();
                self.tell(&format!("cut to {left} bytes:"), path);
            }
            4 => {
                let more = self.bytes(5000);
                File::options().append(true).open(path).unwrap().write_all(&more).unwrap();
                self.tell(&format!("appended {} bytes to", more.len()), path);
            }
            5 => {
                fs::remove_file(path).unwrap();
                self.tell("removed", path);
            }
            6 => {
                let other = self.one(all);
                let aside = self.dir.join(".aside");
                fs::rename(path, &aside).unwrap();
                if other != path {
                    fs::rename(&other, path).unwrap();
                }
                fs::rename(&aside, &other).unwrap();
                self.tell("swapped", path);
                self.tell("with", &other);
            }
            7 => {
                let size = length.min(1 << 20);
                let random = self.bytes(size.max(1));
                fs::write(path, random).unwrap();
                self.tell("random bytes in", path);
            }
            8 => {
                let (depth, open) = (self.dice.of(&[100, 200_000]), self.dice.of(&["[", "{\"a\":"]));
                fs::write(path, open.repeat(depth)).unwrap();
                self.tell(&format!("{depth} of {open} in"), path);
            }
            9 => {
                let line =
                    format!("{{\"id\": \"{}\"}}", "x".repeat(self.dice.of(&[70_000, 15 << 20, 70 << 20])));
                fs::write(path, line).unwrap();
                self.tell("a giant line in", path);
            }
            10 => self.of_lines(path),
            11 => {
                fs::set_permissions(path, fs::Permissions::from_mode(self.dice.of(&[0, 0o777, 0o4755])))
                    .unwrap();
                self.tell("another mode of", path);
            }
            12 => {
                File::options().write(true).open(path).unwrap().set_len(SPARSE_BYTES).unwrap();
                self.tell("a sparse end of", path);
            }
            13 => {
                // The same content, and not in this directory. It is not copied, since it can be sparse.
                let moved = self.outside.join("moved");
                fs::rename(path, &moved).unwrap();
                symlink(&moved, path).unwrap();
                self.tell("a link to the moved", path);
            }
            _ => {
                fs::remove_file(path).unwrap();
                self.replace(path);
            }
        }
    }

    /// Puts something there that is not a regular file.
    fn replace(&mut self, path: &Path) {
        let secret = self.outside.join("secret");
        let what = match self.dice.below(9) {
            0..=1 => symlink(&secret, path).map(|()| "a link to the secret"),
            2 => {
                // From here up to the root, and down again.
                let up = "../".repeat(path.components().count() - 2);
                symlink(Path::new(&up).join(secret.strip_prefix("/").unwrap()), path)
                    .map(|()| "a relative link")
            }
            3 => symlink(path.file_name().unwrap(), path).map(|()| "a link to itself"),
            4 => symlink(self.outside, path).map(|()| "a link to a directory elsewhere"),
            5 => {
                must(Command::new("mkfifo").arg(path));
                Ok("a FIFO")
            }
            6 => fs::create_dir(path).map(|()| "a directory"),
            7 => {
                must(Command::new("mknod").arg(path).args(["c", "1", "5"]));
                Ok("/dev/zero")
            }
            _ => UnixListener::bind(path).map(|_| "a socket"),
        };
        // A path can be too long for a socket.
        let what = what.unwrap_or("nothing");
        self.tell(what, path);
    }

    /// A line is missing, there twice, or in the place of another.
    fn of_lines(&mut self, path: &Path) {
        if fs::metadata(path).unwrap().len() > 64 << 20 {
            return;
        }
        let text = fs::read(path).unwrap();
        let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let (one, other) = (
            self.dice.below(lines.len().max(1) as u64) as usize,
            self.dice.below(lines.len().max(1) as u64) as usize,
        );
        if lines.is_empty() {
            return;
        }
        match self.dice.below(3) {
            0 => drop(lines.remove(one)),
            1 => lines.insert(one, lines[other]),
            _ => lines.swap(one, other),
        }
        fs::write(path, lines.concat()).unwrap();
        self.tell("other lines in", path);
    }

    fn of_directory(&mut self, dirs: &[PathBuf]) {
        let path = self.one(dirs);
        let beside = |name: OsString| path.with_file_name(name);
        match self.dice.below(5) {
            0 => {
                fs::remove_dir_all(&path).unwrap();
                self.tell("removed", &path);
            }
            1 => {
                let copy = beside("0002-repeat".into());
                if !copy.exists() {
                    must(Command::new("cp").arg("-a").arg(&path).arg(&copy));
                }
                self.tell("doubled", &path);
            }
            2 => {
                fs::rename(&path, beside(strange_name(self.dice))).unwrap();
                self.tell("a strange name for", &path);
            }
            3 => {
                // The same, and elsewhere.
                let name = self.outside.join("directory");
                if !name.exists() {
                    fs::rename(&path, &name).unwrap();
                    symlink(&name, &path).unwrap();
                }
                self.tell("a link to the moved", &path);
            }
            _ => {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
                self.tell("no permissions of", &path);
            }
        }
    }

    /// Something that nobody saved.
    fn strange_file(&mut self) {
        let known = ["report.html", "topology.svg", "figures.txt", "manifest.json", "spool", "summary.txt"];
        let more =
            ["history", "procedure.json", "run.json", "rounds", "j_lat.9.log", "z.json", "sys", "latest"];
        let name = match self.dice.below(4) {
            0 => strange_name(self.dice),
            _ => self.dice.of(&[&known[..], &more[..]].concat()).into(),
        };
        let dirs = found(self.dir, |path| path.is_dir());
        let within =
            if dirs.is_empty() || self.dice.chance(60) { self.dir.to_owned() } else { self.one(&dirs) };
        let path = within.join(name);
        if fs::symlink_metadata(&path).is_ok() {
            return;
        }
        match self.dice.below(4) {
            0 => {
                let bytes = self.bytes(9000);
                fs::write(&path, bytes).unwrap();
                self.tell("new:", &path);
            }
            1 => {
                File::create(&path).unwrap().set_len(SPARSE_BYTES).unwrap();
                self.tell("new and sparse:", &path);
            }
            _ => self.replace(&path),
        }
    }

    /// Changes values of a record, and gives it the checksum that fits.
    fn forge(&mut self, files: &[PathBuf]) {
        let is_record = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name == "run.json" || name == "procedure.json" || name == "r.json"
        };
        let records: Vec<PathBuf> = files.iter().filter(is_record).cloned().collect();
        if records.is_empty() {
            return;
        }
        let path = self.one(&records);
        let is_sparse = fs::metadata(&path).is_ok_and(|meta| meta.len() > 64 << 20);
        let Ok(text) = (if is_sparse { return } else { fs::read_to_string(&path) }) else { return };
        let Ok(mut record) = serde_json::from_str::<Value>(&text) else { return };
        for _ in 0..=self.dice.below(3) {
            let values = count(&record);
            let mut at = self.dice.below(values);
            let new = self.hostile_value();
            let mut shown = new.to_string();
            shown.truncate(60);
            put(&mut record, &mut at, new);
            self.tell(&format!("forged as {shown} in"), &path);
        }
        fs::write(&path, with_checksum(&record)).unwrap();
        self.is_forged = true;
    }

    fn hostile_value(&mut self) -> Value {
        let secret = self.outside.join("secret");
        match self.dice.below(18) {
            0 => json!("../../outside/secret"),
            1 => json!(secret.to_str().unwrap()),
            2 => json!("\u{1b}[31m\u{7}\r\nroot"),
            3 => json!("<script>alert(1)</script>"),
            4 => json!("x".repeat(self.dice.of(&[300, 70_000]))),
            5 => json!(""),
            6 => json!(0),
            7 => json!(-1),
            8 => json!(u64::MAX),
            9 => json!(1e308),
            10 => json!(0.5),
            11 => json!(null),
            12 => json!(true),
            13 => json!([]),
            14 => json!({}),
            15 => json!(self.dice.below(1 << 40)),
            16 => json!("sim:consumer,memory=1t"),
            _ => json!("/proc/self/environ"),
        }
    }
}

/// How many values a document has, with those that hold others.
fn count(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum::<u64>(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// Puts a value in the place of the one with this number.
fn put(value: &mut Value, at: &mut u64, new: Value) -> Option<Value> {
    if *at == 0 {
        *value = new;
        *at = u64::MAX;
        return None;
    }
    *at -= 1;
    let within: Vec<&mut Value> = match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(fields) => fields.values_mut().collect(),
        _ => Vec::new(),
    };
    within.into_iter().try_fold(new, |new, value| put(value, at, new))
}

/// The text of a record, as fathom seals it: the checksum of all of it, with zeros in the place of the checksum.
fn with_checksum(record: &Value) -> String {
    const KEY: &str = "\"record_crc32\":\"";
    let mut text = serde_json::to_string(record).unwrap();
    let Some(at) = text.rfind(KEY).map(|at| at + KEY.len()).filter(|at| text.is_char_boundary(at + 8)) else {
        return text;
    };
    text.replace_range(at..at + 8, "00000000");
    let sum = format!("{:08x}", crc32fast::hash(text.as_bytes()));
    text.replace_range(at..at + 8, &sum);
    text
}

/// Names that are no text, command a terminal, or look like a path or an option.
fn strange_name(dice: &mut Dice) -> OsString {
    let names: [&[u8]; 7] = [
        b"\xff\xfe.json",
        b"\x1b[31mred",
        b"two\nlines",
        b"-rf",
        b"0001-\xe4",
        b".fathom-partial",
        "\u{202e}lmth.\u{200b}".as_bytes(),
    ];
    OsString::from_vec(dice.of(&names).to_vec())
}

/// All below the directory that fits, in order; no link is followed.
pub fn found(dir: &Path, fits: fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                open.push(path.clone());
            }
            if fits(&path) {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}
