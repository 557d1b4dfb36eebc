#!/usr/bin/env bash
# Tools that some tests need or compare with: Octave, clang, Maxima, Eigen, Chromium. Installed where packages can be
# (apt-get, as root), and nothing is done where they are there; without them those tests are skipped, and say so. Never
# fails.
set -uo pipefail

missing=()
command -v octave-cli > /dev/null || missing+=(octave)
command -v clang > /dev/null || missing+=(clang)
command -v maxima > /dev/null || missing+=(maxima)
[ -d /usr/include/eigen3 ] || missing+=(libeigen3-dev)
command -v chromium > /dev/null || command -v google-chrome > /dev/null || missing+=(chromium)
if [ ${#missing[@]} -eq 0 ]; then
    echo "all tools are here"
elif ! command -v apt-get > /dev/null || [ "$(id -u)" -ne 0 ]; then
    echo "not here, and not to be installed without apt-get and root: ${missing[*]}; tests with them are skipped"
else
    export DEBIAN_FRONTEND=noninteractive
    # one by one: what a system does not have must not keep the others away
    timeout 300 apt-get update -qq > /dev/null 2>&1 || echo "apt-get update failed; trying with what is known"
    for package in "${missing[@]}"; do
        if timeout 900 apt-get install -qq --no-install-recommends "$package" > /dev/null 2>&1; then
            echo "installed $package"
        else
            echo "could not install $package; tests with it are skipped"
        fi
    done
fi
exit 0
