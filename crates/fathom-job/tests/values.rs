//! The value grammars, as tables: what each text means, and what is refused.

use crate::world::{codes, job, load};
use fathom_job::direction::PerDirection;
use fathom_job::options::*;
use fathom_job::units::{Bytes, Nanos};
use fathom_job::value::{IgnoredErrors, MemPolicy, Mix, Rw, Size, SizeRange, Split, SyncRange};

fn each<T: Copy>(read: T, write: T, trim: T) -> PerDirection<T> {
    PerDirection { read, write, trim }
}

#[test]
fn sizes() {
    let table = [
        ("512", 512),
        ("4k", 4096),
        ("4K", 4096),
        ("4kb", 4096),
        ("1m", 1 << 20),
        ("2G", 2 << 30),
        ("1t", 1 << 40),
        ("1p", 1 << 50),
        ("100b", 100),
        ("4kib", 4000),
        ("1MiB", 1_000_000),
        ("0x1000", 4096),
        ("010", 10),
        ("+4k", 4096),
        ("(2*(16k+4k))", 40960),
        ("(2^20)", 1 << 20),
    ];
    for (text, n) in table {
        assert_eq!(job(&format!("[a]\nsize={text}")).get(&SIZE), Some(Size::Bytes(Bytes(n))), "{text}");
    }
    assert_eq!(job("[a]\nsize=50%").get(&SIZE), Some(Size::Percent(50)));
    assert_eq!(job("[a]\nsize=2z").get(&SIZE), Some(Size::Zones(2)));
}

#[test]
fn kb_base_turns_the_prefixes_round_wherever_it_stands() {
    for text in ["kb_base=1000\nsize=4k\nio_size=4kib", "size=4k\nio_size=4kib\nkb_base=1000"] {
        let job = job(&format!("[a]\n{text}"));
        assert_eq!(job.get(&SIZE), Some(Size::Bytes(Bytes(4000))));
        assert_eq!(job.get(&IO_SIZE), Some(Size::Bytes(Bytes(4096))));
    }
    let inherited = job("[global]\nbs=4k\n[a]\nkb_base=1000\nsize=4k");
    assert_eq!(inherited.get(&BS).read, Bytes(4096), "a value keeps what it meant where it was written");
    assert_eq!(inherited.get(&SIZE), Some(Size::Bytes(Bytes(4000))));
}

#[test]
fn times() {
    let second = 1_000_000_000;
    let table = [
        ("30", 30 * second),
        ("30s", 30 * second),
        ("500ms", second / 2),
        ("500msec", second / 2),
        ("10us", 10_000),
        ("10USEC", 10_000),
        ("2m", 120 * second),
        ("2h", 7200 * second),
        ("1d", 86_400 * second),
        ("(2*60s)", 120 * second),
        ("(3*1000)", 3_000_000),
    ];
    for (text, ns) in table {
        assert_eq!(job(&format!("[a]\nruntime={text}")).get(&RUNTIME), Nanos(ns), "{text}");
    }
    assert_eq!(job("[a]\nstartdelay=5").get(&STARTDELAY), Some((Nanos::secs(5), Nanos::secs(5))));
    assert_eq!(job("[a]\nstartdelay=20-10s").get(&STARTDELAY), Some((Nanos::secs(10), Nanos::secs(20))));
}

#[test]
fn values_by_direction() {
    let (k4, k8, k16) = (Bytes::kib(4), Bytes::kib(8), Bytes::kib(16));
    let table = [
        ("bs=8k", each(k8, k8, k8)),
        ("bs=8k,16k", each(k8, k16, k16)),
        ("bs=8k,16k,4k", each(k8, k16, k4)),
        ("bs=,8k", each(k4, k8, k8)),
        ("bs=,,8k", each(k4, k4, k8)),
        ("bs=8k,", each(k8, k4, k4)),
        ("bs=8k,16k,", each(k8, k16, k4)),
        ("bs=8k,,", each(k8, k4, k4)),
        ("bs=8k-", each(k8, k4, k4)),
        ("bs=8k\nbs=16k,", each(k16, k8, k8)),
        ("bs=8k,,16k", each(k8, k4, k16)),
        ("bs=4k-8k", each(k4, k8, k8)),
        ("bs=4k:8k", each(k4, k8, k8)),
        ("bs=8k\nbs=,,16k", each(k8, k8, k16)),
    ];
    for (text, bs) in table {
        assert_eq!(job(&format!("[a]\n{text}")).get(&BS), bs, "{text}");
    }
    let inherited = job("[global]\nbs=16k\n[a]\nbs=,8k");
    assert_eq!(inherited.get(&BS), each(k16, k8, k8));
    assert_eq!(job("[a]\npercentage_random=50-60").get(&PERCENTAGE_RANDOM), each(50, 60, 60));
}

#[test]
fn ranges_and_splits() {
    let range = |low: u64, high: u64| SizeRange { low: Bytes::kib(low), high: Bytes::kib(high) };
    let table = [
        ("bsrange=4k-64k", each(range(4, 64), range(4, 64), range(4, 64))),
        ("bsrange=64k-4k", each(range(4, 64), range(4, 64), range(4, 64))),
        ("bsrange=4k:64k", each(range(4, 64), range(4, 64), range(4, 64))),
        ("bsrange=4k-8k,16k-32k", each(range(4, 8), range(16, 32), range(16, 32))),
        ("bsrange=,8k-16k\nbs=2k", each(range(2, 2), range(8, 16), range(8, 16))),
    ];
    for (text, ranges) in table {
        assert_eq!(job(&format!("[a]\n{text}")).get(&BSRANGE), Some(ranges), "{text}");
    }
    let split = |kib, percent| Split { bytes: Bytes::kib(kib), percent };
    let splits = job("[a]\nbssplit=4k/60:8k/:16k,64k").get(&BSSPLIT).expect("given");
    assert_eq!(splits.read, [split(4, Some(60)), split(8, None), split(16, None)]);
    assert_eq!(splits.write, [split(64, None)]);
    assert_eq!(splits.trim, splits.write);
    assert_eq!(job("[a]\nfilesize=4k").get(&FILESIZE), Some(range(4, 4)));
    assert_eq!(job("[a]\nfilesize=4k-8k").get(&FILESIZE), Some(range(4, 8)));
}

#[test]
fn access_patterns() {
    let rw = |mix, random, postfix| Rw { mix, random, postfix };
    let table = [
        ("read", rw(Mix::Read, false, None)),
        ("write", rw(Mix::Write, false, None)),
        ("trim", rw(Mix::Trim, false, None)),
        ("randread", rw(Mix::Read, true, None)),
        ("randwrite", rw(Mix::Write, true, None)),
        ("randtrim", rw(Mix::Trim, true, None)),
        ("rw", rw(Mix::ReadWrite, false, None)),
        ("readwrite", rw(Mix::ReadWrite, false, None)),
        ("randrw", rw(Mix::ReadWrite, true, None)),
        ("trimwrite", rw(Mix::TrimWrite, false, None)),
        ("randtrimwrite", rw(Mix::TrimWrite, true, None)),
        ("randread:8", rw(Mix::Read, true, Some(8))),
        ("read:4k", rw(Mix::Read, false, Some(4096))),
        ("write:-8k", rw(Mix::Write, false, Some(-8192))),
    ];
    for (text, pattern) in table {
        assert_eq!(job(&format!("[a]\nrw={text}")).get(&RW), pattern, "{text}");
    }
}

#[test]
fn flags_and_their_opposites() {
    assert!(job("[a]\nthread").get(&THREAD));
    assert!(!job("[a]\nthread=0").get(&THREAD));
    let table = [
        ("direct=1", true),
        ("buffered=0", true),
        ("direct=1\nbuffered=1", false),
        ("buffered=1\ndirect=1", true),
        ("direct=1\nbuffered=0", true),
    ];
    for (text, direct) in table {
        let job = job(&format!("[a]\n{text}"));
        assert_eq!((job.get(&DIRECT), job.get(&BUFFERED)), (direct, !direct), "{text}");
    }
    let shares = job("[a]\nrwmixread=70\nrwmixwrite=40");
    assert_eq!((shares.get(&RWMIXREAD), shares.get(&RWMIXWRITE)), (Some(60), Some(40)));
}

#[test]
fn lists_patterns_and_policies() {
    let a = job("[a]\nfilename=/dev/sda:/dev/disk/by-path/pci-0000\\:00");
    assert_eq!(
        a.get(&FILENAME),
        Some(vec!["/dev/sda".to_owned(), "/dev/disk/by-path/pci-0000:00".to_owned()])
    );
    assert_eq!(job("[a]\ncpus_allowed=0,8-10,2,9").get(&CPUS_ALLOWED), Some(vec![0, 2, 8, 9, 10]));
    // fio 3.33 takes commas at the end, too.
    assert_eq!(job("[a]\ncpus_allowed=0,2-3, ,").get(&CPUS_ALLOWED), Some(vec![0, 2, 3]));
    assert_eq!(job("[a]\ncpumask=0x5").get(&CPUS_ALLOWED), Some(vec![0, 2]));
    assert_eq!(job("[a]\npercentile_list=50:99.99").get(&PERCENTILE_LIST), [50.0, 99.99]);
    let patterns: [(&str, &[u8]); 8] = [
        ("0xdeadface", &[0xde, 0xad, 0xfa, 0xce]),
        ("0xabc", &[0x0a, 0xbc]),
        ("258", &[2, 1]),
        ("0", &[0]),
        ("-2", &[0xfe, 0xff, 0xff, 0xff]),
        ("\"ab\"12", &[0x61, 0x62, 12]),
        ("0xff\"ab\"3", &[0xff, 0x61, 0x62, 3]),
        ("12 13", &[12, 13]),
    ];
    for (text, bytes) in patterns {
        assert_eq!(
            job(&format!("[a]\nbuffer_pattern={text}")).get(&BUFFER_PATTERN).as_deref(),
            Some(bytes),
            "{text}"
        );
    }
    assert_eq!(job("[a]\nnuma_mem_policy=bind:0-1").get(&NUMA_MEM_POLICY), Some(MemPolicy::Bind(vec![0, 1])));
    assert_eq!(job("[a]\nnuma_mem_policy=prefer:1").get(&NUMA_MEM_POLICY), Some(MemPolicy::Prefer(1)));
    let range = SyncRange { wait_before: true, write: true, wait_after: false, every: 8 };
    assert_eq!(job("[a]\nsync_file_range=wait_before,write:8").get(&SYNC_FILE_RANGE), Some(range));
    let errors = IgnoredErrors { read: vec![11], write: vec![28, 122], verify: vec![] };
    assert_eq!(job("[a]\nignore_error=EAGAIN,ENOSPC:122").get(&IGNORE_ERROR), Some(errors));
    assert_eq!(job("[a]\nwrite_bw_log").get(&WRITE_BW_LOG), Some(String::new()));
    assert_eq!(job("[a]\nwrite_bw_log=x").get(&WRITE_BW_LOG), Some("x".to_owned()));
}

#[test]
fn a_file_is_served_for_so_many_ios() {
    use fathom_job::distribution::Distribution;
    use fathom_job::value::{FileOrder, FileService};
    let read = |text: &str| job(&format!("[a]\nfile_service_type={text}")).get(&FILE_SERVICE_TYPE);
    assert_eq!(job("[a]").get(&FILE_SERVICE_TYPE), FileService { order: FileOrder::RoundRobin, every: 1 });
    assert_eq!(read("roundrobin:4"), FileService { order: FileOrder::RoundRobin, every: 4 });
    assert_eq!(read("random:2"), FileService { order: FileOrder::Random, every: 2 });
    assert_eq!(read("sequential:3"), FileService { order: FileOrder::Sequential, every: 3 });
    let skewed = |distribution| FileService { order: FileOrder::Skewed(distribution), every: 1 };
    assert_eq!(read("zipf"), skewed(Distribution::Zipf { theta: 1.1, center: None }));
    assert_eq!(read("zipf:1.2:0.5"), skewed(Distribution::Zipf { theta: 1.2, center: Some(0.5) }));
    assert_eq!(read("pareto:0.3"), skewed(Distribution::Pareto { h: 0.3, center: None }));
    for word in ["normal", "gauss"] {
        let normal = Distribution::Normal { deviation: Some(20.0), center: 0.5 };
        assert_eq!(read(&format!("{word}:20")), skewed(normal), "{word}");
    }
}

#[test]
fn words_have_one_canonical_spelling() {
    let table = [("sync=1", "sync"), ("sync=0", "none"), ("sync=dsync", "dsync")];
    for (text, word) in table {
        assert_eq!(job(&format!("[a]\n{text}")).get(&SYNC), word);
    }
    assert_eq!(job("[a]\nlog_max_value=1").get(&LOG_WINDOW_VALUE), "max");
    assert_eq!(job("[a]\nunified_rw_reporting=1").get(&UNIFIED_RW_REPORTING), "mixed");
}

/// fio drops what follows the number, and here that is nothing.
#[test]
fn a_fraction_of_zero_is_a_whole_number() {
    assert_eq!(job("[a]\nrwmixread=0.0").get(&RWMIXREAD), Some(0));
    assert_eq!(job("[a]\niodepth=4.00").get(&IODEPTH), 4);
    assert_eq!(codes("[a]\nrwmixread=4.0k\n"), ["truncated-value"]);
}

#[test]
fn what_has_no_exact_meaning_is_refused() {
    let table = [
        ("bs=1.5k", "truncated-value"),
        ("bs=4kx", "truncated-value"),
        ("bs=4 k", "truncated-value"),
        ("bs=0x1k", "truncated-value"),
        ("bs=4e", "truncated-value"),
        ("bs=4ki", "ambiguous-unit"),
        ("size=99.5%", "truncated-value"),
        ("size=10%5", "truncated-value"),
        ("size=101%", "out-of-range"),
        ("bs=50%", "bad-size"),
        ("bs=0", "out-of-range"),
        ("bs=-4", "out-of-range"),
        ("bs=", "missing-value"),
        ("bs", "missing-value"),
        ("bs=,,", "missing-value"),
        ("bs=4k,8k,16k,32k", "too-many-values"),
        ("size=99999999999999999999", "out-of-range"),
        ("size=99999999p", "out-of-range"),
        ("size=(1/0)", "bad-arithmetic"),
        ("size=(1-2)", "out-of-range"),
        ("runtime=10sec", "truncated-value"),
        ("runtime=10min", "truncated-value"),
        ("runtime=1h30m", "truncated-value"),
        ("runtime=1.5", "truncated-value"),
        ("runtime=-1", "out-of-range"),
        ("runtime=99999999d", "out-of-range"),
        ("iodepth=0", "out-of-range"),
        ("iodepth=4 8", "truncated-value"),
        ("iodepth=1.9", "truncated-value"),
        ("numjobs=many", "bad-number"),
        ("rwmixread=101", "out-of-range"),
        ("rwmixread=99.5%", "truncated-value"),
        ("direct=yes", "bad-flag"),
        ("direct=2", "bad-flag"),
        ("direct", "missing-value"),
        ("thread=yes", "bad-flag"),
        ("thread=", "missing-value"),
        ("rw=RandRead", "unknown-word"),
        ("rw=randread:0", "bad-number"),
        ("rw=randread:2k", "bad-number"),
        ("bsrange=4k", "bad-range"),
        ("bssplit=4k/60:8k/60", "bad-split"),
        ("bssplit=4k/50:8k/40", "bad-split"),
        ("bssplit=4k/33.3:8k/", "bad-split"),
        ("bssplit=0/100", "out-of-range"),
        ("cpus_allowed=1-0", "bad-range"),
        ("cpus_allowed=0:1", "bad-number"),
        ("cpus_allowed=0-99999999", "bad-number"),
        ("cpumask=0", "bad-number"),
        ("percentile_list=101", "out-of-range"),
        ("percentile_list=nan", "bad-number"),
        ("buffer_pattern=abc", "bad-pattern"),
        ("buffer_pattern=\"ab", "bad-pattern"),
        ("buffer_pattern=%o", "bad-pattern"),
        ("buffer_pattern='/no/such/file'", "bad-pattern"),
        ("buffer_pattern='/p", "bad-pattern"),
        ("verify_pattern=''", "bad-pattern"),
        ("verify_pattern=%p", "bad-pattern"),
        ("verify=crc33", "unknown-word"),
        ("verify_offset=39", "out-of-range"),
        ("verify_interval=79", "out-of-range"),
        ("filename=/a::/b", "empty-name"),
        ("filename=/a\\", "bad-name"),
        ("random_distribution=sequence:", "missing-value"),
        ("file_service_type=roundrobin:0", "bad-number"),
        ("file_service_type=random:", "bad-number"),
        ("file_service_type=zipf:1", "out-of-range"),
        ("file_service_type=anyhow:2", "unknown-word"),
        ("mem=mmap:/x", "refused-value"),
        ("mem=mallok", "unknown-word"),
        ("numa_mem_policy=bind", "missing-value"),
        ("numa_mem_policy=prefer:0,1", "bad-number"),
        ("sync_file_range=write", "missing-value"),
        ("sync_file_range=wrote:8", "unknown-word"),
        ("ignore_error=EWHAT", "bad-number"),
        ("ignore_error=EIO,EIO,EIO,EIO", "too-many-values"),
    ];
    for (line, code) in table {
        assert_eq!(codes(&format!("[a]\n{line}\n")), [code], "{line}");
    }
}

#[test]
fn errors_say_what_fio_would_have_done_and_what_to_write() {
    let table = [
        ("size=1.5g", "fio would read 1 byte,", "1536m"),
        ("runtime=10sec", "fio would read 10 microseconds", "write 10s"),
        ("runtime=10min", "fio would read 10 microseconds", "write 10m"),
        ("runtime=1h30m", "fio would read 1 microsecond", "write 90m"),
        ("runtime=1.5", "fio would read 1 second", "write 1500ms"),
        ("runtime=2.5s", "fio would read 2 seconds", "write 2500ms"),
        ("size=99.5%", "fio would read 99 bytes", "whole numbers"),
        ("rwmixread=99.5", "fio would read 99", "write 99, or another whole number"),
        ("iodepth=1.9", "fio would read 1", "write 1, or another whole number"),
        ("bs=4kx", "fio would read 4096 bytes", "whole numbers"),
        ("size=1mi", "disagree", "1m to count by 1024, or 1mib to count by 1000"),
        ("iodepth=1.9", "fio would read 1", ""),
        ("direct=yes", "neither 0 nor 1", "write 1"),
        ("rw=randraed", "not an access pattern", "did you mean randread?"),
    ];
    for (line, message, hint) in table {
        let found = load(&format!("[a]\n{line}\n")).expect_err(line);
        assert!(found[0].message.contains(message), "{line}: {}", found[0].message);
        assert!(
            hint.is_empty() || found[0].hints.iter().any(|h| h.contains(hint)),
            "{line}: {:?}",
            found[0].hints
        );
    }
}
