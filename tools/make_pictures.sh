#!/usr/bin/env bash
# make_pictures.sh - draws the pictures of README and manual anew: docs/manual/pictures.
set -euo pipefail
cd "$(dirname "$0")/.."

cairn=build/release/cairn
pictures=docs/manual/pictures
mkdir -p "$pictures"

# picture NAME TIME [CAMERA]: a scene of the gallery at a time [s].
picture() {
    "$cairn" render "scenes/gallery/$1.json" --time "$2" --camera "${3:-corner}" --size 720x405 \
        --output "$pictures/$1.png" --quiet
}

picture arch 0.5
picture arch-falls 1.0
picture card-house 0.3
picture wrecking-ball 1.4 front
picture domino-run 1.2
picture jenga 1.0
picture granular-column 0.8
picture planetary-gear 0.5
picture stewart-platform 1.5
picture robot-arm 3.0
picture car 2.5
picture rope-bridge 2.0
picture ragdoll 1.2
