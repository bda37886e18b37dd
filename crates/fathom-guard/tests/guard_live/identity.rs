//! A file is its inode and never its path: what uses it is found by whatever path one reaches the
//! file.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fathom_device::Root;
use fathom_guard::{Access, Consent, Door, FileOrigin, FindingKind, Guard, GuardError, Refusal};

use crate::guard_live::loops::{Loop, SIZE, run};
use crate::guard_live::quick::Quick;

/// With every consent that a command line can give for the file.
fn guard(door: Door, path: &Path) -> Guard {
    let consent = Consent { overwrite_files: vec![path.to_path_buf()], ..Consent::default() };
    Guard::new(Root::live(), door, consent)
}

/// Neither door lets the file be written, and the refusal names `user`.
#[track_caller]
fn refused(path: &Path, kind: FindingKind, user: &str) -> Refusal {
    for door in [Door::Native, Door::Fio] {
        let error = guard(door, path).admit(path, Access::Write).expect_err("not refused");
        let GuardError::Refused(refusal) = error else { panic!("{error}") };
        assert!(refusal.has(kind) && !refusal.can_be_overridden(), "{refusal}");
        assert!(refusal.to_string().contains(user), "{user} is not named: {refusal}");
        if door == Door::Fio {
            return *refusal;
        }
    }
    unreachable!("the last door returns")
}

#[track_caller]
fn admitted(path: &Path) {
    guard(Door::Fio, path).admit(path, Access::Write).unwrap();
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A sparse file of the size of every image.
fn image(path: &Path) -> PathBuf {
    fs::File::create(path).unwrap().set_len(SIZE).unwrap();
    path.to_path_buf()
}

/// Two files have different times only if the kernel's clock has moved on between them: by 10 ms
/// where it counts a hundred ticks a second.
fn wait_a_tick() {
    std::thread::sleep(Duration::from_millis(25));
}

/// One more loop device, detached when dropped.
struct Attached(String);

impl Attached {
    fn over(path: &Path) -> Self {
        Self(run("losetup", &["--show", "-f", text(path)]))
    }

    fn read_only(path: &Path) -> Self {
        Self(run("losetup", &["--show", "-r", "-f", text(path)]))
    }

    fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap()
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        run("losetup", &["-d", &self.0]);
    }
}

/// A mount, taken away when dropped.
struct Mounted(PathBuf);

impl Mounted {
    fn new(arguments: &[&str], point: &Path) -> Self {
        fs::create_dir_all(point).unwrap();
        run("mount", &[arguments, &[text(point)]].concat());
        Self(point.to_path_buf())
    }

    fn tmpfs(point: &Path) -> Self {
        Self::new(&["-t", "tmpfs", "none"], point)
    }

    /// `lower`, `upper` and `work` in `dir`, shown in `merged`.
    fn overlay(dir: &Path, lower: &Path) -> Self {
        for part in ["upper", "work"] {
            fs::create_dir_all(dir.join(part)).unwrap();
        }
        let (lower, dir) = (lower.display(), dir.display());
        let options = format!("lowerdir={lower},upperdir={dir}/upper,workdir={dir}/work");
        Self::new(&["-t", "overlay", "overlay", "-o", &options], &Path::new(&dir.to_string()).join("merged"))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        run("umount", &[text(&self.0)]);
    }
}

#[test]
fn a_hard_link_whose_first_name_is_gone() {
    let mut disk = Loop::blank();
    disk.format(disk.name());
    disk.mount_whole();
    let link = disk.dir().join("link.img");
    fs::hard_link(&disk.image, &link).unwrap();
    fs::remove_file(&disk.image).unwrap();
    let refusal = refused(&link, FindingKind::LoopBacking, disk.node.file_name().unwrap().to_str().unwrap());
    assert!(refusal.has(FindingKind::Mounted), "{refusal}");
    let point = format!("is mounted on {}", disk.dir().join("mnt").display());
    assert!(refusal.to_string().contains(&point), "{refusal}");
    admitted(&image(&disk.dir().join("other.img")));
}

#[test]
fn a_name_that_ends_in_a_blank() {
    let turn = Loop::blank();
    for name in ["blank ", "line\n"] {
        let path = image(&turn.dir().join(name));
        let over = Attached::over(&path);
        refused(&path, FindingKind::LoopBacking, over.name());
    }
}

#[test]
fn a_directory_that_a_mount_covers_or_that_was_let_go() {
    let turn = Loop::blank();
    let (dir, seen) = (turn.dir().join("dir"), turn.dir().join("seen"));
    fs::create_dir(&dir).unwrap();
    let path = image(&dir.join("a.img"));
    let _seen = Mounted::new(&["--bind", text(&dir)], &seen);
    let over = Attached::over(&path);
    {
        let _cover = Mounted::tmpfs(&dir);
        refused(&seen.join("a.img"), FindingKind::LoopBacking, over.name());
    }
    let gone = turn.dir().join("gone");
    let mount = Mounted::new(&["--bind", text(&dir)], &gone);
    let lazy = Attached::over(&gone.join("a.img"));
    run("umount", &["-l", text(&gone)]);
    std::mem::forget(mount);
    refused(&path, FindingKind::LoopBacking, lazy.name());
}

/// A shell in a mount namespace of its own, until it is dropped.
struct Elsewhere(Child);

impl Elsewhere {
    /// Runs the script there; it prints one line and waits.
    fn run(script: &str) -> (Self, String) {
        let script = format!("set -e; mount --make-rprivate /; {script}; read wait || true");
        let mut shell = Command::new("unshare");
        shell.args(["-m", "sh", "-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        (Self(child), line.trim().to_owned())
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn attached_in_another_mount_namespace() {
    let turn = Loop::blank();
    let (dir, there) = (turn.dir().join("dir"), turn.dir().join("there"));
    fs::create_dir_all(&dir).unwrap();
    fs::create_dir_all(&there).unwrap();
    let path = image(&dir.join("a.img"));
    let (dir, there) = (dir.display(), there.display());
    let script = format!("mount --bind {dir} {there}; losetup -f --show {there}/a.img");
    let (elsewhere, node) = Elsewhere::run(&script);
    let over = Attached(node);
    refused(&path, FindingKind::LoopBacking, over.name());
    drop(elsewhere);
    refused(&path, FindingKind::LoopBacking, over.name());
}

#[test]
fn through_an_overlay_in_both_directions() {
    let turn = Loop::blank();
    let lower = turn.dir().join("lower");
    fs::create_dir(&lower).unwrap();
    let low = image(&lower.join("low.img"));
    let first = Mounted::overlay(&turn.dir().join("first"), &lower);
    let second = Mounted::overlay(&turn.dir().join("second"), &first.0);
    let upper = turn.dir().join("first/upper");
    wait_a_tick();
    let path = image(&upper.join("a.img"));
    wait_a_tick();
    let others = [image(&upper.join("b.img")), first.0.join("b.img"), second.0.join("b.img")];
    let shown = [path, first.0.join("a.img"), second.0.join("a.img")];
    let not_over = |path: &Path| {
        let refusal = guard(Door::Fio, path).admit(path, Access::Write).err().map(|e| e.to_string());
        assert!(refusal.as_ref().is_none_or(|it| !it.contains("attached")), "{path:?}: {refusal:?}");
    };
    // Attached through the last, a file is first copied into the last upper
    // directory; that case comes below.
    for attached in &shown[..2] {
        let over = Attached::over(attached);
        for target in &shown {
            refused(target, FindingKind::LoopBacking, over.name());
        }
        others.iter().for_each(|path| not_over(path));
    }
    for attached in [&low, &first.0.join("low.img"), &second.0.join("low.img")] {
        let over = Attached::read_only(attached);
        for target in [&low, &first.0.join("low.img"), &second.0.join("low.img")] {
            refused(target, FindingKind::LoopBacking, over.name());
        }
        not_over(&others[0]);
    }
    let over = Attached::over(&second.0.join("low.img"));
    let copy = turn.dir().join("second/upper/low.img");
    for target in [&copy, &second.0.join("low.img")] {
        refused(target, FindingKind::LoopBacking, over.name());
    }
    not_over(&low);
    drop(over);
    // The device stays over the lower file when that is copied up later.
    let over = Attached::read_only(&first.0.join("low.img"));
    run("chmod", &["640", text(&first.0.join("low.img"))]);
    refused(&low, FindingKind::LoopBacking, over.name());
}

/// A mount names its layers by absolute paths, in which a colon has a backslash, or relative to a directory that nobody knows.
#[test]
fn files_in_the_layers_of_an_overlay() {
    let turn = Loop::blank();
    let at = |name: &str| turn.dir().join(name);
    for dir in ["one:lo/deep", "lo/deep", "t/u", "t/w", "ov", "bound", "beside/lo"] {
        fs::create_dir_all(at(dir)).unwrap();
    }
    // A file of the same size and times as that of the loop device may be that one.
    wait_a_tick();
    let lower = ["one:lo/v", "one:lo/deep/v", "lo/w", "lo/deep/w"].map(|name| image(&at(name)));
    let layers = [&lower[..], &[image(&at("t/u/uv"))]].concat();
    let outside = [image(&at("beside/v")), image(&at("beside/lo/x")), image(&at("t/v"))];
    let here = turn.dir().display();
    for start in [format!("{here}/"), String::new()] {
        let options = format!("lowerdir={start}one\\:lo:{start}lo,upperdir={start}t/u,workdir={start}t/w");
        run("sh", &["-c", &format!("cd '{here}'; mount -t overlay overlay -o '{options}' ov")]);
        let overlay = Mounted(at("ov"));
        for layer in &layers {
            refused(layer, FindingKind::OverlayLayer, text(&overlay.0));
        }
        outside.iter().for_each(|path| admitted(path));
        admitted(&overlay.0.join("uv"));
        if !start.is_empty() {
            let _bound = Mounted::new(&["--bind", text(&at("lo/deep"))], &at("bound"));
            refused(&at("bound/w"), FindingKind::OverlayLayer, text(&overlay.0));
        }
        // What fathom creates there is its own.
        let new = at("t/u/new.img");
        let guard = guard(Door::Native, &at("nothing"));
        let origin = FileOrigin::Create { tag: "fathom test".to_owned() };
        guard.admit_file(&new, Access::Write, &origin).unwrap().open(crate::guard_live::writing()).unwrap();
        guard.still_alone().unwrap();
        fs::remove_file(&new).unwrap();
    }
    layers.iter().for_each(|path| admitted(path));
}

#[test]
fn an_overlay_that_is_mounted_during_a_run() {
    let turn = Loop::blank();
    let lower = turn.dir().join("lower");
    fs::create_dir(&lower).unwrap();
    let path = image(&lower.join("v"));
    let guard = guard(Door::Fio, &path);
    let _target = guard.admit(&path, Access::Write).unwrap();
    guard.still_alone().unwrap();
    let _overlay = Mounted::overlay(turn.dir(), &lower);
    let refusal = guard.still_alone().unwrap_err();
    assert!(refusal.has(FindingKind::OverlayLayer), "{refusal}");
}

/// Neither the path nor the numbers show whether it is the same file, so it is refused. A file that
/// has just been created, or is too short, cannot be it.
#[test]
fn what_nothing_tells_apart_is_refused_and_new_files_are_not() {
    let turn = Loop::blank();
    let lower = turn.dir().join("lower");
    fs::create_dir(&lower).unwrap();
    let (upper, merged) = (turn.dir().join("upper"), turn.dir().join("merged"));
    for dir in [&upper, &merged, &turn.dir().join("work")] {
        fs::create_dir(dir).unwrap();
    }
    // Nobody can find these layers: the mount table has their relative paths.
    let mount = format!(
        "cd {}; mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged",
        turn.dir().display()
    );
    run("sh", &["-c", &mount]);
    let overlay = Mounted(merged);
    let path = image(&upper.join("a.img"));
    let over = Attached::over(&path);
    fs::hard_link(&path, upper.join("b.img")).unwrap();
    fs::remove_file(&path).unwrap();
    let shown = overlay.0.join("b.img");
    let refusal = refused(&shown, FindingKind::LoopBacking, over.name());
    assert!(refusal.to_string().contains("may be attached"), "{refusal}");
    let short = overlay.0.join("short");
    fs::write(&short, "short").unwrap();
    admitted(&short);
    let new = overlay.0.join("new.img");
    let guard = guard(Door::Native, &new);
    let origin = FileOrigin::Create { tag: "fathom test".to_owned() };
    let admitted = guard.admit_file(&new, Access::Write, &origin).unwrap();
    for _ in 0..2 {
        let file = fs::File::from(admitted.open(crate::guard_live::writing()).unwrap());
        file.set_len(2 * SIZE).unwrap();
    }
    drop(over);
    without_names(&overlay.0, &upper);
}

/// Neither file has a name any more, and the target is not one that the run
/// created. Only the names that they had last distinguish them.
fn without_names(shown: &Path, upper: &Path) {
    let old = image(&shown.join("old.img"));
    let guard = guard(Door::Native, &old);
    let admitted = guard.admit(&old, Access::Write).unwrap();
    let _open = admitted.open(crate::guard_live::writing()).unwrap();
    let attach_removed = |path: &Path| {
        image(path);
        let over = Attached::over(path);
        fs::remove_file(path).unwrap();
        over
    };
    fs::remove_file(&old).unwrap();
    let _other = attach_removed(&upper.join("c.img"));
    guard.still_alone().unwrap();
    let same = attach_removed(&upper.join("old.img"));
    let refusal = guard.still_alone().unwrap_err().to_string();
    assert!(refusal.contains("may be attached") && refusal.contains(same.name()), "{refusal}");
}

#[test]
fn a_second_loop_on_a_hard_link_of_the_first_ones_file() {
    let disk = Loop::blank();
    let link = disk.dir().join("link.img");
    fs::hard_link(&disk.image, &link).unwrap();
    fs::remove_file(&disk.image).unwrap();
    let second = Attached::over(&link);
    run("mkfs.ext4", &["-q", "-F", &second.0]);
    let mount = Mounted::new(&[&second.0], &disk.dir().join("mnt"));
    let words = [
        format!("{}:{SIZE}", link.display()),
        disk.word(),
        format!("{} (deleted):{SIZE}", disk.image.display()),
    ];
    let destroy = || words.iter().map(|word| word.parse().unwrap()).collect();
    let consent = || Consent { destroy: destroy(), ..Consent::default() };
    for (door, node) in
        [(Door::Native, &disk.node), (Door::Fio, &disk.node), (Door::Fio, &PathBuf::from(&second.0))]
    {
        let error = Guard::new(Root::live(), door, consent()).admit(node, Access::Write).unwrap_err();
        let GuardError::Refused(refusal) = &error else { panic!("{error}") };
        assert!(refusal.has(FindingKind::LoopBacking) && refusal.has(FindingKind::Mounted), "{refusal}");
        assert!(refusal.to_string().contains(text(&mount.0)), "{refusal}");
    }
    let plan = fathom_guard::purge::plan(&Root::live(), &disk.node, &Default::default(), &consent()).unwrap();
    assert!(!plan.is_possible(), "{:?}", plan.affected);
}

/// The partition's bytes are bytes of the file, at whatever offset.
#[test]
fn a_second_loop_over_the_file_of_a_partition() {
    let disk = Loop::blank();
    let partition = disk.partition();
    let second = Attached::over(&disk.image);
    let error = guard(Door::Fio, &disk.image).admit(Path::new(&partition), Access::Write).unwrap_err();
    let GuardError::Refused(refusal) = &error else { panic!("{error}") };
    assert!(
        refusal.has(FindingKind::LoopBacking) && refusal.to_string().contains(second.name()),
        "{refusal}"
    );
}

#[test]
fn a_loop_over_a_device_whose_partition_is_mounted() {
    let mut disk = Loop::blank();
    let partition = disk.partition();
    disk.format(&partition);
    disk.mount(&partition);
    let over = Attached::over(&disk.node);
    let error = guard(Door::Fio, &disk.node).admit(Path::new(&over.0), Access::Write).unwrap_err();
    let GuardError::Refused(refusal) = &error else { panic!("{error}") };
    assert!(refusal.has(FindingKind::Mounted), "{refusal}");
}

/// Swap on a file, switched off when dropped.
struct Swap(PathBuf);

impl Swap {
    fn on(path: &Path) -> Self {
        fs::write(path, vec![0; 4 << 20]).unwrap();
        run("chmod", &["600", text(path)]);
        run("mkswap", &[text(path)]);
        run("swapon", &[text(path)]);
        Self(path.to_path_buf())
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        run("swapoff", &[text(&self.0)]);
    }
}

#[test]
fn a_swap_file_whose_path_a_mount_covers() {
    let turn = Loop::blank();
    let dir = turn.dir().join("dir");
    fs::create_dir(&dir).unwrap();
    let swap = Swap::on(&dir.join("swap"));
    let link = turn.dir().join("link");
    fs::hard_link(&swap.0, &link).unwrap();
    let _cover = Mounted::tmpfs(&dir);
    image(&dir.join("swap"));
    refused(&link, FindingKind::Swap, "swap");
    admitted(&dir.join("swap"));
}

/// A copy of a swap file is not a swap file, although it has the mark of one.
#[test]
fn a_swap_file_shown_by_an_overlay() {
    let turn = Loop::blank();
    let lower = turn.dir().join("lower");
    fs::create_dir(&lower).unwrap();
    let swap = Swap::on(&lower.join("swap"));
    let overlay = Mounted::overlay(turn.dir(), &lower);
    refused(&overlay.0.join("swap"), FindingKind::Swap, text(&swap.0));
    wait_a_tick();
    for copy in [turn.dir().join("copy"), overlay.0.join("copy")] {
        fs::write(&copy, fs::read(&swap.0).unwrap()).unwrap();
        admitted(&copy);
    }
}

#[test]
fn a_loop_over_a_swap_file() {
    let turn = Loop::blank();
    let swap = Swap::on(&turn.dir().join("swap"));
    let link = turn.dir().join("link");
    fs::hard_link(&swap.0, &link).unwrap();
    let over = Attached::over(&link);
    let words = vec![format!("{}:{}", link.display(), 4 << 20).parse().unwrap()];
    let consent = Consent { destroy: words, ..Consent::default() };
    let error =
        Guard::new(Root::live(), Door::Fio, consent).admit(Path::new(&over.0), Access::Write).unwrap_err();
    let GuardError::Refused(refusal) = &error else { panic!("{error}") };
    assert!(refusal.has(FindingKind::Swap), "{refusal}");
}

/// erofs mounts a file without a loop device, and keeps the path that the file had then.
#[test]
#[allow(clippy::print_stderr, reason = "says what the kernel cannot do")]
fn a_file_that_is_mounted_without_a_loop_device() {
    let turn = Loop::blank();
    let (tree, path, link) = (turn.dir().join("tree"), turn.dir().join("a.img"), turn.dir().join("link.img"));
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("data"), vec![7; 1 << 20]).unwrap();
    run("mkfs.erofs", &[text(&path), text(&tree)]);
    let point = turn.dir().join("mnt");
    fs::create_dir(&point).unwrap();
    if !mounts_erofs(&path, &point) {
        eprintln!("this kernel mounts no erofs without a device: nothing to test");
        return;
    }
    refused(&path, FindingKind::Mounted, text(&point));
    fs::hard_link(&path, &link).unwrap();
    fs::remove_file(&path).unwrap();
    refused(&link, FindingKind::Mounted, text(&point));
    // No table shows it any more, and it lives as long as somebody reads.
    let reader = fs::File::open(point.join("data")).unwrap();
    run("umount", &["--lazy", text(&point)]);
    refused(&link, FindingKind::Mounted, "where no table of mounts shows it");
    drop(reader);
    wait_a_tick();
    admitted(&image(&path));
}

/// Uses the system call, because mount(8) would attach a loop device.
fn mounts_erofs(image: &Path, point: &Path) -> bool {
    let program = "import ctypes,sys; sys.exit(ctypes.CDLL(None).mount(sys.argv[1].encode(), \
                   sys.argv[2].encode(), b'erofs', 1, None) != 0)";
    let done = Command::new("python3").args(["-c", program, text(image), text(point)]).status();
    done.expect("python3 is needed for this test").success()
}

#[test]
fn what_comes_to_stand_on_a_file_after_its_admission() {
    let disk = Loop::blank();
    let path = image(&disk.dir().join("other.img"));
    let guard = guard(Door::Fio, &path);
    let file = guard.admit(&path, Access::Write).unwrap();
    let device = guard.admit(&disk.node, Access::Write).unwrap();
    let link = disk.dir().join("link.img");
    for (target, path) in [(&file, &path), (&device, &disk.image)] {
        let _open = target.open(crate::guard_live::writing()).unwrap();
        guard.still_alone().unwrap();
        fs::hard_link(path, &link).unwrap();
        let over = Attached::over(&link);
        let error = target.open(crate::guard_live::writing()).unwrap_err();
        assert!(error.to_string().contains(over.name()), "{error}");
        let refusal = guard.still_alone().unwrap_err();
        assert_eq!(refusal.target, target.path());
        assert!(refusal.to_string().contains(over.name()), "{refusal}");
        drop(over);
        guard.still_alone().unwrap();
        fs::remove_file(&link).unwrap();
    }
}

/// The guard asked immediately before. Where the target is open all the time, only the kernel's
/// tables show what uses it.
#[test]
fn what_comes_to_stand_on_a_file_immediately_before_an_opening() {
    let turn = Loop::blank();
    let path = image(&turn.dir().join("a.img"));
    let link = turn.dir().join("link.img");
    fs::hard_link(&path, &link).unwrap();
    let guard = guard(Door::Fio, &path);
    let target = guard.admit(&path, Access::Write).unwrap();
    let mut quick = Quick::start();
    for round in 0..8 {
        let _open = (round % 2 == 0).then(|| target.open(crate::guard_live::writing()).unwrap());
        target.open(crate::guard_live::writing()).unwrap();
        let name = quick.attach(&link, round % 4 < 2);
        let error = target.open(crate::guard_live::writing()).expect_err("a loop device is over it");
        assert!(error.to_string().contains(&name), "round {round}: {error}");
        quick.detach();
        target.open(crate::guard_live::writing()).unwrap();
    }
    run("chmod", &["600", text(&path)]);
    fs::write(&path, vec![0; 4 << 20]).unwrap();
    run("mkswap", &[text(&path)]);
    target.open(crate::guard_live::writing()).unwrap();
    run("swapon", &[text(&path)]);
    let swap = Swap(path);
    let error = target.open(crate::guard_live::writing()).expect_err("it is swap");
    assert!(error.to_string().contains("active swap"), "{error}");
    drop(swap);
    target.open(crate::guard_live::writing()).unwrap();
}

/// While a target is open, nobody can find out whether others have it open; its file system
/// distinguishes it from files elsewhere.
#[test]
fn what_others_attach_meanwhile_ends_no_run() {
    let turn = Loop::blank();
    let path = image(&turn.dir().join("a.img"));
    let guard = guard(Door::Fio, &path);
    let target = guard.admit(&path, Access::Write).unwrap();
    let _open = target.open(crate::guard_live::writing()).unwrap();
    let memory = Mounted::tmpfs(&turn.dir().join("memory"));
    fs::create_dir(memory.0.join("lower")).unwrap();
    let overlay = Mounted::overlay(&memory.0, &memory.0.join("lower"));
    for directory in [&memory.0, &overlay.0] {
        let path = image(&directory.join("b.img"));
        let _over = Attached::over(&path);
        fs::remove_file(&path).unwrap();
        guard.still_alone().unwrap();
    }
}

#[test]
fn two_files_with_one_content_are_two() {
    let disk = Loop::blank();
    let copy = disk.dir().join("copy.img");
    run("cp", &["--sparse=always", text(&disk.image), text(&copy)]);
    assert_ne!(fs::metadata(&copy).unwrap().ino(), fs::metadata(&disk.image).unwrap().ino());
    admitted(&copy);
}
