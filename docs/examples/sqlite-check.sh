#!/bin/sh
# Checks what a power cut left of sqlite-work.sh in $IMAGE: the file system, the database, and every transaction that was committed before ($MARKS).
set -eu
# whoever cuts before the file system is made finds none
blkid -p "$IMAGE" >/dev/null 2>&1 || { echo "there is no file system"; [ ! -s "$MARKS" ]; exit; }
e2fsck -E journal_only -y "$IMAGE" >/dev/null 2>&1 || true
if ! e2fsck -fn "$IMAGE"; then
    # while mkfs is at work there is no file system yet
    [ ! -s "$MARKS" ] && ! debugfs -R 'stat /test.db' "$IMAGE" 2>/dev/null | grep -q Inode: ; exit
fi
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
for file in test.db test.db-journal; do
    debugfs -R "dump /$file $folder/$file" "$IMAGE" >/dev/null 2>&1
done
python3 - "$folder/test.db" "$MARKS" <<'PYTHON'
import os, sqlite3, sys

committed = [int(line) for line in open(sys.argv[2])]
if not os.path.exists(sys.argv[1]):
    sys.exit("the database is gone" if committed else 0)
db = sqlite3.connect(sys.argv[1])
(found,) = db.execute("PRAGMA integrity_check").fetchone()
if found != "ok":
    sys.exit(f"integrity_check: {found}")
if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'done'").fetchone() is None:
    sys.exit("the table is gone" if committed else 0)
there = {number for (number,) in db.execute("SELECT number FROM done")}
lost = [number for number in committed if number not in there]
if lost:
    sys.exit(f"{len(lost)} committed transactions are lost, the first of them {lost[0]}")
PYTHON
