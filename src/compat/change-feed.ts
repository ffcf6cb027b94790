/**
 * What changed in lists of programmes, stations and tuners, as events of Mirakurun's event stream. Nothing is compared
 * until a client asks for the first time; a snapshot is a digest of each element.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import { JSON_TYPE } from './compat-listener.ts';

/** One change of the guide follows the next while schedules are received. */
const SETTLE_MS = 1_000;
const KEPT_EVENTS = 100;

export interface MirakurunEvent {
  readonly resource: 'program' | 'service' | 'tuner';
  readonly type: 'create' | 'update' | 'remove';
  readonly data: object;
  readonly time: number;
}

type Resource = MirakurunEvent['resource'];

interface Listed {
  readonly id: number;
}

interface ChangeFeedOptions {
  /** Counts changes of the guide. */
  readonly guideVersion: () => number;
  readonly changedSince: (version: number) => readonly StationId[];
  /** Programmes of a station that have not ended. */
  readonly programs: (station: StationId) => readonly (Listed & { relatedItems?: readonly RelatedEvent[] })[];
  readonly services: () => readonly Listed[];
  /** @throws Failure agent_unavailable */
  readonly tuners: () => Promise<readonly { readonly index: number }[]>;
  /** Epoch ms. */
  readonly now: () => number;
  readonly log: Log;
  readonly settleMs?: number | undefined;
}

interface RelatedEvent {
  readonly type: string;
  readonly serviceId: number;
  readonly eventId: number;
}

type Listener = (event: MirakurunEvent) => void;

/** Digests by id. */
type Snapshot = Map<number, number>;

export class ChangeFeed {
  readonly #listeners = new Set<Listener>();
  readonly #events: MirakurunEvent[] = [];
  readonly #abort = new AbortController();
  readonly #programs = new Map<StationId, Snapshot>();
  #services: Snapshot | undefined;
  #tuners: Snapshot | undefined;
  /** Undefined: nothing is followed yet. */
  #version: number | undefined;
  #following: Promise<void> | undefined;
  readonly #due = new Set<Resource>();
  #working: Promise<void> | undefined;

  constructor(private readonly options: ChangeFeedOptions) {}

  /** The last events, oldest first. */
  get events(): readonly MirakurunEvent[] {
    return this.#events;
  }

  /** Begins to follow changes; idempotent. Resolves when every later change is an event. @throws the database's error */
  follow(): Promise<void> {
    this.#following ??= this.#begin().catch((error) => {
      // The next client tries again.
      this.#following = undefined;
      throw error;
    });
    return this.#following;
  }

  async #begin(): Promise<void> {
    const { guideVersion, changedSince, programs, services, tuners, log } = this.options;
    const version = guideVersion();
    for (const station of changedSince(-1)) {
      this.#programs.set(station, snapshotOf(programs(station)));
      await Bun.sleep(0);
    }
    this.#services = snapshotOf(services());
    try {
      this.#tuners = snapshotOf(listedTuners(await tuners()));
    } catch (error) {
      log.warn('tuners unknown', { error: String(error) });
    }
    this.#version = version;
    this.changed('program');
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Lists of this kind may have changed. */
  changed(resource: Resource): void {
    if (this.#version === undefined || this.#abort.signal.aborted) return;
    this.#due.add(resource);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#working;
    this.#listeners.clear();
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    const { settleMs = SETTLE_MS, log } = this.options;
    const { signal } = this.#abort;
    while (this.#due.size > 0 && !signal.aborted) {
      await sleepUnlessAborted(settleMs, signal);
      if (signal.aborted) return;
      const due = new Set(this.#due);
      this.#due.clear();
      try {
        if (due.has('service')) this.#compareServices();
        if (due.has('program')) await this.#comparePrograms();
        if (due.has('tuner')) await this.#compareTuners();
      } catch (error) {
        log.warn('changes not compared', { error: String(error) });
      }
    }
  }

  #compareServices(): void {
    const services = this.options.services();
    this.#services = this.#compare('service', this.#services ?? new Map(), services);
  }

  async #compareTuners(): Promise<void> {
    const tuners = listedTuners(await this.options.tuners());
    if (this.#tuners === undefined) this.#tuners = snapshotOf(tuners);
    else this.#tuners = this.#compare('tuner', this.#tuners, tuners, ({ id: _id, ...tuner }) => tuner);
  }

  async #comparePrograms(): Promise<void> {
    const { guideVersion, changedSince, programs } = this.options;
    const since = this.#version ?? 0;
    const version = guideVersion();
    for (const station of changedSince(since)) {
      const listed = programs(station);
      const before = this.#programs.get(station) ?? new Map();
      const successors = new Map(listed.flatMap((one) => movedFrom(one).map((from) => [from, one.id])));
      const remove = (id: number) => {
        const to = successors.get(id);
        return { id, from: id, ...(to === undefined ? {} : { to }) };
      };
      this.#programs.set(station, this.#compare('program', before, listed, undefined, remove));
      await Bun.sleep(0);
      if (this.#abort.signal.aborted) return;
    }
    this.#version = version;
  }

  #compare<T extends Listed>(
    resource: Resource,
    before: Snapshot,
    listed: readonly T[],
    dataOf: (one: T) => object = (one) => one,
    removed: (id: number) => object = (id) => ({ id }),
  ): Snapshot {
    const after: Snapshot = new Map();
    for (const one of listed) {
      const digest = digestOf(one);
      const known = before.get(one.id);
      after.set(one.id, digest);
      if (known === undefined) this.#publish(resource, 'create', dataOf(one));
      else if (known !== digest) this.#publish(resource, 'update', dataOf(one));
    }
    for (const id of before.keys()) {
      if (!after.has(id)) this.#publish(resource, 'remove', removed(id));
    }
    return after;
  }

  #publish(resource: Resource, type: MirakurunEvent['type'], data: object): void {
    const event = { resource, type, data, time: this.options.now() };
    this.#events.push(event);
    if (this.#events.length > KEPT_EVENTS) this.#events.shift();
    for (const listener of this.#listeners) listener(event);
  }
}

function listedTuners<T extends { readonly index: number }>(tuners: readonly T[]): (T & Listed)[] {
  return tuners.map((tuner) => ({ ...tuner, id: tuner.index }));
}

function digestOf(value: object): number {
  return Number(Bun.hash(JSON.stringify(value)) & 0x1f_ffff_ffff_ffffn);
}

function snapshotOf(listed: readonly Listed[]): Snapshot {
  return new Map(listed.map((one) => [one.id, digestOf(one)]));
}

/** Programmes that this one replaces. */
function movedFrom({ id, relatedItems = [] }: Listed & { relatedItems?: readonly RelatedEvent[] }): number[] {
  const station = Math.floor(id / 100_000);
  const network = Math.floor(station / 100_000);
  return relatedItems
    .filter(({ type }) => type === 'movement')
    .map(({ serviceId, eventId }) => (network * 100_000 + serviceId) * 100_000 + eventId);
}

const HEAD = '[\n';
const DELIMITER = '\n,\n';
/** The first event must not reach the client in one piece with the head. */
const HEAD_ALONE_MS = 100;
/** A client that does not read is disconnected when this much is queued: a whole guide of changes. */
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;

/**
 * `/api/events/stream`: a JSON array that never ends. Byte for byte as EPGStation's parser needs it: `[` and a line feed
 * as a chunk of their own, then each event followed by a delimiter, and nothing between events.
 */
export function eventStream(
  feed: ChangeFeed,
  { resource, type }: { readonly resource: string | null; readonly type: string | null },
  signal: AbortSignal,
): Response {
  const encoder = new TextEncoder();
  let waiting: MirakurunEvent[] | undefined = [];
  let end = (): void => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const send = (event: MirakurunEvent): void => {
          if ((controller.desiredSize ?? 0) <= 0) {
            end();
            controller.error(new Error('the client reads too slowly'));
            return;
          }
          controller.enqueue(encoder.encode(JSON.stringify(event) + DELIMITER));
        };
        controller.enqueue(encoder.encode(HEAD));
        const unsubscribe = feed.subscribe((event) => {
          if ((resource ?? event.resource) !== event.resource || (type ?? event.type) !== event.type) return;
          if (waiting === undefined) send(event);
          else waiting.push(event);
        });
        const alone = setTimeout(() => {
          const events = waiting ?? [];
          waiting = undefined;
          for (const event of events) send(event);
        }, HEAD_ALONE_MS);
        end = () => {
          clearTimeout(alone);
          unsubscribe();
        };
        signal.addEventListener('abort', () => end(), { once: true });
      },
      cancel: () => end(),
    },
    { highWaterMark: MAX_QUEUED_BYTES, size: (chunk) => chunk?.length ?? 0 },
  );
  return new Response(body, { headers: { 'content-type': JSON_TYPE } });
}
