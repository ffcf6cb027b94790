/** For tests: an engine whose clock, page and drawing are the test's own. */
import type { ModuleMessage, ResponseMessage, StreamEvent } from '../../lib/wire/data-broadcast.ts';
import type {
  Abilities,
  EngineMessage,
  EventTimes,
  MediaState,
  NetworkFault,
  PageRequest,
} from '../../web/bml/bml-messages.ts';
import { Engine } from '../../web/bml/engine/engine.ts';
import type { Confirmation, Network, NetworkAnswer } from '../../web/bml/engine/network.ts';
import type { NvramSnapshot, ReceiverSettings } from '../../web/bml/engine/nvram.ts';
import type { TaskClock } from '../../web/bml/engine/timers.ts';
import { encodeEucJp } from '../../web/bml/markup/characters.ts';
import { FONTS, Recorder } from './drawing-recorder.ts';

interface FakeFile {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly type?: string;
  readonly status?: number;
  /** Where it is received from; its own address if not given. */
  readonly url?: string;
  readonly isStorable?: boolean;
}

/** For tests: servers as a table, requests that wait until the test answers them. */
export class FakeNetwork implements Network {
  abilities: Abilities = { network: true, applications: false };
  /** By address. A fault, or `hangs`: no answer until the request ends. */
  readonly files: Record<string, FakeFile | NetworkFault | 'hangs'>;
  /** `GET` and address, or `POST`, address and form; ` ended` when a request was given up. */
  readonly log: string[] = [];
  host: Confirmation | undefined = { isReachable: true, address: '203.0.113.1', ms: 12 };

  constructor(files: FakeNetwork['files'] = {}) {
    this.files = files;
  }

  get(url: string, signal: AbortSignal): Promise<NetworkAnswer | NetworkFault> {
    return this.#answer(`GET ${url}`, url, signal);
  }

  post(url: string, form: string, signal: AbortSignal): Promise<NetworkAnswer | NetworkFault> {
    return this.#answer(`POST ${url} ${form}`, url, signal);
  }

  async confirm(host: string, timeoutMs: number): Promise<Confirmation | undefined> {
    this.log.push(`CONFIRM ${host} ${timeoutMs}`);
    return this.host;
  }

  async #answer(line: string, url: string, signal: AbortSignal): Promise<NetworkAnswer | NetworkFault> {
    this.log.push(line);
    const file = this.files[url];
    if (file === undefined)
      return { status: 404, type: undefined, url, isStorable: true, bytes: new Uint8Array() };
    if (file === 'hangs')
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          this.log.push(`${line} ended`);
          resolve('ended');
        }),
      );
    if (typeof file === 'string') return file;
    return {
      status: file.status ?? 200,
      type: file.type,
      url: file.url ?? url,
      isStorable: file.isStorable ?? true,
      bytes: new Uint8Array(typeof file.body === 'string' ? encodeEucJp(file.body) : file.body),
    };
  }
}

/** Time passes only by `run`; calls without a delay happen in order, and all promises are settled in between. */
class VirtualClock implements TaskClock {
  #time = 1000;
  #calls: { readonly at: number; readonly call: () => void }[] = [];
  /** What a look at the clock costs: scripts in an endless loop take time. */
  tick = 0;

  readonly now = (): number => {
    this.#time += this.tick;
    return this.#time;
  };

  readonly after = (ms: number, call: () => void): (() => void) => {
    const entry = { at: this.#time + ms, call };
    const index = this.#calls.findIndex(({ at }) => at > entry.at);
    this.#calls.splice(index < 0 ? this.#calls.length : index, 0, entry);
    return () => {
      this.#calls = this.#calls.filter((one) => one !== entry);
    };
  };

  async run(ms: number): Promise<void> {
    const end = this.#time + ms;
    let calls = 0;
    await settle();
    for (;;) {
      const next = this.#calls[0];
      if (next === undefined || next.at > Math.max(end, this.#time)) break;
      this.#calls.shift();
      this.#time = Math.max(this.#time, next.at);
      next.call();
      await settle();
      if (++calls > MAX_CALLS) throw new Error('time does not pass');
    }
    this.#time = Math.max(this.#time, end);
  }
}

/** A script that never ends would be run for ever while no time passes. */
const MAX_CALLS = 50_000;

/** Promises that wait for each other take some turns. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 24; turn++) await Promise.resolve();
}

export const PROGRAMME = {
  type: 'programInfo',
  networkId: 0x7fe0,
  transportStreamId: 0x7fe1,
  serviceId: 0x400,
  eventId: 0x1234,
  startAt: Date.UTC(2026, 10, 26, 3),
  durationMs: 3_600_000,
  name: 'News',
} as const;

type FileContent = string | Uint8Array;

const base64 = (content: FileContent): string =>
  (typeof content === 'string' ? encodeEucJp(content) : content).toBase64();

/** @param files by name; an empty name is a module that is one resource */
export function moduleMessage(
  componentId: number,
  moduleId: number,
  files: Readonly<Record<string, FileContent>>,
  version = 1,
  dataEventId = 1,
): ModuleMessage {
  return {
    type: 'moduleDownloaded',
    componentId,
    moduleId,
    version,
    dataEventId,
    files: Object.entries(files).map(([name, content]) => ({
      contentLocation: name === '' ? null : name,
      contentType: null,
      dataBase64: base64(content),
    })),
  };
}

interface RigOptions {
  readonly nvram?: NvramSnapshot;
  readonly receiver?: ReceiverSettings;
  readonly media?: MediaState;
  readonly isDataKeyPressed?: boolean;
  readonly isRecording?: boolean;
  readonly network?: Network;
  /** Answer of the page. */
  readonly answer?: (request: PageRequest) => number | EventTimes | undefined;
}

const SILENT: MediaState = {
  captionLanguages: [],
  captionShown: undefined,
  audioComponent: 0x10,
  audioChannel: undefined,
};

export class EngineRig {
  readonly clock = new VirtualClock();
  readonly posted: EngineMessage[] = [];
  readonly recorder = new Recorder();
  readonly engine: Engine;
  readonly #lists = new Map<number, Map<number, number>>();
  readonly #components = new Set([0x40, 0x10]);

  constructor(options: RigOptions = {}) {
    this.engine = new Engine(
      {
        clock: this.clock,
        wall: () => Date.UTC(2026, 10, 26, 3, 30),
        random: () => 0.5,
        post: (message) => {
          this.posted.push(message);
          if (message.kind !== 'request') return;
          const value = options.answer?.(message.request);
          this.clock.after(1, () => this.engine.link.answer(message.id, value));
        },
        decode: async ({ width, height }) => ({ width, height, close: () => undefined }) as ImageBitmap,
        createCanvas: (width, height) =>
          ({ width, height, getContext: () => this.recorder }) as unknown as OffscreenCanvas,
        nextFrame: (call) => void this.clock.after(16, call),
        surface: { resize: () => this.recorder, clear: () => undefined },
        fonts: FONTS,
        ...(options.network !== undefined && { network: options.network }),
      },
      {
        nvram: options.nvram ?? {},
        globalRegisters: [],
        receiver: options.receiver ?? { postalCode: '1500001', prefecture: 14 },
        media: options.media ?? SILENT,
        isDataKeyPressed: options.isDataKeyPressed ?? false,
        isRecording: options.isRecording ?? false,
      },
    );
  }

  data(message: ResponseMessage): void {
    this.engine.data(message);
  }

  pmt(...components: number[]): void {
    for (const component of components) this.#components.add(component);
    this.data({
      type: 'pmt',
      components: [...this.#components].map((componentId) => ({
        pid: 0x100 + componentId,
        componentId,
        streamType: 0x0d,
        dataComponentId: 0x0c,
        bxmlInfo: null,
      })),
    });
  }

  /** A DII of the component. @param versions by module; those before if not given */
  list(
    componentId: number,
    versions: Readonly<Record<number, number>>,
    dataEventId = 1,
    returnToEntryFlag = false,
  ): void {
    this.#lists.set(
      componentId,
      new Map(Object.entries(versions).map(([id, version]) => [Number(id), version])),
    );
    this.data({
      type: 'moduleListUpdated',
      componentId,
      dataEventId,
      returnToEntryFlag,
      modules: Object.entries(versions).map(([id, version]) => ({ id: Number(id), version, size: 1000 })),
    });
  }

  event(componentId: number, ...events: StreamEvent[]): void {
    this.data({ type: 'esEventUpdated', componentId, dataEventId: 1, events });
  }

  /** A service whose entry has one module with these files, and a second, `/40/0001`. */
  async start(
    files: Readonly<Record<string, FileContent>>,
    more: Readonly<Record<string, FileContent>> = {},
  ): Promise<void> {
    this.pmt(0x40);
    this.data(PROGRAMME);
    this.list(0x40, { 0: 1, 1: 1 });
    this.data(moduleMessage(0x40, 0, files));
    this.data(moduleMessage(0x40, 1, more));
    await this.clock.run(100);
  }

  /** Presses and releases a key. */
  async press(code: number): Promise<void> {
    this.engine.key(code, true);
    await this.clock.run(20);
    this.engine.key(code, false);
    await this.clock.run(20);
  }

  get logs(): string[] {
    return this.posted.flatMap((message) => (message.kind === 'log' ? [message.text] : []));
  }

  get documents(): string[] {
    return this.posted.flatMap((message) => (message.kind === 'document' ? [message.address] : []));
  }

  get phase(): string {
    const phases = this.posted.flatMap((message) =>
      message.kind === 'phase'
        ? [message.reason === undefined ? message.phase : `ended: ${message.reason}`]
        : [],
    );
    return phases.at(-1) ?? '';
  }

  last<Kind extends EngineMessage['kind']>(kind: Kind): Extract<EngineMessage, { kind: Kind }> | undefined {
    return this.posted.findLast(
      (message): message is Extract<EngineMessage, { kind: Kind }> => message.kind === kind,
    );
  }

  /** What the script wrote with `log(value)`: texts in `Greg[1]`, one write each. */
  get trace(): string[] {
    return this.posted.flatMap((message) =>
      message.kind === 'globalRegister' && message.index === 1 ? [message.value] : [],
    );
  }
}

/** A document with a script, whose `log(value)` appends to the rig's trace. */
export function page(script: string, body = '', attributes = 'onload="load();"', head = ''): string {
  return `<?xml version="1.0" encoding="EUC-JP" ?>
<bml><head><title></title>${head}<script><![CDATA[
function log(value) { browser.Greg[1] = "" + value; }
${script}
]]></script></head><body ${attributes}>${body}</body></bml>`;
}
