import { afterAll, describe, expect, test } from 'bun:test';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pid } from '../../lib/arib/ids.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { adaptation, PACKET, StreamBuilder } from '../../test/stream-builder.ts';
import { until } from '../../test/until.ts';
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

/** An output with the packets of a station and a clock that the test controls. */
class TestOutput {
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

  /** Packets; the first one carries the clock reference. */
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
    await until(kind, () => this.of(kind).length >= count);
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
    const output = new TestOutput({ path, mode: 'create' });
    const parts = [output.packets(10), output.packets(3000), output.packets(1)];
    for (const part of parts) output.sink.feed(part);
    await output.sink.stop();
    expect(readFileSync(path).equals(Buffer.concat(parts))).toBe(true);
    expect(output.events.map(({ kind }) => kind)).toEqual(['progress', 'opened', 'ended']);
    expect(output.of('opened')[0]).toMatchObject({ path, size: 0, former: null });
    expect(output.of('ended')).toEqual([{ kind: 'ended', path, size: 3011 * PACKET }]);
    expect(output.sums()).toEqual({ packets: 3011, drops: 0, errors: 0, scrambled: 0 });
  });

  test('is reported before anything is written, with its first time and clock reference', async () => {
    const path = freshPath();
    const output = new TestOutput({ path, mode: 'create' });
    // No clock reference dates these yet.
    output.packets(1);
    output.sink.feed(new StreamBuilder().packet(PID, { payload: new Uint8Array(184) }).bytes());
    await output.until('opened');
    while (statSync(path).size === 0) await Bun.sleep(1);
    expect(output.of('progress')).toEqual([]);
    const seen: number[] = [];
    output.onEvent = ({ kind }) => {
      if (kind === 'progress') seen.push(statSync(path).size);
    };
    output.time = 700;
    output.sink.feed(output.packets(3, 700 * PCR_MS));
    await output.until('progress');
    expect(seen).toEqual([PACKET]);
    expect(output.of('progress')[0]?.progress).toMatchObject({
      second: { from: 0, to: 700, pcr: 700 * PCR_MS, packets: 4 },
      size: PACKET,
      queued: 3 * PACKET,
    });
    await output.sink.stop();
    expect(output.sums().packets).toBe(4);
  });

  test('that another program shortens is told with the time that is missing, and continues after it', async () => {
    const path = freshPath();
    const output = new TestOutput({ path, mode: 'create' });
    const feed = async (at: number): Promise<void> => {
      output.time = at;
      output.sink.feed(output.packets(10, at * PCR_MS));
      const size = ((at - from) / 100 + 1) * 10 * PACKET;
      while (statSync(path, { throwIfNoEntry: false })?.size !== size) await Bun.sleep(1);
    };
    let from = 0;
    for (let at = 0; at <= 1000; at += 100) await feed(at);
    // Up to 300 ms are left, and a part of a packet.
    truncateSync(path, 45 * PACKET - 100);
    from = 1100 - 400;
    output.time = 1100;
    const next = output.packets(10, 1100 * PCR_MS);
    output.sink.feed(next);
    await output.until('cut');
    expect(output.of('cut')[0]?.cut).toEqual({
      ...{ path, size: 44 * PACKET, lost: 66 * PACKET },
      ...{ from: monotonicMs(400), to: monotonicMs(1100), pcr: 1100 * PCR_MS },
    });
    await output.sink.stop();
    expect(statSync(path).size).toBe(54 * PACKET);
    expect(
      readFileSync(path)
        .subarray(44 * PACKET)
        .equals(Buffer.from(next)),
    ).toBe(true);
  });

  test('never overwrites another file', async () => {
    const path = freshPath();
    const first = new TestOutput({ path, mode: 'create' });
    first.sink.feed(first.packets(5));
    await first.sink.stop();
    const output = new TestOutput({ path, mode: 'create' });
    output.sink.feed(output.packets(7));
    await output.until('trouble');
    expect(output.of('trouble')[0]?.trouble).toEqual({
      ...{ cause: 'disk_failed', path, code: 'EEXIST' },
    });
    await output.sink.stop();
    expect(statSync(path).size).toBe(5 * PACKET);
    expect(output.of('ended')[0]?.size).toBeNull();
    expect(output.of('hole')[0]).toMatchObject({ cause: 'disk_failed' });
  });
});

describe('a file that is continued', () => {
  test('drops an incomplete packet, and counts packets that were not counted yet', async () => {
    const path = freshPath();
    const first = new TestOutput({ path, mode: 'create' });
    const known = first.packets(4);
    first.packets(2); // never arrives
    const unknown = first.packets(6, 5000 * PCR_MS);
    first.sink.feed(known);
    first.sink.feed(unknown);
    await first.sink.stop();
    appendFileSync(path, new Uint8Array(100).fill(0x47));
    const output = new TestOutput({ path, mode: 'append', counted: 3 * PACKET });
    const more = output.packets(2);
    output.sink.feed(more);
    await output.sink.stop();
    expect(output.of('opened')[0]).toMatchObject({
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
    const output = new TestOutput({ path, mode: 'append', counted: 0 });
    await output.until('trouble');
    expect(output.of('trouble')[0]?.trouble.code).toBe('ENOENT');
    await output.sink.stop();
  });
});

describe('a disk', () => {
  test('that is full keeps the queue for the next disk without losing a packet', async () => {
    const path = freshPath();
    const output = new TestOutput({ path: '/dev/full', mode: 'append', counted: 0 });
    const first = output.packets(2000);
    output.sink.feed(first);
    await output.until('trouble');
    expect(output.of('trouble')[0]?.trouble).toMatchObject({ cause: 'disk_full', code: 'ENOSPC' });
    expect(output.of('left')).toMatchObject([{ left: { path: '/dev/full', size: 0, queued: first.length } }]);
    const second = output.packets(2000);
    output.sink.feed(second);
    output.sink.command({ kind: 'move', opening: { path, mode: 'create' } });
    await output.sink.stop();
    expect(readFileSync(path).equals(Buffer.concat([first, second]))).toBe(true);
    expect(output.of('hole')).toEqual([]);
  });

  test('that stays full loses data beyond the queue bound, reported as a hole', async () => {
    const path = freshPath();
    const output = new TestOutput({ path: '/dev/full', mode: 'append', counted: 0 });
    const block = output.packets(5000);
    const fitting = Math.floor((64 * 1024 * 1024) / block.length);
    for (let each = 0; each < fitting; each += 1) output.sink.feed(block);
    await output.until('trouble');
    output.time = 1000;
    output.sink.feed(block);
    output.time = 6000;
    output.sink.feed(block);
    output.sink.command({ kind: 'move', opening: { path, mode: 'create' } });
    await output.until('opened', 2);
    await until('what was queued is written', () => statSync(path).size >= fitting * block.length);
    output.time = 7000;
    output.sink.feed(block);
    await output.sink.stop();
    expect(output.of('hole')).toEqual([
      { kind: 'hole', cause: 'disk_full', from: monotonicMs(1000), to: monotonicMs(7000) },
    ]);
    expect(statSync(path).size).toBe((fitting + 1) * block.length);
  });

  test('that stays full to the end loses the queue', async () => {
    const output = new TestOutput({ path: '/dev/full', mode: 'append', counted: 0 });
    output.time = 500;
    output.sink.feed(output.packets(2000));
    await output.until('trouble');
    output.time = 900;
    await output.sink.stop();
    expect(output.of('hole')).toEqual([
      { kind: 'hole', cause: 'disk_full', from: monotonicMs(500), to: monotonicMs(900) },
    ]);
  });
});

describe('a changed layout', () => {
  test('is reported with its position in the file, once written', async () => {
    const path = freshPath();
    const output = new TestOutput({ path, mode: 'create' });
    output.sink.feed(output.packets(10));
    output.sink.layoutChanged();
    expect(output.of('layout')).toEqual([]);
    output.sink.feed(output.packets(5));
    await output.until('layout');
    output.sink.layoutChanged();
    output.sink.feed(output.packets(5));
    await output.sink.stop();
    expect(output.of('layout')).toEqual([
      { kind: 'layout', path, position: 10 * PACKET },
      { kind: 'layout', path, position: 15 * PACKET },
    ]);
    expect(statSync(path).size).toBe(20 * PACKET);
  });

  test('on a full disk is reported for the file that it is written to', async () => {
    const output = new TestOutput({ path: '/dev/full', mode: 'append', counted: 0 });
    output.sink.feed(output.packets(10));
    output.sink.layoutChanged();
    output.sink.feed(output.packets(5));
    await output.until('trouble');
    const path = freshPath();
    output.sink.command({ kind: 'move', opening: { path, mode: 'create' } });
    await output.until('layout');
    await output.sink.stop();
    expect(output.of('layout')).toEqual([{ kind: 'layout', path, position: 10 * PACKET }]);
  });
});

describe('the measurement', () => {
  test('is reported every second, with drops at their positions', async () => {
    const output = new TestOutput({ path: freshPath(), mode: 'create' });
    output.sink.feed(output.packets(100));
    output.packets(1); // never arrives
    output.time = 600;
    output.sink.feed(output.packets(50));
    output.time = 1200;
    output.sink.feed(output.packets(30));
    await output.sink.stop();
    expect(output.of('progress').map(({ progress }) => progress.second)).toMatchObject([
      { from: 0, to: 600, packets: 150, drops: 1 },
      { from: 600, to: 1200, packets: 30, drops: 0 },
    ]);
  });

  test('a pause is a hole only if the broadcast continued meanwhile', async () => {
    const output = new TestOutput({ path: freshPath(), mode: 'create' });
    output.sink.feed(output.packets(10, 0));
    output.time = 4000;
    output.sink.feed(output.packets(10, 100 * PCR_MS)); // late, but contiguous
    expect(output.of('hole')).toEqual([]);
    output.packets(5); // lost
    output.time = 9000;
    output.sink.feed(output.packets(10, 5200 * PCR_MS));
    await output.sink.stop();
    expect(output.of('hole')).toEqual([
      { kind: 'hole', cause: 'stalled', from: monotonicMs(4000), to: monotonicMs(9000) },
    ]);
    // The hole covers the missing packets, so they are not counted as a drop.
    expect(output.sums()).toMatchObject({ packets: 30, drops: 0 });
  });

  test('content that must not be copied is not written, and is a hole', async () => {
    const path = freshPath();
    const output = new TestOutput({ path, mode: 'create' });
    const before = output.packets(10);
    output.sink.feed(before);
    output.time = 2000;
    output.sink.copyControlChanged(true);
    output.sink.feed(output.packets(10));
    output.time = 5000;
    output.sink.copyControlChanged(false);
    // The position in this chunk at which copying was allowed again is unknown.
    output.sink.feed(output.packets(1));
    const after = output.packets(10);
    output.sink.feed(after);
    await output.sink.stop();
    expect(readFileSync(path).equals(Buffer.concat([before, after]))).toBe(true);
    expect(output.of('forbidden').map(({ on }) => on)).toEqual([true, false]);
    expect(output.of('hole')).toEqual([
      { kind: 'hole', cause: 'copy_never', from: monotonicMs(2000), to: monotonicMs(5000) },
    ]);
    expect(output.sums()).toMatchObject({ packets: 20, drops: 0 });
  });
});

describe('a disk that hangs', () => {
  test('blocks only its own sync: data is written meanwhile', async () => {
    const path = freshPath();
    const disk = Promise.withResolvers<void>();
    let syncs = 0;
    const output = new TestOutput({ path, mode: 'create' }, () => {
      syncs += 1;
      return disk.promise;
    });
    output.sink.feed(output.packets(10));
    await output.until('opened');
    output.time = 6_000;
    output.sink.check();
    while (syncs === 0) await Bun.sleep(1);
    for (let batch = 1; batch <= 5; batch += 1) {
      output.time += 6_000;
      output.sink.feed(output.packets(2000, batch * 6_000 * PCR_MS));
      while (statSync(path).size < (10 + batch * 2000) * PACKET) await Bun.sleep(1);
    }
    // Syncs do not overlap.
    expect(syncs).toBe(1);
    disk.resolve();
    await output.sink.stop();
    expect(output.of('hole').filter(({ cause }) => cause !== 'stalled')).toEqual([]);
    expect(output.of('ended')).toMatchObject([{ size: 10_010 * PACKET }]);
  });

  test('and fails afterwards is reported like a write error', async () => {
    const output = new TestOutput({ path: freshPath(), mode: 'create' }, () =>
      Promise.reject(Object.assign(new Error('input/output error'), { code: 'EIO' })),
    );
    output.sink.feed(output.packets(10));
    await output.until('opened');
    output.time = 6_000;
    output.sink.check();
    await output.until('trouble');
    expect(output.of('trouble')).toMatchObject([{ trouble: { cause: 'disk_failed', code: 'EIO' } }]);
    await output.sink.stop();
  });
});
