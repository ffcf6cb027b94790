import type { Reader } from '../../reader.ts';

/** Autostart priority descriptor, tag 0x31 of an AIT. ARIB STD-B24 Vol. 4; IPTVFJ STD-0010. */
export interface AutostartPriorityDescriptor {
  readonly kind: 'autostart_priority';
  /** The highest starts. */
  readonly priority: number;
}

export function parseAutostartPriority(r: Reader): AutostartPriorityDescriptor {
  return { kind: 'autostart_priority', priority: r.u8() };
}
