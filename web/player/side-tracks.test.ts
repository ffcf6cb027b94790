import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { LiveControl } from '../../lib/wire/live.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { monotonicMs } from '../../lib/wire/times.ts';
import { type LiveEvent, readLive } from './live-connection.ts';
import { CAPTION, CLOCK, DATA, type DataMessage, type SideKind, SideTracks } from './side-tracks.ts';

const PTS_MODULUS = 2 ** 33;
const HOUR_S = 3_600;
const TUNED: LiveEvent = {
  kind: 'message',
  message: {
    type: 'tuned',
    codec: 'raw',
    mime: 'video/mp2t',
    audios: [{ id: '0:main', stream: 0, side: 'main', label: '' }],
    audio: '0:main',
  },
};

function frame(channel: number, time: number, value: unknown): LiveEvent {
  const payload = new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
  return { kind: 'frame', channel, time, payload };
}

async function* from(...events: LiveEvent[]): AsyncGenerator<LiveEvent> {
  yield* events;
}

function setUp() {
  const told: LiveControl[] = [];
  let now = 0;
  const errors: unknown[] = [];
  const side = new SideTracks(
    (control) => told.push(control),
    () => monotonicMs(now),
    (error) => errors.push(error),
  );
  const read = async (...events: LiveEvent[]): Promise<string[]> => {
    const kinds: string[] = [];
    for await (const part of readLive(from(...events), side)) kinds.push(part.kind);
    return kinds;
  };
  return { side, told, read, errors, pass: (seconds: number) => (now += seconds * 1000) };
}

test('captions and clock keep their place while the broadcast time stamps wrap', () => {
  const { side, pass } = setUp();
  const places: [string, number][] = [];
  side.take(CAPTION, (_page, position) => places.push(['caption', position]));
  side.take(CLOCK, (_clock, position) => places.push(['clock', position]));
  const origin = PTS_MODULUS - 90_000;
  side.begin();
  side.place(origin);
  const hear = (seconds: number): void => {
    const time = (origin + seconds * 90_000) % PTS_MODULUS;
    side.hear({ from: LIVE_CHANNEL.caption, time, body: new TextEncoder().encode('{"v":1}') });
    side.hear({ from: 'clock', time: 0, body: { pts: time, at: broadcastMs(0) } });
  };
  hear(-2);
  for (let hour = 0; hour < 60; hour += 10) {
    hear(hour * HOUR_S + 3);
    // A wrong time stamp does not displace those after it.
    hear((hour + 13) * HOUR_S);
    pass(10 * HOUR_S);
  }
  const expected = [-2];
  for (let hour = 0; hour < 60; hour += 10) expected.push(hour * HOUR_S + 3, (hour + 13) * HOUR_S);
  expect(places).toEqual(
    expected.flatMap(
      (at) =>
        [
          ['caption', at],
          ['clock', at],
        ] as [string, number][],
    ),
  );
});

test('items that come before the first picture wait for its place', async () => {
  const { side, read } = setUp();
  const places: number[] = [];
  side.take(CAPTION, (_page, position) => places.push(position));
  const kinds = await read(
    TUNED,
    frame(LIVE_CHANNEL.caption, 180_000, {}),
    frame(LIVE_CHANNEL.caption, 0, 'not JSON'),
    frame(LIVE_CHANNEL.packets, 0, ''),
  );
  expect(kinds).toEqual(['tuned', 'media']);
  expect(places).toEqual([]);
  side.place(90_000);
  expect(places).toEqual([1]);
});

test('the data broadcast is requested while someone takes it, and again on each tuning', async () => {
  const { side, told, read, errors } = setUp();
  const heard: DataMessage[] = [];
  const data: DataMessage = { type: 'moduleListUpdated', modules: [] };
  const message = frame(LIVE_CHANNEL.data, 0, data);
  await read(TUNED, message);
  expect(told).toEqual([]);
  const end = side.take(DATA, (message) => heard.push(message));
  const endOther = side.take(DATA, () => {
    throw new Error('a fault of the engine');
  });
  expect(told).toEqual([{ type: 'data', on: true }]);
  expect(await read(TUNED, message, message, TUNED, message)).toEqual(['tuned']);
  expect(heard).toEqual([data, data]);
  expect(errors).toHaveLength(2);
  expect(told).toEqual([
    { type: 'data', on: true },
    { type: 'data', on: true },
  ]);
  endOther();
  endOther();
  expect(told).toHaveLength(2);
  end();
  expect(told.at(-1)).toEqual({ type: 'data', on: false });
});

test('a kind of side data is a row of its own', async () => {
  const WEATHER: SideKind<{ readonly sky: string }> = { from: 0x31, at: (_value, time) => time };
  const { side, read } = setUp();
  const skies: [string, number][] = [];
  side.take(WEATHER, ({ sky }, position) => skies.push([sky, position]));
  await read(TUNED, frame(0x31, 450_000, { sky: 'clear' }));
  side.place(0);
  expect(skies).toEqual([['clear', 5]]);
});
