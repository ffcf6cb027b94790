/**
 * The encoded path of the live socket: initialisation segment, fragments, and their times relative to the
 * original stream.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { unwrapPts } from '../../lib/arib/time.ts';
import { hasPayload, PACKET_SIZE, packetPid, startsUnit } from '../../lib/arib/ts/packet.ts';
import { pesTimes } from '../../lib/arib/ts/pes.ts';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { readFragment } from '../../lib/mp4/fragment.ts';
import { readTracks } from '../../lib/mp4/tracks.ts';
import type { LiveControl } from '../../lib/wire/live.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { OpenSources } from '../../src/http/route/open-sources.ts';
import { LiveSockets } from '../../src/live/live-sockets.ts';
import { until } from '../until.ts';
import { DUAL_MONO, encoderPids, HD, prepareAir, Rig } from './rig.ts';
import { controlFrame, ReceivedFrames } from './socket-client.ts';

// Broadcasts run in real time, on a machine that may be busy.

const VIDEO_PID = 256;
/** 1 ms of 90 kHz. */
const TOLERANCE = 90;

let rig: Rig;
let sockets: LiveSockets;

beforeAll(async () => {
  rig = await Rig.start({ stations: await prepareAir() });
  sockets = new LiveSockets({
    live: rig.live,
    isSuspended: () => false,
    chase: () => Promise.reject(new Error('nothing is recorded')),
    sources: new OpenSources(),
    redeem: () => undefined,
    log: SILENT_LOG,
    clock: systemMonotonicClock,
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.leave();
  await rig.leaveAll();
});
afterAll(async () => {
  sockets.close();
  await rig.close();
});

/** Clients that a failed test left connected would keep a tuner and an encoder. */
const clients: Client[] = [];

class Client extends ReceivedFrames {
  readonly #peer = sockets.open(
    { send: (message) => this.take(message), waiting: 0, close: () => {}, terminate: () => {} },
    { letIn: { by: 'network', address: '127.0.0.1', network: '127.0.0.1' }, address: '127.0.0.1' },
  );
  #hasLeft = false;

  constructor() {
    super();
    clients.push(this);
  }

  send(control: LiveControl): void {
    this.#peer.message(controlFrame(control));
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#peer.closed();
  }
}

const tune = { type: 'tune', stationId: HD } as const;

function videoStamps(client: Client): Set<number> {
  const found = new Set<number>();
  for (const { payload } of client.on(LIVE_CHANNEL.packets)) {
    for (let at = 0; at < payload.length; at += PACKET_SIZE) {
      if (packetPid(payload, at) !== VIDEO_PID || !startsUnit(payload, at) || !hasPayload(payload, at))
        continue;
      const times = pesTimes(payload, at);
      if (times !== undefined) found.add(times.pts);
    }
  }
  return found;
}

test('fragments, clock and captions are on one scale, within 1 ms of the original stream', async () => {
  const raw = new Client();
  raw.send({ ...tune, codec: 'raw' });
  await raw.message('tuned');
  const encoded = new Client();
  encoded.send({ ...tune, codec: 'h264' });
  expect(await encoded.message('tuned')).toMatchObject({ codec: 'h264', stationId: HD, audio: '0:both' });
  const init = await encoded.frame(LIVE_CHANNEL.init);
  const fragment = await encoded.frame(LIVE_CHANNEL.fragment);
  const common = () => {
    const ats = new Map(raw.all('clock').map(({ at, pts }) => [at, pts]));
    return encoded.all('clock').find(({ at }) => ats.has(at));
  };
  await until('both have a clock', common);
  // Long enough that a later viewer does not begin at the session's start.
  const fragments = () => encoded.on(LIVE_CHANNEL.fragment);
  await until('two seconds are encoded', () => (fragments().at(-1)?.time ?? 0) > fragment.time + 200_000);
  const there = common();
  const stamp = raw.all('clock').find(({ at }) => at === there?.at)?.pts ?? 0;
  const origin = stamp - (there?.pts ?? 0);
  // The first picture of each fragment is a picture of the broadcast.
  const tracks = readTracks(init.payload);
  const stamps = videoStamps(raw);
  const [first = 0] = stamps;
  const known = [...stamps].map((one) => unwrapPts(one, first));
  const times = fragments().flatMap(({ payload }) =>
    readFragment(payload, tracks)
      .filter(({ track }) => track.kind === 'video')
      .map(({ time, track }) => (time * 90_000) / track.timescale),
  );
  expect(times.length).toBeGreaterThan(5);
  const far = times.filter((time) => {
    const wanted = unwrapPts(time + origin, first);
    const inside = wanted >= Math.min(...known) && wanted <= Math.max(...known);
    return inside && !known.some((one) => Math.abs(one - wanted) <= TOLERANCE);
  });
  expect(far).toEqual([]);
  expect(fragment.time).toBeLessThan(90_000);

  // A later viewer begins at once, on the same scale.
  const late = new Client();
  late.send({ ...tune, codec: 'h264' });
  await late.message('tuned');
  const begun = await late.frame(LIVE_CHANNEL.fragment);
  expect(begun.time).toBeGreaterThan(90_000);
  expect(late.on(LIVE_CHANNEL.init)).toHaveLength(1);
  await late.message('clock');
  await until('both have one encoder', () => encoderPids().length === 1);

  // Another station on the same connection.
  late.send({ type: 'tune', stationId: DUAL_MONO, codec: 'h264' });
  expect(await late.message('tuned', 2)).toMatchObject({ stationId: DUAL_MONO });
  await late.frame(LIVE_CHANNEL.init, 2);
  for (const client of [raw, encoded, late]) client.leave();
  await until('every encoder ended', () => encoderPids().length === 0);
});

test('sound alone, which only HTTP sends, is an audio that the station does not have', async () => {
  const client = new Client();
  client.send({ ...tune, codec: 'raw', audio: 'only' });
  expect(await client.message('tuned')).toMatchObject({ codec: 'raw', audio: '0:both' });
  expect(await client.message('notice')).toMatchObject({ code: 'audio_fallback' });
  expect(client.all('error')).toEqual([]);
});
