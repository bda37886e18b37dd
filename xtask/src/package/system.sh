mount --make-rprivate /
debootstrap --variant=minbase --include=man-db,bash-completion "$1" "$2" "$3" > "$2.log" 2>&1 || { tail "$2.log"; exit 1; }
mount -t proc proc "$2/proc"
mount --rbind /sys "$2/sys"
cp "$4" "$2/srv/fathom.deb"
cp "$5" "$2/srv/use.sh"
chroot "$2" /usr/bin/env -i HOME=/srv LANG=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail /srv/use.sh
