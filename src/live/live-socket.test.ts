import { describe, expect, test } from 'bun:test';
import { broadcastMs, media90k, pts90k } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { LIVE_CHANNEL, liveFrame } from '../../lib/wire/live-frames.ts';
import { controlFrame, ReceivedFrames } from '../../test/live/socket-client.ts';
import { until } from '../../test/until.ts';
import type { Frame, SideFrame } from '../media/frame.ts';
import { defineSideRow, type SideRow } from '../media/side-row.ts';
import { captionRow, SIDE_ROWS } from '../media/side-rows.ts';
import { StreamBroken, ViewerQueue } from '../media/viewer-queue.ts';
import { Failure } from '../model/failure.ts';
import type { CaptionItem } from '../reception/caption-reader.ts';
import { StationTaken } from './live-service.ts';
import { LiveSocket, type SocketViewing } from './live-socket.ts';

const tune = { type: 'tune', stationId: 7, codec: 'h264' } as const;
const AUDIOS = [{ id: '0:both', stream: 0, side: 'both' as const, label: '主音声' }];

class Client extends ReceivedFrames {
  waiting = 0;
  /** False: sent data stays queued, as with a client that does not read. */
  reads = true;
  code: number | undefined;
  terminated = false;
  readonly connection = {
    send: (message: Uint8Array<ArrayBuffer>) => {
      this.take(message);
      if (!this.reads) this.waiting += message.length;
    },
    close: (code: number) => {
      this.code = code;
    },
    terminate: () => {
      this.terminated = true;
    },
  };
}

const data = defineSideRow({
  name: 'test',
  channels: [LIVE_CHANNEL.data],
  source: { output: undefined as never },
  when: 'demand',
});
/** Side data on demand. */
function message(octet: number): SideFrame {
  const frame = liveFrame(LIVE_CHANNEL.data, 0, Uint8Array.of(octet));
  return { kind: 'side', row: data, item: { key: null, size: frame.length, frame } };
}

/** A socket whose viewings are fed by the test. */
function opened(watch?: (signal: AbortSignal) => Promise<SocketViewing>, idleMs = 60_000) {
  const client = new Client();
  Object.defineProperty(client.connection, 'waiting', { get: () => client.waiting });
  const prepared: { readonly stationId: number; readonly signal: AbortSignal }[] = [];
  const viewers: ViewerQueue[] = [];
  const demands: boolean[] = [];
  let left = 0;
  let now = 0;
  const viewing = async (signal: AbortSignal): Promise<SocketViewing> => {
    const onLeft = (): void => {
      left += 1;
    };
    const viewer = new ViewerQueue({
      ...{ maxBytes: 4_000_000, signal, onLeft },
      onDemand: (on) => demands.push(on),
      demanded: () => [message(1), message(2)],
    });
    viewers.push(viewer);
    const tuned = {
      type: 'tuned',
      codec: 'h264',
      mime: 'video/mp4',
      audios: AUDIOS,
      audio: '0:both',
    } as const;
    return {
      viewer,
      tuned: { ...tuned, audios: [...AUDIOS] },
      notices: [],
      lost: Promise.resolve(recordingId(12)),
    };
  };
  const socket = new LiveSocket(client.connection as never, {
    watch: (_request, signal) => (watch ?? viewing)(signal),
    prepare: async (stationId, signal) => {
      prepared.push({ stationId, signal });
    },
    isSuspended: () => true,
    log: SILENT_LOG,
    clock: () => monotonicMs(now),
    pingMs: 5,
    idleMs,
  });
  const send = (control: object): void => socket.message(controlFrame(control));
  const pass = (ms: number): void => {
    now += ms;
  };
  return { client, socket, send, viewers, prepared, pass, demands, leftViewers: () => left };
}

const fragment = (size: number): Frame => ({
  kind: 'fragment',
  bytes: new Uint8Array(size),
  isSync: true,
  time: 90_000 as never,
});
const caption = (item: CaptionItem, time: number): SideFrame => ({
  ...{ kind: 'side', row: captionRow, item },
  time: media90k(time),
});
const page = (language: number, words: string, time = 180_000): SideFrame => {
  const json = `{"text":"${words}"}`;
  return caption(
    { kind: 'page', superimpose: false, language, time: pts90k(0), json, key: null, size: 0 },
    time,
  );
};
const trackOf = (...codes: string[]): SideFrame => {
  const languages = codes.map((code, index) => ({ index: index + 1, code }));
  return caption({ kind: 'track', superimpose: false, languages, key: null, size: 0 }, 0);
};
const track = trackOf('jpn', 'eng');
const text = ({ payload }: { payload: Uint8Array }): string => new TextDecoder().decode(payload);

describe('a client of the live socket', () => {
  test('receives frames with channel and time, then the reason for the end', async () => {
    const { client, send, viewers, socket } = opened();
    send(tune);
    await client.message('tuned');
    viewers[0]?.push({ kind: 'init', bytes: Uint8Array.of(1, 2), mime: 'video/mp4' });
    viewers[0]?.push(fragment(3));
    expect(await client.frame(LIVE_CHANNEL.init)).toMatchObject({ time: 0, payload: Uint8Array.of(1, 2) });
    expect(await client.frame(LIVE_CHANNEL.fragment)).toMatchObject({ time: 90_000 });
    const clock = SIDE_ROWS.find(({ name }) => name === 'clock') as SideRow;
    const at = { key: 'clock', size: 0, at: broadcastMs(1_000) };
    viewers[0]?.push({ kind: 'side', row: clock, item: at, time: media90k(5) });
    expect(await client.message('clock')).toEqual({ type: 'clock', pts: 5, at: broadcastMs(1_000) });
    await client.message('ping');
    viewers[0]?.fail(new StreamBroken('lost'));
    expect(await client.message('lost')).toMatchObject({ recordingId: 12 });
    expect(client.code).toBe(1000);
    socket.closed();
  });

  test('learns which recording took the tuner also before the first frames', async () => {
    const { client, send } = opened(async () => {
      throw new StationTaken(recordingId(12));
    });
    send(tune);
    expect(await client.message('lost')).toMatchObject({ recordingId: 12 });
    await until('close', () => client.code !== undefined);
    expect([client.code, client.all('error')]).toEqual([1000, []]);
  });

  test('is asked to connect again where the layout changed', async () => {
    const { client, send, viewers } = opened();
    send(tune);
    await client.message('tuned');
    viewers[0]?.push(fragment(3));
    viewers[0]?.end();
    await client.message('restart');
    expect(client.on(LIVE_CHANNEL.fragment)).toHaveLength(1);
    expect(client.code).toBe(1000);
  });

  test('changes the language of captions: its current page at once, or an empty one', async () => {
    const { client, send, viewers, socket } = opened();
    send(tune);
    await client.message('tuned');
    for (const frame of [track, page(1, 'one'), page(2, 'two')]) viewers[0]?.push(frame);
    await client.message('captions');
    expect(text(await client.frame(LIVE_CHANNEL.caption))).toContain('one');
    send({ type: 'language', language: 2 });
    expect(text(await client.frame(LIVE_CHANNEL.caption, 2))).toContain('two');
    expect(await client.message('captions', 2)).toMatchObject({ language: 2 });
    viewers[0]?.push(track);
    viewers[0]?.push(page(2, 'more'));
    expect(text(await client.frame(LIVE_CHANNEL.caption, 4))).toContain('more');
    send({ type: 'language', language: 1 });
    expect(JSON.parse(text(await client.frame(LIVE_CHANNEL.caption, 5)))).toMatchObject({ runs: [] });
    socket.closed();
  });

  test('gets the empty page of a language that the programme does not have, now, and the names of those it has', async () => {
    const { client, send, viewers, socket } = opened();
    send(tune);
    await client.message('tuned');
    viewers[0]?.push(trackOf('jpn'));
    viewers[0]?.push(page(1, 'one', 45_000));
    viewers[0]?.push(fragment(3));
    await client.frame(LIVE_CHANNEL.fragment);
    send({ type: 'language', language: 3 });
    const empty = await client.frame(LIVE_CHANNEL.caption, 2);
    expect([empty.time, JSON.parse(text(empty))]).toEqual([90_000, expect.objectContaining({ runs: [] })]);
    const notice = await client.message('captions', 2);
    expect(notice.languages?.map(({ index }) => index)).toEqual([1]);
    expect(notice.language).toBeUndefined();
    // Its other language is not shown meanwhile, and is again when it is selected.
    viewers[0]?.push(page(1, 'two'));
    viewers[0]?.push(fragment(4));
    await client.frame(LIVE_CHANNEL.fragment, 2);
    expect(client.on(LIVE_CHANNEL.caption)).toHaveLength(2);
    send({ type: 'language', language: 1 });
    expect(text(await client.frame(LIVE_CHANNEL.caption, 3))).toContain('two');
    socket.closed();
  });

  test('gets side data on demand while it asks, from the current state on, also of the next station', async () => {
    const { client, send, viewers, demands, pass, socket } = opened();
    send({ type: 'data', on: true });
    send(tune);
    await client.message('tuned');
    const octets = () => client.on(LIVE_CHANNEL.data).map(({ payload }) => payload[0]);
    viewers[0]?.push(message(3));
    await until(() => octets().length === 3);
    expect(octets()).toEqual([1, 2, 3]);
    client.waiting = 100_000;
    viewers[0]?.push(fragment(1));
    viewers[0]?.push(message(4));
    viewers[0]?.push(fragment(1));
    await client.frame(LIVE_CHANNEL.fragment, 2);
    // They wait while the client is behind.
    expect(octets()).toHaveLength(3);
    client.waiting = 0;
    viewers[0]?.push(fragment(1));
    await until(() => octets().length === 4);
    pass(1_000);
    send({ ...tune, stationId: 8 });
    await client.message('tuned', 2);
    await until(() => octets().length === 6);
    send({ type: 'data', on: false });
    viewers[1]?.push(message(5));
    viewers[1]?.push(fragment(1));
    await client.frame(LIVE_CHANNEL.fragment, 4);
    expect(octets()).toEqual([1, 2, 3, 4, 1, 2]);
    expect(demands).toEqual([true, false, true, false]);
    socket.closed();
  });

  test('that does not read is dropped without affecting others, with a bounded queue', async () => {
    const { client, send, viewers, leftViewers } = opened();
    send(tune);
    await client.message('tuned');
    client.reads = false;
    for (let index = 0; index < 100 && !client.terminated; index += 1) {
      viewers[0]?.push(fragment(200_000));
      await Bun.sleep(0);
    }
    expect(client.terminated).toBe(true);
    expect(client.waiting).toBeLessThan(1_500_000);
    expect(leftViewers()).toBe(1);
  });

  test('is notified that a broadcast is suspended only if the signal fails and the guide confirms it', async () => {
    const refused = (failure: Failure) => opened(() => Promise.reject(failure));
    const cases = [
      [new Failure('no_signal', '受信できません'), 'suspended'],
      [new Failure('no_tuner', '空きがありません'), 'no_tuner'],
      [new Failure('internal', '変換できません'), 'encoder_failed'],
    ] as const;
    for (const [failure, code] of cases) {
      const { client, send, socket } = refused(failure);
      send(tune);
      expect(await client.message('error')).toMatchObject({ code });
      socket.closed();
    }
  });

  test('is notified if the chosen audio is not available', async () => {
    const { client, send, socket } = opened();
    send({ ...tune, audio: '1:both' });
    expect(await client.message('notice')).toMatchObject({ code: 'audio_fallback' });
    socket.closed();
  });

  test('that watches nothing is closed: from the start, with a prepared station, after a refusal', async () => {
    const closed = (client: Client): Promise<unknown> =>
      until('the connection is closed', () => client.code !== undefined);
    const [silent, preparing] = [opened(undefined, 20), opened(undefined, 20)];
    preparing.send({ type: 'prepare', stationId: 8 });
    const refused = opened(() => Promise.reject(new Failure('no_tuner', 'no tuner')), 20);
    refused.send(tune);
    await Promise.all([silent, preparing, refused].map(({ client }) => closed(client)));
    expect([silent, preparing, refused].map(({ client }) => client.code)).toEqual([1000, 1000, 1000]);
    expect(await refused.client.message('error')).toMatchObject({ code: 'no_tuner' });
    // One that watches stays, however long.
    const watching = opened(undefined, 20);
    watching.send(tune);
    await watching.client.message('tuned');
    await closed(opened(undefined, 100).client);
    expect(watching.client.code).toBeUndefined();
    watching.socket.closed();
  });

  test('keeps the picture of a station until its other audio is ready', async () => {
    const { client, send, viewers, pass, socket, leftViewers } = opened();
    send(tune);
    await client.message('tuned');
    pass(1_000);
    send({ ...tune, audio: '0:both' });
    viewers[0]?.push(fragment(3));
    await client.message('tuned', 2);
    expect(leftViewers()).toBe(1);
    viewers[1]?.push(fragment(4));
    await client.frame(LIVE_CHANNEL.fragment);
    socket.closed();
    expect(leftViewers()).toBe(2);
  });

  test('prepares the last requested station, one at a time, and none that is being watched or was left', async () => {
    const { client, socket, send, prepared, pass } = opened();
    for (const stationId of [1, 2, 8]) send({ type: 'prepare', stationId });
    await until('it is prepared', () => prepared.length > 0);
    expect(prepared.map(({ stationId }) => stationId)).toEqual([8]);
    send({ type: 'prepare', stationId: 7 });
    await until('another one is', () => prepared.length > 1);
    expect(prepared.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    pass(1_000);
    send(tune);
    await client.message('tuned');
    expect(prepared[1]?.signal.aborted).toBe(true);
    send({ type: 'prepare', stationId: 8 });
    await until('the next one is', () => prepared.length > 2);
    socket.closed();
    expect(prepared[2]?.signal.aborted).toBe(true);
  });

  test('may connect and disconnect hundreds of times', async () => {
    for (let round = 0; round < 300; round += 1) {
      const { send, socket, viewers, leftViewers } = opened();
      send(tune);
      if (round % 2 === 0) await Bun.sleep(0);
      socket.closed();
      await Bun.sleep(0);
      expect(leftViewers()).toBe(viewers.length);
    }
  });
});
