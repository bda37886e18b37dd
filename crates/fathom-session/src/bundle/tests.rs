//! Bundles: what goes in comes out, and nothing else does.

use super::envelope::{HEADER, compressed};
use super::manifest::{BundleManifest, sha256};
use super::{BundleRequest, BundledFile, OpenedBundle, open, pack, place};
use crate::exit::{Exit, Failure};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

/// A run as a directory, and a place for bundles.
fn run() -> (TempDir, PathBuf) {
    let at = tempfile::tempdir().unwrap();
    let dir = at.path().join("20261121-033846Z-quick-0a1b2cq3mjk7z");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("spool"), [7; 3000]).unwrap();
    fs::write(dir.join("empty"), "").unwrap();
    seal(&dir);
    (at, dir)
}

/// Writes `run.json`, whose seal names all files that are there.
fn seal(dir: &Path) {
    let sealed = |(name, bytes): (PathBuf, Vec<u8>)| {
        let crc32 = format!("{:08x}", crc32fast::hash(&bytes));
        json!({ "name": name.to_str().unwrap(), "bytes": bytes.len(), "crc32": crc32 })
    };
    let files: Vec<Value> =
        files(dir).into_iter().filter(|(name, _)| !name.ends_with("run.json")).map(sealed).collect();
    let job = json!({ "engine": "null", "files": [] });
    let record = json!({
        "format": 1, "id": "0a1b2cq3mjk7z", "name": "quick", "started_unix_ns": 1_795_232_326_000_000_000_u64,
        "host": [], "plan": { "jobs": [job] }, "verdict": null, "finish": null,
        "seal": { "files": files, "record_crc32": "00000000" },
    });
    let text = record.to_string();
    let crc32 = format!("\"record_crc32\":\"{:08x}\"", crc32fast::hash(text.as_bytes()));
    fs::write(dir.join("run.json"), text.replace("\"record_crc32\":\"00000000\"", &crc32)).unwrap();
}

fn packed(dir: &Path, capture: Option<&Path>) -> Result<Vec<u8>, Failure> {
    packed_with(dir, capture).map(|(bytes, _)| bytes)
}

/// A bundle, and what is left out of it.
fn packed_with(dir: &Path, capture: Option<&Path>) -> Result<(Vec<u8>, Vec<String>), Failure> {
    let mut bytes = Vec::new();
    let configuration = Some("3fa94c1b".to_owned());
    let packed = pack(&BundleRequest { dir, capture, configuration }, &mut bytes)?;
    Ok((bytes, packed.left_out))
}

fn opened(at: &Path, bytes: &[u8]) -> Result<OpenedBundle, Failure> {
    let path = at.join("sent.fathom.tar.gz");
    fs::write(&path, bytes).unwrap();
    open(&path, place(&path).unwrap())
}

/// Names and contents of all files below a directory.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap()) {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(
                files(&entry.path())
                    .into_iter()
                    .map(|(path, it)| (PathBuf::from(entry.file_name()).join(path), it)),
            ),
            false => found.push((entry.file_name().into(), fs::read(entry.path()).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn what_goes_in_comes_out() {
    let (at, dir) = run();
    fs::write(dir.join("log\n\x1b[2J.log"), "a").unwrap();
    fs::write(dir.join("x".repeat(200)), "b").unwrap();
    seal(&dir);
    let before = files(&dir);
    symlink("/etc/passwd", dir.join("link")).unwrap();
    assert!(Command::new("mkfifo").arg(dir.join("fifo")).status().unwrap().success());
    fs::write(at.path().join("capture"), "fathom-tree 1\n").unwrap();
    let (bytes, left_out) = packed_with(&dir, Some(&at.path().join("capture"))).unwrap();
    assert_eq!(left_out, ["fifo", "link"]);
    let bundle = opened(at.path(), &bytes).unwrap();
    let mut expected = before.clone();
    expected.push(("capture.txt".into(), b"fathom-tree 1\n".to_vec()));
    expected.sort();
    assert_eq!(files(&bundle.dir()), expected, "links and pipes are left out, and nothing else");
    let manifest = &bundle.manifest;
    assert_eq!((manifest.kind.as_str(), manifest.id.as_deref()), ("run", Some("0a1b2cq3mjk7z")));
    assert_eq!(manifest.started.as_deref(), Some("2026-11-21 03:38:46 UTC"));
    assert_eq!(manifest.configuration.as_deref(), Some("3fa94c1b"));
    let unpacked = bundle.dir();
    drop(bundle);
    assert!(!unpacked.exists(), "the files stay");
    // What was unpacked can be bundled again, and is the same bundle.
    let again = opened(at.path(), &bytes).unwrap();
    fs::remove_file(again.dir().join("capture.txt")).unwrap();
    let same = packed(&again.dir(), Some(&at.path().join("capture"))).unwrap();
    assert!(same == bytes, "a bundle is not the same when it is made again");
}

#[test]
fn other_programs_unpack_a_bundle_and_verify_it() {
    let (at, dir) = run();
    // Names that sha256sum writes with escapes.
    fs::write(dir.join("a\\b\n\x1b[2J\r.log"), "a").unwrap();
    fs::write(dir.join("x".repeat(200)), "b").unwrap();
    seal(&dir);
    let sent = at.path().join("sent.fathom.tar.gz");
    fs::write(&sent, packed(&dir, None).unwrap()).unwrap();
    let tar = |words: &[&str]| {
        let output = Command::new("tar").args(words).arg(&sent).current_dir(&at).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let name = dir.file_name().unwrap().to_str().unwrap();
    assert!(tar(&["tzf"]).starts_with(&format!("{name}/manifest.json\n{name}/")));
    let before = files(&dir);
    fs::rename(&dir, at.path().join("kept")).unwrap();
    tar(&["xzf"]);
    let check = Command::new("sha256sum").args(["--strict", "-c", "SHA256SUMS"]).current_dir(&dir).output();
    let check = check.unwrap();
    assert!(check.status.success(), "{check:?}");
    assert_eq!(String::from_utf8(check.stdout).unwrap().lines().count(), before.len() + 1);
    ["manifest.json", "SHA256SUMS"].iter().for_each(|name| fs::remove_file(dir.join(name)).unwrap());
    assert_eq!(files(&dir), before);
}

/// A few bits of gzip hold nothing; what changes there changes nothing that is unpacked.
#[test]
fn a_bundle_with_one_byte_changed_cut_or_added_is_refused() {
    let (at, dir) = run();
    let bytes = packed(&dir, None).unwrap();
    let whole = files(&opened(at.path(), &bytes).unwrap().dir());
    let mut unseen = 0;
    for at_byte in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at_byte] ^= 1 << (at_byte % 8);
        match opened(at.path(), &changed) {
            Ok(same) => {
                assert_eq!(files(&same.dir()), whole, "byte {at_byte}");
                unseen += 1;
            }
            Err(refused) => {
                let expected = if at_byte < HEADER.len() { Exit::Usage } else { Exit::Incomplete };
                assert_eq!(refused.exit, expected, "byte {at_byte}: {}", refused.message);
            }
        }
    }
    assert!(unseen <= 1, "{unseen} changed bytes are not seen");
    for length in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        assert!(opened(at.path(), &bytes[..length]).is_err(), "cut after {length} bytes");
    }
    for added in [b"\0".as_slice(), b"more than the header of another member"] {
        let refused = opened(at.path(), &[bytes.as_slice(), added].concat()).unwrap_err();
        assert!(refused.message.contains("or something was added to it"), "{}", refused.message);
    }
}

/// An archive with these entries in a right envelope.
fn enveloped(fill: impl FnOnce(&mut Builder<&mut dyn Write>)) -> Vec<u8> {
    let mut gzip = compressed(Vec::new());
    let mut archive = Builder::new(&mut gzip as &mut dyn Write);
    fill(&mut archive);
    archive.finish().unwrap();
    drop(archive);
    gzip.finish().unwrap()
}

/// An entry, whose path is not looked at.
fn entry(archive: &mut Builder<&mut dyn Write>, kind: EntryType, path: &str, content: &[u8]) {
    let mut header = Header::new_gnu();
    header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_size(content.len() as u64);
    if kind.is_symlink() || kind.is_hard_link() {
        header.set_link_name("/etc/passwd").unwrap();
    }
    header.set_cksum();
    archive.append(&header, content).unwrap();
}

fn file(path: &str, content: &[u8]) -> BundledFile {
    BundledFile { path: path.to_owned(), bytes: content.len() as u64, sha256: sha256(content) }
}

/// A bundle with this manifest, these files, and the digests that fit the manifest.
fn made(manifest: &Value, entries: &[(EntryType, &str, &[u8])]) -> Vec<u8> {
    let text = manifest.to_string();
    let read: Option<BundleManifest> = serde_json::from_str(&text).ok();
    let sums = read.map(|manifest| manifest.sums(text.as_bytes()));
    made_as(manifest, entries, sums.as_deref())
}

fn made_as(manifest: &Value, entries: &[(EntryType, &str, &[u8])], sums: Option<&[u8]>) -> Vec<u8> {
    enveloped(|archive| {
        entry(archive, EntryType::Regular, "d/manifest.json", manifest.to_string().as_bytes());
        entries.iter().for_each(|(kind, path, content)| entry(archive, *kind, path, content));
        sums.iter().for_each(|sums| entry(archive, EntryType::Regular, "d/SHA256SUMS", sums));
    })
}

fn manifest(files: &[BundledFile]) -> Value {
    json!({
        "fathom_bundle": 1, "fathom": "0.1.0", "kind": "run", "id": null, "name": null, "started": null,
        "configuration": null, "directory": "d", "capture": null, "files": files,
    })
}

#[test]
fn what_fathom_does_not_write_is_refused_and_leaves_nothing() {
    const REGULAR: EntryType = EntryType::Regular;
    let at = tempfile::tempdir().unwrap();
    let listed = manifest(&[file("a", b"A")]);
    assert!(opened(at.path(), &made(&listed, &[(REGULAR, "d/a", b"A")])).is_ok());
    let with = |key: &str, value: Value| {
        let mut manifest = listed.clone();
        manifest[key] = value;
        manifest
    };
    let of = |path: &str| manifest(&[file(path, b"A")]);
    let huge = BundledFile { bytes: 9 << 30, ..file("a", b"A") };
    let full = BundledFile { bytes: u64::MAX, ..file("b", b"A") };
    let text = listed.to_string();
    let sums = serde_json::from_str::<BundleManifest>(&text).unwrap().sums(text.as_bytes());
    let with_more = made_as(
        &listed,
        &[(REGULAR, "d/a", b"A"), (REGULAR, "d/SHA256SUMS", &sums), (EntryType::Symlink, "d/l", b"")],
        None,
    );
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("is not the file of the manifest", made(&listed, &[(EntryType::Symlink, "d/a", b"")])),
        ("is not the file of the manifest", made(&listed, &[(EntryType::Link, "d/a", b"")])),
        ("is not the file of the manifest", made(&listed, &[(EntryType::Char, "d/a", b"")])),
        ("is not the file of the manifest", made(&listed, &[(EntryType::Fifo, "d/a", b"")])),
        ("is not the file of the manifest", made(&listed, &[(EntryType::Directory, "d/a", b"")])),
        ("is not the file of the manifest", made(&listed, &[(REGULAR, "d/a", b"AB")])),
        ("was changed", made(&listed, &[(REGULAR, "d/a", b"B")])),
        ("is missing", made_as(&listed, &[], None)),
        ("in the place of", made(&listed, &[])),
        ("\"SHA256SUMS\" is missing", made_as(&listed, &[(REGULAR, "d/a", b"A")], None)),
        ("\"SHA256SUMS\" of its files", made_as(&listed, &[(REGULAR, "d/a", b"A")], Some(b"0  a\n"))),
        ("\"SHA256SUMS\" was changed", made_as(&listed, &[(REGULAR, "d/a", b"A")], Some(&[b'0'; 148]))),
        ("twice", made(&of("SHA256SUMS"), &[(REGULAR, "d/SHA256SUMS", b"A")])),
        ("in the place of", made(&listed, &[(REGULAR, "d/b", b"A")])),
        ("in the place of", made(&listed, &[(REGULAR, "/d/a", b"A")])),
        ("in the place of", made(&listed, &[(REGULAR, "d/../a", b"A")])),
        ("of its files", made(&listed, &[(REGULAR, "d/a", b"A"), (REGULAR, "d/a", b"A")])),
        ("of its files", made(&listed, &[(REGULAR, "d/a", b"A"), (EntryType::Symlink, "d/l", b"")])),
        ("is not in its manifest", with_more),
        ("leads out of its directory", made(&of("../a"), &[(REGULAR, "d/../a", b"A")])),
        ("leads out of its directory", made(&of("/etc/a"), &[(REGULAR, "d//etc/a", b"A")])),
        ("leads out of its directory", made(&of("a/./b"), &[(REGULAR, "d/a/./b", b"A")])),
        ("leads out of its directory", made(&of("a\0"), &[])),
        ("leads out of its directory", made(&of(""), &[])),
        ("twice", made(&of("manifest.json"), &[(REGULAR, "d/manifest.json", b"A")])),
        ("twice", made(&manifest(&[file("a", b"A"), file("a", b"A")]), &[])),
        ("names no directory", made(&with("directory", "..".into()), &[])),
        ("names no directory", made(&with("directory", "d/e".into()), &[])),
        ("is not its manifest", made(&with("directory", "e".into()), &[])),
        ("bytes together", made(&manifest(&[huge]), &[])),
        ("bytes together", made(&manifest(&[file("a", b"A"), full]), &[])),
        ("has format 2; this fathom reads up to 1", made(&json!({ "fathom_bundle": 2, "new": [] }), &[])),
        ("its manifest cannot be read", made(&json!({ "fathom_bundle": 1 }), &[])),
        ("it is empty", enveloped(|_| {})),
        (
            "its first file is not a manifest",
            enveloped(|to| entry(to, EntryType::Symlink, "d/manifest.json", b"")),
        ),
    ];
    for (number, (why, bytes)) in cases.iter().enumerate() {
        let refused = opened(at.path(), bytes).expect_err(why);
        assert_eq!(refused.exit, Exit::Incomplete);
        assert!(refused.message.contains(why), "{number} {why}: {}", refused.message);
    }
    assert_eq!(files(at.path()).len(), 1, "the bundle alone");
}

/// A name is read into the memory, so its length is bounded before it is read.
#[test]
fn a_record_that_is_no_file_is_bounded() {
    let at = tempfile::tempdir().unwrap();
    let record = |kind: EntryType, length: usize| {
        let content = vec![b'x'; length];
        let listed = manifest(&[file("a", b"A")]);
        made(&listed, &[(kind, "././@LongLink", &content), (EntryType::Regular, "d/a", b"A")])
    };
    for (kind, length, why) in [
        (EntryType::GNULongName, 64 << 20, "it has a name of 67108864 bytes; at most 4096 are read"),
        (EntryType::GNULongName, 4000, "in the place of"),
        (EntryType::GNULongLink, 64 << 20, "a record that fathom does not write"),
        (EntryType::XHeader, 64 << 20, "a record that fathom does not write"),
        (EntryType::XGlobalHeader, 10, "a record that fathom does not write"),
    ] {
        let refused = opened(at.path(), &record(kind, length)).expect_err(why);
        assert!(refused.message.contains(why), "{kind:?}: {}", refused.message);
    }
    let twice = made(
        &manifest(&[file("a", b"A")]),
        &[(EntryType::GNULongName, "n", b"x"), (EntryType::GNULongName, "n", b"x")],
    );
    assert!(opened(at.path(), &twice).unwrap_err().message.contains("a name without a file"));
}

/// The seal names what is saved. What somebody put there, or changed and is opened in a browser, is not sent as fathom's.
#[test]
fn only_what_the_seal_names_is_packed() {
    let (_at, dir) = run();
    let names = |dir: &Path| {
        let mut bytes = Vec::new();
        let request = BundleRequest { dir, capture: None, configuration: None };
        let packed = pack(&request, &mut bytes).unwrap();
        let saved: Vec<String> = packed.manifest.files.into_iter().map(|file| file.path).collect();
        (saved.join(" "), packed.left_out.join(" "))
    };
    let two = |saved: &str, left_out: &str| (saved.to_owned(), left_out.to_owned());
    fs::create_dir(dir.join("rounds")).unwrap();
    let hostile = OsStr::from_bytes(b"\xff.sh");
    for name in [OsStr::new("extra.sh"), OsStr::new("report.html"), OsStr::new("rounds/x.sh"), hostile] {
        fs::write(dir.join(name), "FORGED").unwrap();
    }
    assert_eq!(names(&dir), two("empty run.json spool", "extra.sh report.html rounds \u{efff}.sh"));
    // A page that was saved with the run goes with it, and one that was changed since does not.
    fs::remove_file(dir.join(hostile)).unwrap();
    fs::remove_dir_all(dir.join("rounds")).unwrap();
    seal(&dir);
    assert_eq!(names(&dir), two("empty extra.sh report.html run.json spool", ""));
    fs::write(dir.join("report.html"), "FORGE!").unwrap();
    fs::write(dir.join("extra.sh"), "changed").unwrap();
    assert_eq!(names(&dir), two("empty extra.sh run.json spool", "report.html"));
    // Of a record that was changed, nobody knows what its seal named.
    let record = fs::read_to_string(dir.join("run.json")).unwrap();
    fs::write(dir.join("run.json"), record.replace("null", "NULL")).unwrap();
    assert_eq!(names(&dir), two("run.json spool", "empty extra.sh report.html"));
    // A procedure has its history, and the rounds that it names.
    let round = dir.join("rounds/0001-cell");
    fs::create_dir_all(&round).unwrap();
    fs::rename(dir.join("run.json"), dir.join("procedure.json")).unwrap();
    fs::rename(dir.join("spool"), dir.join("history")).unwrap();
    for name in ["spool", "x.sh"] {
        fs::write(round.join(name), "x").unwrap();
    }
    symlink("/etc", dir.join("rounds/0002-cell")).unwrap();
    assert_eq!(
        names(&dir),
        two(
            "history procedure.json rounds/0001-cell/spool",
            "empty extra.sh report.html rounds/0001-cell/x.sh rounds/0002-cell"
        )
    );
}

/// A sparse file of a terabyte would be read for hours.
#[test]
fn what_is_too_long_is_refused_before_it_is_read() {
    let (_at, dir) = run();
    let spool = fs::File::options().write(true).open(dir.join("spool")).unwrap();
    spool.set_len(1 << 40).unwrap();
    let refused = packed(&dir, None).unwrap_err();
    assert!(refused.message.contains("a bundle has at most"), "{}", refused.message);
    assert_eq!(refused.exit, Exit::Usage);
    // The bundle itself, too.
    spool.set_len(3000).unwrap();
    let (at, bundle) = (tempfile::tempdir().unwrap(), packed(&dir, None).unwrap());
    let path = at.path().join("sent.fathom.tar.gz");
    fs::write(&path, bundle).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    let refused = open(&path, place(&path).unwrap()).unwrap_err();
    assert!(
        refused.message.contains("it has 1099511627776 bytes, which no bundle has"),
        "{}",
        refused.message
    );
    assert_eq!(refused.exit, Exit::Incomplete);
}

/// A gigabyte of zeros in a file of a megabyte: only what the manifest promises is unpacked.
#[test]
fn a_decompression_bomb_is_not_unpacked() {
    let at = tempfile::tempdir().unwrap();
    let zeros = vec![0; 64 << 20];
    let bomb = made(&manifest(&[file("a", b"A")]), &[(EntryType::Regular, "d/a", &zeros)]);
    assert!(bomb.len() < 1 << 20);
    let refused = opened(at.path(), &bomb).unwrap_err();
    assert!(refused.message.contains("is not the file of the manifest"), "{}", refused.message);
    // As the manifest, which is read into memory: its length is bounded before it is read.
    let long = enveloped(|to| entry(to, EntryType::Regular, "d/manifest.json", &vec![b' '; 65 << 20]));
    assert!(opened(at.path(), &long).unwrap_err().message.contains("its first file is not a manifest"));
}

/// What is unpacked for a report is the reader's alone, also where the umask lets all read.
#[test]
fn what_is_unpacked_is_read_by_nobody_else() {
    use std::os::unix::fs::PermissionsExt;
    let dir = super::TemporaryDirectory::make("fathom-test-").unwrap();
    assert_eq!(std::fs::metadata(dir.path()).unwrap().permissions().mode() & 0o777, 0o700);
}

/// A bundle of files in a directory each.
fn of_rounds(count: usize) -> Vec<u8> {
    let names: Vec<String> = (0..count).map(|round| format!("rounds/{round:04}/spool")).collect();
    let paths: Vec<String> = names.iter().map(|name| format!("d/{name}")).collect();
    let files: Vec<BundledFile> = names.iter().map(|name| file(name, &[7; 3000])).collect();
    let entries: Vec<(EntryType, &str, &[u8])> =
        paths.iter().map(|path| (EntryType::Regular, path.as_str(), &[7; 3000][..])).collect();
    made(&manifest(&files), &entries)
}

/// A signal removes what was unpacked while it is being unpacked. Here it is moved away, so that it is gone at once.
#[test]
fn what_is_gone_while_it_is_unpacked_is_not_made_again() {
    let at = tempfile::tempdir().unwrap();
    let path = at.path().join("sent.fathom.tar.gz");
    fs::write(&path, of_rounds(1000)).unwrap();
    let unpacked = place(&path).unwrap();
    let (top, moved) = (unpacked.path().to_owned(), at.path().join("moved"));
    let (from, to) = (top.clone(), moved.clone());
    let mover = std::thread::spawn(move || {
        let until = Instant::now() + Duration::from_secs(60);
        while !from.join("d/rounds/0001").exists() && Instant::now() < until {
            std::thread::yield_now();
        }
        fs::rename(&from, &to)
    });
    // It is kept until the end: it would remove what was made again.
    let opened = open(&path, unpacked);
    mover.join().unwrap().unwrap();
    assert!(moved.join("d/rounds/0001").exists());
    assert!(!top.exists(), "it was made again: {:?}", opened.map(|opened| opened.dir()));
}

/// Only this user reads what was unpacked, whatever the umask is.
#[test]
fn all_that_is_unpacked_is_private() {
    let at = tempfile::tempdir().unwrap();
    let bundle = opened(at.path(), &of_rounds(2)).unwrap();
    let mode = |path: &str| fs::metadata(bundle.dir().join(path)).unwrap().permissions().mode() & 0o777;
    for path in ["", "rounds", "rounds/0001"] {
        assert_eq!(mode(path), 0o700, "{path}");
    }
    assert_eq!(mode("rounds/0001/spool"), 0o600);
}
