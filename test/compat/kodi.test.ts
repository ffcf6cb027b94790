/** `--long`: Kodi lists the stations with logos and a Japanese guide, and plays them one after another. */
import { expect, test } from 'bun:test';
import { until } from '../until.ts';
import { compatHome } from './compat-home.ts';
import { hasKodi, Kodi } from './kodi.ts';

const LONG = process.env.SVC_LONG === '1';
const ZAPS = 20;
if (LONG && !hasKodi) console.info('skipped: kodi, kodi-pvr-iptvsimple or xvfb is missing');

const home = LONG && hasKodi ? compatHome() : undefined;

test.skipIf(home === undefined)(
  `Kodi lists stations and guide, zaps ${ZAPS} times, and leaves no tuner in use`,
  async () => {
    if (home === undefined) return;
    await until('a logo is there', async () =>
      (await (await fetch(`${home.hdhr}/playlist.m3u`)).text()).includes('tvg-logo='),
    );
    const lineup = (await (await fetch(`${home.hdhr}/lineup.json`)).json()) as { GuideName: string }[];
    const kodi = await Kodi.start(home.hdhr);
    try {
      await until('Kodi has the stations', async () => (await kodi.channels()).length === lineup.length);
      const channels = await kodi.channels();
      expect(channels.map(({ label }) => label).sort()).toEqual(
        lineup.map(({ GuideName }) => GuideName).sort(),
      );
      expect(channels.some(({ icon }) => decodeURIComponent(icon).includes('/logo/'))).toBe(true);
      const terrestrial = channels.filter(({ label }) => ['ひばり放送', 'あさぎりテレビ'].includes(label));
      expect(terrestrial).toHaveLength(2);
      for (const { channelid } of terrestrial) {
        await until('Kodi has the guide', async () => (await kodi.titles(channelid)).length > 5);
        expect((await kodi.titles(channelid)).join('')).toMatch(/[ぁ-ん]/);
      }
      for (let zap = 0; zap < ZAPS; zap += 1) {
        const { channelid, label } = terrestrial[zap % 2] as (typeof terrestrial)[number];
        await kodi.play(channelid);
        await until(`zap ${zap}: ${label} is shown`, async () => {
          const shown = await kodi.shown();
          return (
            shown['VideoPlayer.ChannelName'] === label &&
            shown['VideoPlayer.VideoCodec'] === 'mpeg2video' &&
            (shown['VideoPlayer.AudioCodec'] ?? '').startsWith('aac') &&
            Number(shown['Player.Process(videowidth)']?.replace(/\D/g, '')) > 0
          );
        });
      }
      await kodi.stop();
      await until('every tuner is released', async () =>
        (await home.tuners()).every(({ users }) => users.every(({ use }) => !use.startsWith('live '))),
      );
    } finally {
      await kodi.close();
    }
  },
);
