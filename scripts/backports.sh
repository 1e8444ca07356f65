#!/usr/bin/env bash
# backports.sh PACKAGE…: installs packages from the backports of this Debian release, and leaves the machine's own package sources as they are.
set -euo pipefail
. /etc/os-release
[ "$ID" = debian ]
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/lists/partial"
chmod 755 "$folder"
echo "deb http://deb.debian.org/debian $VERSION_CODENAME-backports main" >"$folder/sources.list"
from=(-o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$folder/lists")
root=
[ "$(id -u)" = 0 ] || root=sudo
export DEBIAN_FRONTEND=noninteractive
$root apt-get "${from[@]}" update -qq
$root apt-get "${from[@]}" install -y -qq --no-install-recommends "$@"
