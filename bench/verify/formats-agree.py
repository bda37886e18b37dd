#!/usr/bin/env python3
"""Generated short runs, each printed in all forms of fio at once and with a line of log for each I/O: is every figure one number?

    formats-agree.py --fathom BIN [--runs 500] [--seed 1] [--only N] [--engine NAME]

BIN is the fathom binary, called as `fathom fio`. Of each run these are compared:

  json+   with itself: bytes, rates and run time; N of each latency and total_ios; the bins and N, minimum, maximum and percentiles;
          mean of slat + clat = mean of lat
  terse   with json+: every field of each direction, CPU, depths, classes of latency
  normal  with json+: rates, bytes, run times, latencies, percentiles, classes, CPU, issued I/Os, groups: within the digits that are printed
  logs    with json+: lines, sum of block sizes, minimum, maximum, mean and deviation of each latency; each percentile within 0.5 % of
          the one of the sorted lines; I/Os in logs of histograms

A figure that differs is printed with the job, and the script ends with 1.
"""
import argparse, collections, concurrent.futures, glob, json, math, os, random, re, shutil, subprocess, sys, tempfile

DIRECTIONS = ['read', 'write', 'trim']
PERCENTILES = [1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99]


def job(rng, engine=None):
    """Text of a job file."""
    engine = engine or rng.choice(['null'] * 5 + ['psync', 'pvsync2', 'libaio', 'io_uring', 'mmap', 'posixaio', 'sim'])
    is_async = engine in ('null', 'libaio', 'io_uring', 'posixaio', 'sim')
    patterns = ['read', 'write', 'randread', 'randwrite', 'rw', 'randrw'] + (['trim', 'trimwrite'] if engine == 'null' else [])
    lines = [f'ioengine={"null" if engine == "null" else "io_uring" if engine == "sim" else engine}', f'rw={rng.choice(patterns)}',
             f'bs={rng.choice(["512", "4k", "16k", "4k,8k"])}', 'norandommap', f'size={rng.choice(["256k", "1m"])}']
    lines += [f'filename={"sim:consumer/64" if engine == "sim" else "f"}']
    if engine == 'mmap':
        lines[2] = 'bs=4k'
    if engine == 'sim':
        lines[0] = 'ioengine=sim'
    if is_async:
        lines.append(f'iodepth={rng.choice([1, 2, 8, 32])}')
    is_timed = rng.random() < 0.35
    if is_timed:
        lines += ['time_based', f'runtime={rng.choice(["60ms", "150ms", "300ms"])}', f'rate_iops={rng.choice([500, 2000, 8000])}']
    elif rng.random() < 0.5:
        lines.append(f'number_ios={rng.choice([1, 2, 9, 10, 100, 333])}')
    if rng.random() < 0.2:
        lines.append('ramp_time=60ms')
        if not is_timed:
            lines += ['time_based', 'runtime=100ms', 'rate_iops=2000']
    chances = {'group_reporting': 0.3, 'per_job_logs=0': 0.2, 'log_offset=1': 0.2, 'lat_percentiles=1': 0.2, 'slat_percentiles=1': 0.15,
               'disable_lat=1': 0.06, 'disable_clat=1': 0.06, 'disable_slat=1': 0.06, 'clat_percentiles=0': 0.06, 'description=text': 0.1,
               'unified_rw_reporting=1': 0.08, 'unified_rw_reporting=both': 0.08, 'write_hist_log=l\nlog_hist_msec=50': 0.2,
               'thinktime=200us': 0.08, 'percentile_list=50:99:99.99': 0.1, 'significant_figures=8': 0.1}
    lines += [line for line, chance in chances.items() if rng.random() < chance]
    has_files = engine in ('psync', 'pvsync2', 'libaio', 'io_uring', 'posixaio')
    clones = rng.choice([1, 1, 2, 3])
    rw = next(line for line in lines if line.startswith('rw='))
    if has_files and 'write' in rw and rng.random() < 0.3 and not is_timed and 'time_based' not in lines:
        lines += ['verify=crc32c', 'bs=4k']
        lines = [line for line in lines if line != 'norandommap']
        clones = 1
    elif has_files and 'w' in rw and rng.random() < 0.3:
        lines.append(rng.choice(['fsync=8', 'fdatasync=4', 'end_fsync=1']))
    lines.append(f'numjobs={clones}')
    sections = ['[a]'] if rng.random() < 0.6 or 'verify=crc32c' in lines else ['[a]', '[b]\n' + rng.choice(['', 'stonewall', 'new_group'])]
    logs = 'write_bw_log=l\nwrite_iops_log=l\nwrite_lat_log=l'
    return '\n'.join(['[global]'] + lines + [logs] + sections) + '\n'


class Run:
    """What one run left, and what is wrong with it."""

    def __init__(self, text, fathom, terse):
        self.text, self.faults, self.version = text, [], terse
        self.checks = collections.Counter()
        where = tempfile.mkdtemp(prefix='formats-agree-', dir='/dev/shm')
        try:
            with open(os.path.join(where, 'j.fio'), 'w') as file:
                file.write(text)
            words = [fathom, 'fio', '--output-format=normal,terse,json+', f'--terse-version={terse}', '--output=out', 'j.fio']
            done = subprocess.run(words, cwd=where, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
            # On a busy machine fathom says that it waits.
            told = [line for line in done.stderr.splitlines() if line and not line.startswith('still waiting')]
            if done.returncode != 0 or told or done.stdout:
                self.faults.append(f'exit {done.returncode}: {done.stderr[:400]}{done.stdout[:200]}')
                return
            with open(os.path.join(where, 'out')) as file:
                out = file.read()
            start, end = out.index('\n{\n') + 1, out.index('\n}\n') + 2
            self.json = json.loads(out[start:end])
            self.terse = [line.split(';') for line in out[:start].splitlines() if line.startswith(f'{terse};') and line.count(';') > 40]
            self.normal = out[end:]
            self.logs = {}
            for path in glob.glob(os.path.join(where, 'l_*.log')):
                with open(path) as file:
                    kind, number = re.fullmatch(r'l_(\w+?)(?:\.(\d+))?\.log', os.path.basename(path)).groups()
                    rows = [[int(column, 0) for column in line.split(', ')] for line in file]
                    self.logs.setdefault(kind, {})[int(number or 0)] = rows
        finally:
            shutil.rmtree(where)
        self.rows = self.json['jobs']
        for n, row in enumerate(self.rows):
            self.in_json(n, row)
        self.in_terse()
        self.in_normal()
        self.in_logs()

    def must(self, is_so, what):
        self.checks[what.split()[0]] += 1
        if not is_so:
            self.faults.append(what)

    def near(self, a, b, within, what):
        self.must(abs(a - b) <= within + 1e-9 * abs(b), f'{what}: {a} and {b}')

    def flows(self, row):
        """The directions of a row that did anything."""
        return [(d, row[d]) for d in DIRECTIONS + ['mixed'] if d in row and row[d]['total_ios']]

    # JSON.

    def in_json(self, n, row):
        for d, flow in self.flows(row):
            name, ios, ms = f'json {n} {d}', flow['total_ios'], flow['runtime']
            self.must(flow['io_kbytes'] == flow['io_bytes'] >> 10, f'{name}: io_kbytes')
            self.near(flow['bw'], flow['bw_bytes'] / 1024, 1, f'{name}: bw')
            for count, rate in ((ios, flow['iops']), (flow['io_bytes'], flow['bw_bytes'])):
                self.near(1000 * count / rate, ms, 1.001, f'{name}: run time by its rate')
            for kind in ('slat_ns', 'clat_ns', 'lat_ns'):
                self.latency(f'{name} {kind}', flow.get(kind, {'N': 0}), ios)
            slat, clat, lat = (flow.get(kind, {'N': 0}) for kind in ('slat_ns', 'clat_ns', 'lat_ns'))
            if clat['N'] and lat['N']:
                self.must(clat['max'] <= lat['max'] and clat['min'] <= lat['min'], f'{name}: clat above lat')
                if slat['N']:
                    self.near(slat['mean'] + clat['mean'], lat['mean'], 1e-4 + lat['mean'] * 1e-6, f'{name}: slat + clat')
        shares = sum(sum(row[of].values()) for of in ('latency_ns', 'latency_us', 'latency_ms'))
        if self.flows(row) and shares:
            self.near(shares, 100, 0.01, f'json {n}: classes of latency')

    def latency(self, name, it, ios):
        if not it['N']:
            return
        self.must(it['N'] == ios, f'{name}: N {it["N"]}, total_ios {ios}')
        self.must(it['min'] <= it['mean'] + 1e-6 and it['mean'] <= it['max'] + 1e-6, f'{name}: mean {it}')
        bins = {int(at): n for at, n in it.get('bins', {}).items()}
        if bins:
            self.must(sum(bins.values()) == it['N'], f'{name}: {sum(bins.values())} in bins, N {it["N"]}')
            self.near(min(bins), it['min'], it['min'] * 0.008 + 1, f'{name}: lowest bin and minimum')
            self.near(max(bins), it['max'], it['max'] * 0.008 + 1, f'{name}: highest bin and maximum')
        spread = sorted(bins)
        for percent, value in it.get('percentile', {}).items():
            self.must(it['min'] <= value <= it['max'], f'{name}: p{percent} of {value} outside {it["min"]} and {it["max"]}')
            if bins:
                rank, below = max(1, math.ceil(float(percent) / 100 * it['N'] - 1e-9)), 0
                for at in spread:
                    below += bins[at]
                    if below >= rank:
                        break
                self.near(value, at, at * 0.008 + 1, f'{name}: p{percent} by its bins')

    # Terse.

    def in_terse(self):
        self.must(len(self.terse) == len(self.rows), f'terse: {len(self.terse)} lines, {len(self.rows)} jobs')
        for n, (fields, row) in enumerate(zip(self.terse, self.rows)):
            head, length = (4, 41) if self.version == 2 else (5, 47 if self.version == 5 else 41)
            ddirs = DIRECTIONS if self.version in (2, 4, 5) else DIRECTIONS[:2]
            is_mixed = 'read' not in row
            if is_mixed:
                ddirs = ['mixed']
            elif 'mixed' in row:
                ddirs = ddirs + ['mixed']
            for k, d in enumerate(ddirs):
                block, flow = fields[head + k * length:head + (k + 1) * length], row.get(d)
                if flow:
                    self.terse_flow(f'terse {n} {d}', block, flow)
            rest = fields[head + len(ddirs) * length:]
            number = lambda text: float(text.rstrip('%'))
            for at, key in enumerate(('usr_cpu', 'sys_cpu', 'ctx', 'majf', 'minf')):
                self.near(number(rest[at]), row[key], 1e-5, f'terse {n} {key}')
            for at, share in enumerate(row['iodepth_level'].values()):
                self.near(number(rest[5 + at]), share, 0.051, f'terse {n} depths')
            us, ms = list(row['latency_us'].values()), list(row['latency_ms'].values())
            us[0] += sum(row['latency_ns'].values())
            for at, share in enumerate(us + ms):
                self.near(number(rest[12 + at]), share, 0.0601, f'terse {n} class {at}')

    def terse_flow(self, name, block, flow):
        for at, key in enumerate(('io_kbytes', 'bw', 'iops', 'runtime')):
            self.near(float(block[at]), flow[key], 1, f'{name} {key}')
        for at, kind in ((4, 'slat_ns'), (8, 'clat_ns'), (32, 'lat_ns')):
            it = flow.get(kind, {'N': 0})
            if not it['N']:
                self.must(all(float(field) == 0 for field in block[at:at + 4]), f'{name} {kind}: {block[at:at + 4]} of nothing')
                continue
            for field, key in zip(block[at:at + 4], ('min', 'max', 'mean', 'stddev')):
                self.near(float(field), it[key] / 1000, 1 if key in ('min', 'max') else 1e-5, f'{name} {kind} {key}')
        kind = 'clat_ns' if 'percentile' in flow.get('clat_ns', {}) and 'lat_percentiles=1' not in self.text else 'lat_ns'
        given = flow.get(kind, {}).get('percentile', {})
        for field, (percent, value) in zip(block[12:32], given.items()):
            shown, us = field.split('%=')
            self.must(abs(float(shown) - float(percent)) < 1e-6, f'{name} percentile {field}, {percent}')
            self.near(float(us), value / 1000, 1, f'{name} p{percent}')
        for at, key in ((36, 'bw_min'), (37, 'bw_max')):
            self.near(float(block[at]), flow[key], 1, f'{name} {key}')
        for at, key in ((39, 'bw_mean'), (40, 'bw_dev')):
            self.near(float(block[at]), flow[key], 1e-5, f'{name} {key}')
        keys = ('bw_samples', 'iops_min', 'iops_max', 'iops_mean', 'iops_stddev', 'iops_samples')
        for field, key in zip(block[41:], keys):
            self.near(float(field), flow[key], 1, f'{name} {key}')

    # Normal.

    def printed(self, text, figure, what, factor=1.0):
        """A printed number, with a prefix or a unit of bytes, is this figure but for its last digit."""
        digits, prefix = re.match(r'\s*([\d.]+)([kKMGT]?)', text).groups()
        scale = {'': 1, 'k': 1000, 'K': 1024, 'M': 1e6, 'G': 1e9, 'T': 1e12}[prefix]
        if 'iB' in text:
            scale = {'': 1, 'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30, 'T': 1 << 40}[prefix]
        last = 10.0 ** -len(digits.partition('.')[2])
        self.near(float(digits) * scale * factor, figure, last * scale * factor * 1.0001, f'normal {what} ({text.strip()})')

    def in_normal(self):
        blocks = re.split(r'^(?=\S.*: \(groupid=)', self.normal.split('\nRun status group')[0], flags=re.M)[1:]
        self.must(len(blocks) == len(self.rows), f'normal: {len(blocks)} jobs of {len(self.rows)}')
        for n, (block, row) in enumerate(zip(blocks, self.rows)):
            flows = self.flows(row)
            parts = re.split(r'^  (read|write|trim|mixed): ', block, flags=re.M)
            self.must(parts[1::2] == [d for d, _ in flows], f'normal {n}: directions {parts[1::2]}, {[d for d, _ in flows]}')
            for (d, flow), part in zip(flows, parts[2::2]):
                self.normal_flow(f'{n} {d}', part, flow)
            cpu = re.search(r'usr=([\d.]+)%, sys=([\d.]+)%, ctx=(\d+), majf=(\d+), minf=(\d+)', block).groups()
            for text, key in zip(cpu, ('usr_cpu', 'sys_cpu', 'ctx', 'majf', 'minf')):
                self.printed(text, row[key], f'{n} {key}')
            issued = re.search(r'total=([\d,]+) short=([\d,]+)', block).groups()
            total, short = ([int(x) for x in part.split(',')] for part in issued)
            if 'read' in row:
                self.must(total[:3] == [row[d]['total_ios'] for d in DIRECTIONS], f'normal {n}: issued {total}')
                self.must(total[3] == row['sync']['total_ios'], f'normal {n}: {total[3]} syncs, json {row["sync"]["total_ios"]}')
                self.must(short[:3] == [row[d]['short_ios'] for d in DIRECTIONS], f'normal {n}: short {short}')
            else:
                self.must(total[0] == row['mixed']['total_ios'], f'normal {n}: issued {total}')
            for unit, key in (('nsec', 'latency_ns'), ('usec', 'latency_us'), ('msec', 'latency_ms')):
                found = dict(re.findall(r'([>=\d]+)=([\d.]+)%', ' '.join(re.findall(rf'^  lat \({unit}\) *: (.*)$', block, re.M))))
                for name, share in row[key].items():
                    self.near(float(found.get(name, 0)), share, 0.0601, f'normal {n} class {name} {unit}')
        self.normal_groups()

    def normal_flow(self, name, part, flow):
        iops, iec, si, bytes_, ms = re.match(r'IOPS=(\S+), BW=(\S+)/s \((\S+)/s\)\((\S+)/(\d+)msec\)', part).groups()
        self.printed(iops, flow['iops'], f'{name} IOPS')
        self.printed(iec, flow['bw_bytes'], f'{name} BW')
        self.printed(si, flow['bw_bytes'], f'{name} BW')
        self.printed(bytes_, flow['io_bytes'], f'{name} bytes')
        self.must(int(ms) == flow['runtime'], f'normal {name}: {ms} ms, json {flow["runtime"]}')
        factors = {'nsec': 1, 'usec': 1e3, 'msec': 1e6}
        for kind, unit, low, high, mean, dev in re.findall(
                r'^ +(slat|clat|lat) \((\wsec)\): min= *(\S+), max= *(\S+), avg= *(\S+), stdev= *(\S+)$', part, re.M):
            it = flow[kind + '_ns']
            for text, key in ((low, 'min'), (high, 'max'), (mean, 'mean'), (dev, 'stddev')):
                self.printed(text, it[key], f'{name} {kind} {key}', factors[unit])
        for kind, unit, table in re.findall(r'^ +(slat|clat|lat) percentiles \((\wsec)\):\n((?: +\|.*\n?)+)', part, re.M):
            cells = re.findall(r'([\d.]+)th=\[ *(\d+)\]', table)
            given = flow[kind + '_ns']['percentile']
            self.must(len(cells) == len(given), f'normal {name} {kind}: {len(cells)} percentiles of {len(given)}')
            for (percent, text), (key, value) in zip(cells, given.items()):
                self.near(float(percent), float(key), 0.0051, f'normal {name} percentile')
                self.printed(text, value, f'{name} {kind} p{percent}', factors[unit])

    def normal_groups(self):
        for number, lines in re.findall(r'^Run status group (\d+) \(all jobs\):\n((?: .*\n?)+)', self.normal, re.M):
            members = [row for row in self.rows if row['groupid'] == int(number)]
            for d, rest in re.findall(r'^ *(READ|WRITE|TRIM|MIXED): (.*)$', lines, re.M):
                flows = [row[d.lower()] for row in members if row.get(d.lower(), {}).get('total_ios')]
                if not flows:
                    continue
                found = re.fullmatch(r'bw=(\S+)/s \((\S+)/s\), (\S+)/s-(\S+)/s \(\S+/s-\S+/s\), io=(\S+) \((\S+)\), run=(\d+)-(\d+)msec', rest)
                _, _, low, high, bytes_, si, shortest, longest = found.groups()
                total = sum(flow['io_bytes'] for flow in flows)
                self.printed(bytes_, total, f'group {number} {d}')
                self.printed(si, total, f'group {number} {d}')
                self.printed(low, min(flow['bw_bytes'] for flow in flows), f'group {number} {d} slowest')
                self.printed(high, max(flow['bw_bytes'] for flow in flows), f'group {number} {d} fastest')
                times = [flow['runtime'] for flow in flows]
                self.must((int(shortest), int(longest)) == (min(times), max(times)), f'normal group {number} {d}: {shortest}-{longest} ms, {times}')

    # Logs.

    def in_logs(self):
        """Of all jobs together, and of each where each has a log of its own."""
        for kind in ('bw', 'iops', 'slat', 'clat', 'lat'):
            for key, lines in self.logs.get(kind, {}).items():
                self.must(all(a[0] <= b[0] for a, b in zip(lines, lines[1:])) or key == 0, f'log {kind}.{key}: times')
            everything = [line for lines in self.logs.get(kind, {}).values() for line in lines]
            if kind in self.logs:
                self.log(kind, everything, self.rows, f'log {kind}')
            if len(self.logs.get(kind, {})) == len(self.rows) and 'verify' not in self.text:
                for row, (number, lines) in zip(self.rows, sorted(self.logs[kind].items())):
                    self.log(kind, lines, [row], f'log {kind}.{number}')
        for d, name in enumerate(DIRECTIONS):
            if 'clat_hist' in self.logs and 'read' in self.rows[0]:
                counted = sum(sum(line[3:]) for lines in self.logs['clat_hist'].values() for line in lines if line[1] == d)
                ios = sum(row[name]['total_ios'] for row in self.rows)
                self.must(counted == ios, f'log of histograms: {counted} of {ios} {name}')

    def log(self, kind, lines, rows, what):
        for d, name in enumerate(DIRECTIONS):
            if 'read' not in rows[0]:
                mine, flows = (lines, [row['mixed'] for row in rows]) if d == 0 else ([], [])
            else:
                mine, flows = [line for line in lines if line[2] == d], [row[name] for row in rows]
            if kind == 'slat' and not mine and all(not flow['slat_ns']['N'] for flow in flows):
                continue
            ios = sum(flow['total_ios'] for flow in flows)
            self.must(len(mine) == ios, f'{what} {name}: {len(mine)} lines, {ios} I/Os')
            if len(mine) != ios or not ios:
                continue
            moved = sum(flow['io_bytes'] for flow in flows)
            self.must(sum(line[3] for line in mine) == moved or any(flow['short_ios'] for flow in flows), f'{what} {name}: bytes')
            if kind == 'iops':
                self.must(all(line[1] == 1 for line in mine), f'{what} {name}: values')
            if kind in ('slat', 'clat', 'lat') and len(flows) == 1 and flows[0][kind + '_ns']['N']:
                self.values(f'{what} {name}', sorted(line[1] for line in mine), flows[0][kind + '_ns'])

    def values(self, what, values, it):
        n, mean = len(values), sum(values) / len(values)
        self.must((values[0], values[-1]) == (it['min'], it['max']), f'{what}: {values[0]} to {values[-1]}, json {it["min"]} to {it["max"]}')
        self.near(it['mean'], mean, 1e-4, f'{what} mean')
        deviation = lambda by: math.sqrt(sum((value - mean) ** 2 for value in values) / by)
        self.must(any(abs(it['stddev'] - deviation(by)) <= 1e-4 + deviation(by) * 1e-5 for by in {n, max(n - 1, 1)}), f'{what}: deviation {it["stddev"]}')
        for percent, value in it.get('percentile', {}).items():
            exact = values[max(1, math.ceil(float(percent) / 100 * n - 1e-9)) - 1]
            self.near(value, exact, exact * 0.005 + 1, f'{what} p{percent}')


def one(number, args):
    rng = random.Random(f'{args.seed} {number}')
    text = job(rng, args.engine)
    run = Run(text, os.path.abspath(args.fathom), rng.choice([2, 3, 4, 5]) if 'description' not in text else rng.choice([3, 4, 5]))
    return number, text, run.faults, run.checks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--fathom', required=True)
    parser.add_argument('--runs', type=int, default=500)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', type=int)
    parser.add_argument('--engine', help='the only engine, such as null')
    args = parser.parse_args()
    numbers = range(args.runs) if args.only is None else [args.only]
    wrong, checks = 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, text, faults, made in pool.map(lambda number: one(number, args), numbers):
            wrong += bool(faults)
            checks += made
            if faults:
                print(f'run {number}: {len(faults)} faults')
                print('\n'.join('    ' + fault for fault in faults[:8]))
                print('    ' + text.replace('\n', ' '), flush=True)
    print(f'{len(numbers)} runs, {wrong} with a fault; figures compared: ' + ', '.join(f'{n} {of}' for of, n in checks.items()))
    sys.exit(wrong > 0)


if __name__ == '__main__':
    main()
