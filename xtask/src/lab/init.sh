#!/usr/bin/busybox sh
# The first process of the lab: makes the machine what tests expect, runs them, switches off.
# The frames that it prints ("lab: ...") are read by console.rs and transcript.rs.

export PATH=/usr/sbin:/usr/bin:/usr/busybox HOME=/root TERM=linux
# There is no udev: without these three, device-mapper and md would wait for it without end.
export DM_DISABLE_UDEV=1 MDADM_NO_UDEV=1
# Tests may leave a core or a trace behind only where they say so.
export RUST_BACKTRACE=0

# The firmware does not end its last line.
echo
/usr/bin/busybox --install -s /usr/busybox
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
mount -t cgroup2 cgroup /sys/fs/cgroup
mount -t debugfs debug /sys/kernel/debug
mount -t tracefs trace /sys/kernel/tracing
ln -s /proc/self/fd /dev/fd
mkdir -p /run/lock/lvm /run/cryptsetup
hostname lab

# `cargo xtask power-cut`: the drive is recorded, and the log of what it acknowledged goes out through a port.
if grep -qw lab.power-cut /proc/cmdline; then
    for module in virtio_pci virtio_rng virtio_blk virtio_console; do
        modprobe "$module" || echo "lab: no module $module"
    done
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -b /dev/vda ] && [ -c /dev/vport*p1 ] && break
        sleep 0.2
    done
    port=$(echo /dev/vport*p1)
    flush=$(sed -n 's/.*lab.flush=\([^ ]*\).*/\1/p' /proc/cmdline)
    fathom power-cut write /dev/vda --log - --write CUT --size 8m --flush "$flush" --writes 2500 --depth 8 >"$port"
    echo "lab: power-cut exit $?"
    poweroff -f
fi

for module in virtio_rng nvme sd_mod sg ahci virtio_blk virtio_scsi configfs loop zram \
    md_mod raid0 raid1 raid10 raid456 dm_mod; do
    modprobe "$module" || echo "lab: no module $module"
done
mount -t configfs config /sys/kernel/config

# Four queues and one for polling, a memory behind it: what is written can be read.
modprobe null_blk nr_devices=0
nullb=/sys/kernel/config/nullb/nullb0
mkdir "$nullb"
echo 4 >"$nullb/submit_queues"
echo 1 >"$nullb/poll_queues"
echo 64 >"$nullb/size"
echo 1 >"$nullb/memory_backed"
echo 1 >"$nullb/discard"
echo 1 >"$nullb/power"

# Physical blocks of 4096 bytes in logical ones of 512, of which the first aligned one is number 7:
# partitions at a multiple of eight are misaligned. Provisioned thinly; what was unmapped reads zero.
modprobe scsi_debug dev_size_mb=64 physblk_exp=3 lowest_aligned=7 lbpu=1 lbpws=1 lbprz=1
modprobe brd rd_nr=2 rd_size=65536

if grep -qw lab.shell /proc/cmdline; then
    echo "lab: the tests are /lab/tests; exit switches the machine off"
    setsid cttyhack bash
    poweroff -f
fi

# After a reboot, which a test of the first boot asked for, that test's second half follows. What it kept is on a drive,
# because nothing else outlives the boot: a mark of 512 bytes, and an archive of what belongs below /.
run=/lab/run again=
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -b /dev/vda ] && break
    sleep 0.2
done
if [ "$(head -c 15 /dev/vda 2>/dev/null)" = lab-second-boot ]; then
    tail -c +513 /dev/vda | tar -xf - -C /
    blkdiscard --force --zeroout /dev/vda
    run=/lab/run-again again=-again
    echo reboot second_boot >"$run"
fi

# A test that hangs is killed early enough for the others to run; the line of its end names it.
while read -r name words <&3; do
    echo "lab: begin $name$again"
    # shellcheck disable=SC2086
    timeout -s KILL 480 /lab/tests --test-threads=1 $words </dev/null 2>&1
    code=$?
    echo
    echo "lab: end $name$again exit $code"
    if [ "$code" != 0 ]; then
        echo "lab: the last messages of the kernel"
        dmesg | tail -n 40
    fi
    if [ -e /run/lab-reboot ]; then
        reboot -f
        sleep 60
    fi
done 3<"$run"
echo "lab: done"
poweroff -f
