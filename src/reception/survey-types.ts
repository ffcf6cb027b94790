/** Requests and results of channel surveys: stations (scan) and logos. */
import type { BroadcastType, NetworkId, ServiceId, TransportStreamId } from '../../arib/ids.ts';
import type { AgentStreamRequest } from '../tuner/agent-stream.ts';

/** What to look for in a channel's stream. */
type SurveyTask = { kind: 'scan'; type: BroadcastType } | { kind: 'logos'; wanted: readonly WantedLogo[] };

/** A station without a logo. */
export interface WantedLogo {
  networkId: NetworkId;
  serviceId: ServiceId;
}

export interface SurveyOrder {
  request: AgentStreamRequest;
  /** For all of it, opening included, ms. */
  limitMs: number;
  task: SurveyTask;
}

/** How a survey ended; apart from `complete` none of them means that the channel has nothing. */
export type SurveyOutcome =
  /** All that was looked for was found. */
  | 'complete'
  /** The agent had no tuner. */
  | 'no_tuner'
  /** The agent could not tune; the reason is its sentence. */
  | 'refused'
  /** The agent did not answer, or the answer was not an agent's. */
  | 'unreachable'
  /** The stream did not begin in time. */
  | 'no_signal'
  /** A stream began, but contained no packet of a broadcast. */
  | 'unreadable'
  /** Timed out before everything was found. */
  | 'partial'
  /** The stream broke off. */
  | 'broken'
  | 'cancelled';

/** What a scan needs to know about a stream. */
export interface ScannedStream {
  networkId: NetworkId;
  transportStreamId: TransportStreamId;
  /** Of terrestrial streams. */
  remoteControlKey: number | null;
  services: ScannedService[];
  /** Satellite: the streams that the NIT places on the same transponder, this one among them. */
  transponder: TransportStreamId[];
}

export interface ScannedService {
  serviceId: ServiceId;
  name: string;
  serviceType: number;
}

/** A logo as it is to be kept. */
export interface FoundLogo {
  networkId: NetworkId;
  serviceId: ServiceId;
  /** logo_type: index of `LOGO_SIZES`. */
  type: number;
  /** logo_version, 12 bits; null where the broadcast names none. */
  version: number | null;
  /** With its palette. */
  png: Uint8Array<ArrayBuffer>;
}

/** The engineering service that sends logos of satellite stations, by a network's NIT. */
export interface LogoCarrier {
  networkId: NetworkId;
  transportStreamId: TransportStreamId;
}

export interface SurveyFindings {
  stream?: ScannedStream;
  /** Japanese: why a scan that read everything cannot use it. */
  contradiction?: string;
  carriers?: LogoCarrier[];
}

export interface SurveyResult {
  outcome: SurveyOutcome;
  /** The agent's sentence where it refused, else technical words for the log; null when complete. */
  reason: string | null;
  findings: SurveyFindings;
}
