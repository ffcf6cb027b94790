#!/bin/sh
# ffmpeg, but it lists no AV1 encoder. A service measures their speed at each start, which costs more than a second of a
# processor; src/ffmpeg/encoders.test.ts tests that.
case " $* " in
*' -encoders '*) ffmpeg "$@" | grep -v av1 ;;
*) exec ffmpeg "$@" ;;
esac
