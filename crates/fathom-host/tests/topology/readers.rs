//! Tests the readers on files that are missing, denied or garbled, and the
//! joins that whole maps do not show.

use crate::topology::fixture::text;
use fathom_device::tree::Tree;
use fathom_device::{Root, Why};
use fathom_host::topology::function::Function;
use fathom_host::topology::function::FunctionKind;
use fathom_host::topology::{MapRequest, Topology};

use crate::topology::fixture::{changed, map, tree};

fn function<'a>(map: &'a Topology, address: &str) -> &'a Function {
    map.nodes.iter().find(|f| f.address.to_string() == address).unwrap()
}

/// A domain of VMD is below the function that made it.
#[test]
fn a_nested_domain() {
    let map = map(&tree("vmd"));
    let port = function(&map, "10000:00:02.0");
    assert_eq!(
        (port.kind, port.parent.unwrap().to_string()),
        (FunctionKind::RootPort, "0000:64:00.5".to_owned())
    );
    let nested = map.host_bridges.iter().find(|bridge| bridge.name == "pci10000:00").unwrap();
    assert_eq!(nested.nested_in.unwrap().to_string(), "0000:64:00.5");
    let outer = map.host_bridges.iter().find(|bridge| bridge.name == "pci0000:64").unwrap();
    assert_eq!(outer.load.storage.devices, 2);
}

/// Without root the table of slots and most of the configuration space are
/// hidden: the map reports that, and has no numbers for them.
#[test]
fn without_root_facts_are_unknown_with_their_reason() {
    let tree = changed("vmd", "/sys/devices/pci0000:64/0000:64:00.5/config <<hex\n\t8680\n");
    let map = map(&tree);
    assert!(!map.complete.root);
    let paths: Vec<String> = map.complete.missing.iter().map(|u| u.path.display().to_string()).collect();
    assert_eq!(paths, ["/sys/bus/pci/devices/0000:64:00.5/config", "/sys/firmware/dmi/tables/DMI"]);
    let vmd = function(&map, "0000:64:00.5");
    assert_eq!((vmd.payload_bytes.value, vmd.payload_bytes.why), (None, Some(Why::Denied)));
    let ceiling = function(&map, "10000:01:00.0").link.as_ref().unwrap().ceiling.unwrap();
    assert!(ceiling.payload_is_assumed);
}

#[test]
fn port_types_are_read_where_they_can_be() {
    let map = map(&tree("downgraded"));
    assert!(function(&map, "0000:00:03.1").kind_is_read);
    let two = crate::topology::fixture::map(&tree("two-sockets"));
    let kinds: Vec<FunctionKind> = ["0000:00:03.1", "0000:41:00.0", "0000:42:00.0", "0000:43:00.0"]
        .map(|a| function(&two, a).kind)
        .into();
    assert_eq!(
        kinds,
        [FunctionKind::RootPort, FunctionKind::SwitchUp, FunctionKind::SwitchDown, FunctionKind::Endpoint]
    );
    assert!(!function(&two, "0000:41:00.0").kind_is_read);
}

#[test]
fn interrupts_and_queues_are_joined() {
    let map = map(&tree("two-sockets"));
    let irqs = &function(&map, "0000:43:00.0").interrupts;
    let managed: Vec<Option<bool>> = irqs.iter().map(|irq| irq.managed.value).collect();
    assert_eq!(managed, [Some(false), Some(true), Some(true)]);
    assert_eq!(irqs[1].managed.raw.as_deref(), Some("mode 0444"));
    assert_eq!(irqs[2].cpus.value.as_ref().unwrap().to_string(), "8-15");
    let queues = &map.block("nvme0n1").unwrap().drive.as_ref().unwrap().queues;
    assert_eq!(queues[1].cpus.value.as_ref().unwrap().to_string(), "8-15");
}

/// Two functions of one device share its link and count once; a virtual
/// function is not in the map.
#[test]
fn functions_of_one_device_count_once() {
    let (port, second) = ("pci0000:00/0000:00:03.2", "pci0000:00/0000:00:03.2/0000:45:00.1");
    let virtual_one = "pci0000:00/0000:00:03.2/0000:45:00.2";
    let mut overlay = String::new();
    for path in [second, virtual_one] {
        let address = path.rsplit('/').next().unwrap();
        overlay += &format!("/sys/bus/pci/devices/{address} -> ../../../devices/{path}\n");
        overlay += &format!("/sys/devices/{path}/class = 0x020000\n");
        overlay += &format!(
            "/sys/devices/{path}/current_link_speed = 8.0 GT/s PCIe\n/sys/devices/{path}/current_link_width = 8\n"
        );
    }
    overlay += &format!("/sys/devices/{virtual_one}/physfn -> ../0000:45:00.0\n");
    let map = map(&changed("two-sockets", &overlay));
    assert!(map.nodes.iter().all(|f| f.address.to_string() != "0000:45:00.2"));
    let load = function(&map, "0000:45:00.0").load.unwrap();
    assert_eq!((load.all.devices, load.all.now_mbps.round()), (1, 7877.0), "{port}");
}

#[test]
fn garbled_links_are_unknown_and_not_zero() {
    let device = "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0";
    for overlay in [
        format!("{device}/current_link_speed = fast\n{device}/current_link_width = wide\n"),
        format!("{device}/current_link_speed = Unknown\n{device}/current_link_width = 0\n"),
        format!("-{device}/current_link_speed\n-{device}/current_link_width\n"),
    ] {
        let map = map(&changed("thermal", &overlay));
        let link = function(&map, "0000:01:00.0").link.as_ref().unwrap();
        assert_eq!((link.current.rate(), link.raw_mbps, link.ceiling), (None, None, None));
        assert!(link.current.lanes.reason.is_some());
        assert!(text(&map).contains("link unknown (could be Gen4 x4)"), "{}", text(&map));
        assert!(map.flags.iter().all(|flag| flag.node != "0000:01:00.0"));
    }
}

#[test]
fn a_machine_without_anything_has_an_empty_map() {
    let map = map(&Tree::parse("fathom-tree 1\n").unwrap());
    assert!(map.nodes.is_empty() && map.block.is_empty() && map.flags.is_empty());
    assert_eq!(map.boot_id.why, Some(Why::Missing));
    assert!(text(&map).contains("have no problem that can be seen here"));
}

/// What was asked for is marked; without a target nothing is.
#[test]
fn the_target_is_marked() {
    let tree = tree("qemu");
    let marked = |targets: &[&str]| {
        let targets = targets.iter().map(|target| (*target).to_owned()).collect();
        let request = MapRequest { targets, ..MapRequest::default() };
        text(&Topology::read(&Root::held(&tree), &request).unwrap()).matches("(target)").count()
    };
    assert_eq!((marked(&["/dev/vda"]), marked(&[])), (1, 0));
}

/// A virtio disk is a PCI function without a link; the map gives the reason.
#[test]
fn a_hypervisors_disk_has_no_link() {
    let map = map(&tree("qemu"));
    let reason = map.block("vda").unwrap().no_link.as_deref().unwrap();
    assert!(reason.contains("hypervisor"), "{reason}");
    assert!(text(&map).contains("link n-a: a hypervisor's disk"));
}

/// A loop in the members of a capture ends.
#[test]
fn members_of_each_other_end() {
    let dir = "/sys/devices/virtual/block";
    let mut overlay = String::new();
    for (at, (name, other)) in [("dm-7", "dm-8"), ("dm-8", "dm-7")].into_iter().enumerate() {
        overlay += &format!("/sys/class/block/{name} -> ../../devices/virtual/block/{name}\n");
        overlay += &format!("{dir}/{name}/dev = 253:{}\n{dir}/{name}/size = 8\n", 7 + at);
        overlay += &format!("{dir}/{name}/slaves/{other} -> ../../{other}\n");
    }
    let map = map(&changed("laptop", &overlay));
    assert!(map.stacks.iter().any(|stack| stack.name == "dm-7" && stack.members[0].disks.is_empty()));
}

/// An adapter with two drives behind it: each drive has its own identity in the map.
#[test]
fn drives_behind_one_adapter() {
    let controller = "/sys/devices/pci0000:00/0000:00:17.0";
    let mut overlay = String::new();
    for (at, name) in ["sda", "sdb"].into_iter().enumerate() {
        let dir = format!("{controller}/ata{at}/host{at}/target{at}:0:0/{at}:0:0:0/block/{name}");
        overlay += &format!("/sys/class/block/{name} -> {dir}\n/sys/dev/block/8:{} -> {dir}\n", at * 16);
        overlay += &format!("{dir}/dev = 8:{}\n{dir}/size = 2048\n{dir}/device/model = Disk {at}\n", at * 16);
    }
    let map = map(&changed("laptop", &overlay));
    let shown = text(&map);
    let adapter = shown.lines().find(|line| line.contains("00:17.0 storage")).unwrap();
    assert!(!adapter.contains("Disk"), "{adapter}");
    for (name, model) in [("sda", "Disk 0"), ("sdb", "Disk 1")] {
        assert!(shown.lines().any(|line| line.contains(name) && line.contains(model)), "{shown}");
    }
    assert!(map.flags.iter().any(|flag| flag.node == "0000:00:17.0" && flag.short.contains("chipset")));
}
