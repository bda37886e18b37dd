//! `clock_speed`: which engines accept it, and that all jobs agree.

use super::*;
use crate::options;

#[test]
fn only_engines_without_a_device_have_a_faster_clock() {
    let speed = |options: &str| {
        one(&format!("ioengine=null size=1m bs=4k {options}")).jobs[0].job.get(&options::CLOCK_SPEED)
    };
    assert_eq!((speed("bs=4k"), speed("clock_speed=100000")), (1, 100_000));
    for engine in ["psync", "io_uring", "libaio"] {
        let job = format!("filename=/dev/fioa bs=4k ioengine={engine}");
        assert_eq!(error_of(&format!("{job} clock_speed=2")).code, "clock-with-device");
        assert_eq!(one(&format!("{job} clock_speed=1")).jobs.len(), 1);
    }
    let differ = "[a]\nioengine=null\nsize=1m\nclock_speed=2\n[b]\nioengine=null\nsize=1m\n";
    let errors = try_plan(differ).expect_err("two clocks");
    assert_eq!((errors.len(), errors[0].code.as_str()), (1, "clocks-differ"), "{errors:?}");
}
