//! The text form of models: what it means, and what is refused with which words.

use fathom_sim::{DriveModel, FlashModel, ModelRemark, PRESETS, Redundancy, consumer};

fn parsed(text: &str) -> DriveModel {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn flash(text: &str) -> FlashModel {
    match parsed(text) {
        DriveModel::Flash(model) => *model,
        other => panic!("{text} is {other:?}"),
    }
}

#[test]
fn a_text_means_its_preset_with_its_changes() {
    assert_eq!(flash("consumer"), consumer());
    assert_eq!(flash("consumer/64"), FlashModel { scale: 64, ..consumer() });
    let model = flash(
        "datacentre/64,op=28%,size=960GB,unit=16k,read=55.5us,plp=no,frontiers=1,victim=fifo,suspend=no",
    );
    assert_eq!((model.over_provisioning_percent, model.capacity_bytes), (28.0, 960_000_000_000));
    assert_eq!((model.unit_bytes, model.nand.read_ns, model.nand.suspend_ns), (16_384, 55_500, None));
    assert!(!model.power_loss_protection);
    let DriveModel::Array(array) = parsed("4xdatacentre/64,raid=5,chunk=64k,op=7,failed=3") else {
        panic!("an array");
    };
    assert_eq!((array.drives, array.redundancy, array.chunk_bytes), (4, Redundancy::Parity, 65_536));
    assert_eq!(array.failed, Some(3));
    assert!(matches!(&*array.drive, DriveModel::Flash(model) if model.over_provisioning_percent == 7.0));
    for preset in PRESETS.iter().filter(|preset| !["disk", "smr"].contains(preset)) {
        parsed(&format!("{preset}/64"));
    }
    parsed("disk,size=4TB,rpm=5400");
    let DriveModel::Zoned(model) = parsed("smr,size=4GB,zone=64m,zone_capacity=48m,open=4,active=6") else {
        panic!("a zoned disk");
    };
    assert_eq!((model.zones.zone_bytes, model.zones.usable_bytes()), (64 << 20, 48 << 20));
    assert_eq!((model.zones.conventional, model.zones.open_max, model.zones.active_max), (0, 4, 6));
}

#[test]
fn what_is_refused_names_the_key_and_what_is_allowed() {
    for (text, words) in [
        ("", &["preset=", "consumer, datacentre, qlc, thermal, disk, smr"][..]),
        ("floppy", &["preset=floppy"]),
        ("qlc/0", &["scale=0", "from 1 on"]),
        ("qlc/1.5", &["scale=1.5"]),
        ("qlc/64,", &["key=value"]),
        ("qlc/64,op", &["op", "key=value"]),
        ("smr/2", &["cannot be divided"]),
        ("smr,size=1GB,zone=5000", &["zone=5000", "a multiple of 4k"]),
        ("smr,size=1GB,zone=2g", &["zone=2147483648", "at most the size of the drive"]),
        ("smr,size=1GB,zone_capacity=257m", &["zone_capacity=", "at most the size of a zone"]),
        ("smr,size=1GB,conventional=3", &["conventional=3", "less than all zones"]),
        ("2xsmr,size=1GB", &["an array of zoned drives is not simulated"]),
        ("qlc/64,spare=7", &["spare is no key", "op"]),
        ("qlc/64,op=lots", &["op=lots", "percent"]),
        ("qlc/64,op=0", &["op=0", "1 to 400"]),
        ("qlc/64,op=7,op=8", &["op is given twice"]),
        ("qlc/64,unit=5k", &["unit=5120", "a power of two from 4k to 64k"]),
        ("qlc/64,unit=128k", &["unit=131072", "64k"]),
        ("qlc/64,read=70", &["read=70", "a time with its unit"]),
        ("qlc/64,channels=9", &["contradicts itself", "channels is larger than dies"]),
        ("qlc/64,frontiers=1", &["contradicts itself", "frontiers=2"]),
        ("qlc/64,size=100GB", &["SLC cache is larger than the drive"]),
        ("datacentre/64,slc_fixed=1g", &["slc_fixed=1g", "SLC cache"]),
        ("datacentre", &["bytes of memory", "/64", "needs less"]),
        ("datacentre,size=999999t", &["mapping units", "makes fewer"]),
        ("qlc/1000000,size=140GB", &["less than one block", "makes more"]),
        ("datacentre/64,raid=5", &["raid needs several drives", "4xdatacentre"]),
        ("2xdatacentre/64,raid=5", &["level 5 needs 3"]),
        ("3xdatacentre/64,raid=10", &["even number"]),
        ("4xdatacentre/64,raid=7", &["raid=7", "0, 1, 5, 6 or 10"]),
        ("4xdatacentre/64,failed=0", &["raid=0 has lost"]),
        ("4xdatacentre/64,raid=5,failed=4", &["failed is the number"]),
        ("4xdatacentre/2", &["bytes of memory"]),
        ("0xdatacentre/64", &["number of drives=0"]),
        ("99999999999xdisk", &["number of drives=", "1 to 1024"]),
        ("disk/64", &["one arm"]),
        ("disk,op=7", &["op is no key", "rpm"]),
        ("disk,inner=300MB", &["inner is faster than outer"]),
    ] {
        let error = text.parse::<DriveModel>().expect_err(text).to_string();
        for word in words {
            assert!(error.contains(word), "{text}: {error:?} does not say {word:?}");
        }
    }
}

#[test]
fn a_plan_can_say_what_a_drive_is_not() {
    let remarks = |text: &str| parsed(text).remarks().expect("valid");
    assert_eq!(remarks("consumer/64"), [ModelRemark::Scaled { scale: 64 }]);
    assert_eq!(remarks("disk"), []);
    let few = remarks("datacentre/64,blocks=256");
    let [ModelRemark::Scaled { .. }, ModelRemark::FewBlocks { blocks, error_percent, .. }] = few[..] else {
        panic!("{few:?}");
    };
    assert!(blocks < 270 && (2.0..8.0).contains(&error_percent), "{blocks} {error_percent}");
    assert!(few[1].to_string().contains("lower than that of a real drive"));
    assert!(few[0].to_string().contains("as long as on the whole drive"));
    assert!(matches!(remarks("4xconsumer/8192,raid=5")[1], ModelRemark::FewBlocks { .. }));
}
