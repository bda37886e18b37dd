//! Pages that were added to the page cache: its misses, as perf-tools' cachestat counts them.
//!
//! The tracepoint `filemap:mm_filemap_add_to_page_cache` is passed once for each folio, which may have many
//! pages; its field `order` says how many. So there is a counter for each order. A run without buffered I/O has no table.

use super::{BeginResult, SampleScope, names, nothing, readable};
use crate::counters;
use crate::root::{Root, Unknown};
use crate::sys::cache::page_bytes;
use crate::sys::perf::TracepointCounts;

/// Where tracefs is mounted.
const TRACING: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Bytes of the pages that the figures of the page cache are made of.
const PAGE_BYTES: u64 = 4096;

const TRACEPOINT: &str = "events/filemap/mm_filemap_add_to_page_cache";

/// The largest folio of a page cache: 2^11 pages (MAX_PAGECACHE_ORDER).
const ORDERS: u32 = 12;

/// Counters of all CPUs together. Each needs a descriptor, and 1,024 is the usual limit of a process.
const COUNTERS_MAX: usize = 512;

pub(super) fn begin(root: &Root, scope: &SampleScope) -> BeginResult {
    if !scope.is_buffered {
        return nothing();
    }
    if !root.is_live() {
        return Err(Unknown::new(TRACING[0], "a recorded machine counts nothing"));
    }
    let page = page_bytes();
    if page != PAGE_BYTES {
        return Err(Unknown::new(
            TRACING[0],
            format!("its pages are {page} bytes, and only {PAGE_BYTES} are counted"),
        ));
    }
    let dirs = TRACING.map(|tracing| format!("{tracing}/{TRACEPOINT}"));
    let dir = dirs.iter().find(|dir| root.exists(dir));
    let dir = dir.ok_or_else(|| {
        Unknown::new(
            TRACING[0],
            "the tracepoint is not there: tracefs is not mounted, or not readable for this user",
        )
    })?;
    let id: u64 = root.read_value(format!("{dir}/id"))?;
    let has_order = root.read_text(format!("{dir}/format"))?.contains("field:unsigned char order;");
    let filters: Vec<String> = match has_order {
        true => (0..ORDERS).map(|order| format!("order=={order}")).collect(),
        // Before 5.17 each pass is a page.
        false => vec!["pfn>=0".to_owned()],
    };
    let cpus: Vec<u32> = counters::cpu_ticks(root)?.into_keys().collect();
    if cpus.len() * filters.len() > COUNTERS_MAX {
        let says = format!("{} CPUs would need too many counters", cpus.len());
        return Err(Unknown::new(dir, says));
    }
    let counts = cpus.iter().map(|cpu| TracepointCounts::open(id, *cpu, &filters));
    let counts: Vec<_> = counts.collect::<Result<_, _>>().map_err(|e| Unknown::from_io(dir, &e))?;
    readable(["pages_added"], names(["all"]), move |_| vec![pages(&counts).map(|pages| vec![pages])])
}

fn pages(counts: &[TracepointCounts]) -> Option<u64> {
    let all: Vec<Vec<u64>> = counts.iter().map(|cpu| cpu.read().ok()).collect::<Option<_>>()?;
    let pages =
        |counts: &Vec<u64>| counts.iter().enumerate().map(|(order, count)| count << order).sum::<u64>();
    Some(all.iter().map(pages).sum())
}
