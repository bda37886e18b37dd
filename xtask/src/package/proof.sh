# What a user does with the package. It runs in a new Debian system; each command must succeed.
cd /srv
trap 'echo "line $LINENO of the proof failed"' ERR
dpkg -i fathom.deb
fathom --version
fathom help consent > consent.txt
grep -q -- --destroy consent.txt

# Measure a scratch file, and print the saved run.
fathom quick --seconds 1 --size 64m --quiet > quick.txt
grep -q rand-read-iops quick.txt
fathom report > report.txt
fathom runs > runs.txt
grep -q quick runs.txt

# Manual pages. A reader that ends early would be an error of man, so each page is written to a file.
page() { man -P cat "$@" > page.txt; }
page fathom && head -n 12 page.txt
page fathom-tune-plan && grep -q -- --goal page.txt
page 7 fathom-units && grep -q 'powers of' page.txt

# Completions are where the shells look, and bash's works.
test -s /usr/share/zsh/vendor-completions/_fathom
test -s /usr/share/fish/vendor_completions.d/fathom.fish
source /usr/share/bash-completion/completions/fathom
COMP_WORDS=(fathom topo) COMP_CWORD=1
_fathom fathom topo fathom
test "${COMPREPLY[*]}" = topology

# A link with the name of fio is fio.
ln -s /usr/bin/fathom /usr/local/bin/fio
fio --version
fio --name=j --rw=randread --size=4m --output-format=json > result.json
grep -q '"jobname"' result.json

# An example of the package can be planned, and what dpkg installed is as it was.
truncate --size 64M target
fathom run --plan --target target /usr/share/doc/fathom/examples/flash/06-random-4k-read-iops.fio > plan.txt
grep -q target plan.txt
dpkg --verify fathom
dpkg -r fathom
test ! -e /usr/bin/fathom
