#!/bin/sh
# Keys of RocksDB on a journalled ext4, on the drive that `wordline crash-test` serves at $NBD_URI. Needs root, for `mount`, and rocksdb-tools.
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
number=0
while [ "$number" -lt "${KEYS:-20}" ]; do
    ldb --db="$folder/files/db" --create_if_missing --write_buffer_size=65536 put "$number" "value $number" >/dev/null
    # ldb does not ask for its log to be synchronised
    sync --file-system "$folder/files"
    # what is synchronised has to be there after any power cut from now on
    wordline live "$NBD_SOCKET" mark "$number" >/dev/null
    number=$((number + 1))
done
