/**
 * What the data component descriptor of a BML component states: additional_arib_bxml_info and
 * additional_arib_carousel_info. ARIB STD-B24 Vol. 2 Part 1, 9.3; operation: TR-B14 Vol. 3, TR-B15 Vol. 1.
 */
import { Reader } from '../reader.ts';

interface BxmlInfo {
  /** transmission_format, 2 bits: 0 carousel and events, 1 store only. */
  readonly transmissionFormat: number;
  /** Null unless entry_point_flag is set. */
  readonly entryPoint: EntryPoint | null;
  /** Null unless `transmissionFormat` is 0. */
  readonly carousel: CarouselOperation | null;
}

interface EntryPoint {
  readonly autoStart: boolean;
  /** document_resolution, 4 bits: 3 is 960x540, 4 and 5 are 640x480 in 16:9 and 4:3. */
  readonly documentResolution: number;
  readonly useXml: boolean;
  readonly independent: boolean;
  readonly styleForTv: boolean;
  readonly bmlMajorVersion: number;
  readonly bmlMinorVersion: number;
}

interface CarouselOperation {
  /** 4 bits. */
  readonly dataEventId: number;
  readonly eventSection: boolean;
  readonly onDemandRetrieval: boolean;
  readonly fileStorable: boolean;
  readonly startPriority: number;
}

/** data_component_id of BML: satellite BS and CS, terrestrial, one-segment. */
const BML_COMPONENTS: readonly number[] = [0x0007, 0x000b, 0x000c, 0x000d];
const CAROUSEL_AND_EVENTS = 0;

/** @param info additional_data_component_info. Undefined if the component is not BML, or the information is truncated */
export function parseBxmlInfo(dataComponentId: number, info: Uint8Array): BxmlInfo | undefined {
  if (!BML_COMPONENTS.includes(dataComponentId)) return undefined;
  const r = new Reader(info);
  // transmission_format 2, entry_point_flag 1; auto_start_flag 1 and document_resolution 4, or reserved 5
  const head = r.u8();
  const transmissionFormat = head >> 6;
  const entryPoint = (head & 0x20) === 0 ? null : readEntryPoint(head, r);
  const carousel = transmissionFormat === CAROUSEL_AND_EVENTS ? readCarousel(r) : null;
  return r.exhausted ? undefined : { transmissionFormat, entryPoint, carousel };
}

function readEntryPoint(head: number, r: Reader): EntryPoint {
  // use_xml 1, default_version_flag 1, independent_flag 1, style_for_tv_flag 1, reserved 4
  const flags = r.u8();
  const useXml = (flags & 0x80) !== 0;
  const isDefault = (flags & 0x40) !== 0;
  const entryPoint = {
    autoStart: (head & 0x10) !== 0,
    documentResolution: head & 0x0f,
    useXml,
    independent: (flags & 0x20) !== 0,
    styleForTv: (flags & 0x10) !== 0,
    bmlMajorVersion: isDefault ? 1 : r.u16(),
    bmlMinorVersion: isDefault ? 0 : r.u16(),
  };
  // bxml_major_version 16, bxml_minor_version 16
  if (useXml && !isDefault) r.skip(4);
  return entryPoint;
}

function readCarousel(r: Reader): CarouselOperation {
  // data_event_id 4, event_section_flag 1, reserved 3; ondemand_retrieval_flag 1, file_storable_flag 1,
  // start_priority 1, reserved 5
  const bits = r.u16();
  return {
    dataEventId: bits >> 12,
    eventSection: (bits & 0x0800) !== 0,
    onDemandRetrieval: (bits & 0x80) !== 0,
    fileStorable: (bits & 0x40) !== 0,
    startPriority: (bits >> 5) & 1,
  };
}
