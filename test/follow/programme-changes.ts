/**
 * An evening of a small broadcast with schedule changes, with a real agent process and a whole service in
 * this process: a test reserves programmes before it begins, and compares the recordings with the sent
 * streams.
 */
import { Database } from 'bun:sqlite';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { broadcastMs, PTS_MODULUS } from '../../lib/arib/time.ts';
import { PACKET_SIZE, packetPcr } from '../../lib/arib/ts/packet.ts';
import type { GuideProgram, GuideWindow, Recording, ReservationItem } from '../../lib/wire/api.ts';
import { momentOf, ticksAt, wrapTicks } from '../../synth/clock.ts';
import type { SmallChannel } from '../../synth/scenario/small.ts';
import { type Comparison, compare, TestBroadcast } from '../record/test-broadcast.ts';
import { startTestService, type TestService } from '../service/harness.ts';
import { until } from '../until.ts';

/** The whole guide of a few programmes is sent within a second or two. */
const SCHEDULE_SPEED = 20;
/** Time until the evening begins, in which the guide of every channel is read and its programmes are reserved. */
const LEAD_MS = 16_000;
/** Time in which agent and service start on a quiet machine: a slower one also takes longer to read a guide. */
const STARTED_MS = 1_500;
const MARGINS = { marginBefore: 4000, marginAfter: 2000 };

/** An entry in a list of programmes; `at` in seconds of the evening. */
interface Show {
  at: number;
  durationSec: number;
  title: string;
  [field: string]: unknown;
}

interface Stretch {
  from: number;
  to: number;
}

export interface Outcome {
  recording: Recording;
  verdict: NonNullable<Recording['verdict']>;
  /** The service's record of the programme, and the content of the file, in seconds of the evening. */
  programme: Stretch;
  kept: Stretch;
  loss: Comparison;
  bytes: Uint8Array;
}

export class ProgrammeChanges {
  private constructor(
    /** Epoch ms. */
    readonly zero: number,
    readonly air: TestBroadcast,
    readonly service: TestService,
  ) {}

  /**
   * @param channels shows of each terrestrial one; the gaps between them are filled @param patience factor of the
   * time until the evening begins @param more environment of the service
   */
  static async start(
    channels: Readonly<Record<string, readonly Show[]>>,
    tuners: string,
    patience: number,
    more: Record<string, string> = {},
  ): Promise<ProgrammeChanges> {
    const names = Object.keys(channels);
    const air = await TestBroadcast.startSilent(names, tuners);
    const environment = { TUNER_AGENT_URL: air.agentUrl, EPG_SWEEP_SETTLE: '1000', ...more };
    const service = await startTestService({ environment });
    const slowness = Math.max(1, (performance.now() - air.preparedAt) / STARTED_MS);
    const zero = Math.ceil((Date.now() + LEAD_MS * slowness * patience) / 1000) * 1000;
    const evening = new ProgrammeChanges(zero, air, service);
    await evening.send('PUT', 'settings', MARGINS);
    const listed = names.map(
      (channel): SmallChannel => ({
        channel,
        stations: [{ programmes: filled(channels[channel] ?? []).map((show) => written(show, zero)) }],
      }),
    );
    await air.put(listed, {}, SCHEDULE_SPEED);
    return evening;
  }

  /** Epoch ms of a second of the evening. */
  at(second: number): number {
    return this.zero + second * 1000;
  }

  /** @throws Error with the response if it is not successful */
  async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask(method, path, body);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  ask(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.service.url}/api/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Waits until the guide contains it. */
  programme(title: string): Promise<GuideProgram> {
    return until(`${title} is in the guide`, async () => {
      const path = `guide?from=${this.zero - 60_000}&to=${this.zero + 60_000}`;
      const guide = await this.send<GuideWindow>('GET', path);
      return guide.flatMap(({ programs }) => programs).find((one) => one.title === title);
    });
  }

  async book(title: string): Promise<ReservationItem> {
    const { id } = await this.programme(title);
    return this.send('POST', 'reservations', { programId: id });
  }

  async reservation(id: number): Promise<ReservationItem> {
    return this.send('GET', `reservations/${id}`);
  }

  /** All recordings on a station's channel with a title, also failed ones, ordered by start. */
  async recordings(title: string, shows = ['', '?show=recording', '?show=failed']): Promise<Recording[]> {
    const lists = shows.map((shown) => this.send<Recording[]>('GET', `recordings${shown}`));
    const all = new Map((await Promise.all(lists)).flat().map((one) => [one.id, one]));
    return [...all.values()].filter((one) => one.title === title).sort((a, b) => a.id - b.id);
  }

  /** Waits for the verdict. */
  async judged(title: string): Promise<Recording> {
    return until(`${title} is judged`, async () => {
      const [found] = await this.recordings(title, ['', '?show=failed']);
      return found !== undefined && found.verdict !== null && !found.recording ? found : undefined;
    });
  }

  /** Waits for the verdict, then compares the content of the file with the broadcast. */
  async outcome(title: string, channel: string): Promise<Outcome> {
    const recording = await this.judged(title);
    const { verdict, startAt, endAt } = recording;
    if (verdict === null) throw new Error('not judged');
    const path = this.pathOf(recording.id);
    const bytes = readFileSync(path);
    const second = (at: number): number => (at - this.zero) / 1000;
    return {
      ...{ recording, verdict, bytes },
      loss: compare(bytes, await this.air.sent(channel, this.at(-20), statSync(path).mtimeMs)),
      programme: { from: second(startAt), to: second(endAt) },
      kept: this.stretchOf(bytes),
    };
  }

  /** When the packets of a stream were sent, in seconds of the evening. */
  stretchOf(bytes: Uint8Array): Stretch {
    const moments = clocks(bytes).map((ticks) => (this.#moment(ticks) - this.zero) / 1000);
    return { from: moments[0] ?? Number.POSITIVE_INFINITY, to: moments.at(-1) ?? Number.NEGATIVE_INFINITY };
  }

  /** The broadcaster's clock is a function of time. @returns when a clock reference was sent, epoch ms */
  #moment(ticks: number): number {
    const around = ticksAt(broadcastMs(this.zero));
    const away = ticks - wrapTicks(around);
    return momentOf(around + ((away + PTS_MODULUS * 1.5) % PTS_MODULUS) - PTS_MODULUS / 2);
  }

  /** Path of its original stream. @throws Error if there is none */
  pathOf(recordingId: number): string {
    const database = new Database(join(this.service.folder, 'svc.db'), { readonly: true });
    const row = database
      .query<{ path: string }, [number]>('SELECT path FROM recording_files WHERE recording_id = ?')
      .get(recordingId);
    database.close();
    if (row === null || !existsSync(row.path)) throw new Error(`no file of recording ${recordingId}`);
    return row.path;
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.air.close();
  }
}

const FILL = 'つなぎの時間';
const FILL_SEC = 3600;

/** Fills an hour before, an hour after, and the time between. */
function filled(shows: readonly Show[]): Show[] {
  const list: Show[] = [];
  let end = shows[0]?.at ?? 0;
  if (shows[0]?.title !== BEFORE) list.push({ at: end - FILL_SEC, durationSec: FILL_SEC, title: FILL });
  for (const show of shows) {
    if (show.at > end) list.push({ at: end, durationSec: show.at - end, title: FILL });
    list.push(show);
    end = show.at + show.durationSec;
  }
  list.push({ at: end, durationSec: FILL_SEC, title: FILL });
  return list;
}

/** Title of the programme on air before the evening begins. */
export const BEFORE = 'まえの番組';

function written({ at, ...fields }: Show, zero: number) {
  return { ...fields, startAt: new Date(zero + at * 1000).toISOString() };
}

/** Program clock references of a stream, as 90 kHz ticks. */
function clocks(bytes: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = 0; at + PACKET_SIZE <= bytes.length; at += PACKET_SIZE) {
    const pcr = packetPcr(bytes, at);
    if (pcr !== undefined) found.push(pcr / 300);
  }
  return found;
}
