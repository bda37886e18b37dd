#!/usr/bin/env python3
"""What a reader of the live page costs a run: fathom with `--web` and a reader, and without, in turn, on the engine null.

    live-page.py --fathom PATH [--pairs 9] [--seconds 10] [--jobs N]

The limit is 0.5 % of the rate, in the median of the pairs; --jobs workers read, by default one for each processor, so that the
live page has none for itself.
"""
import argparse, json, os, re, statistics, subprocess, sys, tempfile, threading, urllib.request


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

    if reads:
        threading.Thread(target=read, daemon=True).start()
    out = process.stdout.read()
    if process.wait() not in (0, 5):
        sys.exit(f'{words}: {process.returncode}')
    jobs = json.loads(out)['answer']['result']['jobs']
    return sum(flow['iops'] for job in jobs for flow in job['directions']), len(states)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--fathom', required=True)
parser.add_argument('--pairs', type=int, default=9)
parser.add_argument('--seconds', type=int, default=10)
parser.add_argument('--jobs', type=int, default=os.cpu_count())
args = parser.parse_args()
args.fathom = os.path.abspath(args.fathom)
losses = []
with tempfile.TemporaryDirectory() as place:
    for pair in range(args.pairs):
        figures = {}
        for reads in [pair % 2, 1 - pair % 2]:
            figures[reads], states = rate(args, place, f'{pair}-{reads}', reads)
            if reads:
                sent = states
        losses.append((1 - figures[1] / figures[0]) * 100)
        print(f'without {figures[0]:,.0f} IOPS, with a reader {figures[1]:,.0f} IOPS: {losses[-1]:+.2f} % less; {sent} states', flush=True)
        if not sent:
            sys.exit('the reader got no state')
middle = statistics.median(losses)
print(f'median of {args.pairs}: {middle:+.2f} % less (limit 0.5 %)')
sys.exit(middle > 0.5)
