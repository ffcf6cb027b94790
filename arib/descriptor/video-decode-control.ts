import type { Reader } from '../reader.ts';

/** Video decode control descriptor, tag 0xC8, of a PMT. ARIB STD-B10 Part 2, 6.2.30; TR-B14 Vol. 4, TR-B15. */
export interface VideoDecodeControlDescriptor {
  readonly kind: 'video_decode_control';
  readonly stillPicture: boolean;
  /** sequence_end_code_flag: a sequence ends before its format changes. */
  readonly sequenceEnd: boolean;
  /** video_encode_format; undefined for a reserved code. */
  readonly format: (typeof FORMATS)[number] | undefined;
}

/** video_encode_format, 4 bits. */
const FORMATS = ['1080p', '1080i', '720p', '480p', '480i', '240p', '120p'] as const;

export function parseVideoDecodeControl(r: Reader): VideoDecodeControlDescriptor {
  // still_picture_flag 1, sequence_end_code_flag 1, video_encode_format 4, reserved 2
  const flags = r.u8();
  return {
    kind: 'video_decode_control',
    stillPicture: (flags & 0x80) !== 0,
    sequenceEnd: (flags & 0x40) !== 0,
    format: FORMATS[(flags >> 2) & 0x0f],
  };
}
