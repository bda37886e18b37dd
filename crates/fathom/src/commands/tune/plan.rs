//! `fathom tune plan`.

use fathom_tune as tune;

use super::failure::failure;
use super::{PlanArgs, text};
use crate::commands::machine::FactSource;
use crate::edge::Ready;
use crate::failure::{Exit, Failure, print, print_json, say};
use crate::place::OutputKind;
use crate::screen::Screen;
use crate::terminal::slow_look;
use fathom_device::Goal;
use fathom_session::outputs::InUse;
use fathom_text::shown;

pub(super) fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let in_use = InUse::default();
    let place = args.output.place(OutputKind::TunePlan, &in_use)?;
    let path = &args.output.output;
    let machine = FactSource::open(args.root.as_deref())?;
    let select = args.select.select();
    if let Some(path) = machine.first_absent(&args.targets)? {
        let message = format!("{} does not exist", shown::path(path));
        return Err(Failure::new(Exit::Usage, message).hint("to see which devices there are: fathom devices"));
    }
    let goal = args.goal.unwrap_or(Goal::Repeatability);
    let plan = || tune::plan(machine.root(), &args.targets, goal, &select);
    let plan = slow_look().at_all(&args.targets, plan).map_err(failure)?;
    let json = serde_json::to_string_pretty(&plan).map_err(|e| Failure::new(Exit::Failed, e))? + "\n";
    match args.json || (place.is_stdout() && path.is_some()) {
        true => print_json(&json)?,
        false => print(&text::plan(&plan, args.goal.is_none(), Screen::stdout().style.width))?,
    }
    if let (false, Some(path)) = (place.is_stdout(), path) {
        place.write(&Ready::json(&json))?;
        say(&format!("nothing was changed; to do it: {}", text::command(&plan, path)));
    }
    Ok(Exit::Ok)
}
