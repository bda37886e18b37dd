//! The findings of printouts.

use std::path::PathBuf;

use fathom_host::audit::Grade::{Bad, Info, NotApplicable, Ok as Fine, Warn};
use fathom_host::printout::{self, PrintoutError};

use crate::printout::sample::{ALL, audit, bytes, read, said, text};

/// The whole text, as a person reads it.
#[test]
fn every_sample_is_told_as_it_was() {
    for name in ALL {
        insta::assert_snapshot!(name, text(&audit(&[name])));
    }
    insta::assert_snapshot!("slots-with-lspci", text(&audit(&["dmidecode-slots", "lspci-list"])));
}

/// V-74: two links are short; the third star comes from above.
#[test]
fn stars_are_told_where_the_need_is_larger() {
    let audit = audit(&["fio-pci-check-bandwidth"]);
    for short in ["00:02.00", "01:00.00"] {
        let (verdict, says) = said(&audit, "pcie.oversub", short)[0];
        assert_eq!(verdict, Warn);
        assert!(says.contains("3000 MB/s are needed, and the link carries 2000: 1.50 times"), "{says}");
    }
    assert_eq!(said(&audit, "pcie.oversub", "02:00.00")[0].0, Fine);
    let (verdict, says) = said(&audit, "printout.facts", "02:00.00")[0];
    assert!(verdict == Info && says.ends_with("its star is due to the link above 00:02.00"), "{says}");
    assert!(said(&audit, "printout.agreement", "02:00.00").is_empty());
}

/// A star that is printed or left out against the figures.
#[test]
fn stars_that_contradict_the_figures_are_told() {
    let text = "Root Bridge PCIe 1 MB/sec\nBridge 00:02.00 (01-05)\n * Needed 10 MB/sec Avail 20 MB/sec\n\
                Bridge 00:03.00 (06-07)\n Needed 30 MB/sec Avail 20 MB/sec\n";
    let audit = read(text.as_bytes()).unwrap();
    let says = |subject| said(&audit, "printout.agreement", subject)[0].1.to_owned();
    assert!(says("00:02.00").contains("it has a star"));
    assert!(says("00:03.00").contains("lacks the star"));
}

/// V-76: both kinds of errors belong to one bridge, and the misprints are reported.
#[test]
fn errors_of_a_bridge_and_misprints_are_told() {
    let audit = audit(&["fio-pci-check-errors"]);
    let (verdict, says) = said(&audit, "pcie.aer", "09:00.00")[0];
    assert!(verdict == Warn && says.contains("Fatal, Unsupported"), "{says}");
    assert!(said(&audit, "pcie.aer", "00:02.00").is_empty());
    assert_eq!(said(&audit, "pcie.oversub", "00L04.00")[0].0, Fine, "what is below a misprint is read");
    assert_eq!(said(&audit, "printout.agreement", "00L04.00").len(), 1);
    let twice = said(&audit, "printout.agreement", "0b:00.0");
    assert!(twice.iter().any(|(_, says)| says.contains("below 00L04.00, which does not lead to its bus")));
    assert!(twice.iter().any(|(_, says)| says.contains("listed 2 times")));
}

/// M-10: slots that the firmware calls available, and in which the bus has cards.
#[test]
fn slots_are_compared_with_the_bus_where_both_are_given() {
    let alone = audit(&["dmidecode-slots"]);
    let (verdict, says) = said(&alone, "pcie.slot_name", "PCI-E Slot 7")[0];
    assert_eq!(verdict, Info);
    assert!(says.starts_with("at 0000:05:00.0, In Use, x4 PCI Express Gen 2 x8, wired as Gen2 x4"), "{says}");
    assert_eq!(said(&alone, "printout.agreement", "dmidecode")[0].0, NotApplicable);
    let joined = audit(&["dmidecode-slots", "lspci-list"]);
    for slot in ["PCI-E Slot10", "PCI-E Slot11"] {
        let (verdict, says) = said(&joined, "printout.agreement", slot)[0];
        assert!(verdict == Warn && says.contains("Fibre Channel: QLogic Corp."), "{says}");
    }
    assert!(said(&joined, "printout.agreement", "PCI-E Slot 7").is_empty(), "it is said to be in use");
    // The same in one file, in either order.
    for order in [["dmidecode-slots", "lspci-list"], ["lspci-list", "dmidecode-slots"]] {
        let one_file = read(&order.map(bytes).concat()).unwrap();
        assert_eq!(said(&one_file, "printout.agreement", "PCI-E Slot10")[0].0, Warn);
    }
}

/// Some firmware gives the address of the port above a slot.
#[test]
fn a_port_with_nothing_behind_it_is_an_empty_slot() {
    let slots = |address: &str| {
        format!(
            "System Slot Information\n\tDesignation: S1\n\tCurrent Usage: Available\n\tBus Address: {address}\n"
        )
    };
    let with_lspci = |address: &str| {
        let audit = read(&[slots(address).into_bytes(), bytes("lspci-vv")].concat()).unwrap();
        !said(&audit, "printout.agreement", "S1").is_empty()
    };
    assert!(with_lspci("0000:00:01.1"), "a drive is behind this port");
    assert!(!with_lspci("0000:00:01.4"), "nothing is behind this one");
    assert!(!with_lspci("0000:77:00.0"), "nothing is there");
    // A list without details does not take away what the other file has.
    let vv = bytes("lspci-vv");
    let is_listed = |line: &&str| line.starts_with("0000:");
    let short: Vec<&str> = std::str::from_utf8(&vv).unwrap().lines().filter(is_listed).collect();
    let files = [slots("0000:00:01.1").into_bytes(), vv.clone(), short.join("\n").into_bytes()];
    let files = files.map(|bytes| (PathBuf::from("sent.txt"), bytes));
    assert!(!said(&printout::audit(&files).unwrap(), "printout.agreement", "S1").is_empty());
}

/// M-13.
#[test]
fn a_drive_is_told_with_links_capacity_and_temperature() {
    let audit = audit(&["fio-status"]);
    let outer = said(&audit, "pcie.path_bw", "adapter ioDrive Duo")[0].1;
    assert!(outer.starts_with("its link carries Gen2 x4, 2000 MB/s"), "{outer}");
    let inner = said(&audit, "pcie.path_bw", "fct4")[0].1;
    assert!(inner.starts_with("its link carries Gen1 x4, 1000 MB/s"), "{inner}");
    assert_eq!(said(&audit, "pcie.oversub", "adapter ioDrive Duo")[0].0, Fine);
    let facts = said(&audit, "printout.facts", "fct4");
    assert!(
        facts
            .iter()
            .any(|(_, says)| says.contains("640.001 GB of 812 GB of flash: over-provisioning 26.9 %"))
    );
    assert!(facts.iter().any(|(_, says)| says.contains("/dev/fioe, at 0000:08:00.0, serial number 424727")));
    assert!(said(&audit, "nvme.temp", "fct4")[0].1.starts_with("50.7 °C, and 54.1 °C at most"));
}

/// V-80, a figure that does not follow, a drive that cannot be, and the form of
/// later versions.
#[test]
fn cards_that_are_not_as_they_should_be() {
    let text = "Adapter: Dual Controller Adapter\n  PCIe negotiated link: 1 lanes at 5.0 Gt/sec each, 500.00 MBytes/sec total\n\
                fct0\tAttached\n\t812 GBytes physical device size\n\tFormat: v500, 2000000000 sectors of 512 bytes\n\
                \tPCIe negotiated link: 4 lanes at 2.5 Gt/sec each, 750.00 MBytes/sec total\n";
    let audit = read(text.as_bytes()).unwrap();
    let adapter = "adapter Dual Controller Adapter";
    assert_eq!(said(&audit, "pcie.width", adapter)[0].0, Warn);
    assert_eq!(said(&audit, "pcie.oversub", adapter)[0].0, Warn, "1000 MB/s on 500");
    let told = said(&audit, "printout.agreement", "fct0");
    assert!(
        told.iter()
            .any(|(_, says)| says.contains("750 MB/s is printed for the link, but Gen1 x4 carries 1000"))
    );
    assert!(told.iter().any(|(_, says)| says.contains("cannot offer")), "{told:?}");
}

#[test]
fn links_errors_and_packets_of_lspci() {
    let audit = audit(&["lspci-vv"]);
    let one = |check, subject| said(&audit, check, subject)[0];
    let table = [
        ("pcie.width", "0000:01:00.0", Fine, "x4, all the lanes"),
        ("pcie.width", "0000:02:00.0", Bad, "2 of the 4 lanes that both ends have"),
        ("pcie.width", "0000:05:00.0", Bad, "4 of the 8 lanes"),
        ("pcie.speed", "0000:02:00.0", Warn, "at Gen3, both ends could do Gen4"),
        ("pcie.speed", "0000:03:00.0", Info, "the fastest of the port above; the device could do Gen4"),
        ("pcie.path_bw", "0000:02:00.0", Bad, "its own link carries Gen3 x2"),
        ("pcie.path_bw", "0000:07:00.0", Fine, "the path carries Gen4 x4"),
        ("pcie.aer", "0000:01:00.0", Info, "it has marked CorrErr, UnsupReq;"),
        ("pcie.aer", "0000:02:00.0", Warn, "NonFatalErr, CmpltTO, CorrErr, BadTLP;"),
        ("pcie.aer", "0000:07:00.0", Fine, "it has marked no errors"),
        ("pcie.aer", "0000:08:00.0", Bad, "it does not answer"),
        ("pcie.mps", "0000:01:00.0", Fine, "256 bytes, the most"),
        ("pcie.mps", "0000:02:00.0", Warn, "packets carry 128 bytes, the whole path could take 256"),
        ("pcie.mps", "0000:03:00.0", Warn, "the port above is set to 128"),
        ("pcie.mrrs", "0000:03:00.0", Warn, "requests of 128 bytes"),
    ];
    for (check, subject, verdict, words) in table {
        let (judged, says) = one(check, subject);
        assert!(judged == verdict && says.contains(words), "{check} {subject}: {judged:?}: {says}");
    }
    assert!(said(&audit, "pcie.width", "0000:00:01.4").is_empty(), "an empty port is not a fault");
}

/// Without the port above, its limit is not known, and nothing is claimed about it.
#[test]
fn a_function_alone_is_judged_by_itself() {
    let text = String::from_utf8(bytes("lspci-vv")).unwrap();
    let from = text.find("0000:02:00.0 ").unwrap();
    let audit = read(&text.as_bytes()[from..from + text[from..].find("\n\n").unwrap()]).unwrap();
    let (verdict, says) = said(&audit, "pcie.width", "0000:02:00.0")[0];
    assert!(
        verdict == Warn
            && says.contains("with 2 of the function's 4 lanes, and the printout lacks the port above"),
        "{says}"
    );
    assert_eq!(said(&audit, "pcie.speed", "0000:02:00.0")[0].0, Warn);
    assert!(
        said(&audit, "pcie.mps", "0000:02:00.0").is_empty()
            && said(&audit, "pcie.path_bw", "0000:02:00.0").is_empty()
    );
}

#[test]
fn what_lspci_was_not_shown_needs_root() {
    let audit = audit(&["lspci-user"]);
    assert_eq!(audit.denied().len(), 1);
    assert_eq!(said(&audit, "pcie.width", "lspci")[0].0, NotApplicable);
}

#[test]
fn modules_are_judged_as_those_of_this_machine() {
    let audit = audit(&["dmidecode-memory"]);
    let (verdict, says) = said(&audit, "numa.dimms", "host")[0];
    assert_eq!(verdict, Warn);
    assert_eq!(says, "3 of 4 slots are filled: 1 of 4 channels are empty; modules differ in size");
    let slot = said(&audit, "pcie.slot_name", "CPU1 SLOT2 PCI-E 4.0 X16")[0].1;
    assert!(slot.contains("wired as Gen4 x16"), "{slot}");
}

/// Each sample is the same through a console of Windows and through a pager.
#[test]
fn what_terminals_and_consoles_add_changes_nothing() {
    for name in ALL {
        let printed = String::from_utf8(bytes(name)).unwrap();
        let told = |bytes: &[u8]| text(&read(bytes).unwrap());
        let plain = told(printed.as_bytes());
        let windows = format!("\u{feff}{}", printed.replace('\n', "\r\n"));
        let utf16: Vec<u8> = windows.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let coloured: String = printed
            .split_inclusive('\n')
            .map(|line| format!("\x1b[1m{}\x1b[0m\n", line.trim_end()))
            .collect();
        for other in [windows.into_bytes(), utf16, coloured.into_bytes()] {
            assert_eq!(told(&other), plain, "{name}");
        }
    }
}

#[test]
fn what_is_no_printout_is_refused() {
    for text in ["", " \n", "\u{feff}"] {
        assert!(matches!(read(text.as_bytes()), Err(PrintoutError::Empty(_))), "{text:?}");
    }
    for text in ["hello\n", "[job]\nrw=read\n", "00:02.0\n", "Bridge over the river\n", "Adapter\n"] {
        assert!(matches!(read(text.as_bytes()), Err(PrintoutError::Unknown(_))), "{text:?}");
    }
    let many = "00:00.0 a: b\n".repeat(20_001);
    assert!(matches!(read(many.as_bytes()), Err(PrintoutError::TooMany(_))));
    for kind in &printout::KINDS {
        assert!(printout::known().contains(kind.program), "{}", kind.program);
    }
}

/// A printout of a known program that says nothing is not an error, and is reported.
#[test]
fn a_printout_without_content_says_so() {
    let audit = read(b"# dmidecode 3.3\nGetting SMBIOS data from sysfs.\n").unwrap();
    assert_eq!(said(&audit, "printout.facts", "sent.txt")[0].0, NotApplicable);
}
