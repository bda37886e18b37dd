//! The list of what could be measured, on recorded machines.
#![allow(missing_docs, reason = "a test has nobody to document itself to")]

use std::path::Path;

use fathom_device::Root;
use fathom_device::tree::Tree;
use fathom_host::devices::{DeviceList, Listed, MeasurableDevice, WritingVerdict};
use fathom_text::style::Style;

fn tree(name: &str) -> Tree {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/trees/{name}.tree"));
    Tree::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn list(tree: &Tree) -> DeviceList {
    DeviceList::read(&Root::held(tree), Listed::Measurable).unwrap()
}

fn changed(overlay: &str) -> DeviceList {
    let mut tree = tree("devices");
    tree.overlay(overlay).unwrap();
    list(&tree)
}

fn device<'a>(list: &'a DeviceList, name: &str) -> &'a MeasurableDevice {
    list.devices.iter().find(|device| device.name == name).unwrap_or_else(|| panic!("{name}: {list:#?}"))
}

fn at(width: usize) -> Style {
    Style { width, ..Style::PLAIN }
}

#[test]
fn at_every_width() {
    let list = list(&tree("devices"));
    for width in [60, 80, 100, 200] {
        let text = list.to_text(at(width)).to_string();
        for line in text.lines().filter(|line| !line.starts_with("      to write: ")) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        insta::assert_snapshot!(format!("at_{width}"), text);
    }
}

#[test]
fn colour_repeats_what_the_words_say() {
    let list = list(&tree("devices"));
    let plain = list.to_text(at(80)).to_string();
    let coloured = list.to_text(Style { colour: true, ..at(80) }).to_string();
    insta::assert_snapshot!("in_colour", coloured.replace('\x1b', "ESC"));
    let bare = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[1;31m"];
    assert_eq!(bare.iter().fold(coloured, |text, code| text.replace(code, "")), plain);
}

#[test]
fn in_detail() {
    let tree = tree("devices");
    let root = Root::held(&tree);
    let numbers = ["sda", "nvme0n1", "sdd"].map(|name| root.block_number_named(name).unwrap());
    let list = DeviceList::of(&root, &numbers, Vec::new()).unwrap();
    insta::assert_snapshot!(list.to_detailed_text(at(80)).to_string());
}

/// The zones of an SMR disk of 4 TB. A partition has those of its disk.
#[test]
fn a_zoned_device_shows_its_zones() {
    let queue = "/sys/devices/pci0000:00/0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0/block/sdb/queue";
    let files = [
        ("zoned", "host-managed"),
        ("chunk_sectors", "524288"),
        ("nr_zones", "14905"),
        ("max_open_zones", "128"),
    ];
    let overlay: String = files.iter().map(|(file, text)| format!("{queue}/{file} = {text}\n")).collect();
    let list = changed(&overlay);
    let row = list.to_text(at(200)).to_string();
    let row = row.lines().find(|line| line.contains("/dev/sdb")).unwrap().to_owned();
    assert!(row.contains("SATA, zoned"), "{row}");
    let detailed = list.to_detailed_text(at(80)).to_string();
    assert!(detailed.contains("host-managed, 14905 zones of 256 MiB, at most 128 open"), "{detailed}");
    assert_eq!(detailed.matches("zones").count(), 2, "no other device has some: {detailed}");
    let json = serde_json::to_value(device(&list, "sdb")).unwrap();
    assert_eq!(json["zones"]["size_bytes"], 256 << 20);
    assert_eq!(json["zones"]["model"], "host-managed");
}

#[test]
fn as_json() {
    let list = list(&tree("devices"));
    let json = serde_json::to_value(&list).unwrap();
    assert_eq!(json["schema"], "fathom.devices/1");
    let vdb = json["devices"].as_array().unwrap().iter().find(|device| device["name"] == "vdb").unwrap();
    insta::assert_snapshot!("json", serde_json::to_string_pretty(vdb).unwrap());
}

/// The list and a run must not disagree: what the list says is what the guard's rules say.
#[test]
fn the_verdict_is_the_guards() {
    let list = list(&tree("devices"));
    for (name, verdict, option) in [
        ("nvme0n1", WritingVerdict::Blank, Some("--write EX960-0001")),
        ("nvme10n1", WritingVerdict::Destroys, Some("--destroy EX960-0010")),
        ("sdc", WritingVerdict::Destroys, Some("--destroy 't10.Example Stick 0001'")),
        ("sdd", WritingVerdict::Unknown, None),
        ("nvme1n1", WritingVerdict::Refused, None),
        ("vdb", WritingVerdict::Refused, None),
        ("sdf", WritingVerdict::Refused, None),
    ] {
        let writing = &device(&list, name).writing;
        assert_eq!((writing.verdict, writing.option.as_deref()), (verdict, option), "{name}");
    }
    assert_eq!(list.needing_root(), 1);
}

#[test]
fn what_cannot_be_measured_is_listed_only_when_it_is_asked_for() {
    let tree = tree("devices");
    let names = |listed| {
        let list = DeviceList::read(&Root::held(&tree), listed).unwrap();
        (list.devices.iter().map(|device| device.name.clone()).collect::<Vec<_>>(), list.left_out)
    };
    let (few, left_out) = names(Listed::Measurable);
    let (all, none) = names(Listed::All);
    assert_eq!((all.len(), none), (few.len() + left_out, 0));
    let more: Vec<_> = all.into_iter().filter(|name| !few.contains(name)).collect();
    assert_eq!(more, ["sr0", "loop0", "loop2", "zram0"]);
}

/// A reader makes the guard ask for `--destroy`; the list does not say that there are data.
#[test]
fn a_blank_device_that_another_program_reads_holds_no_data() {
    let reader =
        "/proc/77/comm = fathom\n/proc/77/fd/7 -> /dev/nvme0n1\n/proc/77/fdinfo/7 = flags: 0100000\n";
    let list = changed(reader);
    let read = device(&list, "nvme0n1");
    assert_eq!(read.writing.verdict, WritingVerdict::ReadByOthers);
    assert_eq!(read.writing.option.as_deref(), Some("--destroy EX960-0001"));
    let text = list.to_text(at(200)).to_string();
    assert!(text.contains("blank, open for reading by fathom (pid 77)"), "{text}");
    let detail = DeviceList { directories: Vec::new(), ..list }.to_detailed_text(at(80)).to_string();
    assert!(detail.contains("it looks empty, but another program reads it; needs --destroy"), "{detail}");
}

/// Two disks with one serial have no name of their own, so no option is shown that could mean both.
#[test]
fn a_name_that_two_devices_have_is_no_option() {
    let dir = "/sys/devices/pci0000:00/0000:00:04.0/0000:04:00.0/nvme/nvme0/nvme0n1";
    let list = changed(&format!("{dir}/device/serial = EX960-0010\n-{dir}/wwid\n"));
    assert_eq!(device(&list, "nvme0n1").writing.option, None);
    assert!(list.to_text(at(200)).contains("not possible: no unique name"));
}

#[test]
fn a_name_from_outside_commands_no_terminal() {
    let dir = "/sys/devices/pci0000:00/0000:00:04.0/0000:04:00.0/nvme/nvme0/nvme0n1";
    let list = changed(&format!("{dir}/device/model = a\u{1b}[2Jb\n"));
    let text = list.to_text(Style { colour: true, ..at(100) });
    assert!(text.contains("a\\x1b[2Jb") && !text.contains("\u{1b}[2J"), "{text}");
}

#[test]
fn without_utf_8_there_is_only_ascii() {
    let text = list(&tree("devices")).to_text(Style { utf8: false, ..at(60) });
    assert!(text.is_ascii(), "{text}");
}

/// Nothing that can be measured: the text says so, and offers no command.
#[test]
fn a_machine_without_devices() {
    let tree = Tree::parse("fathom-tree 1\n/sys/block/\n/proc/1/stat = 1\n/proc/self/mountinfo =\n").unwrap();
    let text = list(&tree).to_text(at(80)).to_string();
    assert!(text.starts_with("There is no block device that could be measured."), "{text}");
    assert!(!text.contains("next:"), "{text}");
}
