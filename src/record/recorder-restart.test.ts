import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { FakeRecordingSession } from '../../test/record/fake-recording-session.ts';
import { HOUR, recorderHome } from '../../test/record/recorder-home.ts';
import { span } from '../../test/record/span.ts';
import { until } from '../../test/until.ts';
import type { RecordingOrder } from '../model/recording.ts';
import { nothingMeasured } from '../model/verdict.ts';
import type { Recorder, RecorderOptions } from './recorder.ts';

const home = recorderHome();
const { now, open, ordered, stateOf } = home;

describe('after a restart', () => {
  test('interrupted recordings continue where they were; closing fails none', async () => {
    const first = open();
    const order = ordered(now());
    first.order([order]);
    await until(() => home.sessions.length === 1);
    const id = home.sessions[0]?.options.id ?? 0;
    const measured = { ...nothingMeasured(), stretches: [span(order.openAt, order.openAt + 5)] };
    home.store.saveMeasured(recordingId(id), measured, []);
    await first.close();
    expect(stateOf(order.reservationId)).toBe('recording');
    expect(home.store.find(recordingId(id))?.state).toBe('recording');

    const second = open();
    expect(home.sessions).toHaveLength(2);
    expect(home.sessions[1]?.options).toMatchObject({
      ...{ id, stem: home.sessions[0]?.options.stem },
      lifecycle: { times: { closeAt: order.closeAt, startAt: order.startAt } },
      former: { measured, parts: [{ bytes: 0 }] },
    });
    second.order([order]);
    expect(home.sessions).toHaveLength(2);
    expect(second.running().get(order.reservationId)?.recordingId).toBe(recordingId(id));
  });

  test('a recording that cannot be resumed fails with a reason, and does not block the others', async () => {
    const first = open();
    const [broken, sound] = [ordered(now()), ordered(now())];
    first.order([broken, sound]);
    await until(() => home.sessions.length === 2);
    const [brokenId, soundId] = home.sessions.map(({ options }) => options.id);
    await first.close();
    home.sessions = [];
    open({
      openSession: (options) => {
        if (options.id === brokenId) throw new Error('damaged');
        const session = new FakeRecordingSession(options);
        home.sessions.push(session);
        return session;
      },
    });
    expect(home.sessions.map(({ options }) => options.id)).toEqual([recordingId(soundId ?? 0)]);
    expect(home.store.find(recordingId(brokenId ?? 0))).toMatchObject({
      state: 'failed',
      reason: { code: 'unreadable' },
    });
    expect([broken, sound].map(({ reservationId }) => stateOf(reservationId))).toEqual([
      'finished',
      'recording',
    ]);
    await until(() => home.events.includes('reservations'));
  });

  /**
   * A recording that had received half of its programme when its service was stopped; it starts again after `awayMs`.
   */
  async function half(
    laterMs: number,
    over: Partial<RecorderOptions> = {},
  ): Promise<{ id: number; order: RecordingOrder; until: number; room: Recorder }> {
    const first = open();
    const order = ordered(now());
    first.order([order]);
    await until(() => home.sessions.length === 1);
    const id = home.sessions[0]?.options.id ?? 0;
    await until(() => home.store.parts(recordingId(id)).length === 1);
    const path = join(home.folder, 'half.ts');
    writeFileSync(path, new Uint8Array(1880));
    home.store.placed(
      recordingId(id),
      [{ path, bytes: 1880 }],
      { folder: home.folder, stem: 'half' },
      wallMs(now()),
    );
    const to = order.startAt + HOUR / 2 + 60_000;
    home.store.saveMeasured(
      recordingId(id),
      { ...nothingMeasured(), stretches: [span(order.openAt, to)] },
      [],
    );
    await first.close();
    home.skew += laterMs;
    return { id, order, until: to, room: open(over) };
  }

  function expectHalf({ id, order, until: to }: Awaited<ReturnType<typeof half>>): void {
    expect(home.store.find(recordingId(id))).toMatchObject({
      state: 'recorded',
      verdict: { level: 'damaged', gaps: [{ startMs: to - order.startAt, cause: 'service_stopped' }] },
    });
    expect(stateOf(order.reservationId)).toBe('finished');
    expect(home.ends[0]?.worthRepeating).toBe(false);
  }

  test('a recording that ended long ago gets its verdict at once: the missing rest is attributed to the stop', async () => {
    const left = await half(5 * HOUR);
    await until(() => home.ends.length === 1);
    expect(home.sessions).toHaveLength(1);
    expectHalf(left);
  });

  test('a recording that ended recently checks the tables first, and gets the same verdict where it is over', async () => {
    const left = await half(2 * HOUR);
    await until(() => home.sessions.length === 2);
    expect(home.sessions[1]?.lifecycle).toMatchObject({
      state: 'unreceived',
      times: { closeAt: left.order.closeAt },
    });
    // An order without better knowledge of the end changes nothing.
    left.room.order([left.order]);
    expect(home.sessions[1]?.endsAt).toBe(broadcastMs(left.order.closeAt));
    await home.sessions[1]?.end('unreceived');
    await until(() => home.ends.length === 1);
    expectHalf(left);
  });

  test('a programme still on after its announced end continues', async () => {
    const { room, order, id } = await half(1.5 * HOUR);
    await until(() => home.sessions.length === 2);
    const holdUntil = broadcastMs(now() + HOUR);
    room.order([{ ...order, holdUntil }]);
    expect(home.sessions[1]?.endsAt).toBe(broadcastMs(holdUntil));
    expect(room.running().get(order.reservationId)).toMatchObject({ recordingId: id });
    expect(home.store.find(recordingId(id))?.state).toBe('recording');
  });

  test('a recording that is over by an unreliable clock waits for the correct time, and continues', async () => {
    let isSure = false;
    const { room, id } = await half(9 * HOUR, { isTimeSure: () => isSure });
    const other = ordered(now());
    room.order([other]);
    // A recording that begins now does not wait.
    await until(() => home.sessions.length === 2);
    expect(home.sessions[1]?.options.id).not.toBe(id);
    expect(home.store.find(recordingId(id))?.state).toBe('recording');
    home.skew -= 8.5 * HOUR;
    isSure = true;
    room.clockSet();
    await until(() => home.sessions.length === 3);
    expect(home.sessions[2]?.options).toMatchObject({ id, lifecycle: { state: 'on' } });
    expect(home.ends).toEqual([]);
  });

  test('but for a limited time: the correct time may never arrive', async () => {
    let elapsed = 0;
    const { order, id } = await half(9 * HOUR, {
      isTimeSure: () => false,
      monotonicClock: () => monotonicMs(elapsed),
    });
    await Bun.sleep(60);
    expect(home.store.find(recordingId(id))?.state).toBe('recording');
    elapsed = 61_000;
    await until(() => home.ends.length === 1);
    expect(stateOf(order.reservationId)).toBe('finished');
  });

  test('a stopped recording without a verdict gets one as it ended', async () => {
    const first = open();
    const order = ordered(now());
    first.order([order]);
    await until(() => home.sessions.length === 1);
    const id = home.sessions[0]?.options.id ?? 0;
    home.store.ended(recordingId(id), 'copy_never', now(), wallMs(now()));
    await first.close();
    open();
    await until(() => home.ends.length === 1);
    expect(home.sessions).toHaveLength(1);
    expect(home.store.find(recordingId(id))).toMatchObject({
      state: 'failed',
      reason: { code: 'copy_never' },
    });
  });
});
