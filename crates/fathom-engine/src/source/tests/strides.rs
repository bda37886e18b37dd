//! `zonemode=strided`: the offsets are those of fio 3.33, read from its `write_iolog` on a file of 256 KiB with blocks of 4 KiB.

use super::*;

/// Blocks of 4 KiB: the offsets of a job in a region of 256 KiB.
fn blocks(options: &str) -> Vec<u64> {
    let made = all_of(&format!("bs=4k\nsize=256k\nzonemode=strided\n{options}"));
    made.iter().map(|desc| desc.offset / 4096).collect()
}

fn text(blocks: &[u64]) -> String {
    blocks.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn sequential_zones_have_the_offsets_of_fio() {
    let table = [
        (
            "zonesize=16k\nzonerange=64k",
            64,
            "0 1 2 3 16 17 18 19 32 33 34 35 48 49 50 51 0 1 2 3 16 17 18 19",
        ),
        (
            "zonesize=16k\nzoneskip=16k",
            64,
            "0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 32 33 34 35 40 41 42 43 48",
        ),
        (
            "zonesize=16k\nzonerange=64k\nzoneskip=16k",
            64,
            "0 1 2 3 20 21 22 23 40 41 42 43 60 61 62 63 0 1 2 3 20",
        ),
        (
            "zonesize=16k\nzoneskip=2z",
            64,
            "0 1 2 3 12 13 14 15 24 25 26 27 36 37 38 39 48 49 50 51 60 61 62 63 0 1",
        ),
        (
            "zonesize=32k\nzonerange=16k",
            64,
            "0 1 2 3 0 1 2 3 4 5 6 7 4 5 6 7 8 9 10 11 8 9 10 11 12 13 14 15 12",
        ),
        (
            "zonesize=10k\nzonerange=20k",
            64,
            "0 1 2 5 6 7 10 11 12 15 16 17 20 21 22 25 26 27 30 31 32 35 36 37 40",
        ),
        (
            "zonesize=16k\nzonerange=100k",
            64,
            "0 1 2 3 25 26 27 28 50 51 52 53 0 1 2 3 25 26 27 28 50 51 52 53 0",
        ),
        (
            "zonesize=300k",
            64,
            "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30",
        ),
        (
            "zonesize=16k\nzonerange=64k\nloops=2",
            128,
            "0 1 2 3 16 17 18 19 32 33 34 35 48 49 50 51 0 1 2 3 16",
        ),
        // The last zone is cut off by the end of the region, which ends the pass.
        (
            "size=232k\nzonesize=16k\nzonerange=48k\nzoneskip=8k",
            18,
            "0 1 2 3 14 15 16 17 28 29 30 31 42 43 44 45 56 57",
        ),
    ];
    for (options, count, first) in table {
        let made = blocks(&format!("rw=read\n{options}"));
        assert!(text(&made).starts_with(first), "{options}: {}", text(&made));
        assert_eq!(made.len(), count, "{options}");
    }
}

#[test]
fn random_zones_are_visited_in_turn_and_no_block_comes_twice_in_a_visit() {
    let table = [
        // Zones as fio visits them, the I/Os of a visit, and the blocks of a zone.
        ("zonesize=16k\nzonerange=64k", vec![0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], 4, 16),
        ("zonesize=64k\nzonerange=64k", vec![0, 1, 2, 3], 16, 16),
    ];
    for (options, zones, visit, range) in table {
        let made = blocks(&format!("rw=randread\n{options}"));
        assert_eq!(
            made.chunks(visit).map(|blocks| blocks[0] / range).collect::<Vec<_>>(),
            zones,
            "{options}"
        );
        for blocks in made.chunks(visit) {
            let one_zone = blocks.iter().all(|block| block / range == blocks[0] / range);
            let different: HashSet<_> = blocks.iter().collect();
            assert!(one_zone && different.len() == visit, "{options}: {blocks:?}");
        }
    }
    // A visit that is longer than its zone fills it again.
    let made = blocks("rw=randread\nzonesize=64k\nzonerange=16k");
    assert!(
        made.chunks(4).enumerate().all(|(at, blocks)| {
            blocks.iter().collect::<HashSet<_>>().len() == 4
                && blocks.iter().all(|block| *block / 4 == at as u64 / 4)
        }),
        "{made:?}"
    );
}

#[test]
fn a_million_offsets_are_spread_evenly_in_each_zone() {
    let options = "rw=randread\nbs=4k\nsize=256k\nnorandommap\nio_size=4g\nzonemode=strided\nzonesize=16k\nzonerange=64k";
    let mut counts = [0u64; 64];
    all_of(options).iter().for_each(|desc| counts[(desc.offset / 4096) as usize] += 1);
    assert_eq!(counts.iter().sum::<u64>(), 1 << 20);
    let p = crate::fixture::fit_p_value(&counts, &[1.0 / 64.0; 64]);
    assert!(p > 0.001, "{counts:?}: p = {p}");
}

#[test]
fn reads_and_writes_share_a_visit_and_each_has_its_own_position() {
    let made = all_of("rw=rw\nbs=4k\nsize=256k\nzonemode=strided\nzonesize=16k\nzonerange=64k");
    assert_eq!(made.len(), 64);
    for (at, visit) in made.chunks(4).enumerate() {
        let zone = at as u64 % 4 * 16;
        for op in [Op::Read, Op::Write] {
            let blocks: Vec<u64> = visit.iter().filter(|d| d.op() == op).map(|d| d.offset / 4096).collect();
            assert_eq!(blocks, (zone..zone + blocks.len() as u64).collect::<Vec<_>>());
        }
    }
}

#[test]
fn each_file_has_its_own_visits() {
    let plan = planned(
        "[j]\nioengine=null\nrw=read\nbs=4k\nnrfiles=2\nsize=512k\nzonemode=strided\nzonesize=8k\nzonerange=64k",
    );
    let made = drawn(&mut source(&plan.jobs[0], 1), 12);
    let of = |file| {
        made.iter().filter(move |d| d.file() == file).map(|d| d.offset / 4096).take(6).collect::<Vec<_>>()
    };
    assert_eq!([of(0), of(1)], [[0, 1, 16, 17, 32, 33], [0, 1, 16, 17, 32, 33]]);
}
