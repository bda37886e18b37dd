//! Properties: no text stops the parser, and what it reads it can save and
//! read again.

use crate::world::{World, job, load};
use fathom_job::fio_cli::parse_arguments;
use fathom_job::job::Job;
use fathom_job::options::*;
use fathom_job::units::{Bytes, Nanos};
use fathom_job::value::Size;
use proptest::prelude::*;

/// Texts that look like job files, so that the deep parts are reached.
fn job_like() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> = all().map(|def| def.name).collect();
    let value = prop_oneof![
        "[0-9a-zA-Z.%:,/*+()$ -]{0,16}",
        "[0-9]{1,4}[kmgtpKMsh%]{0,2}(,[0-9]{0,3}k)?",
        "[0-9]{1,3}k/[0-9]{0,2}(:[0-9]{1,3}k/[0-9]{0,2}){0,2}",
        "(rand)?(read|write|rw|trim)(:[0-9]{1,3})?",
        "\\PC{0,12}",
    ];
    let line = prop_oneof![
        4 => (prop::sample::select(names), value).prop_map(|(name, value)| format!("{name}={value}")),
        1 => "\\[[a-z]{0,6}\\]?",
        1 => "[a-z_]{1,12}",
        1 => "\\PC{0,20}",
    ];
    prop::collection::vec(line, 0..12).prop_map(|lines| format!("[job]\n{}", lines.join("\n")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = load(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn what_is_read_can_be_saved_and_read_again(text in job_like()) {
        if let Ok(set) = load(&text) {
            for job in set.jobs {
                let mut again = Job::empty(job.name.clone(), job.span.clone()).of_section(job.section.clone());
                for (name, setting) in job.settings() {
                    let (text, span) = (setting.text.clone(), setting.span.clone());
                    let restored = again.restore(name, &setting.canonical(), text, setting.origin, span);
                    prop_assert_eq!(restored, Ok(()), "{}", name);
                }
                prop_assert_eq!(again, job);
            }
        }
    }

    #[test]
    fn any_arguments_are_read_without_a_panic(args in prop::collection::vec("(--?[a-z-]{0,8}=?)?\\PC{0,6}", 0..6)) {
        let _ = parse_arguments(&args, &World::default());
    }

    #[test]
    fn sizes_print_as_they_are_read(n in any::<u64>()) {
        let text = job(&format!("[a]\nsize={n}"));
        let printed = text.setting(&SIZE).expect("given").canonical();
        prop_assert_eq!(job(&format!("[a]\nsize={printed}")).get(&SIZE), Some(Size::Bytes(Bytes(n))));
    }

    #[test]
    fn times_print_as_they_are_read(us in 0..u64::MAX / 1000) {
        let text = job(&format!("[a]\nruntime={us}us"));
        let printed = text.setting(&RUNTIME).expect("given").canonical();
        prop_assert_eq!(job(&format!("[a]\nruntime={printed}")).get(&RUNTIME), Nanos(us * 1000));
    }
}
