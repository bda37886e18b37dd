//! No text makes a conversion fail in another way than by an error.

use super::convert_in;
use crate::world::World;
use fathom_job::convert::FORMS;
use proptest::prelude::*;

/// Words that the forms know, and some that none knows.
const WORDS: &[&str] = &[
    "[a]",
    "[global]",
    "rw=randwrite",
    "bs=4k",
    "bssplit=4k/50:8k/50",
    "filename=/dev/sdb:/dev/sdc",
    "ioengine=libaio",
    "thread=0",
    "direct=1",
    "include x",
    "orion -run simple",
    "orion -run advanced -matrix point",
    "-num_small 3",
    "-num_large",
    "0",
    "&",
    "/dev/sdb",
    "cat x.lun",
    "fio --name=a",
    "--",
    "-",
    "numjobs=4",
    "\\",
    "\"",
    "'",
    "--rw=read",
    "–bs=4k",
    "# x",
    ";",
    "${X}",
    "wait",
    "size=1m",
    "time_based",
    "runtime=9",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_text_is_converted_or_refused(parts in prop::collection::vec((0..WORDS.len(), any::<bool>()), 0..25), rest in ".{0,12}") {
        let mut text: String = parts.iter().map(|(at, breaks)| format!("{}{}", WORDS[*at], if *breaks { "\n" } else { " " })).collect();
        text += &rest;
        for form in FORMS {
            for (way, conversion) in [("--to", form.to), ("--from", form.from)] {
                if conversion.is_none() {
                    continue;
                }
                let made = convert_in(&World::default(), &format!("{way} {}", form.name), &[("x", &text)], None);
                match made {
                    Ok(converted) => prop_assert!(converted.text.contains("Converted by fathom convert")),
                    Err(found) => prop_assert!(!found.is_empty()),
                }
            }
        }
    }
}
