/**
 * One component of a data broadcast: its module lists, complete modules, event messages and NPT references as
 * messages. Memory and the rate of messages are bounded, whatever the broadcast sends (`DataLimits`). ARIB STD-B24
 * Vol. 2 and 3; TR-B14 Vol. 3.
 */
import {
  Carousel,
  type CompleteModule,
  type SharedBytes,
  sameModule,
  sameModules,
} from '../../lib/arib/carousel/carousel.ts';
import { type Dii, parseDii, returnsToEntry } from '../../lib/arib/carousel/download-message.ts';
import { moduleResources } from '../../lib/arib/carousel/module-entity.ts';
import {
  type EventMessage,
  type NptReferenceDescriptor,
  parseStreamDescriptors,
  type StreamDescriptors,
  stcOfNpt,
} from '../../lib/arib/carousel/stream-descriptors.ts';
import { type BroadcastMs, type Pts90k, pts90k, TICKS_PER_MS } from '../../lib/arib/time.ts';
import { ptsDifference } from '../../lib/arib/ts/clock.ts';
import type { Section } from '../../lib/arib/ts/section.ts';
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import type {
  EventsMessage,
  ModuleListMessage,
  NptEvent,
  NptReference as NptReferenceEvent,
  StreamEvent,
} from '../../lib/wire/data-broadcast.ts';
import { clearedItem, dataItem, moduleItem } from './data-items.ts';
import { inflateModule } from './inflate-module.ts';
import type { SideItem } from './side-item.ts';

interface TokenBucketOptions {
  readonly burst: number;
  readonly perSecond: number;
  readonly clock: MonotonicClock;
}

/** A rate limit that permits bursts. */
export class TokenBucket {
  #tokens: number;
  #at: number;

  constructor(private readonly options: TokenBucketOptions) {
    this.#tokens = options.burst;
    this.#at = options.clock();
  }

  /** False, without taking any, if there are fewer. */
  take(count: number): boolean {
    const { burst, perSecond, clock } = this.options;
    const now = clock();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#at) / 1000) * perSecond);
    this.#at = now;
    if (count > this.#tokens) return false;
    this.#tokens -= count;
    return true;
  }
}

/**
 * A station takes at most 8 MB: 2 MB of blocks, 1.5 MB while a module is decompressed, and 4.5 MB of messages (in the
 * main thread). Broadcasters operate modules of at most 256 kB and send about 1.5 MB a station.
 */
export const DATA_LIMITS = {
  moduleBytes: 512 * 1024,
  inflatedBytes: 1536 * 1024,
  /** Of blocks: of one component, and of all. */
  componentBlocks: 1536 * 1024,
  stationBlocks: 2 * 1024 * 1024,
  /** Of messages of modules: of one component, and of all. */
  componentMessages: 3 * 1024 * 1024,
  stationMessages: 4352 * 1024,
  /** Operated: 64. */
  modules: 256,
  /** A list that changes sooner is ignored until it is repeated. */
  listMs: 500,
  /** An event message is sent again, for documents that begin to wait for it. */
  repeatMs: 1000,
  /** Latest event messages that are known, by group and id. */
  events: 64,
} as const;
/** New event messages and NPT references: at once, and a second. Others are dropped; the broadcast repeats them. */
const EVENT_RATE = { burst: 40, perSecond: 20 };
/** Times that differ by less are equal, ms. */
const SAME_TIME_MS = 100;

/** What the components of a station share. */
export interface DataShare {
  readonly clock: MonotonicClock;
  readonly blocks: SharedBytes;
  readonly messages: SharedBytes;
  /** Octets that may be decompressed. */
  readonly inflating: TokenBucket;
  post(item: SideItem): void;
  /** Broadcast time of a moment of the stream's clock; undefined while unknown. */
  timeOf(stc: Pts90k): BroadcastMs | undefined;
}

interface SentEvent {
  readonly content: string;
  readonly at: number | null;
  readonly sentAt: MonotonicMs;
}

export class DataComponentReader {
  readonly #carousel: Carousel;
  readonly #prefix: string;
  #dii: Dii | undefined;
  #listedAt: MonotonicMs | undefined;
  /** Size of the message of each module that was sent, by its id. */
  readonly #messages = new Map<number, number>();
  #messageBytes = 0;
  #reference: NptReferenceDescriptor | undefined;
  #referenceAt: BroadcastMs | undefined;
  readonly #events = new Map<string, SentEvent>();
  readonly #eventRate: TokenBucket;

  constructor(
    private readonly componentId: number,
    private readonly share: DataShare,
  ) {
    const { moduleBytes, componentBlocks } = DATA_LIMITS;
    this.#carousel = new Carousel({
      limits: { moduleBytes, totalBytes: componentBlocks, lists: 1, shared: share.blocks },
    });
    this.#prefix = componentId.toString(16).padStart(2, '0');
    this.#eventRate = new TokenBucket({ ...EVENT_RATE, clock: share.clock });
  }

  /** Whether NPT are used, so that the stream's clock is needed. */
  get hasNpt(): boolean {
    return this.#reference !== undefined;
  }

  feed(section: Section): void {
    const dii = parseDii(section);
    if (dii !== undefined) {
      this.#list(dii);
      return;
    }
    const stream = parseStreamDescriptors(section);
    if (stream !== undefined) this.#stream(stream);
    else this.#complete(this.#carousel.feed(section));
  }

  /** The component vanished. */
  close(): void {
    this.#carousel.close();
    for (const id of [...this.#messages.keys()]) this.#forget(id);
    this.share.post(clearedItem(`${this.#prefix}/`));
  }

  #list(dii: Dii): void {
    const before = this.#dii;
    if (before?.transactionId === dii.transactionId && sameModules(before, dii)) return;
    const { clock, post } = this.share;
    const now = clock();
    if (dii.modules.length > DATA_LIMITS.modules) return;
    if (this.#listedAt !== undefined && now - this.#listedAt < DATA_LIMITS.listMs) return;
    this.#listedAt = now;
    this.#dii = dii;
    if (before?.downloadId !== dii.downloadId) this.#events.clear();
    for (const id of [...this.#messages.keys()]) {
      const isKept =
        before?.downloadId === dii.downloadId &&
        dii.modules.some(
          (module) => module.id === id && before.modules.some((known) => sameModule(known, module)),
        );
      if (isKept) continue;
      this.#forget(id);
      post(clearedItem(this.#keyOf(id)));
    }
    if (before === undefined || !sameModules(before, dii) || returnsToEntry(before) !== returnsToEntry(dii)) {
      const message: ModuleListMessage = {
        type: 'moduleListUpdated',
        componentId: this.componentId,
        dataEventId: dii.downloadId >>> 28,
        returnToEntryFlag: returnsToEntry(dii),
        modules: dii.modules.map(({ id, version, size }) => ({ id, version, size })),
      };
      post(dataItem(`${this.#prefix}/list`, message));
    }
    this.#complete(this.#carousel.list(dii));
  }

  #complete(modules: readonly CompleteModule[]): void {
    for (const complete of modules) {
      const { module } = complete;
      const { inflatedBytes, componentMessages } = DATA_LIMITS;
      if (
        !this.share.inflating.take(
          Math.min(inflatedBytes, module.info.compression?.originalSize ?? module.size),
        )
      ) {
        this.#carousel.repeat(complete);
        continue;
      }
      const data = inflateModule(module.info, complete.data, inflatedBytes);
      const head = {
        componentId: this.componentId,
        dataEventId: complete.downloadId >>> 28,
        moduleId: module.id,
        version: module.version,
      };
      const key = this.#keyOf(module.id);
      const files = data === undefined ? undefined : moduleResources(data, module.info.type);
      this.#forget(module.id);
      const item = moduleItem(key, head, files ?? []);
      const fits =
        this.#messageBytes + item.size <= componentMessages &&
        this.share.messages.used + item.size <= this.share.messages.most;
      const sent = fits ? item : moduleItem(key, head, []);
      this.#messages.set(module.id, sent.size);
      this.#messageBytes += sent.size;
      this.share.messages.used += sent.size;
      this.share.post(sent);
    }
  }

  #keyOf(moduleId: number): string {
    return `${this.#prefix}/module/${moduleId.toString(16).padStart(4, '0')}`;
  }

  #forget(moduleId: number): void {
    const size = this.#messages.get(moduleId) ?? 0;
    this.#messages.delete(moduleId);
    this.#messageBytes -= size;
    this.share.messages.used -= size;
  }

  #stream({ dataEventId, descriptors }: StreamDescriptors): void {
    const events = descriptors.flatMap((each) => {
      const event = each.kind === 'npt_reference' ? this.#npt(each) : this.#event(dataEventId, each);
      return event ?? [];
    });
    const send = (key: string | null, list: EventsMessage['events']): void => {
      if (list.length === 0) return;
      const { componentId } = this;
      this.share.post(dataItem(key, { type: 'esEventUpdated', componentId, dataEventId, events: list }));
    };
    // The last reference is part of the state; event messages are repeated by the broadcast.
    for (const event of events) if (event.type === 'nptReference') send(`${this.#prefix}/npt`, [event]);
    send(
      null,
      events.filter(({ type }) => type !== 'nptReference'),
    );
  }

  /** Sent when it changes: another relation of both times, or another broadcast time. */
  #npt(reference: NptReferenceDescriptor): NptReferenceEvent | undefined {
    const at = this.share.timeOf(reference.stc);
    const known = this.#reference;
    const isSame = known !== undefined && isSameTimeline(known, reference);
    if (isSame && (at === undefined) === (this.#referenceAt === undefined)) {
      const expected = (this.#referenceAt ?? 0) + ptsDifference(reference.stc, known.stc) / TICKS_PER_MS;
      if (at === undefined || Math.abs(at - expected) < SAME_TIME_MS) return undefined;
    }
    if (!this.#eventRate.take(1)) return undefined;
    this.#reference = reference;
    this.#referenceAt = at;
    const { kind, ...fields } = reference;
    return { type: 'nptReference', ...fields, at: at ?? null };
  }

  #event(
    dataEventId: number,
    { groupId, npt, type, id, version, privateData }: EventMessage,
  ): StreamEvent | undefined {
    const { clock } = this.share;
    const at = npt === null ? null : this.#timeOfNpt(npt);
    const key = `${groupId}/${id}`;
    const privateDataBase64 = privateData.toBase64();
    const content = `${dataEventId}/${version}/${type}/${npt}/${privateDataBase64}`;
    const known = this.#events.get(key);
    const now = clock();
    if (known?.content === content && isSameTime(known.at, at) && now - known.sentAt < DATA_LIMITS.repeatMs)
      return undefined;
    if (!this.#eventRate.take(1)) return undefined;
    this.#events.delete(key);
    const [oldest] = this.#events.keys();
    if (this.#events.size >= DATA_LIMITS.events && oldest !== undefined) this.#events.delete(oldest);
    this.#events.set(key, { content, at, sentAt: now });
    const fields = {
      eventMessageGroupId: groupId,
      eventMessageType: type,
      eventMessageId: id,
      eventMessageVersion: version,
      privateDataBase64,
    };
    if (npt === null) return { type: 'immediateEvent', ...fields };
    const timed: NptEvent = { type: 'nptEvent', ...fields, npt, at };
    return timed;
  }

  #timeOfNpt(npt: Pts90k): BroadcastMs | null {
    if (this.#reference === undefined) return null;
    const stc = stcOfNpt(this.#reference, npt);
    return (stc === undefined ? undefined : this.share.timeOf(stc)) ?? null;
  }
}

/** Whether both relate the NPT to the stream's clock in the same way. */
function isSameTimeline(one: NptReferenceDescriptor, other: NptReferenceDescriptor): boolean {
  const isRunning = one.scaleNumerator !== 0;
  return (
    one.contentId === other.contentId &&
    one.postDiscontinuity === other.postDiscontinuity &&
    one.scaleNumerator === other.scaleNumerator &&
    one.scaleDenominator === other.scaleDenominator &&
    (isRunning ? pts90k(one.npt - one.stc) === pts90k(other.npt - other.stc) : one.npt === other.npt)
  );
}

function isSameTime(one: number | null, other: number | null): boolean {
  if (one === null || other === null) return one === other;
  return Math.abs(one - other) < SAME_TIME_MS;
}
