//! The differences that a person has accepted, each with its reason.

use fathom_job::option::{Kind, OptionDef, OptionStatus};
use std::fmt;

/// A value on which fio and fathom differ.
pub struct Difference {
    pub def: &'static OptionDef,
    pub value: &'static str,
    /// `accepted`, `complained` or `refused`.
    pub fio: &'static str,
    /// Codes of our errors; none where we accept it.
    pub ours: Vec<String>,
}

impl Difference {
    fn is_only_fio_s(&self) -> bool {
        self.fio == "accepted"
    }

    fn is_only_ours(&self) -> bool {
        self.ours.is_empty()
    }

    fn is_one_of(&self, codes: &[&str]) -> bool {
        self.ours.iter().all(|ours| codes.contains(&ours.as_str())) && self.is_only_fio_s()
    }

    fn is_a_number(&self) -> bool {
        use Kind::*;
        let of = |kind: &Kind| {
            matches!(kind, Flag | Bool | Int { .. } | Float { .. } | Size { .. } | Time { .. } | Numbers)
                || matches!(kind, TimeRange | Range { .. } | Splits | Cpus | CpuMask)
        };
        match &self.def.kind {
            PerDirection(kind) => of(kind),
            kind => of(kind),
        }
    }

    /// Is a part of the value, between commas, colons, dashes and slashes, no number, or
    /// no number at its beginning?
    fn has_a_part_without_a_number(&self) -> bool {
        let parts = self.value.split([',', ':', '-', '/']);
        parts.map(str::trim).any(|part| {
            let digits = part.trim_start_matches(['+', '0']).trim_start_matches(['x', 'X']);
            !part.starts_with(|c: char| c.is_ascii_digit()) || (digits.is_empty() && part.len() != 1)
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { def, value, fio, ours } = self;
        write!(f, "{}={value}\t{:?}\tfio {fio}\tfathom {ours:?}", def.name, def.kind)
    }
}

/// A kind of difference.
pub struct Accepted {
    pub why: &'static str,
    pub is: fn(&Difference) -> bool,
}

pub const ACCEPTED: &[Accepted] = &[
    Accepted {
        why: "the option is refused, with its reason (fathom options)",
        is: |d| d.is_only_fio_s() && matches!(d.def.status, OptionStatus::Refused(_)),
    },
    Accepted {
        why: "the word is refused, with its reason (fathom options)",
        is: |d| d.is_one_of(&["refused-value"]),
    },
    Accepted {
        why: "fio wraps a number that is out of range, or cuts it; fathom names the range",
        is: |d| d.is_one_of(&["out-of-range"]),
    },
    Accepted {
        why: "fio takes what is not a number for 0, or looks for one behind a comma, a colon or a dash",
        is: |d| {
            let codes = ["bad-number", "bad-flag", "bad-size", "bad-time", "bad-arithmetic", "bad-range"];
            d.is_one_of(&codes) && d.is_a_number() && d.has_a_part_without_a_number()
        },
    },
    Accepted {
        why: "fio wants from 1 KiB to 512 MiB; fathom takes pieces of any size",
        is: |d| d.is_only_ours() && d.def.name == "log_compression",
    },
    Accepted {
        why: "Debian's fio does not know expressions in parentheses; fathom does, as fio's manual says",
        is: |d| d.is_only_ours() && d.value.contains('('),
    },
    Accepted {
        why: "Debian's fio is built without NUMA, and takes anything for it",
        is: |d| d.is_only_fio_s() && d.def.name.starts_with("numa_"),
    },
    Accepted {
        why: "fio wants powers of two of less than 4 GiB; fathom's plan refuses what is none, and takes larger ones",
        is: |d| d.is_only_ours() && d.def.name == "replay_align",
    },
    Accepted {
        why: "fio finds out about an unknown job to wait for when it runs",
        is: |d| d.is_one_of(&["bad-wait-for"]),
    },
    Accepted {
        why: "which engines there are is known to the binary, which refuses others (its test `manners`)",
        is: |d| d.is_only_ours() && d.def.name == "ioengine",
    },
    Accepted {
        why: "a word that fio knows since 3.34",
        is: |d| d.is_only_ours() && d.def.name == "fadvise_hint",
    },
    Accepted {
        why: "fio reads a percent sign behind any number as a share, and that as a huge number",
        is: |d| d.value.contains('%') && (d.is_only_ours() || d.is_one_of(&["bad-size"])),
    },
    Accepted {
        why: "fio takes `0x` anywhere in the text for the sign of a hexadecimal number",
        is: |d| d.value.contains("0x") && (d.is_only_ours() || d.is_one_of(&["bad-number", "bad-size"])),
    },
    Accepted {
        why: "fio takes no number behind a colon, or 0, for 0; such a count has no meaning",
        is: |d| {
            let is_counted = matches!(d.def.kind, Kind::FileService | Kind::Rw | Kind::SyncRange);
            is_counted && d.is_one_of(&["bad-number"]) && d.value.contains(':')
        },
    },
    Accepted {
        why: "fio ignores a word that it does not know among others",
        is: |d| {
            let is_list = matches!(d.def.kind, Kind::Errors | Kind::SyncRange | Kind::Pattern);
            is_list && d.is_one_of(&["bad-number", "unknown-word", "bad-pattern"])
        },
    },
    Accepted {
        why: "no processor is named: fio takes none, or the first",
        is: |d| matches!(d.def.kind, Kind::Cpus | Kind::CpuMask) && d.is_one_of(&["bad-number", "bad-range"]),
    },
    Accepted {
        why: "fio refuses sizes of 2^63 bytes and more where a smaller one is the largest that makes sense",
        is: |d| d.is_only_ours() && d.value.trim_start_matches(',').len() >= 19,
    },
    Accepted {
        why: "fio refuses 2 GiB and more; fathom compares these with the block when it plans",
        is: |d| d.is_only_ours() && ["verify_interval", "verify_offset"].contains(&d.def.name),
    },
    Accepted { why: "an empty text is none", is: |d| d.is_only_ours() && d.value.is_empty() },
    Accepted {
        why: "fio names the limit of a number, and goes on",
        is: |d| d.is_only_ours() && d.fio == "complained",
    },
    Accepted {
        why: "fio keeps a number where fathom keeps a truth",
        is: |d| d.is_one_of(&["bad-flag"]) && d.def.name == "uncached",
    },
    Accepted {
        why: "fio 3.33 does not have ramp_size, later releases do",
        is: |d| d.is_only_ours() && d.def.name == "ramp_size",
    },
    Accepted {
        why: "fio refuses a word behind a blank; in a file the blank is left out, and fathom leaves it out everywhere",
        is: |d| d.is_only_ours() && d.value.starts_with(' ') && matches!(d.def.kind, Kind::Word(_)),
    },
    Accepted {
        why: "of a text behind rw: fio reads the number at its beginning, and no number as none; fathom wants one",
        is: |d| d.def.name == "rw" && d.value.contains(':') && d.is_one_of(&["bad-size"]),
    },
    Accepted {
        why: "fio skips entries of zones that are empty or incomplete; fathom wants each to be a pair",
        is: |d| d.def.name == "random_distribution" && d.is_one_of(&["bad-zones", "missing-value"]),
    },
    Accepted {
        why: "fio takes a direction without a value for the lowest one; fathom wants a value on each side of a comma",
        is: |d| d.def.name == "cmdprio_class" && d.is_one_of(&["missing-value"]),
    },
    Accepted {
        why: "fio ends a number of a pattern at a second 0x, and takes that for a text; fathom wants a sign between them",
        is: |d| d.def.name.ends_with("pattern") && d.value.contains("0x") && d.is_one_of(&["bad-pattern"]),
    },
    Accepted {
        why: "fio opens a file without a name only when the job begins, and then fails",
        is: |d| d.def.name == "read_iolog" && d.is_one_of(&["empty-name"]),
    },
    Accepted {
        why: "fio leaves out what is after the third direction",
        is: |d| d.is_one_of(&["too-many-values"]),
    },
    Accepted {
        why: "fathom knows the checksums of later versions of fio",
        is: |d| d.is_only_ours() && d.def.name == "verify" && ["pattern_hdr", "xxh3"].contains(&d.value),
    },
    Accepted {
        why: "fio refuses another unit before that of zones; fathom takes no zones for none",
        is: |d| d.is_only_ours() && d.value == "0kz",
    },
    Accepted {
        why: "fio takes a part of a number for the whole (0xx10 is 0), and two parts of a range for one",
        is: |d| {
            let is_range = d.def.name == "bsrange" && d.is_one_of(&["bad-range"]);
            is_range || d.value.contains("0xx") && d.is_one_of(&["bad-time"])
        },
    },
];
