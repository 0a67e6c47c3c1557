#!/bin/sh
# Checks what a power cut left of rocksdb-work.sh in $IMAGE: the file system, the database, and every key that was synchronised before ($MARKS).
set -eu
# whoever cuts before the file system is made finds none
blkid -p "$IMAGE" >/dev/null 2>&1 || { echo "there is no file system"; [ ! -s "$MARKS" ]; exit; }
e2fsck -E journal_only -y "$IMAGE" >/dev/null 2>&1 || true
if ! e2fsck -fn "$IMAGE"; then
    # while mkfs is at work there is no file system yet
    [ ! -s "$MARKS" ] && ! debugfs -R 'stat /db' "$IMAGE" 2>/dev/null | grep -q Inode: ; exit
fi
# before the first key is synchronised there may be no database, or one that is being made
[ -s "$MARKS" ] || exit 0
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
debugfs -R "rdump /db $folder" "$IMAGE" >/dev/null 2>&1
ldb --db="$folder/db" checkconsistency
ldb --db="$folder/db" scan >"$folder/found"
while read -r number; do
    grep -qx "$number : value $number" "$folder/found" || { echo "key $number is lost"; exit 1; }
done <"$MARKS"
