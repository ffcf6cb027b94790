/**
 * 5.1 sound of a broadcast as the raw path passes it to the browser, downmixed to stereo: level of each
 * channel in each ear against ITU-R BS.775-3, annex 4, table 2. Decoded and mixed by the browser faster than
 * real time.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { AudioTrack } from '../../web/raw/audio-track.ts';
import { ffmpeg } from '../mpeg2/reference.ts';
import { hasChromium, PLAIN_HOST, sharedBrowser } from '../web/browser.ts';

const SECONDS = 6;
/** Each channel has a tone of its own, Hz; the low-frequency one is not part of a downmix. */
const TONES = { left: 500, right: 700, centre: 900, low: 60, surroundLeft: 1_300, surroundRight: 1_700 };
const CHANNELS = ['left', 'right', 'centre', 'surroundLeft', 'surroundRight'] as const;
type Channel = (typeof CHANNELS)[number];
const HALF_POWER = Math.SQRT1_2;
/** In the left and the right ear. */
const EXPECTED: Record<Channel, readonly [number, number]> = {
  left: [1, 0],
  right: [0, 1],
  centre: [HALF_POWER, HALF_POWER],
  surroundLeft: [HALF_POWER, 0],
  surroundRight: [0, HALF_POWER],
};
/** Relative to a main channel: 0.8 dB; silence is below -30 dB. */
const TOLERANCE = 0.1;
const SILENCE = 0.03;

function surroundAdts(): Promise<Uint8Array> {
  const order = [TONES.left, TONES.right, TONES.centre, TONES.low, TONES.surroundLeft, TONES.surroundRight];
  const tones = order.map((hertz) => `0.15*sin(2*PI*${hertz}*t)`).join('|');
  const source = `aevalsrc='${tones}':c=5.1:s=48000:d=${SECONDS}`;
  const encoder = ['-c:a', 'aac', '-b:a', '384k', '-f', 'adts', '-'];
  return ffmpeg(['-f', 'lavfi', '-i', source, ...encoder]);
}

/** The data that the raw path appends to its media source. */
async function appended(): Promise<Uint8Array> {
  const parts = [...new AudioTrack(0).push(await surroundAdts(), 0)];
  expect(parts[0]).toMatchObject({ kind: 'init', isDual: false });
  return Buffer.concat(parts.map((part) => (part.kind === 'unsupported' ? new Uint8Array(0) : part.bytes)));
}

interface Question {
  readonly bytes: number[];
  readonly hertz: readonly number[];
}

/** Runs in the page. Must be self-contained. Amplitudes of the tones in both ears. */
async function decodedLevels({ bytes, hertz }: Question): Promise<number[][]> {
  const rate = 48_000;
  const sound = await new OfflineAudioContext(2, 1, rate).decodeAudioData(new Uint8Array(bytes).buffer);
  const context = new OfflineAudioContext(2, sound.length, rate);
  const source = new AudioBufferSourceNode(context, { buffer: sound });
  source.connect(context.destination);
  source.start();
  const heard = await context.startRendering();
  const from = rate;
  const count = rate * 2;
  return [0, 1].map((ear) => {
    const samples = heard.getChannelData(ear).subarray(from, from + count);
    return hertz.map((tone) => {
      let [real, imaginary] = [0, 0];
      for (let at = 0; at < count; at += 1) {
        const turn = (2 * Math.PI * tone * at) / rate;
        real += (samples[at] ?? 0) * Math.cos(turn);
        imaginary += (samples[at] ?? 0) * Math.sin(turn);
      }
      return (2 * Math.hypot(real, imaginary)) / count;
    });
  });
}

describe.skipIf(!hasChromium)('5.1 sound downmixed to stereo', () => {
  let page: Page;
  let question: Question;
  let server: ReturnType<typeof Bun.serve>;
  beforeAll(async () => {
    const html = { headers: { 'content-type': 'text/html' } };
    server = Bun.serve({ port: 0, fetch: () => new Response('<!doctype html><title>5.1</title>', html) });
    const [bytes, browser] = await Promise.all([appended(), sharedBrowser()]);
    question = { bytes: [...bytes], hertz: CHANNELS.map((channel) => TONES[channel]) };
    page = await browser.newPage();
    await page.goto(`http://${PLAIN_HOST}:${server.port}/`);
  });
  afterAll(async () => {
    await page?.context().close();
    await server?.stop(true);
  });

  test('has centre and surrounds at -3 dB, each on its side', async () => {
    const ears = await page.evaluate(decodedLevels, question);
    const whole = ((ears[0]?.[0] ?? 0) + (ears[1]?.[1] ?? 0)) / 2;
    const parts = ears.map((ear) => ear.map((level) => level / whole));
    const decibels = (part: number): string => (20 * Math.log10(part)).toFixed(1);
    const rows = CHANNELS.map(
      (channel, at) => `${channel} ${parts.map((ear) => decibels(ear[at] ?? 0)).join('/')}`,
    );
    console.log(`5.1 in stereo: ${rows.join(', ')} dB`);
    for (const [at, channel] of CHANNELS.entries()) {
      for (const [ear, wanted] of EXPECTED[channel].entries()) {
        const part = parts[ear]?.[at] ?? 0;
        if (wanted === 0) expect(part).toBeLessThan(SILENCE);
        else expect(Math.abs(part - wanted)).toBeLessThan(TOLERANCE);
      }
    }
  });
});
