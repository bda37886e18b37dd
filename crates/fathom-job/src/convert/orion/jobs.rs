//! The job file of a script: each data point is one small job, one large job, or both side by side.

use super::command::Command;
use super::script::{self, Placed, Script};
use super::{Point, points};
use crate::convert::{self, ConvertSource, Converted, Section, changed, heading, lost};
use crate::diagnostic::Diagnostic;
use crate::parse::joined_names;

/// More jobs than a person would run.
const JOBS_MAX: usize = 20_000;

/// Where no list of devices is known.
const DEVICE: &str = "/dev/DEVICE";

/// Makes the job file.
pub(super) fn from(source: &ConvertSource<'_>) -> Result<Converted, Vec<Diagnostic>> {
    let script = script::read(source)?;
    let mut writer = Writer {
        source,
        script: &script,
        sections: Vec::new(),
        comments: Vec::new(),
        lost: Vec::new(),
        errors: Vec::new(),
    };
    for stage in &script.stages {
        writer.stage(stage);
        if writer.sections.len() > JOBS_MAX {
            let message =
                format!("these are more than {JOBS_MAX} jobs, which is the most that a job file gets");
            return Err(vec![Diagnostic::error("too-many-jobs", message).at(&stage[0].place)]);
        }
    }
    writer.only_a_list();
    writer.ignored();
    if !writer.errors.is_empty() {
        return Err(writer.errors);
    }
    if writer.sections.is_empty() {
        let finding =
            Diagnostic::error("no-orion", "there is no command line of ORION, and no list of devices");
        return Err(vec![
            finding.hint("a command line begins with the program: orion -run oltp -testname mytest"),
        ]);
    }
    let mut text = heading("--from orion", source);
    text += &convert::comments(&writer.comments, &writer.lost);
    if !script.stages.is_empty() {
        text += &convert::sections(&[global()]);
        text.push('\n');
    }
    text += &convert::sections(&writer.sections);
    source.check(&text)?;
    Ok(Converted { text, lost: writer.lost })
}

/// What all jobs have in common: ORION reads and writes at random, past the page cache, for a time.
fn global() -> Section {
    let mut global = Section::named("global");
    for (name, value) in [
        ("ioengine", "libaio"),
        ("direct", "1"),
        ("norandommap", "1"),
        ("randrepeat", "0"),
        ("time_based", "1"),
        ("group_reporting", "1"),
    ] {
        global.set(name, value);
    }
    global
}

struct Writer<'a> {
    source: &'a ConvertSource<'a>,
    script: &'a Script,
    sections: Vec<Section>,
    /// The command lines, at the head of the job file.
    comments: Vec<String>,
    lost: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
}

impl Writer<'_> {
    /// Commands that run side by side. Those that are equal but for the name of the test become clones of one job.
    fn stage(&mut self, stage: &[Placed]) {
        let mut different: Vec<(&Placed, Vec<String>, u32)> = Vec::new();
        for placed in stage {
            let devices = self.devices(placed);
            let is_same = |known: &Placed, of_known: &[String]| {
                let renamed = Command { test: placed.command.test.clone(), ..known.command.clone() };
                renamed == placed.command && of_known == devices
            };
            match different.iter_mut().find(|(known, of_known, _)| is_same(known, of_known)) {
                Some((_, _, times)) => *times += 1,
                None => different.push((placed, devices, 1)),
            }
        }
        let mut beside = Vec::new();
        for (placed, devices, times) in different {
            let disks =
                placed.command.disks.unwrap_or_else(|| u32::try_from(devices.len()).unwrap_or(1).max(1));
            match points(&placed.command, disks) {
                Ok(points) => {
                    self.note_losses(placed, times, &points, devices.len());
                    beside.push(Workload { command: &placed.command, times, devices, points });
                }
                Err(message) => self.errors.push(Diagnostic::error("bad-orion", message).at(&placed.place)),
            }
        }
        let is_together = beside.len() > 1 && beside.iter().all(|workload| workload.points.len() == 1);
        if beside.len() > 1 && !is_together {
            let message = "commands that differ and have several data points each run one after another in the job file";
            self.lost.push(lost(message, Some(&stage[0].place)));
        }
        for (at, workload) in beside.iter().enumerate() {
            for point in &workload.points {
                self.point(workload, *point, is_together && at > 0);
            }
        }
    }

    /// The jobs of a data point.
    fn point(&mut self, workload: &Workload, point: Point, is_beside: bool) {
        let mut jobs = workload.jobs(point);
        if let Some(first) = jobs.first_mut().filter(|_| !self.sections.is_empty() && !is_beside) {
            first.flag("stonewall");
        }
        self.sections.append(&mut jobs);
    }

    /// The devices of a command: --target, the list of its name, the only list, or the file beside.
    fn devices(&mut self, placed: &Placed) -> Vec<String> {
        if let Some(target) = &self.source.target {
            return vec![target.clone()];
        }
        let test = &placed.command.test;
        let name = test.rsplit('/').next().unwrap_or(test);
        let lists = &self.script.lists;
        let listed = lists.get(name).or_else(|| lists.values().next().filter(|_| lists.len() == 1));
        if let Some(list) = listed {
            return list.clone();
        }
        let beside = self.source.included(&format!("{test}.lun"), &placed.place.file);
        let list: Vec<String> = beside
            .iter()
            .flat_map(|(_, text)| text.lines())
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect();
        if !list.is_empty() {
            return list;
        }
        let message = format!(
            "the devices are in {name}.lun, which is not beside {}: {DEVICE} takes their place",
            placed.place.file
        );
        let finding = changed(message, None)
            .hint(format!("name {name}.lun behind {}, or the device with --target", placed.place.file));
        if !self.lost.contains(&finding) {
            self.lost.push(finding);
        }
        vec![DEVICE.to_owned()]
    }

    /// The command at the head of the file, and what of it is lost.
    fn note_losses(&mut self, placed: &Placed, times: u32, points: &[Point], devices: usize) {
        let how = if times > 1 { format!(", {times} times side by side") } else { String::new() };
        let many = if points.len() == 1 {
            "one data point".to_owned()
        } else {
            format!("{} data points", points.len())
        };
        self.comments.push(format!(
            "{} -run {} on {}{how}: {many}",
            placed.command.test,
            placed.command.run_word(),
            placed.command.load()
        ));
        for (option, why) in &placed.command.lost {
            self.lost.push(lost(format!("{option} is left out: {why}"), Some(&placed.place)));
        }
        if !placed.command.raid0 && devices > 1 {
            let message =
                "-simulate concat gives larger devices more I/Os; the job gives each the same share";
            self.lost.push(lost(message, Some(&placed.place)));
        }
        if placed.command.raid0
            && placed.command.streams
            && !placed.command.stripe_kib.is_multiple_of(placed.command.large_kib)
        {
            let message = format!(
                "-stripe {} is not a multiple of -size_large: the job goes to the next device after each I/O",
                placed.command.stripe_kib
            );
            self.lost.push(lost(message, Some(&placed.place)));
        }
    }

    /// A list of devices without a command: a job that names them.
    fn only_a_list(&mut self) {
        if !self.script.stages.is_empty() {
            return;
        }
        for (name, devices) in &self.script.lists {
            let mut section = Section::named(if name.is_empty() { "devices" } else { name });
            section.set("filename", joined_names(devices));
            self.sections.push(section);
        }
    }

    fn ignored(&mut self) {
        if let Some(first) = self.script.ignored.first() {
            let more = match self.script.ignored.len() {
                1 => "this line is".to_owned(),
                2 => "this line and 1 other are".to_owned(),
                lines => format!("this line and {} others are", lines - 1),
            };
            let message = format!("{more} neither a command line of ORION nor a device, and left out");
            self.lost.push(changed(message, Some(first)));
        }
    }
}

/// A command with its devices and data points.
struct Workload<'a> {
    command: &'a Command,
    times: u32,
    devices: Vec<String>,
    points: Vec<Point>,
}

impl Workload<'_> {
    fn jobs(&self, point: Point) -> Vec<Section> {
        let mut jobs = Vec::new();
        let name = format!(
            "{}-small-{}-large-{}",
            self.command.test.rsplit('/').next().unwrap_or("orion"),
            point.small,
            point.large
        );
        if point.small > 0 {
            let mut job = self.job(&format!("{name} small"), self.command.small_kib);
            self.random(&mut job, point.small);
            jobs.push(job);
        }
        if point.large > 0 {
            let mut job = self.job(&format!("{name} large"), self.command.large_kib);
            match self.command.streams {
                false => self.random(&mut job, point.large),
                true => self.streams(&mut job, point.large),
            }
            jobs.push(job);
        }
        jobs
    }

    fn job(&self, name: &str, kib: u64) -> Section {
        let mut job = Section::named(name);
        job.set("filename", joined_names(&self.devices));
        job.set("bs", format!("{kib}k"));
        job.set("runtime", self.command.seconds);
        job
    }

    /// Reads, writes, or a share of both.
    fn pattern(&self, job: &mut Section, random: &str) {
        match self.command.write_percent {
            0 => job.set("rw", format!("{random}read")),
            100 => job.set("rw", format!("{random}write")),
            percent => {
                job.set("rw", format!("{random}rw"));
                job.set("rwmixwrite", percent);
            }
        }
    }

    /// I/Os at random addresses of random devices: at random, a stripe and a concatenation are the same.
    fn random(&self, job: &mut Section, depth: u32) {
        self.pattern(job, "rand");
        if self.devices.len() > 1 {
            job.set("file_service_type", "random");
        }
        job.set("iodepth", depth);
        if self.times > 1 {
            job.set("numjobs", self.times);
        }
    }

    /// Sequential streams: one clone each, which begin at equal distances. Over a stripe, a stream goes
    /// to the next device after each stripe unit.
    fn streams(&self, job: &mut Section, streams: u32) {
        let (clones, stripe) =
            (streams.saturating_mul(self.times), self.command.stripe_kib / self.command.large_kib);
        self.pattern(job, "");
        if self.devices.len() > 1 {
            let order = if self.command.raid0 {
                format!("roundrobin:{}", stripe.max(1))
            } else {
                "sequential".to_owned()
            };
            job.set("file_service_type", order);
        }
        job.set("iodepth", self.command.stream_depth);
        job.set("numjobs", clones);
        if clones > 1 {
            job.set("offset_increment", format!("{}%", (100 / clones).max(1)));
        }
    }
}
