import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { mimeOf, readTracks } from './tracks.ts';

function box(type: string, ...children: (Uint8Array | number[])[]): Uint8Array {
  const body = children.flatMap((child) => Array.from(child));
  const size = body.length + 8;
  const head = [size >>> 24, (size >> 16) & 0xff, (size >> 8) & 0xff, size & 0xff];
  return new Uint8Array([...head, ...Array.from(type, (letter) => letter.charCodeAt(0)), ...body]);
}

const zeros = (count: number): number[] => new Array<number>(count).fill(0);
const text = (letters: string): number[] => Array.from(letters, (letter) => letter.charCodeAt(0));
/** Track 1 with 90,000 ticks a second; version 0 of each header. */
function track(entry: Uint8Array): Uint8Array {
  const isSound = ['mp4a', 'Opus'].includes(String.fromCharCode(...entry.subarray(4, 8)));
  return box(
    'trak',
    box('tkhd', zeros(12), [0, 0, 0, 1], zeros(68)),
    box(
      'mdia',
      box('mdhd', zeros(12), [0, 1, 0x5f, 0x90], zeros(8)),
      box('hdlr', zeros(8), text(isSound ? 'soun' : 'vide'), zeros(12)),
      box('minf', box('stbl', box('stsd', [0, 0, 0, 0, 0, 0, 0, 1], entry))),
    ),
  );
}
const mimeOfInit = (init: Uint8Array): string | undefined => mimeOf(readTracks(init));
const ftyp = box('ftyp', [0x69, 0x73, 0x6f, 0x6d, 0, 0, 0, 0]);
const init = (...entries: Uint8Array[]): Uint8Array =>
  new Uint8Array([...ftyp, ...box('moov', box('mvhd', zeros(100)), ...entries.map(track))]);

const avc = box(
  'avc1',
  zeros(78),
  box('avcC', [1 /* version */, 0x64 /* High */, 0x00, 0x28 /* level 4.0 */, 0xff, 0xe0, 0]),
);
const av1 = box(
  'av01',
  zeros(78),
  box('av1C', [0x81 /* marker, version */, 0x08 /* profile 0, level 8 */, 0x0c /* main tier, 8 bit */, 0]),
);
const aac = box(
  'mp4a',
  zeros(28),
  box('esds', [
    ...zeros(4),
    ...[0x03, 0x80, 0x80, 0x80, 0x22, 0, 2, 0], // ES_Descriptor, size in four bytes, ES_ID, no flags
    ...[0x04, 0x80, 0x80, 0x80, 0x14, 0x40, 0x15, ...zeros(11)], // DecoderConfig: MPEG-4 audio
    ...[0x05, 0x80, 0x80, 0x80, 0x02, 0x11, 0x90], // AudioSpecificConfig: AAC-LC, 48 kHz, stereo
    ...[0x06, 0x01, 0x02],
  ]),
);
const opus = box('Opus', zeros(28), box('dOps', zeros(11)));

describe('the type of an initialisation segment', () => {
  test('is that of H.264 with AAC', () => {
    expect(mimeOfInit(init(avc, aac))).toBe('video/mp4; codecs="avc1.640028,mp4a.40.2"');
  });

  test('is that of AV1 with Opus', () => {
    expect(mimeOfInit(init(av1, opus))).toBe('video/mp4; codecs="av01.0.08M.08,opus"');
  });

  test('is an audio type for sound alone', () => {
    expect(mimeOfInit(init(aac))).toBe('audio/mp4; codecs="mp4a.40.2"');
  });

  test('includes high tiers, bit depths and escaped audio object types', () => {
    const deep = box('av01', zeros(78), box('av1C', [0x81, 0x2d, 0xc0, 0]));
    expect(mimeOfInit(init(deep))).toBe('video/mp4; codecs="av01.1.13H.10"');
    const usac = box(
      'mp4a',
      zeros(28),
      box('esds', [...zeros(4), 0x03, 0x18, 0, 2, 0, 0x04, 0x11, 0x40, ...zeros(12), 0x05, 0x02, 0xf9, 0x40]),
    );
    expect(mimeOfInit(init(usac))).toBe('audio/mp4; codecs="mp4a.40.42"');
  });

  test('is undefined for unknown codecs and truncated segments', () => {
    expect(mimeOfInit(init(box('hvc1', zeros(90))))).toBeUndefined();
    expect(mimeOfInit(init())).toBeUndefined();
    const whole = init(avc, aac);
    for (let end = 0; end < whole.length; end += 1) {
      expect(mimeOfInit(whole.subarray(0, end))).toBeUndefined();
    }
  });
});

test('any bytes are parsed without an error', () => {
  const whole = init(avc, aac);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, value, end) => {
      const damaged = whole.slice(0, end);
      if (at < end) damaged[at] = value;
      expect(typeof (mimeOfInit(damaged) ?? '')).toBe('string');
    }),
  );
});
