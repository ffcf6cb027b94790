/**
 * The `beitem` elements of a document: when each fires, with which properties of the event (ARIB STD-B24 Vol. 2
 * Appendix 2, 5.3.3; TR-B14 Vol. 3, 5.11).
 */
import type {
  DataComponent,
  EventsMessage,
  NptEvent,
  StreamEvent,
} from '../../../lib/wire/data-broadcast.ts';
import type { MediaState } from '../bml-messages.ts';
import type { BmlElement } from '../document/document.ts';
import type { Address } from './address.ts';
import { type BroadcastClock, parseJstTime } from './broadcast-clock.ts';
import type { BroadcastEventFields } from './event-queue.ts';
import type { ListChange, ModuleStore } from './module-store.ts';
import { RateLimit } from './network.ts';
import type { TaskClock } from './timers.ts';

// When a `beitem` of type ModuleUpdated fires (ARIB TR-B14 Vol. 3, 5.11.6): on subscription with the module's state, as
// soon as that is known, and then at each change.

/** updated, vanished, appeared; the same three with a new data event. */
const MODULE_STATUS = {
  updated: 0,
  vanished: 1,
  present: 2,
  appearedInEvent: 4,
  vanishedInEvent: 5,
  presentInEvent: 6,
} as const;

/** Status on subscription; undefined: nothing is known yet, the first DII decides. */
export function initialModuleStatus(
  store: ModuleStore,
  component: number,
  module: number,
): number | undefined {
  const isBroadcast = store.isBroadcast(component, module);
  if (isBroadcast === undefined) return undefined;
  return isBroadcast ? MODULE_STATUS.present : MODULE_STATUS.vanished;
}

/** @param isPending whether the subscription has not fired yet @returns undefined: nothing changed for this module */
export function changedModuleStatus(
  change: ListChange,
  module: number,
  isPending: boolean,
): number | undefined {
  const before = change.before?.versions.get(module);
  const now = change.now.versions.get(module);
  if (isPending) return now === undefined ? MODULE_STATUS.vanished : MODULE_STATUS.present;
  const isSameEvent = change.before === undefined || change.before.dataEventId === change.now.dataEventId;
  if (before === undefined && now === undefined) return undefined;
  if (before === undefined) return isSameEvent ? MODULE_STATUS.present : MODULE_STATUS.appearedInEvent;
  if (now === undefined) return isSameEvent ? MODULE_STATUS.vanished : MODULE_STATUS.vanishedInEvent;
  if (!isSameEvent) return MODULE_STATUS.presentInEvent;
  return before === now ? undefined : MODULE_STATUS.updated;
}

interface BroadcastEventHost {
  readonly store: ModuleStore;
  readonly clock: TaskClock;
  readonly broadcast: BroadcastClock;
  resolve(reference: string): Address | undefined;
  /** Component of the document; undefined for a document of communication. */
  readonly component: number | undefined;
  decode(privateData: string): string;
  fire(item: BmlElement, fields: Partial<BroadcastEventFields>): void;
}

/** What is remembered of a subscription, until it ends. */
class Subscription {
  /** ModuleUpdated: the first DII decides. */
  isPending = false;
  /** TimerFired and NPTReferred: it has fired. */
  hasFired = false;
  /** EventMessageFired: the version of each message that fired last. */
  readonly versions = new Map<number, number>();
  cancel: (() => void) | undefined;
}

/** Any number in `message_id` and `message_version`. */
const ANY = 255;
const MAX_EVENTS_PER_SECOND = 20;
/** A message for a time that has passed is late, or was before this document. */
const MAX_LATE_MS = 2000;
const MAX_SCHEDULED = 64;
/** Of what happens while a document loads. The oldest is dropped. */
const MAX_EARLY = 64;
/** `setTimeout` takes 2^31 ms at most; a document never runs that long. */
const MAX_WAIT_MS = 24 * 3_600_000;

const componentText = (component: number): string => `/${component.toString(16).padStart(2, '0')}`;

export class BroadcastEvents {
  readonly #items: readonly BmlElement[];
  readonly #subscriptions = new Map<BmlElement, Subscription>();
  readonly #host: BroadcastEventHost;
  readonly #limits = new Map<number, RateLimit>();
  /** What happened while the document loads; undefined: it is loaded. */
  #early: (() => void)[] | undefined = [];
  #hasHistory = false;

  constructor(elements: Iterable<BmlElement>, host: BroadcastEventHost) {
    this.#items = [...elements].filter(({ tagName }) => tagName === 'beitem');
    this.#host = host;
  }

  /** Items that the document subscribes from the start take effect after `onload`; then what happened meanwhile follows. */
  start(): void {
    for (const item of this.#items)
      if (item.read('subscribe') === true && !this.#subscriptions.has(item)) this.subscribe(item);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const happened of early) happened();
  }

  get isStarted(): boolean {
    return this.#early === undefined;
  }

  /** @returns whether the document is loading: `happened` is called when it is loaded */
  #isEarly(happened: () => void): boolean {
    if (this.#early === undefined) return false;
    if (this.#early.length >= MAX_EARLY) this.#early.shift();
    this.#early.push(happened);
    return true;
  }

  stop(): void {
    if (this.#early !== undefined) this.#early = [];
    for (const { cancel } of this.#subscriptions.values()) cancel?.();
    this.#subscriptions.clear();
    for (const { cancel } of this.#scheduled.values()) cancel();
    this.#scheduled.clear();
  }

  /** `subscribe` was written, or another property of the item. */
  changed(item: BmlElement, name: string): void {
    if (name === 'subscribe') {
      this.#subscriptions.get(item)?.cancel?.();
      this.#subscriptions.delete(item);
      if (item.read('subscribe') === true) this.subscribe(item);
    } else if (name === 'timeValue') {
      const subscription = this.#subscriptions.get(item);
      if (subscription !== undefined && item.read('type') === 'TimerFired')
        this.#startTimer(item, subscription);
    }
  }

  subscribe(item: BmlElement): void {
    const subscription = new Subscription();
    this.#subscriptions.set(item, subscription);
    const type = item.read('type');
    if (type === 'ModuleUpdated') this.#startModule(item, subscription);
    if (type === 'TimerFired') this.#startTimer(item, subscription);
  }

  #subscribed(type: string): (readonly [BmlElement, Subscription])[] {
    return [...this.#subscriptions].filter(([item]) => item.read('type') === type);
  }

  #fire(item: BmlElement, fields: Partial<BroadcastEventFields>): void {
    if (item.attribute('onoccur') !== '') this.#host.fire(item, fields);
  }

  #moduleOf(item: BmlElement): { component: number; module: number } | undefined {
    const address = this.#host.resolve(String(item.read('moduleRef')));
    return address?.module === undefined
      ? undefined
      : { component: address.component, module: address.module };
  }

  #componentOf(item: BmlElement): number | undefined {
    const reference = String(item.read('esRef'));
    return reference === '' ? this.#host.component : this.#host.resolve(reference)?.component;
  }

  #startModule(item: BmlElement, subscription: Subscription): void {
    const address = this.#moduleOf(item);
    if (address === undefined) return;
    const status = initialModuleStatus(this.#host.store, address.component, address.module);
    if (status === undefined) subscription.isPending = true;
    else this.#fireModule(item, status);
  }

  #fireModule(item: BmlElement, status: number): void {
    this.#fire(item, { status, moduleRef: String(item.read('moduleRef')) });
  }

  listChanged(change: ListChange): void {
    for (const [item, subscription] of this.#subscribed('ModuleUpdated')) {
      const address = this.#moduleOf(item);
      if (address?.component !== change.component) continue;
      const status = changedModuleStatus(change, address.module, subscription.isPending);
      subscription.isPending = false;
      if (status !== undefined) this.#fireModule(item, status);
    }
  }

  /** @param before components of the PMT before */
  componentsChanged(before: ReadonlyMap<number, DataComponent> | undefined): void {
    const now = this.#host.store.components;
    for (const [item, subscription] of this.#subscribed('ModuleUpdated')) {
      const component = this.#moduleOf(item)?.component;
      if (component === undefined || now?.has(component) !== false) continue;
      // It vanished, or the first PMT tells that it never was there.
      if (before?.has(component) !== true && !subscription.isPending) continue;
      subscription.isPending = true;
      this.#fireModule(item, initialModuleStatus(this.#host.store, component, 0) ?? 1);
    }
  }

  /** @param reference as the script wrote it */
  moduleLocked(component: number, module: number, reference: string, status: number): void {
    for (const [item] of this.#subscribed('ModuleLocked')) {
      const address = this.#moduleOf(item);
      if (address?.component === component && address.module === module)
        this.#fire(item, { status, moduleRef: reference });
    }
  }

  /** @param status 0 there are modules, 1 the new data event has none. Handlers run before the document is left. */
  dataEventChanged(status: number): BmlElement[] {
    const items = this.#subscribed('DataEventChanged').map(([item]) => item);
    for (const item of items) this.#fire(item, { status });
    return items;
  }

  /** @returns whether the document listens */
  dataButtonPressed(): boolean {
    if (this.#isEarly(() => void this.dataButtonPressed())) return false;
    const items = this.#subscribed('DataButtonPressed');
    for (const [item] of items) this.#fire(item, {});
    return items.length > 0;
  }

  mediaStopped(object: BmlElement): void {
    if (this.#isEarly(() => this.mediaStopped(object))) return;
    for (const [item] of this.#subscribed('MediaStopped'))
      if (item.read('objectId') === object.id) this.#fire(item, { object });
  }

  /** @param language 1 to 8 */
  /** Captions or sound are others now. */
  mediaChanged(before: MediaState, now: MediaState): void {
    if (before.captionShown !== now.captionShown) {
      if (before.captionShown !== undefined) this.#captionStatusChanged(before.captionShown, false);
      if (now.captionShown !== undefined) this.#captionStatusChanged(now.captionShown, true);
    }
    const isOther = before.audioComponent !== now.audioComponent || before.audioChannel !== now.audioChannel;
    if (isOther && now.audioComponent !== undefined)
      this.#mainAudioChanged(now.audioComponent, now.audioChannel);
  }

  #captionStatusChanged(language: number, isShown: boolean): void {
    if (this.#isEarly(() => this.#captionStatusChanged(language, isShown))) return;
    for (const [item] of this.#subscribed('CCStatusChanged')) {
      const wanted = Number(item.read('languageTag'));
      if (wanted === 0 || wanted === language)
        this.#fire(item, { status: isShown ? 1 : 0, languageTag: language });
    }
  }

  /** @param component of the sound that is heard now */
  #mainAudioChanged(component: number, channel: number | undefined): void {
    if (this.#isEarly(() => this.#mainAudioChanged(component, channel))) return;
    const channelText = channel === undefined ? '' : `;${channel}`;
    for (const [item] of this.#subscribed('MainAudioStreamChanged')) {
      const reference = String(item.read('esRef'));
      const wanted = this.#componentOf(item);
      const [, wantedChannel] = /;(\d)$/.exec(reference) ?? [];
      const isSelected =
        wanted === component && (wantedChannel === undefined || Number(wantedChannel) === channel);
      this.#fire(item, {
        status: reference === '' || isSelected ? 1 : 0,
        esRef: reference === '' ? componentText(component) + channelText : reference,
      });
    }
  }

  /** @param isChanged whether the component's NPT differs from the last one */
  nptReferred(component: number, isChanged: boolean): void {
    for (const [item, subscription] of this.#subscribed('NPTReferred')) {
      if (this.#componentOf(item) !== component || (subscription.hasFired && !isChanged)) continue;
      subscription.hasFired = true;
      this.#fire(item, { esRef: String(item.read('esRef')) || componentText(component) });
    }
    for (const [item, subscription] of this.#subscribed('TimerFired'))
      if (isChanged && item.read('timeMode') === 'NPT') this.#startTimer(item, subscription);
  }

  /** @param dataEvent data_event_id of the document's component */
  messages(message: EventsMessage, dataEvent: number | undefined): void {
    if (this.#isEarly(() => this.messages(message, dataEvent))) return;
    for (const event of message.events) {
      if (event.type === 'nptReference') continue;
      if (event.type === 'immediateEvent') this.#message(message, event, dataEvent);
      else if (event.at !== null) this.#later(message, event, event.at, dataEvent);
    }
  }

  readonly #scheduled = new Map<
    string,
    { readonly at: number; readonly run: () => void; cancel: () => void }
  >();

  /** An event that fires at a time of the broadcast; it is sent again when that changes. */
  #later(message: EventsMessage, event: NptEvent, at: number, dataEvent: number | undefined): void {
    const key = `${message.componentId}/${event.eventMessageGroupId}/${event.eventMessageId}`;
    this.#scheduled.get(key)?.cancel();
    this.#scheduled.delete(key);
    const wait = at - this.#host.broadcast.now();
    if (wait > MAX_WAIT_MS || wait < -MAX_LATE_MS || this.#scheduled.size >= MAX_SCHEDULED) return;
    const run = (): void => {
      this.#scheduled.delete(key);
      this.#message(message, event, dataEvent);
    };
    this.#scheduled.set(key, { at, run, cancel: this.#whenTimeIs(at, run) });
  }

  #whenTimeIs(at: number, run: () => void): () => void {
    const wait = this.#host.broadcast.until(at);
    return wait > MAX_WAIT_MS ? () => undefined : this.#host.clock.after(wait, run);
  }

  /** The broadcast's clock was set, or runs at another rate. @param isElsewhere another moment: its events follow */
  timeChanged(isElsewhere: boolean): void {
    for (const [key, event] of this.#scheduled) {
      event.cancel();
      if (isElsewhere) this.#scheduled.delete(key);
      else event.cancel = this.#whenTimeIs(event.at, event.run);
    }
    for (const [item, subscription] of this.#subscribed('TimerFired')) this.#startTimer(item, subscription);
  }

  /** Whether event messages or times have done something to the document, which another moment does not bring. */
  get hasHistory(): boolean {
    return this.#hasHistory;
  }

  /** Whether the document is told of a new version of a module. */
  hearsOfModule(component: number, module: number): boolean {
    return this.#subscribed('ModuleUpdated').some(([item]) => {
      const address = this.#moduleOf(item);
      return address?.component === component && address.module === module;
    });
  }

  #message(
    { componentId, dataEventId }: EventsMessage,
    event: Exclude<StreamEvent, { type: 'nptReference' }>,
    dataEvent: number | undefined,
  ): void {
    const { eventMessageGroupId: group, eventMessageId: id, eventMessageVersion: version } = event;
    for (const [item, subscription] of this.#subscribed('EventMessageFired')) {
      const [wantedId, wantedVersion] = [Number(item.read('messageId')), Number(item.read('messageVersion'))];
      if (this.#componentOf(item) !== componentId || Number(item.read('messageGroupId')) !== group) continue;
      // Messages of group 0 belong to the data event in which they are sent.
      if (group === 0 && dataEvent !== undefined && dataEvent !== dataEventId) continue;
      if (wantedId !== ANY && wantedId !== id) continue;
      if (wantedVersion !== ANY && wantedVersion !== version) continue;
      if (subscription.versions.get(id) === version) continue;
      subscription.versions.set(id, version);
      if (!this.#mayFire(componentId)) continue;
      this.#hasHistory = true;
      this.#fire(item, {
        privateData: this.#host.decode(event.privateDataBase64),
        esRef: String(item.read('esRef')) || componentText(componentId),
        messageId: id,
        messageVersion: version,
        messageGroupId: group,
      });
    }
  }

  #mayFire(component: number): boolean {
    let limit = this.#limits.get(component);
    if (limit === undefined) {
      limit = new RateLimit(MAX_EVENTS_PER_SECOND, 1000);
      this.#limits.set(component, limit);
    }
    return limit.take(this.#host.clock.now()) === 0;
  }

  #startTimer(item: BmlElement, subscription: Subscription): void {
    subscription.cancel?.();
    subscription.cancel = undefined;
    if (subscription.hasFired) return;
    const at = this.#timeOf(item);
    if (at === undefined) return;
    subscription.cancel = this.#whenTimeIs(at, () => {
      subscription.hasFired = true;
      this.#hasHistory = true;
      this.#fire(item, {});
    });
  }

  #timeOf(item: BmlElement): number | undefined {
    const value = String(item.read('timeValue'));
    const mode = String(item.read('timeMode'));
    if (mode === 'absolute' || mode === 'origAbsolute') return parseJstTime(value);
    const component = this.#componentOf(item);
    if (mode !== 'NPT' || component === undefined || !/^\d+$/.test(value)) return undefined;
    return this.#host.broadcast.timeOfNpt(component, Number(value));
  }
}
