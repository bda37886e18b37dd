//! Printouts that were cut, mixed and damaged: each is judged or refused, and none
//! makes the program panic.

use crate::printout::sample::{ALL, bytes, read, text};

/// Judges and prints all forms of it.
fn told(bytes: &[u8]) {
    if let Ok(audit) = read(bytes) {
        assert!(!text(&audit).is_empty());
        serde_json::to_string(&audit.document(None, Vec::new())).unwrap();
    }
}

/// Numbers that are the same in every run (xorshift, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn cut_at_each_line_and_in_each_line() {
    for name in ALL {
        let bytes = bytes(name);
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
        for (number, end) in ends.enumerate() {
            told(&bytes[..end]);
            if number % 8 == 0 {
                told(&bytes[..end.saturating_sub(7)]);
                told(&bytes[end..]);
            }
        }
    }
}

#[test]
fn damaged_bytes() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for name in ALL {
        let whole = bytes(name);
        for _ in 0..30 {
            let mut damaged = whole.clone();
            for _ in 0..1 + numbers.below(200) {
                let at = numbers.below(damaged.len());
                // Digits and separators reach further into a parser than others.
                let table = b"0123456789abcf:.(),-+*=\n \t\x1b\x08\xff\0";
                damaged[at] = table[numbers.below(table.len())];
            }
            told(&damaged);
        }
    }
    let noise: Vec<u8> = (0..20_000).map(|_| numbers.below(256) as u8).collect();
    told(&noise);
}

/// Lines of all samples in any order.
#[test]
fn lines_of_all_kinds_mixed() {
    let mut numbers = Numbers(42);
    let all: Vec<u8> = ALL.iter().flat_map(|name| bytes(name)).collect();
    let lines: Vec<&[u8]> = all.split_inclusive(|byte| *byte == b'\n').collect();
    for _ in 0..60 {
        let mixed: Vec<u8> = (0..300).flat_map(|_| lines[numbers.below(lines.len())].to_vec()).collect();
        told(&mixed);
    }
}

/// Numbers that are too large for their meaning, and bridges that lead to
/// themselves.
#[test]
fn figures_that_cannot_be() {
    let texts = [
        "00:01.0 PCI bridge: a\n\tBus: primary=00, secondary=00, subordinate=00\n\tCapabilities: [58] Express (v2) Upstream Port, MSI 00\n\
         \t\tDevCap:\tMaxPayload 99999999999999999999 bytes\n\t\tLnkCap:\tSpeed 16GT/s, Width x4\n\t\tLnkSta:\tSpeed 8GT/s, Width x99999999999\n",
        "00:01.0 PCI bridge: a\n\tBus: primary=00, secondary=ff, subordinate=01\n01:00.0 PCI bridge: b\n\tBus: primary=01, secondary=00, subordinate=00\n\
         00:02.0 NVMe storage: c\n\tCapabilities: [58] Express (v2) Endpoint, MSI 00\n\t\tDevCap:\tMaxPayload 128 bytes\n\t\tDevCtl:\tMaxPayload 128 bytes\n",
        "fct0 Attached as 'fioa'\nFormat: 99999999999999999999999 sectors, 99999999999 bytes per sector\n1 GBytes physical device size\n",
        "Root Bridge PCIe 99999999999999999999999999\nBridge 0.0 (zz-00)\n Needed 1e9 Avail 0\n Current link_capabilities: 0xfffffffffffff\n",
        "Handle 0x1, DMI type 17\nMemory Device\nSize: 99999999999999999999 TB\nSize: 18446744073709551615 GB\nSpeed: 999999999 MT/s\n",
        "Designation: x\nType: x99999999999 PCI Express 99\nBus Address: 0000:00:00.0\n",
    ];
    texts.iter().for_each(|text| told(text.as_bytes()));
}
