/** The command line: rejected arguments, pacing, termination, and scenarios from files. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { ChannelsSchema } from '../../lib/wire/agent.ts';
import { packetsOf, run, SYNTH, synth, type Truth, truthOf } from './tuning.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'synth-'));
const MINI_T26 = ['--scenario', 'mini', '--type', 'GR', '--channel', 'T26'];
afterAll(() => rmSync(FOLDER, { recursive: true }));

describe('it refuses with a message', () => {
  test.each([
    [['--type', 'XX', '--channel', 'T27'], '--type'],
    [['--type', 'GR'], '--channel'],
    [['--channel', 'T99', '--scenario', 'mini'], 'T99'],
    [['--channel', 'T27', '--scenario', 'nowhere'], 'nowhere'],
    [['--channel', 'T27', '--at', 'soon'], '--at'],
    [['--channel', 'T27', '--speed', '-1'], '--speed'],
    [['--channel', 'T27', '--duration'], '--duration'],
    [['--wrong'], '--wrong'],
  ])('%p', async (args, named) => {
    const ended = await synth(...args);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(named);
    expect(ended.stderr).not.toContain('.ts:');
    expect(ended.stdout).toHaveLength(0);
  });

  test('a machine without ffmpeg', async () => {
    const cache = join(FOLDER, 'no-ffmpeg');
    const command = [process.execPath, SYNTH, ...MINI_T26, '--cache', cache];
    const ended = await run(['env', 'FFMPEG_PATH=/nowhere/ffmpeg', ...command]);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('FFMPEG_PATH');
  });
});

test('its channels have the format that the tuner agent reads', async () => {
  for (const scenario of ['default', 'mini']) {
    const ended = await synth('--channels', '--scenario', scenario);
    const channels: unknown = JSON.parse(new TextDecoder().decode(ended.stdout));
    expect([...Value.Errors(ChannelsSchema, channels)]).toEqual([]);
    const types = Value.Decode(ChannelsSchema, channels).flatMap(({ stations }) =>
      stations.map(({ serviceType }) => serviceType),
    );
    // Television, and data services, which a scan finds too; services for receivers are not listed.
    expect([...new Set(types)].sort((a, b) => a - b)).toEqual([0x01, 0xc0]);
  }
});

test('it keeps the pace of its clock references', async () => {
  const startedAt = performance.now();
  const ended = await synth(...MINI_T26, '--duration', '2');
  const tookMs = performance.now() - startedAt;
  const references = [...packetsOf(ended.stdout)].flatMap(({ pcr }) => (pcr === undefined ? [] : [pcr]));
  const carriedMs = ((references.at(-1) ?? 0) - (references[0] ?? 0)) / 27_000;
  expect(carriedMs).toBeWithin(1_900, 2_001);
  expect(tookMs).toBeGreaterThan(1_900);
});

test('it runs faster if requested', async () => {
  const startedAt = performance.now();
  const ended = await synth(...MINI_T26, '--duration', '20', '--speed', '20');
  expect(performance.now() - startedAt).toBeGreaterThan(950);
  expect(ended.stdout.length / (4_000_000 / 8)).toBeCloseTo(20, 0);
});

test('it ends without an error when the reader closes its end', async () => {
  const child = Bun.spawn([process.execPath, SYNTH, ...MINI_T26], { stdout: 'pipe', stderr: 'pipe' });
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  expect(await child.exited).toBe(0);
  expect(await new Response(child.stderr).text()).toBe('');
});

test('it ends at once on a signal, also while a blocked reader delays it', async () => {
  const child = Bun.spawn([process.execPath, SYNTH, ...MINI_T26, '--speed', '0'], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const reader = child.stdout.getReader();
  await reader.read();
  child.kill('SIGTERM');
  // Not because its output ended, which is endless.
  await child.exited;
  expect(await new Response(child.stderr).text()).toBe('');
});

const VIDEO = { codec: 'mpeg2', width: 160, height: 120, bitrate: 400_000 };
const STATION = {
  serviceId: 9232,
  name: '試験局',
  video: VIDEO,
  audios: [{ bitrate: 32_000 }],
  programmes: [
    { durationSec: 10, title: '十秒の番組🈞', genres: [[7, 0]] },
    { durationSec: 5, title: '五秒の番組' },
  ],
};
const SCENARIO = {
  name: 'probe',
  channels: [
    {
      type: 'GR',
      channel: 'T30',
      networkId: 32_610,
      transportStreamId: 32_610,
      bitrate: 2_000_000,
      stations: [STATION],
    },
  ],
};

async function scenarioFile(name: string, content: unknown): Promise<string> {
  const path = join(FOLDER, name);
  await Bun.write(path, JSON.stringify(content));
  return path;
}

describe('a scenario in a file', () => {
  test('lists its own programmes, one after another in a loop', async () => {
    const path = await scenarioFile('good.json', SCENARIO);
    const at = Date.UTC(2026, 10, 20, 12, 0, 0);
    const truth: Truth = await truthOf('GR', 'T30', at, path);
    const [station] = truth.stations;
    expect(station?.present.title).toBe('十秒の番組🈞');
    expect(station?.present.startAt).toBe(at);
    expect(station?.following).toMatchObject({
      title: '五秒の番組',
      startAt: at + 10_000,
      durationMs: 5_000,
    });
  });

  test('prints what is announced and what is on air', async () => {
    const series = { id: 7, name: '連続', episode: 2, lastEpisode: 10 };
    const over = { undefinedEnd: true, overrunSec: 5, noticeSec: 2, copyControl: 'never', series };
    const programmes = [{ durationSec: 10, title: '生中継', ...over }, STATION.programmes[1]];
    const [channel] = SCENARIO.channels;
    const path = await scenarioFile('open.json', {
      ...SCENARIO,
      channels: [{ ...channel, stations: [{ ...STATION, programmes }] }],
    });
    const at = Date.UTC(2026, 10, 20, 12, 0, 0);
    const [station] = (await truthOf('GR', 'T30', at + 11_000, path)).stations;
    expect(station?.present).toMatchObject({
      title: '生中継',
      durationMs: null,
      copyControl: 'never',
      series,
    });
    expect(station?.following).toMatchObject({ startAt: null, durationMs: 5_000 });
    expect(station?.schedule.find(({ startAt }) => startAt === at)).toMatchObject({ durationMs: 10_000 });
    expect(station?.onAir.find(({ startAt }) => startAt === at)).toMatchObject({ durationMs: 15_000 });
  });

  test('is made once when several tunings request it at the same time', async () => {
    const path = await scenarioFile('together.json', SCENARIO);
    const cache = join(FOLDER, 'together');
    const args = [
      '--scenario',
      path,
      '--channel',
      'T30',
      '--cache',
      cache,
      '--speed',
      '0',
      '--duration',
      '1',
    ];
    const ended = await Promise.all([synth(...args), synth(...args), synth(...args)]);
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(ended.every(({ stdout }) => stdout.length > 200_000)).toBe(true);
    expect(readdirSync(cache).filter((name) => !/^[0-9a-f]{24}\.loop$/.test(name))).toEqual([]);
    // Pictures of the film and of the other programme, and the sound.
    expect(readdirSync(cache)).toHaveLength(3);
  });

  test.each([
    [{ ...SCENARIO, channels: [] }, 'channels'],
    [{ ...SCENARIO, colour: 1 }, 'colour'],
    [{ ...SCENARIO, channels: [{ ...SCENARIO.channels[0], channel: 'BS01_0' }] }, 'channels[0].channel'],
    [
      { ...SCENARIO, channels: [{ ...SCENARIO.channels[0], stations: [{ ...STATION, name: '試験局🎬' }] }] },
      'channels[0].stations[0].name',
    ],
    [
      {
        ...SCENARIO,
        channels: [{ ...SCENARIO.channels[0], stations: [{ ...STATION, video: { ...VIDEO, width: 161 } }] }],
      },
      'channels[0].stations[0].video.width',
    ],
  ])('is refused naming the field (%#)', async (content, field) => {
    const path = await scenarioFile('bad.json', content);
    const ended = await synth('--channels', '--scenario', path);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain(field);
    expect(ended.stderr).not.toContain('.ts:');
  });

  test('that needs more than its bit rate is reported', async () => {
    const path = await scenarioFile('narrow.json', {
      ...SCENARIO,
      channels: [{ ...SCENARIO.channels[0], bitrate: 600_000 }],
    });
    const cache = join(FOLDER, 'together');
    const ended = await synth('--scenario', path, '--channel', 'T30', '--cache', cache);
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('bitrate');
  });
});
