//! Jobs that are killed at any moment: the last state that they saved raises no alarm over what is there, and leaves no write out.
//!
//! Writes and trims are in flight together and reach the file in any order. What is in flight at the kill is there, is not, or is
//! there in part.

use super::*;
use fathom_verify::Method;
use proptest::prelude::*;

/// Options of the jobs: what their blocks look like.
const FORMATS: [&str; 8] = [
    "verify=crc32c",
    "verify=crc32c\nverify_interval=512",
    "verify=sha1\nverify_interval=4k\nverify_offset=64",
    "verify=xxh3\nbuffer_compress_percentage=40",
    "verify=meta",
    "verify=md5\nverify_pattern=0xc0ffee%o",
    "verify=pattern\nverify_pattern=\"abc\"%o",
    "verify=null",
];

#[derive(Clone, Debug)]
enum Step {
    /// It reaches the file when it is issued, or when it ends.
    Change {
        is_trim: bool,
        at: u64,
        blocks: u32,
        is_early: bool,
    },
    /// One of those in flight ends, whole or short.
    End {
        which: usize,
        is_whole: bool,
    },
    Save,
}

/// What a kill leaves of a change in flight.
#[derive(Clone, Copy, Debug)]
enum Left {
    Nothing,
    All,
    First(usize),
    Last(usize),
}

fn steps(trims: bool) -> impl Strategy<Value = Vec<Step>> {
    let change =
        (any::<bool>(), 0..15u64, 1..3u32, any::<bool>()).prop_map(move |(trim, at, blocks, is_early)| {
            Step::Change { is_trim: trims && trim, at, blocks, is_early }
        });
    let end = (any::<prop::sample::Index>(), 0..10u32)
        .prop_map(|(which, n)| Step::End { which: which.index(8), is_whole: n > 0 });
    proptest::collection::vec(prop_oneof![6 => change, 6 => end, 1 => Just(Step::Save)], 4..80)
}

fn left() -> impl Strategy<Value = Left> {
    prop_oneof![
        Just(Left::Nothing),
        Just(Left::All),
        (1..8usize).prop_map(|sectors| Left::First(512 * sectors)),
        (1..8usize).prop_map(|sectors| Left::Last(512 * sectors)),
    ]
}

/// An I/O in flight: its slot, and what it makes of its place, unless that is there already.
struct Flying {
    slot: u32,
    desc: Desc,
    content: Option<Vec<u8>>,
}

/// A job with changes in flight.
struct Running {
    case: Case,
    flying: Vec<Flying>,
}

impl Running {
    fn lands(&mut self, desc: &Desc, content: &[u8], part: std::ops::Range<usize>) {
        let from = desc.offset as usize;
        self.case.file[from + part.start..from + part.end].copy_from_slice(&content[part]);
    }

    fn begin(&mut self, is_trim: bool, at: u64, blocks: u32, is_early: bool) {
        let Some(slot) = (0..8).find(|slot| self.flying.iter().all(|it| it.slot != *slot)) else { return };
        let (op, bytes) = (if is_trim { Op::Trim } else { Op::Write }, blocks << 12);
        // The file has 16 blocks.
        let desc = Desc::new(op, (at << 12).min((64 << 10) - u64::from(bytes)), bytes, 0);
        let mut content = vec![0; bytes as usize];
        self.case.verifier.issue(slot, &desc, &mut content);
        if is_early {
            self.lands(&desc, &content, 0..bytes as usize);
        }
        self.flying.push(Flying { slot, desc, content: (!is_early).then_some(content) });
    }

    fn end(&mut self, which: usize, is_whole: bool) {
        if self.flying.is_empty() {
            return;
        }
        let Flying { slot, desc, content } = self.flying.remove(which % self.flying.len());
        let bytes = if is_whole { desc.len() } else { 512 };
        if let Some(content) = content {
            self.lands(&desc, &content, 0..bytes as usize);
        }
        let result = match desc.op() {
            Op::Trim if is_whole => 0,
            Op::Trim => -5,
            _ => bytes as i32,
        };
        self.case.verifier.complete(slot, &desc, result, &mut []);
    }

    fn is_killed(&mut self, left: &[Left]) {
        for (n, Flying { desc, content, .. }) in std::mem::take(&mut self.flying).into_iter().enumerate() {
            let Some(content) = content else { continue };
            let bytes = content.len();
            let part = match left[n % left.len()] {
                Left::Nothing => 0..0,
                Left::All => 0..bytes,
                Left::First(part) => 0..part.min(bytes),
                Left::Last(part) => bytes - part.min(bytes)..bytes,
            };
            self.lands(&desc, &content, part);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("FATHOM_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_kill_at_any_moment_raises_no_alarm(
        format in prop::sample::select(&FORMATS[..]),
        (trims, steps) in any::<bool>().prop_flat_map(|trims| (Just(trims), steps(trims))),
        left in proptest::collection::vec(left(), 1..4),
        damage in (any::<prop::sample::Index>(), 0..4096usize),
    ) {
        let rw = if trims { "randtrimwrite" } else { "randwrite" };
        let job = format!(
            "[j]\nioengine=io_uring\niodepth=8\nfilename=f\nrw={rw}\nsize=64k\nbssplit=4k/50:8k/50\n{format}\n"
        );
        let mut running = Running { case: Case::of(&job), flying: Vec::new() };
        let mut state = running.case.state();
        for step in steps {
            match step {
                Step::Change { is_trim, at, blocks, is_early } => running.begin(is_trim, at, blocks, is_early),
                Step::End { which, is_whole } => running.end(which, is_whole),
                Step::Save => state = running.case.state(),
            }
        }
        running.is_killed(&left);
        let mut case = running.case;
        let found = case.check(&state);
        prop_assert_eq!(found.wrong, 0, "{:?}", found);
        prop_assert_eq!(found.ios + found.unchecked.total(), state.writes.len() as u64, "{:?}", found);

        // A byte of a write that is there is changed.
        let whole: Vec<_> = state.writes.iter().filter(|write| write.fate == WriteFate::Whole).collect();
        let checks = !matches!(state.head.blocks.method, Method::Null | Method::Meta);
        if checks && found.unchecked.newer == 0 && !whole.is_empty() {
            let write = damage.0.get(&whole);
            case.file[write.offset as usize + damage.1] ^= 0x20;
            prop_assert_eq!(case.check(&state).wrong, 1, "byte {} of {:?}", damage.1, write);
        }
    }
}
