//! Private names that are known by their form, in any text.

use super::kind::Kind;
use core::net::IpAddr;
use fathom_text::identifying::{find, is_harmless};

/// Directories that every system has; alone, or with what is below those of the kernel and of programs, they tell nothing.
const SYSTEM: [&str; 22] = [
    "bin", "boot", "data", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc", "root",
    "run", "sbin", "srv", "sys", "tmp", "usr", "var", "", "efi",
];
const SYSTEM_BELOW: [&str; 5] = ["proc", "sys", "usr", "boot", "lib"];
const SYSTEM_FILES: [&str; 2] = ["/etc/os-release", "/etc/tuned/active_profile"];

/// Below it are the names of services and users.
const CGROUPS: &str = "/sys/fs/cgroup/";

/// The first letters of the kernel's names of devices.
const KERNEL_NAMES: [&str; 17] = [
    "sd", "hd", "vd", "xvd", "nvme", "ng", "loop", "md", "dm-", "ram", "zram", "mmcblk", "nbd", "sr",
    "nullb", "pmem", "sg",
];

/// What is before the number of a part of a device: namespace, path, partition, queue.
const PARTS: [char; 4] = ['n', 'c', 'p', 'q'];

/// How names of one device begin in `/dev/disk/by-id` and in sysfs.
const ID_PREFIXES: [&str; 13] = [
    "wwn-", "nvme-", "ata-", "scsi-", "usb-", "virtio-", "mmc-", "md-uuid-", "dm-uuid-", "eui.", "naa.",
    "nqn.", "enx",
];

/// A run of letters and digits of this length in such a name is a number of one device.
const ID_MIN: usize = 11;

/// Keys of mount options and of commands whose value is a name.
const KEYS: [&str; 6] = ["username=", "user=", "password=", "domain=", "hostname=", "host="];

/// Names other than paths.
pub(super) fn names(text: &str) -> Vec<(Kind, String)> {
    let known = find(text).into_iter().filter(|name| !is_harmless(name)).map(kind_of);
    let words = || text.split(|c: char| c.is_whitespace() || "\"'(),;<>=/:".contains(c));
    let ids = words().filter(|word| is_id(word)).map(|word| (Kind::Id, word.to_owned()));
    let accounts = words().filter(|word| is_account(word)).map(|word| (Kind::User, word.to_owned()));
    let keyed = KEYS.iter().flat_map(|key| {
        let value = |(at, _): (usize, &str)| text[at + key.len()..].split([',', ' ', ';', '"']).next();
        text.match_indices(key).filter_map(value).filter(|value| !value.is_empty())
    });
    let keyed = keyed.map(|value| (Kind::User, value.to_owned()));
    let functions = pci(text).into_iter().map(|name| (Kind::Pci, name.to_owned()));
    known.chain(ids).chain(accounts).chain(keyed).chain(functions).collect()
}

/// How the addresses of PCI functions (`0000:01:00.0`) and of their host bridges (`pci0000:00`) are written: `0` stands
/// for a hexadecimal digit.
const PCI: [&str; 2] = ["0000:00:00.0", "pci0000:00"];

/// The PCI addresses in a text.
fn pci(text: &str) -> Vec<&str> {
    let forms = PCI.iter().flat_map(|form| {
        let fits = move |(at, _): (usize, char)| {
            let found = text.get(at..at + form.len())?;
            let same = |(c, like): (u8, u8)| if like == b'0' { c.is_ascii_hexdigit() } else { c == like };
            (is_word(text, at, at + form.len()) && found.bytes().zip(form.bytes()).all(same)).then_some(found)
        };
        text.char_indices().filter_map(fits)
    });
    forms.collect()
}

/// Is the part of a text from `at` to `end` a word of its own, with no letter and no digit beside it?
pub(super) fn is_word(text: &str, at: usize, end: usize) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    is_end(text[..at].chars().next_back()) && is_end(text[end..].chars().next())
}

/// Kind and name of a text that `identifying` found; of a home it is the user.
fn kind_of(name: String) -> (Kind, String) {
    if let Some(user) = name.strip_prefix("/home/") {
        return (Kind::User, user.to_owned());
    }
    let is_mac = name.split(':').count() == 6 && name.split(':').all(|part| part.len() == 2);
    match name.parse::<IpAddr>() {
        Ok(_) => (Kind::Address, name),
        Err(_) if is_mac => (Kind::Address, name),
        Err(_) if name.len() == 36 && name.matches('-').count() == 4 => (Kind::Id, name),
        Err(_) => (Kind::Host, name),
    }
}

fn is_id(word: &str) -> bool {
    let rest = ID_PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix));
    let is_number = |part: &str| part.len() >= ID_MIN && part.contains(|c: char| c.is_ascii_digit());
    rest.is_some_and(|rest| {
        rest.contains('_') && rest.contains(|c: char| c.is_ascii_digit())
            || rest.split(|c: char| !c.is_ascii_alphanumeric()).any(is_number)
    })
}

/// `user@host`
fn is_account(word: &str) -> bool {
    let is_name = |part: &str| part.starts_with(|c: char| c.is_ascii_alphanumeric());
    word.split_once('@').is_some_and(|(user, host)| is_name(user) && is_name(host))
}

/// The paths in a text that are private.
pub(super) fn paths(text: &str) -> Vec<String> {
    let begins = text.match_indices('/').filter(|(at, _)| {
        // After a letter or a digit it is a division (`MB/s`) or inside a path.
        let before = text[..*at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !"/-_…<".contains(c))
    });
    let path = |(at, _): (usize, &str)| text[at..at + path_length(&text[at..])].to_owned();
    begins.map(path).filter(|path| path.len() > 2 && !is_public(path)).collect()
}

/// The length of the path with which a text begins; a path with a blank is known as a whole, or not at all.
pub(super) fn path_length(text: &str) -> usize {
    let end = text.find(|c: char| c.is_whitespace() || "\"'(),;:<>|=".contains(c)).unwrap_or(text.len());
    text[..end].trim_end_matches('.').len()
}

/// Does every system have this path, or a path like it?
pub(super) fn is_public(path: &str) -> bool {
    let Some(inner) = path.strip_prefix('/') else {
        return false;
    };
    let (first, rest) = inner.split_once('/').unwrap_or((inner, ""));
    let is_device = first == "dev" && KERNEL_NAMES.iter().any(|name| is_kernel_name(rest, name));
    let is_system = SYSTEM.contains(&first) && rest.is_empty();
    let is_below = SYSTEM_BELOW.contains(&first) && !path.starts_with(CGROUPS);
    is_device || is_system || is_below || SYSTEM_FILES.contains(&path)
}

/// Is it the name of a directory that every system has?
pub(super) fn is_of_system(name: &str) -> bool {
    SYSTEM.contains(&name)
}

/// `sda1`, `nvme0n1p2`: the beginning, a letter or a number of the device, and few more letters and digits.
fn is_kernel_name(name: &str, begins: &str) -> bool {
    let Some(rest) = name.strip_prefix(begins) else {
        return false;
    };
    let number = match begins {
        "sd" | "hd" | "vd" | "xvd" => rest.trim_start_matches(|c: char| c.is_ascii_lowercase()),
        _ => rest,
    };
    let has_letters = rest.len() > number.len() && rest.len() <= number.len() + 3;
    rest.len() <= 8
        && (is_number(number) && (has_letters || number == rest) || has_letters && number.is_empty())
}

/// The number of a device, with those of its namespace, path, partition or sector below it: `0n1p2`, `127`.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (mut rest, mut length) = (text, digits(text));
    while length > 0 {
        rest = &rest[length..];
        if rest.is_empty() {
            return true;
        }
        length =
            rest.strip_prefix(PARTS).map(digits).filter(|digits| *digits > 0).map_or(0, |digits| digits + 1);
    }
    false
}

/// A program in a text, and the words that name it.
pub(super) struct Named {
    pub program: String,
    /// `NAME (pid 5)`
    pub phrase: String,
}

/// The programs in `NAME (pid 5)`, as fathom writes it behind `by` and `in`.
pub(super) fn programs(text: &str) -> Vec<Named> {
    let named = text.match_indices(" (pid ").filter_map(|(at, _)| {
        let before = &text[..at];
        let starts = [" by ", " in "].into_iter().filter_map(|word| Some(before.rfind(word)? + word.len()));
        let start = starts.max()?;
        let end = at + text[at..].find(')')? + 1;
        let program = &text[start..at];
        (!program.is_empty() && program.len() <= COMM_BYTES_MAX)
            .then(|| Named { program: program.to_owned(), phrase: text[start..end].to_owned() })
    });
    named.collect()
}

/// The kernel keeps 15 bytes of a name (`TASK_COMM_LEN`, linux/sched.h).
const COMM_BYTES_MAX: usize = 15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_hosts_and_users() {
        for (text, kind, name) in [
            ("by wwn-0x5000c500a1b2c3d4 here", Kind::Id, "wwn-0x5000c500a1b2c3d4"),
            ("(nvme-Samsung_980_S676NX0R)", Kind::Id, "nvme-Samsung_980_S676NX0R"),
            ("built by alice@build7", Kind::User, "alice@build7"),
            ("rw,username=bob,vers=3", Kind::User, "bob"),
            ("10.20.30.40:/export", Kind::Address, "10.20.30.40"),
            ("52:54:00:12:34:56", Kind::Address, "52:54:00:12:34:56"),
            ("nas.corp:/export", Kind::Host, "nas.corp"),
            ("in /home/carol/x", Kind::User, "carol"),
            ("/sys/devices/pci0000:80/0000:81:00.1/nvme", Kind::Pci, "0000:81:00.1"),
            ("/sys/devices/pci0000:80/0000:81:00.1/nvme", Kind::Pci, "pci0000:80"),
            ("storage_controller.0000:00:1f.2", Kind::Pci, "0000:00:1f.2"),
        ] {
            assert!(names(text).contains(&(kind, name.to_owned())), "{text}: {:?}", names(text));
        }
        for text in [
            "nvme-cli 2.3",
            "virtio-pci",
            "ata-1",
            "p99.9 5 µs @ 3",
            "scsi-generic",
            "12:30:05",
            "00:30:05.2",
        ] {
            assert_eq!(names(text), [], "{text}");
        }
    }

    #[test]
    fn devices_that_every_system_may_have() {
        for path in [
            "/dev/sda",
            "/dev/sdab12",
            "/dev/nvme0n1p2",
            "/dev/nvme1c2n3",
            "/dev/loop12",
            "/dev/dm-3",
            "/dev/md127",
            "/etc",
        ] {
            assert!(is_public(path), "{path}");
        }
        for path in [
            "/dev/srv01",
            "/dev/mapper/vg-lv",
            "/dev/ramacme",
            "/dev/sdcard9",
            "/mnt/sda",
            "/dev/sd",
            "/dev/hdk38rgb",
            "/dev/md5kunde",
        ] {
            assert!(!is_public(path), "{path}");
        }
    }

    #[test]
    fn paths_but_not_divisions() {
        assert_eq!(paths("/mnt/a b/c 5 MB/s I/Os and/or (/srv/x/y) ./z/q."), ["/mnt/a", "/srv/x/y", "/z/q"]);
        assert_eq!(paths("/dev/mapper/vg-lv at /dev/nvme0n1p1"), ["/dev/mapper/vg-lv"]);
        assert_eq!(paths("/proc/5657/stat, /sys/fs/cgroup/user.slice/x"), ["/sys/fs/cgroup/user.slice/x"]);
    }

    #[test]
    fn a_program_that_has_a_file_open() {
        for (text, name) in [
            ("/dev/sdb is open for writing by acme db (pid 12), end it", Some("acme db")),
            ("is open in acme (pid 7)", Some("acme")),
            ("loop7 (pid 7)", None),
        ] {
            assert_eq!(programs(text).first().map(|named| named.program.as_str()), name, "{text}");
        }
    }
}
