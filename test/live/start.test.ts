/**
 * The input with which an encoder starts, at every random access point of a broadcast: ffmpeg must know the
 * frame rate by then. Otherwise H.264 gets a wrong level and SVT-AV1 refuses to start.
 */
import { expect, test } from 'bun:test';
import { serviceId } from '../../lib/arib/ids.ts';
import { StationFilter } from '../../lib/arib/ts/station-filter.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { liveCommand, VIDEO_ENCODERS } from '../../src/ffmpeg/recipes.ts';
import { EntryPointFinder } from '../../src/reception/entry-points.ts';
import { layoutOf, type StationLayout } from '../../src/reception/station-layout.ts';
import { StreamBurst } from '../../src/reception/stream-burst.ts';
import { prepareAir, received } from './rig.ts';

/** Input of an encoder that starts at each random access point, including the next half second. */
function encoderStarts(stream: Uint8Array, onLayout: (layout: StationLayout) => void): Uint8Array[] {
  const finder = new EntryPointFinder();
  const filter = new StationFilter(serviceId(9216), {
    onProgramMap: (map) => {
      const layout = layoutOf(map);
      onLayout(layout);
      finder.watch(layout.video);
    },
  });
  const starts: Uint8Array[][] = [];
  const open: { parts: Uint8Array[]; room: number }[] = [];
  let burst = new StreamBurst();
  const STEP = 188 * 20;
  for (let at = 0; at < stream.length; at += STEP) {
    const position = finder.position;
    const kept = filter.feed(stream.slice(at, at + STEP)) as Uint8Array<ArrayBuffer>;
    const { points } = finder.feed(kept);
    for (const start of open) if (start.room-- > 0) start.parts.push(kept);
    burst.add(position, kept, points, monotonicMs(0));
    const parts = points.length > 0 ? burst.forEncoder() : undefined;
    if (parts === undefined) continue;
    starts.push(parts);
    open.push({ parts, room: 60 });
    burst = new StreamBurst();
  }
  return starts.map((parts) => Uint8Array.from(Buffer.concat(parts)));
}

test('the frame rate is known at every random access point', async () => {
  await prepareAir();
  let layout: StationLayout | undefined;
  const starts = encoderStarts(await received(4), (found) => {
    layout = found;
  });
  const encoder = VIDEO_ENCODERS.find((one) => one.name === 'libx264');
  if (layout?.video === undefined || layout.video === null || encoder === undefined)
    throw new Error('no video');
  const words = liveCommand({ ffmpeg: 'ffmpeg', video: { ...layout.video, encoder }, audio: null });
  const input = words.slice(words.indexOf('-f'), words.indexOf('-i'));
  const { pid } = layout.video;
  expect(starts.length).toBeGreaterThan(4);
  for (const start of starts) {
    const show = ['-select_streams', `i:${pid}`, '-show_entries', 'stream=r_frame_rate', '-of', 'csv=p=0'];
    const probe = Bun.spawn(['ffprobe', '-v', 'error', ...input, ...show, 'pipe:0'], {
      stdin: start,
      stdout: 'pipe',
      stderr: 'ignore',
    });
    const rate = await new Response(probe.stdout as unknown as ReadableStream).text();
    expect(rate.trim().split(/[\n,]/).filter(Boolean).at(-1)).toBe('30000/1001');
  }
});
