//! The bytes of files that jobs have written: chunks that compress or differ, and blocks that repeat others.

use crate::support::run;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const BLOCK: usize = 4096;

/// What a job writes to a file of 1 MiB, in order.
fn written(options: &str) -> Vec<u8> {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("f");
    write(&path, options);
    std::fs::read(&path).unwrap()
}

fn write(path: &Path, options: &str) {
    let heard = run(&format!(
        "[j]\nioengine=psync\nfilename={}\nrw=write\nbs=4k\nsize=1m\nrandseed=3\n{options}\n",
        path.display()
    ));
    assert!(
        heard.outcomes.iter().all(|outcome| outcome.failure.is_none()),
        "{options}: {:?}",
        heard.outcomes
    );
}

fn blocks(data: &[u8]) -> Vec<&[u8]> {
    data.chunks(BLOCK).collect()
}

/// Each chunk ends with its zeros, and random bytes before them have few.
#[test]
fn each_chunk_compresses_by_itself() {
    for (option, chunk) in [("", 512), ("buffer_compress_chunk=2k", 2048), ("buffer_compress_chunk=4k", 4096)]
    {
        let data = written(&format!("buffer_compress_percentage=50\n{option}"));
        for (at, part) in data.chunks(chunk).enumerate() {
            let (random, zeros) = part.split_at(chunk / 2);
            assert!(zeros.iter().all(|byte| *byte == 0), "{option}: chunk {at}");
            let runs = random.chunks(16).filter(|run| run.iter().all(|byte| *byte == 0)).count();
            assert_eq!(runs, 0, "{option}: chunk {at}");
        }
    }
}

/// The bytes at the same place of two blocks differ only where one is changed before each write.
#[test]
fn bytes_are_changed_in_every_chunk_and_nowhere_else() {
    for (option, chunk) in [("", 512), ("scramble_chunk=1k", 1024), ("scramble_chunk=4k", 4096)] {
        let data = written(option);
        for pair in blocks(&data).windows(2) {
            for (at, (one, other)) in pair[0].chunks(16).zip(pair[1].chunks(16)).enumerate() {
                assert_eq!(one != other, (at * 16).is_multiple_of(chunk), "{option}: byte {}", at * 16);
            }
        }
    }
}

/// The blocks that come more than once, with the places of each.
fn repeated<'a>(blocks: &[&'a [u8]]) -> BTreeMap<&'a [u8], Vec<usize>> {
    let mut places: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for (at, block) in blocks.iter().enumerate() {
        places.entry(block).or_default().push(at);
    }
    places.retain(|_, places| places.len() > 1);
    places
}

/// Of 256 blocks about 128 repeat another one. The working set is of the first unique blocks: 5 % of 256 are twelve.
#[test]
fn a_duplicate_repeats_the_block_before_it_or_one_of_the_working_set() {
    let data = written("dedupe_percentage=50");
    let all = blocks(&data);
    for places in repeated(&all).values() {
        assert!(places.windows(2).all(|pair| pair[1] == pair[0] + 1), "one after the other: {places:?}");
    }
    assert!(repeated(&all).len() > 32, "{}", repeated(&all).len());
    for (option, most) in
        [("", 12), ("dedupe_working_set_percentage=1", 2), ("dedupe_working_set_percentage=3", 7)]
    {
        let data = written(&format!("dedupe_percentage=50\ndedupe_mode=working_set\n{option}"));
        let all = blocks(&data);
        let repeated = repeated(&all);
        assert_eq!(repeated.len(), most, "{option}");
        let copies: usize = repeated.values().map(Vec::len).sum();
        // 128 expected, and the originals; the standard deviation is 8.
        assert!((96..=180).contains(&copies), "{option}: {copies}");
    }
}

/// Two jobs that write a file each have blocks in common if both share their duplicates.
#[test]
fn duplicates_of_jobs_that_share_them_are_in_the_files_of_both() {
    let common = |options: &str| {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let heard = run(&format!(
            "[global]\nioengine=psync\ndirectory={}\nrw=write\nbs=4k\nsize=1m\ndedupe_percentage=50\n{options}\n\
             [a]\nfilename=a\n[b]\nfilename=b\n",
            dir.path().display()
        ));
        assert!(heard.outcomes.iter().all(|outcome| outcome.failure.is_none()), "{options}");
        let [a, b] = ["a", "b"].map(|name| std::fs::read(dir.path().join(name)).unwrap());
        let [a, b] =
            [&a, &b].map(|data| blocks(data).into_iter().map(<[u8]>::to_vec).collect::<BTreeSet<_>>());
        a.intersection(&b).count()
    };
    let shared = common("dedupe_mode=working_set\ndedupe_global=1");
    assert_eq!(shared, 24, "twelve blocks of each");
    assert_eq!(common("dedupe_mode=working_set"), 0);
    assert_eq!(common("dedupe_global=1"), 0, "a repeat of the last block is of the job's own");
}

/// `%o` is the offset of the pattern: of each interval, or of the whole write. The header of an interval takes its first bytes.
#[test]
fn a_pattern_begins_again_in_each_interval_or_goes_through_the_block() {
    let options = "verify=pattern_hdr\nverify_pattern=%o\"abc\"\nverify_interval=1k\n";
    for (option, restarts) in [("", false), ("verify_pattern_interval=1", true)] {
        let data = written(&format!("{options}{option}"));
        for (at, interval) in data.chunks(1024).enumerate() {
            let (of_write, within) = (at / 4 * BLOCK, at % 4 * 1024);
            let (offset, skipped) = if restarts { (of_write + within, 0) } else { (of_write, within) };
            let mut unit = (offset as u64).to_le_bytes().to_vec();
            unit.extend(b"abc");
            let expected: Vec<u8> = unit.iter().copied().cycle().skip(skipped).take(1024).collect();
            assert!(interval[64..] == expected[64..], "{option}: interval {at}: {:x?}", &interval[64..86]);
        }
    }
}
