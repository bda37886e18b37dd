#!/usr/bin/env python3
"""What a reader of the live page costs a run: fathom with `--web` and a reader, and without, in turn, on the engine null.

    live-page.py --fathom PATH [--pairs 9] [--seconds 10] [--jobs N]

--jobs workers read, by default one for each processor, so that the live page has none for itself. The limit is 0.5 %: of the
processors' time that the threads of the live page used, in the median of the pairs. The rates are printed too; on a machine that
shares its processors with others they vary by more than that.
"""
import argparse, glob, json, os, re, statistics, subprocess, sys, tempfile, threading, time, urllib.request


def used_ns(process):
    """The processor's time that the threads of the live page have used so far."""
    used = 0
    for task in glob.glob(f'/proc/{process}/task/*'):
        try:
            if open(f'{task}/comm').read().startswith('web'):
                used += int(open(f'{task}/schedstat').read().split()[0])
        except OSError:
            pass  # The thread has ended.
    return used


def rate(args, place, number, reads):
    job = f'{place}/j.fio'
    with open(job, 'w') as file:
        file.write(f'[j]\nioengine=null\nrw=randread\nsize=1g\niodepth=4\ntime_based\nruntime={args.seconds}\nnumjobs={args.jobs}\ngroup_reporting\n')
    words = [args.fathom, 'run', '-q', '--json', '--no-calibrate', '--output-dir', f'{place}/{number}'] + ['--web'] * reads + [job]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    states = []

    def read():
        address = re.search(r'http://\S+', process.stderr.readline())[0]
        urllib.request.urlopen(address).read()
        states.extend(line for line in urllib.request.urlopen(address + 'events') if line.startswith(b'event: page'))

    used, began = 0, time.monotonic()

    def watch():
        nonlocal used
        while process.poll() is None:
            used = max(used, used_ns(process.pid))
            time.sleep(0.1)

    if reads:
        threading.Thread(target=read, daemon=True).start()
        threading.Thread(target=watch, daemon=True).start()
    out = process.stdout.read()
    if process.wait() not in (0, 5):
        sys.exit(f'{words}: {process.returncode}')
    jobs = json.loads(out)['answer']['result']['jobs']
    share = used / 1e7 / (time.monotonic() - began) / args.jobs
    return sum(flow['iops'] for job in jobs for flow in job['directions']), len(states), share


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--fathom', required=True)
parser.add_argument('--pairs', type=int, default=9)
parser.add_argument('--seconds', type=int, default=10)
parser.add_argument('--jobs', type=int, default=os.cpu_count())
args = parser.parse_args()
args.fathom = os.path.abspath(args.fathom)
losses, shares = [], []
with tempfile.TemporaryDirectory() as place:
    for pair in range(args.pairs):
        figures = {}
        for reads in [pair % 2, 1 - pair % 2]:
            figures[reads], states, share = rate(args, place, f'{pair}-{reads}', reads)
            if reads:
                sent = states
                shares.append(share)
        losses.append((1 - figures[1] / figures[0]) * 100)
        print(f'without {figures[0]:,.0f} IOPS, with a reader {figures[1]:,.0f} IOPS: {losses[-1]:+.2f} % less; {sent} states, '
              f'{shares[-1]:.3f} % of the processors', flush=True)
        if not sent:
            sys.exit('the reader got no state')
print(f'rate, median of {args.pairs}: {statistics.median(losses):+.2f} % less')
middle = statistics.median(shares)
print(f'processors, median of {args.pairs}: {middle:.3f} % (limit 0.5 %)')
sys.exit(middle > 0.5)
