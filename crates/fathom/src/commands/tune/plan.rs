//! `fathom tune plan`.

use fathom_host::tune;

use super::failure::failure;
use super::{PlanArgs, text};
use crate::commands::machine::Machine;
use crate::commands::output::Place;
use crate::failure::{Exit, Failure, print, say};

pub(super) fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let place = args.output.as_deref().map(Place::of).transpose()?;
    let machine = Machine::open(args.root.as_deref())?;
    let select = args.select.select();
    let plan = tune::plan(machine.root(), &args.targets, args.goal, &select).map_err(failure)?;
    let json = serde_json::to_string_pretty(&plan).map_err(|e| Failure::new(Exit::Failed, e))? + "\n";
    match args.json {
        true => print(&json)?,
        false => print(&text::plan(&plan))?,
    }
    if let (Some(place), Some(path)) = (place, &args.output) {
        place.write(&json)?;
        say(&format!("nothing was changed; to do it: {}", text::command(&plan, path)));
    }
    Ok(Exit::Ok)
}
