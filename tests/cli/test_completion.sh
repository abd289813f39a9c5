#!/bin/bash
# bash completes every option that a command's --help names, and no other; words and names of options that exist.
set -u
offgrid=${OFFGRID_BUILD:?}/bin/offgrid
script=$("$offgrid" info --completion) || exit 1
eval "$script" || exit 1
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}
type _offgrid >/dev/null || fail "no function _offgrid"
complete -p offgrid | grep -q _offgrid || fail "offgrid has no completion"

# offered WORD...: what is offered for the last of the words of a command line.
offered() {
  COMP_WORDS=(offgrid "$@") COMP_CWORD=$#
  _offgrid
  echo "${COMPREPLY[*]}"
}
expect() {
  local want=$1 got
  shift
  got=$(offered "$@")
  [ "$got" = "$want" ] || fail "offgrid $*: offered '$got', want '$want'"
}

expect 'transform bench window tune info --help --version' ''
expect 'transform' tr
for command in transform bench window tune info; do
  # --optimize is --optimise in another spelling, --help is in no command's own list
  in_help=$("$offgrid" "$command" --help | grep -oE -- '(^|[ |[])--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u |
    grep -vxE -- '--(help|optimize)')
  completed=$(offered "$command" -- | tr ' ' '\n' | sort -u | grep -vxE -- '--(help|optimize)')
  # help also names options of other commands in its sentences
  for option in $in_help; do
    grep -qx -- "$option" <<<"$completed" || "$offgrid" info "$option" >/dev/null 2>&1 ||
      fail "$command --help names $option, which is not completed"
  done
  for option in $completed; do
    grep -qx -- "$option" <<<"$in_help" || fail "$command $option is completed, but not in its --help"
  done
done
expect '--points --precision --period --progress' transform --p
expect 'f32 f64' transform --precision ''
expect '1 2 3' transform --type ''
expect 'ascending' transform --order a
expect 'finufft' bench --peer f
expect 'pswf' window --kinds p
expect 'tolerance= threads= tuning=' transform --option t
expect '' transform --points ''
expect '' nothing --x

# each word that is offered as a value is one that the command takes: its error, if any, is about something else
for option in type precision sign order backend window; do
  for word in $(offered transform "--$option" ''); do
    said=$("$offgrid" transform "--$option" "$word" 2>&1)
    [[ $said == *'is missing'* ]] || fail "transform --$option $word: $said"
  done
done
[[ $("$offgrid" transform --option nonsense=1 2>&1) == *"no option is called"* ]] || fail "an unknown option is not called unknown"
for name in $(offered transform --option ''); do
  said=$("$offgrid" transform --option "${name}nonsense" 2>&1)
  [[ $said != *unknown* ]] || fail "--option $name is unknown"
done
[ $failed = 0 ] && echo "completions and --help agree"
exit $failed
