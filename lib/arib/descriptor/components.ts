/** Descriptors of components: the video and audio of an event, and how they are decoded. */
import type { Reader } from '../reader.ts';
import { readWord } from '../text/text.ts';

/** Component descriptor, tag 0x50: the video of an event. ARIB STD-B10 Part 2, 6.2.3. */
export interface ComponentDescriptor {
  readonly kind: 'component';
  /** stream_content, 4 bits: 1 MPEG-2, 5 H.264, 9 HEVC. */
  readonly streamContent: number;
  /** component_type: high nibble the resolution, low nibble the aspect ratio. */
  readonly componentType: number;
  readonly componentTag: number;
  readonly language: string;
  readonly text: string;
}

export function parseComponent(r: Reader): ComponentDescriptor {
  return {
    kind: 'component',
    // reserved_future_use 4
    streamContent: r.u8() & 0x0f,
    componentType: r.u8(),
    componentTag: r.u8(),
    language: r.language(),
    text: readWord(r, r.remaining),
  };
}

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

/** Stream identifier descriptor, tag 0x52. ARIB STD-B10 Part 2, 6.2.16. */
interface StreamIdentifierDescriptor {
  readonly kind: 'stream_identifier';
  /** 8 bits; connects an elementary stream of the PMT with the component descriptors of the EIT. */
  readonly componentTag: number;
}

export function parseStreamIdentifier(r: Reader): StreamIdentifierDescriptor {
  return { kind: 'stream_identifier', componentTag: r.u8() };
}

/** Video decode control descriptor, tag 0xC8, of a PMT. ARIB STD-B10 Part 2, 6.2.30; TR-B14 Vol. 4, TR-B15. */
interface VideoDecodeControlDescriptor {
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
