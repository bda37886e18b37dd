//! A script of gnuplot with its data: rates and latencies of each second, or the rates of the jobs where no seconds are asked for.

use super::Exported;
use super::exported::line_of;
use fathom_results::SeriesRecord;
use fathom_text::shown;
use std::fmt::Write;

pub(super) fn text(result: &Exported) -> String {
    let mut out = format!(
        "# {}\n# gnuplot FILE writes fathom.svg; gnuplot -e 'output=\"x.png\"; set term pngcairo' FILE writes another one.\n\
         if (!exists(\"output\")) {{ output = \"fathom.svg\"; set terminal svg size 1200,800 dynamic }}\nset output output\nset termoption noenhanced\n",
        shown::line(&result.name)
    );
    let is_of_line = |one: &SeriesRecord, other: &SeriesRecord| line_of(one) == line_of(other);
    let lines: Vec<&[SeriesRecord]> = result.seconds.chunk_by(is_of_line).collect();
    match lines.is_empty() {
        true => bars(&mut out, result),
        false => seconds(&mut out, &lines),
    }
    out
}

fn seconds(out: &mut String, lines: &[&[SeriesRecord]]) {
    for (n, line) in lines.iter().enumerate() {
        let _ = writeln!(out, "$d{n} << EOD");
        for SeriesRecord { second, iops, bytes_per_second, latency_ns_mean, latency_ns_p99, .. } in *line {
            let us = |ns: Option<f64>| ns.map_or("NaN".to_owned(), |ns| (ns / 1e3).to_string());
            let (mean, p99) = (us(*latency_ns_mean), us(latency_ns_p99.map(|ns| ns as f64)));
            let _ = writeln!(out, "{second} {iops} {} {mean} {p99}", bytes_per_second / 1e6);
        }
        *out += "EOD\n";
    }
    *out += "set multiplot layout 3,1\nset grid\nset key below\nset xlabel \"s\"\n";
    for (column, label) in [(2, "IOPS"), (3, "MB/s"), (5, "p99 latency, µs")] {
        let plots: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(n, line)| format!("$d{n} using 1:{column} with lines title {}", quoted(&title(&line[0]))))
            .collect();
        let _ = writeln!(out, "set ylabel \"{label}\"\nset yrange [0:*]\nplot {}", plots.join(", \\\n  "));
    }
    *out += "unset multiplot\n";
}

fn title(of: &SeriesRecord) -> String {
    let round = of.round.as_deref().unwrap_or_default();
    format!("{round} {} {}", of.job, of.direction).trim_start().to_owned()
}

fn bars(out: &mut String, result: &Exported) {
    *out += "$d << EOD\n";
    let rates = result.figures.iter().filter(|figure| figure.of.metric == "iops");
    for figure in rates {
        let name = format!("{} {} {}", figure.round, figure.of.job, figure.of.direction);
        let (low, high) =
            (figure.of.low.unwrap_or(figure.of.value), figure.of.high.unwrap_or(figure.of.value));
        // A data block knows these quotes alone.
        let name = shown::line(name.trim()).replace('"', "'");
        let _ = writeln!(out, "\"{name}\" {} {low} {high}", figure.of.value);
    }
    *out += "EOD\nset style fill solid 0.5\nset boxwidth 0.7\nset grid y\nset ylabel \"IOPS\"\nset yrange [0:*]\nset xtics rotate by -30\n\
             plot $d using 0:2:3:4:xtic(1) with boxerrorbars notitle\n";
}

/// A text of gnuplot: in single quotes nothing has a meaning but the quote itself.
fn quoted(text: &str) -> String {
    format!("'{}'", shown::line(text).replace('\'', "''"))
}
