//! What is done before cells, as steps.

use super::Before;
use super::expanding::Expanding;
use super::{SuiteCell, SuiteStep};
use crate::suite::device_sets::set_name;
use crate::suite::text::filled;
use fathom_results::procedure::Preparation;

/// Options of all writes that fill a target: in parallel, past the page cache, and with data that nothing compresses.
const FILL: &str = "iodepth=32\nioengine=${engine}\ndirect=1\nrefill_buffers=1\nsize=${size}\n";

/// In order. 128 KiB is what the standard fills with (SNIA PTS, workload independent preconditioning), and leaves less of a
/// target whose size is not a multiple of it than 1 MiB would.
const IN_ORDER: &str = "[fill]\nrw=write\nbs=128k\n";

/// At random, each block once: without a map of the blocks, one pass writes 63 % of them and two 86 %.
const EACH_ONCE: &str = "[fill]\nrw=randwrite\nbs=4k\n";

/// At random, some blocks twice and some not at all, as applications write. A pass that writes each block once ends with only its own
/// data, so with all spare area free: what comes next is as fast as on an empty drive until that is used (measured on
/// `sim:datacentre/64`: 10.9k IOPS, where 2.3k is the steady state).
const WITH_REPEATS: &str = "[fill]\nrw=randwrite\nbs=4k\nnorandommap=1\n";

/// How one pass writes its target.
#[derive(Clone, Copy)]
enum Pass {
    InOrder,
    EachOnce,
    WithRepeats,
}

impl Pass {
    /// The passes of a fill at random: every block is written, and the last pass leaves the state that random writes lead to.
    fn at_random(passes: u32) -> Vec<Pass> {
        (1..=passes).map(|n| if n > 1 && n == passes { Pass::WithRepeats } else { Pass::EachOnce }).collect()
    }

    /// Its words in the name of the round, and its options.
    fn order_and_options(self) -> (&'static str, &'static str) {
        match self {
            Pass::InOrder => ("", IN_ORDER),
            Pass::EachOnce => (" at random", EACH_ONCE),
            Pass::WithRepeats => (" at random with repeats", WITH_REPEATS),
        }
    }
}

impl Expanding<'_> {
    /// Adds the steps of a preparation for a cell with these values.
    pub(super) fn prepare(&mut self, before: &Before, set: &[usize], values: &[(String, String)]) {
        let divisor = self.terms.divisor();
        let targets: Vec<_> = set.iter().map(|place| self.terms.targets[*place].clone()).collect();
        let has_real = targets.iter().any(|target| !target.is_simulated);
        let of_each = |is_it: &dyn Fn(&crate::suite::SuiteTarget) -> bool,
                       preparation: &dyn Fn(String) -> Preparation| {
            let paths = targets.iter().filter(|target| is_it(target)).map(|target| target.path.clone());
            paths.map(|path| SuiteStep::Prepare(preparation(path))).collect()
        };
        let steps: Vec<SuiteStep> = match before {
            Before::Purge if self.terms.keeps_content => Vec::new(),
            Before::Purge => of_each(&|target| target.can_purge, &|target| Preparation::Purge { target }),
            Before::Format(bytes) => {
                let block_bytes = *bytes;
                of_each(&|target| target.can_purge && !target.is_simulated, &|target| Preparation::Format {
                    target,
                    block_bytes,
                })
            }
            Before::Fill(passes) => self.fill(set, values, &vec![Pass::InOrder; *passes as usize]),
            Before::FillRandom(passes) => self.fill(set, values, &Pass::at_random(*passes)),
            // A simulated drive has no cache of the kernel, no disk that others use, and time of its own.
            _ if !has_real => Vec::new(),
            Before::DropCaches => vec![SuiteStep::Prepare(Preparation::DropCaches)],
            Before::Wait(ms) => vec![SuiteStep::Wait(ms.div_ceil(divisor))],
            Before::Idle(seconds) => vec![SuiteStep::Idle(*seconds)],
            Before::Built => vec![SuiteStep::Built],
        };
        self.all.steps.extend(steps);
    }

    /// A pass over each target is a round of its own, so a crash costs one of them. Where `size` varies, it is that of the cell.
    fn fill(&mut self, set: &[usize], values: &[(String, String)], passes: &[Pass]) -> Vec<SuiteStep> {
        let size: Vec<_> = values.iter().filter(|(name, _)| name == "size").cloned().collect();
        let disks = set.iter().filter(|place| !self.terms.targets[**place].is_directory);
        let each = disks.flat_map(|place| passes.iter().map(|pass| (*place, *pass)));
        let cells: Vec<usize> = each.map(|(place, pass)| self.fill_cell(set, place, pass, &size)).collect();
        cells.into_iter().map(SuiteStep::Measure).collect()
    }

    /// The place of the cell that writes one target once.
    fn fill_cell(&mut self, set: &[usize], place: usize, pass: Pass, size: &[(String, String)]) -> usize {
        let (order, options) = pass.order_and_options();
        let of_size = size.iter().map(|(_, size)| format!(" size={size}")).collect::<String>();
        let name = format!("fill {}{order}{of_size}", set_name(&[place]));
        let cells = &self.all.cells;
        if let Some(known) = cells.iter().position(|cell| cell.name == name) {
            return known;
        }
        let variables = [size.to_vec(), self.variables(set)].concat();
        let (text, target) =
            (filled(&format!("{options}{FILL}"), &variables), Some(self.terms.targets[place].path.clone()));
        self.all.cells.push(SuiteCell { name, set: vec![place], text, target, ..SuiteCell::default() });
        self.all.cells.len() - 1
    }
}
