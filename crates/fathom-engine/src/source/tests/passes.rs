//! When a pass ends, and whether another one follows. Counts are those of fio
//! 3.33 with the same jobs.

use super::*;

#[test]
fn passes_and_their_limits_are_fios() {
    let cases = [
        // `loops` passes of 153 blocks, and more while `io_size` lacks a block.
        ("rw=randwrite\nbs=4k\nsize=629760\nio_size=2603008\nloops=3\n", 765),
        // Four passes of 87 blocks; after them, less than a block is missing.
        ("rw=randwrite\nbs=8k\nsize=719872\nio_size=2852864\nloops=2\n", 348),
        ("rw=randread\nbs=8k\nsize=1677312\nio_size=72%\n", 148),
        // Each pass goes beyond its limit, and the job beyond its own.
        ("rw=rw\nbs=4k\nsize=1444352\nloops=3\n", 1058),
        ("rw=randread\nbs=64k\nsize=64k\nio_size=1345536\n", 20),
        ("rw=randread\nbs=64k\nsize=64k\nio_size=1345536\nnorandommap\n", 21),
    ];
    for (options, ios) in cases {
        assert_eq!(all_of(options).len(), ios, "{options}");
    }
}

#[test]
fn a_file_that_is_read_and_written_gives_way_at_its_end() {
    let made = all_of("rw=rw\nfilename=f:g\nbs=4k\nsize=2m\nfile_service_type=sequential\n");
    assert_eq!(made.len(), 512);
    let first = made.iter().take_while(|desc| desc.file() == 0).count();
    // The first file is left when either direction has moved its 256 blocks.
    assert!((257..512).contains(&first), "{first} of 512 in the first file");
    assert!(made[first..].iter().all(|desc| desc.file() == 1));
}
