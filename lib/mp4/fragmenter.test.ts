import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { media90k } from '../arib/time.ts';
import { BoxCutter, boxesIn, InitSegmentCollector } from './boxes.ts';
import { FragmentRebaser } from './fragment.ts';
import { Fragmenter, type MediaPiece } from './fragmenter.ts';
import { mimeOf, readTracks } from './tracks.ts';

/** A box with this content, ISO/IEC 14496-12 4.2. */
function box(type: string, ...contents: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = 8 + contents.reduce((sum, part) => sum + part.length, 0);
  const out = new Uint8Array(size);
  new DataView(out.buffer).setUint32(0, size);
  out.set(new TextEncoder().encode(type), 4);
  let at = 8;
  for (const part of contents) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const zeros = (count: number): Uint8Array => new Uint8Array(count);
function u32(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value);
  return out;
}
function i64(value: number): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setBigInt64(0, BigInt(value));
  return out;
}
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function trak(id: number, handler: string, timescale: number, entry: Uint8Array): Uint8Array {
  return box(
    'trak',
    box('tkhd', zeros(4), zeros(8), u32(id), zeros(60)), // version 0: two times, then track_ID
    box(
      'mdia',
      box('mdhd', zeros(4), zeros(8), u32(timescale), zeros(8)),
      box('hdlr', zeros(8), text(handler), zeros(12)),
      box('minf', box('stbl', box('stsd', zeros(4), u32(1), entry))),
    ),
  );
}

const AVC = box('avc1', zeros(78), box('avcC', bytes(1, 0x64, 0x00, 0x28, 0xff)));
const AAC = box(
  'mp4a',
  zeros(28),
  // ES descriptor (id, flags), decoder config (object type 0x40, 12 more octets), AAC-LC at 48 kHz stereo
  box('esds', zeros(4), bytes(3, 25, 0, 1, 0, 4, 17, 0x40), zeros(12), bytes(5, 2, 0x11, 0x90)),
);
const AV1 = box('av01', zeros(78), box('av1C', bytes(0x81, 0x05, 0x0c, 0)));
const OPUS = box('Opus', zeros(28), box('dOps', zeros(11)));

function head(...traks: Uint8Array[]): Uint8Array {
  const moov = box('moov', ...traks, box('mvex', box('trex', zeros(4), u32(1), u32(1), zeros(8), u32(0))));
  return Uint8Array.from([...box('ftyp', text('iso5')), ...moov]);
}

/** A fragment with sample flags in tfhd (0x20), and those of a first key frame in trun (0x04). */
function traf(id: number, time: number, sync: boolean): Uint8Array {
  const run = sync ? [u32(0x05), u32(1), u32(0), u32(0x0200_0000)] : [u32(0x01), u32(1), u32(0)];
  return box(
    'traf',
    box('tfhd', u32(0x20), u32(id), u32(0x0101_0000)), // depends on others, non-sync
    box('tfdt', u32(0x0100_0000), i64(time)),
    box('trun', ...run),
  );
}
const fragment = (...trafs: Uint8Array[]): Uint8Array =>
  Uint8Array.from([...box('moof', ...trafs), ...box('mdat', bytes(1, 2, 3))]);

function feedAll(fragmenter: Fragmenter, stream: Uint8Array, step: number): MediaPiece[] {
  const out: MediaPiece[] = [];
  for (let at = 0; at < stream.length; at += step) {
    out.push(...fragmenter.feed(stream.subarray(at, at + step)));
  }
  return out;
}
const join = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
function times(piece: Uint8Array): number[] {
  const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
  const found: number[] = [];
  for (let at = 0; at + 20 <= piece.length; at += 1) {
    if (view.getUint32(at) === 0x74666474) found.push(Number(view.getBigInt64(at + 8))); // 'tfdt'
  }
  return found;
}

const BASE = 3_600_000_000; // 40000 s at 90 kHz
const HEAD = head(trak(1, 'vide', 90_000, AVC), trak(2, 'soun', 48_000, AAC));

describe('Fragmenter', () => {
  test('shifts both tracks by the same origin, exactly, and identifies the codecs', () => {
    const stream = join(
      HEAD,
      fragment(traf(1, BASE + 3007, true), traf(2, (BASE * 8) / 15 + 1024, true)),
      fragment(traf(1, BASE + 12_016, false), traf(2, (BASE * 8) / 15 + 6144, true)),
    );
    const [init, first, second] = feedAll(new Fragmenter(), stream, 7);
    if (init?.kind !== 'init' || first?.kind !== 'fragment' || second?.kind !== 'fragment') {
      throw new Error('pieces are missing');
    }
    expect(init.mime).toBe('video/mp4; codecs="avc1.640028,mp4a.40.2"');
    expect(init.bytes).toEqual(HEAD as Uint8Array<ArrayBuffer>);
    // audio starts first: 1024 samples = 1920 ticks after BASE
    expect(init.origin).toBe(BASE + 1920);
    expect(times(first.bytes)).toEqual([1087, 0]);
    expect(times(second.bytes)).toEqual([10_096, 5120]);
    expect([first.sync, second.sync]).toEqual([true, false]);
    expect(first.time).toBe(media90k(1087));
  });

  test('begins with the first fragment at which decoding can start', () => {
    const stream = join(
      HEAD,
      fragment(traf(2, (BASE * 8) / 15, true)),
      fragment(traf(1, BASE + 90_000, true), traf(2, (BASE * 8) / 15 + 48_000, true)),
    );
    const pieces = feedAll(new Fragmenter(), stream, 1000);
    expect(pieces.map((piece) => piece.kind)).toEqual(['init', 'fragment']);
    expect(pieces[0]).toMatchObject({ origin: BASE + 90_000 });
  });

  test('hides sound from before the origin, and keeps the video of the same fragment', () => {
    const sound = (BASE * 8) / 15;
    const stream = join(
      HEAD,
      fragment(traf(1, BASE, true)),
      fragment(traf(2, sound - 1024, true)),
      fragment(traf(1, BASE + 9009, false), traf(2, sound - 512, true)),
      fragment(traf(1, BASE + 18_018, false), traf(2, sound + 512, true)),
    );
    const [init, ...fragments] = feedAll(new Fragmenter(), stream, 333);
    expect(init).toMatchObject({ kind: 'init', origin: BASE });
    const boxes = fragments.map((piece) => {
      if (piece.kind !== 'fragment') throw new Error(piece.kind);
      const [moof] = boxesIn(piece.bytes);
      const types = moof === undefined ? [] : [...boxesIn(piece.bytes, moof.body, moof.end)];
      return { types: types.map(({ type }) => type), first: times(piece.bytes)[0] };
    });
    expect(boxes).toEqual([
      { types: ['traf'], first: 0 },
      { types: ['traf', 'free'], first: 9009 },
      { types: ['traf', 'traf'], first: 18_018 },
    ]);
  });

  test('treats times before a wrap of the clock as negative and keeps the result positive', () => {
    const stream = join(HEAD, fragment(traf(1, -1500, true)), fragment(traf(1, 1500, false)));
    const [init, first, second] = feedAll(new Fragmenter(), stream, 64);
    expect(init).toMatchObject({ kind: 'init', origin: -1500 });
    if (first?.kind !== 'fragment' || second?.kind !== 'fragment') throw new Error('pieces are missing');
    expect([...times(first.bytes), ...times(second.bytes)]).toEqual([0, 3000]);
  });

  test('reports a jump of the clock in either direction', () => {
    for (const to of [BASE + 11 * 90_000, BASE - 2 * 90_000]) {
      const stream = join(HEAD, fragment(traf(1, BASE, true)), fragment(traf(1, to, true)));
      const kinds = feedAll(new Fragmenter(), stream, 500).map((piece) => piece.kind);
      expect(kinds).toEqual(['init', 'fragment', 'jump']);
    }
  });

  test('identifies AV1, Opus and audio alone', () => {
    const av1 = join(
      head(trak(1, 'vide', 90_000, AV1), trak(2, 'soun', 48_000, OPUS)),
      fragment(traf(1, 0, true)),
    );
    expect(feedAll(new Fragmenter(), av1, 99)[0]).toMatchObject({
      mime: 'video/mp4; codecs="av01.0.05M.08,opus"',
    });
    const audio = join(head(trak(1, 'soun', 48_000, AAC)), fragment(traf(1, 0, true)));
    expect(feedAll(new Fragmenter(), audio, 99)[0]).toMatchObject({ mime: 'audio/mp4; codecs="mp4a.40.2"' });
  });

  test('gives the same pieces however the bytes are chunked', () => {
    const stream = join(
      HEAD,
      ...[0, 1, 2, 3].map((index) => fragment(traf(1, BASE + index * 9009, index === 0))),
    );
    const whole = feedAll(new Fragmenter(), stream, stream.length);
    for (const step of [1, 3, 8, 31, 200]) expect(feedAll(new Fragmenter(), stream, step)).toEqual(whole);
  });
});

describe('FragmentRebaser', () => {
  const HOURS = 5 * 3600;
  /** Fragments of 0.1 s, `from` seconds into a session whose times start at 0. */
  const late = (from: number, count: number, lead = 0): Uint8Array[] =>
    Array.from({ length: count }, (_, index) => {
      const video = from * 90_000 + index * 9009;
      const sound = from * 48_000 + lead + index * 4805;
      return fragment(traf(1, video, index === 0), traf(2, sound, true));
    });
  const rebased = (rebaser: FragmentRebaser, bytes: Uint8Array): number[] =>
    times(join(...rebaser.fragment(bytes)));

  test('a viewer who joins after five hours starts at 0, with both tracks shifted by the same time', () => {
    const rebaser = new FragmentRebaser(HEAD);
    // the sound of the first fragment starts 1024 samples before its picture
    const [first, second] = late(HOURS + 1, 2, -1024);
    // 1024 samples are 1920 ticks
    expect(rebased(rebaser, first ?? zeros(0))).toEqual([1920, 0]);
    expect(rebased(rebaser, second ?? zeros(0))).toEqual([1920 + 9009, 4805]);
  });

  test('the offset between picture and sound is preserved to the sample wherever a viewer joins', () => {
    fc.assert(
      fc.property(fc.nat(90_000 * 3600 * 24), fc.integer({ min: -3000, max: 3000 }), (from, lead) => {
        const sound = Math.round((from * 8) / 15) + lead;
        fc.pre(sound >= 0);
        const rebaser = new FragmentRebaser(HEAD);
        const [video = -1, audio = -1] = rebased(
          rebaser,
          fragment(traf(1, from, true), traf(2, sound, true)),
        );
        // in units of 1/720,000 s, the smallest that both clocks share
        expect(video * 8 - audio * 15).toBe(from * 8 - sound * 15);
        // less than one rounding step of the origin
        expect(Math.min(video, (audio * 15) / 8)).toBeLessThan(15);
      }),
    );
  });

  test('shared bytes are neither changed nor copied, except the header', () => {
    const [bytes = zeros(0)] = late(HOURS, 1);
    const before = bytes.slice();
    const [header, media] = new FragmentRebaser(HEAD).fragment(bytes);
    expect(bytes).toEqual(before);
    expect(media?.buffer).toBe(bytes.buffer);
    expect((header?.length ?? 0) + (media?.length ?? 0)).toBe(bytes.length);
  });

  test('the first viewer of a session gets the shared bytes themselves', () => {
    const rebaser = new FragmentRebaser(HEAD);
    for (const bytes of late(0, 3)) expect(rebaser.fragment(bytes)).toEqual([bytes]);
  });

  test('sound from before the first picture is hidden, bytes that are not a fragment are unchanged', () => {
    const rebaser = new FragmentRebaser(HEAD);
    rebaser.fragment(fragment(traf(1, 900_000, true)));
    const mixed = join(...rebaser.fragment(fragment(traf(1, 909_009, false), traf(2, 479_000, true))));
    const [moof] = boxesIn(mixed);
    expect([...boxesIn(mixed, moof?.body, moof?.end)].map(({ type }) => type)).toEqual(['traf', 'free']);
    expect(rebaser.fragment(bytes(1, 2, 3))).toEqual([bytes(1, 2, 3)]);
  });
});

describe('InitSegmentCollector', () => {
  test('waits for the whole initialisation segment at any chunk size', () => {
    const stream = join(HEAD, box('moof', zeros(40)));
    for (const size of [1, 7, 100, 10_000]) {
      const collector = new InitSegmentCollector();
      let given: Uint8Array | undefined;
      for (let at = 0; given === undefined && at < stream.length; at += size) {
        given = collector.push(stream.subarray(at, at + size));
      }
      expect(mimeOf(readTracks(given ?? zeros(0)))).toBe('video/mp4; codecs="avc1.640028,mp4a.40.2"');
    }
  });

  test('rejects data that is not MP4, and an init segment above the size limit', () => {
    expect(() => new InitSegmentCollector().push(zeros(64))).toThrow('not a fragmented MP4');
    const collector = new InitSegmentCollector();
    const huge = box('free', zeros(600_000));
    expect(() => [huge, huge].map((bytes) => collector.push(bytes))).toThrow('not a fragmented MP4');
  });
});

describe('BoxCutter', () => {
  test('rejects bytes that cannot be boxes', () => {
    const cutter = new BoxCutter();
    expect(() => [...cutter.feed(bytes(0, 0, 0, 3, 1, 2, 3, 4))]).toThrow('not a stream of MP4 boxes');
    expect(() => [...new BoxCutter().feed(bytes(0x7f, 0, 0, 0, 1, 2, 3, 4))]).toThrow(
      'not a stream of MP4 boxes',
    );
  });
});
