/**
 * Interface of media sources to sessions. A source is opened once and shared by the sessions of its viewers. The
 * station source (`station-source.ts`) is one implementation; a recorded file and a growing file are others.
 */
import type { Pid } from '../../arib/ids.ts';
import type { LiveCommand } from '../ffmpeg/recipes.ts';
import type { Frame, PacketsFrame } from './frame.ts';

/** The elementary streams that a source offers. */
export interface MediaLayout {
  readonly video: { readonly pid: Pid; readonly kind: 'mpeg2' | 'h264' | 'hevc' } | null;
  /** In the order in which Audio options count them. */
  readonly audios: readonly Pid[];
}

/** Why an output ended. */
export type OutputEnd =
  /** The layout or picture format changed: what follows needs a new encoder. */
  | { readonly cause: 'layout' }
  /** The source has no more; everything was sent. */
  | { readonly cause: 'finished' }
  /** The source broke. */
  | { readonly cause: 'lost' }
  /** The encoder ended, stalled or was too slow. `missing`: PIDs that it waits for and that do not come readably. */
  | {
      readonly cause: 'encoder';
      readonly reason: string;
      readonly produced: boolean;
      readonly missing: readonly number[];
    }
  /** The session took nothing for too long. */
  | { readonly cause: 'behind' };

export interface OutputConsumer {
  /** `init` comes first, then fragments from a key frame on, among them frames of other kinds. */
  frame(frame: Frame): void;
  /** Once, last. */
  ended(end: OutputEnd): void;
}

export interface PacketConsumer {
  /** What a viewer that asked by `join` starts with; the next packets continue it. */
  burst(viewer: number, bytes: Uint8Array): void;
  frame(frame: PacketsFrame | Exclude<Frame, { bytes: Uint8Array }>): void;
  /** Once, last. */
  ended(end: OutputEnd): void;
}

export interface SourceOutput {
  /** Ends it without waiting; `ended` may still be called. */
  stop(): void;
  /**
   * A viewer's queue is half full, or has room again. A source that can wait (a file) stops reading meanwhile; one that
   * cannot (a station) has no such method, and the queue's bound decides.
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
  /** As it was when the source was opened; later ones come by `SourceEvents`. */
  readonly layout: MediaLayout;
  encode(order: EncodeOrder, consumer: OutputConsumer): SourceOutput;
  packets(consumer: PacketConsumer): PacketOutput;
  /** Releases what the source holds; resolves when no process is left. Idempotent. */
  close(): Promise<void>;
}

/** Events of an open source. */
export interface SourceEvents {
  /** Outputs that started before end by themselves with `layout`. */
  layout(layout: MediaLayout): void;
  /** The source broke; every output has ended before. */
  ended(): void;
}
