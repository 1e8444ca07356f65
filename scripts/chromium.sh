#!/usr/bin/env bash
# A Chromium for the tests of the dashboard: says where one is, or installs Debian's. Elsewhere, name one in PAWL_BROWSER.
set -euo pipefail
for name in "${PAWL_BROWSER:-}" chromium chromium-browser google-chrome chrome; do
	if [ -n "$name" ] && command -v "$name"; then exit 0; fi
done
"$(dirname "${BASH_SOURCE[0]}")/apt.sh" "there is no Chromium here: install one and name it in PAWL_BROWSER" chromium fonts-dejavu-core
command -v chromium
