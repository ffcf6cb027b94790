/**
 * Everything that crosses between the main thread and a stream worker. Numbers named `stream`, `sink` and
 * `viewer` are chosen by the main thread and unique in a process.
 */
import type { Media90k } from '../../arib/time.ts';
import type { FileEvent } from './file-output.ts';
import type { FileOpening } from './recorded-file.ts';
import type { StationLayout } from './station-layout.ts';

export type ToReceptionWorker =
  /** Tune, narrow to a station, keep the last seconds. Answered by `opened` or `failed`, later `layout`, `ended`. */
  | { kind: 'open'; stream: number; url: string; serviceId: number }
  /** Let go of the tuner and of every sink. Answered by `closed`. */
  | { kind: 'close'; stream: number }
  /** Start an encoder of these PIDs on the stream. `waitForPicture`: feed it from an intra picture on. */
  | {
      kind: 'encode';
      stream: number;
      sink: number;
      command: string[];
      pids: number[];
      waitForPicture: boolean;
    }
  /** Send the narrowed stream itself. */
  | { kind: 'raw'; stream: number; sink: number }
  /** A viewer joins a raw sink: answered by `burst`, in order with the sink's `raw`. */
  | { kind: 'join'; stream: number; sink: number; viewer: number }
  /** Write the narrowed stream to a file. Answered by `file`s, the last of them `ended`. */
  | { kind: 'record'; stream: number; sink: number; opening: FileOpening }
  /** A recording goes on in another file. */
  | { kind: 'move'; stream: number; sink: number; opening: FileOpening }
  | { kind: 'drop'; stream: number; sink: number }
  /** The main thread has taken so many bytes of a sink. */
  | { kind: 'taken'; stream: number; sink: number; bytes: number }
  /** Answered by `alive`, at once. */
  | { kind: 'ask' }
  /** End everything; answered by `down`. */
  | { kind: 'shutdown' };

/** Why a sink ended. */
export type OutputEnd =
  /** The station's layout or picture format changed: what follows needs a new encoder. */
  | { cause: 'layout' }
  /** The tuning broke. */
  | { cause: 'lost' }
  /** The encoder ended, stalled or was too slow. `missing`: it waits for PIDs that the station does not send readably. */
  | { cause: 'encoder'; reason: string; produced: boolean; missing: number[] }
  /** The main thread took nothing for too long. */
  | { cause: 'behind' };

export type FromReceptionWorker =
  | { kind: 'opened'; stream: number; tunerId: string | null; layout: StationLayout }
  | { kind: 'failed'; stream: number; code: 'no_tuner' | 'agent_unavailable'; reason: string }
  | { kind: 'layout'; stream: number; layout: StationLayout }
  /** The tuning broke, after `opened`. Its sinks have ended before. */
  | { kind: 'ended'; stream: number; reason: string }
  | { kind: 'closed'; stream: number }
  /** Packets of the guide's tables, whole. */
  | { kind: 'guide'; stream: number; bytes: Uint8Array<ArrayBuffer> }
  /** The process of an encoder, so that nobody is left behind when the worker dies. */
  | { kind: 'spawned'; sink: number; pid: number }
  | { kind: 'init'; sink: number; bytes: Uint8Array<ArrayBuffer>; mime: string; origin: number }
  | { kind: 'fragment'; sink: number; bytes: Uint8Array<ArrayBuffer>; sync: boolean; time: Media90k }
  | { kind: 'raw'; sink: number; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'burst'; sink: number; viewer: number; bytes: Uint8Array<ArrayBuffer> }
  /** `at`: the worker's clock when it was sent, ms; the event's times are of the same clock. */
  | { kind: 'file'; sink: number; at: number; event: FileEvent }
  | { kind: 'sinkEnded'; sink: number; end: OutputEnd }
  | { kind: 'alive' }
  | { kind: 'down' };

/** What of a message is moved instead of copied. */
export function transferOf(message: FromReceptionWorker): ArrayBuffer[] {
  switch (message.kind) {
    case 'guide':
    case 'init':
    case 'fragment':
    case 'raw':
    case 'burst':
      return [message.bytes.buffer];
    default:
      return [];
  }
}
