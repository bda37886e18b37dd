"""Attaches and detaches a loop device, by lines on its input: see quick.rs."""

import errno
import fcntl
import os
import struct
import sys

# linux/loop.h
LOOP_CLR_FD = 0x4C01
LOOP_CONFIGURE = 0x4C0A
LOOP_CTL_GET_FREE = 0x4C82
LO_FLAGS_AUTOCLEAR = 4

control = os.open("/dev/loop-control", os.O_RDWR)


def attach(path, flags):
    file = os.open(path, flags)
    # struct loop_config: the file, a size of blocks, and the flags in its struct loop_info64.
    config = struct.pack("II52xI240x", file, 0, LO_FLAGS_AUTOCLEAR)
    while True:
        name = "loop%d" % fcntl.ioctl(control, LOOP_CTL_GET_FREE)
        device = os.open("/dev/" + name, os.O_RDWR)
        try:
            fcntl.ioctl(device, LOOP_CONFIGURE, config)
        except OSError as error:
            # Another process took the free device.
            if error.errno != errno.EBUSY:
                raise
            os.close(device)
            continue
        os.close(file)
        return name, device


for line in sys.stdin:
    mode, path = line.rstrip("\n").split(" ", 1)
    if mode == "detach":
        fcntl.ioctl(device, LOOP_CLR_FD)
        os.close(device)
        print("detached", flush=True)
    else:
        name, device = attach(path, os.O_RDWR if mode == "write" else os.O_RDONLY)
        print(name, flush=True)
