//! A result in the forms of other programs: those that collect figures, that build software, that review it.
//!
//! All forms are made of one [`Exported`], so a figure is the same in each of them and in the CSV. A form is a file here with one
//! function, and a line in [`ExportForm`].

mod compared;
mod exported;
mod gnuplot;
mod hdr;
mod influx;
mod junit;
mod markdown;
mod openmetrics;

pub use exported::{Case, CaseOutcome, Exported, ExportedFigure};

/// What reads a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// Prometheus: OpenMetrics text 1.0.
    OpenMetrics,
    /// InfluxDB: line protocol.
    Influx,
    /// Programs that build and test: JUnit XML.
    Junit,
    /// A comment on a change: a table of Markdown.
    Markdown,
    /// HdrHistogram: a log of version 1.3 with compressed histograms (V2).
    Hdr,
    /// gnuplot: a script with its data.
    Gnuplot,
}

impl ExportForm {
    /// The text of a result.
    pub fn write(self, result: &Exported) -> String {
        match self {
            ExportForm::OpenMetrics => openmetrics::text(result),
            ExportForm::Influx => influx::text(result),
            ExportForm::Junit => junit::text(result),
            ExportForm::Markdown => markdown::text(result),
            ExportForm::Hdr => hdr::text(result),
            ExportForm::Gnuplot => gnuplot::text(result),
        }
    }
}
