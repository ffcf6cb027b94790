import type { Reader } from '../../reader.ts';

/**
 * Application boundary and permission descriptor, tag 0x30 of an AIT: URLs that an application may open, and its
 * permissions there. ARIB STD-B24 Vol. 4; IPTVFJ STD-0010.
 */
export interface BoundaryPermissionDescriptor {
  readonly kind: 'application_boundary_and_permission';
  readonly permissions: readonly BoundaryPermission[];
}

interface BoundaryPermission {
  /** permission_bitmap, 16 bits each. */
  readonly bitmaps: readonly number[];
  /** managed_URL: prefixes that the bitmaps apply to; none: all. */
  readonly urls: readonly string[];
}

export function parseBoundaryPermission(r: Reader): BoundaryPermissionDescriptor {
  const permissions: BoundaryPermission[] = [];
  while (r.remaining > 0) {
    const bitmaps: number[] = [];
    for (let left = r.u8(); left > 0 && !r.exhausted; left--) bitmaps.push(r.u16());
    const urls: string[] = [];
    for (let left = r.u8(); left > 0 && !r.exhausted; left--)
      urls.push(String.fromCharCode(...r.take(r.u8())));
    permissions.push({ bitmaps, urls });
  }
  return { kind: 'application_boundary_and_permission', permissions };
}
