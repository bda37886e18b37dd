//! What later versions will save can be read.

use crate::fixture::RunBuilder;
use fathom_results::{EventKind, Frame, Phase, RunEnd, SpoolReader, SpoolWriter, load};
use minicbor::Encoder;
use std::path::Path;

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
        e.map(7)?.u8(0)?.u8(3)?.u8(1)?.u8(2)?.u8(2)?.u64(7)?.u8(3)?.u64(9)?;
        e.u8(4)?.map(2)?;
        e.u8(0)?.map(3)?.u8(0)?.u8(5)?.u8(1)?.u16(20_480)?.u8(77)?.array(2)?.u8(1)?.str("new")?;
        e.u8(9)?.map(1)?.u8(0)?.u8(8)?;
        e.u8(5)?.bytes(&[0, 1, 9, 81, 9, 9])?;
        e.u8(99)?.bytes(b"new, in the window")?;
        Ok(())
    });
    let Ok(Some(Frame::Window(read_back))) = read(&window) else { panic!("{:?}", read(&window)) };
    assert_eq!((read_back.job, read_back.phase, read_back.end_ns), (3, Phase::Measure, 16));
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
    let window = |from: u64, length: u64, directions: &[u8]| {
        cbor(|e| {
            e.map(2)?.u8(0)?.u8(0)?.u8(2)?.map(5)?.u8(0)?.u8(0)?.u8(1)?.u8(2)?;
            e.u8(2)?.u64(from)?.u8(3)?.u64(length)?.u8(4)?.map(directions.len() as u64)?;
            directions.iter().try_for_each(|d| e.u8(*d)?.map(1)?.u8(0)?.u8(1)?.ok())
        })
    };
    assert!(read(&window(1, 2, &[0, 1])).is_ok());
    for (from, length, directions) in [(u64::MAX, 1, &[0][..]), (0, u64::MAX, &[]), (0, 1, &[0, 0])] {
        assert!(read(&window(from, length, directions)).is_err(), "{from} {length} {directions:?}");
    }
}

#[test]
fn a_frame_of_another_host_or_place_is_damage() {
    let of = |sequence: u8, host: u8| cbor(|e| e.map(2)?.u8(0)?.u8(sequence)?.u8(1)?.u8(host)?.ok());
    assert_eq!(read(&of(0, 0)), Ok(None));
    assert!(read(&of(1, 0)).unwrap_err().contains("frame 1 is in the place of frame 0"));
    assert!(read(&of(0, 1)).unwrap_err().contains("of host 1"));
}

/// `run.json` with fields and a reason that are not known.
#[test]
fn a_record_with_more_fields_is_read() {
    let dir = tempfile::tempdir().unwrap();
    RunBuilder::of("rw=read bs=4k numjobs=3 filename=/dev/vda runtime=2 time_based").save(dir.path());
    let path = dir.path().join("run.json");
    let mut record: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    record["new"] = serde_json::json!({ "any": [1, 2] });
    record["plan"]["jobs"][0]["new"] = serde_json::json!("any");
    record["finish"]["ended"] = serde_json::json!("by-a-reason-of-a-later-version");
    std::fs::write(&path, serde_json::to_vec_pretty(&record).unwrap()).unwrap();
    let run = load(dir.path()).unwrap();
    assert_eq!(run.jobs.len(), 3);
    assert_eq!(run.record.finish.unwrap().ended, RunEnd::Unknown);
}

/// A format that this version does not know is refused, not misread.
#[test]
fn a_record_of_a_later_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    RunBuilder::of("rw=read bs=4k filename=/dev/vda").save(dir.path());
    let path = dir.path().join("run.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"format\": 1,", "\"format\": 2,", 1)).unwrap();
    let refused = load(dir.path()).unwrap_err().to_string();
    assert!(refused.ends_with("run.json has format 2; this fathom reads up to 1"), "{refused}");
}
