//! The directory in which the lines are run, with what they name.

use super::commands::Line;
use crate::support::procedure::half_of;
use crate::support::{Loop, fathom, must};
use std::fs;
use std::path::{Path, PathBuf};

/// Two jobs in virtual time.
const JOB: &str = "[global]\nioengine=oracle\noracle_clock=virtual\nbs=4k\nsize=64m\ntime_based=1\nruntime=2s\n\
                   [reads]\nrw=randread\noracle_latency=lognormal:100us:0.3\n\
                   [both]\nrw=randrw\noracle_latency=lognormal:80us:0.3\n";

/// A log of fio.
const LOG: &str = "1000, 4000, 0, 4096, 0\n2000, 4100, 0, 4096, 0\n2000, 300, 1, 4096, 0\n";

/// What `lspci -D -vv` prints of a drive.
const LSPCI: &str = "0000:01:00.0 Non-Volatile memory controller: Example drive (prog-if 02 [NVM Express])\n\
                     \tCapabilities: [70] Express (v2) Endpoint, MSI 00\n\
                     \t\tLnkCap:\tPort #0, Speed 8GT/s, Width x4, ASPM L1\n\
                     \t\tLnkSta:\tSpeed 8GT/s, Width x2 (downgraded)\n";

/// A directory, and what it is about.
pub struct Ground {
    dir: tempfile::TempDir,
    device: Option<Loop>,
    tree: Option<PathBuf>,
}

impl Ground {
    /// With a loop device. The caller has reserved the machine.
    pub fn new() -> Ground {
        let mut ground = Ground::without_device();
        let device = Loop::blank(ground.dir(), 16);
        let name = device.device.trim_start_matches("/dev/");
        // A loop device keeps settings of its last use.
        fs::write(format!("/sys/block/{name}/queue/nomerges"), "0").unwrap();
        let job = format!("[r]\nfilename={}\nrw=randread\ndirect=1\nnumber_ios=64\n", device.device);
        fs::write(ground.dir().join("device.fio"), job).unwrap();
        ground.device = Some(device);
        ground
    }

    /// Without a device.
    pub fn without_device() -> Ground {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| fs::write(dir.path().join(name), text).unwrap();
        write("job.fio", JOB.as_bytes());
        write("sim.fio", b"[r]\nfilename=sim:datacentre/1024\nrw=randread\nbs=4k\nioengine=io_uring\ntime_based=1\nruntime=1\nsize=100%\n");
        write("other.fio", JOB.replace("100us", "90us").as_bytes());
        write("x_bw.1.log", LOG.as_bytes());
        write("x_lat.1.log", LOG.as_bytes());
        write("lspci.txt", LSPCI.as_bytes());
        write("target", &vec![7; 16 << 20]);
        // A run that cannot be read is listed too.
        fs::create_dir(dir.path().join("damaged")).unwrap();
        write("damaged/run.json", b"{}\n");
        let ground = Ground { dir, device: None, tree: None };
        must(fathom(ground.dir()).args(["fio", "--output-format=json", "--output=r.json", "job.fio"]));
        let cut = ["power-cut", "write", "cut.img", "--log", "cut.log", "--size", "256k", "--writes", "100"];
        must(fathom(ground.dir()).args(cut).args(["--same-disk", "--state-dir", "files"]));
        ground
    }

    /// With a recorded machine.
    pub fn recorded(tree: PathBuf) -> Ground {
        Ground { dir: tempfile::tempdir().unwrap(), device: None, tree: Some(tree) }
    }

    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Makes `half` of `whole`: the same procedure, as a kill leaves it before its last round.
    pub fn interrupt_a_procedure(&self) {
        half_of(&self.dir().join("whole"), &self.dir().join("half"));
    }

    /// The words of a line, with the names of this ground.
    pub fn words(&self, line: &Line) -> Vec<String> {
        let named = |word: &str| match (word, &self.device, &self.tree) {
            ("DEVICE", Some(device), _) => device.device.clone(),
            ("CONSENT", Some(device), _) => device.consent(),
            ("TREE", _, Some(tree)) => tree.display().to_string(),
            _ => word.to_owned(),
        };
        line.words.split_whitespace().map(named).collect()
    }
}
