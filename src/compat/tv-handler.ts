/**
 * Playlist, guide and HDHomeRun documents for television software, below any address: a port of its own, a path of the
 * service, a client link. Addresses in the documents are below the one that was asked.
 */
import { halfWidth } from '../../lib/arib/caption/width.ts';
import type { StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, DAY_MS, plusMs } from '../../lib/arib/time.ts';
import { VERSION } from '../../lib/host/version.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { BROADCAST_NAMES } from '../../lib/wire/vocabulary.ts';
import type { TvPaths } from '../http/route/server-interfaces.ts';
import { Failure } from '../model/failure.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import { type CalendarBooking, calendarText } from './calendar.ts';
import type { ClientLinkService } from './client-links.ts';
import {
  headOf,
  isForeignLoad,
  JSON_TYPE,
  matchPath,
  type PathValues,
  textAnswer,
} from './compat-listener.ts';
import { deviceXml, discoverDocument, type HdhrDevice, lineupDocument, statusDocument } from './hdhomerun.ts';
import { playlistText } from './playlist.ts';
import { splitAudioBody, wantsSplitAudio } from './split-audio.ts';
import { programmeElement, XMLTV_END, type XmltvProgram, type XmltvStation, xmltvHead } from './xmltv.ts';

const MAX_DAYS = 31;

/**
 * Options of playlist and guide that clients know from EPGStation (`channel.m3u8?isHalfWidth=…`, `epg.xml?days=…`) and
 * mirakc (`epg?days=…`). Others of theirs, `mode` above all, choose an encoding and have no effect: the address does.
 * End of the guide, epoch ms; such a guide begins now. Undefined: all that there is, the past included.
 */
function guideEnd({ searchParams }: URL, now: number): number | undefined {
  const days = Number(searchParams.get('days') ?? Number.NaN);
  return Number.isInteger(days) && days >= 1 && days <= MAX_DAYS ? now + days * DAY_MS : undefined;
}

/** Letters, digits and signs of texts in half width, where that is asked for. */
function textForm({ searchParams }: URL): (text: string) => string {
  if (!/^(?:true|1)$/.test(searchParams.get('isHalfWidth') ?? '')) return (text) => text;
  return (text) => text.replace(/[\u3000\uff01-\uff5e]/gu, (letter) => halfWidth(letter.codePointAt(0) ?? 0));
}

type Numbered = Pick<StationRecord, 'id' | 'type' | 'serviceId' | 'remoteControlKey'>;

/** Branch of the stations of a second region under the same key. */
const OTHER_REGION = 10;
/** BS and CS share some service ids. */
const CS_OFFSET = 10_000;
const MAX_BRANCH = 1_000;

/** Candidates in the order of preference. Digits and one dot only: other characters break Jellyfin's ids. */
function* candidates({ type, serviceId, remoteControlKey }: Numbered): Generator<string> {
  if (type === 'GR' && remoteControlKey > 0) {
    // The last three bits number the services of a broadcaster, ARIB TR-B14 Vol. 5.
    const branch = (serviceId & 7) + 1;
    for (let at = branch; at < MAX_BRANCH; at += OTHER_REGION) yield `${remoteControlKey}.${at}`;
  }
  yield String(serviceId);
  for (let at = CS_OFFSET; ; at += CS_OFFSET) yield String(serviceId + at);
}

/** Numbers for stations that have none yet; given ones are never changed or reused. */
export function newNumbers(
  stations: readonly Numbered[],
  given: ReadonlyMap<StationId, string>,
): Map<StationId, string> {
  const taken = new Set(given.values());
  const added = new Map<StationId, string>();
  for (const station of stations) {
    if (given.has(station.id)) continue;
    for (const number of candidates(station)) {
      if (taken.has(number)) continue;
      taken.add(number);
      added.set(station.id, number);
      break;
    }
  }
  return added;
}

export interface TvCall {
  readonly request: Request;
  readonly url: URL;
  /** Below the address of the documents, with a slash at its beginning. */
  readonly path: string;
  /** Absolute address of the documents, without a final slash. */
  readonly base: string;
}

export interface TvNeeds {
  readonly stations: {
    list(): readonly StationRecord[];
    find(id: StationId): StationRecord | undefined;
  };
  readonly programs: { shown(station: StationId, from: BroadcastMs): ProgramRecord[] };
  readonly logos: {
    tag(id: StationId): string | undefined;
    png(id: StationId): Uint8Array<ArrayBuffer> | undefined;
  };
  readonly numbers: {
    all(): Map<StationId, string>;
    add(numbers: ReadonlyMap<StationId, string>): void;
  };
  /** Watchable recordings, newest first. */
  readonly recordings: () => readonly ListedRecording[];
  /** Coming ones. */
  readonly bookings: () => readonly CalendarBooking[];
  /** The file of a recording, complete or in ranges. */
  readonly recordingFile: (id: number, request: Request) => Promise<Response>;
  /** A station's packets, original or encoded as H.264. @throws Failure; the abort's reason */
  readonly watch: (
    id: StationId,
    form: 'raw' | 'h264',
    signal: AbortSignal,
  ) => Promise<ReadableStream<Uint8Array>>;
  /** @throws Failure agent_unavailable */
  readonly tuners: () => Promise<readonly Tuner[]>;
  /** Number of an episode by the texts of its programme. */
  readonly episodeOf: (program: XmltvProgram) => number | undefined;
  /** Of the original streams and of the encoded ones: two devices. */
  readonly deviceIds: { readonly raw: string; readonly h264: string };
  readonly now: () => BroadcastMs;
  readonly monotonic: () => number;
}

const DIGITAL_AUDIO = 0x02;
const MAX_CATCHUP_DAYS = 365;
const PLAYLIST_TYPE = 'audio/x-mpegurl; charset=utf-8';
const XML_TYPE = 'application/xml; charset=utf-8';
/** Exactly so: Jellyfin shares a stream among its viewers only then. */
const STREAM_TYPE = 'video/MP2T';
const TURN_MS = 6;
/** A start of catch-up is that of the guide, which may differ from that of the recording. */
const CATCHUP_SLACK_MS = 60_000;

const NOT_FOUND = (): Response => tvError(404, 'Not Found');

export function tvError(status: number, reason: string): Response {
  return new Response(`${reason}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

/** Addresses of everything with encoded streams begin so. */
const ENCODED = '/h264';

type Asked = TvCall & { readonly values: PathValues; readonly form: 'raw' | 'h264' };

export class TvApi {
  constructor(private readonly needs: TvNeeds) {}

  /** Usable tuners by the last answer of the agent. */
  tunerCount = 1;

  readonly answer = async (call: TvCall): Promise<Response> => {
    const { request } = call;
    if (request.method === 'POST' && call.path === '/lineup.post') return new Response(null);
    if (request.method !== 'GET' && request.method !== 'HEAD') return tvError(405, 'Method Not Allowed');
    const isEncoded = call.path === ENCODED || call.path.startsWith(`${ENCODED}/`);
    const form = isEncoded ? 'h264' : 'raw';
    const path = isEncoded ? call.path.slice(ENCODED.length) || '/' : call.path;
    const base = isEncoded ? call.base + ENCODED : call.base;
    for (const [template, act] of this.#paths) {
      const values = matchPath(template, path);
      if (values === undefined) continue;
      try {
        return await act({ request, url: call.url, path, base, values, form });
      } catch (error) {
        if (request.signal.aborted) return new Response(null, { status: 499 });
        if (!(error instanceof Failure)) throw error;
        return error.code === 'not_found' ? NOT_FOUND() : tvError(503, error.message);
      }
    }
    return NOT_FOUND();
  };

  readonly #paths: readonly (readonly [string, (asked: Asked) => Response | Promise<Response>])[] = [
    ['/playlist.m3u', (asked) => this.#playlist(asked)],
    ['/guide.xml', (asked) => this.#guide(asked)],
    ['/calendar.ics', () => this.#calendar()],
    ['/logo/{file}', (asked) => this.#logo(asked)],
    ['/stream/{file}', (asked) => this.#stream(asked, idOf(asked.values.file))],
    ['/auto/{number}', (asked) => this.#stream(asked, this.#numbered(asked.values.number))],
    ['/recording/{id}', ({ request, values }) => this.needs.recordingFile(Number(values.id), request)],
    ['/catchup/{file}', (asked) => this.#catchup(asked)],
    ['/discover.json', async (asked) => json(discoverDocument(await this.#device(asked)))],
    ['/lineup.json', (asked) => json(lineupDocument(this.#listed(), asked.base, asked.form === 'h264'))],
    ['/lineup_status.json', () => json(statusDocument())],
    ['/device.xml', (asked) => this.#deviceXml(asked)],
    ['/', (asked) => this.#deviceXml(asked)],
    // Matches every path of two parts: last.
    ['/{tuner}/{number}', (asked) => this.#tunerStream(asked)],
  ];

  #calendar(): Response {
    const headers = { 'content-type': 'text/calendar; charset=utf-8' };
    return new Response(calendarText(this.needs.bookings()), { headers });
  }

  /** Asks the agent; without an answer the last known count stays: software that polls must not forget the device. */
  async countTuners(): Promise<void> {
    try {
      this.tunerCount = (await this.needs.tuners()).filter((one) => !one.disabled).length;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }

  numbered(): (StationRecord & { readonly number: string })[] {
    const numbers = this.#numbers();
    return this.needs.stations
      .list()
      .map((station) => ({ ...station, number: numbers.get(station.id) ?? String(station.id) }));
  }

  async #device({ base, form }: Asked): Promise<HdhrDevice> {
    await this.countTuners();
    return { id: this.needs.deviceIds[form], tuners: this.tunerCount, version: VERSION, base };
  }

  async #deviceXml(asked: Asked): Promise<Response> {
    return new Response(deviceXml(await this.#device(asked)), { headers: { 'content-type': XML_TYPE } });
  }

  /** Numbers of all stations; new ones get theirs now. */
  #numbers(): Map<StationId, string> {
    const { numbers, stations } = this.needs;
    const given = numbers.all();
    const added = newNumbers(stations.list(), given);
    if (added.size > 0) numbers.add(added);
    return new Map([...given, ...added]);
  }

  #listed(shown = (text: string): string => text) {
    return this.numbered().map(({ id, name, number, type, serviceType }) => ({
      ...{
        id,
        name: shown(name),
        number,
        group: BROADCAST_NAMES[type],
        isRadio: serviceType === DIGITAL_AUDIO,
      },
      hasLogo: this.needs.logos.tag(id) !== undefined,
    }));
  }

  #playlist({ request, url, base, form }: Asked): Promise<Response> {
    const shown = textForm(url);
    const recordings = this.needs.recordings();
    const oldest = recordings.at(-1)?.startAt;
    const reach = oldest === undefined ? 0 : Math.ceil((this.needs.now() - oldest) / DAY_MS);
    const text = playlistText({
      ...{ base, stations: this.#listed(shown), isAudioSplit: form === 'raw' && wantsSplitAudio(url) },
      recordings: url.searchParams.has('recordings')
        ? recordings.map(({ id, name, serviceName, durationMs }) => ({
            ...{ id, title: shown(name), stationName: shown(serviceName), durationMs },
          }))
        : [],
      catchupDays: Math.min(Math.max(reach, 0), MAX_CATCHUP_DAYS),
    });
    return textAnswer(request, PLAYLIST_TYPE, text);
  }

  /** Every stored programme, and those that are only recorded. */
  async #guide({ request, url, base }: Asked): Promise<Response> {
    const { programs, now, monotonic, recordings, episodeOf } = this.needs;
    const shown = textForm(url);
    const end = guideEnd(url, now());
    const oldest = end === undefined ? plusMs(now(), -MAX_CATCHUP_DAYS * DAY_MS) : now();
    const stations = this.#listed(shown);
    const parts: string[] = [];
    const filled: XmltvStation[] = [];
    const recorded = Map.groupBy(recordings(), ({ stationId }) => stationId);
    let turn = monotonic();
    for (const { id, name, number, hasLogo } of stations) {
      const listed: XmltvProgram[] = programs.shown(id as StationId, oldest);
      const begun = new Set(listed.map(({ startAt }) => startAt));
      const past = (recorded.get(id as StationId) ?? []).filter(
        ({ startAt, endAt }) => !begun.has(startAt) && endAt > oldest,
      );
      const all = [...listed, ...past.map(recordedProgram)]
        .filter(({ startAt }) => end === undefined || startAt < end)
        .sort((a, b) => a.startAt - b.startAt);
      if (all.length > 0) filled.push({ id, name, number, logo: hasLogo ? `${base}/logo/${id}.png` : null });
      for (const program of all) {
        parts.push(programmeElement(withTexts(program, shown), episodeOf));
        if (monotonic() - turn < TURN_MS) continue;
        await new Promise((resolve) => setImmediate(resolve));
        turn = monotonic();
      }
    }
    return textAnswer(request, XML_TYPE, [xmltvHead(filled), ...parts, XMLTV_END].join(''));
  }

  #logo({ values }: Asked): Response {
    const png = this.needs.logos.png(idOf(values.file, '.png') as StationId);
    if (png === undefined) return NOT_FOUND();
    const headers = { 'content-type': 'image/png', 'cache-control': 'private, max-age=86400' };
    return new Response(png, { headers });
  }

  /** `v1.1`, as HDHomeRun's addresses have it. */
  #numbered(text = ''): number {
    const number = text.replace(/^v/, '');
    for (const [id, own] of this.#numbers()) if (own === number) return id;
    return Number.NaN;
  }

  #tunerStream(asked: Asked): Response | Promise<Response> {
    if (!/^tuner\d$/.test(asked.values.tuner ?? '')) return NOT_FOUND();
    return this.#stream(asked, this.#numbered(asked.values.number));
  }

  async #stream({ request, url, form }: Asked, id: number): Promise<Response> {
    const station = this.needs.stations.find(id as StationId);
    if (station === undefined) return NOT_FOUND();
    if (request.method === 'HEAD') return headOf(STREAM_TYPE);
    if (isForeignLoad(request)) return tvError(403, 'Forbidden');
    const body = await this.needs.watch(station.id, form, request.signal);
    const isSplit = form === 'raw' && wantsSplitAudio(url);
    return new Response(isSplit ? splitAudioBody(body) : body, { headers: { 'content-type': STREAM_TYPE } });
  }

  /** The recording of a programme of the past. */
  #catchup({ request, url, values }: Asked): Response | Promise<Response> {
    const id = idOf(values.file);
    const at = Number(url.searchParams.get('start')) * 1000 + CATCHUP_SLACK_MS;
    const found = this.needs
      .recordings()
      .find((one) => one.stationId === id && one.startAt <= at && at < one.endAt + CATCHUP_SLACK_MS);
    return found === undefined ? NOT_FOUND() : this.needs.recordingFile(found.id, request);
  }
}

/** Of `<id>.ts` and the like; NaN: another name. */
function idOf(file = '', suffix = '.ts'): number {
  return file.endsWith(suffix) ? Number(file.slice(0, -suffix.length)) : Number.NaN;
}

function json(value: object): Response {
  return new Response(JSON.stringify(value), { headers: { 'content-type': JSON_TYPE } });
}

function withTexts(program: XmltvProgram, shown: (text: string) => string): XmltvProgram {
  const { name, description, extended } = program;
  const details = Object.entries(extended ?? {}).map(([heading, text]) => [shown(heading), shown(text)]);
  return {
    ...{ ...program, name: shown(name), description: shown(description) },
    extended: extended === null ? null : Object.fromEntries(details),
  };
}

function recordedProgram(one: ListedRecording): XmltvProgram {
  const { stationId, startAt, endAt, name, genres, audios } = one;
  return {
    ...{ stationId, startAt, endAt, name, genres, audios, description: '', extended: null },
    ...{ videoResolution: null, series: null },
  };
}

const PLACE = /^\/tv\/-(?:\/hdhr)?(?=\/|$)/;
const LINK = /^\/tv\/(?!-(?:\/|$))([^/]*)(?:\/hdhr)?(?=\/|$)/;

/**
 * Playlist, guide and HDHomeRun documents at paths of the service's own server: `/tv/-` for clients that are let in,
 * `/tv/<key>` for holders of a client link; `hdhr` below either is the same.
 */
export function tvPaths(tv: TvApi, links: ClientLinkService): TvPaths {
  const isAdmitted = (path: string): boolean => {
    const key = LINK.exec(path)?.[1];
    return key === undefined || links.admits(key);
  };
  return {
    handles: (path) => PLACE.test(path) || LINK.test(path),
    isAdmitted,
    answer: async ({ request, url, path, base }) => {
      const place = (PLACE.exec(path) ?? LINK.exec(path))?.[0] ?? '';
      // The same as for a path that does not exist, whatever is behind it.
      if (!isAdmitted(path)) return tvError(404, 'Not Found');
      const below = path.slice(place.length).replace(/\/{2,}/g, '/') || '/';
      return tv.answer({ request, url, path: below, base: new URL(place.slice(1), base).href });
    },
  };
}
