/** The part of a recorder's room that receives, for tests of what the room does with it. */
import { join } from 'node:path';
import { type Measured, nothingMeasured } from '../../src/model/verdict.ts';
import type {
  SessionEnd,
  SessionOptions,
  SessionResult,
  SessionTimes,
} from '../../src/record/recording-session.ts';
import type { Session } from '../../src/record/running-recording.ts';

/** Receives everything and ends when it is told to. */
export class FakeRecordingSession implements Session {
  readonly #done = Promise.withResolvers<SessionResult>();
  readonly done = this.#done.promise;
  phase: 'receiving' | 'over' = 'receiving';
  times: SessionTimes;
  yieldedAt: number | undefined;
  setBy: number[] = [];
  measured: Measured = nothingMeasured();

  constructor(readonly options: SessionOptions) {
    const { openAt, mainAt, endAt } = options;
    this.times = { openAt, mainAt, endAt };
  }

  get state() {
    const { phase } = this;
    return { phase, cause: null, bytes: 188, drops: 0, slow: false, tunerId: 'tuner0' };
  }

  start(): void {
    const path = join('/nowhere', `${this.options.id}.ts`);
    const { stem, ledger } = this.options;
    ledger.placed([{ path, bytes: 0 }], { folder: '/nowhere', stem }).catch(() => {});
  }
  setStart(times: Pick<SessionTimes, 'openAt' | 'mainAt'>): void {
    this.times = { ...this.times, ...times };
  }
  setEnd(endAt: number): void {
    this.times = { ...this.times, endAt };
  }
  setListen(listenUntil: number | null): void {
    this.times = { ...this.times, listenUntil };
  }
  yieldEnd(at: number): void {
    this.yieldedAt = at;
  }
  clockSet(byMs: number): void {
    this.setBy.push(byMs);
  }
  stop(): Promise<SessionResult> {
    return this.end('stopped');
  }
  close(): Promise<SessionResult> {
    return this.end('closed');
  }
  end(end: SessionEnd): Promise<SessionResult> {
    this.phase = 'over';
    this.#done.resolve({ end, at: this.options.now(), measured: this.measured, parts: [] });
    return this.done;
  }
}
