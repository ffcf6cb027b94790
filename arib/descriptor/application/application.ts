import type { Reader } from '../../reader.ts';

/** Application descriptor, tag 0x00 of an AIT. ETSI TS 102 809, 5.3.5.3. */
export interface ApplicationDescriptor {
  readonly kind: 'application';
  readonly profiles: readonly ApplicationProfile[];
  /** service_bound_flag: it ends when another service is selected. */
  readonly serviceBound: boolean;
  /** visibility, 2 bits: 0 hidden, 1 visible to other applications, 3 visible to all. */
  readonly visibility: number;
  /** application_priority, 8 bits. */
  readonly priority: number;
  /** transport_protocol_label: how to fetch it, see `TransportProtocolDescriptor`. */
  readonly transportLabels: readonly number[];
}

interface ApplicationProfile {
  /** application_profile, 16 bits. */
  readonly profile: number;
  readonly version: readonly [major: number, minor: number, micro: number];
}

export function parseApplication(r: Reader): ApplicationDescriptor {
  const loop = r.slice(r.u8());
  const profiles: ApplicationProfile[] = [];
  while (loop.remaining > 4)
    profiles.push({ profile: loop.u16(), version: [loop.u8(), loop.u8(), loop.u8()] });
  // service_bound_flag 1, visibility 2, reserved 5
  const flags = r.u8();
  return {
    kind: 'application',
    profiles,
    serviceBound: (flags & 0x80) !== 0,
    visibility: (flags >> 5) & 0x03,
    priority: r.u8(),
    transportLabels: [...r.rest()],
  };
}
