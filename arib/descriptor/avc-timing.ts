import type { Reader } from '../reader.ts';

/** AVC timing and HRD descriptor, tag 0x2A, of one-segment PMTs. ISO/IEC 13818-1 2.6.66. */
export interface AvcTimingDescriptor {
  readonly kind: 'avc_timing';
  /** hrd_management_valid_flag. */
  readonly managesBuffers: boolean;
  readonly timing: AvcTiming | undefined;
  readonly fixedFrameRate: boolean;
  /** temporal_poc_flag. */
  readonly temporalOrder: boolean;
  /** picture_to_display_conversion_flag. */
  readonly displayConversion: boolean;
}

/** picture_and_timing_info. */
interface AvcTiming {
  /** N and K: time_scale = 27 MHz * n / k; 1 / 300 if the flag selects 90 kHz. */
  readonly n: number;
  readonly k: number;
  readonly unitsInTick: number;
}

export function parseAvcTiming(r: Reader): AvcTimingDescriptor {
  // hrd_management_valid_flag 1, reserved 6, picture_and_timing_info_present 1
  const head = r.u8();
  const timing = (head & 0x01) !== 0 ? readTiming(r) : undefined;
  // fixed_frame_rate_flag 1, temporal_poc_flag 1, picture_to_display_conversion_flag 1, reserved 5
  const flags = r.u8();
  return {
    kind: 'avc_timing',
    managesBuffers: (head & 0x80) !== 0,
    timing,
    fixedFrameRate: (flags & 0x80) !== 0,
    temporalOrder: (flags & 0x40) !== 0,
    displayConversion: (flags & 0x20) !== 0,
  };
}

function readTiming(r: Reader): AvcTiming {
  // 90kHz_flag 1, reserved 7
  const is90kHz = (r.u8() & 0x80) !== 0;
  return { n: is90kHz ? 1 : r.u32(), k: is90kHz ? 300 : r.u32(), unitsInTick: r.u32() };
}
