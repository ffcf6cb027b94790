import { describe, expect, test } from 'bun:test';
import { liveCommand, VIDEO_ENCODERS } from './recipes.ts';

// Encodes on a machine that may be busy.

const FFMPEG = Bun.which('ffmpeg');

async function output(command: string[], input?: Uint8Array): Promise<Uint8Array> {
  const child = Bun.spawn(command, { stdin: input ?? 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, errors] = await Promise.all([child.stdout.bytes(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(errors);
  return out;
}

/** A short broadcast with this picture size and display aspect ratio. */
function air(size: string, aspect: string): Promise<Uint8Array> {
  return output([
    ...['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', `testsrc2=s=${size}:r=30000/1001:d=0.5`],
    ...['-f', 'lavfi', '-i', 'sine=d=0.5', '-aspect', aspect, '-c:v', 'mpeg2video', '-flags', '+ildct+ilme'],
    ...['-c:a', 'aac', '-streamid', '0:256', '-streamid', '1:257', '-f', 'mpegts', 'pipe:1'],
  ]);
}

async function shapeOf(file: Uint8Array): Promise<string> {
  const words = ['-v', 'error', '-select_streams', 'v', '-of', 'csv=p=0', '-show_entries'];
  const out = await output(['ffprobe', ...words, 'stream=width,height,sample_aspect_ratio', 'pipe:0'], file);
  return new TextDecoder().decode(out).trim();
}

const encoder = VIDEO_ENCODERS.find((one) => one.name === 'libx264');

describe.skipIf(FFMPEG === null)('liveCommand', () => {
  test.each([
    ['1440x1080', '16:9', '1280,720,1:1'],
    ['1920x1080', '16:9', '1280,720,1:1'],
    ['720x480', '16:9', '854,480,1:1'],
    ['720x480', '4:3', '640,480,1:1'],
    ['352x240', '4:3', '320,240,1:1'],
  ])(
    '%s shown as %s becomes %s: square pixels, nothing stretched, nothing enlarged',
    async (size, aspect, wanted) => {
      if (encoder === undefined) throw new Error('no libx264');
      const command = liveCommand({
        ffmpeg: 'ffmpeg',
        video: { pid: 256, kind: 'mpeg2', encoder },
        audio: { pid: 257, side: 'both', codec: 'aac' },
      });
      expect(await shapeOf(await output(command, await air(size, aspect)))).toBe(wanted);
    },
  );

  test('a quality stays within its bit rate for any picture', async () => {
    if (encoder === undefined) throw new Error('no libx264');
    const seconds = 3;
    const noise = `testsrc2=s=720x480:r=30000/1001:d=${seconds},noise=alls=40:allf=t`;
    const broadcast = await output([
      ...['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', noise, '-f', 'lavfi', '-i', `sine=d=${seconds}`],
      ...['-aspect', '16:9', '-c:v', 'mpeg2video', '-b:v', '8M', '-c:a', 'aac'],
      ...['-streamid', '0:256', '-streamid', '1:257', '-f', 'mpegts', 'pipe:1'],
    ]);
    const made = await Promise.all(
      (['middle', 'low', 'least'] as const).map(async (quality) => {
        const file = await output(
          liveCommand({
            ffmpeg: 'ffmpeg',
            video: { pid: 256, kind: 'mpeg2', encoder, quality },
            audio: { pid: 257, side: 'both', codec: 'aac' },
          }),
          broadcast,
        );
        return { shape: await shapeOf(file), megabits: (file.length * 8) / 1_000_000 / seconds };
      }),
    );
    expect(made.map(({ shape }) => shape)).toEqual(['854,480,1:1', '640,360,1:1', '426,240,1:1']);
    // The first second may additionally use the rate control's buffer.
    const most = [2.6, 1.1, 0.32].map((rate) => rate * (1 + 1 / seconds));
    for (const [index, { megabits }] of made.entries()) expect(megabits).toBeLessThan(most[index] ?? 0);
  });
});
