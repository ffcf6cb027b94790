/** Messages between a program and its air player, which runs in a worker. */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { channelList } from '../truth.ts';

/** A broadcast as it is put on the air. */
export interface Programming {
  /** Name of a built-in scenario, a file, or the JSON text of a scenario file. */
  scenario: string;
  /** A control file of faults; null: none. */
  faults: string | null;
  /** A consumer further behind than this many seconds loses packets. */
  maxLagSec: number;
  /** Relative to real time; each channel begins with its first tuning. */
  speed: number;
}

export interface ChannelName {
  type: BroadcastType;
  channel: string;
}

/** Requests by kind, each with what answers it. */
export interface PlayerCalls {
  /** Makes the missing films of a scenario. */
  prepare: { request: { scenario: string }; answer: ReturnType<typeof channelList> };
  /** Puts a broadcast on the air under a number; tunings that came before wait for it. */
  put: { request: { air: number; programming: Programming }; answer: ReturnType<typeof channelList> };
  /** Ends all tunings of a broadcast. */
  end: { request: { air: number }; answer: null };
  /** The packets of a channel without the faults of the control file, epoch ms and seconds. */
  sent: {
    request: { air: number; channel: ChannelName; from: number; seconds: number };
    answer: Uint8Array<ArrayBuffer>;
  };
  /** As the broadcaster's command prints it. */
  truth: { request: { air: number; channel: ChannelName; at: number; schedule: boolean }; answer: unknown };
}

export type PlayerRequest = {
  [K in keyof PlayerCalls]: { id: number; kind: K } & PlayerCalls[K]['request'];
}[keyof PlayerCalls];

export type PlayerMessage =
  | { kind: 'listening'; port: number }
  | { kind: 'answer'; id: number; answer: PlayerCalls[keyof PlayerCalls]['answer'] }
  | { kind: 'failed'; id: number; message: string };
