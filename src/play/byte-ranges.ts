/** Parts of a file: parses `Range` and `If-Range`. RFC 9110, 13.1.5 and 14. */

/** Octets, end exclusive. */
interface ByteRange {
  start: number;
  end: number;
}

/** `whole`: no range, or one that may be ignored. `outside`: the range is not satisfiable. */
type RangeAnswer = 'whole' | 'outside' | ByteRange;

const SINGLE = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i;

/** Several ranges at once may be answered with the complete file (14.2): players request one. */
export function readRange(header: string | null, size: number): RangeAnswer {
  const match = header === null ? null : SINGLE.exec(header);
  if (match === null) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return 'whole';
    const length = Math.min(Number(last), size);
    return length === 0 ? 'outside' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'outside';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/**
 * Whether a range may be sent to a client that has another part (If-Range). Only strong tags match; dates never do.
 */
export function isSameForRange(ifRange: string | null, etag: string | null): boolean {
  return ifRange === null || (etag !== null && ifRange.trim() === etag);
}
