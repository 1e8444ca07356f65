#!/usr/bin/env bash
# gh and glab for the tests that drive them, which are skipped without: says where they are, or installs Debian's. Where that cannot be done, says so
# loudly and goes on: the same code is tested with stand-ins in test/pipelines/forge.test.ts.
set -uo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
root=
[ "$(id -u)" = 0 ] || root=sudo

# Debian 12 has no glab: the package of Debian 13 needs nothing but its libc, which is old enough.
newer_glab() {
	local folder
	folder=$(mktemp -d)
	curl -fsS -m 120 -o "$folder/glab.deb" "http://deb.debian.org/debian/pool/main/g/glab/glab_1.53.0-1+b3_$(dpkg --print-architecture).deb" &&
		dpkg -x "$folder/glab.deb" "$folder/glab" && $root install -m 755 "$folder/glab/usr/bin/glab" /usr/local/bin/glab
	local code=$?
	rm -rf "$folder"
	return "$code"
}

for program in gh glab; do
	command -v "$program" && continue
	"$here/apt.sh" "there is no $program here: install it and put it in PATH" "$program" 2>/dev/null || { [ "$program" = glab ] && newer_glab; }
	command -v "$program" || echo "THERE IS NO $program: the tests that drive the real one are skipped" >&2
done
exit 0
