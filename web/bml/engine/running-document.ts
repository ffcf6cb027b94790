/**
 * A document while it is shown: its scripts, events, timers, focus and media. It ends as a whole when another document is
 * launched, and never begins again.
 */
import type { InputRequest, MediaState, PageRequest } from '../bml-messages.ts';
import { type BmlDocument, BmlElement } from '../document/document.ts';
import { characterOfCode, codeOfCharacter, decodeCharacters } from '../markup/characters.ts';
import type { EncodedPicture } from '../picture/picture.ts';
import { Machine } from '../script/machine.ts';
import {
  type Address,
  type DocumentAddress,
  formatDocument,
  hasModule,
  isRemote,
  parseAddress,
  parseRemote,
  type RemoteAddress,
} from './address.ts';
import { decodeBase64Text, EUC_JP } from './binary-fields.ts';
import { defineBinaryTable } from './binary-table.ts';
import type { BroadcastClock } from './broadcast-clock.ts';
import { BroadcastEvents } from './broadcast-events.ts';
import type { BrowserContext, Receiver, Registers } from './browser-context.ts';
import { defineBrowser } from './browser-object.ts';
import { DomClasses } from './dom-classes.ts';
import { type BmlEvent, broadcastEvent, EventQueue, NO_EVENT } from './event-queue.ts';
import { Focus, KeyInput } from './key-input.ts';
import { MediaObjects, type Sound } from './media-objects.ts';
import { type ModuleStore, type StateChange, type StoredFile, UsedModules } from './module-store.ts';
import type { Network } from './network.ts';
import type { Nvram } from './nvram.ts';
import { clutOf, PictureSources } from './picture-sources.ts';
import type { Programme } from './programme.ts';
import { type RemoteFiles, RemoteReader } from './remote-files.ts';
import { type RunBudget, ScriptTasks, type StopReason } from './script-tasks.ts';
import { type TaskClock, Timers } from './timers.ts';

/** What documents share: the receiver, and the way to the page. */
export interface DocumentHost extends Receiver {
  readonly clock: TaskClock;
  readonly budget: RunBudget;
  readonly remoteFiles: RemoteFiles;
  decode(picture: EncodedPicture): Promise<ImageBitmap | undefined>;
  createCanvas(width: number, height: number): OffscreenCanvas;
  launch(reference: string, from: RunningDocument): void;
  stop(reason: StopReason): void;
  play(sound: Sound, loops: number, ended: () => void): void;
  silence(): void;
  /** Undefined: closes the panel. */
  openInput(request: InputRequest | undefined): Promise<string | undefined>;
  /** The document has to be drawn again. @param isWhole characters of another shape: all of it */
  changed(isWhole: boolean): void;
  log(text: string): void;
}

/** A module comes within some seconds, or with the next turn of the carousel. */
const FETCH_MS = 30_000;
const BROADCAST_SCHEME = /^\s*arib(?:-dc)?:/i;

export class RunningDocument implements BrowserContext {
  readonly machine: Machine;
  readonly tasks: ScriptTasks;
  readonly timers: Timers;
  readonly keys: KeyInput;
  readonly events: BroadcastEvents;
  readonly sources: PictureSources;
  readonly focusState: Focus;
  isUnloading = false;
  isScreenLocked = false;
  currentEvent: BmlEvent = NO_EVENT;
  readonly charset = EUC_JP;
  readonly #queue: EventQueue;
  readonly #media: MediaObjects;
  readonly #remote: RemoteReader;
  readonly #requests = new AbortController();
  readonly #host: DocumentHost;
  /** Its name, for scripts and sheets that do not tell theirs. */
  readonly #characterSet: string;
  /** Modules that it was made of, as they were. */
  readonly #used: UsedModules;
  #isClosed = false;
  /** Another document is on its way. */
  #isHalted = false;

  constructor(
    host: DocumentHost,
    readonly document: BmlDocument,
    readonly address: DocumentAddress,
    characterSet: string,
  ) {
    this.#host = host;
    this.#used = new UsedModules(host.store);
    if (!isRemote(address) && hasModule(address)) this.#used.add(address);
    this.#characterSet = characterSet;
    this.#remote = new RemoteReader(host.network, host.remoteFiles, this.signal, (url, fault) => {
      if (!this.#isHalted) host.log(`${withoutQuery(url)}: ${fault}`);
    });
    this.#queue = new EventQueue(host.clock, (error) => host.log(`engine: ${String(error)}`));
    this.#queue.hold();
    this.machine = new Machine({
      characters: { codeOf: (code) => codeOfCharacter(code) ?? 0, textOf: characterOfCode },
      now: () => host.broadcast.now(),
      clock: () => host.clock.now(),
      log: (text) => host.log(text),
    });
    this.tasks = new ScriptTasks(this.machine, {
      clock: host.clock,
      budget: host.budget,
      fault: ({ message, script, line }) => host.log(`${script}:${line} ${message}`),
      stop: (reason) => host.stop(reason),
      waits: () => host.changed(false),
    });
    this.timers = new Timers(host.clock, (code, begin) =>
      this.#queue.add(async () => {
        if (!begin()) return;
        await this.#during(NO_EVENT, () => this.tasks.timer(code));
      }),
    );
    this.focusState = new Focus(document, (type, target) =>
      this.#queue.addImmediate(() => this.#handle(`on${type}`, { type, target })),
    );
    this.keys = new KeyInput(document, this.focusState, {
      handle: (handler, target, keyCode) =>
        this.#handle(handler, { type: handler.slice(2), target, keyCode }),
      queue: (job) => this.#queue.add(job),
      click: (target) => this.#queue.addImmediate(() => this.#click(target)),
      openInput: (target) => void this.#input(target),
    });
    this.events = new BroadcastEvents(document.elements(), {
      store: host.store,
      clock: host.clock,
      broadcast: host.broadcast,
      resolve: (reference) => this.resolve(reference),
      component: this.component,
      decode: decodeBase64Text,
      fire: (item, fields) => {
        const event = broadcastEvent(String(item.read('type')), item, fields);
        this.#queue.add(() => this.#handle('onoccur', event));
      },
    });
    this.#media = new MediaObjects(document, {
      clock: host.clock,
      fetch: (reference) => this.fetch(reference),
      palette: (element) => this.sources.loadPalette(clutOf(document, element)),
      decode: (picture) => host.decode(picture),
      createCanvas: (width, height) => host.createCanvas(width, height),
      changed: () => host.changed(false),
      play: (sound, loops, ended) => host.play(sound, loops, ended),
      silence: () => host.silence(),
      stopped: (object) => this.events.mediaStopped(object),
      selectAudio: (reference) => void this.setMainAudio(reference),
    });
    this.sources = new PictureSources(
      {
        now: () => host.clock.now(),
        fetch: (reference) => this.fetch(reference),
        decode: (picture) => host.decode(picture),
        changed: () => host.changed(false),
      },
      this.#media.frameOf,
    );
    document.onChange = (node, name) => {
      if (!(node instanceof BmlElement)) return;
      if (node.tagName === 'beitem') this.events.changed(node, name);
      if (node.tagName !== 'object') return;
      if (name === 'data') this.sources.retry(String(node.read('data')));
      this.#media.changed(node, name);
    };
    new DomClasses(this);
    defineBrowser(this.machine, this);
    defineBinaryTable(this);
  }

  /** Sheets of `link` elements are fetched first, one after another. */
  async addStyleSheets(): Promise<void> {
    const sheets = new Map<string, string>();
    for (const element of this.document.elements()) {
      const href = element.attribute('href');
      if (element.tagName !== 'link' || href === '' || sheets.has(href)) continue;
      const sheet = await this.fetchText(href, element.attribute('charset'));
      if (sheet !== undefined) sheets.set(href, sheet);
    }
    this.document.addStyleSheets((href) => sheets.get(href));
  }

  /** Runs the scripts and `onload`, then lets events happen. */
  async load(): Promise<void> {
    const first = this.focusState.byIndex(0);
    if (first !== undefined) this.focusState.focus(first);
    this.#media.start();
    let inline = 0;
    for (const element of this.document.elements()) {
      if (element.tagName !== 'script') continue;
      const source = element.attribute('src');
      if (source === '') {
        const name = `${formatDocument(this.address)}[${++inline}]`;
        await this.#during(NO_EVENT, () => this.tasks.run(element.text, name));
      } else {
        const text = await this.fetchText(source, element.attribute('charset'));
        if (text !== undefined && !this.#isHalted)
          await this.#during(NO_EVENT, () => this.tasks.run(text, source));
      }
      if (this.#isHalted) return;
    }
    await this.#handle('onload', { type: 'load', target: null }, this.document.body);
    if (this.#isHalted) return;
    this.events.start();
    this.#queue.release();
  }

  /** Another document is on its way: nothing of this one happens any more, but it stays on the screen. */
  halt(): void {
    this.#isHalted = true;
    this.#requests.abort();
    this.#queue.clear();
    this.#queue.hold();
    this.timers.clearAll();
    this.events.stop();
  }

  /** The document's last handler, which may only store and unlock; then it is over. */
  async unload(): Promise<void> {
    this.halt();
    this.tasks.abandon();
    this.isUnloading = true;
    await this.#handle('onunload', { type: 'unload', target: null }, this.document.body);
    this.close();
  }

  /** Runs after the events that wait now, unless the document is left before. */
  afterEvents(job: () => void): void {
    this.#queue.add(async () => job());
  }

  /**
   * While the document loads, the press waits until it is loaded.
   * @returns whether the document listened and its handlers changed anything that is seen
   */
  async pressData(): Promise<boolean> {
    const before = this.document.version;
    if (!this.events.dataButtonPressed()) return false;
    return new Promise((resolve) => this.afterEvents(() => resolve(this.document.version !== before)));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.document.onChange = undefined;
    this.halt();
    this.tasks.close();
    this.#media.close();
    this.sources.close();
    void this.#host.openInput(undefined);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async #during(event: BmlEvent, run: () => Promise<void>): Promise<void> {
    this.currentEvent = event;
    await run();
    this.currentEvent = NO_EVENT;
    this.#host.changed(false);
  }

  /** @param owner the element whose attribute is the handler; the event's target if not given */
  async #handle(handler: string, event: BmlEvent, owner = event.target): Promise<void> {
    const text = owner?.attribute(handler) ?? '';
    if (this.#isClosed || text.trim() === '' || (this.#isHalted && !this.isUnloading)) return;
    await this.#during(event, () => this.tasks.handler(text));
  }

  async #click(target: BmlElement): Promise<void> {
    await this.#handle('onclick', { type: 'click', target });
    if (this.#isClosed || target.tagName !== 'a') return;
    const href = String(target.read('href'));
    if (href.startsWith('#')) this.focusState.toFragment(href.slice(1));
    else if (href !== '') this.launch(href);
  }

  async #input(target: BmlElement): Promise<void> {
    if (target.read('readOnly') === true) return;
    const maxLength = Number(target.read('maxLength'));
    const before = target.value;
    const text = await this.#host.openInput({
      value: before,
      maxLength,
      isPassword: target.read('type') === 'password',
      characterType: target.attribute('charactertype') || 'all',
    });
    if (text === undefined || this.#isClosed) return;
    target.write('value', text.slice(0, maxLength));
    if (target.value !== before)
      this.#queue.addImmediate(() => this.#handle('onchange', { type: 'change', target }));
  }

  // What scripts use.

  focus(element: BmlElement): void {
    this.focusState.focus(element);
  }

  blur(element: BmlElement): void {
    this.focusState.blur(element);
  }

  get mainAudio(): string {
    const { audioComponent, audioChannel } = this.#host.media;
    if (audioComponent === undefined) return '';
    return `/${audioComponent.toString(16)}${audioChannel === undefined ? '' : `;${audioChannel}`}`;
  }

  setMainAudio(reference: string): boolean {
    const component = this.resolve(reference)?.component;
    if (component === undefined || this.#host.store.components?.has(component) !== true) return false;
    const [, channel] = /;([1-3])$/.exec(reference) ?? [];
    void this.#host.request({
      type: 'audio',
      component,
      channel: channel === undefined ? undefined : Number(channel),
    });
    return true;
  }

  get store(): ModuleStore {
    return this.#host.store;
  }

  get programme(): Programme {
    return this.#host.programme;
  }

  get broadcast(): BroadcastClock {
    return this.#host.broadcast;
  }

  get nvram(): Nvram {
    return this.#host.nvram;
  }

  get network(): Network {
    return this.#host.network;
  }

  get serviceRegisters(): Registers {
    return this.#host.serviceRegisters;
  }

  get globalRegisters(): Registers {
    return this.#host.globalRegisters;
  }

  get media(): MediaState {
    return this.#host.media;
  }

  readonly random = (): number => this.#host.random();

  get isRemote(): boolean {
    return isRemote(this.address);
  }

  /** Undefined: it was received by communication. */
  get component(): number | undefined {
    return isRemote(this.address) ? undefined : this.address.component;
  }

  get signal(): AbortSignal {
    return this.#requests.signal;
  }

  /** In a document of a server, only a full address names a module. */
  resolve(reference: string): Address | undefined {
    const { ids } = this.#host.programme;
    if (!isRemote(this.address)) return parseAddress(reference, this.address, ids);
    return BROADCAST_SCHEME.test(reference) ? parseAddress(reference, undefined, ids) : undefined;
  }

  resolveRemote(reference: string): RemoteAddress | undefined {
    const isUnicode = /^utf/i.test(this.#characterSet);
    return parseRemote(reference, this.address, (text) =>
      isUnicode ? new TextEncoder().encode(text) : this.charset.encode(text),
    );
  }

  async #file(reference: string): Promise<StoredFile | undefined> {
    const address = this.resolve(reference);
    if (!hasModule(address)) {
      // What broadcast documents refer to is broadcast with them.
      const remote = this.isRemote ? this.resolveRemote(reference) : undefined;
      const file = remote && (await this.#remote.read(remote.url));
      return this.#isClosed ? undefined : file;
    }
    await this.#host.store.arrival(address);
    if (this.#isClosed) return undefined;
    this.#used.add(address);
    return this.#host.store.file(address);
  }

  /** Whether it would be the same at another moment, or will be told what changed. */
  isValidAfter(change: StateChange): boolean {
    if (this.#isHalted || this.#isClosed || !this.events.isStarted) return false;
    const isSameEvent = change.lists.some(
      ({ component, before, now }) => component === this.component && before.dataEventId === now.dataEventId,
    );
    const hears = (component: number, module: number) => this.events.hearsOfModule(component, module);
    return isSameEvent && this.#used.areTheSame(change, hears);
  }

  async fetch(reference: string): Promise<Uint8Array | undefined> {
    return (await this.#file(reference))?.bytes;
  }

  /** For what a script waits for: not for ever. */
  async fetchSoon(reference: string): Promise<Uint8Array | undefined> {
    return (await this.#fileSoon(reference))?.bytes;
  }

  #fileSoon(reference: string): Promise<StoredFile | undefined> {
    return Promise.race([this.#file(reference), this.wait(FETCH_MS).then(() => undefined)]);
  }

  /** A script or a style sheet. @param charset of the element that refers to it; may be empty */
  async fetchText(reference: string, charset: string): Promise<string | undefined> {
    const file = await this.#fileSoon(reference);
    return file && decodeCharacters(file.bytes, charset || charsetOfType(file.type), this.#characterSet);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#host.clock.after(ms, resolve));
  }

  launch(reference: string): void {
    this.#host.launch(reference, this);
  }

  quit(): void {
    this.#host.quit();
  }

  /** Documents lock modules while they load: who listens is decided when events happen. */
  moduleLocked(component: number, module: number, reference: string, status: number): void {
    this.afterEvents(() => this.events.moduleLocked(component, module, reference, status));
  }

  loadGlyphs(file: Uint8Array): boolean {
    const hasGlyphs = this.tasks.spend(() => this.sources.loadGlyphs(file));
    this.#host.changed(true);
    return hasGlyphs;
  }

  unloadGlyphs(): void {
    this.sources.unloadGlyphs();
    this.#host.changed(true);
  }

  lockScreen(isLocked: boolean): void {
    this.isScreenLocked = isLocked;
    this.#host.changed(false);
  }

  playRomSound(number: number): boolean {
    return this.#host.playRomSound(number);
  }

  log(text: string): void {
    this.#host.log(text);
  }

  request(request: PageRequest): ReturnType<BrowserContext['request']> {
    return this.#host.request(request);
  }
}

/** For the log: a query may have what the viewer has entered. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, '');

export function charsetOfType(type: string | undefined): string | undefined {
  return /charset\s*=\s*"?([\w-]+)/i.exec(type ?? '')?.[1];
}
