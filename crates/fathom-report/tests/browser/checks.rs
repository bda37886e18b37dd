//! What must be true of a page in the browser. Each check leaves the page as it was.

use crate::chromium::Chromium;
use fathom_figures::rows;
use fathom_results::RunResult;
use serde_json::{Value, json};
use std::path::Path;

/// The events that say that something is wrong on a page.
const FAULTS: [&str; 3] = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];

/// A page asks for nothing but itself, and neither the script nor the policy complains.
pub fn loads_nothing(browser: &mut Chromium, page: &Path) {
    browser.open(page);
    let events = browser.take_events();
    let is = |event: &Value, name: &str| event["method"] == name;
    for event in &events {
        assert!(!FAULTS.iter().any(|fault| is(event, fault)), "{}: {event}", page.display());
    }
    let asked = events.iter().filter(|event| is(event, "Network.requestWillBeSent"));
    let foreign = |event: &&Value| {
        let url = event["params"]["request"]["url"].as_str().unwrap();
        !url.ends_with(".html") && !url.starts_with("data:")
    };
    assert_eq!(asked.filter(foreign).count(), 0, "{events:?}");
    // The policy holds: what it does not name is refused.
    let refused = browser.run(
        "new Promise(done => { document.addEventListener('securitypolicyviolation', e => done(e.violatedDirective)); \
         const i = new Image(); i.src = 'https://example.invalid/x.png'; })",
    );
    assert_eq!(refused, "img-src");
}

/// At 400 pixels nothing is wider than the window, except what scrolls in its own container.
pub fn on_a_phone(browser: &mut Chromium, page: &Path) {
    browser.resize(400, 800);
    browser.open(page);
    let wide = browser.run(
        "[...document.querySelectorAll('main *')].filter(e => !e.closest('.wide') && !e.closest('svg') \
         && e.getBoundingClientRect().right > 401).map(e => e.outerHTML.slice(0, 200))",
    );
    assert_eq!(wide, json!([]), "{}", page.display());
    let tables = browser.run(
        "[...document.querySelectorAll('.wide')].every(e => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX))",
    );
    assert_eq!(tables, true);
    assert_eq!(browser.run("document.documentElement.scrollWidth <= 400"), true, "{}", page.display());
    let touching = browser.run(
        "[...document.querySelectorAll('.overview svg')].flatMap(svg => { const all = [...svg.querySelectorAll('.tick')] \
         .filter(e => e.textContent).map(e => e.getBoundingClientRect()); \
         return all.filter((one, at) => at && one.left < all[at - 1].right + 2).map(() => svg.textContent); })",
    );
    assert_eq!(touching, json!([]), "{}: labels that touch", page.display());
    browser.resize(1200, 900);
}

/// Every chart has marks, also where the reader allows no scripts.
pub fn without_scripts(browser: &mut Chromium, page: &Path) {
    browser.scripts(false);
    browser.open(page);
    let charts = "[...document.querySelectorAll('svg.chart')]";
    let marks = "'.line, .heat path, .bar, .spread'";
    let empty = browser.run(&format!(
        "{charts}.filter(c => ![...c.querySelectorAll({marks})].some(m => {{ const b = m.getBoundingClientRect(); \
         return b.width + b.height > 2; }})).map(c => c.getAttribute('aria-label'))"
    ));
    assert_eq!(empty, json!([]), "charts without marks");
    assert!(browser.run(&format!("{charts}.length")).as_u64().unwrap() > 20);
    assert_eq!(browser.run("document.querySelectorAll('button').length"), 0, "buttons come from the script");
    browser.scripts(true);
}

/// The tooltip at a point of the first time line is the value of that point.
pub fn pointer_shows_values(browser: &mut Chromium) {
    let chart = "svg.chart[data-t] .s[data-v] .line";
    browser.place(chart);
    let (x, y, value) = point(browser, chart, 4);
    browser.mouse("mouseMoved", (x, y), 0);
    let tip = browser.run("document.querySelector('.tip').textContent");
    let tip = tip.as_str().unwrap();
    assert!(tip.contains(&value) && tip.contains("MB/s"), "{tip} has no {value}");
    browser.mouse("mouseMoved", (2.0, 2.0), 0);
    assert_eq!(browser.run("document.querySelector('.tip').textContent"), "");
}

/// Where a point of a line is in the window, and its value as text.
fn point(browser: &mut Chromium, line: &str, at: usize) -> (f64, f64, String) {
    let point = browser.run(&format!(
        "(() => {{ const l = document.querySelector('{line}'), p = l.points[{at}], m = l.getScreenCTM(); \
         return [p.x * m.a + m.e, p.y * m.d + m.f, l.closest('.s').dataset.v.split(' ')[{at}]]; }})()"
    ));
    (point[0].as_f64().unwrap(), point[1].as_f64().unwrap(), point[2].as_str().unwrap().to_owned())
}

/// The arrow keys go from point to point.
pub fn keys_show_values(browser: &mut Chromium) {
    browser.run("document.querySelector('svg.chart[data-t]').focus()");
    browser.key("ArrowRight");
    browser.key("ArrowRight");
    let tip = browser.run("document.querySelector('.tip').textContent");
    let value = browser.run("document.querySelector('svg.chart[data-t] .s').dataset.v.split(' ')[2]");
    assert!(tip.as_str().unwrap().contains(value.as_str().unwrap()), "{tip} {value}");
    browser.key("Escape");
    assert_eq!(browser.run("document.querySelector('.tip').textContent"), "");
}

/// The fields of a heat map add up to the I/Os of its time line, and the pointer shows a count.
pub fn heat_map_counts(browser: &mut Chromium, run: &RunResult) {
    let sum = browser.run(
        "document.querySelector('.plot .heat').dataset.c.split(' ').flatMap(c => c.split(',').slice(5)) \
         .reduce((sum, ios) => sum + +ios, 0)",
    );
    let spans = rows(run)[0].mixed().latency_spans(120);
    assert_eq!(sum, spans.iter().map(|span| span.latency.count()).sum::<u64>());
    let field = browser.place(".plot .heat .h9");
    browser.mouse("mouseMoved", (field.x + 4.0, field.y + 3.0), 0);
    let tip = browser.run("document.querySelector('.tip').textContent");
    assert!(tip.as_str().unwrap().ends_with(" I/Os") && tip.as_str().unwrap().contains(" to "), "{tip}");
}

/// A click on a name in a legend hides its series, and another one shows it.
pub fn a_series_goes_and_comes(browser: &mut Chromium) {
    for hidden in [true, false] {
        let key = browser.place("svg.chart .key");
        let middle = (key.x + key.width / 2.0, key.y + key.height / 2.0);
        browser.mouse("mousePressed", middle, 1);
        browser.mouse("mouseReleased", middle, 1);
        let is = browser.run("document.querySelector('.s[data-v]').getBoundingClientRect().width === 0");
        assert_eq!(is, hidden);
    }
}

/// A drag widens a span of time in all charts of the measurement; a double click shows all again.
pub fn time_is_zoomed(browser: &mut Chromium) {
    let plot = browser.place("svg.chart[data-t] .plot");
    let y = plot.y + plot.height / 2.0;
    browser.mouse("mousePressed", (plot.x + plot.width * 0.25, y), 1);
    browser.mouse("mouseReleased", (plot.x + plot.width * 0.5, y), 1);
    let widths = "[...document.querySelector('article').querySelectorAll('[data-t] .plot')].map(p => p.viewBox.baseVal.width)";
    let zoomed = browser.run(widths);
    let zoomed: Vec<f64> = zoomed.as_array().unwrap().iter().map(|width| width.as_f64().unwrap()).collect();
    assert!(
        zoomed.len() >= 3 && zoomed.iter().all(|width| (*width / 410.0 - 0.25).abs() < 0.02),
        "{zoomed:?}"
    );
    assert!(browser.run("document.querySelectorAll('.zoomed .xticks text').length").as_u64().unwrap() > 3);
    browser.mouse("mousePressed", (plot.x + 20.0, y), 2);
    browser.mouse("mouseReleased", (plot.x + 20.0, y), 2);
    browser.run("document.querySelector('svg.chart[data-t]').dispatchEvent(new MouseEvent('dblclick'))");
    assert_eq!(browser.run("document.querySelectorAll('.zoomed').length"), 0);
}

/// A click on a heading sorts by that column, downwards and then upwards.
pub fn a_table_is_sorted(browser: &mut Chromium) {
    for (way, descending) in [("descending", true), ("ascending", false)] {
        browser.run("document.querySelectorAll('.sortable th button')[1].click()");
        let head =
            browser.run("document.querySelectorAll('.sortable thead th')[1].getAttribute('aria-sort')");
        assert_eq!(head, way);
        let column = browser.run(
            "[...document.querySelector('.sortable').tBodies[0].rows].map(r => \
             +[...r.cells[1].childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').replace(/,/g, ''))",
        );
        let mut rates: Vec<f64> =
            column.as_array().unwrap().iter().map(|rate| rate.as_f64().unwrap()).collect();
        if descending {
            rates.reverse();
        }
        assert!(rates.len() == 7 && rates.is_sorted(), "{rates:?}");
    }
}

/// What a copy puts on the clipboard is the table, and the points of the chart.
pub fn copies_are_tables(browser: &mut Chromium) {
    let copied = |browser: &mut Chromium, button: &str| {
        browser.run("Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: t => { window.copied = t; return Promise.resolve(); } } })");
        browser.run(&format!("document.querySelector('{button}').click()"));
        browser.run("window.copied").as_str().unwrap().to_owned()
    };
    let table = copied(browser, "section > .copy");
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines.len() == 8 && lines[0].starts_with("job,state,direction,block size,"), "{table}");
    let mix: Vec<&str> = lines.iter().copied().filter(|line| line.starts_with("mix-iops,")).collect();
    assert!(
        mix.len() == 2 && mix.iter().all(|line| line.contains(",\"random mix of 70 % read, 30 % write\",")),
        "{table}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("rand-read-latency,,read,4 KiB,random read,io_uring,1,1,11")),
        "{table}"
    );
    let chart = copied(browser, "article figure .copy");
    assert!(
        chart.starts_with("series,seconds since the start of the run,value,unit,ramp\nread,0.5,"),
        "{chart}"
    );
    let ramps: Vec<bool> = chart.lines().skip(1).map(|line| line.ends_with(",yes")).collect();
    assert!(ramps[0] && !ramps[1..].contains(&true), "{chart}");
    assert_eq!(chart.lines().count(), 12, "{chart}");
}

/// On paper each sheet of a long table has the names of its columns.
pub fn columns_are_named_on_each_sheet(sheets: &[String]) {
    let is_row = |line: &str| line.starts_with("many-jobs-") && line.split_whitespace().count() > 7;
    let with_rows: Vec<&String> = sheets.iter().filter(|sheet| sheet.lines().any(is_row)).collect();
    assert!(with_rows.len() > 1, "{} sheets", with_rows.len());
    for sheet in with_rows {
        let is_named = sheet.lines().any(|line| line.starts_with("Job ") && line.contains("interval"));
        assert!(is_named, "{sheet}");
    }
}

/// The last sheet has more than the last lines of the page.
pub fn the_last_sheet_is_worth_its_paper(sheets: &[String]) {
    let last = sheets.last().unwrap();
    assert!(last.contains("Saved in") && last.lines().filter(|line| !line.is_empty()).count() > 8, "{last}");
}
