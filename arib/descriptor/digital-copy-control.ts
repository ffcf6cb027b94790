import type { Reader } from '../reader.ts';

/** Digital copy control descriptor, tag 0xC1. ARIB STD-B10 Part 2, 6.2.23; TR-B14 Vol. 4, TR-B15. */
export interface DigitalCopyControlDescriptor extends CopyControl {
  readonly kind: 'digital_copy_control';
  /** Components whose control differs. */
  readonly components: readonly ComponentCopyControl[];
}

interface CopyControl {
  /** digital_recording_control_data, 2 bits: 0 free, 2 one generation, 3 never; 1 is not defined. */
  readonly recordingControl: number;
  /** copy_control_type, 2 bits: 1 encrypted digital output, 3 not encrypted; 0 and 2 are not defined. */
  readonly copyControlType: number;
  /** APS_control_data, 2 bits: protection of analogue output; meaningless for types 0 and 2. */
  readonly analogueProtection: number;
  /** Bits a second. */
  readonly maximumBitRate: number | undefined;
}

interface ComponentCopyControl extends CopyControl {
  readonly componentTag: number;
}

const BIT_RATE_UNIT = 250_000;

export function parseDigitalCopyControl(r: Reader): DigitalCopyControlDescriptor {
  const flags = r.u8();
  const control = copyControl(r, flags);
  const components: ComponentCopyControl[] = [];
  if ((flags & 0x10) !== 0) {
    const loop = r.slice(r.u8());
    while (loop.remaining > 0) {
      const componentTag = loop.u8();
      components.push({ componentTag, ...copyControl(loop, loop.u8()) });
    }
  }
  const { recordingControl, copyControlType, analogueProtection, maximumBitRate } = control;
  return {
    kind: 'digital_copy_control',
    recordingControl,
    copyControlType,
    analogueProtection,
    maximumBitRate,
    components,
  };
}

/** digital_recording_control_data 2, maximum_bit_rate_flag 1, (flag) 1, copy_control_type 2, APS 2, rate. */
function copyControl(r: Reader, flags: number): CopyControl {
  return {
    recordingControl: flags >> 6,
    copyControlType: (flags >> 2) & 0x03,
    analogueProtection: flags & 0x03,
    maximumBitRate: (flags & 0x20) !== 0 ? r.u8() * BIT_RATE_UNIT : undefined,
  };
}

/**
 * Whether recording is forbidden: "never copy" (3), and 1, which TR-B15 does not define and receivers refuse. The
 * copy control type is ignored, because one-segment services use undefined types.
 */
export function forbidsRecording(control: CopyControl): boolean {
  return control.recordingControl === 3 || control.recordingControl === 1;
}
