/** The original transport stream of a station over the live socket; its captions and clock go to a listener. */
import { unwrapPts } from '../../arib/time.ts';
import type { CaptionPage } from '../../wire/caption.ts';
import { LIVE_CHANNEL } from '../../wire/live-frames.ts';
import type { LiveConnection, WatchWish } from '../player/live-connection.ts';
import type { SocketListener } from '../player/socket-feed.ts';
import { ApiFailure } from '../query/api.ts';
import type { PacketSource } from './packet-source.ts';
import { TEXTS } from './texts.ts';

type Events = ReturnType<LiveConnection['watch']>;

const TICKS_PER_SECOND = 90_000;
/** Captions that come before the sound's place is known: a page of each language and kind. */
const MAX_EARLY = 32;

export class SocketPackets implements PacketSource {
  readonly #connection: LiveConnection;
  readonly #wish: WatchWish;
  readonly #listener: SocketListener;
  /** Time of the broadcast at position 0, 90 kHz. */
  #origin: number | undefined;
  #early: (() => void)[] = [];

  constructor(connection: LiveConnection, wish: WatchWish, listener: SocketListener) {
    this.#connection = connection;
    this.#wish = wish;
    this.#listener = listener;
  }

  async open(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const events = this.#connection.watch(this.#wish, signal);
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) throw new ApiFailure('ended', TEXTS.ended);
      if (value.kind !== 'tuned') continue;
      this.#listener.onTuned(value.tuned);
      return this.#packets(events);
    }
  }

  placeAt(origin: number): void {
    this.#origin = origin;
    for (const act of this.#early.splice(0)) act();
  }

  async *#packets(events: Events): AsyncGenerator<Uint8Array> {
    for await (const event of events) {
      switch (event.kind) {
        case 'tuned':
          // Tuned again: all state is reset.
          return;
        case 'message':
          if (event.message.type === 'captions') this.#listener.onCaptions(event.message);
          else if (event.message.type === 'notice') this.#listener.onNotice(event.message.code);
          else if (event.message.type === 'clock') {
            const { pts, at } = event.message;
            this.#placed(() => this.#listener.onClock(this.#positionOf(pts), at));
          }
          break;
        case 'frame':
          if (event.channel === LIVE_CHANNEL.packets) yield event.payload;
          else this.#caption(event.channel, event.time, event.payload);
      }
    }
  }

  #caption(channel: number, time: number, payload: Uint8Array): void {
    if (channel !== LIVE_CHANNEL.caption && channel !== LIVE_CHANNEL.superimpose) return;
    let page: CaptionPage;
    try {
      page = JSON.parse(new TextDecoder().decode(payload)) as CaptionPage;
    } catch {
      return;
    }
    const isSuperimpose = channel === LIVE_CHANNEL.superimpose;
    this.#placed(() => this.#listener.onPage(page, this.#positionOf(time), isSuperimpose));
  }

  #placed(act: () => void): void {
    if (this.#origin !== undefined) act();
    else if (this.#early.length < MAX_EARLY) this.#early.push(act);
  }

  /** Position of a 33-bit broadcast time on the element's timeline, s. */
  #positionOf(time: number): number {
    const origin = this.#origin ?? 0;
    return (unwrapPts(time, origin) - origin) / TICKS_PER_SECOND;
  }
}
