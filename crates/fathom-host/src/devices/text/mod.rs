//! The list as text: what may be written comes first, and the last line is a command that is safe.

mod detail;
mod next;
mod table;
mod words;

use fathom_text::painted::Painted;
use fathom_text::shown;
use fathom_text::style::Style;
use fathom_text::words::{counted, wrapped};

use super::{DeviceList, MeasurableDevice, ScratchDirectory, WritingVerdict};
use table::{Column, Table};

/// A column that stays and is not cut.
const FIXED: Column =
    Column { heading: "", is_number: false, leaves: 0, cut_to: None, is_answer: false, has_own_line: false };

const DEVICES: [Column; 6] = [
    Column { heading: "device", ..FIXED },
    Column { heading: "model", leaves: 2, cut_to: Some(12), ..FIXED },
    Column { heading: "GB", is_number: true, ..FIXED },
    Column { heading: "attached", ..FIXED },
    Column { heading: "used for", leaves: 1, cut_to: Some(24), is_answer: true, ..FIXED },
    Column { heading: "to write", leaves: 3, has_own_line: true, ..FIXED },
];

const DIRECTORIES: [Column; 4] = [
    Column { heading: "directory", ..FIXED },
    Column { heading: "GB free", is_number: true, ..FIXED },
    Column { heading: "file system", cut_to: Some(8), ..FIXED },
    Column { heading: "on", leaves: 1, cut_to: Some(12), ..FIXED },
];

impl DeviceList {
    /// All devices in groups by what writing would risk, the directories, and one command to begin
    /// with.
    pub fn to_text(&self, style: Style) -> Painted {
        let mut blocks = self.groups(style);
        blocks.extend(self.directories_as_text(style));
        blocks.push(self.end(style));
        style.page(&blocks.join("\n"))
    }

    /// Each device with all that is known of it.
    pub fn to_detailed_text(&self, style: Style) -> Painted {
        let blocks: Vec<String> = self.devices.iter().map(|device| detail::block(device, style)).collect();
        style.page(&blocks.join("\n"))
    }

    fn groups(&self, style: Style) -> Vec<String> {
        if self.devices.is_empty() {
            return vec!["There is no block device that could be measured.\n".to_owned()];
        }
        let rows: Vec<Vec<String>> = self.devices.iter().map(row).collect();
        let table = Table::new(&DEVICES, &rows, style);
        let order = [
            WritingVerdict::Blank,
            WritingVerdict::ReadByOthers,
            WritingVerdict::Destroys,
            WritingVerdict::Unknown,
            WritingVerdict::Refused,
        ];
        let mut groups = Vec::new();
        for verdict in order {
            let both = self.devices.iter().zip(&rows);
            let rows: Vec<&Vec<String>> =
                both.filter(|(device, _)| device.writing.verdict == verdict).map(|(_, row)| row).collect();
            if !rows.is_empty() {
                let headings = if groups.is_empty() { table.headings() } else { String::new() };
                let lines: String = rows.iter().map(|row| table.row(row)).collect();
                groups.push(heading(verdict, style) + &headings + &lines);
            }
        }
        groups
    }

    fn directories_as_text(&self, style: Style) -> Option<String> {
        let usable: Vec<&ScratchDirectory> =
            self.directories.iter().filter(|dir| dir.is_writable != Some(false)).collect();
        let rows: Vec<Vec<String>> = usable.iter().map(|dir| directory_row(dir)).collect();
        let table = Table::new(&DIRECTORIES, &rows, style);
        let said = "Directories: fathom writes a scratch file of its own and removes it";
        let lines: String = rows.iter().map(|row| table.row(row)).collect();
        let block = paragraph(said, style, |text| style.good(text)) + &table.headings() + &lines;
        (!rows.is_empty()).then_some(block)
    }

    /// What root would know, what was left out, and what to type next.
    fn end(&self, style: Style) -> String {
        let mut out = String::new();
        let mut say = |text: &str| out += &paragraph(text, style, str::to_owned);
        let is_shown = self.devices.iter().any(|device| device.writing.option.is_some());
        let unless = if is_shown { ", unless you add the option that is shown" } else { "" };
        say(&format!("Reading is safe: fathom quick only reads a device{unless}."));
        match self.needing_root() {
            0 => {}
            1 => say("sudo fathom devices shows what 1 more device holds."),
            count => say(&format!("sudo fathom devices shows what {count} more devices hold.")),
        }
        if self.left_out > 0 {
            say(&format!("{} more, such as empty loop devices: fathom devices --all", self.left_out));
        }
        if let Some(next) = next::command(self) {
            out += &format!("{} {}\n", style.strong("next:"), shown::line(&next));
        }
        out
    }
}

fn heading(verdict: WritingVerdict, style: Style) -> String {
    let (text, ink): (_, fn(Style, &str) -> String) = match verdict {
        WritingVerdict::Blank => ("Look empty. To write, add the option that is shown", Style::good),
        WritingVerdict::ReadByOthers => {
            ("Look empty, but another program reads them: stop it, or add the option", Style::careful)
        }
        WritingVerdict::Destroys => ("Hold data. The option that is shown destroys it", Style::careful),
        WritingVerdict::Unknown => ("Contents not known: writing may destroy data", Style::careful),
        WritingVerdict::Refused => ("In use or without a disk: fathom refuses to write to them", Style::bad),
    };
    paragraph(text, style, |text| ink(style, text))
}

fn row(device: &MeasurableDevice) -> Vec<String> {
    let text = |text: &str| shown::line(text).into_owned();
    vec![
        shown::path(&device.path),
        device.model.as_deref().map(text).unwrap_or_default(),
        words::gb(device.size_bytes),
        attached(device),
        words::uses(device),
        option(device),
    ]
}

fn option(device: &MeasurableDevice) -> String {
    use WritingVerdict::{Blank, Destroys, ReadByOthers};
    match &device.writing.option {
        Some(option) => shown::line(option).into_owned(),
        None if matches!(device.writing.verdict, Blank | ReadByOthers | Destroys) => {
            "not possible: no unique name".to_owned()
        }
        None => String::new(),
    }
}

/// `NVMe`, `on sda1`, `on 4 devices`.
fn attached(device: &MeasurableDevice) -> String {
    match device.attached.made_of.as_slice() {
        [] => device.attached.kind.words().to_owned(),
        [one] => shown::line(&format!("on {one}")).into_owned(),
        several => format!("on {}", counted(several.len(), "device")),
    }
}

fn directory_row(directory: &ScratchDirectory) -> Vec<String> {
    let text = |text: &str| shown::line(text).into_owned();
    vec![
        shown::path(&directory.path),
        words::gb(directory.free_bytes),
        text(&directory.fs_type),
        text(&format!("/dev/{}", directory.device)),
    ]
}

/// Text that wraps at the width; every line is painted.
fn paragraph(text: &str, style: Style, paint: impl Fn(&str) -> String) -> String {
    wrapped(text, style.width).iter().map(|line| paint(&shown::line(line)) + "\n").collect()
}
