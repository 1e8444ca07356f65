#!/usr/bin/env bash
# A tmux for the tests of the terminal view, which are skipped without one: says where it is, or installs Debian's.
set -euo pipefail
if command -v tmux; then exit 0; fi
command -v apt-get >/dev/null || {
	echo "there is no tmux here: install it (3.0 or newer) and put it in PATH" >&2
	exit 1
}
root=
[ "$(id -u)" = 0 ] || root=sudo
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq
$root apt-get install -y -qq --no-install-recommends tmux >/dev/null
command -v tmux
