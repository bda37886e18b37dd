//! The printouts of the guides: what they say, and what their figures should
//! be.

use fathom_host::printout::dmidecode::{PrintedSlot, parse_slots};
use fathom_host::printout::fio_pci_check::PciCheck;
use fathom_host::printout::fio_status::FioStatus;
use fathom_host::printout::lspci::{cards_of, function};

/// V-74.
const BANDWIDTH: &str = include_str!("samples/fio-pci-check-bandwidth.txt");

/// The bridges that should have a star, because more is needed than they carry.
fn due_stars(check: &PciCheck) -> Vec<&str> {
    check.bridges.iter().filter(|bridge| bridge.is_short()).map(|bridge| bridge.name.as_str()).collect()
}

/// Drives that are printed below a bridge that does not lead to their bus.
fn misplaced_drives(check: &PciCheck) -> Vec<&str> {
    let pairs =
        check.bridges.iter().flat_map(|bridge| bridge.drives.iter().map(move |drive| (bridge, drive)));
    let misplaced = pairs.filter(|(bridge, (drive, _))| bridge.leads_elsewhere(drive));
    misplaced.map(|(_, (drive, _))| drive.as_str()).collect()
}

/// Addresses that are misprinted, as they are printed.
fn garbled(check: &PciCheck) -> Vec<&str> {
    let garbled = check.bridges.iter().filter(|bridge| bridge.address.is_none());
    garbled.map(|bridge| bridge.name.as_str()).collect()
}

#[test]
fn stars_are_due_where_the_need_is_larger() {
    let check = PciCheck::parse(BANDWIDTH);
    assert_eq!(check.root_mbps, Some(3000.0));
    assert_eq!(due_stars(&check), ["00:02.00", "01:00.00"]);
    // The third star is where enough bandwidth is: it comes from the bridge above.
    assert_eq!(check.bridges.iter().filter(|bridge| bridge.has_star).count(), 3);
    let starred = check.bridges.iter().filter(|bridge| bridge.has_star && !bridge.is_short());
    let inherited = starred.filter(|bridge| check.short_above(bridge).is_some());
    assert_eq!(inherited.map(|bridge| bridge.name.as_str()).collect::<Vec<_>>(), ["02:00.00"]);
    let slip = fathom_host::calc::slips::slip("V-74").unwrap();
    assert!(due_stars(&check).iter().all(|name| slip.right.contains(name)));
    let leaf = &check.bridges[2];
    assert_eq!((leaf.needed_mbps, leaf.available_mbps), (Some(1000.0), Some(1000.0)));
    assert_eq!((leaf.buses, leaf.above.as_slice()), (Some((3, 3)), &[0, 1][..]));
    assert_eq!(leaf.drives, [("03:00.0".to_owned(), 14_071)]);
    assert!(misplaced_drives(&check).is_empty() && garbled(&check).is_empty());
}

/// V-76, with its slips.
const ERRORS: &str = include_str!("samples/fio-pci-check-errors.txt");

#[test]
fn errors_belong_to_one_bridge_and_slips_are_told() {
    let check = PciCheck::parse(ERRORS);
    let with_errors: Vec<&str> =
        check.bridges.iter().filter(|b| !b.errors.is_empty()).map(|b| b.name.as_str()).collect();
    assert_eq!(with_errors, ["09:00.00"]);
    assert_eq!(check.bridges[1].errors, ["Fatal", "Unsupported"]);
    assert!(due_stars(&check).is_empty());
    assert_eq!(garbled(&check), ["00L04.00"]);
    assert_eq!(misplaced_drives(&check), ["0b:00.0"]);
    let slip = fathom_host::calc::slips::slip("V-76").unwrap();
    assert!(slip.printed.contains(garbled(&check)[0]) && slip.printed.contains(misplaced_drives(&check)[0]));
    assert_eq!(check.bridges.len(), 4);
}

/// V-79.
const WIDTH: &str = include_str!("samples/fio-pci-check-width.txt");

#[test]
fn a_link_of_one_lane_of_sixteen() {
    let check = PciCheck::parse(WIDTH);
    let bridge = &check.bridges[0];
    let rate = bridge.link.unwrap();
    assert_eq!(rate.to_string(), "Gen1 x1");
    assert_eq!(Some(rate.raw_mbps()), bridge.available_mbps);
    assert_eq!(Some(rate.raw_mbps()), check.root_mbps);
    assert_eq!((rate.lanes, bridge.lanes_max), (1, Some(16)));
}

#[test]
fn text_that_is_no_printout_gives_nothing() {
    for text in ["", "Bridge", "Bridge (", "Root Bridge", "* Needed", "Needed x Avail y", "\u{0}\u{ff}"] {
        let check = PciCheck::parse(text);
        assert!(due_stars(&check).is_empty() && check.root_mbps.is_none(), "{text:?}");
        assert_eq!(FioStatus::parse(text), FioStatus::default());
        assert!(function::parse(text).is_empty() && parse_slots(text).is_empty());
    }
}

/// M-13.
const STATUS: &str = include_str!("samples/fio-status.txt");

#[test]
fn a_drive_and_its_adapter() {
    let status = FioStatus::parse(STATUS);
    assert_eq!((status.drives_found, status.drives.len()), (Some(16), 1));
    let (adapter, drive) = (status.adapters[0].link.unwrap(), &status.drives[0]);
    assert_eq!((adapter.rate.to_string().as_str(), adapter.mbps), ("Gen2 x4", 2000.0));
    let inner = drive.link.unwrap();
    assert_eq!((inner.rate.to_string().as_str(), inner.mbps), ("Gen1 x4", 1000.0));
    assert!(adapter.is_consistent() && inner.is_consistent());
    assert_eq!((drive.name.as_str(), drive.block.as_str()), ("fct4", "fioe"));
    assert_eq!(drive.serial.as_deref(), Some("424727"));
    assert_eq!(drive.address.unwrap().short(), "08:00.0");
    assert_eq!(drive.firmware.as_deref(), Some("v5.0.6"));
    assert_eq!(drive.user_bytes(), Some(640_000_983_040));
    let percent = drive.overprovision_percent().unwrap().unwrap();
    assert_eq!((percent * 10.0).round() / 10.0, 26.9);
    assert_eq!(drive.temperature_c, Some((50.7, 54.1)));
}

/// V-80.
#[test]
fn one_lane_of_the_second_generation() {
    let status = FioStatus::parse(
        "Adapter: Dual Controller Adapter\n  PCIe negotiated link: 1 lanes at 5.0 Gt/sec each, 500.00 MBytes/sec total\n",
    );
    let link = status.adapters[0].link.unwrap();
    assert_eq!((link.rate.lanes, link.rate.raw_mbps(), link.mbps), (1, 500.0, 500.0));
    assert!(link.is_consistent());
}

/// M-10, three of the five slots.
const SLOTS: &str = include_str!("samples/dmidecode-slots.txt");

/// M-12.
const LIST: &str = include_str!("samples/lspci-list.txt");

/// The number of the slot: the last in its name.
fn number(slot: &PrintedSlot) -> Option<u32> {
    let from = slot.designation.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    slot.designation[from..].parse().ok()
}

#[test]
fn slots_with_what_is_wired() {
    let slots = parse_slots(SLOTS);
    let numbers: Vec<Option<u32>> = slots.iter().map(number).collect();
    assert_eq!(numbers, [7, 8, 9, 10, 11].map(Some));
    let addresses: Vec<String> = slots.iter().map(|slot| slot.address.unwrap().short()).collect();
    assert_eq!(addresses, ["05:00.0", "0a:00.0", "0f:00.0", "14:00.0", "17:00.0"]);
    let kinds: Vec<(&str, &str)> =
        slots.iter().map(|slot| (slot.kind.as_str(), slot.usage.as_str())).collect();
    let (narrow, wide) = ("x4 PCI Express Gen 2 x8", "x8 PCI Express Gen 2 x16");
    let used = "In Use";
    assert_eq!(
        kinds,
        [(narrow, used), (narrow, used), (wide, used), (narrow, "Available"), (wide, "Available")]
    );
    let wired: Vec<f64> = slots.iter().map(|slot| slot.wired().unwrap().raw_mbps()).collect();
    assert_eq!(wired, [2000.0, 2000.0, 4000.0, 2000.0, 4000.0]);
    let old = parse_slots("Designation: PCI-E Slot 1\nType: x4 PCI Express x8\n");
    assert_eq!(old[0].wired().unwrap().to_string(), "Gen1 x4");
}

/// Slots that the firmware calls available, and in which the bus has adapters.
#[test]
fn the_bus_knows_better_than_the_firmware() {
    let present = function::parse(LIST);
    let slots = parse_slots(SLOTS);
    let wrong = slots.iter().filter(|slot| {
        slot.usage == "Available" && slot.address.is_some_and(|address| present.contains_key(&address))
    });
    assert_eq!(wrong.map(|slot| number(slot).unwrap()).collect::<Vec<_>>(), [10, 11]);
    assert!(fathom_host::calc::slips::slip("M-10").unwrap().subject.contains("10 and 11"));
}

/// Each duo is a switch with two drives behind it; the card's upper port is
/// what the slot's address names.
#[test]
fn cards_of_two_drives() {
    let cards = cards_of(&function::parse(LIST));
    let short: Vec<(String, Vec<String>)> = cards
        .iter()
        .map(|card| (card.upper.short(), card.drives.iter().map(|drive| drive.short()).collect()))
        .collect();
    let pair = |upper: &str, first: &str, second: &str| {
        (upper.to_owned(), vec![first.to_owned(), second.to_owned()])
    };
    assert_eq!(
        short,
        [
            pair("05:00.0", "08:00.0", "09:00.0"),
            pair("0a:00.0", "0d:00.0", "0e:00.0"),
            pair("0f:00.0", "12:00.0", "13:00.0"),
        ]
    );
    let slots = parse_slots(SLOTS);
    let of_card = slots.iter().find(|slot| slot.address == Some(cards[0].upper)).unwrap();
    assert_eq!(number(of_card), Some(7));
    let status = FioStatus::parse(STATUS);
    assert!(cards[0].drives.contains(&status.drives[0].address.unwrap()));
}
