/**
 * Detects film in interlaced frames: counts the blocks in which a field and the previous one, woven to one frame,
 * show combing because something moved between them.
 */
import { plane } from './predict.as';

/** A block has 16 samples across and 8 lines of the later field, of which every second one is measured. */
const BLOCK_LINES: i32 = 16;
const LINE_STEP: i32 = 4;
/** Levels: above the noise of broadcast encoders, below the contrast of visible motion. */
const CONTRAST: i32 = 14;
/** Of the 64 samples of a block. */
const MIN_SAMPLES: i32 = 8;

/** Number of octets that are not 0. */
function marked(mask: v128): i32 {
  return popcnt(i8x16.bitmask(mask));
}

/**
 * Compares the lines of parity `line` of frame `later` with the lines around them of frame `here`, where they differ
 * from the same lines of frame `before`: static detail does not count as combing.
 */
export function combedBlocks(before: i32, here: i32, later: i32, line: i32): i32 {
  const stride = plane.stride;
  const contrast = i8x16.splat(<i8>CONTRAST);
  let blocks: i32 = 0;
  for (let top: i32 = 2; top + BLOCK_LINES < plane.lines; top += BLOCK_LINES) {
    const first = (top + line) * stride;
    for (let x: i32 = 0; x < stride; x += 16) {
      let torn: i32 = 0;
      for (let y: i32 = 0; y < BLOCK_LINES; y += LINE_STEP) {
        const at = first + y * stride + x;
        const value = v128.load(later + at);
        const past = v128.load(before + at);
        const change = v128.or(i8x16.sub_sat_u(value, past), i8x16.sub_sat_u(past, value));
        const changes = i8x16.gt_u(change, contrast);
        if (!v128.any_true(changes)) continue;
        const above = v128.load(here + at - stride);
        const below = v128.load(here + at + stride);
        const outside = v128.or(
          i8x16.sub_sat_u(value, i8x16.max_u(above, below)),
          i8x16.sub_sat_u(i8x16.min_u(above, below), value),
        );
        torn += marked(v128.and(changes, i8x16.gt_u(outside, contrast)));
      }
      if (torn >= MIN_SAMPLES) blocks += 1;
    }
  }
  return blocks;
}

function copyLines(from: i32, to: i32, stride: i32, lines: i32, line: i32): void {
  for (let y: i32 = line; y < lines; y += 2) memory.copy(to + y * stride, from + y * stride, stride);
}

/** Writes the lines of parity `line` of one frame and the other lines of another frame to `target`. */
export function weave(frame: i32, line: i32, other: i32, target: i32): void {
  const half = plane.stride >> 1;
  const rest = 1 - line;
  copyLines(frame, target, plane.stride, plane.lines, line);
  copyLines(other, target, plane.stride, plane.lines, rest);
  for (let chroma: i32 = 0; chroma < 2; chroma += 1) {
    const at = chroma === 0 ? plane.cb : plane.cr;
    copyLines(frame + at, target + at, half, plane.lines >> 1, line);
    copyLines(other + at, target + at, half, plane.lines >> 1, rest);
  }
}
