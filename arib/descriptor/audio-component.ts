import type { Reader } from '../reader.ts';
import { readWord } from '../text/text.ts';

/** Audio component descriptor, tag 0xC4. ARIB STD-B10 Part 2, 6.2.26. */
export interface AudioComponentDescriptor {
  readonly kind: 'audio_component';
  /** stream_content, 4 bits: 2 for audio. */
  readonly streamContent: number;
  /** component_type: 1 mono, 2 dual mono, 3 stereo, 9 3/2.1, 0x40 for the blind. */
  readonly componentType: number;
  readonly componentTag: number;
  /** As in the PMT: 0x0F AAC in ADTS. */
  readonly streamType: number;
  /** 0xFF: none. */
  readonly simulcastGroupTag: number;
  /** The default audio of the event. */
  readonly main: boolean;
  /** quality_indicator, 2 bits: 1 to 3 for mode 1 to 3. */
  readonly quality: number;
  /** Hz; undefined for a reserved code. */
  readonly samplingRate: number | undefined;
  readonly language: string;
  /** Language of the second (right) channel of dual mono. */
  readonly language2: string | undefined;
  readonly text: string;
}

/** sampling_rate, 3 bits; 0 and 4 are reserved. */
const SAMPLING_RATES = [undefined, 16_000, 22_050, 24_000, undefined, 32_000, 44_100, 48_000] as const;

export function parseAudioComponent(r: Reader): AudioComponentDescriptor {
  // reserved_future_use 4
  const streamContent = r.u8() & 0x0f;
  const componentType = r.u8();
  const componentTag = r.u8();
  const streamType = r.u8();
  const simulcastGroupTag = r.u8();
  // ES_multi_lingual_flag 1, main_component_flag 1, quality_indicator 2, sampling_rate 3, reserved 1
  const flags = r.u8();
  return {
    kind: 'audio_component',
    streamContent,
    componentType,
    componentTag,
    streamType,
    simulcastGroupTag,
    main: (flags & 0x40) !== 0,
    quality: (flags >> 4) & 0x03,
    samplingRate: SAMPLING_RATES[(flags >> 1) & 0x07],
    language: r.language(),
    language2: (flags & 0x80) !== 0 ? r.language() : undefined,
    text: readWord(r, r.remaining),
  };
}
