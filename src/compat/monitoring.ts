/** What `/metrics` and `/api/summary` report. Everything is read when it is asked for, except what only events tell. */
import type { Elysia } from 'elysia';
import type { StationId } from '../../lib/arib/ids.ts';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { VERSION } from '../../lib/host/version.ts';
import type { Card, Tuner } from '../../lib/wire/agent.ts';
import { type Summary, SummarySchema } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { TUNER_STATES } from '../../lib/wire/vocabulary.ts';
import { REFUSAL_SCHEMAS } from '../http/route/described-responses.ts';
import type { StationRecord } from '../model/station.ts';
import type { Verdict } from '../model/verdict.ts';
import type { SummaryStore } from '../store/compat-store.ts';

type MetricType = 'gauge' | 'counter' | 'histogram';

interface Sample {
  /** Of histograms: follows the name of the metric. */
  readonly suffix?: '' | '_bucket' | '_sum' | '_count';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Metric {
  /** Counters end in `_total`. */
  readonly name: string;
  readonly type: MetricType;
  /** One line. */
  readonly help: string;
  readonly samples: readonly Sample[];
}

function labelText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function sampleLine(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${labelText(text)}"`);
  return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

/** Counts values in cumulative buckets, by one label. */
class Histogram {
  readonly #counts = new Map<string, { readonly buckets: number[]; sum: number; count: number }>();

  /** @param limits upper limits of the buckets, rising; the last bucket has none */
  constructor(
    private readonly label: string,
    private readonly limits: readonly number[],
  ) {}

  observe(name: string, value: number): void {
    const known = this.#counts.get(name);
    const counts = known ?? { buckets: this.limits.map(() => 0), sum: 0, count: 0 };
    if (known === undefined) this.#counts.set(name, counts);
    for (const [index, limit] of this.limits.entries())
      if (value <= limit) counts.buckets[index] = (counts.buckets[index] as number) + 1;
    counts.sum += value;
    counts.count += 1;
  }

  get samples(): Sample[] {
    return Array.from(this.#counts, ([name, { buckets, sum, count }]): Sample[] => {
      const labels = { [this.label]: name };
      const bucket = (le: string, value: number): Sample => ({
        ...{ suffix: '_bucket', labels: { ...labels, le }, value },
      });
      return [
        ...this.limits.map((limit, index) => bucket(String(limit), buckets[index] as number)),
        bucket('+Inf', count),
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: count },
      ];
    }).flat();
  }
}

/** Metrics without samples are left out. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', ' ')}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((sample) => sampleLine(name, sample)),
    ]);
  return `${lines.join('\n')}\n`;
}

interface Folder {
  readonly path: string;
  readonly floorBytes: number;
}

interface MonitoringNeeds {
  readonly summary: SummaryStore;
  /** Running recordings. */
  readonly running: () => ReadonlyMap<RecordingId, unknown>;
  readonly verdictOf: (id: RecordingId) => Verdict | null;
  /** @throws Failure agent_unavailable */
  readonly tuners: () => Promise<readonly Tuner[]>;
  readonly card: () => Promise<Card>;
  readonly folders: () => readonly Folder[];
  /** Free octets; undefined: the folder does not respond. */
  readonly freeBytes: (path: string) => Promise<number | undefined>;
  readonly stations: { list(): readonly StationRecord[] };
  /** When the guide of each station was read, epoch ms. */
  readonly readAt: () => ReadonlyMap<StationId, number | null>;
  readonly watched: () => number;
  /** By what is sent to them. */
  readonly viewers: () => ReadonlyMap<string, number>;
  /** When recordings will have used up the space; null: not within a day. */
  readonly fullAt: () => Promise<BroadcastMs | null>;
  /** Japanese; null: none. */
  readonly problem: () => string | null;
  /** By the broadcast's clock. */
  readonly now: () => BroadcastMs;
  /** By the machine's clock, epoch ms. */
  readonly wall: () => number;
  readonly monotonic: () => number;
}

const LAG_STEP_MS = 500;
/** A station is there within 2 s, or within the 20 s in which the agent retunes. */
const OPEN_SECONDS = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20];

const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  ...{ name, help, samples, type: 'gauge' },
});
const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  ...{ name, help, samples, type: 'counter' },
});
const known = <T>(value: T | null | undefined): T[] => (value === null || value === undefined ? [] : [value]);

export class Monitoring {
  #running = new Set<RecordingId>();
  readonly #verdicts = new Map<string, number>();
  readonly #lostSeconds = new Map<string, number>();
  readonly #opened = new Histogram('codec', OPEN_SECONDS);
  #lagMs = 0;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(private readonly needs: MonitoringNeeds) {
    let due = needs.monotonic() + LAG_STEP_MS;
    this.#timer = setInterval(() => {
      const at = needs.monotonic();
      this.#lagMs = Math.max(this.#lagMs, at - due);
      due = at + LAG_STEP_MS;
    }, LAG_STEP_MS);
    this.#timer.unref();
  }

  /** Recordings changed: counts those that ended with a verdict. */
  recordingsChanged(): void {
    const running = new Set(this.needs.running().keys());
    for (const id of this.#running) {
      if (running.has(id)) continue;
      const verdict = this.needs.verdictOf(id);
      if (verdict === null) {
        // It is over, and its verdict follows.
        running.add(id);
        continue;
      }
      this.#verdicts.set(verdict.level, (this.#verdicts.get(verdict.level) ?? 0) + 1);
      for (const { startMs, endMs, cause } of verdict.gaps)
        this.#lostSeconds.set(cause, (this.#lostSeconds.get(cause) ?? 0) + (endMs - startMs) / 1000);
    }
    this.#running = running;
  }

  /** A viewer of a station got its first bytes. */
  opened(codec: string, elapsedMs: number): void {
    this.#opened.observe(codec, elapsedMs / 1000);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async summary(): Promise<Summary> {
    const { summary, running, now, watched, problem } = this.needs;
    const [tuners, free] = await Promise.all([this.#tuners(), this.#freeSpace()]);
    const states = summary.reservations();
    const next = summary.next(now());
    const usable = tuners?.filter(({ disabled, state }) => !disabled && state !== 'error');
    const room = free.map(({ bytes, floorBytes }) => Math.max(0, bytes - floorBytes));
    return {
      ...{ version: VERSION, recording: running().size, watched: watched(), problem: problem() },
      nextRecordingAt: next?.startAt ?? null,
      nextRecordingTitle: next === undefined ? null : removeTitleMarks(next.name).title,
      ...{ reservations: states.get('scheduled') ?? 0, conflicts: states.get('conflict') ?? 0 },
      tuners: usable?.length ?? null,
      tunersFree: usable?.filter(({ users }) => users.length === 0).length ?? null,
      encodes: summary.encodes(),
      freeBytes: room.length === 0 ? null : room.reduce((sum, bytes) => sum + bytes, 0),
    };
  }

  async metrics(): Promise<Metric[]> {
    const { summary, running, now, watched, viewers } = this.needs;
    const [tuners = [], free, card, fullAt] = await Promise.all([
      this.#tuners(),
      this.#freeSpace(),
      this.needs.card().catch(() => undefined),
      this.needs.fullAt().catch(() => null),
    ]);
    const lagMs = this.#lagMs;
    this.#lagMs = 0;
    const next = summary.next(now());
    const byLabel = (label: string, counts: ReadonlyMap<string, number>): Sample[] =>
      Array.from(counts, ([name, value]) => ({ labels: { [label]: name }, value }));
    return [
      gauge('svc_build_info', 'Version of svc.', [{ labels: { version: VERSION }, value: 1 }]),
      counter(
        'svc_recordings_total',
        'Recordings that ended since the start of svc, by verdict.',
        byLabel('verdict', this.#verdicts),
      ),
      counter(
        'svc_recording_lost_seconds_total',
        'Time missing in these recordings, by cause.',
        byLabel('cause', this.#lostSeconds),
      ),
      gauge('svc_recording_active', 'Running recordings.', [{ value: running().size }]),
      gauge('svc_reservations', 'Reservations by state.', byLabel('state', summary.reservations())),
      gauge(
        'svc_next_recording_timestamp_seconds',
        'Start of the next booked programme.',
        known(next).map(({ startAt }) => ({ value: startAt / 1000 })),
      ),
      gauge('svc_watched_stations', 'Stations that are watched.', [{ value: watched() }]),
      gauge('svc_viewers', 'Viewers of stations, by what is sent to them.', byLabel('codec', viewers())),
      {
        ...{ name: 'svc_live_open_seconds', type: 'histogram', samples: this.#opened.samples },
        help: 'Time from the request of a station to its first bytes.',
      },
      gauge('svc_encode_queue', 'Encodings that wait or run.', [{ value: summary.encodes() }]),
      ...tunerMetrics(tuners),
      ...known(card).flatMap(cardMetrics),
      gauge('svc_guide_age_seconds', 'Time since the guide of a station was read completely.', this.#guide()),
      gauge(
        'svc_disk_free_bytes',
        'Free space of a recording folder.',
        free.map(({ path, bytes }) => ({ labels: { folder: path }, value: bytes })),
      ),
      gauge(
        'svc_disk_full_in_seconds',
        'Time until recordings of the next day will have used up the space; absent while it suffices.',
        known(fullAt).map((at) => ({ value: Math.max(0, (at - now()) / 1000) })),
      ),
      gauge('svc_event_loop_lag_seconds', 'Longest delay of the main thread since the last scrape.', [
        { value: lagMs / 1000 },
      ]),
    ];
  }

  /** Undefined: the agent does not answer. */
  #tuners(): Promise<readonly Tuner[] | undefined> {
    return this.needs.tuners().catch(() => undefined);
  }

  async #freeSpace(): Promise<(Folder & { bytes: number })[]> {
    const { folders, freeBytes } = this.needs;
    const found = await Promise.all(
      folders().map(async (folder) => {
        const bytes = await freeBytes(folder.path);
        return bytes === undefined ? [] : [{ ...folder, bytes }];
      }),
    );
    return found.flat();
  }

  #guide(): Sample[] {
    const read = this.needs.readAt();
    return this.needs.stations.list().flatMap(({ id, name }) =>
      known(read.get(id)).map((at) => ({
        labels: { station: String(id), name },
        value: Math.max(0, (this.needs.wall() - at) / 1000),
      })),
    );
  }
}

function tunerMetrics(tuners: readonly Tuner[]): Metric[] {
  const counted = tuners.flatMap(({ id, tuned, stats }) =>
    known(stats).map((all) => ({ labels: { tuner: id, channel: tuned?.channel ?? '' }, all })),
  );
  return [
    gauge(
      'svc_tuner_state',
      'State of each tuner: 1 for the current one.',
      tuners.flatMap(({ id, state }) =>
        TUNER_STATES.map((one) => ({ labels: { tuner: id, state: one }, value: one === state ? 1 : 0 })),
      ),
    ),
    gauge(
      'svc_tuner_cnr_db',
      'Carrier to noise ratio of a tuned tuner.',
      tuners.flatMap(({ id, signal }) =>
        known(signal?.cnr).map((value) => ({ labels: { tuner: id }, value })),
      ),
    ),
    counter(
      'svc_ts_packets_total',
      'Packets since the current tuning began.',
      counted.map(({ labels, all }) => ({ labels, value: all.packets })),
    ),
    counter(
      'svc_ts_drops_total',
      'Continuity errors since the current tuning began.',
      counted.map(({ labels, all }) => ({ labels, value: all.continuityErrors })),
    ),
  ];
}

function cardMetrics({ ecm }: Card): Metric[] {
  return [
    counter('svc_card_ecm_total', 'Key requests to the card.', [{ value: ecm.requests }]),
    counter('svc_card_ecm_failed_total', 'Key requests without a key.', [{ value: ecm.failed }]),
    gauge(
      'svc_card_ecm_median_seconds',
      'Median response time of the last key requests.',
      known(ecm.medianMs).map((ms) => ({ value: ms / 1000 })),
    ),
  ];
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** `/metrics` for Prometheus, `/api/summary` for Home Assistant and the like. */
export function addMonitoringRoutes(app: Elysia, monitoring: Monitoring): void {
  app.get(
    '/metrics',
    async () =>
      new Response(metricsText(await monitoring.metrics()), {
        headers: { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' },
      }),
    { detail: { hide: true } },
  );

  app.get('/api/summary', () => monitoring.summary(), {
    response: { 200: SummarySchema, ...REFUSAL_SCHEMAS },
    detail: { summary: 'The state of the service as one flat object', tags: ['system'] },
  });
}
