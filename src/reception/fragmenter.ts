/**
 * Turns an encoder's output (fragmented MP4 with broadcast times) into an initialisation segment and media
 * fragments whose times begin near 0.
 */
import { BoxCutter } from './boxes.ts';
import { type FragmentTrack, originOf, readFragment, rebase } from './fragment.ts';
import { joinBytes } from './join-bytes.ts';
import { mimeOf, readTracks, type Track } from './track.ts';

export type MediaPiece =
  | {
      kind: 'init';
      bytes: Uint8Array<ArrayBuffer>;
      mime: string;
      /** 90 kHz broadcast time that is 0 in the fragments. */
      origin: number;
    }
  | {
      kind: 'fragment';
      bytes: Uint8Array<ArrayBuffer>;
      /** A decoder can begin here. */
      sync: boolean;
      /** Seconds since the origin. */
      time: number;
    }
  /** The clock jumped: the following would not continue what was sent. */
  | { kind: 'jump' };

/** A step of decode times that no loss of reception explains. */
const MAX_STEP_SECONDS = 10;
const MAX_STEP_BACK_SECONDS = 1;

export class Fragmenter {
  readonly #cutter = new BoxCutter();
  readonly #head: Uint8Array[] = [];
  #tracks: readonly Track[] = [];
  #moof: Uint8Array | undefined;
  #origin: number | undefined;
  #last: number | undefined;

  /** @throws Error when the bytes are no fragmented MP4. */
  *feed(chunk: Uint8Array): Generator<MediaPiece> {
    for (const { type, bytes } of this.#cutter.feed(chunk)) {
      if (type === 'ftyp') this.#head.push(bytes);
      else if (type === 'moov') {
        this.#tracks = readTracks(bytes);
        if (this.#tracks.length === 0) throw new Error('no track in the initialisation segment');
        this.#head.push(bytes);
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
      // Audio before the first picture is nothing that a viewer could begin with.
      if (!parts.some(isSync)) return;
      this.#origin = originOf(parts);
      yield { kind: 'init', bytes: joinBytes(this.#head), mime: mimeOf(this.#tracks), origin: this.#origin };
    }
    const time = lead.time / lead.track.timescale - this.#origin / 90_000;
    const step = time - (this.#last ?? time);
    if (step > MAX_STEP_SECONDS || step < -MAX_STEP_BACK_SECONDS) {
      yield { kind: 'jump' };
      return;
    }
    this.#last = time;
    const left = rebase(moof, parts, this.#origin);
    if (left.length === 0) return;
    yield { kind: 'fragment', bytes: joinBytes([moof, mdat]), sync: left.some(isSync), time };
  }
}
