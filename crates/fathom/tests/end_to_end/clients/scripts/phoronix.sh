#!/bin/sh
# As test profiles do: a job file, and the figures behind IOPS= and BW= in the text. phoronix.sh DIRECTORY
cat > test.fio << EOF
[global]
rw=randread
ioengine=psync
iodepth=64
size=4m
direct=0
buffered=1
startdelay=0
force_async=0
ramp_time=0
runtime=200ms
time_based
disk_util=0
clat_percentiles=0
disable_lat=1
disable_clat=1
disable_slat=1
filename=fiofile

[test]
name=test
bs=4k
stonewall
EOF
sed -i '/force_async/d; /startdelay/d' test.fio
cd "$1" || exit 1
fio ../test.fio > ../log.txt 2>&1 || exit 1
echo "iops $(sed -n 's/^  read: IOPS=\([0-9.]*k*\), BW=.*/\1/p' ../log.txt)"
echo "bandwidth $(sed -n 's/^  read: IOPS=.*, BW=\([0-9.]*[KMG]iB\/s\) (.*/\1/p' ../log.txt)"
echo "total $(awk '/READ: bw=/ { sub("bw=", "", $2); print $2 }' ../log.txt)"
