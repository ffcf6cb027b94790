/** Answers requests of the Mirakurun-compatible interface (`docs/compat.md`). */
import { programId, type ServiceId, type StationId, serviceId, splitProgramId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import { VERSION } from '../../lib/host/version.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import type { GuideChanges } from '../store/change-counters.ts';
import { type ChangeFeed, eventStream } from './change-feed.ts';
import {
  type CompatCall,
  type CompatHandler,
  headOf,
  isForeignLoad,
  JSON_TYPE,
  jsonAnswer,
  matchPath,
  type PathValues,
} from './compat-listener.ts';
import { MIRAKURUN_OPERATIONS, type OperationId, swaggerDocument } from './mirakurun-operations.ts';
import {
  isChannel,
  type MirakurunService,
  toChannels,
  toProgram,
  toService,
  toTuner,
} from './mirakurun-shapes.ts';
import type { MirakurunStreams, StreamClient } from './mirakurun-streams.ts';
import { PAST_MS, ProgramListing } from './program-listing.ts';
import { splitAudioBody, wantsSplitAudio } from './split-audio.ts';
import type { TvCall } from './tv-handler.ts';

/** Above guide collection and scans, below the household's own viewers. */
const LOWEST = PRIORITY.scan + 1;
const HIGHEST = PRIORITY.live - 1;
const BACKGROUND = PRIORITY.guide - 1;

/**
 * Priorities of Mirakurun's clients (0 a viewer, 1 and 2 recordings of EPGStation, negative: background) at the agent.
 * @param priority header `X-Mirakurun-Priority`; absent and malformed: 0
 * @param recordingsFrom from which value on a stream is a recording, with the priority of one; 0: none is
 */
export function agentPriority(header: string | null, recordingsFrom: number): number {
  const priority = /^-?\d{1,9}$/.test(header?.trim() ?? '') ? Number(header) : 0;
  if (recordingsFrom > 0 && priority >= recordingsFrom) return PRIORITY.recording;
  if (priority < 0) return BACKGROUND;
  return Math.min(LOWEST + priority, HIGHEST);
}

const STREAM_TYPE = 'video/MP2T';
const LOGO_SECONDS = 86_400;
/** A client that gave up before its answer. */
const GONE = 499;

export interface MirakurunNeeds {
  readonly stations: {
    list(): readonly StationRecord[];
    find(id: StationId): StationRecord | undefined;
  };
  readonly programs: {
    shown(station: StationId, from: BroadcastMs): ProgramRecord[];
    find(id: ProgramRecord['id']): ProgramRecord | undefined;
  };
  readonly logos: {
    tag(id: StationId): string | undefined;
    png(id: StationId): Uint8Array<ArrayBuffer> | undefined;
  };
  /** When the guide of each station was read, epoch ms. */
  readonly readAt: () => ReadonlyMap<StationId, number | null>;
  /** @throws Failure agent_unavailable */
  readonly tuners: () => Promise<readonly Tuner[]>;
  readonly countPrograms: () => number;
  readonly changes: Pick<GuideChanges, 'version' | 'since'>;
  readonly now: () => BroadcastMs;
  readonly monotonic: () => number;
  /** From which priority on a client's stream is a recording; 0: none is. */
  readonly recordingsFrom: () => number;
  readonly streams: MirakurunStreams;
  readonly feed: ChangeFeed;
  /** Playlist, guide and HDHomeRun documents below `/api/iptv`. */
  readonly tv: (call: TvCall) => Promise<Response>;
}

/** Mirakurun's and EPGStation's names of them. */
const TV_NAMES: Readonly<Record<string, string>> = {
  ...{ '/playlist': '/playlist.m3u', '/channel.m3u8': '/playlist.m3u' },
  ...{ '/xmltv': '/guide.xml', '/epg.xml': '/guide.xml', '/epg': '/guide.xml' },
};
const TV = '/api/iptv';

interface Asked extends CompatCall {
  readonly values: PathValues;
}

type Answer = Response | Promise<Response>;

/** Every error of the interface. */
export function mirakurunError(status: number, reason: string): Response {
  const body = JSON.stringify({ code: status, reason, errors: [] });
  return new Response(body, { status, headers: { 'content-type': JSON_TYPE } });
}

const NOT_FOUND = (): Response => mirakurunError(404, 'Not Found');

function failureAnswer(error: unknown): Response {
  if (!(error instanceof Failure)) throw error;
  switch (error.code) {
    case 'not_found':
      return NOT_FOUND();
    case 'no_tuner':
      return mirakurunError(503, 'Tuner Resource Unavailable');
    case 'internal':
      return mirakurunError(500, error.message);
    default:
      return mirakurunError(503, error.message);
  }
}

/** The fields of a query that an element has to match; unknown names are ignored. */
function matching<T>(listed: readonly T[], url: URL, fields: Record<string, (one: T) => unknown>): T[] {
  const wanted = Object.entries(fields).flatMap(([name, read]) => {
    const value = url.searchParams.get(name);
    return value === null ? [] : [{ value, read }];
  });
  return listed.filter((one) => wanted.every(({ value, read }) => String(read(one)) === value));
}

export class MirakurunApi {
  readonly #listing: ProgramListing;

  constructor(private readonly needs: MirakurunNeeds) {
    const { changes, now, monotonic } = needs;
    const programs = (station: StationId) => this.programsOf(station);
    this.#listing = new ProgramListing({ changes, programs, now, monotonic });
  }

  stationsChanged(): void {
    this.#listing.stationsChanged();
  }

  /** Writes the list of programmes, so that the first client does not wait for it. */
  async prepare(): Promise<void> {
    const stations = this.needs.stations.list().map(({ id }) => id);
    await this.#listing.answer(
      new Request('http://svc.internal/', { headers: { 'accept-encoding': 'gzip' } }),
      stations,
    );
  }

  readonly handle: CompatHandler = async (call) => {
    const { request, path } = call;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    if (path === '/api/docs') return jsonAnswer(request, swaggerDocument());
    if (path.startsWith(`${TV}/`)) {
      const name = path.slice(TV.length);
      return this.needs.tv({ ...call, path: TV_NAMES[name] ?? name, base: call.base + TV });
    }
    const below = path.startsWith('/api/') ? path.slice('/api'.length) : undefined;
    for (const operation of below === undefined ? [] : MIRAKURUN_OPERATIONS) {
      const values = operation.method === method ? matchPath(operation.path, below ?? '') : undefined;
      if (values === undefined) continue;
      try {
        return await this.#operations[operation.id]({ ...call, values });
      } catch (error) {
        // The client has disconnected and reads no response.
        if (request.signal.aborted) return new Response(null, { status: GONE });
        return failureAnswer(error);
      }
    }
    return NOT_FOUND();
  };

  readonly #operations: Record<OperationId, (asked: Asked) => Answer> = {
    getStatus: ({ request }) => jsonAnswer(request, this.#status()),
    checkVersion: ({ request }) => jsonAnswer(request, { current: VERSION, latest: VERSION }),
    getTuners: async ({ request }) => jsonAnswer(request, await this.tuners()),
    getTuner: async ({ request, values }) => {
      const tuner = (await this.tuners())[Number(values.index)];
      return tuner === undefined ? NOT_FOUND() : jsonAnswer(request, tuner);
    },
    getTunerProcess: async ({ request, values }) => {
      const tuner = (await this.tuners())[Number(values.index)];
      return tuner === undefined ? NOT_FOUND() : jsonAnswer(request, { pid: tuner.pid });
    },
    killTunerProcess: async ({ request, values }) => {
      const tuner = (await this.needs.tuners())[Number(values.index)];
      if (tuner === undefined) return NOT_FOUND();
      // Tuners have no process, and recordings and viewers of the household are not ended from here.
      this.needs.streams.end(tuner.users.map(({ use }) => use));
      return jsonAnswer(request, { pid: null });
    },
    getServices: ({ request, url }) =>
      jsonAnswer(
        request,
        matching(this.services(), url, {
          serviceId: (one) => one.serviceId,
          networkId: (one) => one.networkId,
          name: (one) => one.name,
          type: (one) => one.type,
          'channel.type': (one) => one.channel.type,
          'channel.channel': (one) => one.channel.channel,
        }),
      ),
    getService: ({ request, values }) => {
      const service = this.services().find(({ id }) => String(id) === values.id);
      return service === undefined ? NOT_FOUND() : jsonAnswer(request, service);
    },
    getLogoImage: ({ values }) => this.#logo(values),
    getServiceStream: (asked) => {
      const station = this.needs.stations.find(Number(asked.values.id) as StationId);
      return station === undefined ? NOT_FOUND() : this.#stream(asked, station, station.serviceId);
    },
    getChannels: ({ request, url }) => this.#channels(request, url, undefined),
    getChannelsByType: ({ request, url, values }) => this.#channels(request, url, values.type),
    getChannel: ({ request, values }) => {
      const services = this.#servicesOf(values);
      const [channel] = toChannels(services);
      return channel === undefined ? NOT_FOUND() : jsonAnswer(request, channel);
    },
    getChannelStream: (asked) => {
      const [station] = this.#stationsOf(asked.values);
      return station === undefined ? NOT_FOUND() : this.#stream(asked, station, null);
    },
    getServicesByChannel: ({ request, values }) => {
      const services = this.#servicesOf(values);
      return services.length === 0 ? NOT_FOUND() : jsonAnswer(request, services);
    },
    getServiceByChannel: ({ request, values }) => {
      const id = this.#stationOfChannel(values)?.id;
      const service = this.services().find((one) => one.id === id);
      return service === undefined ? NOT_FOUND() : jsonAnswer(request, service);
    },
    getServiceStreamByChannel: (asked) => {
      const station = this.#stationOfChannel(asked.values);
      return station === undefined ? NOT_FOUND() : this.#stream(asked, station, station.serviceId);
    },
    getPrograms: ({ request, url }) => this.#programs(request, url),
    getProgram: ({ request, values }) => {
      const program = this.#program(values.id);
      return program === undefined ? NOT_FOUND() : jsonAnswer(request, this.#shape(program));
    },
    getProgramStream: (asked) => this.#programStream(asked),
    getEvents: async ({ request }) => {
      await this.needs.feed.follow();
      return jsonAnswer(request, this.needs.feed.events);
    },
    getEventsStream: async ({ request, url }) => {
      if (request.method === 'HEAD') return headOf(JSON_TYPE);
      await this.needs.feed.follow();
      const [resource, type] = ['resource', 'type'].map((name) => url.searchParams.get(name));
      return eventStream(this.needs.feed, { resource: resource ?? null, type: type ?? null }, request.signal);
    },
  };

  services(): MirakurunService[] {
    const { stations, logos, readAt } = this.needs;
    const read = readAt();
    return stations.list().map((station) =>
      toService(station, {
        hasLogo: logos.tag(station.id) !== undefined,
        readAt: read.get(station.id) ?? null,
      }),
    );
  }

  async tuners() {
    const { tuners, streams } = this.needs;
    const clientOf = (use: string): StreamClient | undefined => streams.clientOf(use);
    return (await tuners()).map((tuner, index) => toTuner(tuner, index, clientOf));
  }

  /** Programmes of a station that have not ended long ago. */
  programsOf(station: StationId) {
    const { programs, now } = this.needs;
    return programs.shown(station, plusMs(now(), -PAST_MS)).map(this.#shape);
  }

  readonly #shape = (program: ProgramRecord) =>
    toProgram(program, (id) => this.needs.stations.find(id) !== undefined);

  #status(): object {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    const { streams, countPrograms, now } = this.needs;
    const quiet = { avg: 0, min: 0, max: 0 };
    return {
      time: now(),
      version: VERSION,
      process: {
        ...{ arch: process.arch, platform: process.platform, versions: process.versions, pid: process.pid },
        ...{ env: {}, memoryUsage: { rss, heapTotal, heapUsed, external } },
      },
      epg: { gatheringNetworks: [], storedEvents: countPrograms() },
      rpcCount: 0,
      streamCount: { tunerDevice: streams.size, tsFilter: streams.size, decoder: 0 },
      errorCount: {
        ...{ uncaughtException: 0, unhandledRejection: 0, bufferOverflow: 0 },
        ...{ tunerDeviceRespawn: 0, decoderRespawn: 0 },
      },
      timerAccuracy: { last: 0, m1: quiet, m5: quiet, m15: quiet },
    };
  }

  #stationsOf({ type = '', channel = '' }: PathValues): StationRecord[] {
    return this.needs.stations.list().filter((one) => one.type === type && isChannel(one, channel));
  }

  #servicesOf(values: PathValues): MirakurunService[] {
    const ids = new Set<number>(this.#stationsOf(values).map(({ id }) => id));
    return this.services().filter(({ id }) => ids.has(id));
  }

  /** By service id or item id. */
  #stationOfChannel(values: PathValues): StationRecord | undefined {
    const { sid } = values;
    return this.#stationsOf(values).find((one) => String(one.serviceId) === sid || String(one.id) === sid);
  }

  #channels(request: Request, url: URL, type: string | undefined): Promise<Response> {
    const channels = toChannels(this.services()).filter((one) => (type ?? one.type) === one.type);
    const found = matching(channels, url, {
      type: (one) => one.type,
      channel: (one) => one.channel,
      name: (one) => one.name,
    });
    return jsonAnswer(request, found);
  }

  #logo(values: PathValues): Answer {
    const station = this.needs.stations.find(Number(values.id) as StationId);
    if (station === undefined) return NOT_FOUND();
    const png = this.needs.logos.png(station.id);
    if (png === undefined) return mirakurunError(503, 'Logo Data Unavailable');
    const headers = { 'content-type': 'image/png', 'cache-control': `public, max-age=${LOGO_SECONDS}` };
    return new Response(png, { headers });
  }

  async #programs(request: Request, url: URL): Promise<Response> {
    const asked = matching(this.needs.stations.list(), url, {
      networkId: (one) => one.networkId,
      serviceId: (one) => one.serviceId,
    });
    const eventId = url.searchParams.get('eventId');
    const stations = asked.map(({ id }) => id);
    if (eventId === null) return await this.#listing.answer(request, stations);
    const found: object[] = [];
    for (const station of stations) {
      found.push(...this.programsOf(station).filter((program) => String(program.eventId) === eventId));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return jsonAnswer(request, found);
  }

  #program(text: string | undefined): ProgramRecord | undefined {
    const parts = splitProgramId(Number(text));
    if (parts === undefined || this.needs.stations.find(parts.stationId) === undefined) return undefined;
    return this.needs.programs.find(programId(parts.stationId, parts.eventId));
  }

  #client({ request, url, clientId }: CompatCall): StreamClient {
    const { headers, signal } = request;
    return {
      ...{ id: clientId, agent: headers.get('user-agent'), url: url.pathname + url.search, signal },
      // Streams are always descrambled; the value is only shown.
      decode: url.searchParams.get('decode') !== '0',
      priority: agentPriority(headers.get('x-mirakurun-priority'), this.needs.recordingsFrom()),
    };
  }

  async #stream(asked: Asked, station: StationRecord, service: ServiceId | null): Promise<Response> {
    if (asked.request.method === 'HEAD') return headOf(STREAM_TYPE);
    if (isForeignLoad(asked.request)) return mirakurunError(403, 'Forbidden');
    const { type, channel } = station;
    const place = { type, channel, serviceId: service === null ? null : serviceId(service) };
    const isSplit = service !== null && wantsSplitAudio(asked.url);
    const body = await this.needs.streams.open(place, this.#client(asked), !isSplit);
    return streamAnswer(isSplit ? splitAudioBody(body) : body, asked);
  }

  async #programStream(asked: Asked): Promise<Response> {
    const program = this.#program(asked.values.id);
    const station = program === undefined ? undefined : this.needs.stations.find(program.stationId);
    if (program === undefined || station === undefined) return NOT_FOUND();
    if (asked.request.method === 'HEAD') return headOf(STREAM_TYPE);
    if (isForeignLoad(asked.request)) return mirakurunError(403, 'Forbidden');
    const body = await this.needs.streams.program(program.id, station, this.#client(asked));
    return streamAnswer(body, asked);
  }
}

function streamAnswer(body: ReadableStream<Uint8Array>, { clientId }: CompatCall): Response {
  return new Response(body, {
    headers: { 'content-type': STREAM_TYPE, 'x-mirakurun-tuner-user-id': clientId },
  });
}
