//! The page in a real browser: it shows what it must, loads nothing, and its script does what it says.
//!
//! Pictures of it are kept in `target/page-shots`, for a person to look at.

mod base64;
mod checks;
mod chromium;
#[path = "../reports/compared.rs"]
mod compared;
#[path = "../reports/repeated.rs"]
mod repeated;
mod runs;
#[path = "../reports/synthetic.rs"]
#[allow(dead_code, reason = "the tests of the reports use the rest")]
mod synthetic;

use base64::decoded;
use checks::*;
use chromium::Chromium;
use fathom_report::html::{comparison_page, page, procedure_page};
use fathom_report::terminal::ProcedureState;
use fathom_results::RunResult;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most bytes of a quick run's page.
const BYTES_MAX: usize = 500_000;

/// The most sheets of A4 of a quick run's page.
const SHEETS_MAX: usize = 5;

/// Where the pictures are kept.
fn shots() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let shots = target.join("page-shots");
    std::fs::create_dir_all(&shots).unwrap();
    shots
}

fn written(name: &str, run: &RunResult) -> PathBuf {
    let path = shots().join(format!("{name}.html"));
    std::fs::write(&path, page(run)).unwrap();
    path
}

fn keep(name: &str, data: &str) -> Vec<u8> {
    let bytes = decoded(data);
    std::fs::write(shots().join(name), &bytes).unwrap();
    bytes
}

/// One test, because the browser takes longer to start than to do all this.
#[test]
fn the_page_in_a_browser() {
    let mut browser = Chromium::start();
    let (quick, paced, cut) = (runs::quick(), runs::paced(), runs::cut());
    let pages = [written("quick", &quick), written("paced", &paced), written("cut", &cut)];
    browser.resize(1200, 900);
    for page in &pages {
        loads_nothing(&mut browser, page);
        on_a_phone(&mut browser, page);
    }
    let comparison = shots().join("comparison.html");
    std::fs::write(&comparison, comparison_page(&compared::doubted())).unwrap();
    loads_nothing(&mut browser, &comparison);
    on_a_phone(&mut browser, &comparison);
    keep("comparison.png", &browser.screenshot(true));
    let rounds = shots().join("repeat.html");
    std::fs::write(&rounds, procedure_page(&repeated::repeated(), ProcedureState::default(), None)).unwrap();
    loads_nothing(&mut browser, &rounds);
    on_a_phone(&mut browser, &rounds);
    keep("repeat.png", &browser.screenshot(true));
    let quick_page = &pages[0];
    let bytes = std::fs::metadata(quick_page).unwrap().len() as usize;
    assert!(bytes <= BYTES_MAX, "{bytes}");
    without_scripts(&mut browser, quick_page);
    browser.open(quick_page);
    pointer_shows_values(&mut browser);
    keys_show_values(&mut browser);
    heat_map_counts(&mut browser, &quick);
    a_series_goes_and_comes(&mut browser);
    time_is_zoomed(&mut browser);
    a_table_is_sorted(&mut browser);
    copies_are_tables(&mut browser);
    pictures(&mut browser, quick_page);
    browser.prefer("light", "print");
    browser.open(&written("many", &runs::many()));
    keep("many.pdf", &browser.paper());
    browser.prefer("light", "screen");
    texts_of("many.pdf").iter().for_each(|texts| columns_are_named_on_each_sheet(texts));
    browser.open(&pages[1]);
    keep("paced.png", &browser.screenshot(true));
}

/// Light, dark, paper and phone. They differ, and the paper is short.
fn pictures(browser: &mut Chromium, page: &Path) {
    browser.open(page);
    let light = keep("light.png", &browser.screenshot(true));
    browser.prefer("dark", "screen");
    let dark = keep("dark.png", &browser.screenshot(true));
    assert_eq!(browser.run(GROUND), "rgb(16, 21, 27)");
    browser.prefer("dark", "print");
    let print = keep("print.png", &browser.screenshot(true));
    assert_eq!(browser.run(GROUND), "rgb(255, 255, 255)", "paper is white");
    assert!(light != dark && light != print && dark != print);
    let paper = keep("quick.pdf", &browser.paper());
    let sheets = paper.windows(11).filter(|bytes| *bytes == b"/Type /Page").count()
        - paper.windows(12).filter(|bytes| *bytes == b"/Type /Pages").count();
    assert!((1..=SHEETS_MAX).contains(&sheets), "{sheets} sheets");
    texts_of("quick.pdf").iter().for_each(|texts| the_last_sheet_is_worth_its_paper(texts));
    browser.prefer("light", "screen");
    browser.resize(400, 800);
    keep("phone.png", &browser.screenshot(true));
    browser.resize(1200, 900);
}

/// The text of each sheet of a PDF; `None` where `pdftotext` is not there.
fn texts_of(name: &str) -> Option<Vec<String>> {
    let done = Command::new("pdftotext").arg("-layout").arg(shots().join(name)).arg("-").output().ok()?;
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    // A form feed ends each sheet.
    let text = String::from_utf8(done.stdout).unwrap();
    Some(text.trim_end_matches('\u{c}').split('\u{c}').map(str::to_owned).collect())
}

const GROUND: &str = "getComputedStyle(document.body).backgroundColor";
