/**
 * The data broadcast of a recording: size of its file beside the modules as they are sent, the cost of writing it while a
 * station of 16 Mbit/s is recorded, the time to the state at a random place, and how long the event loop is held.
 *
 *   npm run bench databroadcast-recording
 */
import { open } from 'node:fs/promises';
import { DataFileIndex } from '../../src/media/data-file-index.ts';
import { DataLines } from '../../src/media/data-file-lines.ts';
import { threadProcessingMs } from '../../src/reception/reader-set.ts';
import { dataBeats, STATION } from '../data/data-recording.ts';
import { RecordedFile } from '../data/recorded-file.ts';
import { Random } from '../fuzz/random.ts';
import { Figures, quantile } from './guide/figures.ts';

const SECONDS = 120;
const STEP_SECONDS = 5;
const SEEKS = 40;
const RATE = 16_000_000;
const WANTED = { ratio: 1.5, share: 0.1, seekMs: 200, holdMs: 50 };
const PACKET = 188;

/** Pictures and sound in place of which a station's packets are sent: nothing of them is looked at. */
const filler = new Uint8Array(Math.floor(RATE / 80 / PACKET) * PACKET).fill(0x55);
for (let at = 0; at < filler.length; at += PACKET) {
  const { pid } = STATION.video;
  filler.set([0x47, pid >> 8, pid & 0xff, 0x10 | ((at / PACKET) & 15)], at);
}

/** Most processor time of this thread between two turns of the event loop, ms: what other programs use does not count. */
class Hold {
  longest = 0;
  #last = threadProcessingMs();
  readonly #timer = setInterval(() => {
    const now = threadProcessingMs();
    this.longest = Math.max(this.longest, now - this.#last);
    this.#last = now;
  }, 1);

  restart(): void {
    this.longest = 0;
    this.#last = threadProcessingMs();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

using file = new RecordedFile();
using hold = new Hold();
let used = 0;
let holdMs = 0;
let beat = 0;
for (const packets of dataBeats({ seconds: SECONDS })) {
  file.grow(packets);
  file.grow(filler.subarray(0, Math.max(0, filler.length - packets.length)));
  beat += 1;
  if (beat % (STEP_SECONDS * 10) !== 0) continue;
  await Bun.sleep(2);
  hold.restart();
  const before = process.cpuUsage();
  await file.read({ grows: beat < SECONDS * 10 });
  await Bun.sleep(2);
  const after = process.cpuUsage(before);
  used += (after.user + after.system) / 1e6;
  holdMs = Math.max(holdMs, hold.longest);
}
const share = used / SECONDS;

const sizes = new Map<string, number>();
for (const { message } of await file.lines()) {
  if (message.type !== 'moduleListUpdated') continue;
  for (const { id, version, size } of message.modules)
    sizes.set(`${message.componentId}/${id}/${version}`, size);
}
const sent = [...sizes.values()].reduce((sum, size) => sum + size, 0);
const ratio = file.size / sent;
console.log(
  `${SECONDS} s: ${(file.size / 1e6).toFixed(2)} MB for ${(sent / 1e6).toFixed(2)} MB of ${sizes.size} modules`,
);

const random = new Random(1);
const seeks: number[] = [];
let readHoldMs = 0;
for (let seek = 0; seek < SEEKS; seek += 1) {
  const from = random.below(SECONDS * 1000) / 1000;
  await Bun.sleep(2);
  hold.restart();
  const begin = performance.now();
  const handle = await open(file.path);
  const index = new DataFileIndex();
  await index.refresh(handle);
  for await (const line of new DataLines({ file: handle, index, cuts: null, from }).more())
    if (line.includes('"currentTime"')) break;
  await handle.close();
  seeks.push(performance.now() - begin);
  await Bun.sleep(2);
  readHoldMs = Math.max(readHoldMs, hold.longest);
}
const figures = new Figures();
figures.limited('size of the file', ratio, 'times the modules', WANTED.ratio);
figures.limited('writing it', share, 'of a core', WANTED.share);
figures.limited('longest hold while writing', holdMs, 'ms', WANTED.holdMs);
figures.limited(
  `state at a place: median ${quantile(seeks, 0.5).toFixed(1)} ms, worst`,
  Math.max(...seeks),
  'ms',
  WANTED.seekMs,
);
figures.limited('longest hold while reading', readHoldMs, 'ms', WANTED.holdMs);
if (figures.failed) process.exitCode = 1;
