/**
 * What was received and written of a recording, over all processes and streams that wrote it, in broadcast time.
 * Outputs report times by their worker's clock; PCRs of the file's tail and the new stream give the pause between two.
 */
import { type BroadcastMs, broadcastMs, earliest, latest, plusMs } from '../../lib/arib/time.ts';
import { PCR_PER_MS, pcrDifference } from '../../lib/arib/ts/clock.ts';
import type { MonotonicMs, WallClock } from '../../lib/host/clock.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import { type Break, isUnreadable, type Measured, nothingMeasured } from '../model/verdict.ts';
import type { FileCut, FileEvent, FileIdle, LeftFile, Withholding } from '../reception/file-output.ts';
import { LATEST_MS, ReceptionDelay } from './reception-delay.ts';
import { RecordingMeasurement } from './recording-measurement.ts';
import { ScramblingCause } from './stream-cause.ts';

/** A stream that ends this soon after a pause of the process ended because of it: the agent's backlog overflowed. */
const AFTER_PAUSE_MS = 20_000;
/** Causes that a pause of the process can produce. */
const OF_A_PAUSE: ReadonlySet<GapCause> = new Set([
  ...(['stream_ended', 'agent_unavailable', 'agent_silent', 'stalled'] as const),
]);
/** Maximum difference between PCR and machine clock for the length of one pause. */
const BELIEVED_MS = 10_000;
/** Packets wait for half a second until they are written: on average this long. */
const WRITTEN_AFTER_MS = 250;

type Progress = Extract<FileEvent, { kind: 'progress' }>['progress'];
type FormerFile = NonNullable<Extract<FileEvent, { kind: 'opened' }>['former']>;
/** The same, dated by the broadcast's clock. */
type PreviousProgress = Omit<FormerFile, 'modifiedAt'> & {
  modifiedAt: BroadcastMs;
  /** This process closed the file: all of its octets were written. */
  isOwn: boolean;
};

interface ReceptionTimelineOptions {
  /** What an earlier process had measured. */
  former: Measured | undefined;
  /** Why nothing was received until now, and since when it should have been. */
  delayedBy?: { cause: GapCause; from: BroadcastMs } | undefined;
  broadcastClock: () => BroadcastMs;
  /** For the times of files. */
  wallClock: WallClock;
  began: (at: BroadcastMs) => void;
  /** Packets are written (again). */
  onReceiving: () => void;
  /** Why packets currently stay scrambled; undefined if unknown. Never rejects. */
  whyScrambled?: (() => Promise<GapCause | undefined>) | undefined;
  /** Why nothing comes from the agent; undefined if unknown. Never rejects. */
  whySilent?: (() => Promise<GapCause | undefined>) | undefined;
  /** A gap that is not visible in a file began or ended. */
  onGap?: (() => void) | undefined;
  /** `unwatchableBy` changed. */
  onUnwatchable?: (() => void) | undefined;
}

export class ReceptionTimeline {
  readonly #measurement: RecordingMeasurement;
  /** Since when nothing is received; undefined while something is. */
  #outage: { cause: GapCause; from: BroadcastMs } | undefined;
  #triedFrom: BroadcastMs | undefined;
  /** The last pause of the process. */
  #pause: { from: BroadcastMs; to: BroadcastMs } | undefined;
  /** Copy control of the current stream forbids recording. */
  isForbidden = false;
  /** Broadcast time minus the worker's clock, for the current output. */
  #offset: number | undefined;
  readonly #delay = new ReceptionDelay();
  /** Delay of the last packets, ms. */
  #delayMs = 0;
  /** Gaps whose end depends on the delay of the next packets. */
  #holes: { cause: Withholding; from: BroadcastMs; to: BroadcastMs }[] = [];
  /** Nothing was written up to the last report, and it is unknown until when. */
  #idle: (Break & { known?: GapCause; isAsked: boolean }) | undefined;
  /** Missing parts of the current file, before packets that are not reported yet. */
  #cuts: (Break & { pcr?: number | null; isWhole?: boolean })[] = [];
  /** Where the PCRs moved the end of the previous process's data to. */
  #joined: { at: BroadcastMs; since: BroadcastMs } | undefined;
  /** State of the file when the current output began; cleared when used. */
  #former: PreviousProgress | undefined;
  #isFormerKnown = false;
  /** The open file. */
  #path: string | undefined;
  /** The file that the current output left last. */
  #left: LeftFile | undefined;
  /** The first seconds of the current output, until the file is open. */
  #waiting: { from: BroadcastMs; progress: Progress }[] = [];
  #isOpen = false;
  /** Earlier measurements come from another process and its clock. */
  #createdAt: BroadcastMs;
  /** The last packets stayed scrambled. */
  #isUnreadable = false;
  /** Picture or sound is missing at the end of the last packets. */
  #missing: GapCause | undefined;
  readonly #scrambling: ScramblingCause;

  constructor(readonly options: ReceptionTimelineOptions) {
    this.#measurement = new RecordingMeasurement(structuredClone(options.former ?? nothingMeasured()));
    const explained = (cause: GapCause): void => this.#measurement.explainScrambled(cause);
    this.#scrambling = new ScramblingCause(options.whyScrambled, explained, () => options.onUnwatchable?.());
    this.#createdAt = options.broadcastClock();
    const reportedUntil = this.#measurement.reportedUntil;
    if (reportedUntil !== undefined) this.#outage = { cause: 'service_stopped', from: reportedUntil };
    else if (options.delayedBy !== undefined) this.#outage = { ...options.delayedBy };
  }

  get measured(): Measured {
    return this.#measurement.value;
  }

  /** What must be stored in case this process is killed now, including a reception gap in progress. */
  get soFar(): Measured {
    const { measured } = this;
    const outage = this.#outage;
    const to = this.options.broadcastClock();
    const open = outage === undefined || outage.from >= to ? [] : [{ ...outage, to }];
    const idle = outage === undefined ? this.#idle : undefined;
    const idling =
      idle === undefined ? [] : [{ cause: idle.known ?? idle.cause, from: idle.from, to: idle.to }];
    const gaps = [...this.#holes, ...idling, ...open];
    if (gaps.length + this.#cuts.length === 0) return measured;
    const soFar = new RecordingMeasurement(structuredClone(measured));
    for (const { cause, from, to: end } of this.#cuts) soFar.lost(cause, { from, to: end });
    return { ...soFar.value, breaks: [...soFar.value.breaks, ...gaps] };
  }

  /** Packets are written. */
  get isRunning(): boolean {
    return this.#outage === undefined && this.#idle === undefined;
  }

  /** Why the current stream sends nothing, if that is known. */
  get silentBy(): GapCause | undefined {
    return this.#idle?.known;
  }

  get isTried(): boolean {
    return this.#triedFrom !== undefined;
  }

  /** When the last packet arrived. */
  get until(): BroadcastMs | undefined {
    return this.#measurement.until;
  }

  get isBegun(): boolean {
    return this.until !== undefined;
  }

  get cause(): GapCause | undefined {
    return this.isForbidden ? 'copy_never' : this.#outage?.cause;
  }

  /** Why what is received cannot be watched; undefined if it can, or the reason is unknown. */
  get unwatchableBy(): GapCause | undefined {
    return this.#scrambling.cause ?? this.#missing;
  }

  /** The current output has reported something. */
  get hasReported(): boolean {
    return this.#offset !== undefined;
  }

  /** Reception is attempted from now on. */
  begin(): void {
    this.#triedFrom ??= this.options.broadcastClock();
  }

  /** A new output begins. */
  beginLife(): void {
    this.#offset = undefined;
    this.#path = undefined;
    this.#left = undefined;
    this.#measurement.outputBegins();
    this.#former = undefined;
    this.#waiting = [];
    this.#idle = undefined;
    this.#isOpen = false;
    this.isForbidden = false;
  }

  /** An event of the output. @param at the worker's clock when it was sent */
  take(event: FileEvent, at: MonotonicMs): void {
    // Messages of a busy worker arrive late: the fastest one gives the offset of the clocks.
    const apart = this.options.broadcastClock() - at;
    const offset = Math.min(this.#offset ?? apart, apart);
    this.#offset = offset;
    if (event.kind === 'idle') {
      this.#idles(event.idle, at);
      return;
    }
    const wasIdle = this.#idle !== undefined;
    if (event.kind === 'progress' || event.kind === 'hole') this.#idle = undefined;
    const hadCuts = this.#cuts.length > 0;
    if (event.kind === 'opened') {
      // An output that changes its file continues its own measurements.
      if (!this.#isOpen) this.#former = this.#dated(event.former);
      this.#isFormerKnown = true;
      this.#path = event.path;
      this.#measurement.fileOpened(event.path);
      this.#opened();
    } else if (event.kind === 'left') this.#leave(event.left);
    else if (event.kind === 'progress') {
      const from = broadcastMs(event.progress.second.from + offset);
      this.#waiting.push({ from, progress: event.progress });
      if (this.#isOpen) this.#opened();
    } else if (event.kind === 'hole') {
      this.#hole(event.cause, broadcastMs(event.from + offset), broadcastMs(event.to + offset));
    } else if (event.kind === 'cut') this.#cut(event.cut);
    else if (event.kind === 'forbidden') this.isForbidden = event.on;
    else if (event.kind === 'ended') {
      this.#opened();
      this.#endHoles(undefined);
    }
    if ((wasIdle && this.#idle === undefined) || (hadCuts && this.#cuts.length === 0)) this.options.onGap?.();
  }

  /** An event of an output that was replaced before it ended. @param path the file that it wrote */
  takeLate(path: string, event: FileEvent, at: MonotonicMs): void {
    const apart = this.options.broadcastClock() - at;
    if (event.kind === 'hole') this.#measurement.lostEnd(event.cause, path, broadcastMs(event.from + apart));
    else if (event.kind === 'cut') {
      const { cut } = event;
      const from = cut.from === null ? null : broadcastMs(cut.from + apart);
      this.#measurement.cut({ ...cut, from, to: broadcastMs(cut.to + apart) });
    }
  }

  /** Reception is interrupted from now on, or for another reason than before. */
  lose(reported: GapCause): void {
    const now = this.options.broadcastClock();
    const isOfPause = this.#pause !== undefined && now - this.#pause.to < AFTER_PAUSE_MS;
    const cause = isOfPause && OF_A_PAUSE.has(reported) ? 'paused' : reported;
    const before = this.#outage;
    if (before?.cause === cause) return;
    this.#opened();
    this.#endCuts();
    if (before !== undefined) this.#measurement.broke(before.cause, { from: before.from, to: now });
    this.#outage = { cause, from: before === undefined ? (this.until ?? this.#triedFrom ?? now) : now };
  }

  /** The whole process was paused until now. The agent's backlog is read next. */
  paused(forMs: number): void {
    const to = this.options.broadcastClock();
    this.#pause = { from: plusMs(to, -forMs), to };
  }

  /** No output of this process has opened the file of an earlier process yet. */
  get isFormerUnknown(): boolean {
    return this.options.former !== undefined && !this.#isFormerKnown;
  }

  /** What an earlier process left in its file, if nothing was received since. */
  leftBehind(former: FormerFile): void {
    this.#former = this.#dated(former);
    this.#isFormerKnown = true;
  }

  /** The recording is over. */
  settle(at: BroadcastMs): void {
    this.#endHoles(undefined);
    this.#endCuts();
    const former = this.#former;
    this.#former = undefined;
    if (former !== undefined && former.recounted.packets > 0) this.#join(former, at, null);
    const outage = this.#outage;
    this.#outage = undefined;
    if (outage !== undefined) this.#measurement.broke(outage.cause, { from: outage.from, to: at });
  }

  /** The rest of the margin was given to another recording. */
  yielded(endAt: BroadcastMs): void {
    const from = this.until ?? this.options.broadcastClock();
    this.#measurement.broke('yielded', { from, to: endAt });
  }

  /**
   * The contents of this file are lost, but not what was queued when the output left it.
   * @param isAll there is no other file
   */
  forget(path: string, isAll: boolean): void {
    const cause = 'file_changed';
    const { stretches, files = [] } = this.measured;
    const left = this.#left?.path === path ? this.#datedArrival(this.#left.writtenUntil) : undefined;
    const lost = isAll ? [...stretches] : files.filter((one) => one.path === path);
    const known = earliest(this.until ?? broadcastMs(0), left ?? broadcastMs(Number.POSITIVE_INFINITY));
    for (const { from, to } of lost) this.#measurement.lost(cause, { from, to: earliest(to, known) });
    const end = lost.at(-1)?.to;
    const from = end === undefined ? undefined : earliest(end, known);
    const to = left ?? plusMs(this.options.broadcastClock(), -WRITTEN_AFTER_MS);
    if (from !== undefined && to > from) this.#cuts.push({ cause, from, to });
  }

  #datedArrival(at: MonotonicMs): BroadcastMs | undefined {
    return this.#offset === undefined ? undefined : broadcastMs(at + this.#offset - this.#delayMs);
  }

  /** The clock was corrected: earlier times move by this. */
  clockSet(byMs: number): void {
    this.#measurement.shift(byMs, this.#createdAt);
    const shift = (at: BroadcastMs): BroadcastMs => (at >= this.#createdAt ? plusMs(at, byMs) : at);
    if (this.#outage !== undefined) this.#outage.from = shift(this.#outage.from);
    if (this.#triedFrom !== undefined) this.#triedFrom = plusMs(this.#triedFrom, byMs);
    if (this.#offset !== undefined) this.#offset += byMs;
    this.#delay.clockSet(byMs);
    const idle = this.#idle === undefined ? [] : [this.#idle];
    for (const one of [...this.#holes, ...this.#cuts, ...idle]) {
      one.from = shift(one.from);
      one.to = shift(one.to);
    }
    for (const one of this.#waiting) one.from = plusMs(one.from, byMs);
    this.#createdAt = plusMs(this.#createdAt, byMs);
  }

  #dated(former: FormerFile | null): PreviousProgress | undefined {
    const { broadcastClock, wallClock } = this.options;
    if (former === null) return undefined;
    const modifiedAt = broadcastMs(former.modifiedAt + broadcastClock() - wallClock());
    return { ...former, modifiedAt, isOwn: !this.isFormerUnknown };
  }

  #opened(): void {
    this.#isOpen = true;
    for (const { from, progress } of this.#waiting.splice(0)) this.#received(from, progress);
  }

  #leave(left: LeftFile): void {
    this.#path = undefined;
    this.#left = left;
    const at = this.#datedArrival(left.writtenUntil);
    if (at !== undefined) this.#measurement.fileLeft(left.path, at);
    // Octets and times of the two files are saved together.
    this.options.onGap?.();
  }

  #received(arrivedAt: BroadcastMs, { second }: Progress): void {
    const path = this.#path;
    const arrivedUntil = broadcastMs(arrivedAt + second.to - second.from);
    const delay = this.#delay.take({ ...second, from: arrivedAt, to: arrivedUntil });
    if (delay.earlier !== undefined) this.#cameEarlier(delay.earlier);
    const due = plusMs(arrivedAt, -delay.from);
    // If there was no gap before it, it continues the previous second.
    const before = this.#measurement.reportedUntil ?? due;
    const from = second.isApart || this.#outage !== undefined ? due : earliest(due, before);
    const to = latest(from, plusMs(arrivedUntil, -delay.to));
    const endsHole = this.#holes.length > 0;
    this.#endHoles(from);
    this.#delayMs = delay.to;
    const former = this.#former;
    this.#former = undefined;
    if (former !== undefined) this.#join(former, from, second.pcr, path);
    const outage = this.#outage;
    this.#outage = undefined;
    if (outage !== undefined) {
      const start = latest(this.until ?? outage.from, outage.from);
      this.#measurement.broke(outage.cause, { from: start, to: from });
    }
    const wasBegun = this.isBegun;
    const cause = this.#scrambling.of(second, to);
    this.#measurement.received({ from, to }, cause === undefined ? second : { ...second, cause }, path);
    if (second.pcr !== null) this.#dateCuts(due, second.pcr);
    this.#endCuts(to);
    this.#measurement.unwatchable(to, second.unwatchable);
    const missing = second.unwatchable.find(({ toBeforeEndMs }) => toBeforeEndMs === 0)?.cause;
    if (missing !== this.#missing) {
      this.#missing = missing;
      this.options.onUnwatchable?.();
    }
    if (!wasBegun) this.options.began(broadcastMs(Math.round(from)));
    const wasUnreadable = this.#isUnreadable;
    this.#isUnreadable = isUnreadable(second);
    if (endsHole || this.#isUnreadable !== wasUnreadable) this.options.onGap?.();
    this.options.onReceiving();
  }

  /** When the previous process really stopped writing, and the packets that it had not counted. */
  #join(former: PreviousProgress, from: BroadcastMs, pcr: number | null, path?: string): void {
    const reportedUntil = this.until;
    if (reportedUntil === undefined) {
      // It was killed before it saved anything: only the file has the data.
      if (former.recounted.packets > 0 && former.modifiedAt < from) {
        this.#measurement.received({ from: former.modifiedAt, to: former.modifiedAt }, former.recounted);
        this.#outage = { cause: 'service_stopped', from: former.modifiedAt };
      }
      return;
    }
    const written = earliest(latest(this.#measurement.writtenUntil(former), reportedUntil), from);
    const end = former.recounted.packets > 0 ? written : reportedUntil;
    const gap = pcr === null || former.pcr === null ? undefined : pcrDifference(pcr, former.pcr) / PCR_PER_MS;
    // Anything may have touched the file since it was last written.
    const isNear = (at: BroadcastMs): boolean =>
      Math.abs(at - end) < BELIEVED_MS ||
      (at >= reportedUntil && at <= end) ||
      (this.#pause !== undefined && at > this.#pause.from - BELIEVED_MS && at < end);
    const believed = gap !== undefined && gap >= 0 && isNear(plusMs(from, -gap));
    const isOfTheEnd = believed && plusMs(from, -gap) > (this.measured.stretches.at(-1)?.from ?? 0);
    // A worker that was lost had counted packets that it had not written yet.
    const isComplete = former.isOwn && this.#outage?.cause !== 'recorder_failed';
    if ((isComplete || !isOfTheEnd) && former.lost > 0 && path !== undefined) {
      const held = gap === undefined ? null : plusMs(from, -gap);
      const isShort = held !== null && this.#measurement.receivedMs(held) < BELIEVED_MS;
      const missing = { path, size: former.size, lost: former.lost, from: held, to: reportedUntil };
      if (isComplete || !isShort) this.#measurement.cut(missing);
      else this.#measurement.unwritten(former.isOwn ? 'recorder_failed' : 'service_stopped', held);
      return;
    }
    const byStream = believed ? plusMs(from, -gap) : end;
    const real = believed ? this.#measurement.fileEnd(path, former, byStream) : end;
    this.#joined = believed && real === byStream ? { at: real, since: this.#delay.since } : undefined;
    // Packets that were late when nothing seemed to come: holes in the file are found again.
    if (former.recounted.packets > 0) this.#measurement.forgetSilence({ from: reportedUntil, to: real });
    this.#measurement.endedAt(real);
    const found = { from: earliest(reportedUntil, real), to: real };
    if (former.recounted.packets > 0) this.#measurement.recounted(found, former);
    if (believed && path !== undefined) this.#measurement.cutOut(path, reportedUntil, real, former);
    if (this.#outage !== undefined) {
      const first = this.measured.breaks.find(
        (one) => one.from >= Math.min(reportedUntil, real) && one.to > real,
      );
      if (first === undefined) this.#outage.from = real;
      else first.from = real;
    }
  }

  #idles({ cause, from, isSilent }: FileIdle, at: MonotonicMs): void {
    const [begin, to] = [this.#datedArrival(from), this.#datedArrival(at)];
    if (begin === undefined || to === undefined) return;
    this.#idle ??= { cause, from: latest(begin, this.until ?? begin), to, isAsked: false };
    const idle = this.#idle;
    idle.to = latest(idle.from, to);
    const { whySilent } = this.options;
    if (!isSilent || idle.isAsked || whySilent === undefined) return;
    idle.isAsked = true;
    void whySilent().then((known) => {
      idle.isAsked = false;
      if (known !== undefined) idle.known = known;
    });
  }

  /** Takes effect once the packets after it are reported, which otherwise would seem to continue those before it. */
  #cut({ path, size, lost, from, to, pcr }: FileCut): void {
    this.#opened();
    if (this.#offset === undefined) return;
    const arrived = broadcastMs(to + this.#offset);
    const end = plusMs(arrived, -this.#delay.lateMs(arrived, pcr));
    const start = from === null ? null : plusMs(end, from - to);
    const begin = this.#measurement.cutAt({ path, size, lost, from: start, to: end });
    this.#cuts.push({ cause: 'file_changed', from: begin, to: end, pcr, isWhole: size === 0 });
    this.options.onGap?.();
  }

  /** Packets that arrive late are dated by their clock references. */
  #dateCuts(at: BroadcastMs, pcr: number): void {
    for (const cut of this.#cuts) {
      if (cut.pcr == null) continue;
      const to = plusMs(at, pcrDifference(cut.pcr, pcr) / PCR_PER_MS);
      if (Math.abs(to - cut.to) > LATEST_MS) continue;
      cut.from = cut.isWhole ? cut.from : plusMs(cut.from, to - cut.to);
      cut.to = to;
      cut.pcr = null;
    }
  }

  /** @param until up to when packets are reported; undefined: no more are */
  #endCuts(until?: BroadcastMs): void {
    for (const cut of this.#cuts.splice(0)) {
      if (until === undefined || cut.to < until) this.#measurement.lost(cut.cause, cut);
      else this.#cuts.push(cut);
    }
  }

  #hole(cause: Withholding, from: BroadcastMs, to: BroadcastMs): void {
    this.#opened();
    this.#endHoles(undefined);
    const due = plusMs(from, -this.#delayMs);
    // The gap begins right after the received data, however late it is detected.
    const begin = this.#outage === undefined ? earliest(due, this.until ?? due) : due;
    this.#holes.push({ cause, from: begin, to });
    this.options.onGap?.();
  }

  /** @param at when the packets after them were due; undefined: none follow */
  #endHoles(at: BroadcastMs | undefined): void {
    for (const { cause, from, to } of this.#holes.splice(0)) {
      const end = at === undefined ? to : earliest(to, at);
      this.#measurement.broke(cause, { from: earliest(from, end), to: end });
    }
  }

  /** Moves measurements since then: their packets are now known to have been late. */
  #cameEarlier({ byMs, since }: { byMs: number; since: BroadcastMs }): void {
    const joined = this.#joined?.since === since ? this.#joined : undefined;
    const from = joined?.at ?? since;
    this.#measurement.shift(-byMs, from);
    const shift = (at: BroadcastMs): BroadcastMs => (at >= from ? plusMs(at, -byMs) : at);
    if (this.#outage !== undefined) this.#outage.from = shift(this.#outage.from);
    for (const one of [...this.#holes, ...this.#cuts]) one.from = shift(one.from);
    if (joined !== undefined) this.#joined = { at: plusMs(joined.at, -byMs), since: plusMs(since, -byMs) };
  }
}
