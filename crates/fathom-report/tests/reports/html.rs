//! The page: well formed, self-contained, small, and complete.

use crate::synthetic::{Recipe, disk, fixture};
use fathom_report::html::page;
use fathom_report::terminal::{Style, details};

/// Elements that have no end tag.
const VOID: [&str; 2] = ["meta", "br"];

/// Checks that tags nest, attributes are quoted and no bare `<` or `&` is left.
fn well_formed(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("a doctype");
    while let Some(at) = rest.find('<') {
        let text = &rest[..at];
        if open.last() != Some(&"style") {
            assert!(!text.contains('>'), "stray > in {text:?}");
            let entities = text.split('&').skip(1);
            entities.for_each(|e| assert!(e.find(';').is_some_and(|end| end < 7), "bare & before {e:?}"));
        }
        let end = at + rest[at..].find('>').expect("every < has its >");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "nesting");
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes in <{tag}>");
        let name = tag.split([' ', '\n']).next().unwrap();
        if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "elements left open");
}

fn mixed() -> Recipe {
    let mut recipe = Recipe::new(&fixture("loop-mix.fio"));
    recipe.edit = |record| record.disks.push(disk("loop7", 24_012, 12_000));
    recipe
}

#[test]
fn the_page_is_well_formed_and_fetches_nothing() {
    let html = page(&mixed().run());
    well_formed(&html);
    for word in ["http:", "https:", "src=", "@import", "url(", "<script", "<link"] {
        assert!(!html.contains(word), "{word}");
    }
    assert!(html.contains("<h2>mix</h2>") && html.contains("<h2>trim</h2>"));
    assert_eq!(html.matches("<svg").count(), 8, "four charts for each of two jobs");
    assert!(html.contains("An &lt;Honest&gt; CPU") && html.contains("not known"));
}

#[test]
fn markup_in_names_stays_text() {
    let mut run = Recipe::new("[x]\nioengine=null\nsize=1m\n").run();
    run.jobs[0].planned.name = "<img src=x onerror=alert(1)>&\"'".into();
    run.record.name = "</title><script>".into();
    let html = page(&run);
    well_formed(&html);
    assert!(!html.contains("<img") && !html.contains("<script"), "{html}");
}

#[test]
fn long_and_many_stay_small() {
    let jobs: String = (0..60).map(|n| format!("[job{n}]\nioengine=null\nsize=1m\nrw=randrw\n")).collect();
    let mut recipe = Recipe::new(&jobs);
    recipe.seconds = (2, 700);
    recipe.rate = 20;
    let html = page(&recipe.run());
    well_formed(&html);
    assert!(html.len() < 300_000, "{} bytes", html.len());
    assert!((0..60).all(|n| html.contains(&format!(">job{n}<"))));
    assert!(html.contains("are left out to keep this page small"));
}

#[test]
fn a_run_cut_short_or_empty_still_makes_a_page() {
    let mut recipe = mixed();
    recipe.seconds = (1, 0);
    recipe.edit = |record| record.finish = None;
    let html = page(&recipe.run());
    well_formed(&html);
    assert!(html.contains("incomplete</span>") && html.contains("no I/O in the measured window"));
}

#[test]
fn a_table_has_one_unit_of_latency() {
    let mut run = mixed().run();
    let mut slow = fathom_stats::Moments::new();
    let mut histogram = fathom_stats::Histogram::new();
    slow.record_n(50_790_000, 1_000);
    histogram.record_n(50_790_000, 1_000);
    let read = &mut run.jobs[0].totals.directions.read;
    read.completion = fathom_results::Latency { moments: slow, histogram: Some(histogram) };
    let html = page(&run);
    well_formed(&html);
    let from = html.find("<h2>Results</h2>").unwrap();
    let table = &html[from..from + html[from..].find("</table>").unwrap()];
    assert!(table.contains("p99<small>ms</small>") && table.contains("<td>50.79</td>"), "{table}");
    let cells = table.split("<td>").skip(1).map(|cell| cell.split('<').next().unwrap());
    cells.for_each(|cell| assert!(!cell.ends_with(" µs") && !cell.ends_with(" ms"), "{cell}"));
}

#[test]
fn without_a_verdict_the_headline_is_the_main_figures() {
    let five: String = (0..5).map(|n| format!("[j{n}]\nioengine=null\nsize=1m\n")).collect();
    let html = page(&Recipe::new(&five).run());
    let headline = html.split("<h2>").nth(1).unwrap().split("</h2>").next().unwrap();
    assert_eq!(
        headline,
        "j0: 1.97k IOPS, 8.09 MB/s, p99 116 µs; j1: 1.96k IOPS, 8.02 MB/s, p99 116 µs; \
         j2: 2.02k IOPS, 8.28 MB/s, p99 116 µs; and 2 more"
    );
    assert!(!html.contains("ran to the end"));
}

#[test]
fn a_mix_is_one_tile_with_its_sum_and_both_halves() {
    let run = Recipe::new("[mix]\nioengine=null\nsize=1m\nrw=randrw\n").run();
    let html = page(&run);
    assert_eq!(html.matches("<div class=\"tile ").count(), 1);
    let tile = html.split("<div class=\"tile ").nth(1).unwrap().split("</div>").next().unwrap();
    let totals = &run.jobs[0].totals.directions;
    let sum = ((totals.read.ios + totals.write.ios) as f64 / 12.0).round() as u64;
    let value = tile.split("class=\"value\">").nth(1).unwrap().split(' ').next().unwrap();
    assert_eq!(value.replace(',', ""), sum.to_string(), "{tile}");
    assert!(tile.contains(" read, ") && tile.contains(" write</p>"), "{tile}");
}

#[test]
fn a_narrow_page_scrolls_its_tables_and_nothing_else() {
    let html = page(&mixed().run());
    for table in html.split("<table class=\"results\">").skip(1).zip(html.split("<table class=\"results\">"))
    {
        assert!(
            table.1.trim_end().ends_with("<div class=\"wide\" tabindex=\"0\">"),
            "a table without its container"
        );
    }
    assert!(html.contains(".wide { overflow-x: auto;"));
    // A column's least width must give way to a narrower window.
    assert!(!html.contains("minmax(420px") && !html.contains("minmax(360px"));
}

#[test]
fn a_busy_disk_is_not_called_saturated() {
    let run = mixed().run();
    let html = page(&run);
    let disks =
        html.split("<h2>Disks, as the kernel counted</h2>").nth(1).unwrap().split("</section>").next();
    let disks = disks.unwrap();
    assert!(disks.contains("<td rowspan=\"3\">90.0 %</td>"), "busy: {disks}");
    assert!(disks.contains("100 % does not mean saturated"), "{disks}");
    // The average in the device has no such limit: it comes first here, and alone on a terminal.
    assert!(disks.find("in device").unwrap() < disks.find("busy").unwrap());
    let text = details(&run, Style { width: 300, ..Style::PLAIN });
    assert!(text.contains(" in the device on average") && !text.contains("busy"), "{text}");
}
