#!/bin/bash
# SPDX-License-Identifier: MIT
# files.sh: what the library and ppctl do to the files of others, which is nothing; docs/host.md, Files.
. "$srcdir/tests/tools/tap.sh" || exit 99
. "$srcdir/tests/host/recorder.sh" || exit 99

# ---- what is created
umask 000
policy run.pprec
recorder
tap_ok "a recording is created" is_recording run.pprec
tap_is "only its user may read it, whatever the umask says" "$(stat -c %a run.pprec)" 600
recorder
tap_has "a recording of this user is replaced" "$said" '^done$'
(umask 777; PP_POLICY=policy.yaml ./recorder >/dev/null 2>&1)
tap_is "and that can be read where the umask forbids everything" "$(stat -c %a run.pprec)" 600
umask 022
# the name that temporary files once had
echo victim >victim
policy exec.pprec
sh -c 'ln -s victim exec.pprec.$$.tmp; PP_POLICY=policy.yaml exec ./recorder' >/dev/null 2>&1
tap_is "nothing is written through a link that waits under a temporary name" "$(cat victim)" victim
tap_is "no temporary file stays" "$(find . -name '.pp-*' | wc -l)" 0

# ---- what is not replaced
refused () { # SENTENCE FILE REASON
	policy "$2"
	recorder named
	tap_has "$1 is an error, with its place in the policy" "$said" "policy.yaml:2:16: error: can't record to '$2': .*$3"
	tap_has "and the host runs ($1)" "$said" '^done$'
	tap_has "and leaves no name in tmpfs ($1)" "$said" '^named 0$'
}
echo text >text
refused "a text file" text 'no recording; with .overwrite: true. it would be replaced'
tap_is "a text file stays" "$(cat text)" text
: >empty
refused "an empty file" empty 'no recording'
# root gets one of its own: a fault shall not cost the machine its /dev/null
device=/dev/null
[ "$(id -u)" != 0 ] || { mknod device c 1 3 2>/dev/null && device=device; }
if [ "$(id -u)" != 0 ] || [ $device = device ]; then
	refused "a device" $device 'it is a device'
	tap_ok "a device stays a device" test -c $device
	ln -s $device null
	refused "a link to a device" null 'symbolic link'
else
	tap_skip "a device is an error" "none can be made here"
fi
mkfifo pipe
refused "a pipe" pipe 'it is a pipe'
tap_ok "a pipe stays a pipe" test -p pipe
mkdir directory
refused "a directory" directory 'it is a directory'
refused "the directory itself" directory/. 'it is a directory'
refused "a name that ends in a slash" directory/ 'it is a directory'
ln -s text link
refused "a link to a text" link 'symbolic link'
ln -s nowhere dangling
refused "a link to nothing" dangling 'symbolic link'
tap_ok "nothing is made where a link to nothing leads" test ! -e nowhere
ln -s run.pprec linked
refused "a link to a recording" linked 'symbolic link'
refused "a directory that there is not" none/x 'No such file or directory'
cp run.pprec kept.pprec
chmod 400 kept.pprec
refused "a recording that is write-protected" kept.pprec 'may not write'
policy policy.yaml
cp policy.yaml before.yaml
recorder
tap_ok "the policy itself is not replaced" cmp policy.yaml before.yaml
printf 'version: 1\nmetrics: {late: {point: value, keep: stats}}\nassertions: {a: {every: 1s, expect: 1 < 2, on_fire: [{record: {file: pipe}}]}}\n' >policy.yaml
recorder
tap_has "nor may an action record to a pipe" "$said" "policy.yaml:3:[0-9]*: error: can't record to 'pipe': it is a pipe"
said=$(./recorder record text record pipe record linked record own.pprec 2>&1)
tap_is "pp_record keeps to the same rules" "$(grep -c '^record a file could not be read or written' <<<"$said")" 3
tap_is "a text stays there too" "$(cat text)" text
tap_ok "and a recording is written" is_recording own.pprec

said=$(./recorder record big.pprec limit record big.pprec 2>&1)
tap_has "a file that would be larger than it may is not begun" "$said" '^done$'
tap_ok "and the one that was there stays" "$PPCTL" report --all big.pprec

# ---- overwrite
policy text ', overwrite: true'
recorder
tap_ok "with overwrite a text file is replaced" is_recording text
policy link ', overwrite: true'
echo text >text
recorder
tap_ok "with overwrite a link is replaced" test -f link -a ! -L link
tap_is "and not what it leads to" "$(cat text)" text
# a policy that is refused only when it is applied: another one speaks of what it would change
printf 'version: 1\nmetrics: {c: {expr: "rounds.sum + 1s"}}\nassertions: {a: {every: 1s, expect: c >= 0s}}\n' >first.yaml
for name in words made.pprec; do
	printf 'version: 1\nmetrics: {c: {expr: "rounds.sum + 2s"}}\nrecord: {file: %s, overwrite: true}\n' $name >second.yaml
	[ $name != words ] || echo words >words
	said=$(./recorder load first.yaml load second.yaml 2>&1)
	tap_has "a policy may be refused only when it is applied ($name)" "$said" 'second.yaml:2:.* error: .*still speaks of that'
done
tap_is "such a policy has replaced nothing" "$(cat words)" words
tap_ok "and made nothing" test ! -e made.pprec
policy pipe ', overwrite: true'
recorder
tap_has "a pipe is an error with overwrite, too" "$said" "can't record to 'pipe': it is a pipe"

# ---- names
policy '%x.%h.%n.100%%.pprec'
recorder
recorder
tap_ok "names have the program, the host, a number and a percent sign" is_recording "recorder.$(uname -n | tr / _).1.100%.pprec"
tap_ok "and the next number is that of the next recording" is_recording "recorder.$(uname -n | tr / _).2.100%.pprec"
policy 't.%t.pprec'
recorder
tap_is "and the time" "$(find . -name 't.????????T??????Z.pprec' | wc -l)" 1
policy 'run.%q.pprec'
recorder
tap_has "another letter is an error" "$said" "policy.yaml:2:16: error: 'file': there is no %q"

# ---- the directory changes while the program runs
mkdir place
policy place/run.pprec
PP_POLICY=policy.yaml ./recorder wait go >said 2>&1 &
pid=$!
await go.ready
mv place moved
mkdir place
touch go
wait $pid
tap_has "a directory that has become another one is not written to" "$(cat said)" "place/run.pprec: its directory is not the one that it was"
tap_is "nothing is in it" "$(find place -type f | wc -l)" 0
# another's ppctl, which completes whatever is left, finds nothing in that place and leaves the rest for who knows better
"$PPCTL" report --all run.pprec >/dev/null 2>&1
tap_has "what was measured is completed where the recording is now" "$("$PPCTL" report --all moved/run.pprec)" '^recording  left by a process that died; every finished'
# shellcheck disable=SC2046
tap_is "and nothing of it stays in tmpfs" "$(left_by $pid)" ""

# ---- what dead processes leave
policy dead.pprec
for verb in "sources" "statistics" "report other.pprec" "report dead.pprec"; do
	leave
	cp dead.pprec other.pprec
	# shellcheck disable=SC2086
	"$PPCTL" $verb >/dev/null 2>&1
	tap_is "ppctl ${verb%% *} removes what a dead process left ($verb)" "$(left_by $dead)" ""
	tap_has "and completes its recording ($verb)" "$("$PPCTL" report --all dead.pprec)" '^recording  left by a process that died'
done
leave
tap_ok "a process that is killed leaves its samples in tmpfs" test -n "$(left_by $dead)"
policy live.pprec
recorder
tap_is "the next program that records removes that" "$(left_by $dead)" ""
tap_has "and has completed the recording" "$("$PPCTL" report --all dead.pprec)" '^recording  left by a process that died'
policy gone.pprec
leave
rm -f gone.pprec
"$PPCTL" sources >/dev/null
tap_is "where the recording is gone, what is left is removed" "$(left_by $dead)" ""
tap_ok "and none is made" test ! -e gone.pprec
policy raced.pprec
leave
rm -f raced.pprec
echo text >raced.pprec
"$PPCTL" sources >/dev/null
tap_is "a file that has come in its place stays" "$(cat raced.pprec)" text

# ---- the directory goes, and comes back
mkdir place2
policy place2/run.pprec
PP_POLICY=policy.yaml ./recorder wait back >said 2>&1 &
pid=$!
await back.ready
mv place2 gone
sleep 2.5
mv gone place2
touch back
wait $pid
tap_is "that a directory is gone is said once" "$(grep -c 'cannot be written to' said)" 1
tap_has "and when it is back the recording goes on" "$("$PPCTL" report --all place2/run.pprec)" '^recording  complete'

# ---- files that are not what they say
cp run.pprec large.pprec
if truncate -s 1T large.pprec 2>/dev/null; then
	said=$( (ulimit -v 1000000; "$PPCTL" report --all large.pprec) 2>&1)
	status=$?
	[ -n "$SANITIZER" ] || tap_has "a recording that is larger than it says is refused unread" "$status $(tail -n 1 <<<"$said")" '^1 .*its size is not what its end says'
fi
cp run.pprec flipped.pprec
printf '\001' | dd of=flipped.pprec bs=1 seek=1000 conv=notrunc 2>/dev/null
if cmp -s run.pprec flipped.pprec; then
	printf '\002' | dd of=flipped.pprec bs=1 seek=1000 conv=notrunc 2>/dev/null
fi
said=$("$PPCTL" report --all flipped.pprec 2>&1)
tap_has "a recording in which a byte has changed is refused" "$? $said" '^1 .*is damaged'

# ---- others' recordings, and another root
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null || [ -n "$SANITIZER" ]; then
	tap_skip "others' recordings are left alone" "not root, or a sanitizer's"
	tap_done
fi
chmod 755 "$tap_dir"
mkdir -m 777 open
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
if ! (cd open && $nobody ../recorder >/dev/null 2>&1); then
	tap_skip "others' recordings are left alone" "another user can't run the program here"
	tap_done
fi
policy "$tap_dir/open/theirs.pprec"
PP_POLICY=policy.yaml $nobody ./recorder kill >/dev/null 2>&1 &
dead=$!
wait $dead 2>/dev/null
inode=$(stat -c %i open/theirs.pprec)
live=$(left_by $dead)
tap_ok "another user's program leaves its samples" test -n "$live"
said=$("$PPCTL" report --all open/theirs.pprec 2>&1)
tap_has "root's ppctl says that it is another's" "$said" 'only its own user may complete it; this is the last copy'
tap_is "and leaves the recording" "$(stat -c %i open/theirs.pprec)" "$inode"
tap_ok "and what is left in tmpfs" test -e "$live"
$nobody "$PPCTL" report --all open/theirs.pprec >/dev/null 2>&1
tap_ok "which its own user's completes" test ! -e "$live"
policy "$tap_dir/open/theirs.pprec"
recorder
tap_has "root's program does not replace another user's recording" "$said" 'a file of another user'

mkdir jail
policy "$tap_dir/jail.pprec"
PP_POLICY=policy.yaml ./recorder chroot jail named >said 2>&1 &
pid=$!
wait $pid
tap_has "a host that changes its root goes on" "$(cat said)" '^done$'
tap_is "nothing is written in there" "$(find jail -type f | wc -l)" 0
"$PPCTL" report --all jail.pprec >/dev/null 2>&1
tap_has "and what it measured is completed from outside" "$("$PPCTL" report --all jail.pprec)" '^recording  left by a process that died; every finished'
tap_done
