/**
 * Converts an encoder's output (fragmented MP4 with broadcast times) to an initialisation segment and media fragments
 * with times near 0.
 */
import { joinBytes } from '../arib/join-bytes.ts';
import { type Media90k, media90k, TICKS_PER_SECOND } from '../arib/time.ts';
import { continues } from '../arib/ts/time-scale.ts';
import { BoxCutter } from './boxes.ts';
import { type FragmentTrack, originOf, readFragment, rebase } from './fragment.ts';
import { mimeOf, readTracks, type Track } from './tracks.ts';

export type MediaPiece =
  | {
      kind: 'init';
      bytes: Uint8Array<ArrayBuffer>;
      mime: string;
      /** Broadcast time stamp of time 0 in the fragments, unwrapped: negative just before a wrap. */
      origin: number;
    }
  | {
      kind: 'fragment';
      bytes: Uint8Array<ArrayBuffer>;
      /** Decoding can begin here. */
      sync: boolean;
      /** Since the origin. */
      time: Media90k;
    }
  /** The clock jumped: the following fragments do not continue the previous ones. */
  | { kind: 'jump' };

export class Fragmenter {
  readonly #cutter = new BoxCutter();
  #ftyp = new Uint8Array(0);
  #init = new Uint8Array(0);
  #tracks: readonly Track[] = [];
  #moof: Uint8Array | undefined;
  #origin: number | undefined;
  /** By track: after a loss on all tracks, the last picture may be later than the last audio. */
  readonly #last = new Map<Track, Media90k>();

  /** @param origin broadcast time stamp of time 0, 90 kHz; default: the start of the first fragment */
  constructor(private readonly origin?: number) {}

  /** @throws Error if the bytes are not fragmented MP4 */
  *feed(chunk: Uint8Array): Generator<MediaPiece> {
    for (const { type, bytes } of this.#cutter.feed(chunk)) {
      if (type === 'ftyp') this.#ftyp = bytes;
      else if (type === 'moov') {
        this.#tracks = readTracks(bytes);
        if (this.#tracks.length === 0) throw new Error('no track in the initialisation segment');
        this.#init = joinBytes([this.#ftyp, bytes]);
      } else if (type === 'moof') this.#moof = bytes;
      else if (type === 'mdat' && this.#moof !== undefined) {
        const moof = this.#moof;
        this.#moof = undefined;
        yield* this.#fragment(moof, bytes);
      }
    }
  }

  *#fragment(moof: Uint8Array, mdat: Uint8Array): Generator<MediaPiece> {
    const parts = readFragment(moof, this.#tracks);
    const wanted = this.#tracks.some((track) => track.kind === 'video') ? 'video' : 'audio';
    const isSync = (part: FragmentTrack): boolean => part.track.kind === wanted && part.sync;
    const lead = parts.find((part) => part.track.kind === 'video') ?? parts[0];
    if (lead === undefined) return;
    if (this.#origin === undefined) {
      // Playback cannot begin with audio before the first picture.
      if (!parts.some(isSync)) return;
      this.#origin = this.origin ?? originOf(parts);
      yield { kind: 'init', bytes: this.#init, mime: typeOf(this.#tracks), origin: this.#origin };
    }
    const time = media90k((lead.time * TICKS_PER_SECOND) / lead.track.timescale - this.#origin);
    if (!continues(this.#last.get(lead.track) ?? time, time)) {
      yield { kind: 'jump' };
      return;
    }
    this.#last.set(lead.track, time);
    const left = rebase(moof, parts, this.#origin);
    if (left.length === 0) return;
    yield { kind: 'fragment', bytes: joinBytes([moof, mdat]), sync: left.some(isSync), time };
  }
}

/** Without a known codec only the container is given. */
function typeOf(tracks: readonly Track[]): string {
  const container = tracks.some((track) => track.kind === 'video') ? 'video/mp4' : 'audio/mp4';
  return mimeOf(tracks) ?? container;
}
