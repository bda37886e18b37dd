//! `fathom convert`: job files in the forms of other systems and programs, and back.

use crate::args::{OutputArgs, carried};
use crate::edge::Ready;
use crate::failure::{Exit, Failure, say, say_block};
use crate::place::OutputKind;
use crate::terminal::here;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use fathom_job::convert::{self, ConvertSource, Converted, ForeignForm, SourceText};
use fathom_job::diagnostic::Severity;
use fathom_job::diagnostic::bounded;
use fathom_job::parse::Surroundings;
use fathom_session::Here;
use fathom_session::outputs::InUse;
use fathom_text::carried::to_path;
use fathom_text::shown;

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Job files, or files of the form that --from names; `-` is standard input
    #[arg(value_name = "FILE", required = true, value_parser = carried())]
    pub files: Vec<String>,
    /// The form to make
    #[arg(long, value_name = "FORM", value_parser = forms(|form| form.to.is_some()), required_unless_present = "from")]
    pub to: Option<String>,
    /// The form of the files, to make a job file of it
    #[arg(long, value_name = "FORM", value_parser = forms(|form| form.from.is_some()))]
    pub from: Option<String>,
    /// The name of the target in the converted text, such as \\.\PhysicalDrive2
    #[arg(long, value_name = "NAME", value_parser = carried())]
    pub target: Option<String>,
    /// Where the output goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The names of the forms that are converted in one direction, with what they are.
fn forms(in_direction: fn(&ForeignForm) -> bool) -> PossibleValuesParser {
    let forms = convert::FORMS.iter().filter(|form| in_direction(form));
    PossibleValuesParser::new(forms.map(|form| PossibleValue::new(form.name).help(form.what)))
}

/// Runs the command.
pub fn run(args: &ConvertArgs) -> Result<Exit, Failure> {
    let here = here();
    let mut in_use = InUse::default();
    args.files
        .iter()
        .filter(|file| *file != "-")
        .for_each(|file| in_use.add(to_path(file), "a file that is converted"));
    let place = args.output.place(OutputKind::Converted, &in_use)?;
    let texts = args.files.iter().map(|file| read(file, &here)).collect::<Result<Vec<_>, _>>()?;
    let converted = converted(args, texts, &here)?;
    tell(&converted, place.is_stdout());
    place.write(&Ready::text(&converted.text))?;
    Ok(Exit::Ok)
}

/// The whole of a file. A file that the person who started fathom may not read is not shown in
/// another form either.
fn read(file: &str, here: &Here) -> Result<SourceText, Failure> {
    let name = if file == "-" { "standard input".to_owned() } else { file.to_owned() };
    let cannot = |why: &str| Failure::new(Exit::Usage, format!("cannot convert {name}: {why}"));
    let text = here.read(file, None).map_err(|why| cannot(&why))?;
    // Editors of Windows end a line by two characters and begin a text with a mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n");
    match () {
        () if !here.may_show(file, None) => Err(cannot("you may not read this file")),
        // A name with such a character would be another name in what is printed.
        () if shown::block(&text) != text.as_str() => Err(cannot("it has characters that cannot be printed")),
        () => Ok(SourceText { name, text }),
    }
}

/// The conversion from one form, that to another one, or both after each other.
fn converted(args: &ConvertArgs, texts: Vec<SourceText>, here: &Here) -> Result<Converted, Failure> {
    let form = |name: &Option<String>| name.as_deref().and_then(convert::form);
    let (from, to) = (form(&args.from).and_then(|form| form.from), form(&args.to).and_then(|form| form.to));
    let target = |is_last: bool| args.target.clone().filter(|_| is_last);
    let mut made = Converted { text: String::new(), lost: Vec::new() };
    let mut source = ConvertSource { texts, target: target(to.is_none()), around: here };
    let conversions = [from, to].into_iter().flatten();
    for conversion in conversions {
        let next = conversion(&source).map_err(|findings| Failure::job(&findings))?;
        made.lost.extend(next.lost);
        made.text.clone_from(&next.text);
        let name = source.texts.iter().map(|text| text.name.as_str()).collect::<Vec<_>>().join(", ");
        source.texts = vec![SourceText { name, text: next.text }];
        source.target = target(true);
    }
    Ok(made)
}

/// Says on standard error what was lost, and where the text itself is to be completed.
fn tell(converted: &Converted, is_stdout: bool) {
    bounded(&converted.lost).iter().for_each(|found| say_block(&found.to_string()));
    let lost = converted.lost.iter().filter(|found| found.severity == Severity::Warning).count();
    if lost > 0 && !is_stdout {
        say("note: what was lost is also in the converted text, as comments");
    }
}
