/** The live socket of the fake service: sends what its state says, paced like its HTTP stream. */
import type { Tuner } from '../../lib/wire/agent.ts';
import type { LiveQuality, Problem } from '../../lib/wire/api.ts';
import type { CaptionPage } from '../../lib/wire/caption.ts';
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import type { LiveControl } from '../../lib/wire/live.ts';
import { LIVE_CHANNEL, LIVE_HEADER_BYTES } from '../../lib/wire/live-frames.ts';
import { type FakeStream, FRAGMENT_MS } from './fake-air.ts';

export interface FakeTuning {
  /** Number of the current tuning; an older one stops. */
  serial: number;
  isOpen: boolean;
}

export interface FakeCaption {
  /** Seconds from the first picture. */
  readonly at: number;
  /** 1 to 8. */
  readonly language: number;
  readonly page: CaptionPage;
}

/** The parts of the fake service that it needs. */
interface FakeHousehold {
  readonly state: {
    readonly answerDelayMs: number;
    readonly fragmentDelayMs: number;
    readonly silence: Promise<void> | undefined;
    readonly notice: string | undefined;
    readonly hasData: boolean | undefined;
    readonly closeAfter: number | undefined;
    readonly breaks: boolean;
    readonly lostTo: number | undefined;
    readonly captions: readonly FakeCaption[];
    readonly data: readonly ResponseMessage[];
    readonly heavy: readonly LiveQuality[];
    readonly liveProblem: { readonly body: Problem; count: number } | undefined;
  };
  readonly stream: FakeStream;
  readonly live: {
    push(request: { stationId: number; codec: string; audio: string | null; quality?: LiveQuality }): void;
  };
  readonly prepared: number[];
  readonly dataWishes: boolean[];
  readonly household: { readonly tuners: readonly Tuner[] };
  viewers: number;
}

type Socket = Bun.ServerWebSocket<FakeTuning>;

const BURST = 2;
const SILENT_AT = 2;

function send(socket: Socket, channel: number, seconds: number, payload: Uint8Array): void {
  const bytes = new Uint8Array(LIVE_HEADER_BYTES + payload.length);
  bytes[0] = channel;
  new DataView(bytes.buffer).setBigUint64(1, BigInt(Math.round(seconds * 90_000)));
  bytes.set(payload, LIVE_HEADER_BYTES);
  socket.sendBinary(bytes);
}

function sendControl(socket: Socket, message: object): void {
  send(socket, LIVE_CHANNEL.control, 0, new TextEncoder().encode(JSON.stringify(message)));
}

export class FakeAir {
  constructor(private readonly service: FakeHousehold) {}

  handlers(): Bun.WebSocketHandler<FakeTuning> {
    return {
      message: (socket, data) => {
        const text = new TextDecoder().decode((data as Buffer).subarray(LIVE_HEADER_BYTES));
        const control = JSON.parse(text) as LiveControl;
        if (control.type === 'prepare') this.service.prepared.push(control.stationId);
        if (control.type === 'tune') void this.#tune(socket, control);
        if (control.type === 'language') this.#captions(socket, control.language);
        if (control.type === 'data') this.#data(socket, control.on);
      },
      close: (socket) => this.#leave(socket),
    };
  }

  #leave(socket: Socket): void {
    socket.data.serial += 1;
    if (socket.data.isOpen) this.service.viewers -= 1;
    socket.data.isOpen = false;
  }

  #data(socket: Socket, isWanted: boolean): void {
    this.service.dataWishes.push(isWanted);
    if (!isWanted) return;
    for (const message of this.service.state.data)
      send(socket, LIVE_CHANNEL.data, 0, new TextEncoder().encode(JSON.stringify(message)));
  }

  async #tune(socket: Socket, control: Extract<LiveControl, { type: 'tune' }>) {
    const { stationId, codec, audio, language, quality = 'high' } = control;
    const { service } = this;
    const { state, stream } = service;
    this.#leave(socket);
    const { serial } = socket.data;
    const isGone = (): boolean => socket.data.serial !== serial;
    service.live.push({ stationId, codec, audio: audio ?? null, quality });
    await Bun.sleep(state.answerDelayMs);
    if (isGone()) return;
    const failing = state.liveProblem;
    if (failing !== undefined && failing.count > 0) {
      failing.count -= 1;
      sendControl(socket, { type: 'error', ...failing.body });
      return;
    }
    socket.data.isOpen = true;
    service.viewers += 1;
    const audios = [{ id: '0:both', stream: 0, side: 'both', label: '主音声' }];
    sendControl(socket, {
      type: 'tuned',
      codec,
      mime: 'video/mp4',
      audios,
      audio: '0:both',
      stationId,
      quality,
      tuner: service.household.tuners[0]?.id,
      ...(state.hasData === undefined ? {} : { data: state.hasData }),
    });
    if (state.notice !== undefined) sendControl(socket, { type: 'notice', code: state.notice, message: '' });
    await Bun.sleep(state.fragmentDelayMs);
    if (isGone()) return;
    send(socket, LIVE_CHANNEL.init, 0, stream.init);
    sendControl(socket, { type: 'clock', pts: 90_000, at: Date.now() });
    this.#captions(socket, language ?? 1);
    // Read each time, so that a test can close a running stream.
    const count = (): number =>
      Math.min(stream.fragments.length, state.closeAfter ?? stream.fragments.length);
    for (let index = 0; index < count(); index += 1) {
      if (index >= BURST) await Bun.sleep(FRAGMENT_MS);
      if (index >= SILENT_AT) await state.silence;
      // Simulates a network with a tenth of the needed throughput.
      if (state.heavy.includes(quality)) await Bun.sleep(9 * FRAGMENT_MS);
      if (isGone()) return;
      const fragment = stream.fragments[index];
      if (fragment !== undefined) {
        send(socket, LIVE_CHANNEL.fragment, (index * FRAGMENT_MS) / 1000, fragment);
      }
    }
    if (state.breaks) {
      socket.terminate();
      return;
    }
    sendControl(socket, state.lostTo === undefined ? { type: 'restart' } : lost(state.lostTo));
    socket.close(1000);
  }

  #captions(socket: Socket, language: number): void {
    const { captions } = this.service.state;
    if (captions.length === 0) return;
    const languages = [
      { index: 1, code: 'jpn', label: '日本語' },
      { index: 2, code: 'eng', label: '英語' },
    ];
    const tracks = [{ index: 0, lang: 'jpn', label: '日本語' }];
    sendControl(socket, { type: 'captions', tracks, track: 0, languages, language });
    for (const { at, page, language: own } of captions) {
      if (own !== language) continue;
      send(socket, LIVE_CHANNEL.caption, at, new TextEncoder().encode(JSON.stringify(page)));
    }
  }
}

function lost(recordingId: number): object {
  return { type: 'lost', recordingId, message: '録画のためにチューナーを使います。' };
}
