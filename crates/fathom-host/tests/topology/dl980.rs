//! The eight-socket server of the slides: sixteen drives on eight cards, each
//! card a switch with two drives, in slots of three kinds (M-3, M-9…M-12,
//! M-20).
//!
//! A loop makes the forty-eight functions, which have the same pattern.

use crate::topology::fixture::text;
use fathom_device::tree::{Tree, TreeEntry};
use fathom_host::calc::pcie::LinkRate;
use fathom_host::topology::flags::FlagId;

use crate::topology::fixture::{map, nodes_with, only};

/// Slot, its wiring, first bus of the card, letters of its two drives, and the
/// node near it. The buses of slots 7 to 9 are from the slides.
const SLOTS: [(u32, &str, u8, &str, u32); 8] = [
    (1, "gen1x4", 0x20, "gh", 2),
    (3, "gen2x8", 0x26, "op", 2),
    (4, "gen2x4", 0x2c, "ij", 2),
    (5, "gen2x8", 0x32, "mn", 2),
    (6, "gen2x8", 0x38, "kl", 2),
    (7, "gen2x4", 0x05, "ef", 0),
    (8, "gen2x4", 0x0a, "cd", 0),
    (9, "gen2x8", 0x0f, "ab", 0),
];

/// The best rate of the card's own link, and of the link of each of its drives.
const CARD: &str = "gen2x4";
const DRIVE: &str = "gen1x4";

fn machine() -> Tree {
    let mut text = String::new();
    for node in 0..8 {
        text += &format!("/sys/devices/system/node/node{node}/cpulist = {}-{}\n", node * 10, node * 10 + 9);
    }
    for (at, (_, wired, bus, letters, node)) in SLOTS.into_iter().enumerate() {
        let (wired, card): (LinkRate, LinkRate) = (wired.parse().unwrap(), CARD.parse().unwrap());
        let root = format!("pci0000:{:02x}/0000:{:02x}:{:02x}.0", node * 16, node * 16, at + 1);
        let now = wired.common(card);
        text += &function(&root, "060400", node, now, wired);
        let upper = format!("{root}/0000:{bus:02x}:00.0");
        text += &function(&upper, "060400", node, now, card);
        let drive: LinkRate = DRIVE.parse().unwrap();
        for (side, letter) in letters.chars().enumerate() {
            let lower = format!("{upper}/0000:{:02x}:{:02x}.0", bus + 1, 5 + side);
            text += &function(&lower, "060400", node, drive, card);
            let end = format!("{lower}/0000:{:02x}:00.0", usize::from(bus) + 3 + side);
            text += &function(&end, "018000", node, drive, drive);
            text += &block(letter, &end);
        }
    }
    let mut tree = Tree::default();
    tree.overlay(&text).unwrap();
    tree.insert("/sys/firmware/dmi/tables/DMI", TreeEntry::File { bytes: slot_table(), mode: None });
    tree
}

fn function(path: &str, class: &str, node: u32, now: LinkRate, most: LinkRate) -> String {
    let address = path.rsplit('/').next().unwrap();
    let dir = format!("/sys/devices/{path}");
    let mut text = format!("/sys/bus/pci/devices/{address} -> ../../../devices/{path}\n");
    text += &format!("{dir}/class = 0x{class}\n{dir}/numa_node = {node}\n");
    for (word, rate) in [("current", now), ("max", most)] {
        let speed = rate.generation.gigatransfers();
        text +=
            &format!("{dir}/{word}_link_speed = {speed:.1} GT/s\n{dir}/{word}_link_width = {}\n", rate.lanes);
    }
    text
}

fn block(letter: char, end: &str) -> String {
    let (name, path) = (format!("fio{letter}"), format!("{end}/block/fio{letter}"));
    let minor = (letter as u32 - 'a' as u32) * 16;
    format!(
        "/sys/class/block/{name} -> ../../devices/{path}\n/sys/block/{name} -> ../devices/{path}\n\
         /sys/dev/block/252:{minor} -> ../../devices/{path}\n/sys/devices/{path}/dev = 252:{minor}\n\
         /sys/devices/{path}/size = 1250001920\n"
    )
}

/// System slots in the form of the firmware's table.
fn slot_table() -> Vec<u8> {
    let mut table = Vec::new();
    for (slot, _, bus, ..) in SLOTS {
        table.extend([9, 17, slot as u8, 9, 1, 0xa5, 10, 4, 4, slot as u8, 0, 4, 1, 0, 0, bus, 0]);
        table.extend(format!("PCI-E Slot {slot}\0\0").into_bytes());
    }
    table.extend([127, 4, 0, 0, 0, 0]);
    table
}

/// Only slot 1 is slower than the card in it, and too slow for its two drives.
#[test]
fn slot_one_is_flagged_and_no_other() {
    let map = map(&machine());
    assert_eq!(nodes_with(&map, FlagId::SlotLimited), ["0000:20:00.0"]);
    assert_eq!(nodes_with(&map, FlagId::Oversubscribed), ["0000:20:00.0"]);
    assert_eq!(map.flags.len(), 2);
    let limited = only(&map, FlagId::SlotLimited);
    assert_eq!(limited.short, "slot is Gen1 x4, device supports Gen2 x4");
    assert!(limited.explain.contains("\"PCI-E Slot 1\""), "{}", limited.explain);
    assert!(only(&map, FlagId::Oversubscribed).short.starts_with("oversubscribed 2.00:1"));
}

/// M-3: what each slot carries, compared with what was measured in it.
#[test]
fn no_slot_gave_more_than_its_link_carries() {
    let measured = [842.0, 1468.0, 1421.0, 1510.0, 1516.0, 1420.0, 1427.0, 1512.0];
    let map = map(&machine());
    for ((slot, _, bus, ..), mbps) in SLOTS.into_iter().zip(measured) {
        let card =
            map.nodes.iter().find(|f| f.address.bus == bus && f.address.domain == 0 && f.slot.is_some());
        let raw = card.unwrap().link.as_ref().unwrap().raw_mbps.unwrap();
        assert_eq!(raw, if slot == 1 { 1000.0 } else { 2000.0 });
        assert!(mbps < raw, "slot {slot}");
        // Only slot 1 is at its link's limit.
        assert_eq!(mbps > raw * 0.8, slot == 1, "slot {slot}");
    }
}

#[test]
fn sixteen_drives_with_their_slots_and_nodes() {
    let map = map(&machine());
    assert_eq!(map.selected.len(), 16);
    let labels = map.nodes.iter().filter_map(|f| f.slot.as_ref()?.value.clone());
    assert_eq!(labels.count(), 8);
    // M-20: slots 1 to 6 near node 2, 7 to 11 near node 0.
    let drive = map.block("fioa").unwrap().functions[0];
    let function = map.nodes.iter().find(|f| f.address == drive).unwrap();
    assert_eq!(function.numa_node.value, Some(0));
    insta::assert_snapshot!("dl980", text(&map));
}
