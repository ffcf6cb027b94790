import { afterAll, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pid } from '../../arib/ids.ts';
import { monotonicMs } from '../../host/clock.ts';
import { adaptation, PACKET, StreamBuilder } from '../../test/stream-builder.ts';
import { type FileEvent, FileOutput } from './file-output.ts';
import type { FileOpening } from './recorded-file.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'svc-sink-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const PID = 0x100;
const PCR_MS = 27_000;
let serial = 0;
const freshPath = (): string => {
  serial += 1;
  return join(FOLDER, `deep/${serial}.ts`);
};

/** A sink, the packets of a station and a clock that the test decides. */
class Desk {
  readonly events: FileEvent[] = [];
  onEvent: (event: FileEvent) => void = () => {};
  readonly sink: FileOutput;
  readonly #builder = new StreamBuilder();
  #taken = 0;
  time = 0;

  constructor(opening: FileOpening, syncFile?: (path: string) => Promise<void>) {
    this.sink = new FileOutput(
      opening,
      () => PID as Pid,
      (event) => {
        this.events.push(event);
        this.onEvent(event);
      },
      () => monotonicMs(this.time),
      syncFile,
    );
  }

  /** Packets of which the first carries the clock. */
  packets(count: number, pcr = 0): Uint8Array {
    this.#builder.packet(PID, { payload: new Uint8Array(100), adaptation: adaptation({ pcr }) });
    for (let each = 1; each < count; each += 1) this.#builder.packet(PID, { payload: new Uint8Array(184) });
    const from = this.#taken;
    this.#taken = this.#builder.length;
    return this.#builder.bytes().slice(from * PACKET);
  }

  of<K extends FileEvent['kind']>(kind: K): Extract<FileEvent, { kind: K }>[] {
    return this.events.filter((event) => event.kind === kind) as Extract<FileEvent, { kind: K }>[];
  }

  async until(kind: FileEvent['kind'], count = 1): Promise<void> {
    const deadline = performance.now() + 10_000;
    while (this.of(kind).length < count) {
      if (performance.now() > deadline) throw new Error(`did not happen: ${kind}`);
      await Bun.sleep(1);
    }
  }

  sums() {
    const sums = { packets: 0, drops: 0, errors: 0, scrambled: 0 };
    for (const { progress } of this.of('progress')) {
      for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += progress.second[key];
    }
    return sums;
  }
}

describe('a new file', () => {
  test('contains every packet that was fed, and reports the count', async () => {
    const path = freshPath();
    const desk = new Desk({ path, mode: 'create' });
    const parts = [desk.packets(10), desk.packets(3000), desk.packets(1)];
    for (const part of parts) desk.sink.feed(part);
    await desk.sink.stop();
    expect(readFileSync(path).equals(Buffer.concat(parts))).toBe(true);
    expect(desk.events.map(({ kind }) => kind)).toEqual(['progress', 'opened', 'ended']);
    expect(desk.of('opened')[0]).toMatchObject({ path, size: 0, former: null });
    expect(desk.of('ended')).toEqual([{ kind: 'ended', path, size: 3011 * PACKET }]);
    expect(desk.sums()).toEqual({ packets: 3011, drops: 0, errors: 0, scrambled: 0 });
  });

  test('is announced before anything is written: since when, and by which clock', async () => {
    const path = freshPath();
    const desk = new Desk({ path, mode: 'create' });
    // Nothing dates these yet.
    desk.packets(1);
    desk.sink.feed(new StreamBuilder().packet(PID, { payload: new Uint8Array(184) }).bytes());
    await desk.until('opened');
    while (statSync(path).size === 0) await Bun.sleep(1);
    expect(desk.of('progress')).toEqual([]);
    const seen: number[] = [];
    desk.onEvent = ({ kind }) => {
      if (kind === 'progress') seen.push(statSync(path).size);
    };
    desk.time = 700;
    desk.sink.feed(desk.packets(3, 700 * PCR_MS));
    await desk.until('progress');
    expect(seen).toEqual([PACKET]);
    expect(desk.of('progress')[0]?.progress).toMatchObject({
      second: { from: 0, to: 700, pcr: 700 * PCR_MS, packets: 4 },
      size: PACKET,
      queued: 3 * PACKET,
    });
    await desk.sink.stop();
    expect(desk.sums().packets).toBe(4);
  });

  test('never overwrites another file', async () => {
    const path = freshPath();
    const first = new Desk({ path, mode: 'create' });
    first.sink.feed(first.packets(5));
    await first.sink.stop();
    const desk = new Desk({ path, mode: 'create' });
    desk.sink.feed(desk.packets(7));
    await desk.until('trouble');
    expect(desk.of('trouble')[0]?.trouble).toEqual({ cause: 'disk_failed', path, code: 'EEXIST', size: 0 });
    await desk.sink.stop();
    expect(statSync(path).size).toBe(5 * PACKET);
    expect(desk.of('ended')[0]?.size).toBeNull();
    expect(desk.of('hole')[0]).toMatchObject({ cause: 'disk_failed' });
  });
});

describe('a file that is continued', () => {
  test('drops a torn packet, and counts the packets that were not counted yet', async () => {
    const path = freshPath();
    const first = new Desk({ path, mode: 'create' });
    const known = first.packets(4);
    first.packets(2); // never arrives
    const unknown = first.packets(6, 5000 * PCR_MS);
    first.sink.feed(known);
    first.sink.feed(unknown);
    await first.sink.stop();
    appendFileSync(path, new Uint8Array(100).fill(0x47));
    const desk = new Desk({ path, mode: 'append', counted: 3 * PACKET });
    const more = desk.packets(2);
    desk.sink.feed(more);
    await desk.sink.stop();
    expect(desk.of('opened')[0]).toMatchObject({
      size: 10 * PACKET,
      former: {
        recounted: { packets: 7, drops: 0, errors: 0, scrambled: 0 },
        holes: [{ fromBeforeEndMs: 5000, toBeforeEndMs: 0 }],
        pcr: 5000 * PCR_MS,
      },
    });
    expect(readFileSync(path).equals(Buffer.concat([known, unknown, more]))).toBe(true);
  });

  test('is not recreated when it was removed', async () => {
    const path = freshPath();
    const desk = new Desk({ path, mode: 'append', counted: 0 });
    await desk.until('trouble');
    expect(desk.of('trouble')[0]?.trouble.code).toBe('ENOENT');
    await desk.sink.stop();
  });
});

describe('a disk', () => {
  test('that is full keeps the queue for the next one: no packet is lost', async () => {
    const path = freshPath();
    const desk = new Desk({ path: '/dev/full', mode: 'append', counted: 0 });
    const first = desk.packets(2000);
    desk.sink.feed(first);
    await desk.until('trouble');
    expect(desk.of('trouble')[0]?.trouble).toMatchObject({ cause: 'disk_full', code: 'ENOSPC', size: 0 });
    const second = desk.packets(2000);
    desk.sink.feed(second);
    desk.sink.command({ kind: 'move', opening: { path, mode: 'create' } });
    await desk.sink.stop();
    expect(readFileSync(path).equals(Buffer.concat([first, second]))).toBe(true);
    expect(desk.of('hole')).toEqual([]);
  });

  test('that stays full loses what the queue cannot hold, reported as a hole', async () => {
    const path = freshPath();
    const desk = new Desk({ path: '/dev/full', mode: 'append', counted: 0 });
    const block = desk.packets(5000);
    const fitting = Math.floor((64 * 1024 * 1024) / block.length);
    for (let each = 0; each < fitting; each += 1) desk.sink.feed(block);
    await desk.until('trouble');
    desk.time = 1000;
    desk.sink.feed(block);
    desk.time = 6000;
    desk.sink.feed(block);
    desk.sink.command({ kind: 'move', opening: { path, mode: 'create' } });
    await desk.until('opened', 2);
    const deadline = performance.now() + 10_000;
    while (statSync(path).size < fitting * block.length && performance.now() < deadline) await Bun.sleep(5);
    desk.time = 7000;
    desk.sink.feed(block);
    await desk.sink.stop();
    expect(desk.of('hole')).toEqual([
      { kind: 'hole', cause: 'disk_full', from: monotonicMs(1000), to: monotonicMs(7000) },
    ]);
    expect(statSync(path).size).toBe((fitting + 1) * block.length);
  });

  test('that stays full to the end loses the queue', async () => {
    const desk = new Desk({ path: '/dev/full', mode: 'append', counted: 0 });
    desk.time = 500;
    desk.sink.feed(desk.packets(2000));
    await desk.until('trouble');
    desk.time = 900;
    await desk.sink.stop();
    expect(desk.of('hole')).toEqual([
      { kind: 'hole', cause: 'disk_full', from: monotonicMs(500), to: monotonicMs(900) },
    ]);
  });
});

describe('a changed layout', () => {
  test('is reported with its position in the file, once written', async () => {
    const path = freshPath();
    const desk = new Desk({ path, mode: 'create' });
    desk.sink.feed(desk.packets(10));
    desk.sink.layoutChanged();
    expect(desk.of('layout')).toEqual([]);
    desk.sink.feed(desk.packets(5));
    await desk.until('layout');
    desk.sink.layoutChanged();
    desk.sink.feed(desk.packets(5));
    await desk.sink.stop();
    expect(desk.of('layout')).toEqual([
      { kind: 'layout', path, position: 10 * PACKET },
      { kind: 'layout', path, position: 15 * PACKET },
    ]);
    expect(statSync(path).size).toBe(20 * PACKET);
  });

  test('on a full disk is reported for the file that it is written to', async () => {
    const desk = new Desk({ path: '/dev/full', mode: 'append', counted: 0 });
    desk.sink.feed(desk.packets(10));
    desk.sink.layoutChanged();
    desk.sink.feed(desk.packets(5));
    await desk.until('trouble');
    const path = freshPath();
    desk.sink.command({ kind: 'move', opening: { path, mode: 'create' } });
    await desk.until('layout');
    await desk.sink.stop();
    expect(desk.of('layout')).toEqual([{ kind: 'layout', path, position: 10 * PACKET }]);
  });
});

describe('the measurement', () => {
  test('is reported every second, with drops at their positions', async () => {
    const desk = new Desk({ path: freshPath(), mode: 'create' });
    desk.sink.feed(desk.packets(100));
    desk.packets(1); // never arrives
    desk.time = 600;
    desk.sink.feed(desk.packets(50));
    desk.time = 1200;
    desk.sink.feed(desk.packets(30));
    await desk.sink.stop();
    expect(desk.of('progress').map(({ progress }) => progress.second)).toMatchObject([
      { from: 0, to: 600, packets: 150, drops: 1 },
      { from: 600, to: 1200, packets: 30, drops: 0 },
    ]);
  });

  test('a pause is a hole only when the broadcast went on meanwhile', async () => {
    const desk = new Desk({ path: freshPath(), mode: 'create' });
    desk.sink.feed(desk.packets(10, 0));
    desk.time = 4000;
    desk.sink.feed(desk.packets(10, 100 * PCR_MS)); // late, but the next
    expect(desk.of('hole')).toEqual([]);
    desk.packets(5); // lost
    desk.time = 9000;
    desk.sink.feed(desk.packets(10, 5200 * PCR_MS));
    await desk.sink.stop();
    expect(desk.of('hole')).toEqual([
      { kind: 'hole', cause: 'stalled', from: monotonicMs(4000), to: monotonicMs(9000) },
    ]);
    // The hole tells what is missing; it is no drop besides.
    expect(desk.sums()).toMatchObject({ packets: 30, drops: 0 });
  });

  test('content that must not be copied is not written, and is a hole', async () => {
    const path = freshPath();
    const desk = new Desk({ path, mode: 'create' });
    const before = desk.packets(10);
    desk.sink.feed(before);
    desk.time = 2000;
    desk.sink.copyControlChanged(true);
    desk.sink.feed(desk.packets(10));
    desk.time = 5000;
    desk.sink.copyControlChanged(false);
    // Where in this piece it was allowed again is not known.
    desk.sink.feed(desk.packets(1));
    const after = desk.packets(10);
    desk.sink.feed(after);
    await desk.sink.stop();
    expect(readFileSync(path).equals(Buffer.concat([before, after]))).toBe(true);
    expect(desk.of('forbidden').map(({ on }) => on)).toEqual([true, false]);
    expect(desk.of('hole')).toEqual([
      { kind: 'hole', cause: 'copy_never', from: monotonicMs(2000), to: monotonicMs(5000) },
    ]);
    expect(desk.sums()).toMatchObject({ packets: 20, drops: 0 });
  });
});

describe('a disk that hangs', () => {
  test('blocks only its own sync: data is written meanwhile', async () => {
    const path = freshPath();
    const disk = Promise.withResolvers<void>();
    let syncs = 0;
    const desk = new Desk({ path, mode: 'create' }, () => {
      syncs += 1;
      return disk.promise;
    });
    desk.sink.feed(desk.packets(10));
    await desk.until('opened');
    desk.time = 6_000;
    desk.sink.check();
    while (syncs === 0) await Bun.sleep(1);
    for (let batch = 1; batch <= 5; batch += 1) {
      desk.time += 6_000;
      desk.sink.feed(desk.packets(2000, batch * 6_000 * PCR_MS));
      while (statSync(path).size < (10 + batch * 2000) * PACKET) await Bun.sleep(1);
    }
    // Not one upon the other.
    expect(syncs).toBe(1);
    disk.resolve();
    await desk.sink.stop();
    expect(desk.of('hole').filter(({ cause }) => cause !== 'stalled')).toEqual([]);
    expect(desk.of('ended')).toMatchObject([{ size: 10_010 * PACKET }]);
  });

  test('and fails afterwards is reported like a write error', async () => {
    const desk = new Desk({ path: freshPath(), mode: 'create' }, () =>
      Promise.reject(Object.assign(new Error('input/output error'), { code: 'EIO' })),
    );
    desk.sink.feed(desk.packets(10));
    await desk.until('opened');
    desk.time = 6_000;
    desk.sink.check();
    await desk.until('trouble');
    expect(desk.of('trouble')).toMatchObject([{ trouble: { cause: 'disk_failed', code: 'EIO' } }]);
    await desk.sink.stop();
  });
});
