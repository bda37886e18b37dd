//! A run, or the rounds of a procedure, beside figures that others measured, as beside a data sheet.

use super::CheckArgs;
use crate::args::Format;
use crate::commands::compare::of_procedure;
use crate::commands::output;
use crate::commands::report::{check as without_names, not_redacted};
use crate::commands::users;
use crate::edge::Ready;
use crate::failure::{Exit, Failure, say};
use crate::place::OutputPlace;
use crate::procedure_output::sheet_of_rounds;
use fathom_judge::{Claims, datasheet};
use fathom_report::datasheet::lines;
use fathom_report::html::procedure_page;
use fathom_report::terminal::ProcedureState;
use fathom_report::terse::TerseVersion;
use fathom_report::{BesideProcedure, redacted};
use fathom_results::DeviceSheet;
use fathom_results::procedure::{ProcedureDocument, is_procedure};
use fathom_session::compared;
use fathom_session::procedure::saved_procedure;
use fathom_text::shown;
use fathom_words::comparison::gap;
use std::path::Path;

/// Compares, and tells the result; exit code 6 if a figure is not reached, and 5 if none could be judged.
pub(super) fn check(
    args: &CheckArgs,
    figures: &str,
    run: &Path,
    place: OutputPlace<'_>,
) -> Result<Exit, Failure> {
    if args.fail_if_worse.is_some() {
        let message =
            format!("{} has figures without an interval: they count as reached within 5 %", args.name);
        return Err(Failure::new(Exit::Usage, message).hint("leave out --fail-if-worse"));
    }
    if args.shown.export().is_some() {
        let message = format!(
            "{} has figures, and the forms junit and markdown are for baselines that are runs",
            args.name
        );
        return Err(Failure::new(Exit::Usage, message).hint("print one document: --json"));
    }
    let claims = Claims::parse(figures).map_err(|what| {
        Failure::new(
            Exit::Incomplete,
            format!("the figures of the baseline {} are damaged: {what}", args.name),
        )
    })?;
    let (sheet, text) =
        if is_procedure(run) { of_rounds(args, &claims, run)? } else { of_run(args, &claims, run)? };
    place.write(&text)?;
    if let Some(what) = unfinished(run) {
        say(&format!("the run is {what}"));
    }
    let is_short = sheet.lines.iter().any(|line| line.is_reached == Some(false));
    // What is open was judged: the measured value is not exact enough.
    let is_judged = sheet.lines.iter().any(|line| line.measured.is_some() && !line.is_withheld());
    Ok(match unfinished(run) {
        _ if is_short => Exit::Worse,
        Some(_) => Exit::Incomplete,
        None if !is_judged => Exit::NotValid,
        None => Exit::Ok,
    })
}

/// That the rounds of a procedure are not all there.
fn unfinished(run: &Path) -> Option<String> {
    let saved = is_procedure(run).then(|| saved_procedure(run).ok()).flatten();
    saved.and_then(|(saved, _)| compared::unfinished(&saved)).map(|what| gap(&what))
}

fn of_run(args: &CheckArgs, claims: &Claims, dir: &Path) -> Result<(DeviceSheet, Ready), Failure> {
    let mut run = compared::undamaged_run(dir)?;
    let sheet = measured(datasheet(&run, claims), args, dir)?;
    // It is redacted with the run.
    run.record.datasheet = Some(sheet.clone());
    let redacted = match args.shown.redact {
        true => Some(redacted(&run, &users::of(dir)).map_err(not_redacted)?),
        false => None,
    };
    let run = redacted.as_ref().map_or(&run, |redacted| &redacted.run);
    let text = match (args.shown.is_json(), args.shown.is_page(args.output.output.as_deref())) {
        (true, _) => output::plain(run, &[Format::Document], TerseVersion::default()),
        (_, true) => output::plain(run, &[Format::Html], TerseVersion::default()),
        _ => Ready::text(&lines(run.record.datasheet.as_ref().unwrap_or(&sheet))),
    };
    without_names(redacted.as_ref(), &text)?;
    Ok((sheet, text))
}

/// Of several rounds, their means count.
fn of_rounds(args: &CheckArgs, claims: &Claims, dir: &Path) -> Result<(DeviceSheet, Ready), Failure> {
    let saved = compared::undamaged(dir, dir)?;
    let mut sheet = measured(sheet_of_rounds(&saved, dir, claims)?, args, dir)?;
    if args.shown.redact {
        // A reason may name a program or a job.
        sheet.trust.iter_mut().for_each(|trust| trust.reasons.clear());
    }
    let redacted = match args.shown.redact {
        true => {
            let names = of_procedure(&saved, dir);
            Some(names.redacted_procedure(&saved, BesideProcedure::default()).map_err(not_redacted)?)
        }
        false => None,
    };
    let saved = redacted.as_ref().map_or(&saved, |it| &it.procedure);
    let text = match (args.shown.is_json(), args.shown.is_page(args.output.output.as_deref())) {
        (true, _) => Ready::document(&ProcedureDocument {
            datasheet: Some(&sheet),
            ..ProcedureDocument::of(saved, &[])
        })?,
        (_, true) => {
            let state = ProcedureState { sheet: Some(&sheet), ..ProcedureState::default() };
            Ready::text(&procedure_page(saved, state, None))
        }
        _ => Ready::text(&lines(&sheet)),
    };
    if let Some(redacted) = &redacted {
        redacted.check(text.as_str()).map_err(not_redacted)?;
    }
    Ok((sheet, text))
}

/// The sheet, if anything of it was measured.
fn measured(mut sheet: DeviceSheet, args: &CheckArgs, run: &Path) -> Result<DeviceSheet, Failure> {
    sheet.lines.iter_mut().for_each(|line| line.is_baseline = true);
    if sheet.lines.iter().any(|line| line.measured.is_some()) {
        return Ok(sheet);
    }
    let message = format!("{} has none of the measurements of the baseline {}", shown::path(run), args.name);
    Err(Failure::new(Exit::Usage, message).hint("measure them with fathom quick, or name another run"))
}
