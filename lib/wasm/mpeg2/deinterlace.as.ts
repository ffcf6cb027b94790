/**
 * Motion-adaptive deinterlacing: without motion, the lines of the other field are the mean of the same line in the
 * adjacent frames; with motion, the mean of the lines above and below, bounded by the amount of motion.
 */
import { plane } from './predict.as';

function difference(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}

/**
 * One missing line, 16 samples at a time. `early` and `late`: the missing line in the fields before and after;
 * `before`, `here`, `after`: the shown field and the adjacent ones of its parity, at the line above.
 */
function missingLine(
  target: i32,
  count: i32,
  stride: i32,
  early: i32,
  late: i32,
  before: i32,
  here: i32,
  after: i32,
): void {
  const down = stride << 1;
  for (let at: i32 = 0; at < count; at += 16) {
    const above = v128.load(here + at);
    const below = v128.load(here + at + down);
    const first = v128.load(early + at);
    const second = v128.load(late + at);
    const spatial = i8x16.avgr_u(above, below);
    const temporal = i8x16.avgr_u(first, second);
    const half = v128.and(i16x8.shr_u(difference(first, second), 1), i8x16.splat(0x7f));
    const past = i8x16.avgr_u(
      difference(v128.load(before + at), above),
      difference(v128.load(before + at + down), below),
    );
    const future = i8x16.avgr_u(
      difference(v128.load(after + at), above),
      difference(v128.load(after + at + down), below),
    );
    const motion = i8x16.max_u(half, i8x16.max_u(past, future));
    const least = i8x16.sub_sat_u(temporal, motion);
    const most = i8x16.add_sat_u(temporal, motion);
    v128.store(target + at, i8x16.min_u(i8x16.max_u(spatial, least), most));
  }
}

function planeField(
  previous: i32,
  current: i32,
  next: i32,
  target: i32,
  stride: i32,
  lines: i32,
  line: i32,
  isSecond: bool,
): void {
  // The field of the missing lines is in the previous frame and this one, or in this one and the next.
  const early = isSecond ? current : previous;
  const late = isSecond ? next : current;
  for (let y: i32 = 0; y < lines; y += 1) {
    const offset = y * stride;
    if ((y & 1) === line) {
      memory.copy(target + offset, current + offset, stride);
    } else if (y === 0) {
      memory.copy(target, current + stride, stride);
    } else if (y === lines - 1) {
      memory.copy(target + offset, current + offset - stride, stride);
    } else {
      const above = offset - stride;
      missingLine(
        target + offset,
        stride,
        stride,
        early + offset,
        late + offset,
        previous + above,
        current + above,
        next + above,
      );
    }
  }
}

/**
 * Writes the field of `line` (0 top, 1 bottom) of `current` as a complete frame to `target`.
 * @param isSecond the field is the later one of its frame
 */
export function deinterlace(
  previous: i32,
  current: i32,
  next: i32,
  target: i32,
  line: i32,
  isSecond: bool,
): void {
  const half = plane.stride >> 1;
  planeField(previous, current, next, target, plane.stride, plane.lines, line, isSecond);
  planeField(
    previous + plane.cb,
    current + plane.cb,
    next + plane.cb,
    target + plane.cb,
    half,
    plane.lines >> 1,
    line,
    isSecond,
  );
  planeField(
    previous + plane.cr,
    current + plane.cr,
    next + plane.cr,
    target + plane.cr,
    half,
    plane.lines >> 1,
    line,
    isSecond,
  );
}
