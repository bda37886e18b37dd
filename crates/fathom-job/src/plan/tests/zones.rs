//! What goes with `zonemode=zbd`, what does not, and the whole zones that a job uses.

use super::*;

#[test]
fn what_cannot_be_right_with_zones_is_refused_before_the_run() {
    let device = "ioengine=psync direct=1 filename=/dev/small";
    let on_device = "ioengine=psync filename=/dev/zoned";
    let zoned = "ioengine=psync filename=sim:smr,size=1g,zone=16m,open=8";
    for (options, code, words) in [
        (format!("{device} rw=write zonemode=zbd"), "zones-incomplete", "has no zones of its own"),
        (
            format!("{device} rw=write zonemode=zbd zonesize=1m bs=192k"),
            "zones-odd",
            "not a multiple of the bs of 196608",
        ),
        (
            format!("{device} rw=write zonemode=zbd zonesize=1m bs=2m"),
            "zones-odd",
            "bs of 2097152 bytes is more than",
        ),
        (
            format!("{device} rw=write zonemode=zbd zonesize=1m zonecapacity=64k bs=128k"),
            "zones-odd",
            "the 65536 bytes of a zone",
        ),
        (
            format!("{device} rw=write zonemode=zbd zonesize=1m zonecapacity=2m"),
            "zones-odd",
            "zonecapacity of 2097152",
        ),
        (
            format!("{device} rw=write zonemode=zbd zonesize=1m zoneskip=100k"),
            "zones-odd",
            "zoneskip of 102400",
        ),
        (format!("{device} rw=write zonemode=zbd zonesize=1000 bs=500"), "zones-odd", "multiples of 512"),
        (format!("{device} rw=trim zonemode=zbd zonesize=1m bs=256k"), "zones-odd", "a trim resets a zone"),
        (format!("{device} rw=write zonemode=zbd zonesize=1g"), "target-small", "no whole zone"),
        (format!("{device} rw=write zonemode=zbd zonesize=1m verify=crc32c"), "zones-with", "verify"),
        (format!("{device} rw=randwrite zonemode=zbd zonesize=1m zoneskip=1m"), "zones-with", "zoneskip"),
        (format!("{device} rw=trimwrite bs=1m zonemode=zbd zonesize=1m"), "zones-with", "trimwrite"),
        ("ioengine=null size=1m rw=write zonemode=zbd zonesize=64k".to_owned(), "zones-target", "sim:smr"),
        (format!("{zoned} rw=randwrite"), "zoned-target", "host-managed"),
        (format!("{zoned} rw=trim bs=16m"), "zoned-target", "write pointers"),
        (
            "ioengine=psync direct=1 filename=/dev/zoned rw=randwrite".to_owned(),
            "zoned-target",
            "host-managed",
        ),
        (format!("{on_device} direct=0 rw=write zonemode=zbd"), "zones-device", "need direct I/O"),
        (format!("{on_device} direct=1 rw=write zonemode=zbd bs=512"), "zones-device", "multiples of 4096"),
        (format!("{on_device} direct=1 rw=write zonemode=zbd zonesize=8m"), "zones-device", "have 67108864"),
        (format!("{on_device} direct=1 rw=write zonemode=zbd max_open_zones=9"), "zones-device", "at most 8"),
        (format!("{zoned} rw=write zonemode=zbd zonesize=8m"), "zones-device", "have 16777216 bytes"),
        (format!("{zoned} rw=write zonemode=zbd zonecapacity=8m"), "zones-device", "capacities of their own"),
        (format!("{zoned} rw=write zonemode=zbd max_open_zones=9"), "zones-device", "at most 8 zones"),
    ] {
        let error = error_of(&options);
        assert_eq!(error.code, code, "{options}: {error}");
        assert!(error.message.contains(words), "{options}: {error}");
    }
    one(&format!("{zoned} rw=randread"));
    for options in [
        "direct=1 rw=randread",
        "direct=1 rw=write zonemode=zbd bs=4k",
        "rw=read zonemode=zbd bs=512",
        "rw=trim zonemode=zbd bs=64m",
    ] {
        let plan = one(&format!("{on_device} {options}"));
        let file = plan.jobs[0].files.iter().next().unwrap();
        assert_eq!(file.zones.map(|zones| zones.size), Some(Bytes::mib(64)), "{options}");
    }
    one(&format!("{zoned} rw=write zonemode=zbd max_open_zones=9 ignore_zone_limits=1"));
}

#[test]
fn the_region_has_whole_zones_and_sizes_count_in_them() {
    for (options, region, moved) in [
        ("", (0, 10), 10),
        ("offset=100k", (1, 9), 9),
        ("size=3500k", (0, 3), 3),
        ("offset=2z size=3z", (2, 3), 3),
        ("size=3z io_size=7z", (0, 3), 7),
    ] {
        let plan = one(&format!(
            "ioengine=psync direct=1 filename=/dev/small rw=randwrite norandommap bs=64k zonemode=zbd zonesize=1m {options}"
        ));
        let job = &plan.jobs[0];
        let file = job.files.iter().next().unwrap();
        assert_eq!((file.offset.0 >> 20, file.size.0 >> 20), region, "{options}");
        assert_eq!(job.end.bytes.map(|bytes| bytes.0 >> 20), Some(moved), "{options}");
        let is_cut = options == "offset=100k" || options == "size=3500k";
        assert_eq!(codes(&plan).contains(&"zones-whole"), is_cut, "{options}");
    }
}

#[test]
fn zones_of_a_new_drive_are_read_only_where_something_is_written() {
    let job = |name: &str, options: &str| {
        let lines = options.replace(' ', "\n");
        format!("[{name}]\nfilename=sim:smr,size=64g\nzonemode=zbd\nbs=1m\ndirect=1\nsize=4z\n{lines}\n")
    };
    for (options, is_found) in [
        ("rw=read offset=10z", true),
        ("rw=randread offset=2z", true),
        ("rw=read offset=10z read_beyond_wp=1", true),
        ("rw=rw offset=10z", false),
        // Two zones at the start can be written anywhere, and read.
        ("rw=read", false),
    ] {
        let plan = planned(&job("r", options));
        assert_eq!(codes(&plan).contains(&ZONES_EMPTY), is_found, "{options}");
    }
    let (write, read) = (job("w", "rw=write offset=10z"), job("r", "rw=read offset=10z stonewall"));
    assert!(!codes(&planned(&format!("{write}{read}"))).contains(&ZONES_EMPTY));
    assert!(
        codes(&planned(&format!("{read}{}", write.replace("rw=write", "rw=write\nstonewall"))))
            .contains(&ZONES_EMPTY)
    );
    for (beyond, is_found) in [("", true), (" read_beyond_wp=1", false)] {
        let job = job("r", &format!("rw=read offset=10z{beyond}"));
        let plan = planned(&job.replace("size=64g", "size=64g,reads_unwritten=yes"));
        assert_eq!(codes(&plan).contains(&ZONES_EMPTY), is_found, "{beyond}");
    }
}
