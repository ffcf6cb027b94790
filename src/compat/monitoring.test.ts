import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import type { Verdict } from '../model/verdict.ts';
import { Monitoring, metricsText } from './monitoring.ts';

const TUNER: Tuner = {
  ...{
    id: 'tuner0',
    name: 'PT3',
    driver: 'dvb',
    device: '/dev/dvb',
    types: ['GR'],
    disabled: false,
    lnb: false,
  },
  ...{
    rank: 0,
    state: 'tuned',
    tuned: { type: 'GR', channel: 'T27' },
    users: [],
    descrambled: true,
    error: null,
  },
  signal: { locked: true, cnr: 28.5, strength: null },
  stats: { packets: 900, syncErrors: 0, transportErrors: 0, continuityErrors: 3, scrambled: 0 },
};

function home() {
  const running = new Map<RecordingId, object>([[recordingId(1), {}]]);
  const verdicts = new Map<RecordingId, Verdict>();
  const world = { running, verdicts, tuners: async (): Promise<Tuner[]> => [TUNER] };
  const monitoring = new Monitoring({
    summary: {
      reservations: () => new Map([['scheduled', 4]]),
      next: () => ({ name: '港の朝[字]', startAt: broadcastMs(5_000) }),
      encodes: () => 2,
    } as never,
    running: () => running,
    verdictOf: (id) => verdicts.get(id) ?? null,
    tuners: () => world.tuners(),
    card: () => Promise.reject(new Error('no card')),
    folders: () => [
      { path: '/a', floorBytes: 10 },
      { path: '/away', floorBytes: 0 },
    ],
    freeBytes: async (path) => (path === '/a' ? 110 : undefined),
    ...{ stations: { list: () => [] }, readAt: () => new Map(), watched: () => 1, problem: () => null },
    viewers: () =>
      new Map([
        ['h264', 2],
        ['raw', 0],
      ]),
    fullAt: async () => broadcastMs(90_000),
    ...{ now: () => broadcastMs(0), wall: () => 0, monotonic: () => 0 },
  });
  return { ...world, world, monitoring };
}

const textOf = async ({ monitoring }: ReturnType<typeof home>): Promise<string> =>
  metricsText(await monitoring.metrics());

test('recordings are counted when they end with a verdict, with what they lost', async () => {
  const house = home();
  house.monitoring.recordingsChanged();
  house.running.clear();
  house.monitoring.recordingsChanged();
  expect(await textOf(house)).not.toContain('svc_recordings_total');
  const gaps = [{ startMs: 1_000, endMs: 3_500, cause: 'stalled' as const }];
  house.verdicts.set(recordingId(1), { level: 'damaged', drops: 1, gaps, headMs: 0, tailMs: 0 });
  house.monitoring.recordingsChanged();
  house.monitoring.recordingsChanged();
  const text = await textOf(house);
  expect(text).toContain('svc_recordings_total{verdict="damaged"} 1\n');
  expect(text).toContain('svc_recording_lost_seconds_total{cause="stalled"} 2.5\n');
  house.monitoring.close();
});

test('tuners, folders and reservations are listed; what does not answer is left out', async () => {
  const house = home();
  const text = await textOf(house);
  expect(text).toContain('svc_tuner_state{tuner="tuner0",state="tuned"} 1\n');
  expect(text).toContain('svc_tuner_cnr_db{tuner="tuner0"} 28.5\n');
  expect(text).toContain('svc_ts_drops_total{tuner="tuner0",channel="T27"} 3\n');
  expect(text).toContain('svc_disk_free_bytes{folder="/a"} 110\n');
  expect(text).not.toContain('/away');
  expect(text).not.toContain('svc_card');
  house.world.tuners = () => Promise.reject(new Error('no agent'));
  const summary = await house.monitoring.summary();
  expect(summary).toMatchObject({
    recording: 1,
    reservations: 4,
    conflicts: 0,
    tuners: null,
    freeBytes: 100,
  });
  expect(summary).toMatchObject({ nextRecordingAt: 5_000, nextRecordingTitle: '港の朝', encodes: 2 });
  house.monitoring.close();
});

test('labels and help cannot break a line', () => {
  const samples = [{ labels: { folder: 'a"b\\c\nd' }, value: 1 }];
  expect(metricsText([{ name: 'x', type: 'gauge', help: 'one\ntwo', samples }])).toBe(
    '# HELP x one two\n# TYPE x gauge\nx{folder="a\\"b\\\\c\\nd"} 1\n',
  );
});

test('the dashboard of the documents shows only metrics that exist', async () => {
  const house = home();
  house.monitoring.recordingsChanged();
  const names = new Set((await house.monitoring.metrics()).map(({ name }) => name));
  const dashboard = await Bun.file(new URL('../../docs/grafana.json', import.meta.url)).text();
  const shown = new Set((dashboard.match(/svc_[a-z_]+/g) ?? []).map((name) => name.replace(/_bucket$/, '')));
  expect(shown.size).toBeGreaterThan(10);
  // Without a card there are no metrics of one.
  expect([...shown].filter((name) => !names.has(name) && !name.startsWith('svc_card_'))).toEqual([]);
  house.monitoring.close();
});

test('viewers, their waiting times, and when the disk is full', async () => {
  const house = home();
  for (const ms of [180, 900, 60_000]) house.monitoring.opened('h264', ms);
  const text = await textOf(house);
  expect(text).toContain('svc_viewers{codec="h264"} 2\nsvc_viewers{codec="raw"} 0\n');
  expect(text).toContain('# TYPE svc_live_open_seconds histogram\n');
  expect(text).toContain('svc_live_open_seconds_bucket{codec="h264",le="0.1"} 0\n');
  expect(text).toContain('svc_live_open_seconds_bucket{codec="h264",le="0.25"} 1\n');
  expect(text).toContain('svc_live_open_seconds_bucket{codec="h264",le="20"} 2\n');
  expect(text).toContain('svc_live_open_seconds_bucket{codec="h264",le="+Inf"} 3\n');
  expect(text).toMatch(/^svc_live_open_seconds_sum\{codec="h264"\} 61\.08/m);
  expect(text).toContain('svc_live_open_seconds_count{codec="h264"} 3\n');
  expect(text).toContain('svc_disk_full_in_seconds 90\n');
  house.monitoring.close();
});
