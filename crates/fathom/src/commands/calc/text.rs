//! The answers of `fathom calc` as text.

use super::raid;
use fathom_host::calc::additivity::Tie;
use fathom_host::calc::document::{
    AdditivityAnswer, CalcAnswer, CpuSetAnswer, FillAnswer, PcieAnswer, StrideAnswer,
};
use fathom_host::calc::pcie::LinkUse;
use fathom_host::calc::slips::Slip;
use fathom_host::calc::{STEPS_MAX, capacity};
use fathom_text::quantity::megabytes;

/// The text of an answer.
pub fn of(answer: &CalcAnswer) -> String {
    match answer {
        CalcAnswer::Stride(answer) => stride(answer),
        CalcAnswer::Raid(answer) => raid::text(answer),
        CalcAnswer::Pcie(answer) => pcie(answer),
        CalcAnswer::Affinity { sets } => sets.iter().map(cpus).collect(),
        CalcAnswer::Fill(answer) => fill_size(answer),
        CalcAnswer::Op { percent, used_percent } => {
            format!("over-provisioning {percent:.1} % with {used_percent} % of the capacity in use\n")
        }
        CalcAnswer::Additivity(answer) => additivity(answer),
        CalcAnswer::DmaDelay { steps, delay_us } => {
            format!("{steps} of {}: {delay_us} µs\n", STEPS_MAX)
        }
        CalcAnswer::Slips { slips } => slips.iter().map(slip).collect::<Vec<_>>().join("\n"),
    }
}

fn stride(StrideAnswer { stripe, stripe_kib, mkfs_ext4, mkfs_xfs }: &StrideAnswer) -> String {
    format!(
        "data devices  {}\nstride        {} blocks of {} bytes\nstripe width  {} blocks ({stripe_kib} KiB)\n\n\
         {mkfs_ext4}\n{mkfs_xfs}\n",
        stripe.data_devices, stripe.stride_blocks, stripe.block_bytes, stripe.stripe_width_blocks,
    )
}

fn pcie(PcieAnswer { link, payloads, measured }: &PcieAnswer) -> String {
    let (generation, lanes) = (link.generation, link.lanes);
    let mut text = format!(
        "{link}: {lanes} × {} GT/s, {} → {} raw in each direction\n",
        generation.gigatransfers(),
        generation.coding(),
        megabytes(link.raw_mbps())
    );
    text += "payload   reads at most   writes at most\n";
    for payload in payloads {
        let (bytes, read, write) = (payload.payload_bytes, payload.read_mbps_max, payload.write_mbps_max);
        text += &format!("{bytes:>5} B  {read:>9.0} MB/s  {write:>10.0} MB/s\n");
    }
    if let Some(rate) = measured {
        let sentence = match rate.verdict {
            LinkUse::Below => "the link can carry more: something else limits the rate",
            LinkUse::AtLimit => "the link is the limit",
            LinkUse::Impossible => {
                "impossible on this link: the data came from a host cache or another device"
            }
        };
        text += &format!("{} MB/s: {sentence}\n", rate.mbps);
    }
    text
}

fn cpus(CpuSetAnswer { list, mask, command }: &CpuSetAnswer) -> String {
    let command = command.iter().map(|command| format!("{command}\n"));
    format!("list {list}  mask {mask}\n") + &command.collect::<String>()
}

fn fill_size(FillAnswer { space_bytes, spare_gib, size_gib, file }: &FillAnswer) -> String {
    let mut text = format!("size={size_gib}G leaves {spare_gib} GiB of {space_bytes} bytes free\n");
    if let Some(file) = file {
        let (bytes, gib) = (file.file_bytes, file.difference_bytes as f64 / capacity::GIB as f64);
        text += &match file.fits {
            true => format!("a file of {bytes} bytes fits, with {gib:.1} GiB left\n"),
            false => format!("a file of {bytes} bytes does not fit: {gib:.1} GiB too large\n"),
        };
    }
    text
}

fn additivity(AdditivityAnswer { rates, percent, verdict }: &AdditivityAnswer) -> String {
    let tie = match verdict {
        Tie::None => "the parts add up: they share no limit",
        Tie::Slowest => "all wait for the slowest: I/O that is spread evenly explains the rate",
        Tie::Shared => "what they share is at its limit: neither the sum nor the slowest explains it",
    };
    format!(
        "sum of {} parts   {}\ntimes the slowest  {}\ntogether           {} ({percent:.1} % of the sum)\n{tie}\n",
        rates.count, rates.sum, rates.stripe_bound, rates.together,
    )
}

fn slip(Slip { id, subject, printed, right, why }: &Slip) -> String {
    format!("{id}  {subject}\n  printed  {printed}\n  right    {right}\n  why      {why}\n")
}
