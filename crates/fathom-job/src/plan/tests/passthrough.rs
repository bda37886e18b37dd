//! Jobs of NVMe and SCSI commands.

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

#[test]
fn scsi_commands_go_to_whole_disks_and_their_nodes() {
    for (path, kind) in [("/dev/sda", TargetKind::Block), ("/dev/sg1", TargetKind::ScsiNode)] {
        let job = one(&format!("ioengine=sg filename={path} bs=4k size=1m rw=write iodepth=8"));
        let file = &job.jobs[0].files[0];
        assert_eq!((file.kind, file.lba.0, job.jobs[0].depth.reachable), (kind, 512, 1), "{path}");
        let odd = error_of(&format!("ioengine=sg filename={path} bs=1000 size=1m"));
        assert_eq!(odd.code, "V-44");
        assert!(odd.message.contains("takes commands in multiples of 512 bytes"), "{odd}");
        assert!(odd.hints.iter().all(|hint| !hint.contains("direct")), "{odd}");
    }
    for (options, code, hint) in [
        ("ioengine=psync filename=/dev/sg1", "control-node", "ioengine=sg sends commands"),
        ("ioengine=io_uring_cmd filename=/dev/sg1", "target-kind", "/dev/ng0n1"),
        ("ioengine=io_uring_cmd filename=/dev/sda", "target-kind", "/dev/ng0n1"),
        ("ioengine=sg filename=/dev/fioa", "target-kind", "partitions, volumes"),
        ("ioengine=sg filename=/dev/ng0n1", "target-kind", "lsscsi -g"),
        ("ioengine=sg filename=/dev/null", "target-kind", "lsscsi -g"),
        ("ioengine=sg filename=/data/mib", "target-kind", "lsscsi -g"),
        ("ioengine=sg filename=/dev/sg7", "target-missing", "lsscsi -g"),
    ] {
        let error = error_of(&format!("{options} bs=4k size=1m"));
        assert_eq!(error.code, code, "{options}: {error}");
        assert!(error.hints.iter().any(|line| line.contains(hint)), "{options}: {error}");
    }
}

#[test]
fn what_no_scsi_command_carries_is_an_error() {
    const SCSI: &str = "ioengine=sg filename=/dev/sda bs=4k size=1m rw=write";
    for (options, word) in [
        ("sync_file_range=write:8", "sync_file_range"),
        ("sync=1", "writefua=1"),
        ("sync=dsync", "sync"),
        ("prio=3", "prio"),
        ("prioclass=3", "prioclass"),
        ("priohint=3", "priohint"),
        ("write_hint=short", "write_hint"),
        ("zonemode=zbd", "zonemode"),
        ("num_range=2", "trims one range at a time"),
        ("sg_write_mode=write_stream", "stream_id is 0"),
        ("sg_write_mode=write_same verify=crc32c", "sg_write_mode=write_same"),
        ("sg_write_mode=verify_bytchk_01 verify=crc32c", "sg_write_mode=verify_bytchk_01"),
    ] {
        let error = error_of(&format!("{SCSI} {options}"));
        assert_eq!(error.code, "passthrough", "{options}: {error}");
        assert!(error.message.contains(word), "{options}: {error}");
    }
    for options in [
        "verify=md5 sg_write_mode=verify",
        "sg_write_mode=write_stream stream_id=3 writefua=1",
        "hipri",
        "sync=0 prioclass=0 fsync=1 direct=0",
    ] {
        one(&format!("{SCSI} {options}"));
    }
    let old = one(&format!("{SCSI} sg_write_mode=same"));
    assert_eq!(old.jobs[0].job.get(&crate::options::SG_WRITE_MODE), "write_same");
}
