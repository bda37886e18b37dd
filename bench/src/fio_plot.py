import csv, sys
columns = ['timestamp', 'value', 'rwt', 'blocksize', 'offset']
rows = []
with open(sys.argv[1]) as log:
    for row in csv.DictReader(log, fieldnames=columns, delimiter=',', skipinitialspace=True, strict=True):
        rows.append(row)
total = 0
for row in rows:
    total += int(row['value']) + int(row['timestamp'])
print(len(rows), total)
