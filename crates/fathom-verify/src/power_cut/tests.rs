use super::*;
use crate::scramble::mix;

fn header(flush: FlushMode) -> LogHeader {
    LogHeader {
        key: 0x5eed_0000_1234_5678,
        unit: 4096,
        start: 1 << 20,
        len: 64 * 4096,
        durability: Durability::AtFlush,
        flush,
        target: LogTarget { path: "/dev/sdx".to_owned(), size: 1 << 30, identity: Some("S1".to_owned()) },
        started_unix_s: 1_700_000_000,
    }
}

/// A run on a device in memory that completes what is in flight in a random order.
fn recorded(header: &LogHeader, writes: u64, depth: usize) -> (Vec<Record>, Recording) {
    let terms = WorkloadTerms { units_max: 4, first_pass_units: 16 };
    let (mut workload, format) = (Workload::new(header, terms), UnitFormat::new(header));
    let (mut records, mut recording) = (Vec::new(), Recording::default());
    let mut in_flight: Vec<Act> = Vec::new();
    let mut draws = 0;
    while workload.issued() < writes || !in_flight.is_empty() {
        let can_issue = in_flight.len() < depth && workload.issued() < writes;
        let act = if can_issue { workload.next_act() } else { Act::Wait };
        match act {
            Act::Wait => {
                draws += 1;
                let done = in_flight.swap_remove((mix(draws) % in_flight.len() as u64) as usize);
                records.push(received(done, &mut workload, &format, &mut recording));
            }
            Act::Flush { begun, .. } => {
                records.push(begun);
                in_flight.push(act);
            }
            Act::Write(_) => in_flight.push(act),
        }
    }
    (records, recording)
}

/// The device receives something, and it is complete at once.
fn received(act: Act, workload: &mut Workload, format: &UnitFormat, recording: &mut Recording) -> Record {
    match act {
        Act::Write(write) => {
            let mut data = vec![0; usize::from(write.units) * format.unit()];
            format.fill(&write, &mut data);
            recording.entries.push(Recorded::Write { offset: write.offset, data, fua: write.fua });
            workload.written(&write)
        }
        Act::Flush { flush, .. } => {
            recording.entries.push(Recorded::Flush);
            workload.flushed(flush)
        }
        Act::Wait => unreachable!("it is never in flight"),
    }
}

#[test]
fn an_honest_device_passes_every_cut_and_each_dishonest_one_is_caught() {
    for (flush, models) in [
        (FlushMode::Every { writes: 8 }, &DeviceModel::ALL[..]),
        (FlushMode::Fua, &[DeviceModel::Honest, DeviceModel::IgnoresFua, DeviceModel::GoesBack]),
        (FlushMode::Never, &[DeviceModel::Honest, DeviceModel::TearsUnits]),
    ] {
        let header = header(flush);
        let (records, recording) = recorded(&header, 600, 8);
        let trial = RecordingTrial::new(&header, &records, &recording);
        assert_eq!(trial.records_in_recording(), records.len());
        for model in models {
            let tally = trial.prove(*model, 60, 7);
            let name = model.name();
            assert!(tally.bound > 60 * 30, "{name}: most cuts have something to lose: {tally:?}");
            assert!(tally.not_durable > 0, "{name}: a cache was cut: {tally:?}");
            match model {
                DeviceModel::Honest => assert_eq!(tally.wrong, 0, "{flush:?} {tally:?}"),
                // Without FUA in the run, this one is honest.
                DeviceModel::IgnoresFua if flush != FlushMode::Fua => assert_eq!(tally.wrong, 0),
                DeviceModel::TearsUnits => {
                    assert!(tally.torn > 20 && tally.lost == 0, "{flush:?} {tally:?}");
                }
                _ => assert!(tally.lost > 15 && tally.torn == 0, "{flush:?} {name} {tally:?}"),
            }
        }
    }
}

#[test]
fn a_log_gives_back_its_header_and_its_records_and_ends_where_it_is_torn() {
    let header = header(FlushMode::Every { writes: 8 });
    let bytes = header.encode();
    assert_eq!(LogHeader::decode(&bytes), Ok((header.clone(), bytes.len())));
    assert!(bytes.len() <= LogHeader::BYTES_MAX);
    let (records, _) = recorded(&header, 50, 4);
    let mut coder = RecordCoder::new(header.key);
    let coded: Vec<[u8; RECORD_BYTES]> = records.iter().map(|record| coder.encode(record)).collect();
    let read = |coded: &[[u8; RECORD_BYTES]]| {
        let mut coder = RecordCoder::new(header.key);
        coded.iter().map_while(|bytes| coder.decode(bytes)).collect::<Vec<_>>()
    };
    assert_eq!(read(&coded), records);
    let mut altered = coded.clone();
    altered[20][17] ^= 1;
    assert_eq!(read(&altered), records[..20], "a flipped bit");
    let missing = [&coded[..20], &coded[21..]].concat();
    assert_eq!(read(&missing), records[..20], "a record is missing");
    assert!(RecordCoder::new(header.key).is_of_this_log(&coded[30]));
    assert!(!RecordCoder::new(header.key + 1).is_of_this_log(&coded[30]), "another log's");
}

#[test]
fn what_is_no_header_says_why() {
    let bytes = header(FlushMode::Never).encode();
    let fault = |bytes: &[u8]| LogHeader::decode(bytes).unwrap_err();
    assert_eq!(fault(b""), HeaderFault::NoLog);
    assert_eq!(fault(b"something else altogether"), HeaderFault::NoLog);
    assert_eq!(fault(&bytes[..7]), HeaderFault::Short);
    assert_eq!(fault(&bytes[..bytes.len() - 1]), HeaderFault::Short);
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert_eq!(fault(&newer), HeaderFault::Version(2));
    for at in 10..bytes.len() {
        let mut altered = bytes.clone();
        altered[at] ^= 4;
        assert!(matches!(fault(&altered), HeaderFault::Damaged | HeaderFault::Short), "byte {at}");
    }
    let impossible = LogHeader { len: 1000, ..header(FlushMode::Never) };
    assert_eq!(fault(&impossible.encode()), HeaderFault::Damaged);
}

/// A history of one unit: write 0 is durable by flush 0, write 1 by flush 1, write 2 is complete, and write 3 is not.
fn history() -> History {
    let header = header(FlushMode::Every { writes: 1 });
    let mut history = History::new(&header);
    let written = |write| Record::Written { write, offset: 1 << 20, units: 1, fua: false };
    for record in [
        written(0),
        Record::FlushBegun { flush: 0, next_write: 1 },
        Record::FlushDone { flush: 0, next_write: 1 },
        written(1),
        Record::FlushBegun { flush: 1, next_write: 2 },
        Record::FlushDone { flush: 1, next_write: 2 },
        written(2),
    ] {
        history.add(&record).unwrap();
    }
    history
}

fn unit(write: u64, offset: u64) -> Vec<u8> {
    let mut data = vec![0; 4096];
    let write = CutWrite { number: write, offset, units: 1, fua: false };
    UnitFormat::new(&header(FlushMode::Never)).fill(&write, &mut data);
    data
}

#[test]
fn each_content_of_a_unit_is_allowed_or_is_the_fault_that_it_is() {
    let history = history();
    let start = 1 << 20;
    let torn = |first: u64, second: u64, at: usize| {
        let mut data = unit(first, start);
        data[at..].copy_from_slice(&unit(second, start)[at..]);
        data
    };
    let mut flipped = unit(1, start);
    flipped[3000] ^= 1;
    let mut half_foreign = unit(3, start);
    half_foreign[2048..].fill(7);
    for (name, data, expected) in [
        ("the durable write", unit(1, start), None),
        ("a complete one", unit(2, start), None),
        ("one that was in flight", unit(3, start), None),
        ("an older one", unit(0, start), Some(CutFault::Older { write: 0 })),
        ("zeros", vec![0; 4096], Some(CutFault::Zeroed)),
        ("something else", vec![7; 4096], Some(CutFault::Foreign)),
        ("another place", unit(2, start + 4096), Some(CutFault::Misplaced { belongs_at: start + 4096 })),
        ("a flipped bit", flipped, Some(CutFault::Damaged { write: 1 })),
        (
            "two allowed writes",
            torn(1, 2, 512),
            Some(CutFault::Torn { at: 512, first: Some(1), second: Some(2) }),
        ),
        (
            "two later writes of which neither is durable",
            torn(3, 2, 1024),
            Some(CutFault::Torn { at: 1024, first: Some(3), second: Some(2) }),
        ),
        ("half of one", half_foreign, Some(CutFault::Torn { at: 2048, first: Some(3), second: None })),
    ] {
        let mut judge = CutJudge::new(&history);
        judge.add(0, &data);
        let tally = judge.tally();
        assert_eq!(tally.faults.first().map(|it| it.fault), expected, "{name}");
        assert_eq!((tally.bound, tally.kept), (1, u64::from(expected.is_none())), "{name}");
        if let Some(fault) = tally.faults.first() {
            let acknowledged = Acknowledged { write: 1, promise: Promise::Flush { flush: 1 } };
            assert_eq!((fault.offset, fault.acknowledged), (start, Some(acknowledged)), "{name}");
        }
    }
}

#[test]
fn a_unit_of_which_nothing_is_promised_may_hold_anything_but_a_torn_write() {
    let header = header(FlushMode::Never);
    let history = History::new(&header);
    let mut judge = CutJudge::new(&history);
    let offset = |unit: u64| header.start + unit * 4096;
    let whole = [vec![0; 4096], vec![9; 4096], unit(5, offset(2))].concat();
    judge.add(0, &whole);
    let tally = judge.tally();
    assert_eq!((tally.units, tally.bound, tally.wrong(), tally.not_durable), (3, 0, 0, 1));
    assert_eq!(tally.verdict(&history), CutVerdict::NothingDurable);
    let mut judge = CutJudge::new(&history);
    let mut torn = unit(5, offset(0));
    torn[512..].fill(9);
    judge.add(0, &torn);
    let tally = judge.tally();
    assert_eq!(tally.verdict(&history), CutVerdict::Wrong { order: None });
}

#[test]
fn what_survived_says_whether_the_order_was_kept() {
    let header = header(FlushMode::Every { writes: 1 });
    let mut history = history();
    // Unit 1: write 4, durable by flush 2, which began after write 3 of unit 0 was complete.
    for record in [
        Record::Written { write: 4, offset: header.start + 4096, units: 1, fua: false },
        Record::FlushBegun { flush: 2, next_write: 5 },
        Record::FlushDone { flush: 2, next_write: 5 },
    ] {
        history.add(&record).unwrap();
    }
    let verdict = |first: u64, second: u64| {
        let mut judge = CutJudge::new(&history);
        judge.add(0, &[unit(first, header.start), unit(second, header.start + 4096)].concat());
        judge.tally().verdict(&history)
    };
    assert_eq!(verdict(2, 4), CutVerdict::Kept);
    let across = LossOrder::AcrossFlush { flush: 2, later_write: 9 };
    assert_eq!(verdict(1, 9), CutVerdict::Wrong { order: Some(across) }, "write 9 came after flush 2");
    let earlier = LossOrder::EarlierState { flush: 2, last_write: Some(3) };
    assert_eq!(verdict(1, 3), CutVerdict::Wrong { order: Some(earlier) });
}

#[test]
fn a_flush_covers_what_was_complete_when_it_began_and_nothing_else() {
    let header = header(FlushMode::Every { writes: 1 });
    let mut history = History::new(&header);
    let written = |write, unit: u64| Record::Written {
        write,
        offset: header.start + unit * 4096,
        units: 1,
        fua: false,
    };
    history.add(&written(0, 0)).unwrap();
    history.add(&Record::FlushBegun { flush: 0, next_write: 2 }).unwrap();
    history.add(&written(1, 1)).unwrap();
    assert_eq!((history.bound(0), history.bound(1)), (None, None), "the flush is not complete");
    history.add(&Record::FlushDone { flush: 0, next_write: 2 }).unwrap();
    assert_eq!(history.bound(0).map(|it| it.write), Some(0));
    assert_eq!(history.bound(1), None, "it was complete after the flush began");
    let fua = Record::Written { write: 2, offset: header.start, units: 2, fua: true };
    history.add(&fua).unwrap();
    assert_eq!(history.bound(1), Some(Acknowledged { write: 2, promise: Promise::Fua }));
}

#[test]
fn without_a_volatile_cache_a_write_is_durable_when_it_is_complete() {
    let header = LogHeader { durability: Durability::AtCompletion, ..header(FlushMode::Never) };
    let mut history = History::new(&header);
    history.add(&Record::Written { write: 0, offset: header.start, units: 1, fua: false }).unwrap();
    assert_eq!(history.bound(0), Some(Acknowledged { write: 0, promise: Promise::Completion }));
}

#[test]
fn records_that_cannot_be_are_an_error() {
    let header = header(FlushMode::Never);
    let written = |offset, units| Record::Written { write: 0, offset, units, fua: false };
    for record in [
        written(0, 1),
        written(header.start + 1, 1),
        written(header.start, 0),
        written(header.start, 65),
        Record::FlushDone { flush: 0, next_write: 0 },
    ] {
        assert_eq!(History::new(&header).add(&record), Err(MalformedLog { record: 0 }), "{record:?}");
    }
}

#[test]
fn writes_in_flight_never_overlap_and_stay_in_the_region() {
    let header = header(FlushMode::Every { writes: 5 });
    let terms = WorkloadTerms { units_max: 8, first_pass_units: 7 };
    let mut workload = Workload::new(&header, terms);
    let (mut in_flight, mut flushing) = (Vec::<CutWrite>::new(), None);
    let (mut covered, mut waits) = (0, 0);
    for step in 0..5000_u64 {
        match workload.next_act() {
            Act::Write(write) => {
                let range = |write: &CutWrite| write.offset..write.offset + u64::from(write.units) * 4096;
                let (ours, end) = (range(&write), header.start + header.len);
                assert!(ours.start >= header.start && ours.end <= end && !ours.is_empty());
                for other in in_flight.iter().map(range) {
                    assert!(ours.end <= other.start || other.end <= ours.start, "{ours:?} {other:?}");
                }
                covered += if workload.is_first_pass() { u64::from(write.units) } else { 0 };
                in_flight.push(write);
            }
            Act::Flush { flush, .. } => flushing = Some(flush),
            Act::Wait => waits += 1,
        }
        if in_flight.len() >= 6 || step % 3 == 0 || waits % 2 == 1 {
            if !in_flight.is_empty() {
                let write = in_flight.swap_remove((mix(step) % in_flight.len() as u64) as usize);
                workload.written(&write);
            } else if let Some(flush) = flushing.take() {
                workload.flushed(flush);
            }
            waits = 0;
        }
    }
    assert!(covered == 64 && !workload.is_first_pass() && workload.issued() > 1000, "{covered}");
}
