"""The stand-in for gcloud: a shell script that notes how it is called."""

# Notes its arguments and its input, then answers what the folder holds that is named like the most
# of its first words. Several answers are given one after another, the last of them for ever.
GCLOUD = r"""#!/bin/sh
cd '{folder}' || exit 1
printf '%s\0' "$@" >>lines && printf '\036' >>lines
{{ cat; printf '\036'; }} >>inputs
words="$*"
while [ ! -e "answers/$words" ]; do
  case "$words" in
    *" "*) words="${{words% *}}" ;;
    *) echo "ERROR: (gcloud) the stand-in knows no answer to: $*" >&2 && exit 1 ;;
  esac
done
set -- "answers/$words"/*
[ $# -eq 1 ] || mv "$1" "used.$$"
[ $# -eq 1 ] && answer="$1" || answer="used.$$"
if read -r first <"$answer" && [ "$first" = ERROR ]; then
  tail -n +2 "$answer" | while read -r line; do echo "ERROR: (gcloud.x) $line"; done >&2
  exit 1
fi
cat "$answer"
"""
