//! Regions: percentages, clones, files, ends of devices.

use super::*;

fn ranges(options: &str) -> Vec<(u64, u64)> {
    let plan = one(options);
    plan.jobs.iter().flat_map(|job| &job.files).map(|file| (file.offset.0, file.size.0)).collect()
}

const M: u64 = 1 << 20;

#[test]
fn clones_move_on_by_offset_increment() {
    let small = |options: &str| ranges(&format!("filename=/dev/small bs=4k {options}"));
    assert_eq!(small("numjobs=3 size=2m offset_increment=3m"), [(0, 2 * M), (3 * M, 2 * M), (6 * M, 2 * M)]);
    assert_eq!(small("numjobs=3 offset_increment=4m"), [(0, 10 * M), (4 * M, 6 * M), (8 * M, 2 * M)]); // fio
    assert_eq!(small("numjobs=3 size=4m offset_increment=4m"), [(0, 4 * M), (4 * M, 4 * M), (8 * M, 2 * M)]); // fio
    assert_eq!(small("numjobs=2 size=33% offset_increment=33%"), [(0, 844 << 12), (845 << 12, 844 << 12)]); // fio
    assert_eq!(
        small("numjobs=4 size=25% offset_increment=25%"),
        [(0, 640 << 12), (640 << 12, 640 << 12), (1280 << 12, 640 << 12), (1920 << 12, 640 << 12)]
    );
}

#[test]
fn percentages_are_of_the_target_and_end_with_it() {
    let small = |options: &str| ranges(&format!("filename=/dev/small bs=4k {options}"));
    assert_eq!(small("size=100%"), [(0, 10 * M)]);
    assert_eq!(small("size=50% offset=75%"), [(7 * M + M / 2, 2 * M + M / 2)]); // fio
    assert_eq!(small("offset=33%"), [(845 << 12, (2560 - 845) << 12)]); // rounded up to a block
    assert_eq!(small("offset=33% offset_align=1m"), [(4 * M, 6 * M)]);
}

#[test]
fn a_size_beyond_a_device_is_cut_with_a_warning() {
    for (options, range) in [("size=20m", (0, 10 * M)), ("size=5m offset=8m", (8 * M, 2 * M))] {
        let options = format!("filename=/dev/small bs=4k {options}");
        assert_eq!(ranges(&options), [range]);
        assert!(codes(&one(&options)).contains(&"size-clipped"));
    }
    assert!(!codes(&one("filename=/dev/small bs=4k size=10m")).contains(&"size-clipped"));
}

#[test]
fn a_region_beyond_the_end_or_shorter_than_a_block_is_an_error() {
    let cases = [
        ("offset=20m", "20971520"),
        ("offset=10m", "10485760"),
        ("numjobs=4 offset_increment=4m", "clone 3"),
        ("bs=16m", "16777216"),
        ("size=1000 rw=randread", "1000 bytes"),
        ("bssplit=4k/50:2m/50 size=1m", "2097152"),
        ("rw=rw bs=20m,4k", "20971520"),
    ];
    for (options, number) in cases {
        let error = error_of(&format!("filename=/dev/small {options}"));
        assert_eq!(error.code, "target-small", "{options}");
        assert!(
            error.message.contains(number) && error.message.contains("/dev/small"),
            "{options}: {}",
            error.message
        );
    }
    assert_eq!(ranges("filename=/dev/small rw=rw bs=20m,4k rwmixread=0"), [(0, 10 * M)]); // reads never come
    assert_eq!(error_of("filename=/dev/detached bs=4k size=4m").code, "target-empty");
}

#[test]
fn regular_files_grow_to_an_absolute_size() {
    let file = |options: &str| one(&format!("bs=4k {options}")).jobs[0].files[0].clone();
    let grown = file("filename=/data/mib size=2m offset=512k");
    assert_eq!(
        (grown.offset.0, grown.size.0, grown.needs.0, grown.layout.0),
        (M / 2, 2 * M, 5 * M / 2, 3 * M / 2)
    );
    let whole = file("filename=/data/mib");
    assert_eq!((whole.size.0, whole.needs.0, whole.layout.0), (M, M, 0));
    let rest = file("filename=/data/mib offset=512k rw=write");
    assert_eq!((rest.offset.0, rest.size.0), (M / 2, M / 2)); // fio
    let odd = file("filename=/data/new size=10001");
    assert_eq!((odd.size.0, odd.needs.0, odd.layout.0), (8192, 10001, 10001)); // fio
    assert_eq!(file("filename=/data/new size=1m rw=write").layout.0, 0);
    assert_eq!(file("filename=/data/new size=1m rw=write overwrite=1").layout.0, M);
    assert_eq!(file("filename=/data/mib filesize=512k").size.0, M / 2);
}

#[test]
fn only_a_block_of_fixed_size_reaches_beyond_the_size() {
    let size = |options: &str| ranges(&format!("filename=/data/mib size=10001 {options}"))[0].1;
    for rw in ["rw=read", "rw=write", "rw=rw"] {
        assert_eq!(size(&format!("{rw} bs=4k")), 12288, "{rw}"); // fio
        assert_eq!(size(&format!("{rw} bsrange=4k-8k")), 8192, "{rw}"); // fio
        assert_eq!(size(&format!("{rw} bssplit=4k/50:8k/50")), 8192, "{rw}"); // fio
    }
}

#[test]
fn a_missing_size_is_an_error_with_a_hint() {
    for options in [
        "filename=/data/new",
        "filename=/data/new size=50%",
        "filename=/data/new runtime=1 time_based",
        "ioengine=null",
        "filename=/dev/null",
        "filename=/data/empty",
    ] {
        let error = error_of(&format!("{options} bs=4k"));
        assert_eq!(error.code, "size-needed", "{options}");
        assert!(!error.hints.is_empty());
    }
    assert_eq!(ranges("filename=/data/new filesize=1m bs=4k"), [(0, M)]);
    assert_eq!(ranges("filename=/dev/null size=1m bs=4k"), [(0, M)]);
    assert_eq!(ranges("ioengine=null size=1m offset=1m bs=4k"), [(M, M)]);
}

#[test]
fn a_percentage_of_a_missing_file_is_nothing_with_a_warning() {
    let missing = |options: &str| one(&format!("directory=/data bs=4k rw=write {options}"));
    let offsets = |plan: &Plan| -> Vec<u64> { plan.jobs.iter().map(|job| job.files[0].offset.0).collect() };
    for (options, expected) in [
        ("size=1m offset=25%", vec![0]),
        ("size=1m numjobs=3 offset_increment=10%", vec![0, 0, 0]),
        ("size=1m numjobs=2 offset=6k offset_increment=10%", vec![8192, 8192]), // rounded up to a block
    ] {
        let plan = missing(options);
        assert_eq!(offsets(&plan), expected, "{options}"); // fio
        let told: Vec<_> = codes(&plan).into_iter().filter(|code| *code == "percent-of-nothing").collect();
        assert_eq!(told.len(), 1, "{options}: {:?}", plan.findings);
    }
    // What the first clone has laid out is there for the second one.
    let shared = missing("filename=shared size=1m numjobs=2 offset_increment=50%");
    assert_eq!(offsets(&shared), [0, M / 2]); // fio
    assert!(!codes(&shared).contains(&"percent-of-nothing"), "{:?}", shared.findings);
    assert!(!codes(&missing("size=1m offset=0%")).contains(&"percent-of-nothing"));
}

#[test]
fn a_layout_that_cannot_fit_is_found() {
    assert!(codes(&one("filename=/data/new size=11g bs=4k")).contains(&"no-space"));
    assert_eq!(one("filename=/data/new size=9g bs=4k").jobs[0].files[0].layout, Bytes::gib(9));
}

#[test]
fn sizes_are_shared_among_files() {
    assert_eq!(ranges("directory=/data nrfiles=3 size=1m bs=4k"), [(0, 85 << 12); 3]); // fio
    assert_eq!(ranges("directory=/data nrfiles=3 filesize=1m bs=4k"), [(0, M); 3]);
    let bounded = one("directory=/data nrfiles=3 filesize=1m size=2m bs=4k");
    assert_eq!(bounded.jobs[0].end.bytes, Some(Bytes(2 * M))); // fio
    let drawn = ranges("directory=/data nrfiles=8 filesize=64k-1m bs=4k");
    assert!(drawn.iter().all(|(_, size)| (64 << 10..=M).contains(size) && size % 4096 == 0), "{drawn:?}");
    assert!(drawn.windows(2).any(|pair| pair[0] != pair[1]));
    assert_eq!(ranges("filename=/dev/small:/data/mib bs=4k"), [(0, 10 * M), (0, M)]);
    assert_eq!(ranges("filename=/dev/small:/data/mib bs=4k size=50%"), [(0, 5 * M), (0, M / 2)]); // fio
    assert_eq!(ranges("filename=/dev/small:/data/mib bs=4k size=4m"), [(0, 2 * M), (0, 2 * M)]); // fio
}

#[test]
fn a_share_that_holds_no_block_is_told_in_bytes() {
    let error = error_of("filename=/dev/small bs=4m size=10% rw=read");
    assert!(error.message.contains("in the 1048576 bytes of /dev/small"), "{}", error.message);
    assert!(error.message.ends_with("(10 % of 10485760 bytes)"), "{}", error.message);
    assert_eq!(error.hints, ["a larger size, or bs of at most 1048576 bytes"]);
    let least = error_of("filename=/dev/small bs=4k size=100 rw=read");
    assert_eq!(least.message, "job t: size is 100 bytes, less than one block of 4096 bytes");
    // No hint says that a block of 0 bytes would fit.
    for options in ["size=1 rw=randread", "size=0% rw=read", "size=1% offset=99% bs=1m rw=read"] {
        let told = error_of(&format!("filename=/dev/small {options}"));
        assert!(told.hints.iter().all(|hint| !hint.contains(" 0 bytes")), "{options}: {told:?}");
    }
}
