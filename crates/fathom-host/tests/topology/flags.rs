//! Each kind of flag: where it must be, and where it must not.

use fathom_host::topology::MapRequest;
use fathom_host::topology::flags::{FlagId, FlagSeverity};

use crate::topology::fixture::{changed, kinds, map, map_of, nodes_with, only, tree};

#[test]
fn two_sockets_has_its_four_troubles() {
    let map = map(&tree("two-sockets"));
    let width = only(&map, FlagId::DowngradedWidth);
    assert_eq!((width.node.as_str(), width.severity), ("0000:44:00.0", FlagSeverity::Bad));
    assert_eq!(width.short, "width halved: reseat");
    assert!(width.explain.contains("\"M.2-B\"") && width.explain.contains("nvme1n1"));
    let path = "/sys/bus/pci/devices/0000:44:00.0/current_link_width";
    assert!(width.evidence.iter().any(|e| e.path.to_string_lossy() == path && e.value == "2"));

    let over = only(&map, FlagId::Oversubscribed);
    assert_eq!(over.node, "0000:41:00.0");
    let load = map.nodes.iter().find(|f| f.address.to_string() == over.node).unwrap().load.unwrap();
    assert_eq!((load.selected.now_mbps / load.capacity_mbps.unwrap() * 100.0).round(), 150.0);
    assert_eq!((load.ratio_healthy().unwrap() * 100.0).round(), 200.0);

    assert_eq!(only(&map, FlagId::CrossNumaArray).node, "md0");
    assert_eq!(only(&map, FlagId::UnevenMembers).short, "nvme1n1 has Gen4 x2, others Gen4 x4");
    assert_eq!(only(&map, FlagId::SharedUplinkArray).severity, FlagSeverity::Bad);
}

/// V-72: twelve lanes into eight are too many, sixteen into sixteen are not.
#[test]
fn systems_a_and_b() {
    assert_eq!(kinds(&map(&tree("balanced"))), Vec::<&str>::new());
    let b = map(&tree("oversubscribed"));
    assert_eq!(kinds(&b), ["oversubscribed"]);
    let flag = only(&b, FlagId::Oversubscribed);
    assert!(flag.short.starts_with("oversubscribed 1.50:1"), "{}", flag.short);
}

/// V-72: network and graphics count too, and the flag says so.
#[test]
fn a_network_adapter_may_fill_the_link() {
    let device = "/sys/devices/pci0000:00/0000:00:02.0/0000:01:00.0/0000:02:02.0/0000:05:00.0";
    let map = map(&changed(
        "oversubscribed",
        &format!("-{device}/nvme\n{device}/class = 0x020000\n-/sys/class/block/nvme2n1\n"),
    ));
    let flag = only(&map, FlagId::Oversubscribed);
    assert_eq!(flag.severity, FlagSeverity::Info);
    assert!(flag.short.contains("network"), "{}", flag.short);
}

/// A drive that cannot use its link does not need it.
#[test]
fn a_datasheet_lowers_the_need() {
    let rates = ["nvme0n1", "nvme1n1", "nvme2n1"].map(|name| (name.to_owned(), 1000.0));
    let request = MapRequest { datasheet_mbps: rates.into(), ..MapRequest::default() };
    assert_eq!(kinds(&map_of(&tree("oversubscribed"), &request).unwrap()), Vec::<&str>::new());
    let unknown = MapRequest { datasheet_mbps: [("sdz".to_owned(), 1.0)].into(), ..MapRequest::default() };
    assert!(map_of(&tree("oversubscribed"), &unknown).unwrap_err().to_string().contains("sdz"));
}

#[test]
fn one_link_with_five_troubles() {
    let map = map(&tree("downgraded"));
    let mut found = kinds(&map);
    found.dedup();
    assert_eq!(found, ["downgraded-width", "downgraded-speed", "aspm-on-path", "mps-gap", "aer-errors"]);
    assert_eq!(nodes_with(&map, FlagId::AerErrors), ["0000:00:03.1", "0000:01:00.0"]);
    assert_eq!(only(&map, FlagId::MpsGap).short, "payload 128 of 512 bytes");
    assert_eq!(only(&map, FlagId::AspmOnPath).short, "link may sleep (l1)");
}

/// V-78: one lane of four.
#[test]
fn one_lane_of_four() {
    let device = "/sys/devices/pci0000:00/0000:00:03.1/0000:01:00.0";
    let map = map(&changed("downgraded", &format!("{device}/current_link_width = 1\n")));
    assert_eq!(only(&map, FlagId::DowngradedWidth).short, "x1 of x4: reseat");
}

#[test]
fn errors_that_were_not_repaired_weigh_more() {
    let device = "/sys/devices/pci0000:00/0000:00:03.1/0000:01:00.0";
    let map = map(&changed("downgraded", &format!("{device}/aer_dev_fatal = TOTAL_ERR_FATAL 1\n")));
    let flag = map.flags.iter().find(|f| f.id == FlagId::AerErrors && f.node == "0000:01:00.0").unwrap();
    assert_eq!(flag.severity, FlagSeverity::Warn);
}

/// An emulated port that is faster than the device in it, and one without a
/// link rate, are not faults.
#[test]
fn emulated_links_are_not_blamed() {
    assert_eq!(kinds(&map(&tree("qemu"))), Vec::<&str>::new());
}

#[test]
fn a_slot_that_is_less_than_its_device() {
    let port = "/sys/devices/pci0000:00/0000:00:01.1";
    let device = format!("{port}/0000:01:00.0");
    let map = map(&changed(
        "thermal",
        &format!(
            "{port}/max_link_width = 2\n{port}/current_link_width = 2\n{device}/current_link_width = 2\n"
        ),
    ));
    let flag = only(&map, FlagId::SlotLimited);
    assert_eq!(flag.short, "slot is Gen4 x2, device supports Gen4 x4");
    assert_eq!(nodes_with(&map, FlagId::DowngradedWidth), Vec::<&str>::new());
}

#[test]
fn a_hot_drive() {
    let map = map(&tree("thermal"));
    let flag = only(&map, FlagId::Hot);
    assert_eq!((flag.node.as_str(), flag.severity), ("nvme0n1", FlagSeverity::Bad));
    assert_eq!(flag.evidence[0].value, "84850");
}

/// V-73.
#[test]
fn a_drive_behind_the_chipset() {
    let map = map(&tree("laptop"));
    let flag = only(&map, FlagId::ChipsetAttached);
    assert_eq!(flag.node, "0000:00:1d.0");
    assert!(flag.short.contains("confidence low"));
}

#[test]
fn an_unknown_node_matters_on_several_nodes_only() {
    assert_eq!(nodes_with(&map(&tree("laptop")), FlagId::UnknownNuma), Vec::<&str>::new());
    let device = "/sys/devices/pci0000:80/0000:80:01.1/0000:81:00.0";
    let map = map(&changed("two-sockets", &format!("{device}/numa_node = -1\n")));
    assert_eq!(nodes_with(&map, FlagId::UnknownNuma), ["nvme2n1"]);
}

/// Worst first.
#[test]
fn flags_are_in_order() {
    let map = map(&tree("two-sockets"));
    assert!(map.flags.windows(2).all(|pair| pair[0].severity >= pair[1].severity));
    for flag in &map.flags {
        assert!(!flag.evidence.is_empty() && !flag.explain.is_empty(), "{}", flag.id);
    }
}
