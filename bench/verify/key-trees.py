#!/usr/bin/env python3
"""Runs a table of jobs under fio and under fathom through a link named `fio`, and compares the shape of everything that they leave.

    key-trees.py --fathom BIN [--fio /usr/bin/fio] [--scratch DIR] [--only WORD] [--verbose]

BIN is the fathom binary; the script makes the link. DIR is a directory whose file system knows O_DIRECT (default: /var/tmp). Compared:

  exit code; standard error (empty on success); the documents of standard output and of --output
  JSON      keys, their order, the type of each value with its number of decimals; names, options and errors of the jobs
  terse     lines, fields of each line, and the form of each field
  normal    lines without their numbers and units; classes of latency are left out, because they are measured
  counts    total_ios, io_bytes, short_ios, drop_ios, N of each latency, syncs: equal where a count ends the job; where the clock does,
            total_ios of a job with a rate within 20 %, and in fathom the lines of each log are total_ios
  logs      names, columns, and lines by direction

What fathom does otherwise on purpose is a row of LISTED, with the heading of docs/differences.md. Everything else that differs is
printed, and the script ends with 1.
"""
import argparse, collections, json, os, re, shutil, signal, subprocess, sys, tempfile, time

NULL = 'ioengine=null size=1m bs=4k'
FILE = 'filename=f size=1m bs=4k'
LOGS = 'write_bw_log=l write_iops_log=l write_lat_log=l'
ALL = 'normal,terse,json+'
JOBS = []


def job(name, *sections, words='', stop=None, disk=False, small=False, prepare=None, exact=True):
    """A job: its sections (the first is [global] where there are several), words of the command line, a signal with its time.

    `exact`: a count ends it, so that all counts are equal. `disk`: in DIR; `small`: on a file system of half a MiB."""
    JOBS.append(dict(name=name, sections=sections, words=words, stop=stop, disk=disk, small=small, prepare=prepare, exact=exact))


def table():
    for engine in ('null', 'psync', 'libaio iodepth=8', 'io_uring iodepth=8', 'mmap'):
        for rw in ('read', 'randwrite', 'randrw'):
            job(f'{engine.split()[0]} {rw}', f'ioengine={engine} rw={rw} {FILE}', words='--output-format=' + ALL)
    for engine in ('sync', 'vsync', 'pvsync', 'pvsync2', 'posixaio iodepth=4'):
        job(f'{engine.split()[0]} rw', f'ioengine={engine} rw=rw {FILE}', words='--output-format=' + ALL)
    for engine in ('ftruncate', 'falloc'):
        job(f'{engine} write', f'ioengine={engine} rw=write {FILE}', words='--output-format=' + ALL)
    job('filecreate', 'ioengine=filecreate nrfiles=10 filesize=4k bs=4k', words='--output-format=json')
    for engine in ('psync', 'libaio iodepth=4', 'io_uring iodepth=4'):
        job(f'{engine.split()[0]} direct', f'ioengine={engine} rw=randread direct=1 {FILE}', words='--output-format=' + ALL, disk=True)
    for rw in ('trim', 'randtrim', 'trimwrite', 'write', 'rw', 'readwrite rwmixread=70', 'randread:8', 'read:4k'):
        job(f'null {rw}', f'{NULL} rw={rw}', words='--output-format=' + ALL)
    # Verification.
    for verify in ('crc32c', 'md5', 'xxhash', 'pattern verify_pattern=0xdeadbeef'):
        job(f'verify {verify.split()[0]}', f'ioengine=psync rw=randwrite {FILE} verify={verify}', words='--output-format=' + ALL)
    job('verify backlog', f'ioengine=psync rw=write {FILE} verify=crc32c verify_backlog=16', words='--output-format=json+')
    job('verify mix', f'ioengine=psync rw=randrw {FILE} verify=crc32c', words='--output-format=json')
    job('verify_only', f'ioengine=psync rw=write {FILE} verify=md5', f'name=a', f'name=b stonewall verify_only', words='--output-format=json')
    job('verify damaged', f'ioengine=psync rw=read {FILE} verify=crc32c', words='--output-format=json', prepare=garbage)
    job('verify aio', f'ioengine=libaio iodepth=8 rw=randwrite {FILE} verify=sha1', words='--output-format=' + ALL)
    job('verify do_verify=0', f'ioengine=psync rw=write {FILE} verify=crc32c do_verify=0', words='--output-format=json')
    # Syncs.
    for sync in ('fsync=8', 'fdatasync=4', 'end_fsync=1', 'fsync_on_close=1', 'sync=1', 'sync=dsync', 'sync_file_range=write:8'):
        job(sync, f'ioengine=psync rw=write {FILE} {sync}', words='--output-format=' + ALL)
    # Logs.
    for log in (LOGS, 'write_bw_log=l', 'write_iops_log=l', 'write_lat_log=l', 'write_bw_log', 'write_lat_log', 'write_hist_log=l log_hist_msec=1000'):
        job(f'log {log}', f'{NULL} rw=randrw norandommap {log}', words='--output-format=json')
    for more in ('per_job_logs=0', 'log_offset=1', 'log_prio=1', 'log_offset=1 log_prio=1', 'disable_slat=1', 'disable_clat=1', 'disable_lat=1',
                 'disable_bw=1', 'gtod_reduce=1', 'group_reporting=1', 'log_store_compressed=1 log_compression=64k'):
        job(f'logs {more}', f'{NULL} rw=randrw norandommap numjobs=2 {LOGS} {more}', words='--output-format=' + ALL)
    job('logs aio', f'ioengine=libaio iodepth=8 rw=read {FILE} {LOGS} log_offset=1', words='--output-format=json')
    averaged = f'rate_iops=1000 time_based runtime=2 {LOGS}'
    for more in ('log_avg_msec=100', 'log_avg_msec=500', 'log_avg_msec=250 log_max_value=1', 'log_avg_msec=250 per_job_logs=0 numjobs=2',
                 'log_avg_msec=250 log_offset=1', 'log_avg_msec=500 log_unix_epoch=1'):
        job(f'averaged {more}', f'{NULL} rw=read {averaged} {more}', words='--output-format=' + ALL, exact=False)
    job('histogram', f'{NULL} rw=read rate_iops=1000 time_based runtime=2 write_hist_log=l log_hist_msec=500', exact=False)
    job('histogram coarse', f'{NULL} rw=read rate_iops=1000 time_based runtime=2 write_hist_log=l log_hist_msec=500 log_hist_coarseness=3', exact=False)
    job('timed logs', f'{NULL} rw=randread rate_iops=2000 time_based runtime=1 {LOGS}', words='--output-format=json', exact=False)
    job('timed logs aio', f'ioengine=libaio iodepth=16 rw=randread rate_iops=2000 time_based runtime=1 {FILE} {LOGS}', words='--output-format=json', exact=False)
    job('ramp logs', f'{NULL} rw=randread rate_iops=2000 time_based runtime=1 ramp_time=1 {LOGS}', words='--output-format=json', exact=False)
    # Groups and clones.
    job('clones', f'{NULL} rw=read numjobs=3', words='--output-format=' + ALL)
    job('clones grouped', f'{NULL} rw=read numjobs=3 group_reporting', words='--output-format=' + ALL)
    job('threads', f'{NULL} rw=read numjobs=2 thread', words='--output-format=' + ALL)
    job('two jobs', NULL, 'name=a rw=read', 'name=b rw=write', words='--output-format=' + ALL)
    job('two groups', f'{NULL} group_reporting', 'name=a rw=read', 'name=b rw=write new_group numjobs=2', words='--output-format=' + ALL)
    job('stonewall', NULL, 'name=a rw=read', 'name=b rw=write stonewall', words='--output-format=' + ALL)
    job('wait_for', NULL, 'name=a rw=read', 'name=b rw=write wait_for=a', words='--output-format=json')
    job('described', f'{NULL} rw=read description=some_text', words='--output-format=' + ALL)
    job('unified', f'{NULL} rw=randrw unified_rw_reporting=1', words='--output-format=' + ALL)
    job('unified both', f'{NULL} rw=randrw unified_rw_reporting=both', words='--output-format=' + ALL)
    job('sections', f'{NULL} rw=read', 'name=a', 'name=b', 'name=c', words='--section=b --output-format=json')
    # Percentiles and what is left out.
    for more in ('percentile_list=50:99.9', 'lat_percentiles=1 clat_percentiles=0', 'lat_percentiles=1', 'slat_percentiles=1', 'clat_percentiles=0',
                 'disable_lat=1', 'disable_clat=1', 'disable_slat=1', 'gtod_reduce=1', 'significant_figures=6', 'unit_base=1', 'kb_base=1000',
                 'lat_percentiles=1 slat_percentiles=1', 'randrepeat=0', 'norandommap=1', 'bs=4k,8k', 'bsrange=4k-16k', 'bssplit=4k/50:8k/50'):
        job(f'null {more}', f'ioengine=null size=1m {"bs=4k" if "bs" not in more else ""} rw=randrw {more}', words='--output-format=' + ALL)
    job('percentiles aio', f'ioengine=libaio iodepth=4 rw=randread {FILE} lat_percentiles=1 slat_percentiles=1', words='--output-format=' + ALL)
    # Formats.
    for form in ('normal', 'json', 'json+', 'terse', 'minimal', 'normal,json', 'terse,json', 'json,normal,terse', 'json+,json'):
        job(f'format {form}', f'{NULL} rw=randrw', words='--output-format=' + form)
    for version in (2, 3, 4, 5):
        job(f'terse {version}', f'{NULL} rw=randrw description=text', words=f'--minimal --terse-version={version}')
    job('terse disk', f'ioengine=psync rw=read direct=1 {FILE}', words='--minimal', disk=True)
    job('append-terse', f'{NULL} rw=read', words='--append-terse')
    job('append-terse json', f'{NULL} rw=read', words='--append-terse --output-format=json')
    job('output', f'{NULL} rw=read', words='--output-format=json --output=out')
    job('output list', f'{NULL} rw=read', words='--output-format=normal,json --output=out')
    job('long', f'{NULL} rw=randrw rate_iops=500 time_based runtime=3', words='--output-format=' + ALL, exact=False)
    job('long clones', f'{NULL} rw=read rate_iops=500 time_based runtime=3 numjobs=2', words='--output-format=' + ALL, exact=False)
    job('long group', f'{NULL} rw=read rate_iops=500 time_based runtime=3 numjobs=2 group_reporting', words='--output-format=' + ALL, exact=False)
    job('status', f'{NULL} rw=read rate_iops=500 time_based runtime=3', words='--output-format=json --status-interval=1', exact=False)
    job('steady', f'{NULL} rw=read rate_iops=500 time_based runtime=8 ss=iops:50% ss_dur=3', words='--output-format=' + ALL, exact=False)
    job('latency target', f'{NULL} rw=read iodepth=8 rate_iops=2000 time_based runtime=2 latency_target=1s latency_window=500ms latency_percentile=99',
        words='--output-format=' + ALL, exact=False)
    job('idle-prof', f'{NULL} rw=read', words='--idle-prof=system --output-format=' + ALL)
    job('idle-prof percpu', f'{NULL} rw=read', words='--idle-prof=percpu --output-format=' + ALL)
    job('bandwidth-log', f'{NULL} rw=read rate_iops=500 time_based runtime=2', words='--bandwidth-log --output-format=json', exact=False)
    job('eta', f'{NULL} rw=read', words='--eta=never --output-format=json')
    job('priorities', f'ioengine=io_uring iodepth=4 rw=randread {FILE} cmdprio_percentage=50 cmdprio_class=2', words='--output-format=' + ALL)
    job('thinktime', f'{NULL} rw=read number_ios=20 thinktime=10ms', words='--output-format=json')
    # Signals: what was measured until then.
    for form in ('json', 'normal', 'terse', ALL):
        job(f'SIGINT {form}', f'{NULL} rw=read rate_iops=500 time_based runtime=20', words='--output-format=' + form, stop=(signal.SIGINT, 1.5), exact=False)
    job('SIGTERM', f'{NULL} rw=read rate_iops=500 time_based runtime=20 {LOGS}', words='--output-format=json', stop=(signal.SIGTERM, 1.5), exact=False)
    job('SIGINT clones', f'{NULL} rw=read rate_iops=500 time_based runtime=20 numjobs=2 group_reporting', words='--output-format=json', stop=(signal.SIGINT, 1.5), exact=False)
    job('SIGINT stonewall', f'{NULL} rate_iops=500 time_based runtime=20', 'name=a rw=read', 'name=b rw=write stonewall', words='--output-format=json', stop=(signal.SIGINT, 1.5), exact=False)
    job('SIGINT verify', f'ioengine=psync rw=write {FILE} rate_iops=100 verify=crc32c', words='--output-format=json', stop=(signal.SIGINT, 1), exact=False)
    job('SIGUSR1', f'{NULL} rw=read rate_iops=500 time_based runtime=3', words='--output-format=json', stop=(signal.SIGUSR1, 1.5), exact=False)
    # Errors.
    job('missing file', f'ioengine=psync rw=read {FILE} allow_file_create=0', words='--output-format=json')
    job('missing directory', f'ioengine=psync rw=read directory=no size=1m bs=4k', words='--output-format=json')
    job('full device', 'ioengine=psync rw=write filename=/dev/full size=1m bs=4k', words='--output-format=json')
    job('unknown option', f'{NULL} rw=read nonsense=1', words='--output-format=json')
    job('unknown engine', 'ioengine=nonsense rw=read size=1m', words='--output-format=json')
    job('no job file', words='--output-format=json nowhere.fio')
    if os.geteuid() == 0:
        # A file system of half a MiB.
        full = 'ioengine=psync rw=write bs=4k size=1m fallocate=none'
        job('full disk', f'{full} filename=f', words='--output-format=' + ALL, small=True)
        job('full disk, continue_on_error', f'{full} filename=f continue_on_error=all', words='--output-format=' + ALL, small=True)
        job('full disk, one of two', full, 'name=a filename=f', 'name=b ioengine=null', words='--output-format=json', small=True)
        job('full disk, exitall_on_error', full, 'name=a filename=f exitall_on_error', 'name=b ioengine=null', words='--output-format=json', small=True, exact=False)
        job('full disk, logs', f'{full} filename=f write_lat_log=/dev/shm/key-trees', words='--output-format=json', small=True)
    job('rate_min', f'{NULL} rw=read rate_iops=100 rate_iops_min=1000 time_based runtime=6', words='--output-format=json', exact=False)


def garbage(directory):
    with open(os.path.join(directory, 'f'), 'wb') as file:
        file.write(b'\x5a' * (1 << 20))


# What fathom does otherwise on purpose: heading in docs/differences.md, and does it explain this difference of this job?
def listed(heading, found, *words):
    """Differences that match `found`, in jobs whose text or command line has one of these words (any job without words)."""
    LISTED.append((heading, lambda one, text: re.search(found, one) and (not words or any(word in text for word in words))))


LISTED = []
listed('Workers are threads', r"^text: (no|more) 'Starting")
listed('Notes and warnings of `fathom fio`', r"^text: no '(fio: |\w+: Laying out IO file|verify: )")
listed('The JSON document', r'^json: 0 documents', 'allow_file_create=0', '/dev/full')
listed('Names and files', r'^jobs\[0\].error: 2', 'allow_file_create=0')
listed('What the three latencies are', r'slat', 'ioengine=null')
listed('What the three latencies are', r'lat_ns.N', 'filecreate')
listed('Counts do not depend on the depth', r'short_ios|sync', 'sync')
listed('The first second counts like any other', r"^text: (no|more) ' (bw \( B/s\)|iops :)")
listed('Latency from the intended start', r'^json: more .*\.response_ns', 'rate_iops', 'thinktime')
listed("Flags of fio's command line", r'unit_mean|unit_stddev|unit work', 'idle-prof')
listed("Flags of fio's command line", r'json: [2345] documents, in fio [345]', 'status-interval')
listed('Lines of logs', r'clat_hist.* in fio \[\]', 'write_hist_log')
listed('The clock', r'^l_(bw|iops)\.\d\.log: ', 'gtod_reduce')
listed('What a verification counts', r'^json: no .jobs\[1\].write|^jobs\[1\].write', 'verify_only')
listed('What a verification counts', r'^json: more .jobs\[1\].latency_', 'verify_only')
listed('What the three latencies are', r'slat', 'verify=sha1')
listed('docs/known-gaps.md', r'\.prios|^text: no |order of keys', 'cmdprio_percentage')
listed('The JSON document', r"^text: .* mixed: ", 'unified_rw_reporting=both')
listed('Sizes that differ by direction', r'io_bytes', 'bs=4k,8k')
listed('The search for a depth', r'total_ios', 'latency_target')
listed("Flags of fio's command line", r'^agg-', 'bandwidth-log')
listed('Counts do not depend on the depth', r'total_ios: 127, in fio 128', 'fallocate=none')
listed('Notes and warnings of `fathom fio`', r'^text: (no|more) .*No space left on device', 'fallocate=none')



def text_of(spec):
    lines = []
    for n, section in enumerate(spec['sections']):
        name = 'j' if len(spec['sections']) == 1 else 'global'
        found = re.match(r'name=(\w+)\s*', section)
        if found:
            name, section = found.group(1), section[found.end():]
        lines += [f'[{name}]'] + section.split()
    return '\n'.join(lines).replace('some_text', 'some text; with more') + '\n'


def run(tool, spec, scratch):
    """What a tool leaves: exit code, both streams, files."""
    where = tempfile.mkdtemp(dir=scratch if spec['disk'] else '/dev/shm')
    if spec['small']:
        subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=512k', 'small', where], check=True)
    try:
        words = [tool] + spec['words'].split()
        if spec['sections']:
            with open(os.path.join(where, 'j.fio'), 'w') as file:
                file.write(text_of(spec))
            words.append('j.fio')
        if spec['prepare']:
            spec['prepare'](where)
        process = subprocess.Popen(words, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if spec['stop']:
            time.sleep(spec['stop'][1])
            process.send_signal(spec['stop'][0])
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        files = {}
        for name in sorted(os.listdir(where)):
            if name == 'out' or name.endswith('.log'):
                with open(os.path.join(where, name), errors='replace') as file:
                    files[name] = file.read()
            elif name.endswith('.fz'):
                files[name] = ''
        return dict(exit=process.returncode, out=out.decode(errors='replace'), err=err.decode(errors='replace'), files=files)
    finally:
        if spec['small']:
            subprocess.run(['umount', where], check=True)
        shutil.rmtree(where)


# JSON.

class Text(str):
    """A number with the form in which it was written."""


def number(text):
    decimals = len(text.split('.')[1]) if '.' in text and 'e' not in text else 0
    return Text(f'float{decimals}:{text}')


def documents(text):
    """The JSON documents of a text, and the rest of it."""
    decoder = json.JSONDecoder(parse_float=number, parse_int=lambda text: Text('int:' + text), object_pairs_hook=list)
    found, rest, at = [], [], 0
    while True:
        match = re.compile(r'^\{', re.M).search(text, at)
        if not match:
            return found, ''.join(rest) + text[at:]
        rest.append(text[at:match.start()])
        try:
            document, at = decoder.raw_decode(text, match.start())
        except ValueError as error:
            return found + [[('not valid', str(error))]], ''.join(rest)
        found.append(document)


def is_object(node):
    return isinstance(node, list) and all(isinstance(pair, tuple) for pair in node) and node


def leaves(node, path=''):
    """Paths with the type of what is there, in order."""
    if isinstance(node, list) and is_object(node):
        yield path, 'object'
        for key, value in node:
            if path.endswith('.bins'):
                yield f'{path}.*', kind(value)
                break
            yield from leaves(value, f'{path}.{key}')
    elif isinstance(node, list):
        yield path, 'list or empty'
        for n, value in enumerate(node):
            yield from leaves(value, f'{path}[{n}]' if path.endswith(('.jobs', '.disk_util')) else f'{path}[]')
    else:
        yield path, kind(node)


def kind(value):
    return value.split(':')[0] if isinstance(value, Text) else type(value).__name__


def plain(node):
    """The document as one reads it."""
    if isinstance(node, list) and is_object(node):
        return {key: plain(value) for key, value in node}
    if isinstance(node, list):
        return [plain(value) for value in node] if node else {}
    return float(node.split(':')[1]) if isinstance(node, Text) else node


def trees(fio, ours, spec):
    a, b = list(leaves(fio)), list(leaves(ours))
    kinds_a, kinds_b = dict(a), dict(b)
    for path, of in a:
        if path not in kinds_b:
            yield f'json: no {path}'
        elif kinds_b[path] != of:
            yield f'json: {path} is {kinds_b[path]}, in fio {of}'
    for path, of in b:
        if path not in kinds_a and not path.startswith('.fathom'):
            yield f'json: more {path}'
    common = [path for path in kinds_a if path in kinds_b]
    if common != [path for path in kinds_b if path in kinds_a]:
        yield 'json: order of keys'


COUNTS = ('total_ios', 'io_bytes', 'short_ios', 'drop_ios')


def counts(fio, ours, spec):
    """Values of the jobs that are compared."""
    a, b = plain(fio).get('jobs', []), plain(ours).get('jobs', [])
    for n, (x, y) in enumerate(zip(a, b)):
        for key in ('jobname', 'groupid', 'error', 'job options', 'desc'):
            if x.get(key) != y.get(key):
                yield f'jobs[{n}].{key}: {y.get(key)}, in fio {x.get(key)}'
        for d in ('read', 'write', 'trim', 'mixed'):
            if d not in x or d not in y or is_drawn(spec):
                continue
            for key in COUNTS:
                p, q = x[d][key], y[d][key]
                if p != q and (spec['exact'] or ('rate_iops' in text_of(spec) and not spec['stop'] and key == 'total_ios' and abs(p - q) > 0.2 * p)):
                    yield f'jobs[{n}].{d}.{key}: {q:.0f}, in fio {p:.0f}'
            for key in ('slat_ns', 'clat_ns', 'lat_ns'):
                p, q = (of[d].get(key, {}).get('N', 0) for of in (x, y))
                if (p > 0) != (q > 0) or (spec['exact'] and p != q):
                    yield f'jobs[{n}].{d}.{key}.N: {q:.0f}, in fio {p:.0f}'
        p, q = (of.get('sync', {}).get('total_ios', 0) for of in (x, y))
        if p != q and spec['exact']:
            yield f'jobs[{n}].sync.total_ios: {q:.0f}, in fio {p:.0f}'


def parts(text):
    """The kinds of what is printed, in order: H header, T terse, J JSON, R results."""
    kinds = ''.join('J' if line == '{' else 'T' if is_terse(line) else 'R' if re.match(r'^\S.*: \(groupid=', line) else
                    'H' if re.match(r'^\S.*: \(g=', line) else '' for line in text.splitlines())
    return re.sub(r'(.)\1+', r'\1', kinds)


def is_drawn(spec):
    return any(word in text_of(spec) for word in ('rw=rw', 'randrw', 'readwrite', 'bssplit', 'bsrange'))


def drawn_counts(fio, ours, spec):
    """Directions or sizes are drawn, and the tools draw other numbers: sums over the directions."""
    if not spec['exact'] or not is_drawn(spec):
        return
    a, b = plain(fio).get('jobs', []), plain(ours).get('jobs', [])
    for n, (x, y) in enumerate(zip(a, b)):
        if 'verify' in text_of(spec):
            # As many are read back as the draw wrote.
            continue
        for key in ('io_bytes',) if re.search('bssplit|bsrange|bs=4k,8k', text_of(spec)) else COUNTS:
            p, q = (sum(of[d][key] for d in ('read', 'write', 'trim', 'mixed') if d in of) for of in (x, y))
            if p != q:
                yield f'jobs[{n}].{key}: {q:.0f}, in fio {p:.0f}'
        for d in ('read', 'write', 'trim', 'mixed'):
            for key in ('clat_ns', 'lat_ns'):
                if d in y and y[d].get(key, {}).get('N', 0) not in (0, y[d]['total_ios']):
                    yield f'jobs[{n}].{d}.{key}.N: {y[d][key]["N"]:.0f} of {y[d]["total_ios"]:.0f}'


# Text.

NUMBER = re.compile(r'[-+]?\d[\d.]*[kMGTP]?')


def skeleton(line):
    line = re.sub(r'\bfio-[\w.-]+', 'VERSION', line)
    line = re.sub(r'[KMGT]iB|\b[kMGT]B|(?<=\d)[kMGT]?B\b|(?<=\d)[KMGT]?i?b(it)?\b', 'B', line)
    line = re.sub(r'\((nsec|usec|msec)\)', '(T)', line)
    line = NUMBER.sub('#', line)
    line = re.sub(r'(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} +# #:#:# #', 'DATE', line)
    line = re.sub(r'#[KMGT]?i?B', '#B', line)
    return re.sub(r' +(?=[#\]])', '', re.sub(r' +', ' ', line.rstrip()))


MEASURED = re.compile(r'^ *lat \((nsec|usec|msec)\) *:')


def is_terse(line):
    return line.count(';') > 40


def lines(text):
    kept = [line for line in text.splitlines() if not is_terse(line) and not MEASURED.match(line)]
    text = '\n'.join(skeleton(line) for line in kept if line.strip())
    # Percentiles are as many to a line as their digits allow.
    return re.sub(r',?\n \|', ',', text).replace('[#.', '[#').splitlines()


def texts(fio, ours, spec):
    a, b = lines(fio), lines(ours)
    if a != b:
        missing = list((collections.Counter(a) - collections.Counter(b)).elements())
        more = list((collections.Counter(b) - collections.Counter(a)).elements())
        for line in missing:
            yield f'text: no {line!r}'
        for line in more:
            yield f'text: more {line!r}'
        if not missing and not more:
            yield 'text: order of lines'


def form(field):
    return 'text' if re.search('[A-Za-z]', field) else NUMBER.sub(lambda m: '#.' + str(len(m.group().split('.')[1])) if '.' in m.group() else '#', field)


def terse(fio, ours, spec):
    a, b = ([line.split(';') for line in text.splitlines() if is_terse(line)] for text in (fio, ours))
    if len(a) != len(b):
        yield f'terse: {len(b)} lines, in fio {len(a)}'
    for n, (x, y) in enumerate(zip(a, b)):
        if len(x) != len(y):
            yield f'terse: {len(y)} fields, in fio {len(x)}'
            continue
        for at, (p, q) in enumerate(zip(x, y)):
            if form(p) != form(q):
                yield f'terse: field {at} is {q}, in fio {p}'


# Logs.

def shape(log):
    """Columns, and lines by direction."""
    rows = [row.split(', ') for row in log.splitlines()]
    return {len(row) for row in rows}, collections.Counter(row[2] for row in rows if len(row) > 2)


def logs(fio, ours, spec):
    if sorted(fio) != sorted(ours):
        yield f'logs: {" ".join(sorted(set(ours) - set(fio)))} more, {" ".join(sorted(set(fio) - set(ours)))} missing'
    for name in sorted(set(fio) & set(ours)):
        if not name.endswith('.log'):
            continue
        (columns_a, rows_a), (columns_b, rows_b) = shape(fio[name]), shape(ours[name])
        if 'hist' in name:
            rows_a = rows_b = {}
        if columns_a != columns_b:
            yield f'{name}: columns {sorted(columns_b)}, in fio {sorted(columns_a)}'
        slack = 0 if spec['exact'] else 1e9 if spec['stop'] else 2 if 'avg' in text_of(spec) else 0.2 * max(rows_a.values(), default=0)
        if is_drawn(spec):
            rows_a, rows_b = ({'all': sum(rows.values())} for rows in (rows_a, rows_b))
        for d in sorted(set(rows_a) | set(rows_b)):
            if abs(rows_a.get(d, 0) - rows_b.get(d, 0)) > slack:
                yield f'{name}: {rows_b.get(d, 0)} lines of direction {d}, in fio {rows_a.get(d, 0)}'


def differences(fio, ours, spec):
    if fio['exit'] != ours['exit']:
        yield f'exit: {ours["exit"]}, in fio {fio["exit"]}'
    if ours['exit'] == 0 and ours['err']:
        yield f'stderr: {ours["err"][:200]!r}'
    pairs = [(fio['out'], ours['out'])]
    if 'out' in fio['files'] or 'out' in ours['files']:
        pairs.append((fio['files'].get('out', ''), ours['files'].get('out', '')))
    for theirs, mine in pairs:
        (docs_a, rest_a), (docs_b, rest_b) = documents(theirs), documents(mine)
        if len(docs_a) != len(docs_b):
            yield f'json: {len(docs_b)} documents, in fio {len(docs_a)}'
        for a, b in zip(docs_a, docs_b):
            yield from trees(a, b, spec)
        if docs_a and docs_b:
            yield from counts(docs_a[-1], docs_b[-1], spec)
            yield from drawn_counts(docs_a[-1], docs_b[-1], spec)
        yield from texts(rest_a, rest_b, spec)
        if parts(theirs) != parts(mine) and len(docs_a) == len(docs_b):
            yield f'order: {parts(mine)}, in fio {parts(theirs)}'
        yield from terse(rest_a, rest_b, spec)
    names = [{name: text for name, text in of['files'].items() if name != 'out'} for of in (fio, ours)]
    yield from logs(*names, spec)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--fathom', required=True)
    parser.add_argument('--fio', default='/usr/bin/fio')
    parser.add_argument('--scratch', default='/var/tmp')
    parser.add_argument('--only', default='')
    parser.add_argument('--verbose', action='store_true', help='print listed differences too')
    args = parser.parse_args()
    table()
    tally = collections.Counter()
    with tempfile.TemporaryDirectory(dir=args.scratch) as scratch:
        link = os.path.join(scratch, 'fio')
        os.symlink(os.path.abspath(args.fathom), link)
        for spec in JOBS:
            all_words = text_of(spec) + spec['words']
            if args.only not in spec['name']:
                continue
            fio, ours = run(args.fio, spec, scratch), run(link, spec, scratch)
            found, listed = [], []
            for one in differences(fio, ours, spec):
                why = next((why for why, explains in LISTED if explains(one, all_words)), None)
                (listed if why else found).append((why, one))
            how = 'DIFFERENT' if found else 'listed' if listed else 'equal'
            tally[how] += 1
            print(f'{how:<10} {spec["name"]:<32} {", ".join(sorted({why for why, _ in listed}))}', flush=True)
            for _, one in found[:12]:
                print(f'    {one}')
            if len(found) > 12:
                print(f'    and {len(found) - 12} more')
            if args.verbose:
                for why, one in listed:
                    print(f'    ({why}) {one}')
            if found and args.verbose and ours['err']:
                print('    stderr:', ours['err'][:600])
    print(f'{sum(tally.values())} jobs: ' + ', '.join(f'{n} {how}' for how, n in sorted(tally.items())))
    sys.exit('DIFFERENT' in tally)


if __name__ == '__main__':
    main()
