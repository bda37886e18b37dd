//! What older versions saved is read, and what later versions will save can be read.

use fathom_results::{EndedBy, EventKind, Frame, Phase, RunEnd, RunResult, SpoolReader, SpoolWriter, load};
use minicbor::Encoder;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn ios(run: &RunResult) -> Vec<(&str, u64, u64)> {
    let of =
        |job: &fathom_results::JobResult| (job.totals.directions.read.ios, job.totals.directions.write.ios);
    run.jobs.iter().map(|job| (job.planned.name.as_str(), of(job).0, of(job).1)).collect()
}

/// Format 1: `run.json` without a seal, frames encoded by position.
#[test]
fn runs_of_format_1_read_as_they_did() {
    let run = load(&fixture("format-1/mixed")).unwrap();
    assert_eq!((run.incomplete.as_deref(), run.damage.as_deref()), (None, None));
    assert_eq!(ios(&run), [("reader", 100, 0), ("reader", 100, 0), ("writer", 100, 100)]);
    let writer = &run.jobs[2];
    let outcome = writer.outcome.as_ref().unwrap();
    assert_eq!((outcome.ended_by, outcome.failure.is_none()), (EndedBy::Time, true));
    let completion = &writer.totals.directions.write.completion;
    assert_eq!(completion.histogram.as_ref().unwrap().count(), completion.moments.count());
    assert_eq!(run.record.finish.as_ref().unwrap().ended, RunEnd::ByItself);
    assert_eq!(writer.planned.job.settings().count(), 11);
    let codes: Vec<&str> = run.record.taints.iter().map(|taint| taint.code.as_str()).collect();
    assert_eq!(codes, ["page-cache", "completes-inline", "virtual-disk", "same-filesystem", "few-samples"]);

    let killed = load(&fixture("format-1/killed")).unwrap();
    let why = killed.incomplete.as_deref().unwrap();
    assert_eq!(why, "the run did not end by itself: it was killed, or it still runs");
    assert!(killed.jobs.iter().all(|job| job.outcome.is_none() && job.totals.directions.read.ios > 0));

    let quick = load(&fixture("format-1/quick")).unwrap();
    assert_eq!((quick.incomplete.as_deref(), quick.jobs.len()), (None, 6));
    assert!(quick.record.verdict.unwrap().headline.starts_with("4 KiB random: 63.1k read IOPS"));
}

/// Format 2 with a spool of version 4: all latencies with all their moments, equal ones twice.
#[test]
fn runs_with_a_spool_of_version_4_read_as_they_did() {
    let run = load(&fixture("format-2/mixed")).unwrap();
    assert_eq!((run.incomplete.as_deref(), run.damage.as_deref()), (None, None));
    let readers = [("reader", 750, 0), ("reader", 750, 0)];
    assert_eq!(
        ios(&run),
        [&[("writer", 250, 125)], &readers[..], &[("known", 2162, 2209), ("sums", 0, 457)]].concat()
    );
    let [writer, reader, _, known, sums] = &run.jobs[..] else { panic!("{}", run.jobs.len()) };
    assert_eq!(writer.totals.sync.moments.count(), 25);
    assert_eq!(writer.totals.maps.depth, [375, 0, 0, 0, 0, 0, 0]);
    let read = &reader.totals.directions.read;
    let distributions = [&read.total, &read.completion, &read.submission, &read.response];
    assert!(distributions.map(|one| one.histogram.as_ref().unwrap().count()).iter().all(|n| *n == 750));
    let total = &known.totals.directions.read.total;
    // Added up from the bytes of the spool by another program.
    let parts = (2162, 4_978_866_880, 14_558_625_832_287_866, 407_897, 13_656_729);
    assert_eq!((total.moments.parts(), total.histogram.as_ref().unwrap().buckets().count()), (parts, 423));
    let write = &sums.totals.directions.write;
    assert_eq!((write.completion.histogram.is_none(), write.total.histogram.is_none()), (true, false));

    let run = load(&fixture("format-2/virtual")).unwrap();
    assert_eq!((run.incomplete.as_deref(), run.damage.as_deref()), (None, None));
    assert_eq!(ios(&run), [("k", 11_994, 0), ("l", 1013, 987)]);
    assert_eq!((run.jobs[0].series.len(), run.jobs[0].series[0].phase), (22, Phase::Ramp));
    assert_eq!(run.jobs[0].series.iter().filter(|second| second.ios.read == 0).count(), 2);
}

/// What older spools hold is the same, bit for bit, when it is saved by this version.
#[test]
fn old_frames_saved_again_are_the_same() {
    let mut bytes = [0; 2];
    for name in ["format-1/mixed", "format-1/killed", "format-1/quick", "format-2/mixed", "format-2/virtual"]
    {
        let (dir, old) = (tempfile::tempdir().unwrap(), fixture(name));
        let mut record = load(&old).unwrap().record;
        let mut spool = SpoolWriter::create(dir.path(), &record.id).unwrap();
        let frames: Vec<Frame> = SpoolReader::open(&old).unwrap().collect();
        frames.iter().for_each(|frame| spool.append(frame).unwrap());
        assert!(SpoolReader::open(dir.path()).unwrap().eq(frames), "{name}");
        let is_ended = record.finish.is_some();
        record.format = fathom_results::record::FORMAT;
        record.save_sealed(dir.path(), spool.extent()).unwrap();
        let (before, now) = (load(&old).unwrap(), load(dir.path()).unwrap());
        assert_eq!(before.incomplete.is_none(), is_ended, "{name}");
        assert_eq!(format!("{:?}", before.jobs), format!("{:?}", now.jobs), "{name}");
        assert_eq!((before.events, before.reaches_ns), (now.events, now.reaches_ns), "{name}");
        if name.starts_with("format-2") {
            bytes[0] += std::fs::metadata(old.join("spool")).unwrap().len();
            bytes[1] += spool.extent().bytes;
        }
    }
    assert!(2 * bytes[1] < bytes[0], "half the size: {bytes:?}");
}

/// Appends a payload as a frame of a spool that holds nothing but the id of its run.
fn spool_with(dir: &Path, payload: &[u8]) {
    let writer = SpoolWriter::create(dir, "test").unwrap();
    let mut hasher = crc32fast::Hasher::new_with_initial(writer.extent().crc32);
    hasher.update(payload);
    let path = dir.join("spool");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(hasher.finalize().to_le_bytes());
    bytes.extend(payload);
    std::fs::write(&path, bytes).unwrap();
}

fn read(payload: &[u8]) -> Result<Option<Frame>, String> {
    let dir = tempfile::tempdir().unwrap();
    spool_with(dir.path(), payload);
    let mut reader = SpoolReader::open(dir.path()).unwrap();
    let frame = reader.next();
    reader.damage().map_or(Ok(frame), |damage| Err(damage.to_owned()))
}

type Cbor = Encoder<Vec<u8>>;

fn cbor(
    write: impl FnOnce(&mut Cbor) -> Result<(), minicbor::encode::Error<std::convert::Infallible>>,
) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new());
    write(&mut encoder).unwrap();
    encoder.into_writer()
}

/// A later version adds fields at every level, a phase, a direction, a kind of event and a kind
/// of frame.
#[test]
fn what_a_later_version_adds_is_skipped() {
    let window = cbor(|e| {
        e.map(3)?.u8(0)?.u8(0)?.u16(300)?.str("new, in the frame")?.u8(2)?;
        e.map(7)?.u8(0)?.u8(3)?.u8(1)?.u8(2)?.u8(2)?.u64(0)?.u8(3)?.u64(1_000_000_000)?;
        e.u8(4)?.map(2)?;
        e.u8(0)?.map(3)?.u8(0)?.u8(5)?.u8(1)?.u16(20_480)?.u8(77)?.array(2)?.u8(1)?.str("new")?;
        e.u8(9)?.map(1)?.u8(0)?.u8(8)?;
        e.u8(5)?.array(1)?.array(6)?.u8(1)?.u8(9)?.u8(81)?.u8(9)?.u8(9)?.str("new")?;
        e.u8(99)?.bytes(b"new, in the window")?;
        Ok(())
    });
    let Ok(Some(Frame::Window(read_back))) = read(&window) else { panic!("{:?}", read(&window)) };
    assert_eq!((read_back.job, read_back.phase, read_back.end_ns), (3, Phase::Measure, 1_000_000_000));
    assert_eq!(read_back.directions.len(), 1, "a direction that is not known is left out");
    assert_eq!((read_back.directions[0].1.ios, read_back.directions[0].1.bytes), (5, 20_480));
    assert_eq!((read_back.sync.moments.sum(), read_back.depth), (9, [0; 7]), "missing fields are empty");

    let event = cbor(|e| {
        e.map(2)?.u8(0)?.u8(0)?.u8(5)?;
        e.map(5)?.u8(0)?.u8(7)?.u8(1)?.null()?.u8(2)?.u8(50)?.u8(3)?.str("text")?.u8(4)?.bool(true)?;
        Ok(())
    });
    let Ok(Some(Frame::Event(event))) = read(&event) else { panic!("{:?}", read(&event)) };
    assert_eq!((event.kind, event.text.as_str()), (EventKind::Unknown, "text"));

    let unknown_phase = cbor(|e| e.map(2)?.u8(0)?.u8(0)?.u8(3)?.array(3)?.u8(0)?.u8(40)?.u8(9)?.ok());
    assert_eq!(read(&unknown_phase), Ok(None));
    let unknown_kind = cbor(|e| e.map(2)?.u8(0)?.u8(0)?.u8(200)?.array(1)?.str("sample")?.ok());
    assert_eq!(read(&unknown_kind), Ok(None));
}

/// Frames with a right checksum that no run writes.
#[test]
fn impossible_frames_are_damage() {
    let window = |from: u64, to: u64, directions: &[u8]| {
        cbor(|e| {
            e.map(2)?.u8(0)?.u8(0)?.u8(2)?.map(5)?.u8(0)?.u8(0)?.u8(1)?.u8(2)?;
            e.u8(2)?.u64(from)?.u8(3)?.u64(to)?.u8(4)?.map(directions.len() as u64)?;
            directions.iter().try_for_each(|d| e.u8(*d)?.map(1)?.u8(0)?.u8(1)?.ok())
        })
    };
    assert!(read(&window(1, 2, &[0, 1])).is_ok());
    for (from, to, directions) in [(2, 1, &[0][..]), (0, u64::MAX, &[]), (0, 1, &[0, 0])] {
        assert!(read(&window(from, to, directions)).is_err(), "{from} {to} {directions:?}");
    }
}

#[test]
fn a_frame_of_another_host_or_place_is_damage() {
    let of = |sequence: u8, host: u8| cbor(|e| e.map(2)?.u8(0)?.u8(sequence)?.u8(1)?.u8(host)?.ok());
    assert_eq!(read(&of(0, 0)), Ok(None));
    assert!(read(&of(1, 0)).unwrap_err().contains("frame 1 is in the place of frame 0"));
    assert!(read(&of(0, 1)).unwrap_err().contains("of host 1"));
}

/// `run.json` with fields that are not known.
#[test]
fn a_record_with_more_fields_is_read() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["run.json", "spool"] {
        std::fs::copy(fixture("format-1/mixed").join(name), dir.path().join(name)).unwrap();
    }
    let path = dir.path().join("run.json");
    let mut record: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    record["new"] = serde_json::json!({ "any": [1, 2] });
    record["plan"]["jobs"][0]["new"] = serde_json::json!("any");
    record["finish"]["ended"] = serde_json::json!("by-a-reason-of-a-later-version");
    std::fs::write(&path, serde_json::to_vec_pretty(&record).unwrap()).unwrap();
    let run = load(dir.path()).unwrap();
    assert_eq!((run.incomplete.as_deref(), run.jobs.len()), (None, 3));
}
