//! Stacks that once let a write through, or that are easily judged wrong: built every time.

mod devices;
mod names;
mod overlays;
mod unseen;

use std::io;
use std::path::Path;

use crate::dice::Dice;
use crate::image::{Images, Recipe};
use crate::inquiry::inquire;
use crate::kernel::loops::Window;
use crate::model::{DeviceId, OURS};
use crate::tally::Tally;
use crate::verdict::Outcome;
use crate::world::World;

/// A stack with a name.
struct Case {
    name: &'static str,
    build: fn(&mut World) -> io::Result<()>,
    /// How many paths lead to what is in use, at least.
    in_use: usize,
    /// How many targets may be written, at least.
    free: usize,
}

const fn case(
    name: &'static str,
    build: fn(&mut World) -> io::Result<()>,
    in_use: usize,
    free: usize,
) -> Case {
    Case { name, build, in_use, free }
}

const TABLES: [&[Case]; 4] = [names::CASES, overlays::CASES, unseen::CASES, devices::CASES];

/// Builds and judges all of them; says how many.
pub fn judge_all(images: &Images) -> String {
    let cases: Vec<&Case> = TABLES.iter().copied().flatten().collect();
    let wrong: Vec<String> = cases.iter().filter_map(|case| case.judge(images).err()).collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    format!("{} named stacks", cases.len())
}

impl Case {
    fn judge(&self, images: &Images) -> Result<(), String> {
        let mut world = World::new(images).expect("an empty stack can be made");
        let mut tally = Tally::default();
        let built = (self.build)(&mut world);
        let mut wrong = match built {
            Ok(()) => inquire(&mut world, usize::MAX, &mut Dice::new(7), &mut tally),
            Err(error) => vec![format!("cannot be built: {error}")],
        };
        // Every path is asked about at two doors.
        for (outcome, paths) in [(Outcome::Kept, self.in_use), (Outcome::Admitted, self.free)] {
            if wrong.is_empty() && tally.of(outcome) < 2 * paths {
                wrong.push(format!("fewer than {paths} paths {outcome:?}: {tally}"));
            }
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => {
                let story = world.story.join("\n    ");
                Err(format!("{}:\n    {story}\n  wrong:\n    {}", self.name, wrong.join("\n    ")))
            }
        }
    }
}

/// A loop device over the whole file.
fn attached(world: &mut World, path: &Path) -> io::Result<DeviceId> {
    world.attach(OURS, path, Window::default(), false)
}

/// An image at the path, attached and mounted.
fn mounted(world: &mut World, path: &Path) -> io::Result<DeviceId> {
    world.image(path, Recipe::Ext4Small)?;
    let device = attached(world, path)?;
    let point = world.fresh("mount", "");
    world.mount(OURS, device, &point, false)?;
    Ok(device)
}
