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

/// fio drops the pages of a file at the start of each pass of a buffered job, so no block of descriptors has I/Os of two passes.
#[test]
fn a_pass_that_begins_cold_begins_a_block() {
    for (options, begins, last) in [
        // One size: 256 I/Os are four whole blocks.
        ("bs=4k\nloops=3\n", vec![4, 8], 64),
        // A pass that ends within a block.
        ("bs=24k\nloops=2\n", vec![1], 42),
        ("bs=4k\nrw=read\nloops=3\n", vec![4, 8], 64),
        // Two files, and so the general path: 100 I/Os are a block and a part of one.
        ("bs=4k\nfilename=f:g\nnrfiles=2\nsize=400k\nloops=2\n", vec![2], 64),
        ("bs=4k\nloops=3\ninvalidate=0\n", vec![], 64),
        ("bs=4k\nloops=3\ndirect=1\n", vec![], 64),
        ("bs=4k\nloops=3\nnorandommap\n", vec![], 64),
        ("bs=4k\nloops=3\nrandom_distribution=zipf:1.2\n", vec![], 64),
        ("bs=4k\nloops=3\nrw=randread:8\n", vec![], 64),
        ("bs=4k\nio_size=3m\n", vec![4, 8], 64),
        ("bs=4k\nio_size=3m\nrw=read\n", vec![4, 8], 64),
        ("bs=4k\nio_size=3m\nnorandommap\n", vec![], 64),
        // Less than a pass in each loop.
        ("bs=4k\nio_size=512k\nloops=3\n", vec![4], 64),
        // The holes make a stream go round before its pass has moved all bytes.
        ("bs=4k\nrw=read:4k\nloops=2\n", vec![4], 64),
    ] {
        let mut source = source(&job(&format!("rw=randread\nsize=1m\n{options}")), 1);
        let mut block = [Desc::EMPTY; DescBlock::LEN];
        let (mut cold, mut number, mut most) = (Vec::new(), 0, 0);
        loop {
            let count = source.fill(&mut block);
            if source.begins_cold() {
                cold.push(number);
            }
            if count == 0 {
                break;
            }
            (number, most) = (number + 1, most.max(count));
        }
        assert_eq!((cold, most), (begins, last), "{options}");
    }
}

/// The files of a skewed choice keep their shares when the hottest has had all its blocks: it begins again, as in fio.
#[test]
fn a_file_that_is_drawn_more_often_keeps_its_share() {
    let job = |options: &str| {
        let made =
            all_of(&format!("rw=randread\nbs=4k\nsize=8m\nnrfiles=8\nfile_service_type=zipf:1.2\n{options}"));
        let mut counts = [0_u32; 8];
        made.iter().for_each(|desc| counts[desc.file() as usize] += 1);
        assert_eq!(made.len(), 2048, "the size of the job ends it");
        *counts.iter().max().unwrap()
    };
    // Of fio 3.33: 90.5 %.
    for options in ["", "norandommap=1\n", "random_generator=lfsr\n"] {
        let hottest = job(options);
        assert!(hottest > 1700, "{options}: {hottest} of 2048");
    }
}
