/** Descriptors of components: the video and audio of an event, and how they are decoded. */
import type { EventId, NetworkId, Pid, ServiceId, TransportStreamId } from '../ids.ts';
import type { Reader } from '../reader.ts';
import { readText, readWord } from '../text/text.ts';

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

/** Component group descriptor, tag 0xD9: streams that are shown together. ARIB STD-B10 Part 2, 6.2.37. */
interface ComponentGroupDescriptor {
  readonly kind: 'component_group';
  /** component_group_type, 3 bits: 0 multi-view television. */
  readonly type: number;
  readonly groups: readonly ComponentGroup[];
}

interface ComponentGroup {
  /** component_group_id, 4 bits: 0 the main group. */
  readonly id: number;
  readonly units: readonly ComponentUnit[];
  /** Bits a second. */
  readonly totalBitRate: number | undefined;
  readonly text: string;
}

interface ComponentUnit {
  /** CA_unit_id, 4 bits: 0 free, 1 charged with the event's default components, 2 on others. */
  readonly caUnitId: number;
  /** component_tags. */
  readonly components: readonly number[];
}

const BIT_RATE_UNIT = 250_000;

export function parseComponentGroup(r: Reader): ComponentGroupDescriptor {
  // component_group_type 3, total_bit_rate_flag 1, num_of_group 4
  const head = r.u8();
  const hasBitRate = (head & 0x10) !== 0;
  const groups: ComponentGroup[] = [];
  for (let left = head & 0x0f; left > 0; left--) groups.push(readGroup(r, hasBitRate));
  return { kind: 'component_group', type: head >> 5, groups };
}

function readGroup(r: Reader, hasBitRate: boolean): ComponentGroup {
  // component_group_id 4, num_of_CA_unit 4
  const head = r.u8();
  const units: ComponentUnit[] = [];
  for (let left = head & 0x0f; left > 0; left--) {
    // CA_unit_id 4, num_of_component 4
    const unit = r.u8();
    units.push({ caUnitId: unit >> 4, components: [...r.take(unit & 0x0f)] });
  }
  return {
    id: head >> 4,
    units,
    totalBitRate: hasBitRate ? r.u8() * BIT_RATE_UNIT : undefined,
    text: readText(r, r.u8()),
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

/** Mosaic descriptor, tag 0x51: a picture composed of several services. ARIB STD-B10 Part 2, 6.2.9. */
interface MosaicDescriptor {
  readonly kind: 'mosaic';
  /** mosaic_entry_point: this is the first of several mosaic services. */
  readonly entryPoint: boolean;
  /** Elementary cells across, 1 to 8. */
  readonly columns: number;
  /** Elementary cells down, 1 to 8. */
  readonly rows: number;
  readonly cells: readonly LogicalCell[];
}

interface LogicalCell {
  /** logical_cell_id, 6 bits. */
  readonly id: number;
  /** logical_cell_presentation_info, 3 bits: 1 video, 2 still picture, 3 graphics or text. */
  readonly presentation: number;
  /** elementary_cell_id, from the upper left. */
  readonly elementaryCells: readonly number[];
  readonly link: CellLink;
}

/** cell_linkage_info; 'guide' is an event, 'mosaic' another mosaic service. */
type CellLink =
  | { readonly to: 'none' }
  | { readonly to: 'bouquet'; readonly bouquetId: number }
  | ({ readonly to: 'service' | 'mosaic' } & CellService)
  | ({ readonly to: 'event'; readonly eventId: EventId } & CellService);

interface CellService {
  readonly originalNetworkId: NetworkId;
  readonly transportStreamId: TransportStreamId;
  readonly serviceId: ServiceId;
}

export function parseMosaic(r: Reader): MosaicDescriptor {
  // mosaic_entry_point 1, horizontal cells 3, reserved 1, vertical cells 3
  const head = r.u8();
  const cells: LogicalCell[] = [];
  while (r.remaining > 0) {
    // logical_cell_id 6, reserved 7, logical_cell_presentation_info 3
    const flags = r.u16();
    const fields = r.slice(r.u8());
    const elementaryCells: number[] = [];
    while (fields.remaining > 0) elementaryCells.push(fields.u8() & 0x3f);
    cells.push({ id: flags >> 10, presentation: flags & 0x07, elementaryCells, link: readLink(r) });
  }
  return {
    kind: 'mosaic',
    entryPoint: (head & 0x80) !== 0,
    columns: ((head >> 4) & 0x07) + 1,
    rows: (head & 0x07) + 1,
    cells,
  };
}

function readLink(r: Reader): CellLink {
  switch (r.u8()) {
    case 1:
      return { to: 'bouquet', bouquetId: r.u16() };
    case 2:
      return { to: 'service', ...readService(r) };
    case 3:
      return { to: 'mosaic', ...readService(r) };
    case 4:
      return { to: 'event', ...readService(r), eventId: r.u16() as EventId };
    default:
      return { to: 'none' };
  }
}

function readService(r: Reader): CellService {
  return {
    originalNetworkId: r.u16() as NetworkId,
    transportStreamId: r.u16() as TransportStreamId,
    serviceId: r.u16() as ServiceId,
  };
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

/** AVC timing and HRD descriptor, tag 0x2A, of one-segment PMTs. ISO/IEC 13818-1 2.6.66. */
interface AvcTimingDescriptor {
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

/** AVC video descriptor, tag 0x28, of one-segment PMTs. ISO/IEC 13818-1 2.6.64. */
interface AvcVideoDescriptor {
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

/** Hierarchical transmission descriptor, tag 0xC0. ARIB STD-B10 Part 2, 6.2.22. */
interface HierarchicalTransmissionDescriptor {
  readonly kind: 'hierarchical_transmission';
  readonly highQuality: boolean;
  /** The stream of the other quality. */
  readonly referencePid: Pid;
}

export function parseHierarchicalTransmission(r: Reader): HierarchicalTransmissionDescriptor {
  // reserved_future_use 7, quality_level 1
  return { kind: 'hierarchical_transmission', highQuality: (r.u8() & 0x01) !== 0, referencePid: r.pid() };
}
