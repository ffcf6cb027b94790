/** A session that receives everything, for tests of how the recorder manages its sessions. */
import { join } from 'node:path';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { type Measured, nothingMeasured } from '../../src/model/verdict.ts';
import {
  endsAt,
  type LifecycleEnd,
  next,
  type OrderedTimes,
  type RecordingLifecycle,
} from '../../src/record/recording-lifecycle.ts';
import type { SessionOptions, SessionResult } from '../../src/record/recording-session.ts';
import type { Session } from '../../src/record/running-recording.ts';

/** Ends on request; its state transitions are the real ones. */
export class FakeRecordingSession implements Session {
  readonly #done = Promise.withResolvers<SessionResult>();
  readonly done = this.#done.promise;
  phase: 'receiving' | 'over' = 'receiving';
  lifecycle: RecordingLifecycle;
  /** Clock steps that were reported to it, ms. */
  clockSteps: number[] = [];
  measured: Measured = nothingMeasured();

  constructor(readonly options: SessionOptions) {
    this.lifecycle = options.lifecycle;
  }

  get endsAt(): BroadcastMs {
    return endsAt(this.lifecycle.times);
  }

  get state() {
    const { phase } = this;
    return { phase, cause: null, bytes: 188, drops: 0, slow: false, tunerId: 'tuner0' };
  }

  start(): void {
    const path = join('/nowhere', `${this.options.id}.ts`);
    const { stem, ledger } = this.options;
    ledger.placed([{ path, bytes: 0 }], { folder: '/nowhere', stem }).catch(() => {});
    this.tick();
  }
  tick(): void {
    const reception = { isReceiving: true, isCutOff: false };
    this.lifecycle = next(this.lifecycle, { kind: 'tick', at: this.options.broadcastClock(), reception });
  }
  follow(ordered: OrderedTimes): void {
    this.lifecycle = next(this.lifecycle, { kind: 'ordered', at: this.options.broadcastClock(), ordered });
  }
  /** Ends only when the test requests it. */
  yieldEnd(at: BroadcastMs): void {
    this.lifecycle = { ...this.lifecycle, yieldedAt: at };
  }
  clockSet(byMs: number): void {
    this.clockSteps.push(byMs);
  }
  stop(): Promise<SessionResult> {
    return this.end('stopped');
  }
  close(): Promise<SessionResult> {
    return this.end('closed');
  }
  end(end: LifecycleEnd): Promise<SessionResult> {
    this.phase = 'over';
    const measured = { ...this.measured, isAired: this.lifecycle.isAired };
    this.#done.resolve({ end, at: this.options.broadcastClock(), measured, parts: [] });
    return this.done;
  }
}
