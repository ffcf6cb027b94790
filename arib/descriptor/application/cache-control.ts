import type { Reader } from '../../reader.ts';
import { type BroadcastMs, jstTime } from '../../time.ts';

/** Cache control info descriptor, tag 0x32 of an AIT. ARIB STD-B24 Vol. 4; IPTVFJ STD-0010. */
export interface CacheControlDescriptor {
  readonly kind: 'cache_control';
  /** application_size, 16 bits; 0: not given. */
  readonly size: number;
  /** cache_priority: the highest is kept longest. */
  readonly priority: number;
  /** package_flag: the files form a package. */
  readonly isPackage: boolean;
  /** application_version, 7 bits. */
  readonly version: number;
  /** expire_date: start (JST) of the day. */
  readonly expireDate: BroadcastMs | undefined;
}

export function parseCacheControl(r: Reader): CacheControlDescriptor {
  const size = r.u16();
  const priority = r.u8();
  // package_flag 1, application_version 7
  const version = r.u8();
  return {
    kind: 'cache_control',
    size,
    priority,
    isPackage: (version & 0x80) !== 0,
    version: version & 0x7f,
    expireDate: jstTime(r.u16(), 0, 0, 0),
  };
}
