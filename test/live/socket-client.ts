/** A client of the live socket like a native program: no Origin header, raw frames. */
import type { LiveControl, LiveMessage } from '../../lib/wire/live.ts';
import { LIVE_CHANNEL, LIVE_HEADER_BYTES } from '../../lib/wire/live-frames.ts';
import { until } from '../until.ts';

interface SocketFrame {
  readonly channel: number;
  /** 90 kHz. */
  readonly time: number;
  readonly payload: Uint8Array;
}

type MessageOf<T extends LiveMessage['type']> = Extract<LiveMessage, { type: T }>;

function readFrame(data: Uint8Array): SocketFrame {
  const view = new DataView(data.buffer, data.byteOffset);
  const time = Number(view.getBigUint64(1));
  return { channel: data[0] ?? -1, time, payload: data.subarray(LIVE_HEADER_BYTES) };
}

export function controlFrame(control: unknown): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(control));
  const bytes = new Uint8Array(LIVE_HEADER_BYTES + text.length);
  bytes[0] = LIVE_CHANNEL.control;
  bytes.set(text, LIVE_HEADER_BYTES);
  return bytes;
}

export async function liveTicket(url: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/live/ticket`, { method: 'POST', headers });
  return ((await response.json()) as { ticket: string }).ticket;
}

/** Everything received, on any channel. */
export class ReceivedFrames {
  readonly frames: SocketFrame[] = [];

  take(data: Uint8Array): void {
    this.frames.push(readFrame(data));
  }

  on(channel: number): SocketFrame[] {
    return this.frames.filter((frame) => frame.channel === channel);
  }

  get messages(): LiveMessage[] {
    return this.on(LIVE_CHANNEL.control).map(
      ({ payload }) => JSON.parse(new TextDecoder().decode(payload)) as LiveMessage,
    );
  }

  all<T extends LiveMessage['type']>(type: T): MessageOf<T>[] {
    return this.messages.filter((message): message is MessageOf<T> => message.type === type);
  }

  /** The `count`th message of its type. */
  async message<T extends LiveMessage['type']>(type: T, count = 1): Promise<MessageOf<T>> {
    await until(`${count} ${type}`, () => this.all(type).length >= count);
    return this.all(type)[count - 1] as MessageOf<T>;
  }

  async frame(channel: number, count = 1): Promise<SocketFrame> {
    await until(`${count} of channel ${channel}`, () => this.on(channel).length >= count);
    return this.on(channel)[count - 1] as SocketFrame;
  }
}

export class SocketClient extends ReceivedFrames {
  closeCode: number | undefined;

  private constructor(readonly socket: WebSocket) {
    super();
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.take(new Uint8Array(data as ArrayBuffer)));
    socket.addEventListener('close', ({ code }) => {
      this.closeCode = code;
    });
  }

  /** @param url of the service */
  static async open(url: string): Promise<SocketClient> {
    const ticket = await liveTicket(url);
    const address = `${url.replace('http', 'ws')}/api/live/socket?ticket=${encodeURIComponent(ticket)}`;
    const client = new SocketClient(new WebSocket(address));
    await new Promise<void>((resolve, reject) => {
      client.socket.addEventListener('open', () => resolve(), { once: true });
      client.socket.addEventListener('error', () => reject(new Error('not opened')), { once: true });
    });
    return client;
  }

  send(control: LiveControl): void {
    this.socket.send(controlFrame(control));
  }

  async closed(): Promise<number> {
    await until('the connection is closed', () => this.closeCode !== undefined);
    return this.closeCode ?? 0;
  }

  async leave(): Promise<void> {
    this.socket.close();
    await this.closed();
  }
}
