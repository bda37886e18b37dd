//! The jobs of a text once for each target, so that no job waits for the target of another.

/// The text with each of its jobs once for each of these paths, named `job-1`, `job-2`, …; options that all jobs have stay once.
pub(super) fn per_target(text: &str, paths: &[String]) -> String {
    let mut shared = String::new();
    let mut jobs: Vec<(&str, String)> = Vec::new();
    let mut is_shared = true;
    for line in text.lines() {
        if let Some(name) = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            is_shared = name == "global";
            if !is_shared {
                jobs.push((name, String::new()));
                continue;
            }
        }
        match jobs.last_mut() {
            Some((_, options)) if !is_shared => *options += &format!("{line}\n"),
            _ => shared += &format!("{line}\n"),
        }
    }
    let of_target = |(number, path): (usize, &String)| {
        let job = |(name, options): &(&str, String)| format!("[{name}-{number}]\nfilename={path}\n{options}");
        jobs.iter().map(job).collect::<String>()
    };
    shared + &(1..).zip(paths).map(of_target).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_job_once_for_each_target() {
        let text = "[global]\nbs=8k\n[a]\nrw=read\n[b]\nrw=write\n";
        let paths = ["/dev/x", "/dev/y"].map(str::to_owned);
        let wanted = "[global]\nbs=8k\n[a-1]\nfilename=/dev/x\nrw=read\n[b-1]\nfilename=/dev/x\nrw=write\n\
                      [a-2]\nfilename=/dev/y\nrw=read\n[b-2]\nfilename=/dev/y\nrw=write\n";
        assert_eq!(per_target(text, &paths), wanted);
    }
}
