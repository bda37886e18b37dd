//! Names in binary answers. A search for words does not find them, so they are
//! removed by their position.

use std::path::Path;

use crate::smbios::{self, Structure};

/// The part of the configuration space that fathom reads. After it are the
/// extended capabilities, including the device's serial number, which for a
/// network card is its MAC address.
const CONFIG_BYTES: usize = 256;

/// FGUID of Identify Controller; NGUID and EUI-64 of Identify Namespace (NVMe
/// base specification 2.0, 5.17).
const CONTROLLER_NAMES: std::ops::Range<usize> = 112..128;
const NAMESPACE_NAMES: std::ops::Range<usize> = 104..128;

/// Structures of the firmware's table that are kept: slots, memory, and the end
/// (SMBIOS 3.4, 7.10, 7.17, 7.18). The others contain serial numbers, UUIDs,
/// asset tags and text of the owner.
const DMI_KEPT: [u8; 4] = [9, 16, 17, 127];

/// Offsets in a memory device of the string numbers for serial number and asset
/// tag.
const DMI_MEMORY: u8 = 17;
const DMI_MEMORY_NAMES: [usize; 2] = [0x18, 0x19];

/// The bytes of an answer without the names in it.
pub(super) fn without_names(path: &Path, bytes: &[u8]) -> Vec<u8> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut bytes = bytes.to_vec();
    let mut blank = |range: std::ops::Range<usize>| {
        if let Some(part) = bytes.get_mut(range) {
            part.fill(0);
        }
    };
    match name.as_ref() {
        "identify-controller" => blank(CONTROLLER_NAMES),
        name if name.starts_with("identify-namespace") => blank(NAMESPACE_NAMES),
        "config" if path.starts_with("/sys") => bytes.truncate(CONFIG_BYTES),
        "DMI" => return dmi(&bytes),
        _ => {}
    }
    bytes
}

fn dmi(table: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = table;
    while let Some((Structure { formatted, strings }, next)) = smbios::first(rest) {
        rest = next;
        if DMI_KEPT.contains(&formatted[0]) {
            out.extend(formatted);
            let named = DMI_MEMORY_NAMES.iter().filter_map(|at| formatted.get(*at)).copied();
            let named: Vec<u8> = named.filter(|_| formatted[0] == DMI_MEMORY).collect();
            for (number, text) in (1u8..=u8::MAX).zip(strings.split(|byte| *byte == 0)) {
                let stand_in = if named.contains(&number) { vec![b'X'; text.len()] } else { text.to_vec() };
                out.extend([&stand_in[..], &[0]].concat());
            }
            out.push(0);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_fixed_places_are_blank() {
        let namespace = without_names(Path::new("/.fathom/asked/nvme0/identify-namespace-1"), &[7; 4096]);
        assert_eq!((namespace[103], namespace[104], namespace[127], namespace[128]), (7, 0, 0, 7));
        let controller = without_names(Path::new("/.fathom/asked/nvme0/identify-controller"), &[7; 4096]);
        assert_eq!((controller[111], controller[112], controller[127], controller[128]), (7, 0, 0, 7));
        let config = without_names(Path::new("/sys/devices/pci0000:00/0000:00:01.0/config"), &[7; 4096]);
        assert_eq!(config.len(), CONFIG_BYTES);
        assert_eq!(without_names(Path::new("/etc/config"), &[7; 300]).len(), 300);
        assert_eq!(without_names(Path::new("/x/identify-namespace-1"), &[7; 3]), [7; 3]);
    }

    #[test]
    fn of_the_firmwares_table_slots_and_memory_are_left() {
        let system = [&[1u8, 8, 0, 0, 1, 2, 3, 4][..], b"Maker\0Model\0SECRET-1\0\0"].concat();
        let slot = [&[9u8, 17, 0, 0, 1, 0xa5, 10, 4, 4, 7, 0, 4, 1, 0, 0, 5, 0][..], b"SLOT 7\0\0"].concat();
        let mut memory = vec![17u8, 0x1b, 0, 0];
        memory.resize(0x1b, 0);
        (memory[0x10], memory[0x18], memory[0x19]) = (1, 2, 3);
        memory.extend(b"DIMM A1\0SECRET-2\0TAG-3\0\0");
        let end = [127u8, 4, 0, 0, 0, 0];
        let table = [&system[..], &slot, &memory, &end].concat();
        let left = without_names(Path::new("/sys/firmware/dmi/tables/DMI"), &table);
        let text = String::from_utf8_lossy(&left).into_owned();
        assert!(text.contains("DIMM A1") && !text.contains("SECRET") && !text.contains("TAG"), "{text}");
        assert!(text.contains("SLOT 7"), "{text}");
        assert_eq!(left.len(), table.len() - system.len());
        assert_eq!(
            without_names(Path::new("/sys/firmware/dmi/tables/DMI"), &left),
            left,
            "done once is done"
        );
    }
}
