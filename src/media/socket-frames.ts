/**
 * One viewer's frames as messages of the live socket (`lib/wire/live-frames.ts`). Media, and side data that are the same
 * for everyone, are encoded once for all viewers of a session; other side data by their rows.
 */
import type { LiveMessage } from '../../lib/wire/live.ts';
import { LIVE_CHANNEL, liveFrame } from '../../lib/wire/live-frames.ts';
import type { Frame, SideFrame } from './frame.ts';
import { type SideEncoder, type SideRow, sideFrame } from './side-row.ts';
import { SIDE_ROWS } from './side-rows.ts';

type SocketMessage = Uint8Array<ArrayBuffer>;

/** Cache that lasts as long as the frames: those that the slowest viewer has not taken, and a second of backlog. */
const encoded = new WeakMap<Frame, SocketMessage>();

/** The message shared by all viewers of a session. */
function shared(frame: Frame & { readonly bytes: Uint8Array }, channel: number, time: number): SocketMessage {
  const present = encoded.get(frame);
  if (present !== undefined) return present;
  const made = liveFrame(channel, time, frame.bytes);
  encoded.set(frame, made);
  return made;
}

export function controlMessage(value: LiveMessage): SocketMessage {
  return sideFrame({ channel: LIVE_CHANNEL.control, time: 0, text: JSON.stringify(value) });
}

export class SocketEncoder {
  readonly #encoders = new Map<SideRow, SideEncoder<SideFrame['item']> | undefined>();
  #reached = 0;

  /** @param language 1 to 8 @param noticeText returns the text of a notice */
  constructor(
    private language: number,
    private readonly noticeText: (code: Extract<Frame, { kind: 'notice' }>['notice']) => string,
  ) {
    for (const row of SIDE_ROWS) this.#encoder(row);
  }

  encode(frame: Frame): SocketMessage[] {
    switch (frame.kind) {
      case 'init':
        return [shared(frame, LIVE_CHANNEL.init, 0)];
      case 'fragment':
        this.#reached = frame.time;
        return [shared(frame, LIVE_CHANNEL.fragment, frame.time)];
      case 'packets':
        return [shared(frame, LIVE_CHANNEL.packets, 0)];
      case 'side':
        return this.#side(frame);
      case 'notice': {
        const code = frame.notice;
        return [controlMessage({ type: 'notice', code, message: this.noticeText(code) })];
      }
      case 'fault':
        return [controlMessage({ type: 'reception', fault: frame.fault })];
    }
  }

  /** Selects another language, such as that of captions. @param language 1 to 8 */
  select(language: number): SocketMessage[] {
    this.language = language;
    const encoders = [...this.#encoders.values()];
    return encoders.flatMap((one) => one?.select?.(language, this.#reached) ?? []).map(sideFrame);
  }

  #side({ row, item, time }: SideFrame): SocketMessage[] {
    if (row.marksTime && time !== undefined) this.#reached = time;
    const encoder = this.#encoder(row);
    if (encoder !== undefined) return encoder.encode(item, time).map(sideFrame);
    return item.frame === undefined ? [] : [item.frame];
  }

  #encoder(row: SideRow): SideEncoder<SideFrame['item']> | undefined {
    if (!this.#encoders.has(row)) this.#encoders.set(row, row.encoder?.(this.language));
    return this.#encoders.get(row);
  }
}
