/** The policy of background jobs, in virtual time. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { monotonicMs } from '../../../lib/host/clock.ts';
import { createLog, SILENT_LOG } from '../../../lib/host/log.ts';
import { WorkerError } from '../../../lib/host/worker-link.ts';
import { wallMs } from '../../../lib/wire/times.ts';
import { VirtualTime } from '../../../test/record/virtual-time.ts';
import { Failure } from '../../model/failure.ts';
import { Hub } from '../../notify/hub.ts';
import { JOB_PRIORITY, type JobKind, type RunFailure } from './job-kind.ts';
import type { JobRun } from './job-run.ts';
import { JobRunner, type Jobs } from './job-runner.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

interface Work {
  readonly id: number;
}

let time: VirtualTime;
let restore: () => void;
let use: { processors: number; viewers: number; recordings: number };
let hub: Hub;
let runner: JobRunner;
/** What happened, each with its second. */
let events: string[];
let lines: string[];

beforeEach(() => {
  time = new VirtualTime(0);
  restore = time.install();
  use = { processors: 2, viewers: 0, recordings: 0 };
  events = [];
  lines = [];
  hub = new Hub((error) => {
    throw error;
  });
  runner = made(createLog({ level: 'warn', now: () => wallMs(0), write: (line) => lines.push(line) }));
});

afterEach(async () => {
  const closing = runner.close();
  await pass(time.now + 20 * SECOND);
  await closing;
  restore();
});

function made(log = SILENT_LOG): JobRunner {
  return new JobRunner({ machine: () => use, hub, clock: () => monotonicMs(time.now), log });
}

/** Time passes until then, ms. */
async function pass(to: number): Promise<void> {
  // What is under way may set the next timer.
  await time.advance(time.now);
  await time.advance(to);
}

function note(event: string): void {
  events.push(`${Math.round(time.now / 100) / 10} ${event}`);
}

/** Jobs that wait, in order, and one kind that runs them. */
class Queue {
  readonly waiting: number[] = [];
  readonly failures: RunFailure[] = [];
  readonly runs = new Map<number, JobRun>();
  /** Of the job with this number; default: it takes a second. */
  work: (id: number, run: JobRun) => Promise<void> = (_, { signal }) => seconds(1, signal);
  readonly jobs: Jobs<Work>;

  constructor(more: Partial<JobKind<Work>> = {}) {
    const kind: JobKind<Work> = {
      name: 'tests',
      priority: JOB_PRIORITY.pictures,
      needs: 'unwatched',
      pollMs: 10 * MINUTE,
      restMs: 5 * SECOND,
      retry: { attempts: 3, firstMs: 10 * SECOND, maxMs: MINUTE, laterMs: 2 * MINUTE },
      wakesOn: ({ name }) => name === 'recordings',
      next: (excluded) => {
        const id = this.waiting.find((one) => !excluded.has(one));
        return id === undefined ? undefined : { id };
      },
      run: async ({ id }, run) => {
        note(`begin ${id}`);
        this.runs.set(id, run);
        await this.work(id, run);
        this.take(id);
        note(`end ${id}`);
      },
      failed: ({ id }, _error, failure) => {
        note(`${failure.meaning} ${id}`);
        this.failures.push(failure);
        if (failure.retryMs === undefined) this.take(id);
      },
      ...more,
    };
    this.jobs = runner.add(kind);
  }

  put(...ids: number[]): this {
    this.waiting.push(...ids);
    return this;
  }

  take(id: number): void {
    this.waiting.splice(this.waiting.indexOf(id), 1);
  }
}

/** @throws the signal's reason */
function seconds(count: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, count * SECOND);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
  return promise;
}

const fails = (error: unknown) => async (): Promise<void> => {
  throw error;
};

const at = (event: string): number[] =>
  events.filter((one) => one.endsWith(` ${event}`)).map((one) => Number(one.split(' ')[0]));

describe('rounds', () => {
  test('jobs run one after the other, and a new one begins soon after an event', async () => {
    const queue = new Queue().put(1, 2);
    runner.start();
    await pass(10 * SECOND);
    expect(events).toEqual(['0 begin 1', '1 end 1', '1.1 begin 2', '2.1 end 2']);
    queue.put(3);
    await pass(20 * SECOND);
    expect(at('begin 3')).toEqual([]);
    hub.changed('recordings');
    await pass(30 * SECOND);
    expect(at('begin 3')).toEqual([20]);
  });

  test('without an event a round follows after the longest interval; events cause none too soon', async () => {
    let rounds = 0;
    const queue = new Queue({
      upkeep: () => {
        rounds += 1;
      },
    });
    runner.start();
    await pass(SECOND);
    queue.put(1);
    for (let event = 0; event < 8; event += 1) {
      hub.changed('recordings');
      await pass(time.now + 250);
    }
    expect([rounds, at('begin 1')]).toEqual([1, []]);
    await pass(12 * SECOND);
    expect([rounds, at('begin 1')]).toEqual([2, [5]]);
    queue.put(2);
    await pass(5 * SECOND + 10 * MINUTE);
    expect([rounds, at('begin 2')]).toEqual([3, [605]]);
  });

  test('a user who asks for one does not wait for the next round', async () => {
    const queue = new Queue();
    runner.start();
    await pass(SECOND);
    queue.put(1).jobs.wake();
    await pass(1_010);
    expect(at('begin 1')).toEqual([1]);
  });

  test('a store that cannot be read is read again in the next round, and other kinds continue', async () => {
    let isBroken = true;
    new Queue({
      next: () => {
        if (isBroken) throw new Error('disk I/O error');
        return undefined;
      },
      pollMs: MINUTE,
    });
    const other = new Queue({ priority: JOB_PRIORITY.encodes }).put(1);
    runner.start();
    await pass(2 * MINUTE + SECOND);
    expect(other.waiting).toEqual([]);
    expect(lines.filter((line) => line.includes('disk I/O error'))).toHaveLength(3);
    isBroken = false;
    await pass(5 * MINUTE);
    expect(lines.filter((line) => line.includes('disk I/O error'))).toHaveLength(3);
  });

  test('several at the same time, a further one only where the last takes long', async () => {
    const queue = new Queue({ atOnce: 3, overlapMs: 10 * SECOND }).put(1, 2, 3, 4, 5);
    queue.work = (_, { signal }) => seconds(100, signal);
    runner.start();
    await pass(99 * SECOND);
    expect(events).toEqual(['0 begin 1', '10 begin 2', '20 begin 3']);
    expect(queue.jobs.running.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  test('one that hangs delays the others once', async () => {
    const queue = new Queue({ atOnce: 3, overlapMs: 10 * SECOND }).put(1, 2, 3, 4);
    queue.work = (id, { signal }) => seconds(id === 1 ? 100 : 1, signal);
    runner.start();
    await pass(30 * SECOND);
    expect(['begin 2', 'begin 3', 'begin 4'].flatMap(at)).toEqual([10, 11.1, 12.1]);
  });

  test('one that repeats itself rests in between, also where it was done without an effect', async () => {
    const queue = new Queue({ needs: 'none' }).put(1);
    const slow = new Queue({ needs: 'none', restMs: 10 * SECOND }).put(2);
    queue.take = slow.take = () => {};
    runner.start();
    await pass(13 * SECOND);
    expect(at('begin 1')).toEqual([0, 6, 12]);
    expect(at('begin 2')).toEqual([0, 11]);
  });
});

describe('the machine', () => {
  test('a viewer pauses a job, and it continues afterwards', async () => {
    const queue = new Queue().put(1);
    const held: string[] = [];
    queue.work = async (_, run) => {
      run.onHold((isHeld) => held.push(`${time.now} ${isHeld}`));
      for (let step = 0; step < 5; step += 1) {
        await run.resumed();
        await seconds(1, run.signal);
      }
    };
    runner.start();
    await pass(1_500);
    use.viewers = 1;
    await pass(MINUTE);
    expect([held, at('end 1')]).toEqual([['1750 true'], []]);
    use.viewers = 0;
    await pass(2 * MINUTE);
    expect(held).toEqual(['1750 true', '60250 false']);
    // Two of its five seconds had passed.
    expect(at('end 1')).toEqual([63.3]);
  });

  test('none begins beside a viewer, except one that needs nothing', async () => {
    use.viewers = 1;
    const pictures = new Queue().put(1);
    const data = new Queue({ needs: 'none', priority: JOB_PRIORITY.receivedData }).put(2);
    runner.start();
    await pass(10 * MINUTE);
    expect([pictures.waiting, data.waiting]).toEqual([[1], []]);
    use.viewers = 0;
    await pass(10 * MINUTE + 2 * SECOND);
    expect(pictures.waiting).toEqual([]);
  });

  test('a condition of the feature pauses it, too; one that cannot be read counts as not met', async () => {
    let isAllowed: () => boolean = () => true;
    const queue = new Queue({ isAllowed: () => isAllowed() }).put(1);
    queue.work = (_, { signal }) => seconds(100, signal);
    runner.start();
    await pass(SECOND);
    const run = queue.runs.get(1);
    expect(run?.isHeld).toBe(false);
    isAllowed = () => {
      throw new Error('database is locked');
    };
    await pass(2 * SECOND);
    expect(run?.isHeld).toBe(true);
    isAllowed = () => true;
    await pass(3 * SECOND);
    expect(run?.isHeld).toBe(false);
  });

  test('errors of the machine, a kind or a listener end no other work', async () => {
    let isBroken = false;
    const broken = new Queue({ priority: JOB_PRIORITY.receivedData }).put(1);
    const other = new Queue({ priority: JOB_PRIORITY.encodes }).put(2);
    let resumedAt = 0;
    broken.work = async (_, run) => {
      run.onHold(() => {
        throw new Error('broken pipe');
      });
      await seconds(2, run.signal);
      await run.resumed();
      resumedAt = time.now;
    };
    other.work = async (_, { signal }) => seconds(10, signal);
    const { viewers } = use;
    Object.defineProperty(use, 'viewers', {
      get: () => {
        if (isBroken) throw new Error('load not read');
        return time.now > SECOND && time.now < 5 * SECOND ? 1 : viewers;
      },
    });
    runner.start();
    await pass(4 * SECOND);
    expect(other.runs.get(2)?.isHeld).toBe(true);
    await pass(7 * SECOND);
    expect(resumedAt).toBeGreaterThanOrEqual(5 * SECOND);
    expect(other.runs.get(2)?.isHeld).toBe(false);
    isBroken = true;
    await pass(30 * SECOND);
    other.put(3);
    expect(at('end 2')).toEqual([10]);
    isBroken = false;
    await pass(11 * MINUTE);
    expect(other.waiting).toEqual([]);
    // Once each, not with every check.
    expect(lines.filter((line) => line.includes('broken pipe')).length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes('load not read'))).toHaveLength(1);
  });

  test('of several kinds the most urgent begins first', async () => {
    use.viewers = 1;
    const kinds = [
      ['encodes', 1],
      ['receivedData', 2],
      ['commercials', 3],
    ] as const;
    for (const [name, id] of kinds) new Queue({ priority: JOB_PRIORITY[name] }).put(id);
    runner.start();
    await pass(SECOND);
    use.viewers = 0;
    await pass(5 * SECOND);
    expect(events.filter((one) => one.includes('begin'))).toEqual(['2 begin 2', '2 begin 3', '2 begin 1']);
  });

  test('an idle machine: five minutes without viewers, recordings and other jobs; then it is stopped, not paused', async () => {
    const trials = new Queue({ needs: 'idle', priority: JOB_PRIORITY.trials, pollMs: 10 * SECOND }).put(1);
    trials.work = (_, { signal }) => seconds(1_000, signal);
    const pictures = new Queue({ pollMs: 10 * SECOND });
    use.recordings = 1;
    runner.start();
    await pass(10 * MINUTE);
    expect(events).toEqual([]);
    use.recordings = 0;
    await pass(14 * MINUTE);
    expect(events).toEqual([]);
    await pass(16 * MINUTE);
    expect(at('begin 1')).toHaveLength(1);
    pictures.put(2);
    await pass(17 * MINUTE);
    expect(events.map((one) => one.replace(/^\S+ /, ''))).toEqual([
      'begin 1',
      'begin 2',
      'stopped 1',
      'end 2',
    ]);
    expect(trials.failures).toEqual([{ meaning: 'stopped', attempts: 0, retryMs: 0 }]);
    await pass(20 * MINUTE);
    expect(at('begin 1')).toHaveLength(1);
    await pass(23 * MINUTE);
    expect(at('begin 1')).toHaveLength(2);
  });
});

describe('failures', () => {
  test('are retried after growing pauses, then given up; others run meanwhile', async () => {
    const queue = new Queue({
      retry: { attempts: 5, firstMs: 10 * SECOND, maxMs: 30 * SECOND, laterMs: 0 },
    }).put(1, 2);
    queue.work = async (id) => {
      if (id === 1) throw new Error('broken');
    };
    runner.start();
    await pass(10 * MINUTE);
    expect(at('begin 1')).toEqual([0, 10, 30, 60, 90]);
    expect(at('end 2')).toEqual([0.1]);
    expect(queue.failures.map(({ attempts, retryMs }) => [attempts, retryMs])).toEqual([
      [1, 10_000],
      [2, 20_000],
      [3, 30_000],
      [4, 30_000],
      [5, undefined],
    ]);
    expect(queue.waiting).toEqual([]);
  });

  test('a success forgets earlier ones', async () => {
    const queue = new Queue({ restMs: SECOND }).put(1);
    queue.take = () => {};
    let run = 0;
    queue.work = async () => {
      run += 1;
      if (run !== 3) throw new Error('broken');
    };
    runner.start();
    await pass(45 * SECOND);
    expect(queue.failures.map(({ attempts }) => attempts)).toEqual([1, 2, 1, 2]);
  });

  test('a lost worker is one: the job is started again', async () => {
    const queue = new Queue().put(1);
    let runs = 0;
    queue.work = async () => {
      runs += 1;
      if (runs < 3) throw new WorkerError('lost', 'worker: killed');
    };
    runner.start();
    await pass(MINUTE);
    expect(events.map((one) => one.replace(/^\S+ /, ''))).toEqual([
      ...['begin 1', 'fault 1', 'begin 1', 'fault 1', 'begin 1', 'end 1'],
    ]);
  });

  test('a worker that cannot start blocks its kind until the next round, and counts for no job', async () => {
    const queue = new Queue().put(1, 2);
    queue.work = fails(new WorkerError('busy', 'worker: cannot be started'));
    runner.start();
    await pass(9 * MINUTE);
    expect(events).toEqual(['0 begin 1', '0 blocked 1']);
    queue.work = async () => {};
    await pass(11 * MINUTE);
    expect(queue.waiting).toEqual([]);
    expect(queue.failures).toEqual([{ meaning: 'blocked', attempts: 0, retryMs: 0 }]);
  });

  test('a folder that does not respond keeps only its own job waiting, without an end', async () => {
    const queue = new Queue().put(1, 2);
    queue.work = async (id) => {
      if (id === 1) throw new Failure('busy', '応答しません。');
    };
    runner.start();
    await pass(9 * MINUTE);
    expect(at('begin 1')).toEqual([0, 120, 240, 360, 480]);
    expect(at('end 2')).toEqual([0.1]);
    expect(queue.failures.every(({ attempts }) => attempts === 0)).toBe(true);
  });

  test('a recording that is gone is given up at once', async () => {
    const queue = new Queue().put(1);
    queue.work = fails(new Failure('not_found', 'なし'));
    runner.start();
    await pass(MINUTE);
    expect(events).toEqual(['0 begin 1', '0 final 1']);
    expect(queue.waiting).toEqual([]);
  });

  test('without a store, a job that was given up waits for the next start, or for a user', async () => {
    let runs = 0;
    const jobs = runner.add<Work>({
      ...{ name: 'tests', priority: 1, needs: 'none', pollMs: SECOND, restMs: 0 },
      retry: { attempts: 1, firstMs: 0, maxMs: 0, laterMs: 0 },
      next: (excluded) => (excluded.has(1) ? undefined : { id: 1 }),
      run: async () => {
        runs += 1;
        throw new Error('broken');
      },
    });
    runner.start();
    await pass(MINUTE);
    expect(runs).toBe(1);
    expect(lines.join()).toContain('broken');
    jobs.forget(1);
    await pass(2 * MINUTE);
    expect(runs).toBe(2);
  });

  test('without a store, one that waits for the next start is logged', async () => {
    const queue = new Queue({
      retry: { attempts: 1, firstMs: 0, maxMs: 0, laterMs: Number.POSITIVE_INFINITY },
      failed: undefined as never,
    }).put(1);
    queue.work = fails(new Failure('busy', '応答しません。'));
    runner.start();
    await pass(12 * 60 * MINUTE);
    expect(at('begin 1')).toEqual([0]);
    expect(lines.filter((line) => line.includes('応答しません'))).toHaveLength(1);
  });

  test.each([
    [10 * SECOND, [0, 10, 20]],
    [10 * MINUTE, [0, 60, 120]],
  ])('one whose outcome cannot be stored does not run again at once: %d ms', async (firstMs, begun) => {
    const queue = new Queue({
      retry: { attempts: 3, firstMs, maxMs: firstMs, laterMs: firstMs },
      failed: () => {
        throw new Error('database is locked');
      },
    }).put(1);
    queue.work = fails(new Failure('not_found', 'なし'));
    runner.start();
    await pass((begun[2] ?? 0) * SECOND + 5 * SECOND);
    expect(at('begin 1')).toEqual(begun);
    expect(lines.join()).toContain('database is locked');
  });

  test.each([
    ['until the next start', Number.POSITIVE_INFINITY],
    ['for a minute: not all are tried within it', MINUTE],
  ])('many that rest %s do not keep the others waiting', async (_, laterMs) => {
    const retry = { attempts: 3, firstMs: 10 * SECOND, maxMs: MINUTE, laterMs };
    const queue = new Queue({ retry }).put(...Array.from({ length: 2_000 }, (_, id) => id));
    queue.work = async (id) => {
      if (id < 1_999) throw new Failure('busy', '応答しません。');
    };
    runner.start();
    await pass(170 * SECOND);
    expect(at('end 1999')).toHaveLength(1);
    expect(at('begin 0').length).toBe(laterMs === MINUTE ? 3 : 1);
  });
});

describe('ends', () => {
  test('a job that is cancelled, or whose recording is deleted, ends and is not retried', async () => {
    const deleted = new Set<number>();
    const queue = new Queue({ isGone: ({ id }) => deleted.has(id) }).put(1, 2);
    queue.work = (_, { signal }) => seconds(100, signal);
    runner.start();
    await pass(SECOND);
    expect(await queue.jobs.cancel(1)).toBe(true);
    expect(await queue.jobs.cancel(1)).toBe(false);
    await pass(2 * SECOND);
    deleted.add(2);
    hub.changed('recordings');
    await pass(MINUTE);
    expect(events).toEqual(['0 begin 1', '1 cancelled 1', '1.1 begin 2', '2 cancelled 2']);
    expect(queue.waiting).toEqual([]);
  });

  test('closing stops what runs, waits for it, and starts nothing', async () => {
    const queue = new Queue().put(1, 2);
    queue.work = async (_, { signal }) => {
      await seconds(100, signal).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, SECOND));
      throw signal.reason;
    };
    runner.start();
    await pass(SECOND);
    let isClosed = false;
    const closing = runner.close().then(() => {
      isClosed = true;
    });
    await pass(1_500);
    expect(isClosed).toBe(false);
    await pass(2_100);
    expect(isClosed).toBe(true);
    await closing;
    await pass(10 * MINUTE);
    expect(events).toEqual(['0 begin 1', '2 stopped 1']);
    expect(queue.waiting).toEqual([1, 2]);
  });

  test('a job that does not end delays the end of the service for four seconds', async () => {
    const queue = new Queue().put(1);
    queue.work = () => new Promise(() => {});
    runner.start();
    await pass(SECOND);
    let isClosed = false;
    void runner.close().then(() => {
      isClosed = true;
    });
    await pass(4 * SECOND);
    expect(isClosed).toBe(false);
    await pass(6 * SECOND);
    expect(isClosed).toBe(true);
  });
});
