//! The list is complete, and the figures that are called right are computed again.

use super::*;
use crate::calc::pcie::LinkRate;
use crate::calc::stripe::{Array, RaidLevel};
use crate::calc::{self, capacity};

/// The rows that the contract marks as errors.
#[test]
fn every_marked_row_is_here() {
    let marked = [
        "V-43", "V-45", "V-50", "V-54", "V-55", "V-60", "V-63", "V-65", "V-69", "V-71", "V-76", "M-4",
        "M-10", "H-11", "H-17", "H-23", "I-7", "I-16", "I-24", "I-37", "I-42", "I-45", "I-49", "I-55",
        "T-21", "T-26", "T-28", "T-35", "T-47", "T-50", "T-60",
    ];
    for id in marked {
        assert!(slip(id).is_some(), "{id}");
    }
    assert!(slip("v-63").is_some());
    assert!(slip("V-1").is_none());
}

#[test]
fn each_id_is_there_once_and_says_something() {
    let order = |slip: &Slip| {
        let (guide, number) = slip.id.split_once('-').unwrap();
        ("VMHIT".find(guide).unwrap(), number.parse::<u32>().unwrap())
    };
    assert!(all().is_sorted_by(|one, next| order(one) < order(next)));
    for slip in all() {
        let texts = [slip.subject, slip.printed, slip.right, slip.why];
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", slip.id);
        assert_ne!(slip.printed, slip.right);
    }
}

fn right(id: &str) -> &'static str {
    slip(id).unwrap().right
}

/// The calculators give the values that are called right.
#[test]
fn the_calculators_agree() {
    let longest = calc::delay_us(31).unwrap();
    assert_eq!(right("V-55"), format!("31 adds {longest:.2} µs"));

    let array = |level, groups| Array { level, devices: 10, groups, chunk_kib: 256, block_bytes: 4096 };
    let bear = array(RaidLevel::Raid50, 2).data_devices().unwrap();
    assert!(right("V-63").ends_with(&format!("10 devices in 2 groups bear data on {bear}")));
    let stripe = array(RaidLevel::Raid10, 5).stripe().unwrap();
    let counts =
        format!("stride {} blocks, stripe width {}", stripe.stride_blocks, stripe.stripe_width_blocks);
    assert!(right("V-65").starts_with(&counts));

    let status = LinkRate::of_status(0x1011).unwrap();
    assert_eq!((status.generation.gigatransfers(), status.lanes), (2.5, 1));
    assert!(right("V-79").contains("2.5 GT/s, one lane"));

    let most = capacity::size_gib(16_000_000_000_000, 0).unwrap();
    let safe = capacity::size_gib(16_000_000_000_000, capacity::SPARE_BYTES_DEFAULT).unwrap();
    assert!(right("I-24").contains(&format!("{most}G")) && right("I-24").contains(&format!("{safe}G")));
    assert!(capacity::fits(15_892 * capacity::GIB, 16_000_000_000_000).is_err());
}

fn printed(id: &str) -> &'static str {
    slip(id).unwrap().printed
}

fn why(id: &str) -> &'static str {
    slip(id).unwrap().why
}

const MIB: f64 = 1_048_576.0;

/// The sample of the first guide: the count, the bandwidth and the time agree, and the total does not.
#[test]
fn the_sample_of_sequential_writes() {
    let by_count = 14_372_752.0 * 512.0 / MIB;
    let by_bandwidth = 239_540.0 * 30.001 / 1024.0;
    assert_eq!(right("V-27"), format!("{by_count:.1} MiB"));
    assert!((by_count / by_bandwidth - 1.0).abs() < 1e-5);
    assert!((7018.6 / by_count - 1.0).abs() > 9e-5);
    assert!(why("V-27").contains("7,358,849,024") && 14_372_752_u64 * 512 == 7_358_849_024);
}

/// Which bits the printed rounding clears, by the macro's own arithmetic in 32 bits.
#[test]
fn the_rounding_of_the_windows_program() {
    let printed = |pow2: i32| !pow2 - 1;
    assert_eq!((printed(512), !(512_i32 - 1)), (-514, -512));
    assert_eq!(!printed(512), 1 << 9 | 1);
    let rounded = |value: i32, mask: i32| (value + 511) & mask;
    assert_eq!(rounded(513, !511), 1024);
    assert_ne!(rounded(513 + 6, printed(512)) % 512, 0);
    assert!(why("V-47").contains("-514 instead of -512"));
}

#[test]
fn the_last_write_of_the_c_program() {
    let drive: u64 = 1_250_001_920 * 512;
    assert_eq!((drive, drive % (1 << 20)), (640_000_983_040, 524_288));
    assert!(right("V-45").contains("524,288 bytes on a drive of 640,000,983,040"));
}

#[test]
fn masks_and_processors() {
    let ones = |mask: &str| {
        mask.split(',').map(|word| u32::from_str_radix(word, 16).unwrap().count_ones()).sum::<u32>()
    };
    assert_eq!((ones(right("M-22")), ones("ffffffff")), (80, 32));
    assert!(printed("M-22").ends_with("ffffffff"));
    assert_eq!(2 * 22 * 2, 88);
    assert!(right("H-17").starts_with("2 processors of 22 cores with 2 threads"));
}

/// What a shell does with the two lines: one has a quote too few, the other one operand too many.
#[test]
fn the_lines_of_the_script() {
    let quotes = |text: &str| text.matches('"').count();
    assert_eq!((quotes(printed("I-47")) % 2, quotes(right("I-47")) % 2), (1, 0));
    let operands = |line: &str| {
        let inner = line.trim_start_matches("$(date ").trim_end_matches(')');
        if inner.starts_with('\'') { 1 } else { inner.split(' ').count() }
    };
    assert_eq!((operands(printed("I-40")), operands(right("I-40"))), (2, 1));
}

/// From which size a drive has more blocks than 32 bits count.
#[test]
fn the_limit_of_the_generator() {
    let tib = |block: u64| (block << 32) >> 40;
    assert_eq!((tib(4096), tib(512)), (16, 2));
    assert!(right("I-36").contains("16 TiB in blocks of 4 KiB, 2 TiB in blocks of 512 bytes"));
}

/// All twelve values of the table of bandwidths have the same wrong unit.
#[test]
fn the_table_of_bandwidths() {
    let iops = [
        [585_964, 212_889, 147_473, 292_694],
        [1_076_204, 558_165, 347_395, 692_866],
        [2_811_619, 2_809_537, 1_407_170, 2_813_474],
    ];
    let mb = [[2_344, 852, 590, 1_171], [4_305, 2_233, 1_390, 2_771], [11_247, 11_238, 5_629, 11_254]];
    for (iops, printed) in iops.iter().flatten().zip(mb.iter().flatten()) {
        let kib_per_1000 = f64::from(*iops) * 4.0 / 1000.0;
        assert!((kib_per_1000 - f64::from(*printed)).abs() < 0.6, "{iops}");
    }
    let bytes = 585_964.0 * 4096.0;
    assert_eq!(
        (format!("{:.0}", bytes / 1e6), format!("{:.0}", bytes / MIB)),
        ("2400".into(), "2289".into())
    );
    assert_eq!(right("I-55"), "2,400 MB/s or 2,289 MiB/s");
}

/// The figures of the article on fio's output.
#[test]
fn the_sample_of_the_article() {
    let mib = 350_728.0 * 4096.0 / MIB;
    assert_eq!(right("T-20"), format!("{mib:.1} MiB/s"));
    assert!((41_119.0 / 30.013 - mib).abs() < 0.05 && (1370.5 - mib) > 0.4);
    assert_eq!(right("T-26"), format!("{:.1} times", 13_505.0 / 344.0));
    assert_eq!(right("T-28"), format!("{:.1} %", 91.01 + 8.7));
    assert!((10_526_416.0 * 4096.0 / MIB - 41_119.0).abs() < 0.5, "the count that T-32 moves");
    let ticks_s = 259_476.0 / 1000.0;
    assert!(right("T-35").starts_with(&format!("{ticks_s:.1} s in 35 s: {:.1} I/Os", ticks_s / 35.0)));
}

#[test]
fn readahead_and_the_page_cache() {
    assert_eq!((128 * 512, 128 * 4096), (64 << 10, 512 << 10));
    assert!(right("T-47").ends_with("64 KiB") && why("T-47").contains("512 KiB"));
    let rate = |ms: f64| (2560.0 / ms * 1000.0).floor() as u32;
    assert_eq!((rate(4.0), rate(3.0), rate(2.0)), (640_000, 853_333, 1_280_000));
    assert!(why("T-50").ends_with("640,000 to 1,280,000 IOPS"));
}
