/** A session that receives everything, for tests of how the recorder manages its sessions. */
import { join } from 'node:path';
import type { BroadcastMs } from '../../arib/time.ts';
import { type Measured, nothingMeasured } from '../../src/model/verdict.ts';
import {
  type CourseEnd,
  endsAt,
  next,
  type OrderedTimes,
  type RecordingCourse,
} from '../../src/record/recording-course.ts';
import type { SessionOptions, SessionResult } from '../../src/record/recording-session.ts';
import type { Session } from '../../src/record/running-recording.ts';

/** Ends on request; its state transitions are the real ones. */
export class FakeRecordingSession implements Session {
  readonly #done = Promise.withResolvers<SessionResult>();
  readonly done = this.#done.promise;
  phase: 'receiving' | 'over' = 'receiving';
  course: RecordingCourse;
  /** Clock steps that were reported to it, ms. */
  clockSteps: number[] = [];
  measured: Measured = nothingMeasured();

  constructor(readonly options: SessionOptions) {
    this.course = options.course;
  }

  get endsAt(): BroadcastMs {
    return endsAt(this.course.times);
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
    this.course = next(this.course, { kind: 'tick', at: this.options.broadcastClock(), reception });
  }
  follow(ordered: OrderedTimes): void {
    this.course = next(this.course, { kind: 'ordered', at: this.options.broadcastClock(), ordered });
  }
  /** Ends only when the test requests it. */
  yieldEnd(at: BroadcastMs): void {
    this.course = { ...this.course, yieldedAt: at };
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
  end(end: CourseEnd): Promise<SessionResult> {
    this.phase = 'over';
    const measured = { ...this.measured, isAired: this.course.isAired };
    this.#done.resolve({ end, at: this.options.broadcastClock(), measured, parts: [] });
    return this.done;
  }
}
