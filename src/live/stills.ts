/**
 * Small pictures of what stations show now, for home screens. They are taken only while a client asks for them, one
 * channel after the other, at the lowest priority at the agent: from a tuning that others use, or on an unused tuner,
 * which anything else takes over at once.
 *
 * Bounds: MAX_STILLS pictures of MAX_STILL_BYTES, in memory only, forgotten after FORGET_MS; one channel and one
 * ffmpeg at a time, CHANNEL_LIMIT_MS for a channel; a pause between two channels. An HD picture takes ffmpeg 80 ms.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { sleepUnlessAborted, unlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { MAX_STILLS, PRIORITY, type Still } from '../../lib/wire/api.ts';
import { Failure } from '../model/failure.ts';
import type { StationRecord } from '../model/station.ts';
import type { ReaderEnd } from '../reception/reader-kind.ts';
import { planReader, type ReceptionPool } from '../reception/reception-pool.ts';
import { type IntraPicture, stillReader } from '../reception/still-reader.ts';
import { STREAM_USE } from '../tuner/agent-stream.ts';
import { planStill, type StillTarget, type StillTry } from './still-plan.ts';

/** A home screen asks several times in this period. */
const ASKED_MS = 60_000;
/** An older picture tells nothing about what is on. */
const FORGET_MS = 10 * 60_000;
/** Tuning takes up to five seconds, and an intra picture comes every half. */
const CHANNEL_LIMIT_MS = 12_000;
/** `idle`: while no channel is due, or none can be received. */
const PAUSES_MS = { afterFirst: 300, after: 3_000, idle: 2_000 };

interface StillsOptions {
  readonly pool: Pick<ReceptionPool, 'open'>;
  readonly stations: { find(id: StationId): StationRecord | undefined };
  readonly tuners: () => Promise<readonly Tuner[]>;
  /** Makes a JPEG; undefined: it cannot be decoded. */
  readonly jpegOf: (
    picture: IntraPicture,
    signal: AbortSignal,
  ) => Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** The household lets unused tuners be taken, and nothing else needs them. */
  readonly mayTune: () => boolean;
  readonly clock: MonotonicClock;
  readonly broadcastNow: () => BroadcastMs;
  readonly log: Log;
  readonly pausesMs?: typeof PAUSES_MS | undefined;
}

interface KeptStill {
  readonly takenAt: number;
  readonly still: Still;
  readonly tag: string;
  readonly jpeg: Uint8Array<ArrayBuffer>;
}

export class Stills {
  /** When a client asked last. */
  readonly #asked = new Map<StationId, number>();
  readonly #tries = new Map<StationId, StillTry>();
  /** Oldest first. */
  readonly #kept = new Map<StationId, KeptStill>();
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;

  constructor(private readonly options: StillsOptions) {}

  /** The pictures that there are of these stations; newer ones are taken as long as this is called. */
  ask(stations: readonly StationId[]): Still[] {
    const now = this.options.clock();
    for (const id of stations.slice(0, MAX_STILLS)) {
      if (this.options.stations.find(id) === undefined) continue;
      this.#asked.delete(id);
      this.#asked.set(id, now);
    }
    while (this.#asked.size > MAX_STILLS) forgetFirst(this.#asked);
    this.#start();
    this.#forget(now);
    return stations.slice(0, MAX_STILLS).flatMap((id) => this.#kept.get(id)?.still ?? []);
  }

  find(id: StationId): Pick<KeptStill, 'jpeg' | 'tag'> | undefined {
    this.#forget(this.options.clock());
    return this.#kept.get(id);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  #start(): void {
    if (this.#running !== undefined || this.#ending.signal.aborted) return;
    this.#running = this.#run().then(() => {
      this.#running = undefined;
      // A client asked in between.
      if (this.#wanted().length > 0) this.#start();
    });
  }

  /** Until no client asks any more. Never rejects. */
  async #run(): Promise<void> {
    const { signal } = this.#ending;
    const { log, pausesMs = PAUSES_MS } = this.options;
    while (!signal.aborted && this.#wanted().length > 0) {
      let pause = pausesMs.idle;
      try {
        const target = await this.#next();
        if (target !== null) {
          const isFirst = target.stations.some(({ id }) => !this.#kept.has(id));
          await this.#take(target);
          pause = isFirst ? pausesMs.afterFirst : pausesMs.after;
        }
      } catch (error) {
        if (!signal.aborted) log.debug('no stills taken', { reason: String(error) });
      }
      await sleepUnlessAborted(pause, signal);
    }
  }

  #wanted(): StationRecord[] {
    const since = this.options.clock() - ASKED_MS;
    for (const [id, at] of this.#asked) if (at < since) this.#asked.delete(id);
    return [...this.#asked.keys()].flatMap((id) => this.options.stations.find(id) ?? []);
  }

  async #next(): Promise<StillTarget | null> {
    const { clock, mayTune, tuners } = this.options;
    // A silent agent must not delay the shutdown.
    const list = await unlessAborted(tuners(), this.#ending.signal);
    return planStill({
      ...{ wanted: this.#wanted(), tries: this.#tries, tuners: list },
      ...{ mayTune: mayTune(), now: clock() },
    });
  }

  async #take(target: StillTarget): Promise<void> {
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(CHANNEL_LIMIT_MS)]);
    const taken = new Set<StationId>();
    let isCutOff = false;
    try {
      const { pictures, end } = await this.#receive(target, signal);
      isCutOff = end === 'stream';
      // The tuner is released by now.
      for (const picture of pictures) {
        const station = target.stations.find(({ serviceId }) => serviceId === picture.serviceId);
        const jpeg = station && (await this.options.jpegOf(picture, this.#ending.signal));
        if (station === undefined || jpeg === undefined) continue;
        this.#keep(station.id, jpeg);
        taken.add(station.id);
      }
    } catch (error) {
      isCutOff = error instanceof Failure && error.code !== 'no_signal';
      throw error;
    } finally {
      this.#remember(target, taken, isCutOff);
    }
  }

  /** Releases the tuner before it resolves. @throws Failure: no tuner, no signal; the signal's reason */
  async #receive(
    { type, channel, stations }: StillTarget,
    signal: AbortSignal,
  ): Promise<{ pictures: readonly IntraPicture[]; end: ReaderEnd['cause'] }> {
    const pictures: IntraPicture[] = [];
    const done = Promise.withResolvers<ReaderEnd['cause']>();
    const wanted = stations.map(({ serviceId }) => serviceId);
    const reader = planReader(
      stillReader,
      { wanted },
      { value: (picture) => void pictures.push(picture), ended: ({ cause }) => done.resolve(cause) },
    );
    const request = { type, channel, priority: PRIORITY.still, use: STREAM_USE.still(type, channel) };
    const stream = await this.options.pool.open({
      ...{ request, serviceId: null, handlers: { ended: () => {} }, signal, lane: 'other' },
      readers: [reader],
    });
    const stop = (): void => void reader.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const end = await done.promise;
    signal.removeEventListener('abort', stop);
    await stream.close();
    return { pictures, end };
  }

  #keep(stationId: StationId, jpeg: Uint8Array<ArrayBuffer>): void {
    const tag = Bun.hash(jpeg).toString(36);
    const at = this.options.broadcastNow();
    const picture = `api/services/${stationId}/still?v=${tag}`;
    this.#kept.delete(stationId);
    this.#kept.set(stationId, {
      ...{ takenAt: this.options.clock(), still: { stationId, at, picture }, tag, jpeg },
    });
    while (this.#kept.size > MAX_STILLS) forgetFirst(this.#kept);
  }

  /** @param isCutOff the tuner went to another use, or there was none, which says nothing about the stations */
  #remember({ stations }: StillTarget, taken: ReadonlySet<StationId>, isCutOff: boolean): void {
    const at = this.options.clock();
    for (const { id } of stations) {
      const fruitless = taken.has(id) ? 0 : (this.#tries.get(id)?.fruitless ?? 0) + (isCutOff ? 0 : 1);
      this.#tries.delete(id);
      this.#tries.set(id, { at, fruitless });
    }
    while (this.#tries.size > MAX_STILLS) forgetFirst(this.#tries);
  }

  #forget(now: number): void {
    for (const [id, { takenAt }] of this.#kept) if (takenAt < now - FORGET_MS) this.#kept.delete(id);
  }
}

function forgetFirst(map: Map<StationId, unknown>): void {
  const [first] = map.keys();
  if (first !== undefined) map.delete(first);
}
