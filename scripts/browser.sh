#!/bin/sh
# Makes sure that there is a Chromium for the tests of reports and of the page. Installs Debian's
# where there is none and this may be done; where it may not, says so, and those tests skip.
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing Chromium for the tests of reports and of the page."
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation >/dev/null && exit 0
fi
echo "No Chromium is here and none could be installed; the tests that need a browser will skip."
