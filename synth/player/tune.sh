#!/bin/bash
# A tuning of the air player: writes the stream of a channel to stdout until it ends.
# Arguments: the player's port, number of the broadcast, broadcast type, channel.
# A shell and cat start in a few milliseconds, a program that multiplexes takes a quarter of a second.
player=/dev/tcp/127.0.0.1/$1
exec 3<>"$player" || exit 1
printf 'tune %s %s %s %s\n' "$$" "$2" "$3" "$4" >&3
cat <&3
# How it ended: exit code and message of a fault.
exec 3<>"$player" || exit 1
printf 'ended %s\n' "$$" >&3
{ IFS= read -r code && IFS= read -r message; } <&3
[ -z "$message" ] || printf 'synth: %s\n' "$message" >&2
exit "${code:-0}"
