/** Splits elementary streams into access units with decoding and presentation times. */

export interface AccessUnit {
  /** Offsets in the elementary stream. */
  start: number;
  end: number;
  /** 90 kHz ticks after the origin of the loop; `dts` may be negative, `pts` is not. */
  pts: number;
  dts: number;
  /** Decoding can begin here. */
  randomAccess: boolean;
}

/** The stream does not match its recipe. */
export class MediaError extends Error {}

const PICTURE = 0x00;
const SEQUENCE_HEADER = 0xb3;
const SEQUENCE_END = 0xb7;
const GROUP = 0xb8;
const CODING_TYPE_I = 1;
/** An unspecified vbv_delay: the buffer model of the multiplex decides. */
const VBV_DELAY_UNSPECIFIED = 0xffff;

/** Offsets of all start codes 00 00 01 xx. */
function* startCodes(bytes: Uint8Array): Generator<number> {
  for (let at = bytes.indexOf(1, 2); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(1, at + 1)) {
    if (bytes[at - 1] === 0 && bytes[at - 2] === 0) yield at - 2;
  }
}

/**
 * Pictures of an MPEG-2 stream (ISO/IEC 13818-2 6.2) of closed groups. Each frame lasts `frameTicks`; the
 * first one is presented at tick 0, one frame time after its decoding. Writes vbv_delay. @throws MediaError
 * if it does not contain `frames` pictures
 */
export function mpeg2Units(bytes: Uint8Array, frames: number, frameTicks: number): AccessUnit[] {
  const units: AccessUnit[] = [];
  let unitStart = -1;
  let groupBase = 0;
  let group = 0;
  let end = bytes.length;
  const close = (at: number): void => {
    const open = units.at(-1);
    if (open !== undefined) open.end = at;
  };
  for (const at of startCodes(bytes)) {
    const code = bytes[at + 3] as number;
    if (code === SEQUENCE_END) end = Math.min(end, at);
    if (code === SEQUENCE_HEADER || code === GROUP) {
      if (unitStart < 0) unitStart = at;
      if (code === GROUP) {
        groupBase += group;
        group = 0;
      }
    }
    if (code !== PICTURE) continue;
    const header = ((bytes[at + 4] as number) << 8) | (bytes[at + 5] as number);
    const start = unitStart < 0 ? at : unitStart;
    close(start);
    unitStart = -1;
    units.push({
      start,
      end,
      pts: (groupBase + (header >> 6)) * frameTicks,
      dts: (units.length - 1) * frameTicks,
      randomAccess: ((header >> 3) & 7) === CODING_TYPE_I,
    });
    group += 1;
    clearVbvDelay(bytes, at);
  }
  close(end);
  if (units.length !== frames) throw new MediaError(`${units.length} pictures instead of ${frames}`);
  return units;
}

/** vbv_delay is 13 bits after the picture start code. */
function clearVbvDelay(bytes: Uint8Array, picture: number): void {
  const at = picture + 5;
  bytes[at] = ((bytes[at] as number) & 0xf8) | (VBV_DELAY_UNSPECIFIED >> 13);
  bytes[at + 1] = 0xff;
  bytes[at + 2] = ((bytes[at + 2] as number) & 0x07) | ((VBV_DELAY_UNSPECIFIED & 0x1f) << 3);
}

const NAL_IDR = 5;
const NAL_DELIMITER = 9;

/**
 * Access units of an H.264 byte stream (ISO/IEC 14496-10 Annex B) without reordered pictures, each begun by
 * an access unit delimiter. @throws MediaError if it does not contain `frames` pictures
 */
export function h264Units(bytes: Uint8Array, frames: number, frameTicks: number): AccessUnit[] {
  const units: AccessUnit[] = [];
  for (const at of startCodes(bytes)) {
    const type = (bytes[at + 3] as number) & 0x1f;
    const open = units.at(-1);
    if (type === NAL_IDR && open !== undefined) open.randomAccess = true;
    if (type !== NAL_DELIMITER) continue;
    const start = at > 0 && bytes[at - 1] === 0 ? at - 1 : at;
    if (open !== undefined) open.end = start;
    const ticks = units.length * frameTicks;
    units.push({ start, end: bytes.length, pts: ticks, dts: ticks, randomAccess: false });
  }
  if (units.length !== frames) throw new MediaError(`${units.length} pictures instead of ${frames}`);
  return units;
}

const ADTS_HEADER = 7;

/** Frames of an ADTS stream (ISO/IEC 13818-7 6.2), in order. @throws MediaError for any other data */
export function adtsFrames(bytes: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  let at = 0;
  while (at + ADTS_HEADER <= bytes.length) {
    const length =
      (((bytes[at + 3] as number) & 3) << 11) |
      ((bytes[at + 4] as number) << 3) |
      ((bytes[at + 5] as number) >> 5);
    const synchronous = bytes[at] === 0xff && ((bytes[at + 1] as number) & 0xf6) === 0xf0;
    if (!synchronous || length < ADTS_HEADER) throw new MediaError(`no ADTS frame at byte ${at}`);
    frames.push(bytes.subarray(at, at + length));
    at += length;
  }
  return frames;
}
