/**
 * One viewer's frames as messages of the live socket (`wire/live.ts`): channel, time and payload in one binary message.
 * Media are encoded once for all viewers of a session; captions are selected per viewer.
 */
import type { LiveMessage } from '../../wire/live.ts';
import { LIVE_CHANNEL, LIVE_HEADER_BYTES } from '../../wire/live-frames.ts';
import { CaptionSelection, type SelectedCaption } from './caption-selection.ts';
import type { Frame } from './frame.ts';

type SocketMessage = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
/** Cache that lasts as long as the frames: those that the slowest viewer has not taken, and a second of backlog. */
const encoded = new WeakMap<Frame, SocketMessage>();

function message(channel: number, time: number, payload: Uint8Array): SocketMessage {
  const bytes = new Uint8Array(LIVE_HEADER_BYTES + payload.length);
  bytes[0] = channel;
  new DataView(bytes.buffer).setBigUint64(1, BigInt(Math.max(0, Math.round(time))));
  bytes.set(payload, LIVE_HEADER_BYTES);
  return bytes;
}

/** The message shared by all viewers of a session. */
function shared(frame: Frame & { readonly bytes: Uint8Array }, channel: number, time: number): SocketMessage {
  const present = encoded.get(frame);
  if (present !== undefined) return present;
  const made = message(channel, time, frame.bytes);
  encoded.set(frame, made);
  return made;
}

export function controlMessage(value: LiveMessage): SocketMessage {
  return message(LIVE_CHANNEL.control, 0, encoder.encode(JSON.stringify(value)));
}

export class SocketEncoder {
  readonly #captions: CaptionSelection;

  /** @param language of captions, 1 to 8 @param noticeText returns the text of a notice */
  constructor(
    language: number,
    private readonly noticeText: (code: Extract<Frame, { kind: 'notice' }>['notice']) => string,
  ) {
    this.#captions = new CaptionSelection(language);
  }

  encode(frame: Frame): SocketMessage[] {
    switch (frame.kind) {
      case 'init':
        return [shared(frame, LIVE_CHANNEL.init, 0)];
      case 'fragment':
        this.#captions.reached(frame.time);
        return [shared(frame, LIVE_CHANNEL.fragment, frame.time)];
      case 'packets':
        return [shared(frame, LIVE_CHANNEL.packets, 0)];
      case 'caption':
      case 'captionTrack':
        return this.#captions.take(frame).map(captionMessage);
      case 'clock':
        this.#captions.reached(frame.media);
        if (frame.at === undefined) return [];
        return [controlMessage({ type: 'clock', pts: Math.round(frame.media), at: frame.at })];
      case 'notice': {
        const code = frame.notice;
        return [controlMessage({ type: 'notice', code, message: this.noticeText(code) })];
      }
      case 'fault':
        return [controlMessage({ type: 'reception', fault: frame.fault })];
      case 'data':
        return [message(LIVE_CHANNEL.data, 0, encoder.encode(frame.json))];
    }
  }

  /** Selects another caption language and returns its current page or an empty one. @param language 1 to 8 */
  select(language: number): SocketMessage[] {
    return this.#captions.select(language).map(captionMessage);
  }
}

function captionMessage(selected: SelectedCaption): SocketMessage {
  if (selected.kind === 'notice') return controlMessage(selected.notice);
  const channel = selected.superimpose ? LIVE_CHANNEL.superimpose : LIVE_CHANNEL.caption;
  return message(channel, selected.time, encoder.encode(selected.json));
}
