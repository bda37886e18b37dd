//! What a job issues as fio's text of I/Os, version 3 (`write_iolog`).

use fathom_engine::log::{IssuedIo, Op};
use fathom_job::options as opt;
use fathom_job::plan::{PlannedJob, file_names};
use fathom_job::trace::HEADER_3;
use fathom_text::carried::to_bytes;
use std::io::{self, Write};

/// The recording of a job.
pub(super) struct Recording {
    /// Its path, as the job gives it.
    pub name: String,
    /// The names of the job's files.
    files: Vec<Vec<u8>>,
    /// Time of the last line, in microseconds.
    last_us: u64,
}

impl Recording {
    /// The recording that a job asks for.
    pub fn of(planned: &PlannedJob) -> Option<Recording> {
        if !planned.records() {
            return None;
        }
        let name = planned.job.get(&opt::WRITE_IOLOG)?;
        // An engine without targets has files without paths.
        let names = file_names(&planned.job, planned.subjob);
        let named = planned.files.iter().enumerate().map(|(index, file)| match names.get(index) {
            _ if !file.path.is_empty() => to_bytes(&file.path),
            Some(name) => to_bytes(name),
            // The files of `opendir` are not in its names.
            None => format!("{}.{}.{index}", planned.job.section, planned.subjob).into_bytes(),
        });
        Some(Recording { name, files: named.collect(), last_us: 0 })
    }

    /// The version, and the files with which the job begins.
    pub fn begin(&self, out: &mut impl Write) -> io::Result<()> {
        if self.files.iter().flatten().any(u8::is_ascii_whitespace) {
            return Err(io::Error::other(
                "the name of a target has white space, which fio's text cannot hold",
            ));
        }
        writeln!(out, "{HEADER_3}")?;
        self.of_files(out, &["add", "open"])
    }

    /// The job has ended.
    pub fn end(&self, out: &mut impl Write) -> io::Result<()> {
        self.of_files(out, &["close"])
    }

    fn of_files(&self, out: &mut impl Write, actions: &[&str]) -> io::Result<()> {
        for (action, file) in
            actions.iter().flat_map(|action| self.files.iter().map(move |file| (action, file)))
        {
            write!(out, "{} ", self.last_us)?;
            out.write_all(file)?;
            writeln!(out, " {action}")?;
        }
        Ok(())
    }

    /// The lines of what was issued.
    pub fn write(&mut self, out: &mut impl Write, ios: &[IssuedIo]) -> io::Result<()> {
        let mut digits = itoa::Buffer::new();
        for io in ios {
            let action: &[u8] = match io.op {
                Op::Read => b" read ",
                Op::Write => b" write ",
                Op::Trim => b" trim ",
                Op::Fsync => b" sync ",
                Op::Fdatasync => b" datasync ",
                // No reader of fio's text knows it, and fio's own stops there.
                Op::SyncRange => continue,
            };
            let Some(file) = self.files.get(io.file as usize) else { continue };
            self.last_us = io.at_ns / 1000;
            out.write_all(digits.format(self.last_us).as_bytes())?;
            out.write_all(b" ")?;
            out.write_all(file)?;
            out.write_all(action)?;
            out.write_all(digits.format(io.offset).as_bytes())?;
            out.write_all(b" ")?;
            out.write_all(digits.format(io.bytes).as_bytes())?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}
