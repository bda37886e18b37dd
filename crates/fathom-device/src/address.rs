//! The address of a PCI function: domain, bus, device, function; and the sum of its error counters (AER).

use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// `0000:41:00.0`. Intel's VMD makes the domains from 0x10000 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(into = "String")]
pub struct Address {
    /// Domain, also called segment.
    pub domain: u32,
    /// Bus.
    pub bus: u8,
    /// Device, 0 to 31.
    pub device: u8,
    /// Function, 0 to 7.
    pub function: u8,
}

/// The text is not an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a PCI address of the form 0000:41:00.0")]
pub struct AddressError(String);

impl FromStr for Address {
    type Err = AddressError;

    /// Parses an address with or without the domain.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| AddressError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Address> {
    let (front, function) = text.rsplit_once('.')?;
    let (front, device) = front.rsplit_once(':')?;
    let (domain, bus) = front.rsplit_once(':').unwrap_or(("0", front));
    let hex = |word: &str, digits: std::ops::RangeInclusive<usize>, most: u32| {
        let is_hex = digits.contains(&word.len()) && word.chars().all(|c| c.is_ascii_hexdigit());
        u32::from_str_radix(word, 16).ok().filter(|value| is_hex && *value <= most)
    };
    Some(Address {
        domain: hex(domain, 1..=8, u32::MAX)?,
        bus: u8::try_from(hex(bus, 2..=2, 0xff)?).ok()?,
        device: u8::try_from(hex(device, 2..=2, 31)?).ok()?,
        function: u8::try_from(hex(function, 1..=1, 7)?).ok()?,
    })
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{}", self.domain, self.bus, self.device, self.function)
    }
}

impl From<Address> for String {
    fn from(address: Address) -> String {
        address.to_string()
    }
}

impl Address {
    /// The short form: without the domain if it is 0000.
    pub fn short(self) -> String {
        let full = self.to_string();
        match self.domain {
            0 => full[5..].to_owned(),
            _ => full,
        }
    }

    /// The functions on a path in sysfs, in order: every part of the path that
    /// is an address.
    pub fn all_in(path: &Path) -> Vec<Self> {
        path.iter().filter_map(|part| part.to_str()?.parse().ok()).collect()
    }

    /// Its directory in sysfs, whatever functions are above it.
    pub fn sys_dir(self) -> String {
        format!("/sys/bus/pci/devices/{self}")
    }
}

/// The number of all errors in the text of a file such as `aer_dev_correctable`: its line `TOTAL_ERR_… N`.
pub fn aer_total(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with("TOTAL_ERR"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for text in ["0000:41:00.0", "10000:e1:1f.7"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        assert_eq!("08:00.0".parse::<Address>().unwrap().short(), "08:00.0");
        assert_eq!("10000:01:00.0".parse::<Address>().unwrap().short(), "10000:01:00.0");
        for text in [
            "",
            "00L04.00",
            "pci0000:00",
            "0000:41:20.0",
            "0000:41:00.8",
            "0000:4:00.0",
            "1.2",
            "0:0:0:0",
            "nvme0n1",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_holds_its_hops() {
        let path = Path::new(
            "/sys/devices/pci0000:64/0000:64:00.5/pci10000:00/10000:00:02.0/10000:01:00.0/nvme/nvme0",
        );
        let hops: Vec<String> = Address::all_in(path).into_iter().map(Address::short).collect();
        assert_eq!(hops, ["64:00.5", "10000:00:02.0", "10000:01:00.0"]);
    }

    #[test]
    fn the_total_is_the_last_line() {
        assert_eq!(aer_total("RxErr 3\nBadTLP 1\nTOTAL_ERR_COR 4"), Some(4));
        assert_eq!(aer_total("RxErr 3"), None);
        assert_eq!(aer_total("TOTAL_ERR_COR many"), None);
    }
}
