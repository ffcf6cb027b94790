import type { Pid } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Conditional playback descriptor, tag 0xF8, of server services. ARIB STD-B25 Part 2, 2.3.2.6.4. */
export interface ConditionalPlaybackDescriptor {
  readonly kind: 'conditional_playback';
  readonly caSystemId: number;
  readonly pid: Pid;
  readonly privateData: Uint8Array;
}

export function parseConditionalPlayback(r: Reader): ConditionalPlaybackDescriptor {
  return { kind: 'conditional_playback', caSystemId: r.u16(), pid: r.pid(), privateData: r.rest() };
}
