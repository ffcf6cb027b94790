import { describe, expect, test } from 'bun:test';
import type { Pid } from '../../lib/arib/ids.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { type EntryPoint, EntryPointFinder } from './entry-points.ts';
import { StreamBurst } from './stream-burst.ts';

const PACKET = 188;
const MAP = 0x1f0;
const VIDEO = { pid: 0x111 as Pid, kind: 'mpeg2' as const };

/** One packet with payload; `start` sets payload_unit_start_indicator. ISO/IEC 13818-1 2.4.3.2. */
function packet(pid: number, start: boolean, payload: number[] = []): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(PACKET).fill(0xff);
  out.set([0x47, (start ? 0x40 : 0) | (pid >> 8), pid & 0xff, 0x10, ...payload]);
  return out;
}
const pat = (): Uint8Array =>
  // pointer, table_id, length, transport_stream_id, version, numbers, NIT (0 -> 0x10), programme 0x400 -> MAP
  packet(0, true, [0, 0, 0xb0, 17, 0, 1, 0xc1, 0, 0, 0, 0, 0xe0, 0x10, 4, 0, 0xe0 | (MAP >> 8), MAP & 0xff]);
const map = (): Uint8Array => packet(MAP, true, [0, 2]);
/** A PES packet that begins with a sequence header of this size and aspect code. ISO/IEC 13818-2 6.2.2.1. */
function intra(width: number, height: number, aspect: number, pid: number = VIDEO.pid): Uint8Array {
  const size = [width >> 4, ((width & 15) << 4) | (height >> 8), height & 0xff];
  return packet(pid, true, [0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0, 0, 0, 1, 0xb3, ...size, (aspect << 4) | 4]);
}
const inter = (): Uint8Array =>
  packet(VIDEO.pid, true, [0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0, 0, 0, 1, 0x00, 0, 0x10]);
const rest = (): Uint8Array => packet(VIDEO.pid, false);
const join = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

describe('EntryPointFinder', () => {
  test('an entry point is the PAT whose PMT precedes an intra picture; complete after two more pictures', () => {
    const finder = new EntryPointFinder();
    finder.watch(VIDEO);
    const begun = finder.feed(
      join(rest(), pat(), inter(), map(), pat(), rest(), intra(1440, 1080, 3), rest()),
    );
    expect(begun).toEqual({ points: [], format: '1440x1080/3', jumpedAt: null });
    expect(finder.feed(join(rest(), inter())).points).toEqual([]);
    const { points, format } = finder.feed(join(rest(), inter(), rest()));
    expect(points).toEqual([
      {
        at: PACKET,
        picture: 6 * PACKET,
        pictureEnd: 12 * PACKET,
        tables: join(pat(), map()),
        video: VIDEO.pid,
      },
    ]);
    expect(format).toBeNull();
    // the second PAT counts once its PMT was received
    const next = finder.feed(join(map(), intra(720, 480, 2), inter(), inter()));
    expect(next.format).toBe('720x480/2');
    expect(next.points.map((point) => point.at)).toEqual([4 * PACKET]);
  });

  test('pictures before the tables, of another PID or between intra pictures are no entry points', () => {
    const finder = new EntryPointFinder();
    finder.watch(VIDEO);
    expect(
      finder.feed(join(intra(1440, 1080, 3), pat(), intra(1440, 1080, 3), inter(), inter())).points,
    ).toEqual([]);
    expect(finder.feed(join(map(), inter(), intra(1440, 1080, 3, 0x112), inter(), inter())).points).toEqual(
      [],
    );
  });

  test('a stream of intra pictures only has entry points too', () => {
    const finder = new EntryPointFinder();
    finder.watch(VIDEO);
    const pictures = Array.from({ length: 6 }, () => intra(1440, 1080, 3));
    const { points } = finder.feed(join(pat(), map(), ...pictures));
    expect(points.map((point) => point.picture / PACKET)).toEqual([2, 4]);
  });

  test('a station without video begins at its tables', () => {
    const finder = new EntryPointFinder();
    finder.watch(null);
    expect(finder.feed(join(rest(), pat(), map())).points).toMatchObject([{ at: PACKET, video: null }]);
  });

  test('a jump of the time stamps restarts the search, a loss of reception does not', () => {
    const finder = new EntryPointFinder();
    finder.watch(VIDEO);
    const stamped = (seconds: number): Uint8Array => {
      const stamp = seconds * 90_000;
      const octets = [
        0x21 | ((stamp >> 29) & 0x0e),
        (stamp >> 22) & 0xff,
        ((stamp >> 14) & 0xfe) | 1,
        (stamp >> 7) & 0xff,
        ((stamp << 1) & 0xfe) | 1,
      ];
      return packet(VIDEO.pid, true, [
        0,
        0,
        1,
        0xe0,
        0,
        0,
        0x80,
        0x80,
        5,
        ...octets,
        0,
        0,
        1,
        0xb3,
        45,
        0,
        0x78,
      ]);
    };
    finder.feed(join(pat(), map(), stamped(100), stamped(105)));
    expect(finder.feed(join(rest(), stamped(104.5), stamped(113)))).toMatchObject({ jumpedAt: null });
    const { jumpedAt, points } = finder.feed(
      join(rest(), stamped(113.5), stamped(20), stamped(20.5), rest()),
    );
    expect(jumpedAt).toBe(9 * PACKET);
    expect(points).toEqual([]);
    expect(finder.feed(stamped(21)).points.map(({ picture }) => picture / PACKET)).toEqual([9]);
  });

  test('a damaged packet yields no format and no entry point', () => {
    const finder = new EntryPointFinder();
    finder.watch(VIDEO);
    const damaged = intra(1440, 1081, 3);
    damaged[1] = (damaged[1] ?? 0) | 0x80; // transport_error_indicator
    expect(finder.feed(join(pat(), map(), damaged, inter(), inter()))).toEqual({
      points: [],
      format: null,
      jumpedAt: null,
    });
  });

  test('a new layout needs its own tables', () => {
    const finder = new EntryPointFinder();
    finder.watch(VIDEO);
    finder.feed(join(pat(), map()));
    finder.watch(VIDEO);
    expect(finder.feed(join(intra(1440, 1080, 3), inter(), inter())).points).toEqual([]);
  });

  test('does nothing before its PIDs are set', () => {
    expect(
      new EntryPointFinder().feed(join(pat(), map(), intra(1440, 1080, 3), inter(), inter())).points,
    ).toEqual([]);
  });
});

describe('StreamBurst', () => {
  const point = (at: number): EntryPoint => ({
    at,
    picture: at,
    pictureEnd: at,
    tables: join(),
    video: null,
  });
  const chunk = (value: number, size = 10): Uint8Array<ArrayBuffer> => new Uint8Array(size).fill(value);

  test('returns the bytes from the oldest or the newest entry point on', () => {
    const burst = new StreamBurst();
    expect(burst.from('early')).toBeUndefined();
    burst.add(0, chunk(1), [], monotonicMs(0));
    burst.add(10, chunk(2), [point(13)], monotonicMs(500));
    burst.add(20, chunk(3), [point(20)], monotonicMs(1000));
    expect(burst.from('early')?.map((part) => part.length)).toEqual([7, 10]);
    expect(burst.from('late')?.map((part) => part.length)).toEqual([10]);
  });

  test('keeps the entry points that cover two seconds, and always the last', () => {
    const burst = new StreamBurst();
    for (let index = 0; index < 10; index += 1) {
      burst.add(index * 10, chunk(index), [point(index * 10)], monotonicMs(index * 500));
    }
    expect(burst.from('early')?.[0]?.[0]).toBe(4);
    burst.add(100, chunk(10), [], monotonicMs(60_000));
    expect(burst.from('early')?.[0]?.[0]).toBe(9);
  });

  test('returns the tables and the whole picture first for an encoder', () => {
    const finder = new EntryPointFinder();
    finder.watch(VIDEO);
    const burst = new StreamBurst();
    const audio = packet(0x112, true, [0, 0, 1, 0xc0]);
    const chunks = [
      join(audio, pat(), audio, map()),
      join(audio, intra(720, 480, 2), audio),
      join(rest(), audio),
    ];
    for (const bytes of [...chunks, join(inter(), audio), join(inter(), audio)]) {
      const at = finder.position;
      burst.add(at, bytes, finder.feed(bytes).points, monotonicMs(0));
    }
    expect(join(...(burst.forEncoder() ?? []))).toEqual(
      join(pat(), map(), intra(720, 480, 2), rest(), inter(), inter(), audio, audio, audio, audio),
    );
    expect(join(...(burst.from('late') ?? [])).length).toBe(12 * PACKET);
  });

  test('does not start with a picture that began before a reset', () => {
    const burst = new StreamBurst();
    burst.add(0, new Uint8Array(1000), [], monotonicMs(0));
    burst.clear();
    burst.add(1000, new Uint8Array(1000), [point(500)], monotonicMs(0));
    expect(burst.forEncoder()).toBeUndefined();
    burst.add(2000, new Uint8Array(1000), [point(1500)], monotonicMs(0));
    expect(burst.from('late')).toHaveLength(2);
  });

  test('is bounded when no entry point comes', () => {
    const burst = new StreamBurst();
    const size = 1024 * 1024;
    for (let index = 0; index < 40; index += 1)
      burst.add(index * size, chunk(1, size), [], monotonicMs(index));
    const held = burst.since(0).reduce((sum, part) => sum + part.length, 0);
    expect(held).toBeLessThanOrEqual(6 * size);
    expect(held).toBeGreaterThan(4 * size);
  });

  test('bounds the memory of the whole buffers that it keeps alive', () => {
    const size = 1024 * 1024;
    const heldBy = (views: number, length: number): number => {
      const burst = new StreamBurst();
      for (let index = 0; index < 40; index += 1) {
        const whole = chunk(1, size);
        for (let view = 0; view < views; view += 1) {
          const at = (index * views + view) * length;
          burst.add(at, whole.subarray(view * length, (view + 1) * length), [], monotonicMs(index));
        }
      }
      return new Set(burst.since(0).map(({ buffer }) => buffer)).size * size;
    };
    expect(heldBy(1, size / 2 + 1)).toBe(6 * size);
    expect(heldBy(4, size / 4)).toBe(6 * size);
  });
});
