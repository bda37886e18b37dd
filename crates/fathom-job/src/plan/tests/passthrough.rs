//! Jobs of NVMe commands.

use super::super::passthrough::checks_of;
use super::*;

const COMMANDS: &str = "ioengine=io_uring_cmd filename=/dev/ng0n1 bs=4k size=1m";

#[test]
fn a_namespace_is_a_drive_with_an_end_and_blocks() {
    let job = one(&format!("{COMMANDS} rw=write"));
    let file = &job.jobs[0].files[0];
    assert_eq!((file.kind, file.lba.0, file.size), (TargetKind::Namespace, 4096, Bytes::mib(1)));
    let whole = one("ioengine=io_uring_cmd filename=/dev/ng0n1 bs=4k rw=read");
    assert_eq!(whole.jobs[0].files[0].size, Bytes::gib(1));
    // A command is not buffered, so its blocks are whole whatever direct= says.
    let odd = error_of("ioengine=io_uring_cmd filename=/dev/ng0n1 bs=512 size=1m");
    assert_eq!(odd.code, "V-44");
    assert!(odd.hints.iter().all(|hint| !hint.contains("direct")), "{odd}");
}

#[test]
fn commands_go_to_namespaces_and_nothing_else_does() {
    for (options, code, hint) in [
        ("ioengine=psync filename=/dev/ng0n1", "control-node", "/dev/nvme0n1 is the same namespace"),
        ("ioengine=io_uring_cmd filename=/dev/fioa", "target-kind", "ioengine=io_uring"),
        ("ioengine=io_uring_cmd filename=/dev/null", "target-kind", "ioengine=io_uring"),
        ("ioengine=io_uring_cmd filename=/data/f", "target-missing", "ls /dev/ng*"),
        ("ioengine=io_uring_cmd filename=/dev/ng0n7", "target-missing", "ls /dev/ng*"),
    ] {
        let error = error_of(&format!("{options} bs=4k size=1m"));
        assert_eq!(error.code, code, "{options}: {error}");
        assert!(error.hints.iter().any(|line| line.contains(hint)), "{options}: {error}");
    }
}

#[test]
fn what_no_command_carries_is_an_error() {
    for (options, word) in [
        ("nowait=1", "nowait"),
        ("uncached=1", "uncached"),
        ("cmdprio_percentage=5", "cmdprio_percentage"),
        ("cmdprio_bssplit=4k/10", "cmdprio_bssplit"),
        ("cmdprio_class=2", "cmdprio_class"),
        ("sync_file_range=write:8", "sync_file_range"),
        ("zonemode=zbd", "zonemode"),
        ("pi_chk=GUARD,TAG", "pi_chk"),
        ("write_mode=zeroes verify=crc32c", "write_mode=zeroes"),
        ("num_range=4 iodepth=6", "num_range=4"),
    ] {
        let error = error_of(&format!("{COMMANDS} rw=write {options}"));
        assert_eq!(error.code, "passthrough", "{options}: {error}");
        assert!(error.message.contains(word), "{options}: {error}");
    }
    assert_eq!(
        error_of("ioengine=psync filename=/dev/fioa rw=trim bs=4k size=1m num_range=2").code,
        "passthrough"
    );
    let trims = one(&format!("{COMMANDS} rw=trim num_range=4 iodepth=8"));
    assert_eq!(trims.jobs[0].depth.reachable, 8, "trims are queued");
    one(&format!("{COMMANDS} rw=write write_mode=uncor nowait=0 cmdprio_percentage=0"));
}

#[test]
fn the_words_of_pi_chk_are_bits() {
    for (words, bits) in [("GUARD", 4), ("REFTAG,GUARD", 5), ("GUARD, APPTAG ,REFTAG", 7)] {
        let job =
            planned(&format!("[j]\nioengine=io_uring_cmd\nfilename=/dev/ng0n1\nsize=1m\npi_chk={words}\n"));
        assert_eq!(checks_of(&job.jobs[0].job), Some(bits), "{words}");
    }
    assert_eq!(checks_of(&one(COMMANDS).jobs[0].job), Some(0));
}
