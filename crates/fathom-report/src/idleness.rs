//! How idle the processors were, where `fathom fio --idle-prof` asked: facts of the
//! record, in fio's forms.

use fathom_results::RunResult;
use serde_json::{Map, Value};

/// Prefix of the names of these facts. Alone it means the machine, with a number that processor.
pub const IDLENESS: &str = "idle_percent.cpu";

/// The machine first, then the processors: number and percent.
fn shares(run: &RunResult) -> Vec<(&str, f64)> {
    let facts = run.record.host.iter();
    let share = |fact: &'_ fathom_results::Fact| fact.value.as_ref()?.parse().ok();
    facts.filter_map(|fact| Some((fact.name.strip_prefix(IDLENESS)?, share(fact)?))).collect()
}

/// fio's lines of normal text; empty where the run did not ask for it.
pub(crate) fn text(run: &RunResult) -> String {
    let shares = shares(run);
    let Some((_, system)) = shares.first() else { return String::new() };
    let mut text = format!("\nCPU idleness:\n  system: {system:.2}%\n");
    if shares.len() > 1 {
        let each: Vec<String> = shares[1..].iter().map(|(_, share)| format!("{share:.2}%")).collect();
        text.push_str(&format!("  percpu: {}\n", each.join(", ")));
    }
    text
}

/// fio's `cpu_idleness`; fio's unit of work has no counterpart here.
pub(crate) fn object(run: &RunResult) -> Option<Value> {
    let shares = shares(run);
    let key = |number: &str| if number.is_empty() { "system".to_owned() } else { format!("cpu-{number}") };
    let object: Map<String, Value> =
        shares.iter().map(|(number, share)| (key(number), (*share).into())).collect();
    (!object.is_empty()).then_some(Value::Object(object))
}
