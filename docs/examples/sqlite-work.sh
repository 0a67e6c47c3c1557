#!/bin/sh
# Transactions of SQLite on a journalled ext4, on the drive that `wordline crash-test` serves at $NBD_URI. Needs root, for `mount`.
set -eu
folder=$(mktemp -d)
mkdir "$folder/drive" "$folder/files"
end() {
    umount "$folder/files" 2>/dev/null || true
    umount "$folder/drive" 2>/dev/null || true
    rmdir "$folder/drive" "$folder/files" "$folder"
}
trap end EXIT
trap 'exit 1' INT TERM
# the drive as a file
nbdfuse "$folder/drive/image" "$NBD_URI" &
until [ -e "$folder/drive/image" ]; do sleep 0.05; done
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$folder/drive/image"
mount -o loop "$folder/drive/image" "$folder/files"
python3 - "$folder/files/test.db" "${TRANSACTIONS:-60}" <<'PYTHON'
import json, os, socket, sqlite3, sys

path, count = sys.argv[1], int(sys.argv[2])
drive = socket.socket(socket.AF_UNIX)
drive.connect(os.environ["NBD_SOCKET"] + ".control")
says = drive.makefile("rw")
db = sqlite3.connect(path)
# without it the newest transaction may be undone: the directory is not synchronised after its journal is removed
db.execute("PRAGMA synchronous = EXTRA")
db.execute("CREATE TABLE done (number INTEGER PRIMARY KEY, text TEXT)")
for number in range(count):
    with db:
        db.execute("INSERT INTO done VALUES (?, ?)", (number, f"{number} " * 200))
    # what is committed has to be there after any power cut from now on
    print(json.dumps({"do": "mark", "text": str(number)}), file=says, flush=True)
    says.readline()
db.close()
PYTHON
