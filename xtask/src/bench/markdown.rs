//! The table of docs/performance.md.

use std::fmt::Write;

use super::cases::CASES;
use super::figure::Figure;
use super::record::Record;

/// The record as markdown.
pub fn table(record: &Record) -> String {
    let mut text = format!(
        "Ratios to {} on the same machine, interleaved, one CPU, all latency statistics on: median of pairs\n\
         with its 95 % interval. `cargo xtask bench --markdown` repeats it.\n\n",
        record.fio
    );
    text.push_str(
        "| 4 KiB random reads unless said | IOPS, × fio | 95 % interval | pairs | CPU per I/O, × fio |",
    );
    text.push_str(" system calls per I/O, fathom : fio |\n|---|---|---|---|---|---|\n");
    for figure in &record.cases {
        text.push_str(&line(figure).unwrap_or_default());
    }
    text.push_str("\n| instructions per I/O, user space | fathom | fio |\n|---|---|---|\n");
    for (name, (ours, theirs)) in &record.instructions {
        let theirs = theirs.map_or("-".to_owned(), |n| format!("{n:.0}"));
        writeln!(text, "| {name} | {ours:.0} | {theirs} |").expect("writing to a string");
    }
    text.push_str("\n| other budgets | measured | allowed |\n|---|---|---|\n");
    for row in &record.rows {
        let figure = format!("{:.3} {}", row.value, row.unit);
        writeln!(text, "| {} | {} | {} |", row.what, figure.trim_end(), row.budget)
            .expect("writing to a string");
    }
    let machine = &record.machine;
    writeln!(
        text,
        "\nMeasured on {} CPUs of {}, Linux {}, with `--pairs {} --seconds {}`, {}, at {}.",
        machine.cpus,
        machine.cpu,
        machine.kernel,
        record.pairs,
        record.seconds,
        record.date.split('T').next().unwrap_or_default(),
        record.commit
    )
    .expect("writing to a string");
    text
}

/// `None` for a case without a second tool.
fn line(figure: &Figure) -> Option<String> {
    let iops = figure.iops.ratio.as_ref()?;
    let title =
        CASES.iter().find(|case| case.name == figure.name).map_or(figure.name.as_str(), |case| case.title);
    let interval =
        iops.interval.map_or("too few pairs".to_owned(), |(low, high)| format!("{low:.2} to {high:.2}"));
    let cpu = figure.cpu_ns.ratio.as_ref().map_or("-".to_owned(), |cpu| format!("{:.2}", cpu.value));
    let calls = match figure.calls {
        Some((ours, Some(theirs))) => format!("{ours:.2} : {theirs:.2}"),
        _ => "-".to_owned(),
    };
    Some(format!("| {title} | {:.2} | {interval} | {} | {cpu} | {calls} |\n", iops.value, iops.pairs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::record::tests::record;

    #[test]
    fn every_figure_stands_with_its_interval() {
        let text = table(&record("2026-01-31T10:00:00Z", 2.0, (1.9, 2.1)));
        let expected = "| null engine, QD32: what the generator itself costs | 2.00 | 1.90 to 2.10 | 12 | - | 0.50 : 1.00 |";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("| null | 50 | 3000 |"), "{text}");
        assert!(text.contains("`--pairs 12 --seconds 3`, 2026-01-31, at 0123456789"), "{text}");
    }
}
