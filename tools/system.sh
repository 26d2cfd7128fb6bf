#!/usr/bin/env bash
# What rocQuarry needs from the system and cannot bring itself: the headers of the C++ library, a Python with
# venv, and git. Installs them where it may; says what to install where it may not.
set -euo pipefail
need=()
compgen -G '/usr/include/c++/*/vector' > /dev/null || need+=(libstdc++-12-dev)
test -e /usr/include/stdlib.h || need+=(libc6-dev)
command -v git > /dev/null || need+=(git)
python3 -c 'import ensurepip, venv' 2> /dev/null || need+=(python3-venv)
if [ ${#need[@]} -eq 0 ]; then
    exit 0
fi
echo "system packages wanted: ${need[*]}" >&2
if command -v apt-get > /dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${need[@]}"
else
    echo "install them with your package manager (Debian: sudo apt-get install ${need[*]}), then run make again" >&2
    exit 2
fi
