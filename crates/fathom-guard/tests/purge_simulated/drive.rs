//! A drive that answers as its test says.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use fathom_device::nvme::{AdminCommand, AdminCompletion};
use fathom_guard::purge::{
    AdminChannel, BlockInterface, DriveInterfaces, Emptying, Scsi, ScsiCommand, ScsiReply,
};

/// Bytes of the disk.
pub const SIZE: u64 = 4 << 20;

/// One drive; its clones are the same drive.
#[derive(Clone)]
pub struct SimDrive(Rc<RefCell<State>>);

/// All that a test sets and looks at.
pub struct State {
    pub media: Vec<u8>,
    /// Identify Controller.
    pub controller: Vec<u8>,
    /// Index of the format in use: 0 is 512, 1 is 4096.
    pub format: u8,
    pub namespaces: Vec<u32>,
    /// First byte of the health log.
    pub critical_warning: u8,
    /// The ATA disk says so by SMART, the SCSI disk by its log.
    pub is_failing: bool,
    /// What the sanitize log shows: the first entry. Each Sanitize and each pause removes it,
    /// except the last one.
    pub sanitize: VecDeque<[u8; 32]>,
    /// Status of an admin command, by opcode.
    pub refuses: Vec<(u8, u16)>,
    /// Admin commands that change something: opcode, namespace, CDW10.
    pub admin: Vec<(u8, u32, u32)>,
    /// Word 128 of IDENTIFY DEVICE.
    pub ata_security: u16,
    /// Opcodes of ATA commands that came, except IDENTIFY and SMART.
    pub ata: Vec<u8>,
    /// ATA opcode that is aborted.
    pub ata_aborts: Option<u8>,
    /// The password that is set.
    pub ata_password: Option<Vec<u8>>,
    /// SCSI opcodes that the disk knows.
    pub scsi_knows: Vec<u8>,
    /// Answers to REQUEST SENSE.
    pub sense: VecDeque<Vec<u8>>,
    /// SCSI commands that change something.
    pub scsi: Vec<Vec<u8>>,
    /// The power fails at the next command that changes something.
    pub power_fails: bool,
    /// The machine ends at such a command: the test panics there.
    pub machine_ends: bool,
    /// What a crypto erase leaves behind.
    pub scrambles: bool,
    /// A purge changes nothing, and the drive reports that it did.
    pub lies: bool,
    /// Each list of namespaces begins with the first.
    pub repeats_its_list: bool,
    /// Time that passed.
    pub waited: Duration,
}

/// Bytes of which no sample is like another.
fn pattern() -> Vec<u8> {
    let mut media = vec![0x77; SIZE as usize];
    for (number, block) in media.chunks_exact_mut(4096).enumerate() {
        block[..4].copy_from_slice(&(number as u32).to_le_bytes());
    }
    media
}

/// A line of the sanitize log.
pub fn sanitize_log(state: u8, progress: u16) -> [u8; 32] {
    let mut log = [0; 32];
    log[0..2].copy_from_slice(&progress.to_le_bytes());
    log[2] = state;
    log[12] = 90;
    log
}

impl SimDrive {
    /// A drive that is full of data and offers everything.
    pub fn new() -> Self {
        let mut controller = vec![0; 4096];
        controller[256] = 0b10;
        controller[328] = 0b111;
        controller[512] = 0x66;
        controller[516] = 2;
        controller[520] = 0b1100;
        controller[524] = 0b100;
        Self(Rc::new(RefCell::new(State {
            media: pattern(),
            controller,
            format: 0,
            namespaces: vec![1],
            critical_warning: 0,
            is_failing: false,
            sanitize: VecDeque::from([sanitize_log(0, 0xffff)]),
            refuses: Vec::new(),
            admin: Vec::new(),
            ata_security: 1,
            ata: Vec::new(),
            ata_aborts: None,
            ata_password: None,
            scsi_knows: vec![0x04, 0x48],
            sense: VecDeque::new(),
            scsi: Vec::new(),
            power_fails: false,
            machine_ends: false,
            scrambles: false,
            lies: false,
            repeats_its_list: false,
            waited: Duration::ZERO,
        })))
    }

    /// Changes the drive.
    pub fn set(self, change: impl FnOnce(&mut State)) -> Self {
        change(&mut self.0.borrow_mut());
        self
    }

    /// Looks at the drive.
    pub fn with_state<T>(&self, at: impl FnOnce(&State) -> T) -> T {
        at(&self.0.borrow())
    }

    pub fn block_bytes(&self) -> u32 {
        self.with_state(|state| if state.format == 0 { 512 } else { 4096 })
    }
}

impl State {
    fn erase(&mut self) -> io::Result<()> {
        assert!(!self.machine_ends, "the machine ends here");
        if self.power_fails {
            return Err(io::Error::from_raw_os_error(libc::ENODEV));
        }
        if self.scrambles {
            self.media.iter_mut().for_each(|byte| *byte ^= 0x5a);
        } else if !self.lies {
            self.media.fill(0);
        }
        Ok(())
    }

    fn advance(&mut self) {
        if self.sanitize.len() > 1 {
            self.sanitize.pop_front();
        }
    }

    fn namespace(&self) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        let blocks = SIZE / if self.format == 0 { 512 } else { 4096 };
        let used = if self.media.iter().all(|&b| b == 0) { 0 } else { blocks };
        for (at, value) in [(0, blocks), (8, blocks), (16, used)] {
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes[25] = 1;
        bytes[26] = self.format;
        bytes[128..136].copy_from_slice(&[0, 0, 9, 2, 0, 0, 12, 0]);
        bytes
    }

    fn identify(&self, cns: u32, nsid: u32) -> Vec<u8> {
        match cns {
            0 => self.namespace(),
            1 => self.controller.clone(),
            _ => {
                let above = self.namespaces.iter().filter(|&&n| n > nsid || self.repeats_its_list);
                let mut list: Vec<u8> = above.take(1024).flat_map(|n| n.to_le_bytes()).collect();
                list.resize(4096, 0);
                list
            }
        }
    }

    fn log(&self, page: u32) -> Vec<u8> {
        match page {
            0x02 => [&[self.critical_warning][..], &[0; 511]].concat(),
            0x81 => self.sanitize.front().unwrap().to_vec(),
            other => panic!("an unexpected log page 0x{other:x}"),
        }
    }
}

impl AdminChannel for SimDrive {
    fn namespace_id(&self) -> io::Result<u32> {
        Ok(1)
    }

    fn admin(&self, command: AdminCommand, data: &mut [u8]) -> io::Result<AdminCompletion> {
        let mut state = self.0.borrow_mut();
        let cdw10 = command.cdw10_15[0];
        if let Some((_, status)) = state.refuses.iter().find(|(opcode, _)| *opcode == command.opcode) {
            return Ok(AdminCompletion { status: *status, result: 0 });
        }
        match command.opcode {
            0x06 => data.copy_from_slice(&state.identify(cdw10, command.nsid)),
            0x02 => data.copy_from_slice(&state.log(cdw10 & 0xff)),
            0x80 | 0x84 => {
                state.admin.push((command.opcode, command.nsid, cdw10));
                state.erase()?;
                match command.opcode {
                    0x80 => state.format = (cdw10 & 0xf) as u8,
                    _ => state.advance(),
                }
            }
            other => panic!("an unexpected command 0x{other:x}"),
        }
        Ok(AdminCompletion { status: 0, result: 0 })
    }
}

/// Sense in the form that ATA commands return their registers in.
fn registers(status: u8, error: u8) -> ScsiReply {
    let mut sense = vec![0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12];
    sense.extend([0; 12]);
    sense[8 + 3] = error;
    sense[8 + 13] = status;
    ScsiReply { status: 2, sense, ..ScsiReply::default() }
}

impl Scsi for SimDrive {
    fn scsi(&self, command: &ScsiCommand, data: &mut [u8]) -> io::Result<ScsiReply> {
        let mut state = self.0.borrow_mut();
        match command.cdb[0] {
            0x85 if command.cdb[14] == 0xb0 => return Ok(smart(&state)),
            0x4d => {
                assert_eq!(command.cdb[2], 0x6f);
                data[..10].copy_from_slice(&[0x2f, 0, 0, 8, 0, 0, 3, 4, 0, 0]);
                data[8] = if state.is_failing { 0x5d } else { 0 };
            }
            0x85 => return ata(&mut state, command.cdb[14], data),
            0xa3 => {
                let known = state.scsi_knows.contains(&command.cdb[3]);
                data[1] = if known { 3 } else { 1 };
            }
            0x03 => {
                let sense = state.sense.pop_front().unwrap_or_else(|| vec![0x70; 1]);
                data[..sense.len()].copy_from_slice(&sense);
            }
            0x04 | 0x48 => {
                state.scsi.push(command.cdb.clone());
                state.erase()?;
            }
            other => panic!("an unexpected command 0x{other:x}"),
        }
        Ok(ScsiReply::default())
    }
}

/// SMART RETURN STATUS: the answer is in the middle of the address.
fn smart(state: &State) -> ScsiReply {
    let mut reply = registers(0x50, 0);
    let [low, high] = if state.is_failing { [0xf4, 0x2c] } else { [0x4f, 0xc2] };
    [reply.sense[8 + 9], reply.sense[8 + 11]] = [low, high];
    reply
}

fn ata(state: &mut State, opcode: u8, data: &mut [u8]) -> io::Result<ScsiReply> {
    if opcode == 0xec {
        data[170] = 1;
        data[256..258].copy_from_slice(&state.ata_security.to_le_bytes());
        data[178..180].copy_from_slice(&3u16.to_le_bytes());
        return Ok(ScsiReply::default());
    }
    state.ata.push(opcode);
    if state.ata_aborts == Some(opcode) {
        return Ok(registers(0x51, 4));
    }
    match opcode {
        0xf1 => state.ata_password = Some(data[2..34].to_vec()),
        0xf4 => {
            assert_eq!(state.ata_password.as_deref(), Some(&data[2..34]));
            state.erase()?;
            state.ata_password = None;
        }
        0xf6 => state.ata_password = None,
        _ => {}
    }
    Ok(registers(0x50, 0))
}

impl BlockInterface for SimDrive {
    fn size_bytes(&self) -> io::Result<u64> {
        Ok(SIZE)
    }

    fn empty(&self, range: Range<u64>, _: Emptying) -> io::Result<()> {
        assert_eq!(range, 0..SIZE);
        self.0.borrow_mut().erase()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let state = self.0.borrow();
        into.copy_from_slice(&state.media[offset as usize..offset as usize + into.len()]);
        Ok(())
    }
}

impl DriveInterfaces for SimDrive {
    fn name(&self) -> &str {
        "the simulated drive"
    }

    fn pause(&self, time: Duration) {
        let mut state = self.0.borrow_mut();
        state.waited += time;
        state.advance();
    }
}
