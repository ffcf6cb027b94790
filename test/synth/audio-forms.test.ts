/** The sound formats of broadcasters as received: frame headers, channels, switches. */
import { expect, test } from 'bun:test';
import { readAdtsHeader } from '../../lib/arib/aac/adts.ts';
import { STC_ZERO } from '../../synth/clock.ts';
import { scenarioFile } from './scenario-file.ts';
import { PACKET, packetsOf, run, trimmed, tune } from './tuning.ts';

/** A multiple of the rounds of the lists below after the zero of the clock. */
const AT = STC_ZERO + 60_000_000;
const VIDEO_PID = 0x100;
const AUDIO_PID = 0x110;

const BASE = { bitrate: 96_000 };
const scenario = scenarioFile({
  channels: [
    {
      channel: 'T30',
      bitrate: 3_000_000,
      stations: [
        {
          audios: [{ ...BASE, mode: 'dual', elements: 'singles', crc: true }],
          programmes: [
            { durationSec: 4, title: '二つの声', sound: 'dual' },
            { durationSec: 4, title: '立体音響', sound: 'surround' },
            { durationSec: 4, title: '普通の音', sound: 'stereo' },
          ],
        },
      ],
    },
    {
      channel: 'T31',
      stations: [
        {
          programmes: [
            { durationSec: 4, title: '前' },
            { durationSec: 4, title: '後', sound: 'surround' },
          ],
        },
      ],
    },
    { channel: 'T32', stations: [{ audios: [BASE] }] },
    {
      channel: 'T33',
      bitrate: 3_000_000,
      stations: [
        {
          audios: [{ ...BASE, framesPerPes: 5 }],
          programmes: [
            { durationSec: 4, title: '前' },
            { durationSec: 4, title: '後', sound: 'surround' },
          ],
        },
      ],
    },
  ],
});

/** Complete payloads of the PES packets of one PID. */
function payloads(stream: Uint8Array, pid: number): Uint8Array[] {
  const found: number[][] = [];
  for (const packet of packetsOf(stream)) {
    if (packet.pid !== pid) continue;
    const bytes = stream.subarray(packet.payload, packet.at + PACKET);
    if (packet.begins) found.push([...bytes.subarray(9 + (bytes[8] ?? 0))]);
    else found.at(-1)?.push(...bytes);
  }
  return found.slice(0, -1).map((bytes) => Uint8Array.from(bytes));
}

interface Form {
  mpeg2: boolean;
  crc: boolean;
  channels: number;
}

function formsOf(pes: Uint8Array): Form[] {
  const forms: Form[] = [];
  for (let at = 0; at < pes.length; ) {
    const header = readAdtsHeader(pes, at);
    if (header === undefined) throw new Error(`no frame at ${at}`);
    const second = pes[at + 1] ?? 0;
    forms.push({
      mpeg2: (second & 8) !== 0,
      crc: (second & 1) === 0,
      channels: header.channelConfiguration,
    });
    at += header.frameLength;
  }
  return forms;
}

test('every frame is marked as MPEG-2, as a common tool requires; some carry a CRC', async () => {
  const withCrc = await tune({ scenario, type: 'GR', channel: 'T31', at: AT, seconds: 3 });
  const without = await tune({ scenario, type: 'GR', channel: 'T32', at: AT, seconds: 3 });
  const forms = (stream: Uint8Array) => payloads(stream, AUDIO_PID).flatMap(formsOf);
  expect(new Set(forms(withCrc).map((form) => JSON.stringify(form)))).toEqual(
    new Set([JSON.stringify({ mpeg2: true, crc: true, channels: 2 })]),
  );
  expect(new Set(forms(without).map((form) => JSON.stringify(form)))).toEqual(
    new Set([JSON.stringify({ mpeg2: true, crc: false, channels: 2 })]),
  );
});

test('dual mono, 5.1 and stereo follow each other on one PID', async () => {
  const stream = await tune({ scenario, type: 'GR', channel: 'T30', at: AT, seconds: 13 });
  const order: string[] = [];
  for (const { channels, crc } of payloads(stream, AUDIO_PID).flatMap(formsOf)) {
    const form = `${channels}${crc ? ' crc' : ''}`;
    if (order.at(-1) !== form) order.push(form);
  }
  expect(order.join(', ')).toContain('0 crc, 6, 2 crc');
});

test('the sound may change in the middle of a PES packet', async () => {
  const stream = await tune({ scenario, type: 'GR', channel: 'T33', at: AT, seconds: 18 });
  const packets = payloads(stream, AUDIO_PID).map(formsOf);
  expect(new Set(packets.map((forms) => forms.length))).toEqual(new Set([5]));
  const mixed = packets.filter((forms) => new Set(forms.map(({ channels }) => channels)).size > 1);
  expect(mixed.length).toBeGreaterThan(1);
});

test.each([
  ['at a PES packet', 'T31'],
  ['within one', 'T33'],
])('ffmpeg decodes the switch from stereo to 5.1 and back, %s', async (_, channel) => {
  const stream = await tune({ scenario, type: 'GR', channel, at: AT, seconds: 12 });
  const clean = trimmed(stream, [VIDEO_PID], [AUDIO_PID]);
  const probed = await run(
    [
      'ffprobe',
      '-v',
      'error',
      '-select_streams',
      'a',
      '-show_entries',
      'frame=channels',
      '-of',
      'csv=p=0',
      '-i',
      'pipe:0',
    ],
    clean,
  );
  expect(probed.stderr).toBe('');
  const runs: string[] = [];
  for (const channels of new TextDecoder().decode(probed.stdout).trim().split(/,?\s+/)) {
    if (runs.at(-1) !== channels) runs.push(channels);
  }
  expect(runs.join(' ')).toMatch(/2 6 2/);
});
