/**
 * Event-loop delay of the service while its guide worker stores a full satellite network: the service runs in
 * this process, with its workers; the broadcast in another.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs, systemMonotonicClock, wallMs } from '../../../lib/host/clock.ts';
import { SILENT_LOG } from '../../../lib/host/log.ts';
import { systemRandom } from '../../../lib/host/random.ts';
import { readConfig } from '../../../src/config.ts';
import { startService } from '../../../src/service.ts';
import { openDatabase } from '../../../src/store/database.ts';
import {
  startBackgroundWorker,
  startDatabaseWorker,
  startGuideWorker,
  startReceptionWorker,
  startScheduleWorker,
} from '../../../src/workers.ts';
import { quantile } from './figures.ts';

const START_LIMIT_MS = 120_000;
const STORE_LIMIT_MS = 180_000;
const BEAT_MS = 5;
const LOOK_MS = 250;
/** Required share of the programmes announced a week ahead: the others change meanwhile, or have begun. */
const ENOUGH = 0.97;

export interface Storing {
  readonly programs: number;
  readonly seconds: number;
  /** ms, while nothing was stored and while it was. */
  readonly idleLag: number;
  readonly lag: number;
  readonly worst: number;
}

/** Measures how late timers of this loop fire. */
class Beat {
  readonly late: number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  start(): this {
    const due = performance.now() + BEAT_MS;
    this.#timer = setTimeout(() => {
      this.late.push(Math.max(performance.now() - due, 0));
      this.start();
    }, BEAT_MS);
    return this;
  }

  stop(): readonly number[] {
    clearTimeout(this.#timer);
    return this.late;
  }
}

async function startAir() {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'guide-broadcast.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const late = setTimeout(() => child.kill(), START_LIMIT_MS);
  let text = '';
  for await (const part of child.stdout) {
    text += new TextDecoder().decode(part);
    const [, port, events] = /port=(\d+) events=(\d+)/.exec(text) ?? [];
    if (port === undefined) continue;
    clearTimeout(late);
    const end = async (): Promise<void> => {
      child.kill();
      await child.exited;
    };
    return { url: `http://127.0.0.1:${port}`, events: Number(events), end };
  }
  throw new Error('the air does not start');
}

/** @throws Error if the guide is not stored in time */
export async function storeSatelliteNetwork(): Promise<Storing> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-store-'));
  const air = await startAir();
  try {
    const before = new Beat().start();
    await Bun.sleep(3_000);
    const idle = before.stop();
    const service = await startService({
      config: readConfig({
        HOST: '127.0.0.1',
        PORT: '0',
        DATA_DIR: folder,
        TRUSTED_NETWORKS: '127.0.0.0/8',
        TUNER_AGENT_URL: air.url,
      }),
      log: SILENT_LOG,
      now: () => wallMs(Date.now()),
      elapsed: () => monotonicMs(performance.now()),
      monotonic: systemMonotonicClock,
      random: systemRandom,
      searchPath: '/nonexistent',
      webDir: null,
      startReceptionWorker,
      startGuideWorker,
      startScheduleWorker,
      startBackgroundWorker,
      startDatabaseWorker,
    });
    try {
      return await watch(folder, air.events, quantile(idle, 0.99));
    } finally {
      await service.close();
    }
  } finally {
    await air.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function watch(folder: string, events: number, idleLag: number): Promise<Storing> {
  const database = openDatabase(join(folder, 'svc.db'));
  const count = database.query<{ n: number }, []>('SELECT count(*) AS n FROM programs');
  const begin = performance.now();
  // The start itself is not measured.
  while ((count.get()?.n ?? 0) === 0 && performance.now() - begin < STORE_LIMIT_MS) await Bun.sleep(LOOK_MS);
  const beat = new Beat().start();
  try {
    for (;;) {
      await Bun.sleep(LOOK_MS);
      const programs = count.get()?.n ?? 0;
      const seconds = (performance.now() - begin) / 1000;
      if (programs >= events * ENOUGH) {
        const late = beat.stop();
        return { programs, seconds, idleLag, lag: quantile(late, 0.99), worst: Math.max(...late) };
      }
      if (seconds * 1000 > STORE_LIMIT_MS) throw new Error(`stored ${programs} of ${events} programmes only`);
    }
  } finally {
    beat.stop();
    database.close();
  }
}
