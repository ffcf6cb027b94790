/**
 * Picture formats that change on one PID, as ffprobe reports them: size, aspect ratio, in commercials and
 * films.
 */
import { expect, test } from 'bun:test';
import { STC_ZERO } from '../../synth/clock.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { scenarioFile } from './scenario-file.ts';
import { run, trimmed, tune } from './tuning.ts';

const AT = STC_ZERO + 60_000_000;
const VIDEO_PID = 0x100;
const WIDE = { codec: 'mpeg2', width: 320, height: 192, bitrate: 600_000 };
const NARROW = { codec: 'mpeg2', width: 192, height: 144, bitrate: 400_000, aspect: '4:3' };
const scenario = scenarioFile({
  channels: [
    {
      channel: 'T30',
      bitrate: 2_500_000,
      stations: [
        {
          video: WIDE,
          pictures: { film: NARROW },
          programmes: [
            { durationSec: 5, title: '今の番組', kind: 'video' },
            { durationSec: 5, title: '昔の映画', kind: 'film' },
          ],
        },
      ],
    },
    {
      channel: 'T31',
      bitrate: 2_500_000,
      stations: [
        {
          video: WIDE,
          pictures: { commercials: NARROW },
          commercials: { everySec: 5, lengthSec: 15 },
          programmes: [{ durationSec: 40, title: '番組' }],
        },
      ],
    },
  ],
});

/** Sizes and aspect ratios of the pictures in order, without repetitions. */
async function formsOf(channel: string, seconds: number): Promise<string[]> {
  const stream = await tune({ scenario, type: 'GR', channel, at: AT, seconds });
  const entries = 'frame=width,height,sample_aspect_ratio,interlaced_frame,top_field_first';
  const probed = await run(
    [
      ...['ffprobe', '-v', 'error', '-select_streams', 'v', '-show_entries', entries],
      ...['-of', 'compact=p=0:nk=1', '-i', 'pipe:0'],
    ],
    trimmed(stream, [VIDEO_PID], [0x110]),
  );
  expect(probed.stderr).toBe('');
  const forms: string[] = [];
  for (const line of new TextDecoder().decode(probed.stdout).split('\n')) {
    const [width, height, aspect, interlaced, top] = line.split('|');
    if (aspect === undefined || width === undefined) continue;
    expect([interlaced, top]).toEqual(['1', '1']);
    const form = `${width}x${height} ${aspect}`;
    if (forms.at(-1) !== form) forms.push(form);
  }
  return forms;
}

// 320x192 as 16:9 has pixels of 16:15, 192x144 as 4:3 square ones.
test('films may have another picture format than other programmes of their station', async () => {
  const forms = await formsOf('T30', 12);
  expect(forms.slice(0, 3)).toEqual(['320x192 16:15', '192x144 1:1', '320x192 16:15']);
});

test('commercials may, too', async () => {
  const forms = await formsOf('T31', 25);
  expect(forms).toContain('192x144 1:1');
  expect(forms).toContain('320x192 16:15');
});

test('the default region has all formats of television', () => {
  const plans = DEFAULT.channels
    .flatMap(({ stations }) => stations)
    .flatMap(({ video, pictures = {} }) => [video, ...Object.values(pictures)]);
  const forms = new Set(plans.map(({ width, height, aspect = '16:9' }) => `${width}x${height} ${aspect}`));
  for (const form of ['1440x1080 16:9', '1920x1080 16:9', '720x480 16:9', '720x480 4:3']) {
    expect([...forms]).toContain(form);
  }
});
