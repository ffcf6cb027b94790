/** The captions of a watched station as a frame stream, from an agent that sends a captioned broadcast. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { CaptionPageSchema } from '../../lib/wire/caption.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { ticksAt } from '../../synth/clock.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { captionFrames, type ReadFrame } from '../caption/frames.ts';
import { recording, SERVICE } from '../caption/recording.ts';
import { until } from '../until.ts';
import { Rig } from './rig.ts';

const NETWORK = 32_736;
const STATION: StationRecord = {
  ...{ id: stationId(networkId(NETWORK), serviceId(SERVICE)), type: 'GR', networkId: networkId(NETWORK) },
  ...{ serviceId: serviceId(SERVICE), transportStreamId: null, channel: 'T27', name: '字幕テレビ' },
  ...{ serviceType: 1, remoteControlKey: 1 },
};
const AT = ticksAt(broadcastMs(Date.UTC(2026, 10, 20, 12, 0, 0)));

const station = DEFAULT.channels
  .flatMap((channel) => eventStations(DEFAULT, channel))
  .find(({ place }) => place.captions !== null);

/** An endless broadcast, faster than real time. */
async function* broadcast(): AsyncGenerator<Uint8Array> {
  if (station === undefined) throw new Error('no station with captions');
  for (const bytes of recording({ seed: DEFAULT.seed, station, from: AT, seconds: 36_000 })) {
    yield bytes;
    await Bun.sleep(5);
  }
}

let agent: ReturnType<typeof Bun.serve>;
let rig: Rig;

beforeAll(async () => {
  agent = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: () => new Response(broadcast() as unknown as ReadableStream),
  });
  rig = await Rig.start({ stations: [STATION], agentUrl: `http://127.0.0.1:${agent.port}` });
});

afterAll(async () => {
  await rig.close();
  await agent.stop(true);
});

test('captions are sent with the original stream while it is being watched', async () => {
  const { signal } = new AbortController();
  expect(() => rig.live.captions(STATION.id, 1, signal)).toThrow();
  const watching = await rig.watch(STATION.id, 'raw');
  const frames: ReadFrame[] = [];
  const reading = (async () => {
    for await (const frame of captionFrames(rig.live.captions(STATION.id, 1, signal))) frames.push(frame);
  })();
  const pages = (): ReadFrame[] => frames.filter(({ kind }) => kind === LIVE_CHANNEL.caption);
  await until('two pages', () => pages().length >= 2);
  expect(frames[0]).toMatchObject({ kind: LIVE_CHANNEL.control, payload: { type: 'captions', track: 0 } });
  for (const { time, payload } of pages()) {
    expect([...Value.Errors(CaptionPageSchema, payload)]).toEqual([]);
    expect(time).toBeGreaterThan(0);
  }
  const later = captionFrames(rig.live.captions(STATION.id, 1, signal));
  expect((await later.next()).value).toMatchObject({ kind: LIVE_CHANNEL.control });
  expect((await later.next()).value).toMatchObject({ kind: LIVE_CHANNEL.caption });
  await watching.leave();
  // Both end normally; the second is read to its end.
  await reading;
  while ((await later.next()).done !== true);
  expect(() => rig.live.captions(STATION.id, 1, signal)).toThrow();
});
