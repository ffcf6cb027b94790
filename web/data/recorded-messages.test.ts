/** The data broadcast of a recording in step with its picture: in virtual time, from a stand-in of the service. */
import { describe, expect, test } from 'bun:test';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { itemsFrom, type RecordedItem, readItems } from './recorded-items.ts';
import { RecordedMessages, RecordingHasNone, RecordingIsRead } from './recorded-messages.ts';

const START = Date.UTC(2026, 10, 26, 3);
const LENGTH_S = 600;

const item = (at: number, message: RecordedItem['message'], octets = 100): RecordedItem => ({
  at,
  message,
  octets,
});
const clockAt = (at: number): RecordedItem =>
  item(at, { type: 'currentTime', at: START + Math.round(at * 1000) });
const score = (version: number, at: number): RecordedItem =>
  item(at, { type: 'moduleDownloaded', componentId: 0x40, moduleId: 0, dataEventId: 1, version });

/** Every 5 s another score and the time, as the service would answer. */
function* recorded(from: number, until = LENGTH_S): Generator<RecordedItem> {
  yield item(from, { type: 'pmt', components: [] });
  yield { ...score(Math.floor(from / 5), 0), at: from };
  yield clockAt(from);
  for (let at = Math.floor(from / 5) * 5 + 5; at <= until; at += 5) {
    yield score(at / 5, at);
    yield clockAt(at);
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

type Answer = (from: number, aborted: AbortSignal) => Iterable<RecordedItem> | AsyncIterable<RecordedItem>;

/** A picture that plays, and what the engine would have. */
class Rig {
  #now = 0;
  #timers: { at: number; run: () => void }[] = [];
  #at: number;
  #rate: number;
  growing = false;
  readonly asked: number[] = [];
  readonly aborted: AbortSignal[] = [];
  /** Items that were read and not yet handed over are the difference to `handed`. */
  read = 0;
  readonly handed: RecordedItem['message'][] = [];
  readonly failed: string[] = [];
  moments = 0;
  /** What the receiver has now: the score, and the time when it was told. */
  score: unknown;
  clock = { at: 0, since: 0 };
  readonly messages: RecordedMessages;

  constructor(answer: Answer = (from) => recorded(from), at = 0, rate = 1) {
    this.#at = at;
    this.#rate = rate;
    const items = async function* (this: Rig, from: number, aborted: AbortSignal) {
      this.asked.push(from);
      this.aborted.push(aborted);
      for await (const one of answer(from, aborted)) {
        this.read++;
        yield one;
      }
    }.bind(this);
    this.messages = new RecordedMessages(
      {
        items,
        isGrowing: () => this.growing,
        position: () => this.#at,
        rate: () => this.#rate,
        broadcastAt: START,
        now: () => this.#now as MonotonicMs,
        later: (ms, run) => {
          const timer = { at: this.#now + ms, run };
          this.#timers.push(timer);
          return () => {
            this.#timers = this.#timers.filter((one) => one !== timer);
          };
        },
      },
      {
        message: (message) => {
          this.handed.push(message);
          if (message.type === 'moduleDownloaded') this.score = message.version;
          if (message.type === 'currentTime') this.clock = { at: Number(message.at), since: this.#at };
        },
        beginSnapshot: () => {
          this.score = undefined;
        },
        endSnapshot: () => void this.moments++,
        failed: (reason) => void this.failed.push(reason),
      },
    );
  }

  get position(): number {
    return this.#at;
  }

  /** Broadcast time in the documents, ms after the recording's beginning. */
  get time(): number {
    return this.clock.at + (this.#at - this.clock.since) * 1000 - START;
  }

  /** The picture plays on, and says so four times a second. */
  async pass(ms: number): Promise<void> {
    await settle();
    for (let left = ms; left > 0; left -= 50) {
      this.#now += 50;
      this.#at += (this.#rate * 50) / 1000;
      for (const due of this.#timers.filter(({ at }) => at <= this.#now)) {
        this.#timers = this.#timers.filter((one) => one !== due);
        due.run();
      }
      if (this.#now % 250 === 0) this.messages.moved();
      await settle();
    }
  }

  async to(at: number): Promise<void> {
    this.#at = at;
    this.messages.moved();
    await settle();
  }

  setRate(rate: number): void {
    this.#rate = rate;
    this.messages.moved();
  }
}

describe('the messages of a recording', () => {
  test('begin with the state, and each comes at its time', async () => {
    const rig = new Rig(undefined, 12);
    await settle();
    expect([rig.asked, rig.moments, rig.score]).toEqual([[12], 1, 2]);
    await rig.pass(2900);
    expect(rig.score).toBe(2);
    await rig.pass(200);
    expect(rig.score).toBe(3);
    await rig.pass(60_000);
    expect(rig.score).toBe(Math.floor(rig.position / 5));
    expect(rig.asked).toHaveLength(1);
  });

  test('stop in a pause, and follow the speed', async () => {
    const rig = new Rig(undefined, 12);
    rig.setRate(0);
    await rig.pass(60_000);
    expect(rig.score).toBe(2);
    const { read } = rig;
    for (const rate of [0.5, 2, 1.25]) {
      rig.setRate(rate);
      await rig.pass(20_000);
      expect(rig.score).toBe(Math.floor(rig.position / 5));
      expect(Math.abs(rig.time - rig.position * 1000)).toBeLessThan(200);
    }
    expect(rig.asked).toHaveLength(1);
    expect(rig.read).toBeGreaterThan(read);
  });

  test('are those of the place after 200 random seeks', async () => {
    const rig = new Rig();
    let seed = 20261126;
    const random = (): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return seed / 2 ** 32;
    };
    for (let n = 0; n < 200; n++) {
      await rig.to(random() * LENGTH_S);
      await rig.pass(250 + random() * 2000);
      expect([n, rig.score]).toEqual([n, Math.floor(rig.position / 5)]);
      expect(Math.abs(rig.time - rig.position * 1000)).toBeLessThan(100);
    }
    expect(rig.aborted.slice(0, -1).every(({ aborted }) => aborted)).toBe(true);
  });

  test('are not asked for again by a small step on or back', async () => {
    const rig = new Rig(undefined, 12);
    await rig.pass(1000);
    for (const at of [13.03, 12.95, 17, 21]) await rig.to(at);
    expect(rig.asked).toEqual([12]);
    expect(rig.score).toBe(4);
  });

  test('are asked for a few times while the viewer drags along the bar', async () => {
    const rig = new Rig();
    await rig.pass(1000);
    for (let n = 0; n < 100; n++) {
      await rig.to(500 - n * 4);
      await rig.pass(50);
    }
    await rig.pass(300);
    expect(rig.asked.length).toBeLessThan(30);
    expect(rig.score).toBe(Math.floor(rig.position / 5));
  });

  test('are read a few seconds ahead, or some megabytes', async () => {
    const rig = new Rig();
    await rig.pass(1000);
    // State, and two messages every 5 s.
    expect(rig.read).toBeLessThan(12);
    const large = new Rig(function* (from) {
      yield* recorded(from, 0);
      for (let n = 1; n < 1000; n++) yield { ...score(n, from + 1), octets: 1 << 20 };
    });
    await large.pass(500);
    expect(large.read).toBeLessThan(15);
    await large.pass(20_000);
    expect(large.score).toBeGreaterThan(900);
  });

  test('of a recording in progress follow what is recorded', async () => {
    let until = 20;
    const rig = new Rig((from) => recorded(from, until));
    rig.growing = true;
    for (; until < 120; until += 5) await rig.pass(5000);
    expect(rig.score).toBe(Math.floor(rig.position / 5));
    rig.growing = false;
    await rig.pass(10_000);
    const { length } = rig.asked;
    await rig.pass(20_000);
    expect(rig.asked).toHaveLength(length);
    expect(rig.moments).toBe(1);
  });

  test('end with the recording: the last ones stay, and a seek back works', async () => {
    const rig = new Rig(undefined, LENGTH_S - 3);
    await rig.pass(60_000);
    expect(rig.score).toBe(LENGTH_S / 5);
    await rig.to(100);
    await rig.pass(100);
    expect(rig.score).toBe(20);
  });

  test('are asked for again after a failure, each time later', async () => {
    let failures = 3;
    const rig = new Rig(function* (from) {
      if (failures-- > 0) throw new Error('network');
      yield* recorded(from);
    });
    await rig.pass(500);
    expect([rig.asked.length, rig.score]).toEqual([1, undefined]);
    await rig.pass(9000);
    expect(rig.asked).toHaveLength(4);
    expect(rig.score).toBe(Math.floor(rig.position / 5));
    expect(rig.failed).toEqual([]);
  });

  test('are given up where nothing comes, but not while the service reads them', async () => {
    // biome-ignore lint/correctness/useYield: nothing comes
    const away = new Rig(async function* () {
      throw new Error('network');
    });
    await away.pass(60_000);
    expect([away.failed, away.asked.length]).toEqual([['silent'], 5]);
    let busy = 30;
    const read = new Rig(function* (from) {
      if (busy-- > 0) throw new RecordingIsRead();
      yield* recorded(from);
    });
    await read.pass(60_000);
    expect(read.failed).toEqual([]);
    expect(read.score).toBe(Math.floor(read.position / 5));
  });

  test('that are cut off continue where the picture is', async () => {
    const rig = new Rig(function* (from) {
      yield* recorded(from, from + 12);
      throw new Error('cut off');
    });
    await rig.pass(60_000);
    expect(rig.score).toBe(Math.floor(rig.position / 5));
  });

  test('of a recording without any: it is said', async () => {
    // biome-ignore lint/correctness/useYield: it has none
    const rig = new Rig(async function* () {
      throw new RecordingHasNone();
    });
    await rig.pass(60_000);
    expect([rig.failed, rig.asked.length]).toEqual([['noBroadcast'], 1]);
  });

  test('are not handed over after the end, and nothing is read any more', async () => {
    const rig = new Rig();
    await rig.pass(1000);
    rig.messages.close();
    rig.handed.length = 0;
    await rig.pass(60_000);
    await rig.to(3);
    expect([rig.handed, rig.asked.length]).toEqual([[], 1]);
    expect(rig.aborted[0]?.aborted).toBe(true);
  });

  test('keep their order where times run backwards, and take no time of another century', async () => {
    const rig = new Rig(function* (from) {
      yield* recorded(from, 0);
      yield score(1, 1);
      yield score(2, -1e9);
      yield item(2, { type: 'currentTime', at: Date.UTC(2099, 0) });
      yield item(2, { type: 'currentTime' });
      yield item(2.5, { type: 'unheardOf' });
      yield score(3, 3);
    });
    await rig.pass(1500);
    expect(rig.score).toBe(2);
    await rig.pass(2000);
    expect(rig.score).toBe(3);
    expect(Math.abs(rig.time - rig.position * 1000)).toBeLessThan(200);
  });

  test('without a time of the broadcast have that of the recording', async () => {
    const rig = new Rig(function* (from) {
      yield { ...score(7, 0), at: from };
      yield score(8, from + 100);
    }, 60);
    await settle();
    expect([rig.moments, rig.score, rig.time]).toEqual([1, 7, 60_000]);
  });
});

describe('lines of a recording', () => {
  const text = (items: Iterable<RecordedItem>): string =>
    [...items].map(({ at, message }) => `${JSON.stringify({ at, message })}\n`).join('');
  /** In pieces of that many octets. */
  const streamOf = (bytes: Uint8Array, piece: number): ReadableStream<Uint8Array> => {
    let at = 0;
    return new ReadableStream({
      pull: (controller) => {
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.subarray(at, at + piece));
        at += piece;
      },
    });
  };
  async function all(items: AsyncIterable<RecordedItem>): Promise<RecordedItem[]> {
    const found: RecordedItem[] = [];
    for await (const one of items) found.push(one);
    return found;
  }

  test.each([1, 7, 64, 1 << 20])('in pieces of %d octets', async (piece) => {
    const items = [...recorded(3, 60)];
    const found = await all(readItems(streamOf(new TextEncoder().encode(text(items)), piece)));
    expect(found.map(({ at, message }) => ({ at, message }))).toEqual(
      items.map(({ at, message }) => ({ at, message })),
    );
  });

  test('that are none, or far too long, are left out; one that is cut off is not read', async () => {
    const bad = [
      '',
      '{',
      'null',
      '[]',
      '{"at":1}',
      '{"at":"1","message":{"type":"pmt"}}',
      '{"at":1,"message":{}}',
    ];
    const long = `{"at":1,"message":{"type":"x","data":"${'A'.repeat(12 << 20)}"}}`;
    const good = '{"at":2,"message":{"type":"pmt"}}';
    const bytes = new TextEncoder().encode([...bad, long, good, good.slice(0, -1)].join('\n'));
    const found = await all(readItems(streamOf(bytes, 1 << 16)));
    expect(found.map(({ at }) => at)).toEqual([2]);
  });

  test('that are saved begin with the state at any second', async () => {
    const list = (at: number, version: number): RecordedItem =>
      item(at, {
        ...{ type: 'moduleListUpdated', componentId: 0x40, dataEventId: 1 },
        modules: [{ id: 0, version, size: 1 }],
      });
    const items = [
      ...[item(0, { type: 'pmt', components: [] }), item(0, { type: 'programInfo' })],
      ...[list(0, 1), score(1, 1), clockAt(2), list(9, 2), score(2, 10), clockAt(12)],
      item(13, { type: 'esEventUpdated', componentId: 0x40, events: [{ type: 'immediateEvent' }] }),
      ...[clockAt(14), list(20, 3)],
    ];
    const saved = new Blob([text(items)]);
    const types = (found: RecordedItem[]) => found.map(({ at, message }) => `${at} ${message.type}`);
    expect(types(await all(itemsFrom(saved, 5)))).toEqual([
      ...['0 pmt', '0 programInfo', '0 moduleListUpdated', '1 moduleDownloaded', '2 currentTime'],
      ...[
        '9 moduleListUpdated',
        '10 moduleDownloaded',
        '12 currentTime',
        '13 esEventUpdated',
        '14 currentTime',
      ],
      '20 moduleListUpdated',
    ]);
    // The module of before is not what the list tells now.
    expect(types(await all(itemsFrom(saved, 9.5))).slice(0, 4)).toEqual([
      ...['0 pmt', '0 programInfo', '9 moduleListUpdated', '2 currentTime'],
    ]);
    expect(types(await all(itemsFrom(saved, 99)))).toEqual([
      ...['0 pmt', '0 programInfo', '20 moduleListUpdated', '14 currentTime'],
    ]);
  });

  test('that are saved are handed over as those of the service', async () => {
    const saved = new Blob([text(recorded(0))]);
    const rig = new Rig((from) => itemsFrom(saved, from), 123);
    const until = async (): Promise<void> => {
      for (let n = 0; n < 200 && rig.score === undefined; n++)
        await new Promise((done) => setTimeout(done, 5));
    };
    await until();
    expect([rig.score, rig.time]).toEqual([24, 123_000]);
  });
});
