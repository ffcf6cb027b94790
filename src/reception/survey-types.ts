/** Requests and results of channel surveys: stations (scan) and logos. */
import type { BroadcastType, NetworkId, ServiceId, TransportStreamId } from '../../lib/arib/ids.ts';
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
  /** For the whole survey including opening, ms. */
  limitMs: number;
  task: SurveyTask;
}

/** How a survey ended; only after `complete` does a missing result mean that the channel does not have it. */
export type SurveyOutcome =
  /** Everything was found. */
  | 'complete'
  /** The agent had no tuner. */
  | 'no_tuner'
  /** The agent could not tune; the reason is the agent's message. */
  | 'refused'
  /** The agent did not answer, or the answer was not from an agent. */
  | 'unreachable'
  /** The stream did not begin in time. */
  | 'no_signal'
  /** A stream began, but contained no packet of a broadcast. */
  | 'unreadable'
  /** Timed out before everything was found. */
  | 'partial'
  /** The stream broke off. */
  | 'broken'
  /** This program failed, not the reception. */
  | 'crashed'
  | 'cancelled';

/** Data of a stream for a scan. */
export interface ScannedStream {
  networkId: NetworkId;
  transportStreamId: TransportStreamId;
  /** Only for terrestrial streams. */
  remoteControlKey: number | null;
  services: ScannedService[];
  /** Satellite: the streams on the same transponder in the NIT, including this one. */
  transponder: TransportStreamId[];
}

export interface ScannedService {
  serviceId: ServiceId;
  name: string;
  serviceType: number;
}

/** A logo in the form in which it is stored. */
export interface FoundLogo {
  networkId: NetworkId;
  serviceId: ServiceId;
  /** logo_type. */
  type: number;
  /** logo_version, 12 bits; null if the broadcast has none. */
  version: number | null;
  /** Including the palette. */
  png: Uint8Array<ArrayBuffer>;
}

/** The engineering service that sends logos of satellite stations, from a network's NIT. */
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
  /** The agent's message if it refused, else a technical text for the log; null if complete. */
  reason: string | null;
  findings: SurveyFindings;
}
