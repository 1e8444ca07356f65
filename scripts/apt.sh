#!/usr/bin/env bash
# apt.sh ADVICE PACKAGE…: installs Debian's packages; where there is no apt-get, says the advice and fails.
set -euo pipefail
advice=$1
shift
command -v apt-get >/dev/null || {
	echo "$advice" >&2
	exit 1
}
root=
[ "$(id -u)" = 0 ] || root=sudo
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq
$root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
