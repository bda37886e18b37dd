use super::*;
use crate::fixture::{DirectionLoad, RunBuilder};

const SECOND: u64 = 1_000_000_000;

fn buffered(direct: u8) -> RunBuilder {
    let job = format!("rw=read bs=4k ioengine=psync direct={direct} filename=/data/f");
    RunBuilder::of(&job).ramp(0, 1, DirectionLoad::reads(10, 4096, 100_000))
}

/// Four seconds, of which the first is ramp. Each has the numbers of its place.
fn run() -> RunResult {
    let flow = DirectionLoad::reads(1_000, 4096, 100_000);
    let mut run = buffered(0).seconds(0, 3, &[flow]);
    for second in 0..4 {
        let busy = 10 * second;
        run = run.sampled(
            second * SECOND,
            (second + 1) * SECOND,
            &[
                ("cpu", "0", &[busy, 0, busy, 90 - 2 * busy, 10, 0, 0, 0, 5, 0]),
                ("cpu", "1", &[0, 0, 0, 100, 0, 0, 0, 0, 0, 0]),
                ("disk", "sda", &[100 * second, 0, 800 * second, 50 * second, 0, 0, 0, 0, 400, 800]),
                ("memory", "all", &[1_000, 100 * second, 500, 10, 200]),
                ("page-cache", "all", &[250]),
                ("temperature", "nvme0", &[313_150 + 1_000 * second, 343_150]),
                ("interrupt", "41 q1", &[0, 700]),
                ("paging", "all", &[1_024, 0, 0, 0, 0, 100, 0, 50]),
            ],
        );
    }
    run.run()
}

#[test]
fn the_measured_window_is_the_samples_in_it() {
    let run = run();
    let sampled = Sampled::of(&run).unwrap();
    let span = sampled.measured();
    assert_eq!((span.start_ns, span.end_ns, span.seconds), (SECOND, 4 * SECOND, 3.0));
    let cpus = span.cpus();
    assert_eq!((cpus.len(), cpus[0].name.as_str()), (2, "0"));
    // 10, 20 and 30 ticks of 100 each second, of which 5 are a guest's.
    assert!((cpus[0].time.user - 15.0).abs() < 1e-9 && (cpus[0].time.system - 20.0).abs() < 1e-9);
    assert!((cpus[0].time.busy() - 40.0).abs() < 1e-9, "guest time is used time: {:?}", cpus[0].time);
    assert!((span.all_cpus().unwrap().idle - 75.0).abs() < 1e-9);
    let disk = &span.disks()[0];
    assert_eq!((disk.read.requests, disk.read.kib, disk.read.wait_ms), (200.0, 800.0, 0.5));
    assert_eq!((disk.read.request_kib(), disk.queued, disk.busy), (4.0, 0.8, 40.0));
    assert_eq!((disk.requests(), disk.wait_ms(), disk.write), (200.0, 0.5, DiskFlow::default()));
    let memory = span.memory().unwrap();
    assert_eq!((memory.kib("MemFree"), memory.used_kib(), memory.kib("Dirty")), (200.0, 500.0, 0.0));
    let heat = &span.temperatures()[0];
    assert!((heat.celsius - 42.0).abs() < 1e-9 && (heat.limit_celsius.unwrap() - 70.0).abs() < 1e-9);
    assert_eq!(span.interrupts()[0].by_cpu, [("1".to_owned(), 700.0)]);
    let paging = span.paging().unwrap();
    assert_eq!((paging.rate("pgpgin"), paging.reclaimed_percent()), (1_024.0, 50.0));
}

#[test]
fn misses_are_pages_added_and_hits_the_rest_of_the_pages_read() {
    let run = run();
    let sampled = Sampled::of(&run).unwrap();
    let cache = sampled.page_cache(&sampled.measured()).unwrap();
    assert_eq!((cache.read_pages, cache.miss_pages, cache.hit_pages), (3_000.0, Some(750.0), Some(2_250.0)));
    assert_eq!((cache.hit_percent(), cache.cached_kib), (Some(75.0), 200.0));
    let direct = buffered(1).sampled(0, SECOND, &[("page-cache", "all", &[1])]).run();
    let direct = Sampled::of(&direct).unwrap();
    assert_eq!(direct.page_cache(&direct.measured()), None);
    let uncounted = buffered(0).seconds(0, 1, &[]).sampled(0, SECOND, &[("memory", "all", &[1])]).run();
    let uncounted = Sampled::of(&uncounted).unwrap();
    let cache = uncounted.page_cache(&uncounted.measured()).unwrap();
    assert_eq!((cache.miss_pages, cache.hit_percent()), (None, None), "unknown is not zero");
}

/// Pages that were added in a second without reads take away no hit of another second; and what was read in the ramp of a
/// later job is in no sample of a measured window, so it is no hit of the whole either.
#[test]
fn the_mean_of_hits_is_the_mean_of_the_samples() {
    let reads = |ios| DirectionLoad::reads(ios, 4096, 100_000);
    let text = "[global]\nrw=read\nbs=4k\nioengine=psync\nfilename=/data/f\n[a]\n[b]\nstonewall\n";
    let mut scene = RunBuilder::text(text).seconds(0, 1, &[reads(1_000)]).seconds(0, 1, &[reads(3_000)]);
    scene = scene.after(1, 2 * SECOND).ramp(1, 1, reads(5_000)).seconds(1, 1, &[reads(2_000)]);
    for (second, added) in [3_000, 0, 100, 500].into_iter().enumerate() {
        let from = second as u64 * SECOND;
        scene = scene.sampled(from, from + SECOND, &[("page-cache", "all", &[added])]);
    }
    let run = scene.run();
    let sampled = Sampled::of(&run).unwrap();
    let each: Vec<_> = sampled.each().map(|span| sampled.page_cache(&span).unwrap().hit_pages).collect();
    assert_eq!(each, [Some(0.0), Some(3_000.0), Some(1_500.0)]);
    let whole = sampled.page_cache(&sampled.measured()).unwrap();
    assert_eq!((whole.hit_pages, whole.read_pages), (Some(4_500.0), 6_000.0));
}

#[test]
fn a_sample_that_is_partly_inside_counts_with_that_part() {
    let run = run();
    let sampled = Sampled::of(&run).unwrap();
    let half = sampled.over(&[(SECOND / 2, 3 * SECOND / 2)]);
    assert_eq!((half.seconds, half.disks()[0].read.requests), (1.0, 50.0));
    let each: Vec<_> =
        sampled.each().map(|span| (span.start_ns / SECOND, span.disks()[0].read.requests)).collect();
    assert_eq!(each, [(1, 100.0), (2, 200.0), (3, 300.0)], "the ramp is not measured");
    assert_eq!(sampled.line(2).iter().map(|span| span.seconds).collect::<Vec<_>>(), [2.0, 2.0]);
    let after = sampled.over(&[(9 * SECOND, 10 * SECOND)]);
    assert!(after.disks().is_empty() && after.all_cpus().is_none());
}

#[test]
fn a_row_that_was_gone_has_the_rate_of_the_time_in_which_it_was_there() {
    let disk = |reads: u64| ("disk", "sda", vec![reads]);
    let mut run = buffered(1).seconds(0, 2, &[]);
    let there = disk(100);
    run =
        run.sampled(SECOND, 2 * SECOND, &[(there.0, there.1, &there.2)]).sampled(2 * SECOND, 3 * SECOND, &[]);
    let run = run.run();
    let sampled = Sampled::of(&run).unwrap();
    assert_eq!(sampled.measured().disks()[0].read.requests, 100.0);
    assert_eq!(sampled.each().map(|span| span.disks().len()).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn the_moment_at_the_end_of_a_window_is_no_sample_of_its_own() {
    let flow = DirectionLoad::reads(1_000, 4096, 100_000);
    let run =
        buffered(1).seconds(0, 1, &[flow]).window(0, fathom_results::Phase::Measure, SECOND / 100, &[flow]);
    let run = run.sampled(SECOND, 2 * SECOND, &[("disk", "sda", &[100])]);
    let run = run.sampled(2 * SECOND, 2 * SECOND + SECOND / 100, &[("disk", "sda", &[1])]).run();
    let sampled = Sampled::of(&run).unwrap();
    let rates: Vec<f64> = sampled.each().map(|span| span.disks()[0].read.requests).collect();
    assert_eq!(rates, [100.0]);
}
