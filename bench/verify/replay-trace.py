#!/usr/bin/env python3
"""Replays a block trace with fathom, traces the replay, and compares the two: order, sizes, offsets and gaps. Then replays long traces.

    replay-trace.py --fathom PATH [--seconds 20] [--rounds 1] [--lines 10000000] [--work /tmp] [--only trace|long]

Needs root, fio and a kernel with BLK_DEV_IO_TRACE. Everything is done on a loop device of the script's own. The recordings are those of
blktrace: the kernel's tracer `blk` writes the same structures in tracefs, also where blktrace may not read debugfs. The kernel has that
tracer once, and not in `instances` of tracefs, so the script ends at once where another one is in use. Each step has a time limit, and what
the script set is set back when it ends, on an error and on SIGTERM too.

trace  fio makes random reads, writes and flushes with random gaps on the loop device, which are recorded. fathom replays the
       recording on the same device (found by its numbers), which is recorded too. Of both recordings the queued events are read
       here, by code that shares nothing with fathom: those of the thread with the most I/Os, and writes and flushes of the kernel's
       threads. Reads of others are those of programs that look at the device. Each of the --rounds is a replay by fathom, one by
       fio, and a thread that only reads the clock, which shows what share of all starts the machine itself would delay.
long   An iolog and a recording of blktrace, each of 1,000 and of --lines I/Os, on the engine null, with a gap of 3 µs between two
       I/Os: peak memory, and time against the time of the trace.

The last line is `passed`, or the limits that were not held; then the script ends with 1.
"""
import argparse, collections, contextlib, fcntl, json, os, signal, struct, subprocess, sys, tempfile, time

EVENT = struct.Struct('<IIQQIIIIIHH')
KINDS = [(1 << 29, 'discard'), (1 << 18, 'flush'), (1 << 17, 'write'), (1 << 16, 'read')]
failures = []


def limit(name, value, most, unit):
    print(f'  {name}: {value:.3f} {unit} (limit {most} {unit})')
    if value > most:
        failures.append(f'{name} is {value:.3f} {unit}, and the limit is {most} {unit}')


@contextlib.contextmanager
def step(name, seconds):
    """Ends the script where what is done in it takes longer."""
    def late(*_):
        sys.exit(f'{name}: not over after {seconds} s')

    print(f'  step: {name}', flush=True)
    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


@contextlib.contextmanager
def started(words, **more):
    """A process, which is killed with its children where the script leaves it early."""
    process = subprocess.Popen([str(word) for word in words], start_new_session=True, **more)
    try:
        yield process
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


def sh(*words):
    with started(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        out, err = process.communicate()
    if process.returncode not in (0, 5):
        sys.exit(f'{words}: {process.returncode}\n{out}{err}')
    return out


def queued(path):
    """Time, kind, sector and bytes of each event that was queued, by time."""
    data, at, events = open(path, 'rb').read(), 0, []
    while at < len(data):
        magic, number, ns, sector, length, action, pid, dev, cpu, error, more = EVENT.unpack_from(data, at)
        assert magic == 0x65617407, hex(magic)
        at += EVENT.size + more
        if action & 0xffff == 1 and not action & 1 << 26:
            kind = next(name for bit, name in KINDS if action & bit)
            events.append((ns, kind, sector if length else 0, length, pid))
    worker = collections.Counter(event[4] for event in events).most_common(1)[0][0]
    return sorted(event[:4] for event in events if event[4] == worker or event[1] != 'read')


class Recorder:
    """Records what reaches a device, by the tracer `blk` of the kernel."""

    def __init__(self, device, place):
        self.place = place
        self.tracefs = f'{place}/tracefs'
        self.switch = f'/sys/block/{device[5:]}/trace/enable'
        self.before = []
        os.mkdir(self.tracefs)
        sh('mount', '-t', 'tracefs', 'nodev', self.tracefs)

    def begin(self):
        self.lock = open('/run/fathom-tracer-blk.lock', 'w')
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit('another run of this script uses the tracer')
        used = self.read('current_tracer').strip()
        if used != 'nop':
            sys.exit(f'the tracer {used} is in use')
        size = self.read('buffer_size_kb').split()[0]
        for file, value, before in [('buffer_size_kb', '32768', size), ('current_tracer', 'blk', 'nop'),
                                    ('trace_options', 'bin', 'nobin'), ('trace_options', 'nocontext-info', 'context-info')]:
            self.before.insert(0, (file, before))
            self.set(file, value)

    def read(self, file):
        return open(f'{self.tracefs}/{file}').read()

    def set(self, file, value):
        with open(f'{self.tracefs}/{file}', 'w') as out:
            out.write(value)

    def turn(self, value):
        with open(self.switch, 'w') as out:
            out.write(value)

    def during(self, name, act):
        """What was recorded while `act` ran, and what that returned."""
        path = f'{self.place}/{name}.bin'
        self.set('trace', '')
        self.turn('1')
        with open(path, 'wb') as out, started(['cat', f'{self.tracefs}/trace_pipe'], stdout=out) as reader:
            outcome = act()
            time.sleep(1)
            self.turn('0')
            time.sleep(1)
            reader.kill()
            reader.wait()
        lost = sum(int(line.split()[1]) for cpu in range(os.cpu_count())
                   for line in self.read(f'per_cpu/cpu{cpu}/stats').splitlines() if line.startswith('overrun'))
        if lost:
            sys.exit(f'{lost} events were lost')
        return path, outcome

    def end(self):
        """Sets back what was set; what cannot be set back does not keep the rest from it."""
        acts = [lambda: self.turn('0')] if self.before else []
        acts += [lambda file=file, value=value: self.set(file, value) for file, value in self.before]
        for act in acts:
            try:
                act()
            except OSError as e:
                print(f'  not set back: {e}')
        sh('umount', self.tracefs)


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def late_starts(mine, theirs):
    """By how much each I/O of the replay began late, µs, and the median of that."""
    starts = [[event[0] - events[0][0] for event in events] for events in (mine, theirs)]
    # The block trace does not hold when the replay began, and its first I/O may be late as any other, so the median is the origin.
    # Threads of the kernel issue the flushes, whenever they get a processor.
    late = [(b - a) / 1000 for a, b, event in zip(*starts, mine) if event[1] != 'flush']
    return late, percentile(late, .5)


def start_errors(name, mine, theirs):
    """Prints how far the starts of a replay are from those of the recording; returns the p99, µs."""
    late, origin = late_starts(mine, theirs)
    errors = [abs(it - origin) for it in late]
    print(f'  starts of {name}: the first I/O {-origin:.1f} µs late; median error {percentile(errors, .5):.1f} µs, p90 {percentile(errors, .9):.1f} µs, '
          f'p99 {percentile(errors, .99):.1f} µs, largest {max(errors):.1f} µs')
    return percentile(errors, .99)


def compare(mine, theirs):
    print(f'  events: {len(mine)} recorded, {len(theirs)} of the replay; {dict(collections.Counter(e[1] for e in mine))}')
    bare = [[event[1:] for event in events] for events in (mine, theirs)]
    data = [[event for event in events if event[0] != 'flush'] for events in bare]
    swapped = sum(a != b for a, b in zip(*data))
    # Threads of the kernel issue flushes, so they come between other I/Os when these threads get a processor.
    print(f'  order: {swapped} of {len(data[0])} reads and writes are elsewhere; with flushes {sum(a != b for a, b in zip(*bare))}')
    if collections.Counter(bare[0]) != collections.Counter(bare[1]):
        failures.append('the I/Os are not the same')
    if swapped:
        failures.append(f'{swapped} reads and writes are at another place in the order')
    gaps = [[b[0] - a[0] for a, b in zip(of, of[1:])] for of in (mine, theirs)]
    gap_errors = [abs(a - b) / 1000 for a, b in zip(*gaps)]
    print(f'  gaps: p99 of the error {percentile(gap_errors, .99):.1f} µs')
    whole = [of[-1][0] - of[0][0] for of in (mine, theirs)]
    print(f'  time: {whole[0] / 1e9:.6f} s recorded, {whole[1] / 1e9:.6f} s replayed')
    limit('error of the total time', abs(whole[0] - whole[1]) * 100 / whole[0], 1, '%')


def machine_delays():
    """The share of starts that would be more than 100 µs late in a thread that never sleeps, %."""
    now = time.perf_counter_ns
    began = last = now()
    late = 0
    while last < began + 3_000_000_000:
        read = now()
        late += max(0, read - last - 100_000)
        last = read
    share = late * 100 / (last - began)
    print(f'  machine: {share:.2f} % of all starts would be more than 100 µs late in a thread that only reads the clock')
    return share


def of_trace(args, place):
    print(f'trace: {args.seconds} s of fio on a loop device')
    backing = f'{place}/disk.img'
    with open(backing, 'wb') as file:
        file.truncate(256 << 20)
    with contextlib.ExitStack() as after:
        with step('preparing the loop device and the tracer', 30):
            device = sh('losetup', '--find', '--show', backing).strip()
            after.callback(sh, 'losetup', '-d', device)
            recorder = Recorder(device, place)
            after.callback(recorder.end)
            recorder.begin()
            with open(f'/sys/block/{device[5:]}/queue/scheduler', 'w') as file:
                file.write('none')
        with step('recording fio', args.seconds + 60):
            first, _ = recorder.during('first', lambda: sh(
                # A thread ends with the process, where a job of its own has a session of its own.
                'fio', '--name=j', '--thread', f'--filename={device}', '--rw=randrw', '--bssplit=4k/60:16k/30:64k/10',
                '--direct=1', '--ioengine=io_uring', '--iodepth=8', '--rate_iops=800,400', '--rate_process=poisson', '--fsync=100',
                '--time_based', f'--runtime={args.seconds}'))
        job = f'{place}/replay.fio'
        with open(job, 'w') as file:
            file.write(f'[replay]\nioengine=io_uring\nread_iolog={first}\n')
        of_fio = ['fio', '--name=j', '--thread', '--ioengine=io_uring', '--iodepth=8', '--direct=1', f'--read_iolog={first}',
                  f'--replay_redirect={device}']
        mine = queued(first)
        p99 = {'fathom': [], 'fio': [], 'machine': []}
        for number in range(args.rounds):
            words = ['run', '-q', '--json', '--output-dir', f'{place}/run{number}', '--destroy', f'{backing}:{256 << 20}', job]
            with step('replaying and recording that', args.seconds + 60):
                second, result = recorder.during('second', lambda: sh(args.fathom, *words))
            recorded_of(json.loads(result))
            theirs = queued(second)
            compare(mine, theirs)
            p99['fathom'].append(start_errors('fathom', mine, theirs))
            with step('replaying by fio', args.seconds * 2 + 60):
                second, _ = recorder.during('second', lambda: sh(*of_fio))
            p99['fio'].append(start_errors('fio', mine, queued(second)))
            p99['machine'].append(machine_delays())
    middle = {name: percentile(values, .5) for name, values in p99.items()}
    print(f'  p99 of the error of a start, median of {args.rounds}: fathom {middle["fathom"]:.1f} µs, fio {middle["fio"]:.1f} µs; '
          f'the machine delays {middle["machine"]:.2f} % of all starts by more than 100 µs')
    limit('p99 of the error of a start', middle['fathom'], 100, 'µs')


GAP_US = 3


def iolog(path, lines):
    with open(path, 'w') as file:
        file.write('fio version 3 iolog\n0 f add\n0 f open\n')
        for first in range(0, lines, 10000):
            ios = range(first, min(lines, first + 10000))
            file.write(''.join(f'{i * GAP_US} f {"read" if i % 3 else "write"} {i * 4096 % (1 << 30)} 4096\n' for i in ios))


def recording(path, events):
    with open(path, 'wb') as file:
        for first in range(0, events, 10000):
            ios = range(first, min(events, first + 10000))
            file.write(b''.join(EVENT.pack(0x65617407, i, i * GAP_US * 1000, i * 8 % (1 << 21), 4096,
                                           0x110001 if i % 3 else 0x120001, 1, 7 << 20, 0, 0, 0) for i in ios))


def replayed(args, place, trace, ios):
    """Peak memory in MiB, and the seconds that the job took."""
    words = [args.fathom, 'run', '-q', '--json', '--output-dir', f'{place}/long-{os.path.basename(trace)}-{ios}']
    job = f'{place}/long.fio'
    with open(job, 'w') as file:
        file.write(f'[long]\nioengine=null\niodepth=8\nread_iolog={trace}\nreplay_redirect=f\n')
    with open(f'{place}/out.json', 'w') as out, open(f'{place}/err', 'w') as err, \
            started(words + [job], stdout=out, stderr=err) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    result = open(f'{place}/out.json').read()
    if process.returncode not in (0, 5):
        sys.exit(f'{words}: {process.returncode}\n{result}{open(f"{place}/err").read()}')
    return usage.ru_maxrss / 1024, json.loads(result)


def recorded_of(result):
    """The job's seconds, and what the run recorded of each direction: times from the intended start to the end."""
    job = result['answer']['result']['jobs'][0]
    for row in job['directions']:
        figures = {name: row[name] / 1000 for name in ('mean_ns', 'p99_ns', 'longest_ns') if row.get(name) is not None}
        print(f'  the run: {row["direction"]} from intended start to end, µs: {figures}')
    return job['runtime_ns'] / 1e9


def of_long(args, place):
    for name, make in [('iolog', iolog), ('blktrace', recording)]:
        peaks = []
        for ios in [1000, args.lines]:
            trace = f'{place}/{name}'
            make(trace, ios)
            began = time.monotonic()
            with step(f'{name} of {ios} I/Os', 60 + ios // 50_000):
                peak, result = replayed(args, place, trace, ios)
            asked = (ios - 1) * GAP_US / 1e6
            peaks.append(peak)
            print(f'long: {name} of {ios} I/Os, {os.path.getsize(trace) >> 20} MiB: peak {peak:.1f} MiB, {time.monotonic() - began:.2f} s in all')
            took = recorded_of(result)
            if ios > 1000:
                print(f'  time: {asked:.6f} s recorded, {took:.6f} s replayed')
                limit('error of the total time', abs(took - asked) * 100 / asked, 1, '%')
            os.remove(trace)
        limit('growth of the peak memory', peaks[1] - peaks[0], 16, 'MiB')


def terminated(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit('ended by SIGTERM')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--fathom', required=True)
    parser.add_argument('--seconds', type=int, default=20)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--lines', type=int, default=10_000_000)
    parser.add_argument('--work', default='/tmp')
    parser.add_argument('--only', choices=['trace', 'long'])
    args = parser.parse_args()
    args.fathom = os.path.abspath(args.fathom)
    signal.signal(signal.SIGTERM, terminated)
    # Memory, but not below /dev, where the path of a loop device's file gives no consent.
    place = tempfile.mkdtemp(prefix='fathom-replay-', dir=args.work)
    sh('mount', '-t', 'tmpfs', '-o', 'size=2g', 'tmpfs', place)
    print(f'load: {open("/proc/loadavg").read().strip()} on {os.cpu_count()} CPUs')
    try:
        if args.only != 'long':
            of_trace(args, place)
        if args.only != 'trace':
            of_long(args, place)
    finally:
        sh('umount', '-l', place)
        os.rmdir(place)
    print(f'load: {open("/proc/loadavg").read().strip()}')
    print('\n'.join(failures) or 'passed')
    sys.exit(bool(failures))


main()
