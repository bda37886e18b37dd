//! All that fathom can say of a comparison, in one file that a person can read:
//! `snapshots/words_all__every_sentence_of_comparisons__sentences.snap`.

use fathom_results::{
    CauseFound, Comparison, ComparisonDoubt, Gap, LeftOut, LeftOutReason, NotShown, StepPurpose,
};
use fathom_words::comparison::{doubts, gap, headline, left_out, needed, not_shown, steps};
use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The codes of a closed enumeration.
fn codes<T: JsonSchema>() -> BTreeSet<String> {
    let schema = serde_json::to_value(schema_for!(T)).unwrap();
    let variants = schema["oneOf"].as_array().unwrap().iter();
    variants.map(|it| it["properties"]["code"]["const"].as_str().unwrap().to_owned()).collect()
}

/// The samples have each code of the enumeration, and no other.
fn assert_all<T: JsonSchema>(samples: &[Value]) {
    let known: BTreeSet<String> = samples.iter().map(|it| it["code"].as_str().unwrap().to_owned()).collect();
    assert_eq!(known, codes::<T>());
}

/// Values that are left out, a sample of each reason.
fn all_left_out() -> Vec<Value> {
    let figures = json!({ "figures": { "job": "j read", "metrics": ["IOPS", "p99 latency"] } });
    let of = |what: &Value, mut reason: Value| {
        reason["what"] = what.clone();
        reason
    };
    let job = json!({ "job": "j" });
    let only = json!({ "only_jobs": { "subjects": ["A", "B"], "jobs": ["old", "new"] } });
    let loads = json!([{ "pattern": ["random read", "sequential read"] }, { "block": ["4 KiB", "1 MiB"] },
        { "in_flight": [32, 1] }, { "direction": ["read with write", "read"] }]);
    vec![
        of(&figures, json!({ "subject": "B", "code": "not-in-run", "run": 2, "of": 3 })),
        of(&figures, json!({ "subject": "B", "code": "not-in-all-runs", "runs": 2, "of": 3 })),
        of(&figures, json!({ "subject": "B", "code": "too-few-in-rounds", "rounds": 2, "of": 5 })),
        of(&job, json!({ "subject": "A", "code": "failed", "message": "j: read failed: EIO" })),
        of(&json!({ "round": "003-j" }), json!({ "subject": "A", "code": "round-failed", "why": gone() })),
        of(
            &job,
            json!({ "subject": "A", "code": "incomplete", "why": { "is": "ended", "by": "interrupted" } }),
        ),
        of(&job, json!({ "subject": "A", "code": "incomplete" })),
        of(&job, json!({ "subject": "A", "code": "not-steady", "rounds": 25 })),
        of(&job, json!({ "subject": "A", "code": "no-steady-state" })),
        of(&job, json!({ "subject": "A", "code": "after-steady-state" })),
        of(&job, json!({ "subject": "A", "code": "no-io" })),
        of(&job, json!({ "subject": "A", "code": "too-short" })),
        of(&job, json!({ "subject": "A", "code": "too-few", "ios": 3 })),
        of(&job, json!({ "subject": "A", "code": "too-few-beyond", "ios": 3 })),
        of(&only, json!({ "code": "other-jobs", "differs": loads })),
        of(&figures, json!({ "code": "other-io", "differs": loads })),
        of(&figures, json!({ "code": "other-direction", "directions": ["read", "write"] })),
        of(&figures, json!({ "code": "other-pattern", "patterns": ["random read", "sequential read"] })),
        of(&figures, json!({ "code": "other-latency", "latencies": ["response", "completion"] })),
        of(&figures, json!({ "code": "other-blocks", "blocks": ["4 KiB", "64 KiB"] })),
        of(&figures, json!({ "code": "held-back", "subjects": ["B"], "free": ["A"] })),
        of(&figures, json!({ "code": "asked-rates", "rates": [{ "ios": 300 }, { "ios": 6000 }] })),
        of(&figures, json!({ "code": "asked-rates", "rates": [{ "bytes": 50_000_000 }, null] })),
        of(&figures, json!({ "code": "other-depths", "in_flight": [8, 1] })),
        of(&figures, json!({ "code": "rate-fell", "subjects": ["A", "B"] })),
        of(&figures, json!({ "code": "not-measured", "subjects": ["A", "B"] })),
        of(
            &json!({ "figures": { "job": "", "metrics": ["TPM"] } }),
            json!({ "code": "absent", "subjects": ["B"] }),
        ),
        of(&job, json!({ "code": "absent", "subjects": ["B"] })),
        of(&json!("typed"), json!({ "code": "absent", "subjects": ["B"] })),
    ]
}

fn all_gaps() -> Vec<Value> {
    vec![
        json!({ "code": "not-finished", "rounds": 2, "of": 12 }),
        json!({ "code": "not-finished", "rounds": 1, "of": 1 }),
        json!({ "code": "round-failed", "round": "003-j", "why": gone() }),
        json!({ "code": "job-failed", "job": "j", "message": "read failed: EIO" }),
        json!({ "code": "job-incomplete", "job": "j" }),
        json!({ "code": "cells-failed", "cells": [["x", gone()]] }),
        json!({ "code": "cells-not-measured", "cells": ["a", "b", "c", "d"] }),
        json!({ "code": "cells-short", "cells": [["x", 1, 2]] }),
    ]
}

fn gone() -> Value {
    json!({ "is": "failed", "message": "the disk is gone" })
}

fn reasons(level: &str) -> Value {
    json!({ "level": level, "reasons": [{ "why": "short", "seconds": 10.0, "level": level },
        { "why": "one-round" }] })
}

fn all_doubts() -> Vec<Value> {
    let trust = |cells: Value, of: u64, is_even: bool| {
        json!({ "code": "less-trust", "subjects": ["A", "B"], "cells": cells, "of_cells": of,
            "is_even": is_even, "doubt": { "trust": reasons("low") } })
    };
    let instead = json!({ "code": "less-trust", "subjects": ["B"], "cells": [], "of_cells": 0, "is_even": false,
        "doubt": { "trust": reasons("low"), "instead": { "findings": [{ "code": "no-target",
            "evidence": { "engine": "null" }, "weight": "instead" }] },
            "lost": { "failed": 3, "issued": 100, "jobs": ["j"] } } });
    vec![
        json!({ "code": "several-differ", "properties": 4 }),
        json!({ "code": "order-matters", "subject": "A", "figures": [0], "p_value": 0.016 }),
        trust(json!([]), 0, true),
        trust(json!(["x"]), 3, false),
        trust(json!(["x", "y"]), 3, false),
        instead,
        json!({ "code": "rate-fell", "subject": "B", "jobs": ["j"], "runs": 1, "of": 1 }),
        json!({ "code": "rate-fell", "subject": "B", "jobs": ["j", "k"], "runs": 2, "of": 3 }),
        json!({ "code": "other-rates", "jobs": ["j"] }),
        json!({ "code": "one-run" }),
        json!({ "code": "one-test" }),
        json!({ "code": "many-figures", "figures": 6 }),
        json!({ "code": "no-interval", "figures": [0, 1] }),
        json!({ "code": "not-in-turn", "subjects": ["B", "A"], "has_several_runs": true }),
        json!({ "code": "not-in-turn", "subjects": ["A", "B", "C"], "has_several_runs": false }),
    ]
}

fn all_steps() -> Vec<Value> {
    vec![
        json!({ "code": "fill-target", "has_more": false }),
        json!({ "code": "fill-target", "has_more": true }),
        json!({ "code": "set-as-before", "subject": "A", "setting": "scheduler", "is_one_of_several": false }),
        json!({ "code": "set-as-before", "subject": "A", "setting": "scheduler", "is_one_of_several": true }),
        json!({ "code": "measure-again", "subject": "A", "is_elsewhere": false, "asks_for_consent": true }),
        json!({ "code": "measure-again", "subject": "A", "is_elsewhere": true }),
        json!({ "code": "measure-in-turn", "rounds": 8, "decides": { "figures": 2, "of": 2 } }),
        json!({ "code": "measure-in-turn", "rounds": 8 }),
        json!({ "code": "compare-new-runs", "decides": { "figures": 13, "of": 15 } }),
        json!({ "code": "compare-new-runs" }),
        json!({ "code": "compare-in-turn" }),
        json!({ "code": "make-page" }),
    ]
}

/// A cause of each rule that changes figures, with each effect.
fn all_causes() -> Vec<Value> {
    let rules = [
        "unknown-content",
        "page-cache",
        "no-target",
        "too-fast",
        "foreign-io",
        "cpu-quota",
        "generator-limited",
        "host-disturbed",
        "clock-low",
        "too-hot",
        "steal",
        "stopped",
        "rate-fell",
        "woken-late",
        "stalls",
    ];
    let effects = ["explains", "hides", "strengthens", "unknown"];
    let one_sided = |(place, rule): (usize, &&str)| {
        let finding = json!({ "code": format!("{rule}"), "evidence": null, "weight": "low" });
        let finding = match *rule {
            "rate-fell" => {
                json!({ "code": rule, "weight": "low", "evidence": { "jobs": [], "is_only": true } })
            }
            "steal" => {
                json!({ "code": rule, "weight": "low", "evidence": { "percent": 9.0, "percent_max": 5.0 } })
            }
            _ => finding,
        };
        let runs = json!([{ "subject": "A", "runs": 0, "of": 3 }, { "subject": "B", "runs": 3, "of": 3 }]);
        let favours = if *rule == "stalls" { json!([]) } else { json!(["B"]) };
        let effect = if *rule == "stalls" { "unknown" } else { effects[place % 4] };
        let cells = [json!([]), json!(["x"]), json!(["x", "y"])][place % 3].clone();
        json!({ "code": "one-sided", "finding": finding, "of_various_jobs": true, "runs": runs,
            "effect": effect, "favours": favours, "cells": cells })
    };
    let first = json!({ "code": "measured-first", "subject": "A", "rule": "unknown-content", "effect": "hides",
        "favours": ["A"] });
    rules.iter().enumerate().map(one_sided).chain([first]).collect()
}

fn figure(job: &str, ratio: Option<f64>, verdict: &Value, basis: &str) -> Value {
    let values = json!({ "values": [1.0, 1.0, 1.0], "value": 1.0, "interval": null });
    json!({ "job": job, "metric": "IOPS", "unit": "IOPS", "is_more_better": true, "values": [values, values],
        "against": [{ "ratio": ratio, "interval": [1.01, 1.3], "basis": basis, "p_value": 0.04,
            "p_value_adjusted": 0.08, "tolerance": 0.03, "verdict": verdict }] })
}

fn comparison(figures: &[Value]) -> Comparison {
    let subject = |letter: &str, name: &str| {
        json!({ "letter": letter, "name": name, "source": "", "id": null, "started_unix_ns": null, "target": null,
            "runs": 3, "trust": null, "doubts": [] })
    };
    let differs = |what: &str| json!({ "of": "target", "what": what, "values": ["a", "b"] });
    let differences = ["scheduler", "governor", "kernel", "nomerges"].map(differs);
    let document = json!({ "format": 1, "subjects": [subject("A", "old"), subject("B", "new")], "left_out": [],
        "differences": differences, "figures": figures });
    serde_json::from_value(document).unwrap()
}

#[test]
fn sentences() {
    let read = |all: &[Value]| serde_json::to_value(all).unwrap();
    let (lost, gaps, doubted, steps_of, causes) =
        (all_left_out(), all_gaps(), all_doubts(), all_steps(), all_causes());
    assert_all::<LeftOutReason>(&lost);
    assert_all::<Gap>(&gaps);
    assert_all::<ComparisonDoubt>(&doubted);
    assert_all::<StepPurpose>(&steps_of);
    assert_all::<CauseFound>(&causes);
    let mut text = vec!["LEFT OUT".to_owned()];
    let all: Vec<LeftOut> = serde_json::from_value(read(&lost)).unwrap();
    text.extend(all.iter().map(left_out));
    text.push("\nGAPS".to_owned());
    let all: Vec<Gap> = serde_json::from_value(read(&gaps)).unwrap();
    text.extend(all.iter().map(gap));

    let is = |verdict: &str| json!({ "is": verdict });
    let unknown = |runs: Option<u32>| json!({ "is": "unknown", "runs_needed": runs });
    let mut full = comparison(&[
        figure("j", Some(1.12), &is("better"), "runs"),
        figure("k", Some(0.5), &is("worse"), "runs"),
        figure("l", Some(1.001), &is("same"), "runs"),
        figure("m", None, &unknown(Some(14)), "runs"),
    ]);
    text.push("\nHEADLINES".to_owned());
    text.push(headline(&full));
    text.push(headline(&comparison(&[])));
    text.push(headline(&comparison(&[figure("j", Some(1.1), &unknown(Some(14)), "runs")])));
    text.push(headline(&comparison(&[figure("j", Some(1.1), &unknown(None), "window")])));
    let some = [figure("j", Some(1.1), &unknown(None), "runs"), figure("k", Some(1.0), &is("same"), "runs")];
    text.push(headline(&comparison(&some)));
    full.subjects[1].missing = vec!["x".to_owned()];
    full.subjects[1].not_alike = vec!["y".to_owned()];
    text.push(headline(&full));
    full.subjects[1].incomplete = all;
    text.push(headline(&full));
    text.push("\nUNCLEAR FIGURES".to_owned());
    for (runs, basis) in [(Some(14), "runs"), (None, "ranks"), (None, "within")] {
        let one = comparison(&[figure("j", Some(1.1), &unknown(runs), basis)]);
        text.extend(needed(&one.figures[0].against[0]));
    }
    text.push("\nDOUBTS".to_owned());
    full.doubts = serde_json::from_value(read(&doubted)).unwrap();
    text.extend(doubts(&full));
    text.push("\nCAUSES".to_owned());
    full.doubts = Vec::new();
    full.causes = serde_json::from_value(read(&causes)).unwrap();
    text.extend(doubts(&full));
    text.push("\nIN THE PLACE OF THE HEADLINE".to_owned());
    full.not_shown = Some(NotShown::OtherCause { cause: 0 });
    text.extend(not_shown(&full).map(|(says, because)| format!("{says} {because}")));
    text.push("\nNEXT STEPS".to_owned());
    full.then = steps_of
        .into_iter()
        .map(|mut step| {
            step["command"] = json!("COMMAND");
            serde_json::from_value(step).unwrap()
        })
        .collect();
    text.extend(steps(&full).into_iter().map(|step| format!("{}  {}", step.command, step.why)));
    insta::assert_snapshot!(text.join("\n"));
}
