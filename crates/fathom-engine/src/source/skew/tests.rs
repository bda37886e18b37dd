//! Each distribution against its mass function, by chi-square over a million draws, and against what fio
//! draws.

use super::*;
use crate::clock::Clock;
use crate::desc::DescBlock;
use crate::fixture::{fit_p_value, planned};
use crate::source::Source;
use std::collections::HashSet;

const DRAWS: usize = 1_000_000;
const BLOCK: u64 = 4096;

/// I/Os of a random job with these options: direction and offset of each.
fn drawn(options: &str, count: usize, seed: u64) -> Vec<(Direction, u64)> {
    let text = format!("[j]\nioengine=null\nrw=randread\nbs=4k\nio_size=100t\n{options}\n");
    let plan = planned(&text).jobs.remove(0);
    let mut source = Source::new(&plan, seed, 1, &Clock::calibrate(false), &|| false).expect("a source");
    let (mut all, mut block) = (Vec::with_capacity(count), [Desc::EMPTY; DescBlock::LEN]);
    while all.len() < count {
        let made = source.fill(&mut block);
        assert!(made > 0, "{options}");
        all.extend(block[..made].iter().filter_map(|desc| Some((desc.op().direction()?, desc.offset))));
    }
    all.truncate(count);
    all
}

/// How often each of the region's blocks was drawn.
fn hits(options: &str, blocks: u64) -> Vec<u64> {
    let mut hits = vec![0; blocks as usize];
    for (_, offset) in drawn(&format!("{options}\nsize={}", blocks * BLOCK), DRAWS, 1) {
        assert_eq!(offset % BLOCK, 0, "{options}");
        hits[(offset / BLOCK) as usize] += 1;
    }
    hits
}

/// Weights as shares of their sum.
fn shares(weights: impl Iterator<Item = f64>) -> Vec<f64> {
    let weights: Vec<f64> = weights.collect();
    let sum: f64 = weights.iter().rev().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// Cells in which fewer than 20 draws are expected are put together with the next ones, as the test of
/// fit needs.
fn check(options: &str, hits: &[u64], shares: &[f64]) {
    let (mut observed, mut expected) = (vec![0], vec![0.0]);
    for (n, share) in hits.iter().zip(shares) {
        if expected[expected.len() - 1] * DRAWS as f64 >= 20.0 {
            observed.push(0);
            expected.push(0.0);
        }
        *observed.last_mut().expect("one cell") += n;
        *expected.last_mut().expect("one cell") += share;
    }
    let p = fit_p_value(&observed, &expected);
    assert!(p > 1e-3, "{options}: p = {p} over {} cells", observed.len());
}

/// Which block has which rank, by the order of the job's own source.
fn by_rank(hits: &[u64], scatter: &Scatter) -> Vec<u64> {
    (0..hits.len() as u64).map(|rank| hits[scatter.at(rank) as usize]).collect()
}

/// With a centre, the order of ranks is fixed.
fn at_center(blocks: u64, center: f64, hottest: u64) -> Scatter {
    Scatter::new(blocks, 0, Some(center), hottest)
}

#[test]
fn zipf_follows_its_mass_function() {
    for theta in [0.0, 0.5, 0.9, 0.9999, 1.0001, 1.1, 1.2, 2.0, 5.0, 100.0] {
        for blocks in [1000, 65_536] {
            let options = format!("random_distribution=zipf:{theta}:0.25");
            let hits = by_rank(&hits(&options, blocks), &at_center(blocks, 0.25, 0));
            check(&options, &hits, &shares((1..=blocks).map(|k| (k as f64).powf(-theta))));
        }
    }
}

#[test]
fn pareto_follows_its_mass_function() {
    for h in [0.01f64, 0.1, 0.2, 0.5, 0.7, 0.99] {
        let blocks = 4099;
        let options = format!("random_distribution=pareto:{h}:0.75");
        let hottest = if h > 0.5 { blocks - 1 } else { 0 };
        let hits = by_rank(&hits(&options, blocks), &at_center(blocks, 0.75, hottest));
        let below = |k: u64| (k as f64 / blocks as f64).powf((1.0 - h).ln() / h.ln());
        check(&options, &hits, &shares((0..blocks).map(|k| below(k + 1) - below(k))));
    }
}

#[test]
fn pareto_gives_a_fifth_of_the_blocks_four_fifths_of_the_ios() {
    let mut hits = hits("random_distribution=pareto:0.2", 10_000);
    hits.sort_unstable_by(|a, b| b.cmp(a));
    let hot: u64 = hits[..2000].iter().sum();
    assert!((800_000 - 2000..800_000 + 6000).contains(&hot), "{hot} of {DRAWS}");
}

/// The standard normal density, integrated over a block by Simpson's rule.
fn normal_mass(from: f64, to: f64) -> f64 {
    let density = |z: f64| (-z * z / 2.0).exp();
    (to - from) / 6.0 * (density(from) + 4.0 * density((from + to) / 2.0) + density(to))
}

#[test]
fn normal_follows_its_mass_function() {
    for (deviation, center) in [(5.0, 0.5), (10.0, 0.3), (0.0, 0.5), (99.0, 0.5), (20.0, 0.0), (1.0, 1.0)] {
        let blocks = 3000u64;
        let options = format!("random_distribution=normal:{deviation}:{center}");
        let hits = hits(&options, blocks);
        let percent = if deviation == 0.0 { 100.0 / 12.0 } else { deviation };
        let z = |block: u64| (block as f64 / blocks as f64 - center) / (percent / 100.0);
        check(&options, &hits, &shares((0..blocks).map(|k| normal_mass(z(k), z(k + 1)))));
    }
}

/// Zones: first block, the block beyond the last one, and the share of the I/Os.
type ZoneShares = &'static [(u64, u64, f64)];

#[test]
fn zones_have_exactly_their_shares() {
    let blocks = 1000u64;
    let zoned: &[(&str, ZoneShares)] = &[
        (
            "zoned:60/10:30/20:8/30:2/40",
            &[(0, 100, 0.6), (100, 300, 0.3), (300, 600, 0.08), (600, 1000, 0.02)],
        ),
        ("zoned:33.3/10:66.7/90", &[(0, 100, 0.333), (100, 1000, 0.667)]),
        ("zoned:0/10:50/:50/", &[(0, 100, 0.0), (100, 550, 0.5), (550, 1000, 0.5)]),
        ("zoned:100/30", &[(0, 300, 1.0), (300, 1000, 0.0)]),
        ("zoned:50/40:50/50", &[(0, 400, 0.5), (400, 900, 0.5), (900, 1000, 0.0)]),
        ("zoned_abs:90/400k:10/3600k", &[(0, 100, 0.9), (100, 1000, 0.1)]),
    ];
    for (value, zones) in zoned {
        let options = format!("random_distribution={value}");
        let hits = hits(&options, blocks);
        let (mut used, mut expected) = (Vec::new(), Vec::new());
        for (from, to, share) in *zones {
            let zone = &hits[*from as usize..*to as usize];
            if *share == 0.0 {
                assert_eq!(zone.iter().sum::<u64>(), 0, "{options}");
                continue;
            }
            used.extend_from_slice(zone);
            expected.extend(zone.iter().map(|_| share / (to - from) as f64));
        }
        check(&options, &used, &expected);
    }
}

#[test]
fn each_direction_has_its_own_zones() {
    let options = "rw=randrw\nsize=400m\nrandom_distribution=zoned:100/50:0/50,0/50:100/50";
    let middle = 200 << 20;
    for (direction, offset) in drawn(options, 10_000, 1) {
        assert_eq!(offset < middle, direction == Direction::Read, "{direction:?} at {offset}");
    }
}

#[test]
fn reads_and_writes_of_other_lengths_share_their_hot_places() {
    let options = "rw=randrw\nbs=4k,16k\nsize=16m\nrandom_distribution=zipf:2:0.5";
    let all = drawn(options, 10_000, 1);
    for direction in [Direction::Read, Direction::Write] {
        let offsets: Vec<u64> = all.iter().filter(|io| io.0 == direction).map(|io| io.1).collect();
        let hot = offsets.iter().filter(|offset| **offset == 8 << 20).count();
        let share = hot as f64 / offsets.len() as f64;
        assert!((0.58..0.65).contains(&share), "{direction:?}: {share}, and 6 ÷ π² is 0.61");
    }
}

#[test]
fn the_whole_region_can_be_reached_and_nothing_beyond_it() {
    for value in ["zipf:0.5", "pareto:0.4", "normal:40", "zoned:50/10:50/90"] {
        // Of 1,000 blocks, fio's hash reaches 308.
        let reached = hits(&format!("random_distribution={value}"), 1000).iter().filter(|n| **n > 0).count();
        assert_eq!(reached, 1000, "{value}");
    }
}

#[test]
fn blocks_of_many_lengths_stay_in_the_region() {
    for value in ["zipf", "pareto:0.9", "normal:90", "zoned:50/50:50/50", "zoned_abs:100/192k"] {
        for sizes in ["bsrange=4k-64k", "bsrange=512-64k\nbs_unaligned", "bssplit=4k/50:60k/50\nba=512"] {
            for compat in ["none", "fio"] {
                let text = format!(
                    "[j]\nioengine=null\nrw=randrw\n{sizes}\nrandom_distribution={value}\nsize=200k\noffset=1m\n\
                     io_size=10m\ncompat={compat}\n"
                );
                let plan = planned(&text).jobs.remove(0);
                let mut source =
                    Source::new(&plan, 1, 1, &Clock::calibrate(false), &|| false).expect("a source");
                let (mut block, mut bytes) = ([Desc::EMPTY; DescBlock::LEN], 0);
                loop {
                    let made = source.fill(&mut block);
                    if made == 0 {
                        break;
                    }
                    for desc in &block[..made] {
                        let end = desc.offset + desc.bytes();
                        assert!(desc.offset >= 1 << 20 && end <= (1 << 20) + (200 << 10), "{text}: {desc:?}");
                        bytes += desc.bytes();
                    }
                }
                assert!(bytes >= 10 << 20, "{text}: {bytes} bytes, as norandommap would move");
            }
        }
    }
}

/// The places that the workers of a job visit most, one for each seed.
fn hottest(value: &str) -> HashSet<u64> {
    let of = |seed| {
        let all = drawn(&format!("size=400m\nrandom_distribution={value}"), 2000, seed);
        let mut count = std::collections::HashMap::new();
        all.iter().for_each(|(_, offset)| *count.entry(*offset).or_insert(0) += 1);
        *count.iter().max_by_key(|(_, n)| **n).expect("draws").0
    };
    (0..8).map(of).collect()
}

#[test]
fn a_given_centre_is_the_hottest_place_of_every_worker() {
    for name in ["zipf:2", "pareto:0.05"] {
        assert_eq!(hottest(&format!("{name}:0.25")), HashSet::from([100 << 20]), "{name}");
        assert_eq!(hottest(name).len(), 8, "{name}: without one, each worker has its own");
    }
}

/// What fio 3.33 did in a million I/Os of 4 KiB on 1,000 KiB (`ioengine=null`, offsets by `write_iolog`): how
/// many of the 250 blocks had 100 I/Os and more, and the most frequent ones with their share of the I/Os.
type FioHits = (&'static str, usize, &'static [(usize, f64)]);

const FIO_HITS: &[FioHits] = &[
    ("zipf:1.2:0.5", 98, &[(125, 0.25878), (6, 0.11492), (137, 0.08013), (152, 0.05714), (33, 0.04146)]),
    ("zipf:0.8:0.5", 98, &[(125, 0.10327), (6, 0.06101), (137, 0.04419), (152, 0.04281), (33, 0.03171)]),
    ("pareto:0.2:0.5", 97, &[(125, 0.47104), (6, 0.05058), (137, 0.02967), (152, 0.02691)]),
    ("normal", 66, &[(146, 0.02529), (96, 0.02526), (19, 0.02515), (242, 0.02511)]),
    ("normal:20:0.25", 73, &[(30, 0.02542), (26, 0.02505), (76, 0.02499), (103, 0.02498)]),
];

#[test]
fn compat_fio_draws_what_fio_draws() {
    for (value, reached, hot) in FIO_HITS {
        let hits = hits(&format!("compat=fio\nrandom_distribution={value}"), 250);
        let ours = hits.iter().filter(|n| **n >= 100).count();
        // A block that is drawn about a hundred times may be on either side.
        assert!(ours.abs_diff(*reached) <= 1, "{value}: {ours} blocks, with fio {reached}");
        for (block, share) in *hot {
            let ours = hits[*block] as f64 / DRAWS as f64;
            assert!((ours / share - 1.0).abs() < 0.03, "{value}: block {block} has {ours}, with fio {share}");
        }
    }
}

/// The two cases of fio's own test of the option, and what is not in it: the end of the region, a mix, percentage_random.
#[test]
fn blocks_come_in_the_given_order() {
    let order = |options: &str, count: usize| -> Vec<u64> {
        let text = format!("rw=randread\nrandom_distribution=sequence:2,0,1\n{options}");
        drawn(&text, count, 1).iter().map(|(_, offset)| offset / BLOCK).collect()
    };
    assert_eq!(order("size=48k", 7), [2, 0, 1, 2, 0, 1, 2]);
    let strides = "random_sequence_stride=1";
    assert_eq!(order(&format!("size=48k\n{strides}"), 6), [2, 0, 1, 5, 3, 4]);
    let round = order(&format!("size=20k\n{strides}"), 8);
    assert_eq!(round, [2, 0, 1, 2, 0, 1, 2, 0], "block 5 lies behind the region");
    assert_eq!(order("size=48k\nblockalign=8k", 3), [4, 0, 2]);
    assert_eq!(order("size=48k\noffset=4k", 3), [3, 1, 2]);
    let mixed = drawn("rw=randrw\nrandom_distribution=sequence:2,0,1\nsize=48k", 3000, 1);
    assert!(mixed.iter().enumerate().all(|(at, (_, offset))| *offset == [2, 0, 1][at % 3] * BLOCK));
    let reads = mixed.iter().filter(|(direction, _)| *direction == Direction::Read).count();
    assert!((1350..1650).contains(&reads), "{reads}: standard deviation 27");
    let beyond = "[j]\nioengine=null\nrw=randread\nbs=4k\nrandom_distribution=sequence:3\nsize=12k\n";
    assert!(crate::fixture::try_planned(beyond).is_none());
}
