#!/usr/bin/env bash
# A Chromium for the tests of the dashboard: says where one is, or installs Debian's. Elsewhere, name one in PAWL_BROWSER.
set -euo pipefail
for name in "${PAWL_BROWSER:-}" chromium chromium-browser google-chrome chrome; do
	if [ -n "$name" ] && command -v "$name"; then exit 0; fi
done
command -v apt-get >/dev/null || {
	echo "there is no Chromium here: install one and name it in PAWL_BROWSER" >&2
	exit 1
}
root=
[ "$(id -u)" = 0 ] || root=sudo
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq
$root apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
command -v chromium
