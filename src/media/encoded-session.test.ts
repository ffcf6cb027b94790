/** Encoders that start too slowly or fail before their first fragment. */
import { afterAll, expect, test } from 'bun:test';
import type { Pid } from '../../lib/arib/ids.ts';
import { media90k } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { until } from '../../test/until.ts';
import { Encoders } from '../ffmpeg/encoders.ts';
import { VIDEO_ENCODERS } from '../ffmpeg/recipes.ts';
import { failureResponse } from '../http/route/problems.ts';
import { EncodedSession } from './encoded-session.ts';
import { STATION_FAILURES } from './session-failures.ts';
import type { MediaSource, OutputConsumer, OutputEnd } from './source.ts';

const LAYOUT = { video: { pid: 256 as Pid, kind: 'mpeg2' as const }, audios: [272 as Pid] };

const encoders = new Encoders({
  ...{ path: undefined, searchPath: process.env.PATH ?? '', log: SILENT_LOG },
  now: () => wallMs(Date.now()),
});
afterAll(() => encoders.close());

/** A session whose encoder is played by the test. */
function startSession() {
  const started: OutputConsumer[] = [];
  const source: MediaSource = {
    layout: LAYOUT,
    encode: (_order, consumer) => {
      started.push(consumer);
      return { stop: () => {} };
    },
    packets: () => {
      throw new Error('it is encoded');
    },
    close: async () => {},
  };
  const encoder = VIDEO_ENCODERS.find(({ name }) => name === 'libx264');
  if (encoder === undefined) throw new Error('libx264 is an encoder');
  const session = new EncodedSession({
    ...{ source, layout: () => LAYOUT, encoders, failures: STATION_FAILURES, log: SILENT_LOG },
    recipe: {
      ...{ kind: 'encoded', format: 'h264', ffmpeg: 'ffmpeg', notices: [], mayFallBack: false },
      choice: { ffmpeg: 'ffmpeg', encoder, standIn: false },
      audio: () => undefined,
    },
    onOver: () => {},
  });
  session.start();
  const joining = session.join(new AbortController().signal);
  joining.catch(() => {});
  return { started, joining };
}

const ended = (isSlow: boolean): OutputEnd => ({
  ...{ cause: 'encoder', reason: 'no output', missing: [] },
  isSlow,
});

test('an encoder that started too slowly is started once more, and the viewer gets a notice', async () => {
  const { started, joining } = startSession();
  started[0]?.ended(ended(true));
  const second = await until('the second start', () => started[1]);
  second.frame({ kind: 'init', bytes: Uint8Array.of(1), mime: 'video/mp4' });
  second.frame({ kind: 'fragment', bytes: Uint8Array.of(2), isSync: true, time: media90k(0) });
  expect((await joining).notices).toEqual(['slow_encoder']);
});

test('one that is too slow twice is refused as busy, with the time of the next attempt', async () => {
  const { started, joining } = startSession();
  started[0]?.ended(ended(true));
  (await until('the second start', () => started[1])).ended(ended(true));
  const failure = await joining.then(
    () => undefined,
    (error: unknown) => error,
  );
  const response = failureResponse(failure);
  expect(response?.status).toBe(503);
  expect(Number(response?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response?.json()).toMatchObject({ code: 'busy' });
  expect(started).toHaveLength(2);
});

test('one that fails is not started again', async () => {
  const { started, joining } = startSession();
  started[0]?.ended(ended(false));
  await expect(joining).rejects.toMatchObject({ code: 'internal' });
  expect(started).toHaveLength(1);
});
