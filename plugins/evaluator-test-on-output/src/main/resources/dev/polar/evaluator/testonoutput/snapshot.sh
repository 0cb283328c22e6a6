# Writes a folder's content as a tree into a new git repository outside of it, and prints the tree's id.
#
#   snapshot.sh REPOSITORY FOLDER [OBJECTS TREE]
#
# With OBJECTS and TREE, an earlier snapshot, what that one held is looked at again even where it is ignored now.
# The folder's own repository, if it has one, is only asked what it ignores; nothing of its configuration, hooks,
# line-end conversion or filters takes part. Repositories inside the folder are treated as plain folders.
set -eu
new=$1
cd -- "$2"
folder=$(pwd -P)
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 LC_ALL=C
export GIT_CEILING_DIRECTORIES="${folder%/*}"

# The agent may have been here before.
rm -rf -- "$new"
git init -q --bare "$new"
for setting in core.bare=false core.autocrlf=false core.fileMode=true core.symlinks=true core.compression=1 gc.auto=0; do
    git --git-dir="$new" config "${setting%%=*}" "${setting#*=}"
done
mkdir -p "$new/info"
echo '* -text !eol !filter !ident !working-tree-encoding !diff' > "$new/info/attributes"

theirs() { env -u GIT_DIR -u GIT_WORK_TREE git -c safe.directory='*' -c core.fsmonitor=false "$@" 2> /dev/null; }
inner() { find . -mindepth 2 -name .git -prune -print | sed 's,/\.git$,,'; }
# A name with a line break in it is passed over.
files_only() {
    tr '\0' '\n' | while IFS= read -r name; do
        if [ -f "$name" ] || [ -L "$name" ]; then printf '%s\0' "$name"; fi
    done
}

excluded=$(theirs rev-parse --git-path info/exclude || true)
{
    echo '/.polar-test-on-output/'
    if [ -n "$excluded" ] && [ -f "$excluded" ]; then cat "$excluded"; echo; fi
    inner | sed -e 's,^\./,/,' -e 's,[][*?\\],\\&,g' -e 's,$,/,'
} > "$new/info/exclude"

export GIT_DIR="$new" GIT_WORK_TREE="$folder"
if [ $# -gt 2 ]; then
    echo "$3" > "$new/objects/info/alternates"
    git read-tree "$4"
fi
# A pipe or a file that cannot be read is passed over, and the rest is taken all the same.
git add -A --ignore-errors -- . 2> "$new/not-added" || true
theirs ls-files -z -c -i --exclude-standard | files_only | git update-index -z --add --stdin
inner | while IFS= read -r repository; do
    (
        cd -- "$repository"
        GIT_CEILING_DIRECTORIES=$(cd .. && pwd -P)
        theirs ls-files -z -c -o --exclude-standard | files_only | git update-index -z --add --stdin
    )
done
git write-tree
