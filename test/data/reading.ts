/** Runs the reader of data broadcasts on packets, as the reception worker does. */
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import type { ModuleFile, ModuleMessage, ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { LIVE_HEADER_BYTES } from '../../lib/wire/live-frames.ts';
import { dataReader } from '../../src/reception/data-reader.ts';
import type { SideItem, SideReaderOptions } from '../../src/reception/side-item.ts';

const PACKET = 188;
/** Packets of one call, like those of `ReaderSet`. */
const SLICE = 64 * PACKET;

export function messageOf({ frame }: SideItem): ResponseMessage | undefined {
  if (frame === undefined) return undefined;
  return JSON.parse(new TextDecoder().decode(frame.subarray(LIVE_HEADER_BYTES))) as ResponseMessage;
}

/** A reader with a clock of its own. */
export class DataReading {
  readonly items: SideItem[] = [];
  selected: number[] = [];
  now = 0;
  readonly #reader;

  constructor(options: SideReaderOptions) {
    this.#reader = dataReader.start(options, {
      clock: () => monotonicMs(this.now),
      wall: () => wallMs(this.now),
      select: (pids) => (this.selected = [...pids]),
      post: (item) => this.items.push(item),
      finish: () => {},
    });
  }

  /** @param ms that pass meanwhile */
  feed(packets: Uint8Array, ms = 0): void {
    const start = this.now;
    for (let at = 0; at < packets.length; at += SLICE) {
      this.now = start + (ms * at) / packets.length;
      this.#reader.feed(packets.subarray(at, at + SLICE));
      this.#reader.check?.();
    }
    this.now = start + ms;
    this.#reader.check?.();
  }

  get messages(): ResponseMessage[] {
    return this.items.flatMap((item) => messageOf(item) ?? []);
  }

  modules(): ModuleMessage[] {
    return this.messages.filter((message) => message.type === 'moduleDownloaded');
  }
}

export function bytesOf({ dataBase64 }: ModuleFile): Uint8Array {
  return Uint8Array.fromBase64(dataBase64);
}
