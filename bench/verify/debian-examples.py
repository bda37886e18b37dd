#!/usr/bin/env python3
"""Runs the job files that Debian ships with fio (package fio-examples), scaled down, under both tools, and compares their counts.

    debian-examples.py --door PATH [--fio /usr/bin/fio] [--scratch DIR] [--only NAME]

PATH is a link named `fio` to fathom. DIR is a directory whose file system knows O_DIRECT.

Of each file that fio reads and whose engine fathom has, a copy is made: every device becomes a file of 16 MiB, sizes are divided
until they are at most 4 MiB, limits of time go (a job then ends by its bytes), and counts of I/Os and loops are made smaller. So
the counts of I/Os depend on no clock, and both tools must agree for each job in reads, writes, trims and their bytes. The other
cases:

  drawn   Sizes or directions are drawn. The tools draw other numbers, so the bytes of all directions together must agree
          within 2 % and each direction within 15 % of the whole.
  not by fio  fio does not run it to its end (NOT_BY_FIO). What fathom does is printed.
  time    The clock decides how much is done (TIME, with the reason). Both tools must end without an error and move bytes in
          the same directions.

The script prints a line for each file and ends with 1 if one of them differs.
"""
import argparse, json, os, re, shutil, subprocess, sys, tempfile

EXAMPLES = '/usr/share/doc/fio/examples'
LARGEST = 4 << 20
DISK = 16 << 20

TIME = {
    'exitwhat.fio': 'exitall: the job that ends first ends the others',
    'falloc.fio': 'a job of falloc has no end but its time',
    'flow.fio': 'two jobs of one flow end each other',
    'butterfly.fio': 'two jobs of one flow wait for each other',
    'ftruncate.fio': 'a job of ftruncate has no end but its time',
    'latency-profile.fio': 'the depth is searched by latency',
    'steadystate.fio': 'a steady rate ends the job',
    'ssd-steadystate.fio': 'a steady rate ends the job',
}
# Files that fio 3.33 itself does not run to their end.
NOT_BY_FIO = {
    'enospc-pressure.fio': 'it trims a file, and fio trims devices alone',
    'fixed-rate-submission.fio': 'with io_submit_mode=offload fio does not end',
    'poisson-rate-submission.fio': 'with io_submit_mode=offload fio does not end',
}
# Lines of single files: a limit without which a scaled copy has no end or no place.
LINES = {
    '1mbs_clients.fio': ['rate=1m', 'ratemin=1k', 'size=64k'],
    'exitwhat.fio': ['runtime=2'], 'flow.fio': ['runtime=2', 'time_based'], 'falloc.fio': ['runtime=1', 'time_based'],
    'ftruncate.fio': ['runtime=1', 'time_based'], 'latency-profile.fio': ['runtime=2', 'time_based', 'latency_window=100000'],
    'steadystate.fio': ['runtime=3', 'time_based'], 'ssd-steadystate.fio': ['runtime=2', 'time_based'],
    'butterfly.fio': ['runtime=2'], 'fixed-rate-submission.fio': ['size=4m'],
    # Each job ends before its stripes come to the end of the disk: there fio adds the offset twice.
    'cross-stripe-verify.fio': ['numjobs=3', 'offset_increment=4m', 'io_size=256k', 'size=4m'],
    'filecreate-ioengine.fio': ['nrfiles=200'],
    'zbd-seq-read.fio': ['size=8m', 'offset=0', 'zonesize=4m', 'read_beyond_wp=1'],
    # With blocks of several sizes and a map, fio stops before it moved `size`.
    'cmdprio-bssplit.fio': [
        'norandommap', 'ioengine=libaio', 'size=8m', 'bssplit=4k/40:64k/60,64k/100', 'cmdprio_bssplit=4k/100:64k/0,64k/0',
    ],
    'fio-seq-RW.fio': ['size=16m', 'io_size=16m', 'bs=16k'],
    'poisson-rate-submission.fio': ['size=4m', 'bs=16k'], 'numa.fio': ['numa_cpu_nodes=0', 'numa_mem_policy=bind:0'],
}
DROPPED = {'runtime', 'time_based', 'timeout', 'ramp_time', 'startdelay'}
SIZES = {'size', 'filesize', 'io_size', 'offset', 'zonesize', 'zoneskip', 'offset_increment', 'zonerange'}
UNITS = {'': 1, 'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30, 't': 1 << 40}


def scaled(value):
    """A size of a job file, made smaller by powers of two; what is no size stays."""
    match = re.fullmatch(r'(\d+)([kmgt]?)b?', value.strip().lower())
    if not match:
        return value
    size = int(match[1]) * UNITS[match[2]]
    while size > LARGEST:
        size //= 2
    return str(size)


def copied(name, text):
    """The text of the scaled copy."""
    own = dict(line.partition('=')[::2] for line in LINES.get(name, []))
    # Sections inherit what stands before them.
    out = ['[global]', f'size={LARGEST}'] + LINES.get(name, [])
    for line in text.splitlines():
        line = line.split(';')[0].split('#')[0].strip()
        key, _, value = (part.strip() for part in line.partition('='))
        if key in own or key in DROPPED:
            continue
        elif key in SIZES:
            line = f'{key}={scaled(value)}'
        elif key == 'filename' and value.startswith('/dev/') and value not in ('/dev/null', '/dev/zero'):
            line = 'filename=disk'
        elif key == 'filename' and value.startswith('/tmp/'):
            line = 'filename=' + os.path.basename(value)
        elif key == 'directory':
            line = 'directory=.'
        elif key in ('number_ios', 'loops'):
            line = f'{key}={min(int(value), 100 if key == "number_ios" else 2)}'
        out += [line] if line else []
    return '\n'.join(out) + '\n'


def run(tool, name, text, scratch):
    """Exit code and the jobs of the JSON of one tool, in a directory of its own."""
    where = tempfile.mkdtemp(dir=scratch)
    try:
        with open(os.path.join(where, 'disk'), 'wb') as disk:
            disk.write(os.urandom(DISK))
        with open(os.path.join(where, name), 'w') as file:
            file.write(text)
        words = [tool, '--output-format=json', '--output=result.json', name]
        try:
            done = subprocess.run(words, cwd=where, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return 'not ended', None, ''
        try:
            with open(os.path.join(where, 'result.json')) as file:
                text = file.read()
                jobs = json.loads(text[text.index('{'):])['jobs']
        except (OSError, ValueError):
            jobs = None
        return done.returncode, jobs, done.stderr
    finally:
        shutil.rmtree(where)


def counts(job):
    return {d: (job[d]['total_ios'], job[d]['io_bytes']) for d in ('read', 'write', 'trim')}


def is_drawn(text):
    words = 'rw=randrw rw=rw rw=readwrite bssplit bsrange norandommap random_distribution zipf percentage_random'
    return any(word in text for word in words.split())


def difference(name, text, ours, theirs):
    """What differs of two results, or none."""
    if ours[0] != theirs[0]:
        return f'exit codes {ours[0]} and {theirs[0]}: {ours[2].strip()[:300]} / {theirs[2].strip()[:200]}'
    if ours[1] is None or theirs[1] is None:
        return None if ours[1] == theirs[1] else 'one has no result'
    if [j['jobname'] for j in ours[1]] != [j['jobname'] for j in theirs[1]]:
        return f"jobs {[j['jobname'] for j in ours[1]]} and {[j['jobname'] for j in theirs[1]]}"
    for own, other in zip(ours[1], theirs[1]):
        a, b = counts(own), counts(other)
        if own['error'] != other['error']:
            return f"{own['jobname']}: errors {own['error']} and {other['error']}"
        if name in TIME:
            if {d for d in a if a[d][1]} != {d for d in b if b[d][1]}:
                return f"{own['jobname']}: directions {a} and {b}"
        elif is_drawn(text):
            total = [sum(c[d][1] for d in c) for c in (a, b)]
            apart = max(abs(a[d][1] - b[d][1]) for d in a)
            if abs(total[0] - total[1]) > 0.02 * total[1] or apart > 0.15 * total[1]:
                return f"{own['jobname']}: {a} and {b}"
        elif a != b:
            return f"{own['jobname']}: {a} and {b}"
    return None


def accepted(tool, path, where):
    return subprocess.run([tool, '--parse-only', path], cwd=where, capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--door', required=True)
    parser.add_argument('--fio', default='/usr/bin/fio')
    parser.add_argument('--scratch')
    parser.add_argument('--only', default='')
    args = parser.parse_args()
    door = os.path.abspath(args.door)
    tally = {}
    with tempfile.TemporaryDirectory(dir=args.scratch) as scratch:
        for name in sorted(os.listdir(EXAMPLES)):
            path = os.path.join(EXAMPLES, name)
            if not name.endswith('.fio') or args.only not in name:
                continue
            if not accepted(args.fio, path, scratch) or not accepted(door, path, scratch):
                continue
            with open(path) as file:
                text = copied(name, file.read())
            if name in NOT_BY_FIO:
                code, jobs, _ = run(door, name, text, scratch)
                tally['not by fio'] = tally.get('not by fio', 0) + 1
                done = [counts(job) for job in jobs or []]
                print(f'not by fio {name}: {NOT_BY_FIO[name]}; fathom ends with {code}, {done}', flush=True)
                continue
            wrong = difference(name, text, run(door, name, text, scratch), run(args.fio, name, text, scratch))
            kind = 'DIFFERENT' if wrong else 'time' if name in TIME else 'drawn' if is_drawn(text) else 'same'
            tally[kind] = tally.get(kind, 0) + 1
            print(f'{kind:<10} {name}' + (f'\n    {wrong}' if wrong else ''), flush=True)
    print(', '.join(f'{n} {kind}' for kind, n in sorted(tally.items())))
    sys.exit('DIFFERENT' in tally)


if __name__ == '__main__':
    main()
