/**
 * The data broadcast of a recording: JSON lines `{at, message}` with `at` in seconds on the playback scale, as the service
 * sends them from a second on (first the state at that time, which ends with `currentTime`), or as they are saved on this
 * device. What a line holds was broadcast by anyone: memory is bounded, and a line that is none is left out.
 */
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import type { DataMessage } from '../player/side-tracks.ts';

export interface RecordedItem {
  /** s on the playback scale. */
  readonly at: number;
  readonly message: DataMessage;
  readonly octets: number;
}

/** A message with a module of the most octets that the service keeps is half of this. */
const MAX_LINE_OCTETS = 10 << 20;
/** State at a time: a station has 8 MB of it. */
const MAX_STATE_OCTETS = 32 << 20;
const MAX_STATE_ITEMS = 4096;
const LINE_FEED = 0x0a;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function itemOf(line: Uint8Array, decoder: TextDecoder): RecordedItem | undefined {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(line));
  } catch {
    return undefined;
  }
  if (!isObject(value) || !isObject(value.message) || typeof value.message.type !== 'string')
    return undefined;
  if (typeof value.at !== 'number' || !Number.isFinite(value.at)) return undefined;
  return { at: value.at, message: value.message as DataMessage, octets: line.length };
}

/** Parts of one line that came in several chunks. */
class LineParts {
  #parts: Uint8Array[] = [];
  #octets = 0;
  #isTooLong = false;

  add(part: Uint8Array): void {
    this.#octets += part.length;
    this.#isTooLong ||= this.#octets > MAX_LINE_OCTETS;
    if (this.#isTooLong) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  /** The whole line; empty if it was too long. */
  end(): Uint8Array {
    const [only] = this.#parts;
    const line = only !== undefined && this.#parts.length === 1 ? only : joinBytes(this.#parts);
    this.#parts = [];
    this.#octets = 0;
    this.#isTooLong = false;
    return line;
  }
}

/** Reads no further than its items are taken. Ends with the stream, also in the middle of a line. */
export async function* readItems(stream: ReadableStream<Uint8Array>): AsyncGenerator<RecordedItem, void> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  const parts = new LineParts();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      let from = 0;
      for (let end = value.indexOf(LINE_FEED); end >= 0; end = value.indexOf(LINE_FEED, from)) {
        parts.add(value.subarray(from, end));
        from = end + 1;
        const item = itemOf(parts.end(), decoder);
        if (item !== undefined) yield item;
      }
      parts.add(value.slice(from));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const RANKS = [
  'pmt',
  'programInfo',
  'bit',
  'moduleListUpdated',
  'moduleDownloaded',
  'esEventUpdated',
  'currentTime',
];

/** Key of what a message replaces; undefined: it is no state. */
function keyOf({ type, componentId, moduleId, events }: DataMessage): string | undefined {
  if (!RANKS.includes(type)) return undefined;
  if (type === 'moduleListUpdated') return `${type}/${componentId}`;
  if (type === 'moduleDownloaded') return `${type}/${componentId}/${moduleId}`;
  if (type !== 'esEventUpdated') return type;
  const isReference =
    Array.isArray(events) && events.some((event) => isObject(event) && event.type === 'nptReference');
  return isReference ? `${type}/${componentId}` : undefined;
}

/** What a receiver would have by a time: the last message of each kind, in the order in which the service sends them. */
class RecordedState {
  readonly #items = new Map<string, RecordedItem>();
  #octets = 0;

  take(item: RecordedItem): void {
    const key = keyOf(item.message);
    if (key === undefined) return;
    this.#remove(key);
    if (this.#items.size >= MAX_STATE_ITEMS || this.#octets + item.octets > MAX_STATE_OCTETS) return;
    this.#items.set(key, item);
    this.#octets += item.octets;
    const { type, componentId, modules, dataEventId } = item.message;
    if (type !== 'moduleListUpdated' || !Array.isArray(modules)) return;
    const versions = new Map(modules.map(({ id, version }) => [id, version]));
    for (const [other, { message }] of this.#items)
      if (
        message.type === 'moduleDownloaded' &&
        message.componentId === componentId &&
        (message.dataEventId !== dataEventId || versions.get(message.moduleId) !== message.version)
      )
        this.#remove(other);
  }

  #remove(key: string): void {
    this.#octets -= this.#items.get(key)?.octets ?? 0;
    this.#items.delete(key);
  }

  get items(): RecordedItem[] {
    const rank = ({ message }: RecordedItem): number => RANKS.indexOf(message.type);
    return [...this.#items.values()].sort((one, other) => rank(one) - rank(other));
  }
}

/** What is saved, from a second on, as the service would send it. */
export async function* itemsFrom(saved: Blob, from: number): AsyncGenerator<RecordedItem, void> {
  const state = new RecordedState();
  let hasCome = false;
  for await (const item of readItems(saved.stream())) {
    if (!hasCome && item.at <= from) {
      state.take(item);
      continue;
    }
    if (!hasCome) yield* state.items;
    hasCome = true;
    yield item;
  }
  if (!hasCome) yield* state.items;
}
