//! Recordings of blktrace: events of 48 bytes (`struct blk_io_trace` of linux/blktrace_api.h), each followed by bytes of its own.
//!
//! What was queued is replayed, as fio 3.33 does. The rest says how many I/Os were in flight.

use super::event::Queued;
use super::in_order::InOrder;
use super::{DefectKind, TraceDefect, TraceEvent, TraceLine, TraceOp, TracePlace, read_piece};
use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};

const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
const EVENT: usize = 48;
const PIECE: usize = 64 << 10;
pub(super) const SECTOR: u64 = 512;
/// The deepest queue of a replay, where more were in flight. fio 3.33 takes as many for 2,000.
const DEPTH_MAX: u32 = 1024;

const QUEUED: u32 = 1;
const BACK_MERGED: u32 = 2;
const FRONT_MERGED: u32 = 3;
const COMPLETED: u32 = 8;
const OF_WRITE: u32 = 1 << 17;
const OF_FLUSH: u32 = 1 << 18;
const OF_SYNC: u32 = 1 << 19;
const OF_QUEUE: u32 = 1 << 20;
const OF_READ: u32 = 1 << 16;
const OF_NOTE: u32 = 1 << 26;
const OF_DISCARD: u32 = 1 << 29;

/// The order of the bytes of each number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// The order in which these first bytes are the magic number of a recording, of whatever version.
pub(super) fn order_of(first: [u8; 4]) -> Option<ByteOrder> {
    let is_magic = |number: u32| number & !0xff == MAGIC;
    match (is_magic(u32::from_le_bytes(first)), is_magic(u32::from_be_bytes(first))) {
        (true, _) => Some(ByteOrder::Little),
        (_, true) => Some(ByteOrder::Big),
        _ => None,
    }
}

/// The name under which a device is found by its numbers.
pub(super) fn device_path(device: u32) -> String {
    format!("/dev/block/{}:{}", device >> 20, device & 0xf_ffff)
}

/// What fathom reads of an event.
#[derive(Clone, Copy, Debug)]
struct Event {
    time_ns: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    device: u32,
    /// Bytes that follow it.
    more: u16,
}

/// The I/Os of a recording in the order of their times, in constant memory.
#[derive(Debug)]
pub struct Blktrace<R> {
    events: Events<R>,
    order: InOrder,
}

impl<R: Read> Blktrace<R> {
    /// Begins at the first event.
    pub fn begin(input: R) -> Self {
        let events = Events {
            bytes: Bytes { input, buffer: vec![0; PIECE], start: 0, end: 0 },
            number: 0,
            order: ByteOrder::Little,
            devices: Vec::new(),
            numbers: HashMap::new(),
            in_flight: 0,
            most: 0,
            completes: false,
        };
        Blktrace { events, order: InOrder::default() }
    }

    /// Where the bytes come from.
    pub fn into_input(self) -> R {
        self.events.bytes.input
    }

    /// The next I/O; `None` at the end.
    ///
    /// # Errors
    /// What is wrong with an event. Nothing may be read after that.
    pub fn next_event(&mut self) -> Result<Option<TraceLine>, TraceDefect> {
        let Blktrace { events, order } = self;
        order.next(|| events.next())
    }

    /// The kernel's number of a device.
    pub fn device(&self, file: usize) -> u32 {
        self.events.devices[file]
    }

    /// The last event that was read.
    pub fn place(&self) -> TracePlace {
        TracePlace::event(self.events.number)
    }

    /// The most I/Os that were in flight so far; `None` where no I/O completed.
    pub fn depth(&self) -> Option<u32> {
        self.events.completes.then(|| self.events.most.clamp(1, DEPTH_MAX))
    }
}

impl<R: Read + Seek> Blktrace<R> {
    /// Goes back to the first event. Devices keep their numbers.
    pub(super) fn rewind(&mut self) -> Result<(), DefectKind> {
        let Blktrace { events, order } = self;
        let rewound = events.bytes.input.seek(SeekFrom::Start(0));
        rewound.map_err(|e| DefectKind::Unreadable(e.to_string()))?;
        (events.bytes.start, events.bytes.end) = (0, 0);
        (events.number, events.in_flight) = (0, 0);
        *order = InOrder::default();
        Ok(())
    }
}

/// The I/Os of a recording in the order of the file.
#[derive(Debug)]
struct Events<R> {
    bytes: Bytes<R>,
    /// The number of the last event, from 1.
    number: u64,
    order: ByteOrder,
    devices: Vec<u32>,
    /// The place in `devices` of each.
    numbers: HashMap<u32, usize>,
    in_flight: u32,
    most: u32,
    completes: bool,
}

impl<R: Read> Events<R> {
    /// The next I/O that was queued; `None` at the end.
    fn next(&mut self) -> Result<Option<Queued>, TraceDefect> {
        while let Some(event) = self.event()? {
            if event.action & OF_NOTE != 0 {
                continue;
            }
            let action = event.action & 0xffff;
            self.count(action);
            if action == QUEUED {
                let at = TracePlace::event(self.number);
                return self.queued(at, &event).map(Some).map_err(|kind| TraceDefect { at, kind });
            }
        }
        Ok(None)
    }

    fn count(&mut self, action: u32) {
        match action {
            QUEUED => {
                self.in_flight = self.in_flight.saturating_add(1);
                self.most = self.most.max(self.in_flight);
            }
            BACK_MERGED | FRONT_MERGED => self.in_flight = self.in_flight.saturating_sub(1),
            COMPLETED => {
                self.in_flight = self.in_flight.saturating_sub(1);
                self.completes = true;
            }
            _ => {}
        }
    }

    fn queued(&mut self, at: TracePlace, event: &Event) -> Result<Queued, DefectKind> {
        let (flushes, len) = (event.action & OF_FLUSH != 0, u64::from(event.bytes));
        let offset = event.sector.checked_mul(SECTOR);
        let offset = offset.ok_or(DefectKind::BeyondNumbers { offset: event.sector, len })?;
        let data = (len > 0 || !flushes).then_some((op_of(event.action), offset, len));
        Ok(Queued { at, at_ns: event.time_ns, file: self.file(event.device), flushes, data })
    }

    fn file(&mut self, device: u32) -> usize {
        *self.numbers.entry(device).or_insert_with(|| {
            self.devices.push(device);
            self.devices.len() - 1
        })
    }

    /// The next event; `None` at the end.
    fn event(&mut self) -> Result<Option<Event>, TraceDefect> {
        self.number += 1;
        let at = TracePlace::event(self.number);
        let defect = |kind| TraceDefect { at, kind };
        let Some(record) = self.bytes.take(EVENT).map_err(defect)? else {
            self.number -= 1;
            return Ok(None);
        };
        if self.number == 1 {
            self.order = order_of([record[0], record[1], record[2], record[3]]).unwrap_or(ByteOrder::Little);
        }
        let event = read_event(record, self.order).map_err(defect)?;
        if event.more > 0 {
            self.bytes.take(event.more.into()).map_err(defect)?.ok_or_else(|| defect(DefectKind::Cut))?;
        }
        Ok(Some(event))
    }
}

fn op_of(action: u32) -> TraceOp {
    match action {
        _ if action & OF_DISCARD != 0 => TraceOp::Trim,
        _ if action & OF_WRITE != 0 => TraceOp::Write,
        _ => TraceOp::Read,
    }
}

fn read_event(record: &[u8], order: ByteOrder) -> Result<Event, DefectKind> {
    let at = |from: usize, len: usize| -> u64 {
        let bytes = record[from..from + len].iter();
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        match order {
            ByteOrder::Little => bytes.rev().fold(0, add),
            ByteOrder::Big => bytes.fold(0, add),
        }
    };
    let magic = at(0, 4) as u32;
    if magic & !0xff != MAGIC {
        return Err(DefectKind::NoMagic);
    }
    if magic & 0xff != VERSION {
        return Err(DefectKind::OtherBlktrace(magic & 0xff));
    }
    Ok(Event {
        time_ns: at(8, 8),
        sector: at(16, 8),
        bytes: at(24, 4) as u32,
        action: at(28, 4) as u32,
        device: at(36, 4) as u32,
        more: at(46, 2) as u16,
    })
}

/// The event of an I/O that was queued, in the byte order of most machines.
pub(super) fn written(number: u64, time_ns: u64, device: u32, event: TraceEvent) -> Option<[u8; EVENT]> {
    let TraceEvent::Io { op, offset, len, .. } = event else { return None };
    let of = match op {
        TraceOp::Read => OF_READ,
        TraceOp::Write => OF_WRITE,
        TraceOp::Trim => OF_WRITE | OF_DISCARD,
        TraceOp::Sync | TraceOp::Datasync => OF_WRITE | OF_FLUSH | OF_SYNC,
    };
    let mut record = [0; EVENT];
    let mut put = |at: usize, bytes: &[u8]| record[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &(MAGIC | VERSION).to_le_bytes());
    put(4, &(number as u32).to_le_bytes());
    put(8, &time_ns.to_le_bytes());
    put(16, &(offset / SECTOR).to_le_bytes());
    put(24, &(len as u32).to_le_bytes());
    put(28, &(QUEUED | OF_QUEUE | of).to_le_bytes());
    put(36, &device.to_le_bytes());
    Some(record)
}

/// Bytes that come piece by piece.
#[derive(Debug)]
struct Bytes<R> {
    input: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Bytes<R> {
    /// The next bytes; `None` where there are none at all.
    fn take(&mut self, count: usize) -> Result<Option<&[u8]>, DefectKind> {
        while self.end - self.start < count {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            match read_piece(&mut self.input, &mut self.buffer[self.end..]).map_err(DefectKind::Unreadable)? {
                0 if self.end == 0 => return Ok(None),
                0 => return Err(DefectKind::Cut),
                more => self.end += more,
            }
        }
        self.start += count;
        Ok(Some(&self.buffer[self.start - count..self.start]))
    }
}

/// Begins a recording of blktrace at the beginning of its bytes.
pub(super) fn begin_blktrace<R: Read + Seek>(mut input: R) -> Result<Blktrace<R>, TraceDefect> {
    match begins_blktrace(&mut input)? {
        true => Ok(Blktrace::begin(input)),
        false => Err(of_first_line(DefectKind::NotBlktrace)),
    }
}

/// Looks at the first bytes, and goes back before them.
pub(super) fn begins_blktrace(input: &mut (impl Read + Seek)) -> Result<bool, TraceDefect> {
    rewind(input)?;
    let (mut first, mut count) = ([0; 4], 0);
    while count < first.len() {
        match read_piece(input, &mut first[count..])
            .map_err(|why| of_first_line(DefectKind::Unreadable(why)))?
        {
            0 => break,
            more => count += more,
        }
    }
    rewind(input)?;
    Ok(count == first.len() && order_of(first).is_some())
}

/// Goes back to the first byte.
pub(super) fn rewind(input: &mut impl Seek) -> Result<(), TraceDefect> {
    let rewound = input.seek(SeekFrom::Start(0));
    rewound.map(|_| ()).map_err(|e| of_first_line(DefectKind::Unreadable(e.to_string())))
}

/// A defect of the whole, which is reported with its first line.
pub(super) fn of_first_line(kind: DefectKind) -> TraceDefect {
    TraceDefect { at: TracePlace::line(1), kind }
}
