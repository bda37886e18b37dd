//! The forms of a trace, known by their first bytes or by what the job says.

use super::blktrace::{self, begins_blktrace, of_first_line, rewind};
use super::merged::Merged;
use super::{Blktrace, Columns, DefectKind, Iolog, ReplayTerms, TraceDefect, TraceLine, TracePlace};
use std::io::{Read, Seek};

/// The events of a trace of any form.
#[derive(Debug)]
pub(super) enum Form<R> {
    /// fio's text.
    Iolog(Iolog<R>),
    /// A recording of blktrace.
    Blktrace(Box<Blktrace<R>>),
    /// Several of them.
    Merged(Merged<R>),
    /// A text with columns.
    Columns(Box<Columns<R>>),
}

impl<R: Read + Seek> Form<R> {
    /// Reads from the beginning of the inputs, of which there are several only where they are merged.
    pub fn begin(mut inputs: Vec<R>, terms: &ReplayTerms) -> Result<Self, TraceDefect> {
        if !terms.merges.is_empty() {
            return Ok(Form::Merged(Merged::begin(inputs, &terms.merges)?));
        }
        let unreadable = |why: &str| of_first_line(DefectKind::Unreadable(why.to_owned()));
        let mut input = inputs.pop().ok_or_else(|| unreadable("there is no file"))?;
        if let Some(columns) = &terms.columns {
            rewind(&mut input)?;
            return Ok(Form::Columns(Box::new(Columns::begin(input, columns))));
        }
        match begins_blktrace(&mut input)? {
            true => Ok(Form::Blktrace(Box::new(Blktrace::begin(input)))),
            false => Ok(Form::Iolog(Iolog::begin(input)?)),
        }
    }

    /// Where the bytes come from.
    pub fn into_inputs(self) -> Vec<R> {
        match self {
            Form::Iolog(iolog) => vec![iolog.into_input()],
            Form::Blktrace(blktrace) => vec![blktrace.into_input()],
            Form::Merged(merged) => merged.into_inputs(),
            Form::Columns(columns) => vec![columns.into_input()],
        }
    }

    /// The next event; `None` at the end.
    pub fn next_event(&mut self) -> Result<Option<TraceLine>, TraceDefect> {
        match self {
            Form::Iolog(iolog) => iolog.next_event(),
            Form::Blktrace(blktrace) => blktrace.next_event(),
            Form::Merged(merged) => merged.next_event(),
            Form::Columns(columns) => columns.next_event(),
        }
    }

    /// The carried name of a file.
    pub fn file_name(&self, file: usize) -> String {
        match self {
            Form::Iolog(iolog) => iolog.file_name(file),
            Form::Blktrace(blktrace) => blktrace::device_path(blktrace.device(file)),
            Form::Merged(merged) => blktrace::device_path(merged.device(file)),
            Form::Columns(columns) => columns.file_name(file),
        }
    }

    /// The last line or event that was read.
    pub fn place(&self) -> TracePlace {
        match self {
            Form::Iolog(iolog) => iolog.place(),
            Form::Blktrace(blktrace) => blktrace.place(),
            Form::Merged(merged) => merged.place(),
            Form::Columns(columns) => columns.place(),
        }
    }

    /// The most I/Os in flight so far.
    pub fn depth(&self) -> Option<u32> {
        match self {
            Form::Iolog(_) | Form::Columns(_) => None,
            Form::Blktrace(blktrace) => blktrace.depth(),
            Form::Merged(merged) => merged.depth(),
        }
    }
}
