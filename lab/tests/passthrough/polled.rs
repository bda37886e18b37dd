//! `hipri=1` on drives with a queue for polling (`nvme.poll_queues=1` on the kernel's command line): the worker asks the drive for its
//! completions, so none of them is an interrupt.

use std::fs;

use fathom_lab::{Drive, fathom};

use super::bench::{generic, ios};

/// Interrupts of the queues of all NVMe drives so far.
#[track_caller]
fn interrupts() -> u64 {
    let table = fs::read_to_string("/proc/interrupts").expect("Linux has it");
    let queues = table.lines().filter(|line| line.contains("nvme"));
    // Behind the number of the interrupt stands the count of each CPU, and then words.
    let counts =
        queues.flat_map(|line| line.split_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok()));
    counts.sum()
}

/// Reads 256 blocks one at a time, and returns the interrupts meanwhile.
#[track_caller]
fn interrupts_of(node: &str, options: &str) -> u64 {
    let file = "/tmp/polled.fio";
    let text = format!(
        "[job]\nfilename={node}\nrw=randread\nbs=4k\nsize=1m\ndirect=1\n{}\n",
        options.replace(' ', "\n")
    );
    fs::write(file, text).expect("/tmp is ours");
    let _ = fs::remove_dir_all("/tmp/polled");
    let before = interrupts();
    let run = fathom(&["run", file, "-q", "--no-calibrate", "--json", "--output-dir", "/tmp/polled"]);
    let after = interrupts();
    assert_eq!(ios(&run), [256]);
    after - before
}

#[test]
fn polled_completions_are_no_interrupts() {
    let drive = Drive::by_serial("LAB-D");
    assert_eq!(drive.attribute("queue/io_poll"), "1", "the driver has a queue for polling");
    let ng = generic(&drive);
    // Linux ignores the flag of pvsync2 since 5.19.
    for (node, engine) in [(&drive.node, "ioengine=io_uring"), (&ng, "ioengine=io_uring_cmd")] {
        // What fathom asks the drive beside its I/Os has interrupts, too.
        let (waited, polled) = (interrupts_of(node, engine), interrupts_of(node, &format!("{engine} hipri")));
        assert!(waited >= 256 && polled < waited - 200, "{engine}: {waited} and {polled} with hipri");
    }
}
