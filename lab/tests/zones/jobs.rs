//! Jobs that write, read and reset. The counts are those of fio 3.33 on the same device, unless something else is said.

use fathom_lab::Scope;

use crate::zones::bench::{CAPACITY, MIB, SEQUENTIAL, Zoned, ios};

#[test]
fn jobs_are_where_the_write_pointers_are_and_reset_no_more_than_they_must() {
    let zoned = Zoned::new(4, 4);
    // What is full is emptied before it is written again. A trim leaves conventional zones out, on which it fails in fio.
    let counts = zoned.run_in_turn(&[
        "rw=write bs=256k ioengine=psync",
        "rw=read bs=256k ioengine=libaio iodepth=8",
        "rw=write bs=256k ioengine=io_uring iodepth=4 offset=2z size=2z",
        "rw=trim bs=4m ioengine=psync",
        "rw=write bs=256k ioengine=psync offset=2z size=1z number_ios=5",
    ]);
    assert_eq!(ios(&counts), [200, 200, 24, 14, 5], "32 blocks in conventional zones, 12 in each other");
    let operations = zoned.take_operations();
    assert_eq!((operations["ZONE_RESET"], operations.get("ZONE_FINISH")), (2 + SEQUENTIAL, None));
    let five_blocks = 5 * MIB / 4;
    assert_eq!(zoned.written()[..2], [five_blocks, 0]);

    // Another run finds the write pointer. fio would empty the zone instead of leaving its last 256 KiB.
    // Then four workers are at random, on two names of a device that takes no fifth active zone.
    let mut scope = Scope::new();
    scope.act(&["ln", "-s", &zoned.drive.node, "/tmp/zoned"], &["rm", "/tmp/zoned"]);
    let random =
        "rw=randwrite bs=64k offset=2z norandommap io_size=9m ioengine=libaio iodepth=8 group_reporting=0";
    let run = zoned.run(&[
        ("rest", "rw=write bs=512k ioengine=psync offset=2z size=1z"),
        ("three", &format!("stonewall=1 numjobs=3 {random}")),
        ("other", &format!("filename=/tmp/zoned {random}")),
    ]);
    let counts = ios(&run);
    assert_eq!((counts[0], counts[1..].iter().sum()), (3, 4 * 144));
    let operations = zoned.take_operations();
    assert_eq!(operations["ZONE_FINISH"], 1, "256 KiB were left");
    scope.end();
    let written = zoned.written();
    let partly = written.iter().filter(|bytes| (1..CAPACITY).contains(*bytes)).count();
    assert!((1..=4).contains(&partly), "{written:?}");
    let resets = operations.get("ZONE_RESET").copied().unwrap_or_default() as u64;
    assert_eq!(
        written.iter().sum::<u64>() + resets * CAPACITY,
        CAPACITY + 36 * MIB,
        "{written:?}, {resets} resets"
    );
}
