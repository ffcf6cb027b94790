/** `--long`: players of other projects play the stations of the playlist one after another (Debian's mpv and VLC). */
import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';
import { compatHome } from './compat-home.ts';

const LONG = process.env.SVC_LONG === '1';
const ZAPS = 20;
const hasMpv = Bun.which('mpv') !== null;
const hasVlc = Bun.which('cvlc') !== null;
if (LONG && !(hasMpv && hasVlc)) console.info('skipped: mpv or cvlc is not installed');

const home = LONG && (hasMpv || hasVlc) ? compatHome() : undefined;
const isRoot = process.getuid?.() === 0;
/** `nobody` of Debian: VLC refuses to run as root. */
const NOBODY = 65_534;

/** The first terrestrial station of each channel; the second may be off the air. */
async function stations(): Promise<string[]> {
  const lines = (await (await fetch(`${home?.hdhr}/playlist.m3u`)).text()).split('\n');
  const found = lines.filter((line, at) => line.startsWith('http') && lines[at - 2]?.includes('地上波'));
  expect(found.length).toBeGreaterThan(1);
  return Array.from({ length: ZAPS }, (_, zap) => found[zap % found.length] ?? '');
}

const released = () =>
  until('every tuner is released', async () =>
    ((await home?.tuners()) ?? []).every(({ users }) => users.every(({ use }) => !use.startsWith('live '))),
  );

describe(`${ZAPS} zaps show pictures and sound, and leave no tuner in use`, () => {
  test.skipIf(home === undefined || !hasMpv)('mpv', async () => {
    for (const station of await stations()) {
      const words = ['--no-config', '--vo=null', '--ao=null', '--untimed', '--length=1', '--msg-level=all=v'];
      const player = Bun.spawn(['mpv', ...words, station], { stdout: 'pipe', stderr: 'ignore' });
      const text = await new Response(player.stdout).text();
      expect([station, await player.exited]).toEqual([station, 0]);
      expect(text).toMatch(/VO: \[null\] \d+x\d+/);
      expect(text).toMatch(/AO: \[null\]/);
    }
    await released();
  });

  test.skipIf(home === undefined || !hasVlc)('VLC', async () => {
    const folder = join(home?.folder ?? '', 'vlc');
    mkdirSync(folder);
    for (const one of [home?.folder ?? '', folder]) chmodSync(one, 0o777);
    const user = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
    const words = [
      '-I',
      'dummy',
      '--no-dbus',
      '--vout',
      'dummy',
      '--aout',
      'dummy',
      '--run-time',
      '1',
      '-vv',
    ];
    const player = Bun.spawn(
      [...(isRoot ? user : []), 'cvlc', ...words, ...(await stations()), 'vlc://quit'],
      { env: { ...process.env, HOME: folder }, stdout: 'ignore', stderr: 'pipe' },
    );
    const text = await new Response(player.stderr).text();
    expect(await player.exited).toBe(0);
    // Each item of its playlist begins so.
    const played = text.split('starting playback of new item').slice(1, ZAPS + 1);
    expect(played).toHaveLength(ZAPS);
    for (const one of played) {
      expect(one).toContain('Received first picture');
      expect(one).toMatch(/using audio decoder module/);
    }
    await released();
  });
});
