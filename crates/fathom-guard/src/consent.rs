//! Consent: what the person at the keyboard allowed, and by which names.
//!
//! Kernel names (`sdb`, `/dev/nvme0n1`) change with the order of discovery, and one wrong key
//! selects another disk, so they do not count as consent. Names that belong to the device itself
//! count. A device without any is named by its by-id name, backing path or disk sequence number
//! together with its size. A partition is named by the name of its disk and `-partN`, as udev does.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use fathom_text::carried::of_os;

use fathom_device::device::Identity;

const BY_ID: &str = "/dev/disk/by-id/";

/// Everything that was allowed. It comes from the command line only: a job
/// file has no way to fill it.
#[derive(Debug, Clone, Default)]
pub struct Consent {
    /// Devices that may be written if they hold nothing.
    pub write: Vec<DeviceName>,
    /// Devices that may be written and lose what they hold.
    pub destroy: Vec<DeviceName>,
    /// Files not created by fathom that may be overwritten.
    pub overwrite_files: Vec<PathBuf>,
}

impl Consent {
    /// The word that names `identity` and none of the `others`, to show the user what to type.
    pub fn word_for(identity: &Identity, others: &[Identity]) -> Option<String> {
        stable_names(identity, others).first().map(ToString::to_string)
    }

    /// Whether destroying what `identity` holds was allowed.
    pub fn destroys(&self, identity: &Identity, others: &[Identity]) -> bool {
        let names = stable_names(identity, others);
        self.destroy.iter().any(|word| names.iter().any(|name| word.is(name)))
    }
}

/// A name that stays with a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceName {
    word: String,
    /// The same word read as `NAME:SIZE`.
    sized: Option<(String, u64)>,
}

/// Why a word cannot be consent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConsentError {
    /// The word is a kernel name or a path below `/dev`.
    #[error("after a reboot, {word} can be another disk, so this name gives no consent")]
    KernelName {
        /// The word.
        word: String,
    },
    /// The word is empty.
    #[error("an empty name names no device")]
    Empty,
}

impl ConsentError {
    /// What to write instead.
    pub fn hint(&self) -> &'static str {
        "name the device by its serial number, WWID or by-id name; if it has none of these, by \
         BACKING_PATH:SIZE, where the path is not below /dev; to see the exact option: fathom devices DEVICE"
    }
}

impl FromStr for DeviceName {
    type Err = ConsentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let word = text.trim();
        let word = word.strip_prefix(BY_ID).unwrap_or(word);
        if word.is_empty() {
            return Err(ConsentError::Empty);
        }
        let sized = word.rsplit_once(':').and_then(|(name, size)| Some((name.to_owned(), parse_size(size)?)));
        let name = sized.as_ref().map_or(word, |(name, _)| name);
        if is_kernel_name(name) {
            let word = text.to_owned();
            return Err(ConsentError::KernelName { word });
        }
        Ok(Self { word: word.to_owned(), sized })
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word)
    }
}

impl DeviceName {
    pub(super) fn is(&self, name: &StableName) -> bool {
        match name.size_bytes {
            None => self.word == name.text,
            Some(size) => self.sized.as_ref() == Some(&(name.text.clone(), size)),
        }
    }
}

/// A name of a device; with the size where the name alone does not identify the contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StableName {
    pub text: String,
    pub size_bytes: Option<u64>,
}

impl fmt::Display for StableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size_bytes {
            None => f.write_str(&self.text),
            Some(size) => write!(f, "{}:{size}", self.text),
        }
    }
}

/// The names of `identity` that are names of none of `others`, best first. Two namespaces of one
/// NVMe controller share a serial number, and cheap bridges invent one: a name that fits two disks
/// does not count.
pub(super) fn stable_names<'a>(
    identity: &Identity,
    others: impl IntoIterator<Item = &'a Identity> + Copy,
) -> Vec<StableName> {
    let unique = |of: fn(&Identity) -> &Option<String>| {
        let name = of(identity).as_ref()?;
        let shared = others.into_iter().any(|other| of(other).as_ref() == Some(name));
        (!shared).then(|| with_partition(identity, name))
    };
    let born = [unique(|i| &i.serial), unique(|i| &i.wwid)];
    let mut names: Vec<StableName> = born.into_iter().flatten().map(plain).collect();
    let has_own_name = !names.is_empty();
    let sized = |text| StableName { text, size_bytes: Some(identity.size_bytes) };
    let by_id = identity.by_id.iter().cloned();
    names.extend(by_id.map(|text| if has_own_name { plain(text) } else { sized(text) }));
    // The device under a loop device has a kernel name, which does not count as consent.
    let backing = identity.backing_file.as_ref();
    let is_shared = others.into_iter().any(|other| other.backing_file.as_ref() == backing);
    if let Some(path) = backing.map(of_os).filter(|path| !is_shared && !is_kernel_name(path)) {
        names.push(sized(with_partition(identity, &path)));
    }
    // zram, brd, null_blk and a loop device over a device have no name but the number of this
    // instance.
    if let (true, Some(sequence)) = (names.is_empty(), identity.diskseq) {
        let text = with_partition(identity, &format!("by-diskseq/{sequence}"));
        names.push(sized(text));
    }
    names
}

/// The words by which consent can name this device and none of `others`, best first; empty where
/// the device has no such name.
pub fn consent_words<'a>(
    identity: &Identity,
    others: impl IntoIterator<Item = &'a Identity> + Copy,
) -> Vec<String> {
    stable_names(identity, others).iter().map(ToString::to_string).collect()
}

fn plain(text: String) -> StableName {
    StableName { text, size_bytes: None }
}

fn with_partition(identity: &Identity, name: &str) -> String {
    match identity.partition {
        Some(number) => format!("{name}-part{number}"),
        None => name.to_owned(),
    }
}

/// Bytes, or binary K, M, G, T.
fn parse_size(text: &str) -> Option<u64> {
    let shift = match text.as_bytes().last()?.to_ascii_uppercase() {
        b'K' => 10,
        b'M' => 20,
        b'G' => 30,
        b'T' => 40,
        _ => return text.parse().ok(),
    };
    let number: u64 = text[..text.len() - 1].parse().ok()?;
    number.checked_mul(1 << shift)
}

/// Families whose disks are lettered, then those that are numbered.
const LETTERED: [&str; 4] = ["sd", "hd", "vd", "xvd"];
const NUMBERED: [&str; 16] = [
    "nvme", "loop", "zram", "ram", "md", "dm-", "nbd", "mmcblk", "sr", "sg", "st", "nullb", "pmem", "rbd",
    "ublkb", "bcache",
];

fn is_kernel_name(word: &str) -> bool {
    if word.starts_with("/dev/") {
        return true;
    }
    let lettered = |rest: &str| {
        let letters = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        (1..=3).contains(&letters.len()) && letters.bytes().all(|b| b.is_ascii_lowercase())
    };
    let numbered = |rest: &str| {
        let first = rest.bytes().next().is_some_and(|b| b.is_ascii_digit());
        first && rest.bytes().all(|b| b.is_ascii_digit() || b"npc".contains(&b))
    };
    let has = |families: &[&str], fits: &dyn Fn(&str) -> bool| {
        let mut rests = families.iter().filter_map(|f| word.strip_prefix(f));
        rests.any(fits)
    };
    has(&LETTERED, &lettered) || has(&NUMBERED, &numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_names_are_refused() {
        for word in [
            "sdb",
            "sdaa3",
            "vda",
            "xvdb1",
            "nvme0n1",
            "nvme0n1p2",
            "nvme0",
            "nvme0c0n1",
            "loop3",
            "loop0p1",
            "dm-0",
            "md127",
            "zram0",
            "/dev/sdb",
            "/dev/mapper/vg-lv",
            "/dev/md/x",
            "sdb:1G",
            "/dev/disk/by-path/pci-0",
            "mmcblk0p1",
        ] {
            let error = word.parse::<DeviceName>().unwrap_err();
            assert!(matches!(error, ConsentError::KernelName { .. }), "{word}");
            assert!(error.hint().contains("serial"));
        }
        assert_eq!("  ".parse::<DeviceName>(), Err(ConsentError::Empty));
    }

    #[test]
    fn stable_words_parse() {
        for word in [
            "S3X9NX0K123",
            "naa.5000c500a1b2c3d4",
            "eui.0025385c21407b1e",
            "sdcard-77",
            "nvme-Samsung_SSD_980_S64",
            "md-uuid-1:2",
            "/tmp/x.img:256M",
        ] {
            let name: DeviceName = word.parse().unwrap();
            assert_eq!(name.to_string(), word);
        }
        let by_id: DeviceName = "/dev/disk/by-id/ata-X_1".parse().unwrap();
        assert_eq!(by_id.to_string(), "ata-X_1");
    }

    #[test]
    fn sizes_are_binary() {
        let cases = [
            ("7", Some(7)),
            ("4K", Some(4096)),
            ("256m", Some(256 << 20)),
            ("1G", Some(1 << 30)),
            ("2T", Some(2 << 40)),
            ("1X", None),
            ("", None),
            ("99999999999999T", None),
        ];
        for (text, bytes) in cases {
            assert_eq!(parse_size(text), bytes, "{text:?}");
        }
    }
}
