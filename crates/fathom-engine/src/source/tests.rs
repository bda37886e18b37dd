//! Whole sources: planned jobs in, descriptors out.

mod passes;
mod shares;
mod strides;
mod trims;

use super::build::BuildError;
use super::region::Region;
use super::stream::RandomKind;
use super::*;
use crate::clock::Clock;
use crate::fixture::{planned, try_planned};
use fathom_job::plan::{PlannedFile, PlannedJob};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

fn job(options: &str) -> PlannedJob {
    planned(&format!("[j]\nioengine=psync\nfilename=f\n{options}")).jobs.remove(0)
}

fn source(plan: &PlannedJob, seed: u64) -> Source {
    Source::new(plan, seed, usize::MAX, &Clock::calibrate(false), &|| false).expect("a source")
}

/// The first I/Os of the source, at most `most`.
fn drawn(source: &mut Source, most: usize) -> Vec<Desc> {
    let (mut all, mut block) = (Vec::new(), [Desc::EMPTY; DescBlock::LEN]);
    while all.len() < most {
        match source.fill(&mut block) {
            0 => break,
            made => all.extend_from_slice(&block[..made]),
        }
    }
    all
}

fn all_of(options: &str) -> Vec<Desc> {
    drawn(&mut source(&job(options), 1), 1 << 20)
}

fn offsets(descs: &[Desc]) -> Vec<u64> {
    descs.iter().map(|d| d.offset).collect()
}

#[test]
fn the_tight_loop_and_the_general_path_do_the_same_work() {
    for options in [
        "rw=randread\nbs=4k\nsize=1m\n",
        "rw=randrw\nrwmixread=30\nbs=4k\nsize=4m\n",
        "rw=write\nbs=4k\nsize=1m\nloops=2\n",
        "rw=randwrite\nbs=4k\nsize=1m\nnorandommap\n",
    ] {
        let plan = job(options);
        let (mut tight, mut general) = (source(&plan, 3), source(&plan, 3));
        assert!(tight.tight, "{options}");
        general.tight = false;
        let (a, b) = (drawn(&mut tight, 1 << 20), drawn(&mut general, 1 << 20));
        assert_eq!(a.len(), b.len(), "{options}");
        if !options.contains("norandommap") {
            let sorted = |mut o: Vec<u64>| {
                o.sort_unstable();
                o
            };
            assert_eq!(sorted(offsets(&a)), sorted(offsets(&b)), "{options}");
        }
        let reads = |all: &[Desc]| all.iter().filter(|d| d.op() == Op::Read).count();
        let off = reads(&a).abs_diff(reads(&b));
        assert!(off * off <= 32 * a.len(), "{options}: {} and {} reads", reads(&a), reads(&b));
    }
}

#[test]
fn sequential_jobs_go_from_the_start_to_the_end() {
    let expected: Vec<u64> = (0..16).map(|n| 65536 + n * 4096).collect();
    assert_eq!(offsets(&all_of("rw=read\nbs=4k\noffset=64k\nsize=64k\n")), expected);
}

/// As in fio 3.33, where 4 MiB of sequential I/O were 1,024 blocks of 4 KiB, and random I/O had blocks of 8 KiB.
#[test]
fn sizes_of_sequential_and_random_io() {
    for (options, block) in [
        ("rw=read\nbs=4k,8k", 4096),
        ("rw=write\nbs=4k,8k", 4096),
        ("rw=rw\nbs=4k,8k", 4096),
        ("rw=randread\nbs=4k,8k", 8192),
        ("rw=randwrite\nbs=4k,8k,16k", 8192),
        ("rw=randrw\nbs=4k,8k", 8192),
        ("rw=randread\nbs=4k,8k\npercentage_random=0", 4096),
        ("rw=randwrite\nbssplit=4k/100,8k/100", 8192),
    ] {
        let made = all_of(&format!("{options}\nbs_is_seq_rand=1\nsize=4m\n"));
        assert!(made.iter().all(|desc| desc.bytes() == block), "{options}");
        assert_eq!(made.len() as u64, (4 << 20) / block, "{options}");
    }
    for options in ["rw=randread\npercentage_random=50", "rw=randread:4"] {
        let text = format!("[j]\nioengine=psync\nfilename=f\nbs=4k,8k\nbs_is_seq_rand=1\n{options}");
        assert!(try_planned(&text).is_none(), "{options}");
    }
}

#[test]
fn a_postfix_of_a_sequential_job_leaves_holes() {
    let made = offsets(&all_of("rw=read:12k\nbs=4k\nsize=64k\nio_size=16k\n"));
    assert_eq!(made, [0, 16384, 32768, 49152]);
}

/// The places are those of fio 3.33, except for the first I/O of a job that goes
/// backwards: fio puts it at the start of the file.
#[test]
fn a_postfix_below_zero_goes_where_its_steps_lead() {
    let made = |postfix: &str| {
        offsets(&drawn(&mut source(&job(&format!("rw=read:{postfix}\nbs=4k\nsize=64k\n")), 1), 40))
    };
    let of = |step: i64, from: i64| move |n: i64| (from + n * step) as u64;
    assert_eq!(made("-2k")[..16], (0..16).map(of(2048, 0)).collect::<Vec<_>>());
    assert_eq!(made("-4k")[..16], [0; 16]);
    assert_eq!(made("-8k")[..15], (0..15).map(of(-4096, 57344)).collect::<Vec<_>>());
}

/// A region in which nothing can be placed: its first place is beyond its end.
fn without_room() -> Stream {
    let region = Region {
        base: 0,
        size: 65536,
        align: PerDirection::from_fn(|_| 4096),
        unit: 4096,
        seed: 1,
        first: 65536,
    };
    Stream::new(region, RandomKind::Uniform)
}

#[test]
fn a_source_that_can_place_nothing_runs_dry() {
    for options in [
        "rw=read\nbs=4k\n",
        "rw=rw\nbs=4k\n",
        "rw=read:8k\nbs=4k\n",
        "rw=rw:8k\nbs=4k,8k\n",
        "rw=trimwrite\nbs=4k\n",
        "rw=read\nbs=4k\nnrfiles=3\n",
        "rw=read\nbsrange=1k-8k\nnrfiles=3\nfile_service_type=random\n",
    ] {
        for rule in ["time_based\nruntime=1h\n", "ramp_time=1h\n", "loops=4000000000\n"] {
            let names = if options.contains("nrfiles") { "" } else { "filename=f\n" };
            let text = format!("[j]\nioengine=psync\n{names}{options}size=192k\n{rule}");
            let mut source = source(&planned(&text).jobs[0], 1);
            source.streams.iter_mut().for_each(|stream| *stream = without_room());
            assert_eq!((drawn(&mut source, 1).len(), source.is_stuck()), (0, true), "{text}");
        }
    }
}

#[test]
fn a_postfix_of_a_random_job_makes_runs() {
    let made = offsets(&drawn(&mut source(&job("rw=randread:8\nbs=4k\nsize=256m\n"), 5), 8000));
    let adjacent = made.windows(2).filter(|w| w[1] == w[0] + 4096).count();
    let share = adjacent as f64 / made.len() as f64;
    assert!((0.86..0.89).contains(&share), "7 of 8 follow the one before: {share}");
}

#[test]
fn identical_runs_stay_in_place() {
    let made = offsets(&drawn(
        &mut source(&job("rw=randread:4\nrw_sequencer=identical\nbs=4k\nsize=256m\n"), 5),
        4000,
    ));
    for run in made[..4000].chunks_exact(4) {
        assert!(run.iter().all(|&o| o == run[0]), "{run:?}");
    }
}

#[test]
fn each_trim_is_followed_by_a_write_of_the_same_range() {
    let made = all_of("rw=randtrimwrite\nbs=4k\nsize=1m\n");
    assert_eq!(made.len(), 512);
    for pair in made.chunks_exact(2) {
        assert_eq!((pair[0].op(), pair[1].op()), (Op::Trim, Op::Write));
        assert_eq!((pair[0].offset, pair[0].len()), (pair[1].offset, pair[1].len()));
    }
}

#[test]
fn every_pass_has_an_order_of_its_own() {
    let made = offsets(&all_of("rw=randread\nbs=4k\nsize=1m\nloops=2\n"));
    let (first, second) = made.split_at(256);
    assert_ne!(first, second);
    assert_eq!(first.iter().collect::<HashSet<_>>(), second.iter().collect::<HashSet<_>>());
}

#[test]
fn a_seed_decides_everything() {
    for options in ["rw=randrw\nbssplit=4k/50:16k/50\nsize=64m\n", "rw=randread\nbs=4k\nsize=64m\n"] {
        let plan = job(options);
        let made = |seed| drawn(&mut source(&plan, seed), 500);
        assert_eq!(made(7), made(7), "{options}");
        assert_ne!(made(7), made(8), "{options}");
    }
}

#[test]
fn a_restart_gives_back_the_whole_budget() {
    let plan = job("rw=write\nbs=4k\nsize=64k\nfsync=3\nramp_time=1s\n");
    let mut source = source(&plan, 1);
    assert!(drawn(&mut source, 1000).len() >= 1000, "a ramp has no limit but time");
    source.restart(std::iter::empty(), 0, 0);
    let made = drawn(&mut source, 1000);
    assert_eq!(made.iter().filter(|d| d.op() == Op::Write).count(), 16);
    assert_eq!(made.iter().filter(|d| d.op() == Op::Fsync).count(), 5);
    assert_eq!(made[0].op(), Op::Write, "no fsync is left over from the ramp");
}

#[test]
fn offsets_go_on_after_the_ramp() {
    const BLOCKS: u64 = 20;
    for rw in ["write", "randread", "rw", "randwrite\nfsync=7"] {
        let plan = job(&format!("rw={rw}\nbs=4k\nsize=80k\nramp_time=1s\n"));
        let mut source = source(&plan, 1);
        let ramp = drawn(&mut source, 30);
        let is_data = |desc: &&Desc| desc.op().direction().is_some();
        // The last ten were made and not issued.
        let (issued, unissued) = ramp.split_at(ramp.len() - 10);
        source.restart(unissued.iter().copied(), 0, 0);
        let made: Vec<Desc> = drawn(&mut source, 1000).iter().filter(is_data).copied().collect();
        assert_eq!(made.len() as u64, BLOCKS, "{rw}: the limit is the job's own");
        let kept: Vec<Desc> = unissued.iter().filter(is_data).copied().collect();
        assert_eq!(made[..kept.len()], kept, "{rw}: nothing that was made is lost");
        if rw == "write" {
            let first = issued.len() as u64;
            let expected: Vec<u64> = (first..first + BLOCKS).map(|at| at % BLOCKS * 4096).collect();
            assert_eq!(offsets(&made), expected, "it does not rewind");
        }
        if rw == "randread" {
            // The pass that the ramp began is completed before the next one.
            let begun = &issued[issued.len() - issued.len() % BLOCKS as usize..];
            let whole = [begun, &made[..BLOCKS as usize - begun.len()]].concat();
            assert_eq!(offsets(&whole).iter().collect::<HashSet<_>>().len() as u64, BLOCKS);
        }
    }
}

#[test]
fn what_a_descriptor_cannot_say_is_refused() {
    let mut plan = job("rw=read\nbs=4k\nsize=1m\n");
    let huge = fathom_job::plan::BlockSizes::Fixed(fathom_job::units::Bytes(1 << 32));
    plan.block = PerDirection::from_fn(|_| huge.clone());
    let refusal =
        |plan: &PlannedJob| Source::new(plan, 1, usize::MAX, &Clock::calibrate(false), &|| false).err();
    assert_eq!(refusal(&plan), Some(BuildError::Block { block: 1 << 32 }));
    // A trim and a write of one range.
    plan.rw.mix = fathom_job::value::Mix::TrimWrite;
    assert_eq!(refusal(&plan), Some(BuildError::Block { block: 1 << 32 }));
}

#[test]
fn a_region_smaller_than_the_largest_draw_still_ends() {
    // The draw that does not fit shrinks to the one that does.
    let mut plan = job("rw=randread\nbssplit=4k/50:64k/50\nsize=1m\nnorandommap\nio_size=64k\n");
    let size = fathom_job::units::Bytes(16384);
    plan.files = plan.files.iter().map(|file| PlannedFile { size, ..file.clone() }).collect();
    let made = drawn(&mut source(&plan, 1), 1000);
    assert!(!made.is_empty() && made.iter().all(|d| d.offset + u64::from(d.len()) <= 16384), "{made:?}");
}

/// Job texts of many shapes; not all of them can be planned.
fn shapes() -> impl Strategy<Value = String> {
    let rw = prop::sample::select(vec![
        "read",
        "write",
        "trim",
        "rw",
        "randread",
        "randwrite",
        "randrw",
        "randtrim",
        "trimwrite",
        "randtrimwrite",
        "read:8k",
        "read:-2k",
        "rw:-1k",
        "randread:4",
        "randwrite:2",
    ]);
    let sizes = prop::sample::select(vec![
        "bs=4k",
        "bs=512",
        "bs=4k,8k,16k",
        "bsrange=1k-16k",
        "bsrange=512-64k\nbs_unaligned",
        "bssplit=4k/60:64k/40",
        "bssplit=512/10:4k/90,8k/100",
    ]);
    let extras = prop::sample::select(vec![
        "",
        "norandommap",
        "percentage_random=30",
        "percentage_random=70,20\nrandom_distribution=zipf:0.9",
        "random_distribution=pareto:0.3:0.5",
        "random_distribution=normal:30:0.9",
        "random_distribution=normal\ncompat=fio",
        "random_distribution=zoned:60/10:40/90",
        "nrfiles=3",
        "nrfiles=4\nfile_service_type=random",
        "file_service_type=sequential\nnrfiles=2",
        "rw_sequencer=identical",
        "fsync=5",
        "loops=3",
        "time_based\nruntime=1s",
        "ba=2k",
        "number_ios=77",
        "rwmixread=10",
        "ramp_time=1s",
    ]);
    (rw, sizes, extras, 0u64..64, 64u64..2048).prop_map(|(rw, sizes, extra, offset, size)| {
        let names = if extra.contains("nrfiles") { "" } else { "filename=f\n" };
        format!(
            "[j]\nioengine=psync\n{names}rw={rw}\n{sizes}\n{extra}\noffset={}\nsize={size}k\n",
            offset * 512
        )
    })
}

proptest! {
    #[test]
    fn every_io_lies_inside_its_region(text in shapes(), seed: u64) {
        let Some(plan) = try_planned(&text) else { return Ok(()) };
        let plan = &plan.jobs[0];
        let Ok(mut source) = Source::new(plan, seed, usize::MAX, &Clock::calibrate(false), &|| false) else { return Ok(()) };
        let made = drawn(&mut source, 2000);
        prop_assert!(!made.is_empty(), "{text}");
        let mut most = HashMap::new();
        for desc in made.iter().filter(|d| d.op().direction().is_some()) {
            let file = &plan.files[desc.file() as usize];
            prop_assert!(!desc.is_empty() && desc.bytes() <= plan.block_max().0, "{desc:?} of\n{text}");
            prop_assert!(desc.offset >= file.offset.0, "{desc:?} of\n{text}");
            prop_assert!(desc.offset + desc.bytes() <= file.offset.0 + file.size.0, "{desc:?} of\n{text}");
            *most.entry(desc.op() as u8).or_insert(0) += 1;
        }
        prop_assert!(most.len() <= 2);
    }
}
