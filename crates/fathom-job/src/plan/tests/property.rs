//! Whatever a job asks, no clone leaves its target.

use super::super::fixture::{ENGINES, MACHINE, jobs};
use super::*;
use proptest::prelude::*;

/// A device of any size, and files that are not there.
struct OneDevice(u64);

impl TargetLookup for OneDevice {
    fn look_up(&self, _: &str) -> TargetFacts {
        TargetFacts { kind: TargetKind::Block, size: Some(Bytes(self.0)), ..TargetFacts::MISSING }
    }
}

fn size() -> impl Strategy<Value = String> {
    prop_oneof![
        (0u64..1 << 24).prop_map(|bytes| bytes.to_string()),
        (0u8..=100).prop_map(|percent| format!("{percent}%"))
    ]
}

proptest! {
    #[test]
    fn regions_end_within_the_device(
        device in 1u64..1 << 23,
        (size, offset, increment) in (size(), size(), size()),
        (clones, files) in (1u32..6, 1usize..4),
        rw in prop_oneof![Just("read"), Just("randread"), Just("randwrite"), Just("trimwrite")],
        block in prop_oneof![Just("bs=512"), Just("bs=4096"), Just("bs=3000"), Just("bsrange=1000-9000"), Just("bssplit=512/20:8k/80")],
    ) {
        let names: Vec<String> = (0..files).map(|i| format!("/dev/d{i}")).collect();
        let text = format!(
            "[t]\nfilename={}\nsize={size}\noffset={offset}\noffset_increment={increment}\nnumjobs={clones}\nrw={rw}\n{block}\n",
            names.join(":")
        );
        if let Ok(plan) = plan(&jobs(&text), ENGINES, &MACHINE, &OneDevice(device)) {
            prop_assert_eq!(plan.jobs.len(), clones as usize);
            for job in &plan.jobs {
                for file in &job.files {
                    prop_assert!(file.offset.0 + file.size.0 <= device, "{text}: {file:?}");
                    prop_assert!(file.size >= job.block_max(), "{text}: {file:?}");
                    prop_assert_eq!(file.size.0 % job.block_min().0, 0);
                }
                prop_assert!(job.end.bytes.is_some_and(|bytes| bytes.0 > 0));
            }
            prop_assert!(!plan.explain().is_empty());
        }
    }
}
