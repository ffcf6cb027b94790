import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../arib/time.ts';
import { monotonicMs } from '../../host/clock.ts';
import { SILENT_LOG } from '../../host/log.ts';
import { controlFrame, ReceivedFrames } from '../../test/live/socket-client.ts';
import { until } from '../../test/until.ts';
import { LIVE_CHANNEL } from '../../wire/live-frames.ts';
import type { CaptionFrame, CaptionTrackFrame, Frame } from '../media/frame.ts';
import { StreamBroken, ViewerQueue } from '../media/viewer-queue.ts';
import { Failure } from '../model/failure.ts';
import { recordingId } from '../model/ids.ts';
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

/** A socket whose viewings are fed by the test. */
function opened(watch?: (signal: AbortSignal) => Promise<SocketViewing>, idleMs = 60_000) {
  const client = new Client();
  Object.defineProperty(client.connection, 'waiting', { get: () => client.waiting });
  const prepared: { readonly stationId: number; readonly signal: AbortSignal }[] = [];
  const viewers: ViewerQueue[] = [];
  let left = 0;
  let now = 0;
  const viewing = async (signal: AbortSignal): Promise<SocketViewing> => {
    const onLeft = (): void => {
      left += 1;
    };
    const viewer = new ViewerQueue({ maxBytes: 4_000_000, signal, onLeft });
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
  return { client, socket, send, viewers, prepared, pass, leftViewers: () => left };
}

const fragment = (size: number): Frame => ({
  kind: 'fragment',
  bytes: new Uint8Array(size),
  isSync: true,
  time: 90_000 as never,
});
const page = (language: number, text: string): CaptionFrame => {
  return {
    kind: 'caption',
    superimpose: false,
    language,
    time: 180_000 as never,
    json: `{"text":"${text}"}`,
  };
};
const track: CaptionTrackFrame = {
  kind: 'captionTrack',
  superimpose: false,
  languages: [
    { index: 1, code: 'jpn' },
    { index: 2, code: 'eng' },
  ],
};
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
    viewers[0]?.push({ kind: 'clock', media: 5 as never, pts: 9 as never, at: 1_000 as never });
    expect(await client.message('clock')).toEqual({ type: 'clock', pts: 5, at: broadcastMs(1_000) });
    await client.message('ping');
    viewers[0]?.fail(new StreamBroken('lost'));
    expect(await client.message('lost')).toMatchObject({ recordingId: 12 });
    expect(client.code).toBe(1000);
    socket.closed();
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
    const [japanese] = track.languages ?? [];
    const only: CaptionTrackFrame = { ...track, languages: japanese === undefined ? [] : [japanese] };
    viewers[0]?.push(only);
    viewers[0]?.push({ ...page(1, 'one'), time: 45_000 as never });
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
