//! What is only explained: the figures in the texts, and the page of the documentation.

use std::fmt::Write;
use std::path::Path;

use fathom_host::audit::retired::{self, Advice};

fn text(id: &str) -> String {
    retired::find(id)
        .filter(|advice| advice.id == id)
        .unwrap_or_else(|| panic!("no {id}"))
        .to_text()
        .replace("\n    ", " ")
}

/// Contract V-47: 1,024 sectors, of 512 and of 4,096 bytes.
#[test]
fn the_windows_sample_writes_so_many_sectors() {
    let text = text("windows-direct-io");
    for (sector, said) in [(512_u64, "512 KiB"), (4096, "4 MiB")] {
        let bytes = 1024 * sector;
        let said_bytes =
            if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) };
        assert_eq!(said_bytes, said);
        assert!(text.contains(said), "{text}");
    }
    for word in ["O_DIRECT", "O_DSYNC", "BytesPerPhysicalSector", "direct=1", "sync=dsync"] {
        assert!(text.contains(word), "{word}");
    }
}

/// Contract T-47: a window of 128 is counted in sectors of 512 bytes.
#[test]
fn readahead_is_counted_in_sectors() {
    let text = text("read-ahead-units");
    assert!(text.contains(&format!("128 is {} KiB", 128 * 512 / 1024)), "{text}");
    assert!(text.contains(&format!("128 there is {} sectors", 128 * 1024 / 512)), "{text}");
}

/// Contract T-1 and T-2: 33 rows fit into one page, so each of them waits for it.
#[test]
fn all_rows_of_the_table_fit_into_one_page() {
    let text = text("pageiolatch");
    assert!(text.contains("page of 8 KiB") && text.contains("PAGEIOLATCH_SH"), "{text}");
    let rows: u32 = text.split(" rows").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    // A row of TPC-C's table of warehouses has 89 bytes (clause 1.2.1), and a page of 8 KiB has 8,096 for rows.
    assert!(rows == 33 && rows * 89 < 8096, "{rows}");
}

/// Contract T-55 (T-53, T-50): the three figures of the blog, and their order.
#[test]
fn raw_is_a_little_faster_than_a_file_and_the_cache_is_another_thing() {
    let text = text("raw-first");
    let (raw, file, cache) = (9142.0_f64, 8767.0, 853_333.0);
    for figure in ["9,142", "8,767", "853,333"] {
        assert!(text.contains(figure), "{text}");
    }
    assert!((raw / file - 1.0 - 0.043).abs() < 0.001, "4.3 % more without a file system");
    assert!(cache / raw > 90.0);
}

/// Each command that a text names can be typed: the binary's own test reads them; here they are not empty.
#[test]
fn what_the_guides_only_explain_is_explained() {
    let rows = [
        ("V-47", "windows-direct-io"),
        ("V-48", "seek-tests"),
        ("H-32", "seek-tests"),
        ("H-32", "hot-share"),
        ("H-32", "precondition-and-repeat"),
        ("H-32", "raid-overhead"),
        ("I-3", "vroc-key"),
        ("I-34", "fio-output"),
        ("T-1", "pageiolatch"),
        ("T-41", "standard-tools"),
        ("T-47", "read-ahead-units"),
        ("T-55", "raw-first"),
        ("I-6", "bios-checklist"),
    ];
    for (row, id) in rows {
        let advice = retired::find(id).filter(|advice| advice.id == id).unwrap_or_else(|| panic!("no {id}"));
        assert!(advice.sources.contains(&row), "{id} is not about {row}");
    }
}

/// `docs/advice.md` has every text of `fathom doctor --explain`. With `UPDATE_DOCS=1` it is written again.
#[test]
fn the_page_of_advice_is_in_the_documentation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/advice.md");
    let page = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        there, page,
        "the texts have changed: UPDATE_DOCS=1 cargo test -p fathom-host --test all explained"
    );
}

fn page() -> String {
    let mut out = String::from(
        "# Advice in guides, and what is true of it today\n\nThis page is made from the texts of `fathom doctor --explain WORD`.\n",
    );
    for Advice { id, advice, sources, standing, instead, checks, .. } in retired::all() {
        let _ = write!(
            out,
            "\n## {id}\n\n**{advice}** ({}; {})\n\n{instead}\n\nChecks: {}\n",
            standing.word(),
            sources.join(", "),
            checks.iter().map(|check| format!("`{check}`")).collect::<Vec<_>>().join(", "),
        );
    }
    out
}
