/**
 * When a recorded stream has pictures and sound, read by ISO/IEC 13818-1 and the first octets of each PES packet
 * alone: a picture or sequence start code, an ADTS sync word. Shares no code with the recorder or `lib/arib/`.
 */
import type { TimeSpan } from './time-span.ts';

const PACKET = 188;
/** Longer than any interval between pictures or sounds of this broadcast, shorter than any loss that counts. */
const APART_MS = 350;
const PICTURE_TYPES: readonly number[] = [0x02, 0x1b];
const SOUND_TYPE = 0x0f;

type Kind = 'picture' | 'sound';

interface Track {
  pid: number | undefined;
  /** When the map lists the stream. */
  listed: TimeSpan[];
  /** When its units begin. */
  units: number[];
}

export class MediaReader {
  readonly #tracks: Record<Kind, Track> = {
    picture: { pid: undefined, listed: [], units: [] },
    sound: { pid: undefined, listed: [], units: [] },
  };
  #mapPid: number | undefined;
  #section: number[] | undefined;

  /** @param at epoch ms of the last clock reference */
  packet(bytes: Uint8Array, offset: number, pid: number, at: number): void {
    const [, high = 0, , control = 0, length = 0] = bytes.subarray(offset, offset + 5);
    if ((control & 0x10) === 0 || (control & 0xc0) !== 0) return;
    const begins = (high & 0x40) !== 0;
    const payload = bytes.subarray(offset + 4 + ((control & 0x20) === 0 ? 0 : 1 + length), offset + PACKET);
    if (pid === 0 && begins) this.#mapPid = mapPid(payload) ?? this.#mapPid;
    else if (pid === this.#mapPid) this.#map(payload, begins, at);
    else if (begins && !Number.isNaN(at)) {
      const { picture, sound } = this.#tracks;
      if (pid === picture.pid && beginsPicture(payload)) picture.units.push(at);
      if (pid === sound.pid && beginsSound(payload)) sound.units.push(at);
    }
  }

  /** Times in which a listed stream has no units. @param end of the stream @param others holes, as known elsewhere */
  missing(end: number, others: readonly TimeSpan[]): TimeSpan[] {
    return Object.values(this.#tracks).flatMap(({ listed, units }) =>
      listed.flatMap(({ from, to }) => {
        const until = Math.min(to, end);
        const inside = [from, ...units.filter((at) => at >= from && at <= until), until];
        return inside
          .slice(1)
          .map((at, index) => ({ from: inside[index] ?? at, to: at }))
          .flatMap((gap) => without(gap, others))
          .filter((gap) => gap.to - gap.from > APART_MS);
      }),
    );
  }

  #map(payload: Uint8Array, begins: boolean, at: number): void {
    if (begins) this.#section = [...payload.subarray(1 + (payload[0] ?? 0))];
    else this.#section?.push(...payload);
    const section = this.#section ?? [];
    const length = 3 + (((section[1] ?? 0) & 0x0f) << 8) + (section[2] ?? 0);
    if (section.length < Math.max(12, length) || Number.isNaN(at)) return;
    this.#section = undefined;
    if (section[0] !== 0x02) return;
    const found: Partial<Record<Kind, number>> = {};
    let place = 12 + (((section[10] ?? 0) & 0x0f) << 8) + (section[11] ?? 0);
    while (place + 5 <= length - 4) {
      const [type = 0, high = 0, low = 0, infoHigh = 0, infoLow = 0] = section.slice(place, place + 5);
      const pid = ((high & 0x1f) << 8) | low;
      if (PICTURE_TYPES.includes(type)) found.picture ??= pid;
      if (type === SOUND_TYPE) found.sound ??= pid;
      place += 5 + ((infoHigh & 0x0f) << 8) + infoLow;
    }
    for (const kind of ['picture', 'sound'] as const) this.#list(this.#tracks[kind], found[kind], at);
  }

  #list(track: Track, pid: number | undefined, at: number): void {
    if (pid === track.pid) return;
    const last = track.listed.at(-1);
    if (track.pid !== undefined && last !== undefined) last.to = at;
    if (pid !== undefined) track.listed.push({ from: at, to: Number.POSITIVE_INFINITY });
    track.pid = pid;
  }
}

function mapPid(payload: Uint8Array): number | undefined {
  for (let at = 1 + (payload[0] ?? 0) + 8; at + 4 <= payload.length; at += 4) {
    const [a = 0, b = 0, c = 0, d = 0] = payload.subarray(at, at + 4);
    if ((a | b) !== 0) return ((c & 0x1f) << 8) | d;
  }
  return undefined;
}

/** Octets after the header of a PES packet whose stream_id is `id` by `mask`. */
function pesData(payload: Uint8Array, id: number, mask: number): Uint8Array | undefined {
  const [a, b, c, stream = 0] = payload;
  if (a !== 0 || b !== 0 || c !== 1 || (stream & mask) !== id) return undefined;
  return payload.subarray(9 + (payload[8] ?? 0));
}

function beginsPicture(payload: Uint8Array): boolean {
  const data = pesData(payload, 0xe0, 0xf0);
  return data?.[0] === 0 && data[1] === 0 && (data[2] === 1 || data[2] === 0);
}

function beginsSound(payload: Uint8Array): boolean {
  const data = pesData(payload, 0xc0, 0xe0);
  return data?.[0] === 0xff && ((data[1] ?? 0) & 0xf6) === 0xf0;
}

function without(one: TimeSpan, others: readonly TimeSpan[]): TimeSpan[] {
  let parts = [one];
  for (const { from, to } of others) {
    parts = parts.flatMap((part) =>
      to <= part.from || from >= part.to
        ? [part]
        : [
            { from: part.from, to: from },
            { from: to, to: part.to },
          ].filter((rest) => rest.to > rest.from),
    );
  }
  return parts;
}
