//! The jobs of the guides in their order, with what is done between them.

use super::*;

/// V-21, V-22, V-23: nine jobs in order, emptied before each that writes, filled before the first that reads.
#[test]
fn the_nine_jobs_of_vsl_are_in_their_order() {
    let suite = guide("vsl", &["/dev/fioa"]);
    let steps = ran(&suite, |_| Some(1_000.0));
    let short: Vec<String> =
        told(&steps).iter().map(|step| step.strip_suffix("purge").unwrap_or(&step[..2]).to_owned()).collect();
    let short: Vec<&str> = short.iter().map(|step| if step.is_empty() { "purge" } else { step }).collect();
    assert_eq!(short.join(" "), "purge 01 purge 02 purge 03 purge 04 purge 05 06 07 08 09");
    // V-1: a figure for each attribute, and never one for all.
    let titles: Vec<String> = reported(&suite, &steps).iter().map(|test| test.title.clone()).collect();
    assert_eq!(titles.len(), 9);
    assert!(titles[0].contains("latency of random 512-byte writes"), "{titles:?}");
    let answer = suite.answer(&History::new(&steps)).unwrap();
    assert!(fathom_words::result(&answer).ends_with("; 5 more below."));
}

/// H-1, H-20: seven jobs, 4 KiB for IOPS and latency, 1 MiB for bandwidth; emptied before each that writes.
#[test]
fn the_seven_jobs_of_flash_are_in_their_order() {
    let suite = guide("flash", &["/dev/nvme0n1"]);
    let steps = ran(&suite, |_| Some(1_000.0));
    assert_eq!(
        told(&steps),
        [
            "purge",
            "01-random-4k-write-latency",
            "purge",
            "02-random-4k-write-iops",
            "purge",
            "03-random-1m-write-bandwidth",
            "purge",
            "04-precondition-sequential-1m-write",
            "05-random-4k-read-latency",
            "06-random-4k-read-iops",
            "07-random-1m-read-bandwidth",
        ]
    );
    let columns: Vec<String> =
        reported(&suite, &steps).iter().map(|test| table(test, 0).columns[1].clone()).collect();
    assert_eq!(columns, ["mean µs", "IOPS", "MB/s", "MB/s", "mean µs", "IOPS", "MB/s"], "one attribute each");
}

/// I-33, I-40, I-41: the variables of the script, and its affinity where the machine says which CPUs are near.
#[test]
fn vroc_has_the_variables_and_the_affinity_of_the_script() {
    let text = |terms: SuiteTerms| {
        let suite = Suite::new("vroc", built_in("vroc").unwrap().text, Vec::new(), terms, false).unwrap();
        let cell = suite.steps.cells.iter().find(|cell| cell.name.starts_with("random rwmix")).unwrap();
        cell.text.clone()
    };
    let has = |text: &str, options: &[&str]| {
        let missing = options.iter().find(|option| text.lines().all(|line| line != **option));
        assert_eq!(missing, None, "{text}");
    };
    let known = text(terms(&["/dev/md126"]));
    has(&known, &["runtime=600s", "ramp_time=600s", "ioengine=libaio", "direct=1", "norandommap=1"]);
    has(&known, &["refill_buffers=1", "randrepeat=0", "thread=1", "group_reporting=1", "time_based=1"]);
    assert!(!known.contains("cpus_allowed"), "where all CPUs are near, none is chosen");
    let pairs = [("near", "24-47"), ("near_policy", "split"), ("runtime", "60s")];
    let variables = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let changed = text(SuiteTerms { variables, ..terms(&["/dev/md126"]) });
    has(&changed, &["cpus_allowed=24-47", "cpus_allowed_policy=split", "runtime=60s", "ramp_time=600s"]);
    let script = guide("vroc", &["/dev/md126"]);
    assert_eq!(script.file.variables["prepare"], "4h");
    assert!(script.file.groups.iter().filter(|group| group.measure).all(|group| group.repeat == 3));
}

/// ezfio: 63 cells of two minutes and one of twenty, in its order, after two passes of each kind.
#[test]
fn ezfio_has_its_cells_in_its_order() {
    let suite = guide("ezfio", &["/dev/nvme0n1"]);
    let steps = ran(&suite, |_| Some(1_000.0));
    let mut groups: Vec<(String, usize)> = Vec::new();
    for step in told(&steps) {
        let group = if step.starts_with("fill") { step } else { step.split(' ').next().unwrap().to_owned() };
        match groups.last_mut() {
            Some((name, count)) if *name == group => *count += 1,
            _ => groups.push((group, 1)),
        }
    }
    let wanted = [
        ("fill 1", 2),
        ("sequential-read", 9),
        ("random-read", 9),
        ("sequential-write", 9),
        ("fill 1 at random", 1),
        ("fill 1 at random with repeats", 1),
        ("read-by-threads", 9),
        ("mixed-by-threads", 9),
        ("stability", 1),
        ("write-by-threads", 9),
        ("random-write", 9),
    ];
    assert_eq!(groups, wanted.map(|(name, count)| (name.to_owned(), count)));
    let times = |of: &str| suite.steps.cells.iter().filter(|cell| cell.text.contains(of)).count();
    assert_eq!(
        (times("runtime=120s\n"), times("runtime=1200s\n")),
        (64, 1),
        "the last value of an option counts"
    );
    // Its random pass leaves out 37 % of the blocks.
    let fill = suite.steps.cells.iter().find(|cell| cell.name == "fill 1 at random").unwrap();
    assert!(!fill.text.contains("norandommap"), "{}", fill.text);
}
