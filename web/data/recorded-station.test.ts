/**
 * The data broadcast of a recording from the broadcaster to the drawn page: the packets of a station, the file that the
 * service makes of them, its lines in step with a picture, the engine. What is drawn after a seek is compared with what the
 * broadcaster sent at that time.
 */
import { afterAll, expect, test } from 'bun:test';
import { plusMs } from '../../lib/arib/time.ts';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { ticksAt } from '../../synth/clock.ts';
import { scoreSections } from '../../synth/data/pages/score.ts';
import { stationPages } from '../../synth/data/pages.ts';
import { BEGIN, CHANNEL, dataRecording, PICTURE_DELAY, STATION } from '../../test/data/data-recording.ts';
import { RecordedFile } from '../../test/data/recorded-file.ts';
import { fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { EngineRig } from '../../test/web/engine-rig.ts';
import { KEY } from '../bml/engine/keys.ts';
import type { RecordedItem } from './recorded-items.ts';
import { RecordedMessages } from './recorded-messages.ts';

const SECONDS = 90;
const SEEKS = 20;
const STEP_MS = 50;
/** From a seek to its page. */
const WITHIN_MS = 1000;
const file = new RecordedFile(dataRecording({ seconds: SECONDS }));
await file.read();
afterAll(() => file[Symbol.dispose]());

/** The moment that is broadcast at a second of the recording. */
const momentAt = (at: number) => plusMs(BEGIN, (at + PICTURE_DELAY) * 1000);
const euc = new TextDecoder('euc-jp');

/** Number of the news, from the table as it is sent. */
function newsAt(at: number): number {
  const modules = stationPages(CHANNEL, STATION.plan)?.modules(0x60, ticksAt(momentAt(at))) ?? [];
  const table = modules.flatMap(({ resources }) => resources).find(({ name }) => name === 'news.tbl');
  if (table === undefined) throw new Error('no news');
  return ((table.bytes[0] ?? 0) << 8) | (table.bytes[1] ?? 0);
}

/** Inning and runs, from the event message as it is sent. */
function scoreAt(at: number): string {
  const [, section = new Uint8Array()] = scoreSections(ticksAt(momentAt(at)));
  const [, inning, half, ...runs] = /(\d),([表裏]),(\d),(\d)/.exec(euc.decode(section)) ?? [];
  return `${inning}回${half} ${runs.join()}`;
}

/** A picture, the lines of the recording, and the engine with the clock of the test. */
class Watching {
  readonly rig = new EngineRig({ isRecording: true, isDataKeyPressed: true });
  #place = { at: 0, since: 0 };
  #rate = 1;
  /** Answers that were asked for, and those whose state is in the engine. */
  #asked = 0;
  #moments = 0;
  readonly messages: RecordedMessages;

  constructor(from: number) {
    const { rig } = this;
    this.#place = { at: from, since: rig.clock.now() };
    this.messages = new RecordedMessages(
      {
        items: async function* (this: Watching, second: number) {
          this.#asked++;
          for (const { at, message } of await file.lines(second)) {
            const item: RecordedItem = { at, message: { ...message }, octets: 1000 };
            yield item;
          }
        }.bind(this),
        isGrowing: () => false,
        position: () => this.position,
        rate: () => this.#rate,
        broadcastAt: momentAt(0),
        now: () => rig.clock.now() as MonotonicMs,
        later: (ms, run) => rig.clock.after(ms, run),
      },
      {
        message: (message) => rig.data(message as never),
        beginSnapshot: () => rig.engine.beginSnapshot(),
        endSnapshot: () => {
          this.#moments++;
          rig.engine.endSnapshot();
        },
        failed: (reason) => {
          throw new Error(reason);
        },
      },
    );
  }

  get position(): number {
    return Math.min(
      SECONDS - 2,
      this.#place.at + ((this.rig.clock.now() - this.#place.since) / 1000) * this.#rate,
    );
  }

  setRate(rate: number): void {
    this.#place = { at: this.position, since: this.rig.clock.now() };
    this.#rate = rate;
    this.rig.engine.setRate(rate);
    this.messages.moved();
  }

  /** Files are read in real time: the test's own stands still meanwhile. */
  async read(): Promise<void> {
    while (this.#moments < this.#asked) await Bun.sleep(1);
  }

  async to(at: number): Promise<void> {
    this.#place = { at, since: this.rig.clock.now() };
    this.messages.moved();
    await this.pass(250);
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await this.read();
      await this.rig.clock.run(STEP_MS);
      this.messages.moved();
    }
  }

  /** All that is on the screen. */
  get text(): string {
    const calls = this.rig.recorder.take();
    return calls.map((call) => /^fillText (.*?) [-\d.,]+ #/.exec(call)?.[1] ?? '').join('');
  }

  async drawn(): Promise<string> {
    this.rig.recorder.take();
    this.rig.engine.redraw();
    await this.pass(STEP_MS * 2);
    return this.text;
  }

  /** Waits until what is drawn matches, no longer than a viewer may. */
  async shows(expected: () => RegExp, ms = WITHIN_MS): Promise<void> {
    for (let waited = 0; ; waited += STEP_MS * 2) {
      const text = await this.drawn();
      if (expected().test(text)) return;
      if (waited > ms)
        expect([this.position, this.rig.documents.at(-1), text]).toEqual([expected()] as never);
    }
  }
}

async function opened(from: number, key: number): Promise<Watching> {
  const watching = new Watching(from);
  await watching.pass(3000);
  expect(watching.rig.documents.at(-1)).toBe('/40/0001/portal.bml');
  await watching.rig.press(key);
  await watching.pass(500);
  return watching;
}

const seed = fuzzSeed();

test(`the news after ${SEEKS} seeks are those of the moment`, async () => {
  const watching = await opened(3, KEY.red);
  const news = (): RegExp => new RegExp(`第${newsAt(watching.position)}版`);
  await watching.shows(news);
  const { rig } = watching;
  const documents = rig.documents.length;
  const random = new Random(seed);
  const seen = new Set<number>();
  for (let seek = 0; seek < SEEKS; seek++) {
    // Where the broadcaster has just changed it, the carousel is still on its way.
    let to = 0;
    do to = 5 + random.below((SECONDS - 15) * 1000) / 1000;
    while (newsAt(to - 8) !== newsAt(to + 3));
    await watching.to(to);
    seen.add(newsAt(to));
    await watching.shows(news);
  }
  expect(seen.size).toBeGreaterThan(1);
  // The page hears of other versions, and is never left.
  expect(rig.documents.slice(documents)).toEqual([]);
  expect([rig.phase, rig.logs]).toEqual(['shown', []]);
});

test(`the score after ${SEEKS} seeks is that of the moment`, async () => {
  const watching = await opened(3, KEY.green);
  const { rig } = watching;
  const score = (): RegExp => {
    const [inning = '', runs = ''] = scoreAt(watching.position).split(' ');
    const [first, second] = runs.split(',');
    return new RegExp(`${inning}.*${first}.*${second}`);
  };
  await watching.shows(score, 2000);
  const random = new Random(seed);
  for (let seek = 0; seek < SEEKS; seek++) {
    let to = 0;
    do to = 3 + random.below((SECONDS - 15) * 1000) / 1000;
    while (scoreAt(to - 2) !== scoreAt(to + 4));
    await watching.to(to);
    // A message is sent again each second.
    await watching.shows(score, 2000);
    expect(rig.documents.at(-1)).toBe('/61/0000/score.bml');
  }
  // In a pause nothing changes; half as fast it does.
  watching.setRate(0);
  const before = await watching.drawn();
  await watching.pass(15_000);
  expect(await watching.drawn()).toBe(before);
  watching.setRate(0.5);
  await watching.to(10);
  await watching.pass(12_000);
  await watching.shows(score, 4000);
  expect([rig.phase, rig.logs]).toEqual(['shown', []]);
});
