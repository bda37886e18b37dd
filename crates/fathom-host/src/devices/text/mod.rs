//! The list as text: what may be written comes first, and the last line is a command that is safe.

mod table;

use super::{DeviceList, DeviceUse, MeasurableDevice, ScratchDirectory, SimulatedDevice, WritingVerdict};
use fathom_device::root::Why;
use fathom_device::signature::Class;
use fathom_text::number::{grouped, three};
use fathom_text::painted::Painted;
use fathom_text::quantity::{bytes, size as binary};
use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_text::style::Style;
use fathom_text::words::{counted, wrapped};
use table::{Column, Table, column, number};

const DEVICES: [Column; 6] = [
    column("device", 0, None),
    column("model", 2, Some(12)),
    number("GB"),
    column("attached", 0, None),
    Column { is_answer: true, ..column("used for", 1, Some(24)) },
    Column { has_own_line: true, ..column("to write", 3, None) },
];

const DIRECTORIES: [Column; 4] = [
    column("directory", 0, None),
    number("GB free"),
    column("file system", 0, Some(8)),
    column("on", 1, Some(12)),
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
        let real = self.devices.iter().map(|device| block(device, style));
        let simulated = self.simulated.iter().map(|drive| simulated(drive, style));
        let blocks: Vec<String> = real.chain(simulated).collect();
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
        let message = "Directories: fathom writes a scratch file of its own and removes it";
        let lines: String = rows.iter().map(|row| table.row(row)).collect();
        let block = paragraph(message, style, |text| style.good(text)) + &table.headings() + &lines;
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
        if let Some(next) = command(self) {
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
        gb(device.size_bytes),
        attached(device),
        uses(device),
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

/// `NVMe`, `on sda1`, `on 4 devices`, `SATA, zoned`.
fn attached(device: &MeasurableDevice) -> String {
    let how = match device.attached.made_of.as_slice() {
        [] => device.attached.kind.words().to_owned(),
        [one] => shown::line(&format!("on {one}")).into_owned(),
        several => format!("on {}", counted(several.len(), "device")),
    };
    if device.zones.is_some() { how + ", zoned" } else { how }
}

fn directory_row(directory: &ScratchDirectory) -> Vec<String> {
    let text = |text: &str| shown::line(text).into_owned();
    vec![
        shown::path(&directory.path),
        gb(directory.free_bytes),
        text(&directory.fs_type),
        text(&format!("/dev/{}", directory.device)),
    ]
}

/// Text that wraps at the width; every line is painted.
fn paragraph(text: &str, style: Style, paint: impl Fn(&str) -> String) -> String {
    wrapped(text, style.width).iter().map(|line| paint(&shown::line(line)) + "\n").collect()
}

// All that is known of one device.

/// The device, then its partitions.
fn block(device: &MeasurableDevice, style: Style) -> String {
    let mut out = title(device, style);
    let mut say = |label: &str, text: &str| out += &style.labelled(label, &shown::line(text));
    say("size", &size(device.size_bytes, device.logical_block_bytes.map(u64::from)));
    match device.attached.made_of.as_slice() {
        [] => say("attached", device.attached.kind.words()),
        made_of => say("made of", &made_of.join(", ")),
    }
    if let Some(zones) = &device.zones {
        say("zones", &zones.words());
    }
    if let Some(serial) = &device.serial {
        say("serial", serial);
    }
    say("used for", &uses(device));
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

/// A simulated drive.
fn simulated(drive: &SimulatedDevice, style: Style) -> String {
    let name = shown::line(&drive.name);
    let mut out = format!("{}  simulated\n", style.strong(&name));
    let mut say = |label: &str, text: &str| out += &style.labelled(label, text);
    say("size", &size(drive.size_bytes, Some(drive.logical_block_bytes)));
    if let Some(zones) = &drive.zones {
        say("zones", &zones.device.words());
        say("", &format!("the first {} can be written anywhere, the others in order", zones.conventional));
        if zones.capacity_bytes < zones.device.size_bytes {
            say("", &format!("{} of each of the others can be written", binary(zones.capacity_bytes)));
        }
        let read = if zones.reads_unwritten { "answered" } else { "refused" };
        say("", &format!("a read beyond the write pointer is {read}"));
        say("", "more: fathom help zones");
    }
    for remark in &drive.remarks {
        say("model", remark);
    }
    say("reading", "safe: its times are computed, and nothing of this machine is read");
    say("writing", "safe: the drive is new at the start of each command, and nothing is kept");
    out
}

fn size(size_bytes: u64, block_bytes: Option<u64>) -> String {
    let (short, all) = (bytes(size_bytes as f64), grouped(size_bytes));
    let block = block_bytes.map(|bytes| format!(", blocks of {bytes} B")).unwrap_or_default();
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

// The command that a person can type next without a risk.

/// Free bytes from which a scratch file is large enough to be worth a measurement: `fathom quick`
/// wants 1 GiB, and the file system keeps some space for itself.
const FREE_BYTES_MIN: u64 = 4 << 30;

/// A directory, where reading and writing can be measured; else a device, which is only read. `None`
/// if there is neither.
fn command(list: &DeviceList) -> Option<String> {
    let can_be_used =
        |dir: &&ScratchDirectory| dir.free_bytes >= FREE_BYTES_MIN && dir.is_writable != Some(false);
    if let Some(directory) = list.directories.iter().find(can_be_used) {
        return Some(format!("fathom quick {}", quoted(&directory.path)));
    }
    let is_hardware = |device: &&MeasurableDevice| !device.attached.kind.is_virtual();
    let can_be_read = |device: &&MeasurableDevice| device.unreadable.is_none() && device.size_bytes > 0;
    let mut devices = list.devices.iter().filter(can_be_read);
    let device = devices.clone().find(is_hardware).or_else(|| devices.next())?;
    let sudo = if device.needs_root { "sudo " } else { "" };
    Some(format!("{sudo}fathom quick {}", quoted(&device.path)))
}

// Devices and their uses in words.

/// What a device is used for, in one phrase.
fn uses(device: &MeasurableDevice) -> String {
    if let Some(reason) = refusal(device) {
        return shown::line(&reason).into_owned();
    }
    match &device.unreadable {
        _ if !device.uses.is_empty() => {}
        Some(unknown) if unknown.why == Why::Silent => return "does not answer".to_owned(),
        _ if device.size_bytes == 0 => return "empty".to_owned(),
        _ => return "not known".to_owned(),
    }
    let phrases: Vec<String> = device.uses.iter().map(phrase).collect();
    shown::line(&phrases.join(", ")).into_owned()
}

/// Why the guard refuses, where no use of the device shows it.
fn refusal(device: &MeasurableDevice) -> Option<String> {
    use DeviceUse::{Blank, Holds, Partitions, UnknownData};
    let is_use = |one: &DeviceUse| !matches!(one, Blank | Holds { .. } | Partitions { .. } | UnknownData);
    let is_shown = device.size_bytes == 0 || device.uses.iter().any(is_use);
    let is_refused = device.writing.verdict == WritingVerdict::Refused;
    let finding = device.writing.findings.first()?;
    (is_refused && !is_shown).then(|| finding.to_string())
}

fn phrase(one: &DeviceUse) -> String {
    match one {
        DeviceUse::Mounted { point, fs_type } => format!("{} ({fs_type})", point.display()),
        DeviceUse::Swap => "swap".to_owned(),
        DeviceUse::Member { of } => format!("part of {of}"),
        DeviceUse::Pool { pool } => format!("part of the mounted {pool}"),
        DeviceUse::Loop { device } => format!("behind {device}"),
        DeviceUse::Open { program, pid } => format!("open in {program} (pid {pid})"),
        DeviceUse::OpenForReading { program, pid } => format!("open for reading by {program} (pid {pid})"),
        DeviceUse::System { purpose } => purpose.clone(),
        DeviceUse::ReadOnly => "read-only".to_owned(),
        DeviceUse::Holds { format, class } => match class {
            Class::FileSystem => format!("{format}, not mounted"),
            Class::Swap => format!("{format}, not active"),
            Class::Member => format!("{format} member, not active"),
            Class::Encrypted => format!("{format}, not open"),
            Class::PartitionTable => format!("{format} partition table, no partition"),
        },
        DeviceUse::Partitions { count } => format!("{}, not in use", counted(*count, "partition")),
        DeviceUse::UnknownData => "data of no known format".to_owned(),
        DeviceUse::Blank => "blank".to_owned(),
    }
}

/// Bytes of a decimal gigabyte, as drives are sold.
const GB: f64 = 1e9;

/// Gigabytes without a unit, for a column: three digits, or all of a large number.
fn gb(bytes: u64) -> String {
    let gb = bytes as f64 / GB;
    if bytes == 0 {
        return "0".to_owned();
    }
    if gb < 99.95 { three(gb) } else { grouped(gb.round() as u64) }
}
