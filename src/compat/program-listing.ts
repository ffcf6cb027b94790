/**
 * The list of all programmes as JSON, kept ready: clients of the Mirakurun-compatible interface fetch 20 MB every ten
 * minutes, of which little has changed. Each station's part is written again only when its guide changed. Parts are
 * deflated on their own too, so that a compressed response is only put together, RFC 1951 3.2.3 and RFC 1952 2.3.
 */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import type { StationId } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { JSON_TYPE, wantsGzip } from './compat-listener.ts';

/** The end of a part is on an octet, and no later part refers to it. */
const DEFLATE = { level: 1, finishFlush: constants.Z_FULL_FLUSH } as const;
const deflate = promisify<Uint8Array, typeof DEFLATE, Uint8Array>(deflateRaw);
/** Method deflate, no flags, no time, unknown system. */
const GZIP_HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** A final block without data. */
const DEFLATE_END = Uint8Array.of(3, 0);
/** Below it the saving is one or two packets. */
const MIN_GZIP_BYTES = 4096;
/** A turn of the event loop in which programmes are converted, ms. */
const TURN_MS = 6;

interface Piece {
  readonly bytes: Uint8Array;
  /** Undefined: no client has asked for it. */
  deflated: Uint8Array | undefined;
}

interface Part extends Piece {
  /** From then on it has programmes that ended too long ago. */
  readonly staleAt: number;
}

interface ListedProgram {
  readonly startAt: number;
  readonly duration: number;
}

interface ListingNeeds {
  readonly changes: { readonly version: number; since(version: number): readonly StationId[] };
  readonly programs: (station: StationId) => readonly ListedProgram[];
  /** By the broadcast's clock, epoch ms. */
  readonly now: () => number;
  readonly monotonic: () => number;
}

function constant(text: string): Piece {
  const bytes = new TextEncoder().encode(text);
  return { bytes, deflated: deflateRawSync(bytes, DEFLATE) };
}

const OPEN = constant('[');
const BETWEEN = constant(',');
const CLOSE = constant(']');

/** Ended programmes are listed for up to twice this long: parts must not change with every end. */
export const PAST_MS = 3 * 3_600_000;

export class ProgramListing {
  readonly #parts = new Map<StationId, Part>();
  #version: number | undefined;
  /** Requests share the work of one. */
  #working: Promise<unknown> = Promise.resolve();

  constructor(private readonly needs: ListingNeeds) {}

  /** Programmes name others by the list of stations. */
  stationsChanged(): void {
    this.#parts.clear();
  }

  async answer(request: Request, stations: readonly StationId[]): Promise<Response> {
    const packs = wantsGzip(request);
    const work = this.#working.then(() => this.#prepared(stations, packs));
    this.#working = work.catch(() => {});
    const parts = (await work).filter(({ bytes }) => bytes.length > 0);
    const pieces = [OPEN, ...parts.flatMap((part, at) => (at === 0 ? [part] : [BETWEEN, part])), CLOSE];
    const size = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const headers = { 'content-type': JSON_TYPE, vary: 'accept-encoding' };
    if (!packs || size < MIN_GZIP_BYTES)
      return new Response(joinBytes(pieces.map(({ bytes }) => bytes)), { headers });
    return new Response(gzipOf(pieces, size), { headers: { ...headers, 'content-encoding': 'gzip' } });
  }

  async #prepared(stations: readonly StationId[], packs: boolean): Promise<Part[]> {
    const { changes, monotonic, now } = this.needs;
    const version = changes.version;
    if (this.#version !== undefined && version !== this.#version)
      for (const station of changes.since(this.#version)) this.#parts.delete(station);
    this.#version = version;
    const parts: Part[] = [];
    let turn = monotonic();
    for (const station of stations) {
      let part = this.#parts.get(station);
      if (part === undefined || part.staleAt <= now()) {
        part = this.#written(station);
        this.#parts.set(station, part);
      }
      if (packs && part.bytes.length > 0) part.deflated ??= await deflate(part.bytes, DEFLATE);
      parts.push(part);
      if (monotonic() - turn < TURN_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turn = monotonic();
    }
    return parts;
  }

  #written(station: StationId): Part {
    const programs = this.needs.programs(station);
    const ends = programs.map(({ startAt, duration }) => startAt + duration);
    const text = programs.map((program) => JSON.stringify(program)).join(',');
    const staleAt = Math.min(...ends) + 2 * PAST_MS;
    return { bytes: new TextEncoder().encode(text), deflated: undefined, staleAt };
  }
}

function gzipOf(pieces: readonly Piece[], size: number): Uint8Array<ArrayBuffer> {
  const sum = pieces.reduce((known, { bytes }) => crc32(bytes, known), 0);
  const tail = new Uint8Array(8);
  const view = new DataView(tail.buffer);
  view.setUint32(0, sum, true);
  view.setUint32(4, size, true);
  return joinBytes([GZIP_HEAD, ...pieces.flatMap(({ deflated }) => deflated ?? []), DEFLATE_END, tail]);
}
