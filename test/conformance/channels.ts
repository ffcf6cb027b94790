/** The physical channels of the conformance source that misbehave; every other one is a valid broadcast. */

export const CHANNEL = {
  /** Exits at once with code 7 and the text `REASON` on standard error. */
  dead: 'GR/T50',
  /** Never sends a byte. */
  silent: 'GR/T51',
  /** Bytes that are not a transport stream. */
  garbage: 'GR/T52',
  /** `LAST` packets, then silence. */
  stops: 'GR/T53',
  /** `LAST` packets, then exits with success. */
  ends: 'GR/T54',
  /** Valid, but ignores SIGTERM. */
  deaf: 'GR/T55',
  /** `BURST` packets at 500 Mbit/s, then valid. */
  burst: 'GR/T56',
  /** Valid, with endless output on standard error. */
  noisy: 'GR/T57',
  /** Valid, but the first packet comes after `LATE_MS`. */
  late: 'GR/T58',
  /** 40 MB/s. */
  fast: 'GR/T59',
  /** `SPARSE` packets every `SPARSE_MS`. */
  sparse: 'GR/T60',
  /** The faults of `DAMAGE` among the first packets, then valid. */
  damaged: 'GR/T61',
} as const;

export const REASON = 'no-lock-on-purpose';
export const LAST = 2_000;
export const BURST = 150_000;
export const LATE_MS = 2_000;
export const SPARSE = 16;
export const SPARSE_MS = 1_500;
export const DAMAGE = { transportErrors: 10, continuityErrors: 5, scrambled: 7 } as const;
