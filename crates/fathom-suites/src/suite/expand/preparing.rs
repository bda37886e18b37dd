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

/// At random, each block once a pass: without a map of the blocks, one pass writes 63 % of them and two 86 %.
const AT_RANDOM: &str = "[fill]\nrw=randwrite\nbs=4k\n";

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
            Before::Fill(passes) => self.fill(set, values, *passes, false),
            Before::FillRandom(passes) => self.fill(set, values, *passes, true),
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
    fn fill(
        &mut self,
        set: &[usize],
        values: &[(String, String)],
        passes: u32,
        is_random: bool,
    ) -> Vec<SuiteStep> {
        let size: Vec<_> = values.iter().filter(|(name, _)| name == "size").cloned().collect();
        let mut steps = Vec::new();
        for place in set.iter().filter(|place| !self.terms.targets[**place].is_directory) {
            let target = self.terms.targets[*place].path.clone();
            let order = if is_random { " at random" } else { "" };
            let of_size = size.iter().map(|(_, size)| format!(" size={size}")).collect::<String>();
            let name = format!("fill {}{order}{of_size}", set_name(&[*place]));
            let known = self.all.cells.iter().position(|cell| cell.name == name);
            let at = known.unwrap_or(self.all.cells.len());
            if known.is_none() {
                let variables = [size.clone(), self.variables(set)].concat();
                let text = format!("{}{FILL}", if is_random { AT_RANDOM } else { IN_ORDER });
                let (text, target) = (filled(&text, &variables), Some(target));
                self.all.cells.push(SuiteCell {
                    name,
                    set: vec![*place],
                    text,
                    target,
                    ..SuiteCell::default()
                });
            }
            steps.extend((0..passes).map(|_| SuiteStep::Measure(at)));
        }
        steps
    }
}
