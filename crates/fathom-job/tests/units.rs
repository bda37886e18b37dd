//! Units that mean the reverse of their letters, and numbers beyond bounds.

use crate::world::{codes, listed, load};

#[test]
fn inverted_units_are_told() {
    let warned = |text: &str| -> Vec<String> {
        let set = load(text).unwrap_or_else(|found| panic!("{}", listed(&found)));
        set.warnings.into_iter().filter(|w| w.code == "inverted-unit").map(|w| w.to_string()).collect()
    };
    let bs = warned("[a]\nbs=8k,4kib\n");
    assert_eq!(bs.len(), 1);
    for part in ["4kib is 4000 bytes", "write 4k for 4096 bytes", "job.fio:2:7"] {
        assert!(bs[0].contains(part), "{part} is missing in {}", bs[0]);
    }
    assert_eq!(warned("[a]\nbssplit=4KiB/50:1mib/50\nsize=2GiB\n").len(), 3);
    for quiet in ["bs=4k\nsize=1mb", "kb_base=1000\nbs=4kib", "bs=4kib\nkb_base=1000", "description=4kib"] {
        assert_eq!(warned(&format!("[a]\n{quiet}\n")), Vec::<String>::new(), "{quiet}");
    }
}

#[test]
fn the_number_of_clones_is_bounded() {
    assert_eq!(codes("[a]\nnumjobs=65537\n"), ["out-of-range"]);
    assert_eq!(codes("[a]\nnumjobs=4097\n"), ["out-of-range"]);
}
