//! The text of a job for one cell: variables are put in, and times are cut.

use fathom_job::parse::read_time;

/// Options whose time is divided: what a job does in that time stays the same, only shorter.
const TIMES: [&str; 6] =
    ["runtime", "timeout", "ramp_time", "startdelay", "idle_before", "steadystate_duration"];

/// Puts values in the place of `${name}`. A line `option=value` whose value has only empty variables is left out: where the machine
/// has no answer, the option is not set. Names that are not given stay, because a job file may ask for the environment.
pub fn filled(text: &str, variables: &[(String, String)]) -> String {
    text.lines().filter_map(|line| filled_line(line, variables)).map(|line| line + "\n").collect()
}

fn filled_line(line: &str, variables: &[(String, String)]) -> Option<String> {
    let is_left_out = |value: &str| value.contains("${") && put(value, variables).trim().is_empty();
    match line.split_once('=') {
        Some((_, value)) if is_left_out(value) => None,
        _ => Some(put(line, variables)),
    }
}

/// The text with values in the place of `${name}`; names that are not given stay. Of two values of a name the first counts.
pub fn put(text: &str, variables: &[(String, String)]) -> String {
    variables.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}

/// Does the text ask for this variable?
pub fn asks_for(text: &str, name: &str) -> bool {
    text.contains(&format!("${{{name}}}"))
}

/// Divides the times of all jobs in the text. What is no time stays as it is, and is an error of the planner.
pub fn shortened(text: &str, divisor: u64) -> String {
    if divisor <= 1 {
        return text.to_owned();
    }
    text.lines().map(|line| shortened_line(line, divisor) + "\n").collect()
}

fn shortened_line(line: &str, divisor: u64) -> String {
    let time = line.split_once('=').and_then(|(name, value)| {
        let name = name.trim();
        TIMES.contains(&name).then_some(())?;
        let ns = read_time(value.trim(), true).ok()?.0;
        (ns > 0).then(|| format!("{name}={}ms", (ns / 1_000_000).div_ceil(divisor).max(1)))
    });
    time.unwrap_or_else(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn variables_are_put_in_and_empty_ones_leave_no_line() {
        let known = variables(&[("size", "1g"), ("near", ""), ("mix", "30")]);
        let text = "[j]\nsize=${size}\ncpus_allowed=${near}\nrwmixread=${mix}\nfilename=${HOME}/x\ndescription=a ${near}b\n";
        let wanted = "[j]\nsize=1g\nrwmixread=30\nfilename=${HOME}/x\ndescription=a b\n";
        assert_eq!(filled(text, &known), wanted);
        assert!(asks_for(text, "mix") && !asks_for(text, "mi"));
    }

    #[test]
    fn times_are_divided_and_nothing_else() {
        let text = "[j]\nruntime=10m\nramp_time = 30\niodepth=32\nrate=100\nstartdelay=1s\nruntime=0\n";
        let wanted =
            "[j]\nruntime=10000ms\nramp_time=500ms\niodepth=32\nrate=100\nstartdelay=17ms\nruntime=0\n";
        assert_eq!(shortened(text, 60), wanted);
        assert_eq!(shortened(text, 1), text);
    }
}
