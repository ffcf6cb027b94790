import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { joinDualMono } from '../../../synth/media/adts-frame.ts';
import { processorMs } from '../../../test/processor-time.ts';
import { readAdtsHeader } from './adts.ts';
import { copyBits } from './channel-stream.ts';
import { splitFrame } from './split-frame.ts';

const SECONDS = 4;

/** Frames of an ADTS stream, read without the parser under test. */
function framesOf(stream: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at + 7 <= stream.length; ) {
    const length =
      (((stream[at + 3] as number) & 3) << 11) |
      ((stream[at + 4] as number) << 3) |
      ((stream[at + 5] as number) >> 5);
    frames.push(stream.slice(at, at + length));
    at += length;
  }
  return frames;
}

async function ffmpeg(words: readonly string[], input?: Uint8Array): Promise<Uint8Array> {
  const child = Bun.spawn(['ffmpeg', '-v', 'error', ...words, 'pipe:1'], {
    stdin: input ?? 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [bytes, problems] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
  ]);
  if (problems !== '') throw new Error(problems);
  return bytes;
}

/** A sound with transients, tones and noise: short and long windows, every codebook. */
function encode(source: string, rate: number, bitrate: string): Promise<Uint8Array> {
  return ffmpeg([
    ...['-f', 'lavfi', '-i', source, '-t', String(SECONDS), '-ar', String(rate), '-ac', '1'],
    ...['-c:a', 'aac', '-aac_pns', '0', '-flags:a', '+bitexact', '-b:a', bitrate, '-f', 'adts'],
  ]);
}

const decode = (stream: Uint8Array): Promise<Uint8Array> =>
  ffmpeg(['-f', 'aac', '-i', 'pipe:0', '-f', 's16le'], stream);

/** Both channels of 16-bit stereo samples. */
function channels(bytes: Uint8Array): [Int16Array, Int16Array] {
  const samples = new Int16Array(bytes.slice().buffer);
  const count = samples.length >> 1;
  const [left, right] = [new Int16Array(count), new Int16Array(count)];
  for (let at = 0; at < count; at += 1) {
    left[at] = samples[2 * at] as number;
    right[at] = samples[2 * at + 1] as number;
  }
  return [left, right];
}

const CLICKS = "aevalsrc='if(lt(mod(t,0.31),0.004),0.9*sin(30000*t),0.2*sin(2000*t*t))'";
const LOUD = 'anoisesrc=color=white:amplitude=0.9:seed=5';
const QUIET = 'anoisesrc=color=pink:amplitude=0.02:seed=8';
const TONES = 'sine=frequency=440:beep_factor=6';

describe('two programmes in one stream', () => {
  test.each([
    ['at 48 kHz', CLICKS, LOUD, 48_000, '96k', false],
    ['with check sums', TONES, CLICKS, 48_000, '64k', true],
    ['at a low rate', QUIET, TONES, 48_000, '24k', false],
    ['at a high rate', LOUD, CLICKS, 48_000, '200k', false],
    ['at 44.1 kHz', CLICKS, TONES, 44_100, '96k', false],
    ['at 32 kHz', CLICKS, LOUD, 32_000, '64k', false],
    ['at 24 kHz', CLICKS, QUIET, 24_000, '48k', false],
    ['at 22.05 kHz', LOUD, TONES, 22_050, '48k', true],
    ['at 16 kHz', CLICKS, QUIET, 16_000, '32k', false],
  ])('%s become two stereo streams with exactly their sound', async (_name, one, two, rate, bits, crc) => {
    const [main, sub] = await Promise.all([encode(one, rate, bits), encode(two, rate, bits)]);
    const subFrames = framesOf(sub);
    const split = framesOf(main)
      .slice(0, subFrames.length)
      .map((frame, at) => splitFrame(joinDualMono(frame, subFrames[at] as Uint8Array, crc)));
    expect(split.length).toBeGreaterThan((SECONDS * rate) / 1024 - 2);
    const sounds = await Promise.all(
      [
        { from: main, to: split.map((both) => both.main) },
        { from: sub, to: split.map((both) => both.sub ?? new Uint8Array(0)) },
      ].map(async ({ from, to }) => {
        const original = new Int16Array((await decode(from)).slice().buffer);
        return { original, heard: channels(await decode(Buffer.concat(to))) };
      }),
    );
    for (const { original, heard } of sounds) {
      for (const ear of heard) {
        expect(ear.length).toBeGreaterThan(original.length - 2 * 1024);
        expect(Buffer.compare(Buffer.from(ear.buffer), Buffer.from(original.buffer, 0, ear.byteLength))).toBe(
          0,
        );
      }
    }
  });
});

test('mono becomes stereo, stereo and surround stay as they are', async () => {
  const mono = framesOf(await encode(TONES, 48_000, '64k'));
  const stereo = mono.map((frame) => splitFrame(frame));
  expect(stereo.every(({ sub }) => sub === undefined)).toBe(true);
  expect(readAdtsHeader(stereo[3]?.main as Uint8Array, 0)?.channelConfiguration).toBe(2);
  const [left, right] = channels(await decode(Buffer.concat(stereo.map(({ main }) => main))));
  const original = new Int16Array((await decode(Buffer.concat(mono))).slice().buffer);
  expect([...left.subarray(0, 9_000)]).toEqual([...original.subarray(0, 9_000)]);
  expect([...right.subarray(0, 9_000)]).toEqual([...left.subarray(0, 9_000)]);
  for (const count of ['2', '6']) {
    const layout = ['-f', 'lavfi', '-i', TONES, '-t', '1', '-ac', count, '-c:a', 'aac', '-f', 'adts'];
    for (const frame of framesOf(await ffmpeg(layout))) expect(splitFrame(frame).main).toBe(frame);
  }
});

test('a damaged frame of two programmes is silent in both', async () => {
  const [frame = new Uint8Array(0)] = framesOf(await encode(LOUD, 48_000, '96k')).slice(20);
  const damaged = joinDualMono(frame, frame, false);
  damaged.fill(0xff, 12);
  const { main, sub } = splitFrame(damaged);
  const silence = channels(await decode(Buffer.concat([main, main, sub ?? main])));
  expect(silence[0].length).toBe(3 * 1024);
  expect(silence.every((ear) => ear.every((sample) => sample === 0))).toBe(true);
});

/** ADTS header without CRC at 48 kHz, then any data. */
function anyFrame(configuration: number, payload: Uint8Array): Uint8Array {
  const length = 7 + payload.length;
  const frame = new Uint8Array(length);
  frame.set([
    0xff,
    0xf9,
    0x4c,
    (configuration << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
  ]);
  frame[6] = 0xfc;
  frame.set(payload, 7);
  return frame;
}

test('any data gives frames of a valid length', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 900 }),
      fc.constantFrom(0, 1, 2),
      (payload, layout) => {
        // The first element is a single channel with a long window; what follows is arbitrary.
        const given = payload.map((octet, at) => (at === 0 ? octet & 0x1f : octet));
        const { main, sub } = splitFrame(anyFrame(layout, given));
        for (const frame of [main, sub ?? main]) {
          expect(readAdtsHeader(frame, 0)?.frameLength).toBe(frame.length);
          expect(frame.length).toBeLessThanOrEqual(7 + 2 * given.length + 6);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

test('damage at any place of a real frame gives frames of a valid length', async () => {
  const [frame = new Uint8Array(0)] = framesOf(await encode(LOUD, 48_000, '96k')).slice(20);
  const whole = joinDualMono(frame, frame, false);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(whole.length - 8), fc.nat(255)), { maxLength: 8 }), (damage) => {
      const hostile = whole.slice();
      for (const [at, octet] of damage) hostile[7 + at] = octet;
      const { main, sub } = splitFrame(hostile);
      for (const one of [main, sub ?? main]) expect(readAdtsHeader(one, 0)?.frameLength).toBe(one.length);
    }),
    { numRuns: 2_000 },
  );
});

test('the longest frames of hostile data are read in a bounded time', () => {
  // Sections of one band, endless escapes, all zeros and all ones.
  const begun = processorMs();
  for (const octet of [0x00, 0xff, 0x55, 0x20, 0x08, 0x41]) {
    const payload = new Uint8Array(8_184).fill(octet);
    payload[0] = octet & 0x1f;
    for (let round = 0; round < 20; round += 1) splitFrame(anyFrame(0, payload));
  }
  expect(processorMs() - begun).toBeLessThan(20_000);
});

test('bits are copied to any place', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 12, maxLength: 12 }),
      fc.nat(40),
      fc.nat(56),
      fc.nat(20),
      (source, from, count, to) => {
        const bit = (bytes: Uint8Array, at: number): number =>
          ((bytes[at >> 3] as number) >> (7 - (at & 7))) & 1;
        const target = new Uint8Array(12);
        copyBits(source, from, count, target, to);
        for (let at = 0; at < 96; at += 1) {
          const isCopied = at >= to && at < to + count;
          expect(bit(target, at)).toBe(isCopied ? bit(source, from + at - to) : 0);
        }
      },
    ),
  );
});
