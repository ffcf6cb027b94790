/** A feed that reads the encoded path of the live socket. Messages other than media go to its listener. */
import type { BroadcastMs } from '../../arib/time.ts';
import { originOf, readFragment } from '../../mp4/fragment.ts';
import { mimeOf, readTracks, type Track } from '../../mp4/tracks.ts';
import type { CaptionPage, CaptionsNotice } from '../../wire/caption.ts';
import type { LiveTuned, ReceptionFault } from '../../wire/live.ts';
import { LIVE_CHANNEL } from '../../wire/live-frames.ts';
import type { LiveConnection, WatchWish } from './live-connection.ts';
import type { FeedPart, MediaFeed } from './media-feed.ts';

/** Times are seconds on the element's timeline. */
export interface SocketListener {
  onTuned(tuned: LiveTuned): void;
  onCaptions(notice: CaptionsNotice): void;
  onPage(page: CaptionPage, positionS: number, superimpose: boolean): void;
  /** @param at broadcast time (epoch ms) of the position */
  onClock(position: number, at: BroadcastMs): void;
  onNotice(code: string): void;
  /** What of the station does not come; undefined: all comes. */
  onFault(fault: ReceptionFault | undefined): void;
}

const TICKS_PER_SECOND = 90_000;
/** Captions that come before the first picture: a page of each language and kind. */
const MAX_EARLY = 32;

export class SocketFeed implements MediaFeed {
  /** 90 kHz time that is 0 on the element's timeline; set by the first fragment. */
  #origin: number | undefined;
  #tracks: readonly Track[] = [];
  #types: string[] = [];
  #init: { readonly types: string[]; readonly bytes: Uint8Array } | undefined;
  #early: (() => void)[] = [];

  constructor(
    private readonly connection: LiveConnection,
    private readonly wish: WatchWish,
    private readonly listener: SocketListener,
  ) {}

  async *read(signal: AbortSignal): AsyncGenerator<FeedPart> {
    let isTuned = false;
    for await (const event of this.connection.watch(this.wish, signal)) {
      switch (event.kind) {
        case 'tuned':
          // Another initialisation segment follows: a feed has one.
          if (isTuned) return;
          isTuned = true;
          this.#begin(event.tuned);
          yield { kind: 'answer', notices: [], offset: 0, recorded: event.tuned.recorded };
          break;
        case 'message':
          if (event.message.type === 'captions') this.listener.onCaptions(event.message);
          else if (event.message.type === 'notice') this.listener.onNotice(event.message.code);
          else if (event.message.type === 'reception')
            this.listener.onFault(event.message.fault ?? undefined);
          else this.#clock(event.message.pts, event.message.at);
          break;
        case 'frame':
          yield* this.#frame(event.channel, event.time, event.payload);
      }
    }
  }

  #begin(tuned: LiveTuned): void {
    this.#init = undefined;
    this.#origin = undefined;
    this.#early = [];
    this.#types = [tuned.mime];
    this.listener.onTuned(tuned);
  }

  *#frame(channel: number, time: number, payload: Uint8Array): Generator<FeedPart> {
    switch (channel) {
      case LIVE_CHANNEL.init: {
        this.#tracks = readTracks(payload);
        const own = mimeOf(this.#tracks);
        this.#init = { types: own === undefined ? this.#types : [...this.#types, own], bytes: payload };
        break;
      }
      case LIVE_CHANNEL.fragment: {
        if (this.#init !== undefined) {
          const parts = readFragment(payload, this.#tracks);
          this.#origin = parts.length === 0 ? time : originOf(parts);
          yield { kind: 'init', ...this.#init, offset: -this.#origin / TICKS_PER_SECOND };
          this.#init = undefined;
          for (const act of this.#early.splice(0)) act();
        }
        yield { kind: 'media', bytes: payload };
        break;
      }
      case LIVE_CHANNEL.caption:
      case LIVE_CHANNEL.superimpose:
        this.#page(payload, time, channel === LIVE_CHANNEL.superimpose);
    }
  }

  #page(payload: Uint8Array, time: number, superimpose: boolean): void {
    let page: CaptionPage;
    try {
      page = JSON.parse(new TextDecoder().decode(payload)) as CaptionPage;
    } catch {
      return;
    }
    this.#placed(() => this.listener.onPage(page, this.#positionOf(time), superimpose));
  }

  #clock(pts: number, at: BroadcastMs): void {
    this.#placed(() => this.listener.onClock(this.#positionOf(pts), at));
  }

  /** Once it is known where the element's timeline lies. */
  #placed(act: () => void): void {
    if (this.#origin !== undefined) act();
    else if (this.#early.length < MAX_EARLY) this.#early.push(act);
  }

  #positionOf(time: number): number {
    return (time - (this.#origin ?? 0)) / TICKS_PER_SECOND;
  }
}
