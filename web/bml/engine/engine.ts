/**
 * The engine of one station's data broadcast: receives its messages, runs one document at a time, and moves between
 * documents (ARIB TR-B14 Vol. 3, 2.1.10 and 5.12). It ends with its worker; each station has an engine of its own.
 */
import {
  ENTRY_COMPONENT,
  type EventsMessage,
  type ModuleListMessage,
  type PmtMessage,
  type ProgramInfoMessage,
  type ResponseMessage,
} from '../../../lib/wire/data-broadcast.ts';
import type { EndReason, MediaState } from '../bml-messages.ts';
import { characterSetOf, decodeCharacters } from '../markup/characters.ts';
import { parseDocument } from '../markup/parser.ts';
import {
  type DocumentAddress,
  formatDocument,
  hasModule,
  isRemote,
  type ModuleAddress,
  type RemoteAddress,
} from './address.ts';
import { EUC_JP } from './binary-fields.ts';
import { BroadcastClock } from './broadcast-clock.ts';
import { Registers } from './browser-context.ts';
import { DocumentScreen } from './document-screen.ts';
import {
  DocumentRequests,
  EngineAudio,
  type EngineHost,
  EngineOutbox,
  EngineReports,
  type EngineStart,
  OpeningPress,
} from './engine-page.ts';
import { KEY } from './keys.ts';
import { ModuleStore, SnapshotCollector, type StoredFile } from './module-store.ts';
import { type Network, NO_NETWORK, RateLimit } from './network.ts';
import { Nvram } from './nvram.ts';
import { Programme } from './programme.ts';
import { RemoteDocuments, RemoteFiles } from './remote-files.ts';
import { charsetOfType, type DocumentHost, RunningDocument } from './running-document.ts';
import { RunBudget } from './script-tasks.ts';

/** component_tag of the entry of one-segment broadcasts, ARIB TR-B14 Vol. 3. */
const ONE_SEGMENT_ENTRY = 0x80;
const STARTUP_FILE = 'startup.bml';
/** Documents change as fast as a viewer presses keys; a loop of launches does not keep the machine busy. */
const MAX_LAUNCHES = 8;
const LAUNCH_WINDOW_MS = 4000;
/** The start is launched again once in 2 s at most, whatever the carousel does. */
const RESTART_MS = 2000;
/** After the entry module: programme information is sent before it. */
const PROGRAMME_WAIT_MS = 3000;

export class Engine {
  readonly #host: EngineHost;
  readonly #store = new ModuleStore();
  readonly #programme = new Programme();
  readonly #broadcast: BroadcastClock;
  readonly #screen: DocumentScreen;
  readonly #audio: EngineAudio;
  readonly #opening: OpeningPress;
  readonly #budget: RunBudget;
  readonly #serviceRegisters = new Registers([], EUC_JP);
  readonly #documentHost: DocumentHost;
  readonly #launches = new RateLimit(MAX_LAUNCHES, LAUNCH_WINDOW_MS);
  readonly #restarts = new RateLimit(1, RESTART_MS);
  #media: MediaState;
  #running: RunningDocument | undefined;
  /** Number of the last launch: an older one that still waits is given up. */
  #launch = 0;
  /** The snapshot that is being received. */
  #snapshot: SnapshotCollector | undefined;
  /** Of what the last launch asks of servers. */
  #requested = new AbortController();
  readonly #remoteDocuments: RemoteDocuments;
  #isEnded = false;
  #hasStarted = false;
  readonly #reports: EngineReports;
  /** Answers of the page and texts of the viewer. */
  readonly link: DocumentRequests;

  constructor(host: EngineHost, start: EngineStart) {
    this.#host = host;
    this.#media = start.media;
    this.#broadcast = new BroadcastClock(() => host.clock.now(), host.wall());
    this.#screen = new DocumentScreen(host);
    this.#screen.onAppear = () => this.#opening.answered();
    this.#audio = new EngineAudio(
      (message) => host.post(message),
      () => host.clock.now(),
    );
    this.#opening = new OpeningPress(host.clock, start.isDataKeyPressed, () => this.#pressAgain());
    this.#budget = new RunBudget(() => host.clock.now());
    // A recording never communicates, whatever the page offers.
    const network = start.isRecording ? NO_NETWORK : (host.network ?? NO_NETWORK);
    this.#remoteDocuments = new RemoteDocuments(network);
    this.#reports = new EngineReports(host.clock, this.#store, (message) => host.post(message));
    this.link = new DocumentRequests((message) => host.post(message));
    const outbox = new EngineOutbox(host.clock, (message) => host.post(message));
    const nvram = new Nvram(start.nvram, start.receiver, EUC_JP, {
      store: (key, base64) => outbox.post(key, { kind: 'nvram', key, base64 }),
      setPostalCode: (postalCode) => outbox.post('', { kind: 'postalCode', postalCode }),
    });
    this.#documentHost = this.#createDocumentHost(
      nvram,
      new Registers(start.globalRegisters, EUC_JP, (index, value) =>
        outbox.post(`${index}`, { kind: 'globalRegister', index, value }),
      ),
      network,
    );
    this.#screen.setPhase('loading');
  }

  #createDocumentHost(nvram: Nvram, globalRegisters: Registers, network: Network): DocumentHost {
    const host = this.#host;
    const media = () => this.#media;
    return {
      clock: host.clock,
      budget: this.#budget,
      remoteFiles: new RemoteFiles(),
      store: this.#store,
      programme: this.#programme,
      broadcast: this.#broadcast,
      nvram,
      network,
      serviceRegisters: this.#serviceRegisters,
      globalRegisters,
      get media() {
        return media();
      },
      random: () => host.random(),
      decode: (picture) => host.decode(picture),
      createCanvas: (width, height) => host.createCanvas(width, height),
      launch: (reference, from) => this.#leave(from, () => this.#launchFrom(reference, from)),
      quit: () => this.#restart(),
      stop: (reason) => this.#end(reason),
      request: (request) => this.link.ask(request),
      playRomSound: (number) => this.#audio.playRom(number),
      play: (sound, loops, ended) => this.#audio.play(sound, loops, ended),
      silence: () => this.#audio.silence(),
      openInput: (request) => this.link.openInput(request),
      changed: (isWhole) => this.#screen.changed(isWhole),
      log: (text) => this.#reports.log(text),
    };
  }

  // The broadcast.

  data(message: ResponseMessage): void {
    if (this.#snapshot !== undefined) {
      this.#snapshot.take(message);
      return;
    }
    switch (message.type) {
      case 'pmt':
        this.#pmt(message);
        break;
      case 'programInfo':
        this.#programInfo(message);
        break;
      case 'bit':
        this.#programme.takeBit(message);
        break;
      case 'moduleListUpdated':
        this.#moduleList(message);
        break;
      case 'moduleDownloaded':
        this.#store.takeModule(message);
        this.#reports.progress();
        break;
      case 'esEventUpdated':
        this.#events(message);
        break;
      case 'currentTime':
        if (this.#broadcast.set(message.at)) this.#running?.events.timeChanged(false);
        break;
    }
  }

  /** Of a recording: 1 as it was broadcast, 0 while it is paused. */
  setRate(rate: number): void {
    this.#broadcast.setRate(rate);
    this.#running?.events.timeChanged(false);
  }

  /** The messages that follow are a snapshot of the recording, until `endSnapshot`. */
  beginSnapshot(): void {
    this.#snapshot = new SnapshotCollector();
  }

  endSnapshot(): void {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return;
    this.#snapshot = undefined;
    const [store, running] = [this.#store, this.#running];
    const serviceId = this.#programme.info?.serviceId;
    const state = { store, programme: this.#programme, broadcast: this.#broadcast };
    const { change, events } = snapshot.apply(state);
    this.#changeService(serviceId);
    this.#reports.progress();
    if (this.#hasNoEntry()) return;
    if (!this.#hasStarted) {
      this.#start();
      return;
    }
    if (running?.isValidAfter(change) === true) {
      if (running.events.hasHistory) {
        // Without what happened to it.
        if (this.#screen.isShown) this.#opening.arm(true);
        this.#leave(running, () => this.#show(running.address, this.#nextLaunch()));
        return;
      }
      running.events.timeChanged(true);
      for (const list of change.lists) running.events.listChanged(list);
      const { component } = running;
      const dataEvent = component === undefined ? undefined : store.list(component)?.dataEventId;
      for (const message of events) running.events.messages(message, dataEvent);
      return;
    }
    // What the viewer opened stays open, also where documents wait for d.
    if (this.#screen.isShown || this.#opening.isPending) this.#opening.arm();
    if (store.state(ENTRY_COMPONENT, 0) !== 'here') {
      this.#screen.clear();
      this.#screen.setPhase('loading');
    }
    this.#restart(true, false);
  }

  #programInfo(message: ProgramInfoMessage): void {
    const before = this.#programme.info?.serviceId;
    this.#programme.take(message);
    this.#changeService(before);
    this.#start();
  }

  #changeService(before: number | undefined): void {
    const now = this.#programme.info?.serviceId;
    if (now !== undefined && now !== before) this.#serviceRegisters.clear(now);
  }

  /** @returns whether the station is known to have no data broadcast, which has ended then */
  #hasNoEntry(): boolean {
    const { components } = this.#store;
    if (components === undefined || components.has(ENTRY_COMPONENT)) return false;
    this.#end(components.has(ONE_SEGMENT_ENTRY) ? 'unsupported' : 'noBroadcast');
    return true;
  }

  #pmt(message: PmtMessage): void {
    const before = this.#store.takePmt(message);
    const now = this.#store.components;
    if (now === undefined || this.#hasNoEntry()) return;
    this.#running?.events.componentsChanged(before);
    // A document of a server depends on the entry alone.
    const current = this.#running?.component ?? ENTRY_COMPONENT;
    const hasMoved = (component: number): boolean =>
      before?.has(component) === true && before.get(component)?.pid !== now.get(component)?.pid;
    if (this.#running !== undefined && (!now.has(current) || hasMoved(current) || hasMoved(ENTRY_COMPONENT)))
      this.#restart();
    else if (this.#isEnded && before?.has(ENTRY_COMPONENT) !== true) this.#restart();
    this.#start();
  }

  #moduleList(message: ModuleListMessage): void {
    const change = this.#store.takeList(message);
    this.#reports.progress();
    const running = this.#running;
    running?.events.listChanged(change);
    const isOther = change.before !== undefined && change.before.dataEventId !== change.now.dataEventId;
    const isEntry = message.componentId === ENTRY_COMPONENT;
    if (running === undefined) {
      // A programme with a data broadcast began.
      if (this.#isEnded && isEntry && message.modules.length > 0) this.#restart();
      return;
    }
    if (!isOther) return;
    if (message.componentId === running.component) {
      running.events.dataEventChanged(message.modules.length === 0 ? 1 : 0);
      running.afterEvents(() => this.#restart());
    } else if (isEntry && change.now.returnToEntry) {
      this.#store.unlockAll('plain');
      this.#restart(false);
    }
  }

  #events(message: EventsMessage): void {
    for (const event of message.events) {
      if (event.type !== 'nptReference') continue;
      const isChanged = this.#broadcast.setReference(message.componentId, event);
      this.#running?.events.nptReferred(message.componentId, isChanged);
    }
    const running = this.#running;
    if (running === undefined) return;
    const { component } = running;
    const list = component === undefined ? undefined : this.#store.list(component);
    running.events.messages(message, list?.dataEventId);
  }

  // Documents.

  /** The first document: as soon as components and programme are known. */
  #start(): void {
    if (this.#hasStarted || this.#isEnded || this.#store.components === undefined) return;
    // Before the first EIT, the network is not known, and with it no memory of the station.
    if ((this.#programme.info?.networkId ?? null) === null) {
      this.#host.clock.after(PROGRAMME_WAIT_MS, () => this.#startNow());
      return;
    }
    this.#startNow();
  }

  #startNow(): void {
    if (this.#hasStarted || this.#isEnded) return;
    this.#hasStarted = true;
    void this.#launchStartup(this.#nextLaunch());
  }

  #nextLaunch(): number {
    this.#requested.abort();
    this.#requested = new AbortController();
    return ++this.#launch;
  }

  /**
   * Leaves the present document.
   * @param isUnlocking whether its locked modules are released
   * @param isLimited false: the viewer wants it, not the carousel
   */
  #restart(isUnlocking = true, isLimited = true): void {
    if (isUnlocking) this.#store.unlockAll();
    if (this.#isEnded) {
      this.#isEnded = false;
      this.#screen.setPhase('loading');
    }
    this.#hasStarted = true;
    const number = this.#nextLaunch();
    const running = this.#running;
    running?.halt();
    // A script may be the caller: it has to return first.
    queueMicrotask(() => {
      running?.tasks.abandon();
      void this.#launchStartup(number, isLimited);
    });
  }

  async #launchStartup(number: number, isLimited = true): Promise<void> {
    if (isLimited) await this.#restarts.turn(this.#host.clock);
    if (number !== this.#launch) return;
    const module = { component: ENTRY_COMPONENT, module: 0, file: undefined, fragment: '' };
    await this.#store.arrival(module);
    if (number !== this.#launch) return;
    const startup = { ...module, file: STARTUP_FILE };
    const address = this.#store.file(startup) === undefined ? module : startup;
    if (this.#store.file(address) === undefined) this.#end('noBroadcast');
    else await this.#show(address, number);
  }

  /** A document asks for another one. Its script has ended with that call. */
  #leave(from: RunningDocument, next: () => Promise<void>): void {
    if (from !== this.#running || from.isClosed) return;
    from.halt();
    queueMicrotask(() => void next());
  }

  async #launchFrom(reference: string, from: RunningDocument): Promise<void> {
    const number = this.#nextLaunch();
    await this.#launches.turn(this.#host.clock);
    if (number !== this.#launch) return;
    const address = from.resolve(reference);
    const remote = from.resolveRemote(reference);
    if (hasModule(address)) await this.#launchModule(address, number);
    else if (remote !== undefined) await this.#launchRemote(remote, from.address, number);
    else {
      this.#reports.log(`launchDocument: no such address: ${reference}`);
      this.#restart();
    }
  }

  async #launchRemote(address: RemoteAddress, from: DocumentAddress, number: number): Promise<void> {
    const document = await this.#remoteDocuments.open(address, from, this.#requested.signal);
    if (number !== this.#launch) return;
    if (typeof document !== 'string') {
      await this.#show(document.address, number, document.file);
      return;
    }
    this.#reports.log(`launchDocument: ${document}: ${formatDocument(address)}`);
    this.#host.post({ kind: 'launchFailed', fault: document });
    this.#restart();
  }

  async #launchModule(address: ModuleAddress, number: number): Promise<void> {
    this.#reports.progress();
    await this.#store.arrival(address);
    if (number !== this.#launch) return;
    if (this.#store.file(address) === undefined) {
      this.#reports.log(`launchDocument: not found: ${formatDocument(address)}`);
      this.#restart();
    } else await this.#show(address, number);
  }

  /** @param received the document of a server */
  async #show(address: DocumentAddress, number: number, received?: StoredFile): Promise<void> {
    const before = this.#running;
    await before?.unload();
    if (number !== this.#launch) return;
    if (before !== undefined && (isRemote(address) || before.component !== address.component))
      this.#store.unlockAll('plain');
    const file = isRemote(address) ? received : this.#store.file(address);
    if (file === undefined) {
      this.#restart();
      return;
    }
    const characterSet = characterSetOf(file.bytes, charsetOfType(file.type));
    const document = parseDocument(decodeCharacters(file.bytes, characterSet));
    const running = new RunningDocument(this.#documentHost, document, address, characterSet);
    this.#running = running;
    await running.addStyleSheets();
    if (number !== this.#launch) return;
    this.#screen.show(running);
    this.#host.post({ kind: 'document', address: formatDocument(address) });
    if (document.isTruncated) this.#reports.log('the document is too large: the rest is left out');
    await running.load();
    if (number !== this.#launch || running.isClosed) return;
    if (address.fragment !== '') running.focusState.toFragment(address.fragment);
    this.#screen.loaded();
    this.#opening.documentLoaded(document.isInvisible);
  }

  #end(reason: EndReason): void {
    this.#nextLaunch();
    this.#isEnded = true;
    const running = this.#running;
    // A script may be the caller.
    queueMicrotask(() => running?.close());
    this.#running = undefined;
    this.#screen.clear();
    this.#screen.forgetPhase();
    this.#host.post({ kind: 'phase', phase: 'ended', reason });
  }

  /** A font has arrived. */
  redraw(): void {
    this.#screen.changed(true);
  }

  // The viewer and the page.

  /** The press that opened it is not meant for a document that is still loading: that one may be the answer. */
  async #pressAgain(): Promise<boolean> {
    const running = this.#running;
    return running?.events.isStarted === true && (await running.pressData());
  }

  key(code: number, isDown: boolean): void {
    if (code === KEY.data) {
      if (!isDown) return;
      if (this.#isEnded && this.#store.components?.has(ENTRY_COMPONENT) === true) {
        this.#opening.arm();
        this.#restart();
        return;
      }
      // Before the first document the press that opened it waits already.
      if (this.#running === undefined) return;
      if (this.#opening.isPending) this.#opening.answered();
      void this.#running.pressData();
      return;
    }
    if (isDown) this.#opening.answered();
    if (isDown) this.#running?.keys.down(code);
    else this.#running?.keys.up(code);
  }

  setMedia(media: MediaState): void {
    const before = this.#media;
    this.#media = media;
    this.#running?.events.mediaChanged(before, media);
  }

  soundEnded(sound: number): void {
    this.#audio.ended(sound);
  }
}
