/** One session of the raw path: reads the stream and feeds the decoder. Independent of the worker API. */
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { WallMs } from '../../lib/wire/times.ts';
import { TunerLost, type WatchRequest } from '../player/live-connection.ts';
import type { SideControl, SideItem } from '../player/side-tracks.ts';
import type { StartStep } from '../player/start-steps.ts';
import { ApiFailure, type FailureCode } from '../query/api.ts';
import type { RawReport } from './raw-messages.ts';
import type { RawStation } from './raw-station.ts';

// Messages between the page and the worker of the raw path. Byte arrays are transferred.

/** Where the worker reads the transport stream: it opens the socket or the response itself. */
export type RawSource =
  /** `base`: address of the UI, to which the service's addresses are relative. */
  | { readonly kind: 'socket'; readonly request: WatchRequest; readonly base: string }
  | { readonly kind: 'http'; readonly url: string };

export type RawRequest =
  /** Begins a session, in the place of the one before. */
  | {
      readonly kind: 'open';
      readonly session: number;
      readonly source: RawSource;
      /** The address of the decoder module. */
      readonly wasm: string;
      /** Which of the station's sounds, in the order of its PMT. */
      readonly audioIndex: number;
      /** Pictures at half their width and height. */
      readonly isHalf: boolean;
      /** Where pictures go: a canvas, or the track of a video element. */
      readonly canvas?: OffscreenCanvas;
      readonly track?: WritableStream<VideoFrame>;
    }
  | { readonly kind: 'close'; readonly session: number }
  /** To the service, where a socket is open. */
  | { readonly kind: 'tell'; readonly control: SideControl }
  /** Position of the sound, s, at a time; rate 0: it stands. */
  | { readonly kind: 'clock'; readonly position: number; readonly at: WallMs; readonly rate: number };

/** Reports of a session besides those of the station's decoder. */
type SessionReport =
  | RawReport
  /** The service answered; its answer is side data as well. */
  | { readonly kind: 'tuned' }
  | { readonly kind: 'side'; readonly item: SideItem }
  /** A step to the first picture was reached. */
  | { readonly kind: 'step'; readonly step: StartStep; readonly at: WallMs }
  /** Octets received on the socket so far. */
  | { readonly kind: 'received'; readonly octets: number }
  /** End of the stream; without a failure in order. */
  | { readonly kind: 'end'; readonly failure?: RawFailure };

/** An error on its way to the page: without a code it is no `ApiFailure`. */
export interface RawFailure {
  readonly code?: FailureCode;
  readonly message: string;
  readonly status?: number;
  /** The tuner was lost, to this recording. */
  readonly takenBy?: RecordingId | null;
}

export interface WorkerReport {
  readonly session: number;
  readonly report: SessionReport;
}

interface SessionNeeds {
  /** Errors: ApiFailure, a network error, the abort. */
  readonly packets: AsyncGenerator<Uint8Array>;
  /** Rejects where this device cannot decode or show pictures. */
  readonly start: () => Promise<Pick<RawStation, 'packets'>>;
  readonly report: (report: WorkerReport['report']) => void;
}

function rawFailure(error: unknown): RawFailure {
  if (!(error instanceof ApiFailure)) return { message: String(error) };
  const { code, message, status } = error;
  return { code, message, status, ...(error instanceof TunerLost ? { takenBy: error.recordingId } : {}) };
}

/** Resolves at the end of the stream, which it reports; never rejects. */
export async function runSession({ packets, start, report }: SessionNeeds): Promise<void> {
  // The service tunes while the decoder is loaded.
  const first = packets.next();
  first.catch(() => undefined);
  try {
    const station = await start();
    for (let next = await received(first); next !== undefined; next = await received(packets.next())) {
      if (next instanceof Uint8Array) station.packets(next);
      else {
        report({ kind: 'end', failure: next });
        return;
      }
    }
    report({ kind: 'end' });
  } catch {
    // The decoder failed: another attempt would meet the same stream.
    report({ kind: 'problem', problem: 'unsupported' });
  }
}

/** Undefined at the end. */
async function received(
  next: Promise<IteratorResult<Uint8Array>>,
): Promise<Uint8Array | RawFailure | undefined> {
  try {
    const { done, value } = await next;
    return done === true ? undefined : value;
  } catch (error) {
    return rawFailure(error);
  }
}
