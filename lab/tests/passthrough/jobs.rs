//! Jobs of commands, their counts and their data. The counts are those of fio 3.33 with `ioengine=io_uring_cmd` on the same drive,
//! unless something else is said.

use fathom_lab::{Drive, fathom};

use super::bench::{bytes, fio, generic, ios, run, says, sent};

const MIB: u64 = 1 << 20;

fn blank() -> Drive {
    let drive = Drive::by_serial("LAB-D");
    drive.blank();
    drive
}

/// Options of fio for commands.
fn of_fio(options: &str) -> String {
    format!("--ioengine=io_uring_cmd --cmd_type=nvme --iodepth=4 {options}")
}

#[test]
fn what_one_program_writes_the_other_verifies() {
    let drive = blank();
    let node = generic(&drive);
    let ours = [
        "rw=write iodepth=8 verify=crc32c do_verify=0 fixedbufs registerfiles",
        // It reads back what it wrote.
        "rw=randwrite offset=4m iodepth=8 verify=md5",
    ];
    assert_eq!(ios(&run(&drive, &ours)), [256, 256, 256]);
    let theirs = [
        of_fio("--rw=read --verify=crc32c"),
        of_fio("--rw=write --verify=crc32c --do_verify=0 --offset=2m"),
        "--ioengine=psync --direct=1 --rw=read --verify=crc32c".to_owned(),
    ];
    assert_eq!(fio(&node, &[&theirs[0], &theirs[1]]), [256, 256]);
    assert_eq!(fio(&drive.node, &[&theirs[2]]), [256], "the block device has the same data");
    assert_eq!(ios(&run(&drive, &["rw=read offset=2m iodepth=4 verify=crc32c"])), [256]);
}

#[test]
fn reads_in_every_way_are_the_reads_of_fio() {
    let drive = blank();
    let ours = [
        "rw=randread iodepth=8",
        "rw=randread sqthread_poll=1",
        "rw=read force_async=2 iodepth=4",
        "rw=read hipri nonvectored=1",
    ];
    let theirs = [
        "--rw=randread",
        "--rw=randread --sqthread_poll=1",
        "--rw=read --force_async=2",
        "--rw=read --hipri --nonvectored=1",
    ];
    let theirs = theirs.map(of_fio);
    let counted = fio(&generic(&drive), &theirs.each_ref().map(String::as_str));
    assert_eq!(counted, [256; 4]);
    assert_eq!(ios(&run(&drive, &ours)), counted);
}

/// fio 3.33 trims nothing with this engine, ends after the first flush, and reports success in both cases.
#[test]
fn trims_and_flushes_are_commands() {
    let drive = blank();
    let theirs = ["--rw=write --fsync=16", "--rw=trim"].map(of_fio);
    assert_eq!(fio(&generic(&drive), &theirs.each_ref().map(String::as_str)), [16, 0]);

    // None after the last write, but one at the end.
    let flushing = ["rw=write fsync=16 end_fsync=1 iodepth=4 size=2m"];
    let (flushed, flushes) = sent("nvme_cmd_flush", || run(&drive, &flushing));
    assert_eq!((ios(&flushed), flushes), (vec![512], 32));

    let (trimmed, trims) = sent("nvme_cmd_dsm", || run(&drive, &["rw=trim iodepth=4"]));
    assert_eq!((ios(&trimmed), trims), (vec![256], 256));
    let data = bytes(&drive, 2 * MIB);
    let (first, second) = data.split_at(MIB as usize);
    assert!(first.iter().all(|byte| *byte == 0) && second.iter().any(|byte| *byte != 0));

    let several = ["rw=randtrim offset=1m num_range=8 iodepth=16"];
    let (trimmed, trims) = sent("nvme_cmd_dsm", || run(&drive, &several));
    assert_eq!((ios(&trimmed), trims), (vec![256], 32), "eight ranges in each command");
    assert!(bytes(&drive, 2 * MIB).iter().all(|byte| *byte == 0));
}

#[test]
fn a_write_is_the_command_of_write_mode() {
    let drive = blank();
    let verifying = ["rw=write", "rw=write write_mode=verify"];
    let (verified, sent_to_verify) = sent("nvme_cmd_verify", || run(&drive, &verifying));
    assert_eq!((ios(&verified), sent_to_verify), (vec![256, 256], 256));
    assert!(bytes(&drive, MIB).iter().any(|byte| *byte != 0), "it changes nothing");
    let zeroing = ["rw=randwrite write_mode=zeroes deac=1 iodepth=4"];
    let (zeroed, zeroes) = sent("nvme_cmd_write_zeroes", || run(&drive, &zeroing));
    assert_eq!((ios(&zeroed), zeroes), (vec![256], 256));
    assert!(bytes(&drive, MIB).iter().all(|byte| *byte == 0));
    // QEMU's drive has no Write Uncorrectable, and says so.
    let place = format!("{}: write of 4096 bytes at offset 0: invalid command opcode", generic(&drive));
    says(&run(&drive, &["rw=write write_mode=uncor"]), &place);
}

#[test]
fn a_plan_and_the_json_of_fio_name_the_engine() {
    let drive = blank();
    let node = generic(&drive);
    let words = ["--name=a", "--ioengine=io_uring_cmd", "--rw=read", "--bs=4k", "--size=64k"];
    let name = format!("--filename={node}");
    let json = fathom(&[&["fio", "--output-format=json", &name], &words[..]].concat());
    assert_eq!(json.code, Some(0), "{json:?}");
    let text = &json.stdout[json.stdout.find('{').expect("it is JSON")..];
    let result: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
    assert_eq!(result["jobs"][0]["job options"]["ioengine"], "io_uring_cmd");
    assert_eq!(result["jobs"][0]["read"]["total_ios"], 16);
    let job = format!("[j]\nioengine=io_uring_cmd\nfilename={node}\nbs=4k\nrw=write\n");
    std::fs::write("/tmp/plan.fio", job).unwrap();
    let plan = fathom(&["run", "/tmp/plan.fio", "--plan", "--write", "LAB-D"]);
    assert!(plan.stdout.contains(&node) && plan.stdout.contains("384 MiB"), "{plan:?}");
}
