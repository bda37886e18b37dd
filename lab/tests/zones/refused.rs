//! What a zoned device does not take: each is one clear message.

use fathom_lab::{Run, fathom, sh};

use crate::zones::bench::{CAPACITY, Zoned};

/// The message of a run that ended with this code, in one line.
#[track_caller]
fn message(run: &Run, code: i32) -> String {
    assert_eq!(run.code, Some(code), "{run:?}");
    run.stderr.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A reset is a write, and what overwrites at random says that it cannot.
#[test]
fn nothing_is_written_or_reset() {
    let zoned = Zoned::new(4, 6);
    let node = zoned.drive.node.as_str();
    sh(&[
        "sh",
        "-c",
        &format!("dd if=/lab/tests of={node} bs=64k count=1 seek=128 oflag=direct conv=notrunc"),
    ]);
    let before = zoned.written();
    assert_eq!(before[..2], [64 << 10, 0]);
    zoned.take_operations();
    let job = "/tmp/trim.fio";
    std::fs::write(job, "[j]\nrw=trim\nbs=4m\ndirect=1\nzonemode=zbd\nioengine=psync\n").unwrap();
    assert!(message(&fathom(&["run", job, "--target", node]), 3).contains("--destroy"));
    let [option, word] = zoned.consent();
    for words in [&["precondition", node][..], &["pts", "iops", "--target", node]] {
        let run = fathom(&[words, &[option.as_str(), word.as_str()]].concat());
        assert!(message(&run, 2).contains("host-managed zoned device"), "{run:?}");
    }
    assert!(zoned.take_operations().is_empty());
    assert_eq!(zoned.written(), before);
    let text = fathom(&["devices", node]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("host-managed, 16 zones of 4 MiB, at most 4 open, at most 6 active"), "{text}");
}

/// Zones that are read-only or offline are left out, as in fio. Without the limits of the device, a fifth active zone is one too many.
#[test]
fn a_write_that_the_device_refuses_is_one_error() {
    let zoned = Zoned::new(4, 4);
    zoned.break_zone("zone_readonly", 3);
    zoned.break_zone("zone_offline", 5);
    let run = zoned.run_in_turn(&[
        "rw=write bs=256k offset=2z size=4z ioengine=psync",
        "rw=randwrite bs=64k offset=6z norandommap ignore_zone_limits=1 io_size=8m ioengine=psync",
    ]);
    let message = message(&run, 4);
    assert_eq!(message.matches("write of 65536 bytes at offset").count(), 1, "{message}");
    assert!(message.contains("more zones would be active than the device allows"), "{message}");
    let written = zoned.written();
    assert_eq!([written[0], written[2]], [CAPACITY; 2], "the zones beside those that are shut");
    assert_eq!(written[4..].iter().filter(|bytes| **bytes > 0).count(), 4, "{written:?}");
}
