//! `ioengine=sg`: SCSI commands to a disk and to its generic character device. The disks are QEMU's (LAB-SCSI) and the kernel's
//! simulated one (scsi_debug), whose media can fail. The counts are those of fio 3.33 on the same disk, unless something else is said.

use std::fs;

use fathom_lab::{Drive, Run, Scope, fathom, sh};

use super::bench::{bytes, fio, ios, says};
use crate::purge::ranges::scsi_debug;

const SAVED: &str = "/tmp/scsi";
const EVENT: &str = "/sys/kernel/tracing/events/scsi/scsi_dispatch_cmd_start/enable";
const TRACE: &str = "/sys/kernel/tracing/trace";
/// Where scsi_debug has bad blocks, once `opts` has this bit: ten of them from block 0x1234 on.
const MEDIUM_ERROR: &str = "2";
const OPTS: &str = "/sys/bus/pseudo/drivers/scsi_debug/opts";

/// The generic character device of a disk.
#[track_caller]
pub fn node_of(drive: &Drive) -> String {
    let directory = format!("/sys/block/{}/device/scsi_generic", drive.name);
    let mut nodes = fs::read_dir(directory).expect("the driver sg is loaded");
    let node = nodes.next().expect("each SCSI device has a node").expect("it can be read");
    format!("/dev/{}", node.file_name().to_string_lossy())
}

/// Runs jobs on this node of a disk one after another. They may write.
#[track_caller]
fn run(drive: &Drive, node: &str, jobs: &[&str]) -> Run {
    let file = "/tmp/scsi.fio";
    let mut text = "[global]\nthread\nbs=4k\nsize=1m\n".to_owned();
    for (at, options) in jobs.iter().enumerate() {
        let engine = if options.contains("ioengine") { "" } else { "ioengine=sg\n" };
        let name = if options.contains("filename") { String::new() } else { format!("filename={node}\n") };
        text += &format!("[job{at}]\nstonewall\n{engine}{name}{}\n", options.replace(' ', "\n"));
    }
    fs::write(file, text).expect("/tmp is ours");
    let _ = fs::remove_dir_all(SAVED);
    let words = ["run", file, "-q", "--no-calibrate", "--json", "--destroy", &drive.serial];
    fathom(&[&words[..], &["--output-dir", SAVED]].concat())
}

/// What `act` returns, and how many commands that begin with these bytes the kernel gives to disks meanwhile.
#[track_caller]
fn sent<const N: usize, T>(first: [&str; N], act: impl FnOnce() -> T) -> (T, [usize; N]) {
    fs::write(TRACE, "").expect("tracefs is mounted");
    fs::write(EVENT, "1").expect("SCSI has this event");
    let done = act();
    fs::write(EVENT, "0").expect("SCSI has this event");
    let trace = fs::read_to_string(TRACE).expect("tracefs is mounted");
    let count = |bytes| trace.lines().filter(|line| line.contains(&format!("raw={bytes} "))).count();
    (done, first.map(count))
}

fn blank() -> (Drive, [String; 2]) {
    let drive = Drive::by_serial("LAB-SCSI");
    drive.blank();
    let nodes = [drive.node.clone(), node_of(&drive)];
    (drive, nodes)
}

#[test]
fn what_commands_write_the_block_layer_reads_and_the_other_way_round() {
    let (drive, nodes) = blank();
    for node in &nodes {
        let direct = format!("ioengine=psync direct=1 filename={}", drive.node);
        let jobs = [
            "rw=write verify=crc32c do_verify=0".to_owned(),
            format!("rw=read verify=crc32c {direct}"),
            format!("rw=randwrite offset=2m verify=md5 do_verify=0 {direct}"),
            "rw=read offset=2m verify=md5".to_owned(),
            // It reads back what it wrote.
            "rw=randwrite offset=4m verify=sha256 bs=16k".to_owned(),
        ];
        let run = run(&drive, node, &jobs.each_ref().map(String::as_str));
        assert_eq!(ios(&run), [256, 256, 256, 256, 64, 64], "{node}");
        let theirs =
            ["--rw=read --verify=crc32c", "--rw=randread", "--rw=write --verify=crc32c --do_verify=0"];
        let theirs = theirs.map(|options| format!("--ioengine=sg {options}"));
        assert_eq!(fio(node, &theirs.each_ref().map(String::as_str)), [256, 256, 256], "{node}");
        drive.blank();
    }
}

#[test]
fn each_io_is_its_command_with_its_bits() {
    let (drive, nodes) = blank();
    let theirs = ["--ioengine=sg --rw=write --fsync=16", "--ioengine=sg --rw=trim"];
    assert_eq!(fio(&nodes[1], &theirs), [256, 256]);
    for node in &nodes {
        let jobs = ["rw=write", "rw=write writefua=1", "rw=read", "rw=read readfua=1 hipri"];
        let (done, counts) = sent(["2a 00", "2a 08", "28 00", "28 08"], || run(&drive, node, &jobs));
        assert_eq!(ios(&done), [256; 4]);
        assert_eq!(counts[..2], [256, 256], "{node}");
        // The guard reads the disk, too, before the jobs.
        assert!(counts[2] >= 256 && counts[3] == 256, "{node}: {counts:?}");

        let jobs =
            ["rw=write fsync=16 end_fsync=1", "rw=write sg_write_mode=verify", "rw=trim bs=64k size=2m"];
        let (done, counts) = sent(["35 00", "2e 00", "42 00"], || run(&drive, node, &jobs));
        assert_eq!(ios(&done), [256, 256, 32]);
        assert!(counts[0] >= 16 && counts[1..] == [256, 32], "{node}: {counts:?}");
        assert!(bytes(&drive, 2 << 20).iter().all(|byte| *byte == 0), "what was trimmed reads as zeroes");
    }
}

#[test]
fn a_write_is_the_command_of_sg_write_mode() {
    let drive = scsi_debug();
    drive.blank();
    let node = node_of(&drive);
    let same = ["rw=write sg_write_mode=write_same"];
    assert_eq!(ios(&run(&drive, &node, &same)), [256]);
    let data = bytes(&drive, 1 << 20);
    let of_io = |io: usize, block: usize| &data[io * 4096 + block * 512..][..512];
    assert!((0..256).all(|io| (1..8).all(|block| of_io(io, block) == of_io(io, 0))), "one block is repeated");
    assert!(data.iter().any(|byte| *byte != 0));
    let verifying =
        ["rw=write sg_write_mode=verify_bytchk_00", "rw=write sg_write_mode=write_same_ndob size=512k"];
    assert_eq!(ios(&run(&drive, &node, &verifying)), [256, 128]);
    let after = bytes(&drive, 1 << 20);
    assert!(after[..1 << 19].iter().all(|byte| *byte == 0) && after[1 << 19..] == data[1 << 19..]);

    // Zeroes are what is there now.
    let zeroes = "size=512k zero_buffers=1";
    let comparing = [
        &format!("rw=write sg_write_mode=verify_bytchk_01 {zeroes}"),
        &format!("rw=write sg_write_mode=verify_bytchk_11 {zeroes}"),
    ];
    assert_eq!(ios(&run(&drive, &node, &comparing.map(String::as_str))), [128, 128]);
    let place = format!("{node}: write of 4096 bytes at offset 0: miscompare: miscompare during verify");
    says(&run(&drive, &node, &["rw=write sg_write_mode=verify_bytchk_01"]), &place);
    let place =
        format!("{node}: write of 4096 bytes at offset 0: illegal request: invalid command operation code");
    says(&run(&drive, &node, &["rw=write sg_write_mode=write_stream stream_id=1"]), &place);
}

#[test]
fn an_error_of_the_medium_is_the_error_of_its_io() {
    let drive = scsi_debug();
    drive.blank();
    let node = node_of(&drive);
    let before = fs::read_to_string(OPTS).unwrap().trim().to_owned();
    let mut scope = Scope::new();
    let set = |opts: &str| format!("echo {opts} > {OPTS}");
    scope.act(&["sh", "-c", &set(MEDIUM_ERROR)], &["sh", "-c", &set(&before)]);
    for node in [&node, &drive.node] {
        let failed = run(&drive, node, &["rw=read offset=2m"]);
        let place = format!(
            "{node}: read of 4096 bytes at offset 2383872: medium error: unrecovered read error \
             (SCSI sense key 0x3, code 0x11/0x00)"
        );
        says(&failed, &place);
        let went_on = run(&drive, node, &["rw=read offset=2m continue_on_error=read"]);
        assert_eq!(went_on.code, Some(4), "{}", went_on.stderr);
    }
    scope.end();
    assert_eq!(ios(&run(&drive, &node, &["rw=read offset=2m"])), [256]);
}

#[test]
fn a_plan_knows_the_disk_behind_the_node() {
    let (drive, [block, node]) = blank();
    let plan = |text: &str| {
        fs::write("/tmp/plan.fio", text).unwrap();
        fathom(&["run", "/tmp/plan.fio", "--plan", "--write", &drive.serial])
    };
    let shown = plan(&format!("[j]\nioengine=sg\nfilename={node}\nbs=4k\nrw=write\n"));
    assert!(shown.stdout.contains(&node) && shown.stdout.contains("128 MiB"), "{shown:?}");
    let both = "bs=4k\nrw=write\nsize=1m\n";
    let shared = plan(&format!(
        "[a]\nioengine=sg\nfilename={node}\n{both}[b]\nioengine=psync\ndirect=1\nfilename={block}\n{both}"
    ));
    let said = format!("{}{}", shared.stdout, shared.stderr);
    assert!(said.contains("a.0 and b.0 share 1 MiB"), "{said}");
    let odd = plan(&format!("[j]\nioengine=sg\nfilename={node}\nbs=1000\nsize=1m\nrw=write\n"));
    says(&odd, "takes commands in multiples of 512 bytes");

    // For these the kernel sends the same block numbers to the whole disk.
    let part = drive.partition_once();
    let partition_table = bytes(&drive, 64 << 10);
    assert_eq!(fio(&part, &["--ioengine=sg --rw=write --io_size=64k"]), [16]);
    assert_ne!(bytes(&drive, 64 << 10), partition_table, "fio writes over the beginning of the disk");
    let says_kind = |path: &str| {
        says(
            &plan(&format!("[j]\nioengine=sg\nfilename={path}\nbs=4k\nrw=write\n")),
            "neither a whole SCSI disk",
        );
    };
    says_kind(&part);
    drive.blank();
    let mut scope = Scope::new();
    let table = format!("echo '0 2048 linear {} 0' | dmsetup create lab-linear", drive.node);
    scope.act(&["sh", "-c", &table], &["dmsetup", "remove", "lab-linear"]);
    sh(&["dmsetup", "mknodes"]);
    says_kind("/dev/mapper/lab-linear");
    scope.end();
}
