//! Affinity masks and CPU lists, and the commands that set them (M-19…M-21).

use fathom_device::cpus::{CpuSet, CpuSetError};

/// The mask as people write it to `smp_affinity`: no leading zeros, and no
/// unneeded groups (`4,00000000` is CPU 34).
pub fn short_mask(cpus: &CpuSet) -> String {
    let padded = cpus.to_mask();
    let short = padded.trim_start_matches('0');
    if short.is_empty() { "0".to_owned() } else { short.to_owned() }
}

/// Reads a mask or a list and recognises the form. `0x`, a comma followed by
/// eight digits, or a letter means a mask; a dash means a list. A text that
/// could be both, such as `10`, is read as `when_unsure`.
pub fn read(text: &str, when_unsure: Form) -> Result<CpuSet, CpuSetError> {
    match form_of(text).unwrap_or(when_unsure) {
        Form::Mask => CpuSet::from_mask(text),
        Form::List => CpuSet::from_list(text),
    }
}

/// A way to write a set of CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Hexadecimal, a bit for each CPU.
    Mask,
    /// Numbers and ranges.
    List,
}

/// What a text that was read as a list would be as a mask; `None` where its looks decide, or both are the same.
pub fn also_mask(text: &str) -> Option<CpuSet> {
    let mask = form_of(text).is_none().then(|| CpuSet::from_mask(text).ok()).flatten()?;
    (CpuSet::from_list(text).ok().as_ref() != Some(&mask)).then_some(mask)
}

fn form_of(text: &str) -> Option<Form> {
    let text = text.trim();
    let is_grouped = text.split(',').skip(1).any(|group| group.len() == 8);
    if text.contains('-') {
        return Some(Form::List);
    }
    let is_mask = is_grouped || text.starts_with("0x") || text.contains(|c: char| c.is_ascii_alphabetic());
    if is_mask {
        return Some(Form::Mask);
    }
    text.contains(',').then_some(Form::List)
}

/// The command that sends an interrupt to these CPUs. The kernel refuses it
/// for a managed interrupt, which each queue of an NVMe drive has.
pub fn command(irq: u32, cpus: &CpuSet) -> String {
    format!("echo {} > /proc/irq/{irq}/smp_affinity", short_mask(cpus))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// M-21: interrupt, mask as printed, CPU.
    const ROWS: [(u32, &str, u32); 15] = [
        (177, "10", 4),
        (185, "4000", 14),
        (201, "20", 5),
        (209, "8000", 15),
        (225, "40", 6),
        (233, "10000", 16),
        (66, "1000000", 24),
        (82, "2000000", 25),
        (90, "4,00000000", 34),
        (106, "4000000", 26),
        (114, "8,00000000", 35),
        (130, "8000000", 27),
        (138, "10,00000000", 36),
        (154, "10000000", 28),
        (162, "20,00000000", 37),
    ];

    #[test]
    fn fifteen_masks_both_ways() {
        for (irq, mask, cpu) in ROWS {
            let cpus = CpuSet::from_mask(mask).unwrap();
            assert_eq!(cpus.to_string(), cpu.to_string(), "{irq}");
            assert_eq!(short_mask(&cpus), mask);
            assert_eq!(command(irq, &cpus), format!("echo {mask} > /proc/irq/{irq}/smp_affinity"));
        }
    }

    /// M-20 with M-21: the drives of slots 7 to 9 (the first six interrupts)
    /// go to sockets 0 and 1, the others to sockets 2 and 3, ten CPUs each.
    #[test]
    fn masks_follow_the_sockets() {
        for (at, (irq, _, cpu)) in ROWS.into_iter().enumerate() {
            let near: [u32; 2] = if at < 6 { [0, 1] } else { [2, 3] };
            assert!(near.contains(&(cpu / 10)), "{irq}");
        }
    }

    #[test]
    fn the_form_is_told_by_its_looks() {
        let table = [
            ("00000000,00000000,00000080,00000000", "39"),
            ("0xff", "0-7"),
            ("0-3,8", "0-3,8"),
            ("1,3", "1,3"),
            ("f0", "4-7"),
            ("39", "39"),
        ];
        for (text, list) in table {
            assert_eq!(read(text, Form::List).unwrap().to_string(), list, "{text}");
        }
        assert_eq!(read("10", Form::Mask).unwrap().to_string(), "4");
        assert_eq!(also_mask("10").unwrap().to_string(), "4");
        assert_eq!(also_mask("1000000").unwrap().to_string(), "24");
        assert_eq!(["0-3,8", "f0", "4,00000000"].map(also_mask), [None, None, None]);
        assert_eq!(short_mask(&CpuSet::default()), "0");
        assert!(read("fff-", Form::List).is_err());
    }
}
