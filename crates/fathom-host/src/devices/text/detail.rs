//! All that is known of one device.

use fathom_text::number::{bytes, grouped};
use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_text::style::Style;

use super::words;
use crate::devices::{MeasurableDevice, WritingVerdict};

/// The device, then its partitions.
pub(super) fn block(device: &MeasurableDevice, style: Style) -> String {
    let mut out = title(device, style);
    let mut say = |label: &str, text: &str| out += &style.labelled(label, &shown::line(text));
    say("size", &size(device));
    match device.attached.made_of.as_slice() {
        [] => say("attached", device.attached.kind.words()),
        made_of => say("made of", &made_of.join(", ")),
    }
    if let Some(serial) = &device.serial {
        say("serial", serial);
    }
    say("used for", &words::uses(device));
    say("reading", &reading(device));
    say("writing", &writing(device));
    for finding in &device.writing.findings {
        say("", &finding.to_string());
    }
    for partition in &device.partitions {
        out += &format!("\n{}", self::block(partition, style));
    }
    out
}

fn title(device: &MeasurableDevice, style: Style) -> String {
    let model = device.model.as_deref().map(|model| format!("  {}", shown::line(model))).unwrap_or_default();
    format!("{}{model}\n", style.strong(&shown::path(&device.path)))
}

fn size(device: &MeasurableDevice) -> String {
    let (short, all) = (bytes(device.size_bytes as f64), grouped(device.size_bytes));
    let block = device.logical_block_bytes.map(|bytes| format!(", blocks of {bytes} B")).unwrap_or_default();
    format!("{short} ({all} bytes){block}")
}

fn reading(device: &MeasurableDevice) -> String {
    match &device.unreadable {
        Some(unknown) => format!("not possible now: {}", unknown.reason),
        None if device.needs_root => format!("only root may: sudo fathom quick {}", quoted(&device.path)),
        None => format!("safe: fathom quick {}", quoted(&device.path)),
    }
}

fn writing(device: &MeasurableDevice) -> String {
    let writing = &device.writing;
    let how = match &writing.option {
        Some(option) => format!("needs {option}"),
        None => "no option can name it, because it has no name that no other device has".to_owned(),
    };
    match writing.verdict {
        WritingVerdict::Refused => "refused, and no option overrides this".to_owned(),
        WritingVerdict::Blank => format!("it looks empty; {how}"),
        WritingVerdict::ReadByOthers => format!("it looks empty, but another program reads it; {how}"),
        WritingVerdict::Destroys => format!("would destroy what it holds; {how}"),
        WritingVerdict::Unknown if device.needs_root => {
            "may destroy data: what it holds is known only to root".to_owned()
        }
        WritingVerdict::Unknown => match &writing.unknown {
            Some(unknown) => format!("refused: {unknown}"),
            None => "may destroy data: what it holds cannot be read".to_owned(),
        },
    }
}
