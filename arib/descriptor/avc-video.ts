import type { Reader } from '../reader.ts';

/** AVC video descriptor, tag 0x28, of one-segment PMTs. ISO/IEC 13818-1 2.6.64. */
export interface AvcVideoDescriptor {
  readonly kind: 'avc_video';
  /** profile_idc: 66 baseline, 77 main, 100 high. */
  readonly profile: number;
  /** constraint_set0_flag to constraint_set2_flag (the three upper bits) and AVC_compatible_flags. */
  readonly constraints: number;
  /** level_idc: ten times the level. */
  readonly level: number;
  readonly hasStillPictures: boolean;
  /** AVC_24_hour_picture_flag. */
  readonly has24HourPictures: boolean;
}

export function parseAvcVideo(r: Reader): AvcVideoDescriptor {
  const profile = r.u8();
  const constraints = r.u8();
  const level = r.u8();
  // AVC_still_present 1, AVC_24_hour_picture_flag 1, reserved 6
  const flags = r.u8();
  return {
    kind: 'avc_video',
    profile,
    constraints,
    level,
    hasStillPictures: (flags & 0x80) !== 0,
    has24HourPictures: (flags & 0x40) !== 0,
  };
}
