//! As perf-tools' `cachestat -t` prints it: for the whole window its mean second, else each sample.
//!
//! Where the kernel did not count the misses, there is a question mark, and the reason below.

use super::{Page, SysstatSpans};
use fathom_figures::SampledSpan;
use fathom_figures::sampled::PageCacheFigures;
use fathom_results::sample::kind::PAGE_CACHE;

const HEAD: &str = "    HITS   MISSES  DIRTIES    RATIO   BUFFERS_MB   CACHE_MB\n";

const DIRECT: &str = "no job of this run uses the page cache\n";

pub(super) fn text(page: &Page<'_>) -> String {
    if !page.sampled.is_buffered() {
        return DIRECT.to_owned();
    }
    let time =
        |text: &str| if page.spans == SysstatSpans::Each { format!("{text:<9}") } else { String::new() };
    let mut out = format!("{}{HEAD}", time("TIME"));
    for span in &page.each {
        if let Some(cache) = page.sampled.page_cache(span) {
            out.push_str(&format!("{}{}", time(&page.clock(span)), line(&cache, span)));
        }
    }
    if let Some(why) = page.sampled.unknown(&PAGE_CACHE) {
        out.push_str(&format!("\nhits and misses are unknown: {why}\n"));
    }
    out
}

fn line(cache: &PageCacheFigures, span: &SampledSpan<'_>) -> String {
    let per_second = |pages: f64| if span.seconds > 0.0 { pages / span.seconds } else { 0.0 };
    let known =
        |pages: Option<f64>| pages.map_or("?".to_owned(), |pages| format!("{:.0}", per_second(pages)));
    let ratio = match (cache.miss_pages, cache.hit_percent()) {
        (None, _) => "?".to_owned(),
        (_, Some(percent)) => format!("{percent:.1}%"),
        // Nothing was read.
        (_, None) => "-".to_owned(),
    };
    let mib = |kib: f64| kib / 1024.0;
    format!(
        "{:>8} {:>8} {:>8.0} {ratio:>8} {:>12.0} {:>10.0}\n",
        known(cache.hit_pages),
        known(cache.miss_pages),
        per_second(cache.dirtied_pages),
        mib(cache.buffers_kib),
        mib(cache.cached_kib)
    )
}
