/**
 * Interface between media sources and sessions. A source is opened once and shared by the sessions of its viewers. The
 * station source (`station-source.ts`) is one implementation; a recorded file and a growing file are others.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import type { LiveCommand } from '../ffmpeg/recipes.ts';
import type { VideoKind } from '../model/encoding.ts';
import type { Frame, PacketsFrame, SideFrame } from './frame.ts';
import type { SideRow } from './side-row.ts';

/** The elementary streams that a source offers. */
export interface MediaLayout {
  readonly video: { readonly pid: Pid; readonly kind: VideoKind } | null;
  /** In the order of the audio options. */
  readonly audios: readonly Pid[];
}

export type OutputEnd =
  /** The layout or picture format changed: the next packets need a new encoder. */
  | { readonly cause: 'layout' }
  /** The source has ended; everything was sent. */
  | { readonly cause: 'finished' }
  /** The source broke. */
  | { readonly cause: 'lost' }
  /** The encoder ended, stalled or was too slow. `missing`: PIDs that are not sent, or only scrambled. */
  | {
      readonly cause: 'encoder';
      readonly reason: string;
      readonly missing: readonly number[];
      /** It had input, and no output within its time limit: the machine may be busy. */
      readonly isSlow?: boolean;
    }
  /** The session did not take its data in time. */
  | { readonly cause: 'behind' };

export interface OutputConsumer {
  /** First `init`, then fragments from a key frame on, mixed with frames of other kinds. */
  frame(frame: Frame): void;
  /** Once, last. */
  ended(end: OutputEnd): void;
}

export interface PacketConsumer {
  /** Initial packets for a viewer, requested by `join`; the next packets continue them. */
  burst(viewer: number, bytes: Uint8Array): void;
  frame(frame: PacketsFrame | Exclude<Frame, { bytes: Uint8Array }>): void;
  /** Once, last. */
  ended(end: OutputEnd): void;
}

/** Side data of an output, on its timeline. New items are frames of its consumer. */
export interface SideFeed {
  /** What a viewer gets who joins now, of the rows that are always read, or of those on demand. */
  current(when: SideRow['when']): SideFrame[];
  /** Whether rows on demand are needed. */
  demand(on: boolean): void;
}

export interface SourceOutput {
  readonly side?: SideFeed;
  /** Ends the output without waiting; `ended` may still be called. */
  stop(): void;
  /**
   * Backpressure: a viewer's queue is half full, or has room again. A source that can pause (a file) stops reading
   * meanwhile. One that cannot (a station) has no such method, and the queue's bound applies.
   */
  hold?(isHeld: boolean): void;
}

export interface PacketOutput extends SourceOutput {
  /** Answered by `burst` with the same number, in order with the packets. */
  join(viewer: number): void;
}

/** What to encode: the streams of a layout and how. */
export type EncodeOrder = LiveCommand;

export interface MediaSource {
  /** Layout when the source was opened; later ones are reported by `SourceEvents`. */
  readonly layout: MediaLayout;
  encode(order: EncodeOrder, consumer: OutputConsumer): SourceOutput;
  packets(consumer: PacketConsumer): PacketOutput;
  /** Releases all resources; resolves when no process is left. Idempotent. */
  close(): Promise<void>;
}

export interface SourceEvents {
  /** The layout changed. Outputs started before end by themselves with `layout`. */
  layout(layout: MediaLayout): void;
  /** The source broke; all its outputs have already ended. */
  ended(): void;
}
