/**
 * Messages of a station's data broadcast (ResponseMessage): frames of the live socket with channel 0x30, and in lines
 * `{at, message}` of `GET /api/recordings/<id>/databroadcast`, `at` in s on the playback scale. Their names and meaning are
 * fixed, because recordings keep them: fields are added, never changed, and readers ignore unknown types and fields. Types
 * only, so that the engine's bundle has no validators.
 * ARIB STD-B24 Vol. 2 and 3; operation: ARIB TR-B14 Vol. 3, TR-B15 Vol. 1.
 *
 * A client that joins receives the current state in this order: `pmt`, `programInfo`, `bit` where it is known, one
 * `moduleListUpdated` for each component whose DII was received, the complete modules, the NPT references, `ait` where the
 * station signals applications, and `currentTime`. All times `at` are broadcast times in epoch ms (see `clock` in `live.ts`).
 */
import type { ControlledApplication } from '../arib/application/application.ts';

/** component_tag of the component where a data broadcast starts. TR-B14 Vol. 3, TR-B15 Vol. 1. */
export const ENTRY_COMPONENT = 0x40;

/**
 * Headers of `GET /api/bml/proxy` and `POST /api/bml/post`, whose own status is 200 whenever the peer answered: the peer's
 * status code, its Content-Type (absent where it sent none), its Cache-Control (likewise), and the address of the answer
 * after redirects.
 */
export const PEER_STATUS_HEADER = 'x-svc-status';
export const PEER_TYPE_HEADER = 'x-svc-content-type';
export const PEER_CACHE_HEADER = 'x-svc-cache-control';
export const PEER_URL_HEADER = 'x-svc-url';

/** Components of the tuned service. Sent first, and when anything in it changes. */
export interface PmtMessage {
  type: 'pmt';
  /** All elementary streams that have a component_tag, also video, audio and captions, in the order of the PMT. */
  components: DataComponent[];
}

export interface DataComponent {
  pid: number;
  /** component_tag. */
  componentId: number;
  /** stream_type, ISO/IEC 13818-1 table 2-34: 0x0d data carousel, 0x0b and 0x0c event messages. */
  streamType: number;
  /** Of the data_component_descriptor; null where there is none. */
  dataComponentId: number | null;
  /** additional_arib_bxml_info; null where the component has no BML, or its information is truncated. */
  bxmlInfo: BxmlInfo | null;
}

/** additional_arib_bxml_info, ARIB STD-B24 Vol. 3, 9.3. */
interface BxmlInfo {
  /** transmission_format, 2 bits: 0 carousel and events, 1 store only. */
  transmissionFormat: number;
  /** Null unless entry_point_flag is set. */
  entryPoint: EntryPointInfo | null;
  /** additional_arib_carousel_info; null unless `transmissionFormat` is 0. */
  carousel: CarouselInfo | null;
}

interface EntryPointInfo {
  autoStart: boolean;
  /** document_resolution: 0 mixed, 1 1920x1080, 2 1280x720, 3 960x540, 4 640x480 16:9, 5 640x480 4:3, 6 320x240. */
  documentResolution: number;
  useXml: boolean;
  /** independent_flag: may be shown without the service's other components. */
  independent: boolean;
  styleForTv: boolean;
  /** 1 and 0 where default_version_flag is set. */
  bmlMajorVersion: number;
  bmlMinorVersion: number;
}

interface CarouselInfo {
  /** 4 bits; 15 in operation. */
  dataEventId: number;
  eventSection: boolean;
  onDemandRetrieval: boolean;
  fileStorable: boolean;
  startPriority: number;
}

/** The programme on air. Sent before the modules of the entry component, and when the programme changes. */
export interface ProgramInfoMessage {
  type: 'programInfo';
  /** original_network_id. */
  networkId: number | null;
  transportStreamId: number;
  serviceId: number;
  /** Null, like the other fields of the programme and the network, while the EIT do not tell what is on air. */
  eventId: number | null;
  startAt: number | null;
  /** Null if it is undefined. */
  durationMs: number | null;
  name: string | null;
}

/** Broadcasters of the network (BIT). Sent at the start where they are known from an earlier reception. */
export interface BitMessage {
  type: 'bit';
  /** original_network_id. */
  networkId: number;
  /** affiliation_id of the tuned service's broadcaster (terrestrial); empty on satellites. */
  affiliations: number[];
  /** broadcaster_id of the tuned service (255 on terrestrial networks); null if the BIT does not list it. */
  broadcasterId: number | null;
  /** terrestrial_broadcaster_id; null on satellites. */
  terrestrialBroadcasterId: number | null;
}

/** A DII: the modules of one component. An empty list: there is no data broadcast on this component now. */
export interface ModuleListMessage {
  type: 'moduleListUpdated';
  componentId: number;
  /** data_event_id, 4 bits. */
  dataEventId: number;
  /** return_to_entry_flag of the arib_bxml_privatedata_descriptor; false where there is none. */
  returnToEntryFlag: boolean;
  /** `size`: octets as sent, of a compressed module the compressed ones. */
  modules: { id: number; version: number; size: number }[];
}

/** A module, once it is complete; each version once. */
export interface ModuleMessage {
  type: 'moduleDownloaded';
  componentId: number;
  dataEventId: number;
  moduleId: number;
  version: number;
  /** Empty if the module could not be decompressed or divided. */
  files: ModuleFile[];
}

export interface ModuleFile {
  /** Content-Location as sent; null if the module is one resource, whose address has no file name. */
  contentLocation: string | null;
  /** Media type with parameters, as sent; null if there is none. */
  contentType: string | null;
  dataBase64: string;
}

/** Event messages and NPT references of one component. */
export interface EventsMessage {
  type: 'esEventUpdated';
  componentId: number;
  /** data_event_id of the section, 4 bits. */
  dataEventId: number;
  events: StreamEvent[];
}

export type StreamEvent = ImmediateEvent | NptEvent | NptReference;

interface GeneralEvent {
  /** event_msg_group_id, 12 bits. */
  eventMessageGroupId: number;
  /** event_msg_type, 8 bits. */
  eventMessageType: number;
  /** The high octet of event_msg_id. */
  eventMessageId: number;
  /** The low octet of event_msg_id. A version fires once; the broadcast repeats it. */
  eventMessageVersion: number;
  /** private_data_byte, base64: text in the document's character set. */
  privateDataBase64: string;
}

/** time_mode 0: fires when it arrives. */
export interface ImmediateEvent extends GeneralEvent {
  type: 'immediateEvent';
}

/** time_mode 2: fires at `npt`. */
export interface NptEvent extends GeneralEvent {
  type: 'nptEvent';
  /** 33 bits, 90 kHz. */
  npt: number;
  /** `npt` as broadcast time; null while the component's NPT is unknown or stands still. Sent again when it changes. */
  at: number | null;
}

/** NPT reference descriptor: at `at` the component's NPT is `npt`. */
export interface NptReference {
  type: 'nptReference';
  postDiscontinuity: boolean;
  /** dsm_contentId, 7 bits. */
  contentId: number;
  /** STC_reference and NPT_reference, 33 bits, 90 kHz. */
  stc: number;
  npt: number;
  /** 1/1: NPT advances by 90 each ms. 0/1: it stands still. */
  scaleNumerator: number;
  scaleDenominator: number;
  /** `stc` as broadcast time; null before the first TOT. */
  at: number | null;
}

/** The broadcast's clock (TOT). */
interface CurrentTimeMessage {
  type: 'currentTime';
  at: number;
}

/**
 * Applications that the station signals (AIT on a stream with an application_signalling_descriptor). Sent again when
 * anything in it changes; empty once it signals none any more. ETSI TS 102 809, 5.3; ARIB STD-B24 Vol. 4.
 */
interface AitMessage {
  type: 'ait';
  applications: readonly ControlledApplication[];
}

export type ResponseMessage =
  | PmtMessage
  | ProgramInfoMessage
  | BitMessage
  | ModuleListMessage
  | ModuleMessage
  | EventsMessage
  | AitMessage
  | CurrentTimeMessage;
