/**
 * An agent with one satellite tuner on which a network with its whole guide is sent: present/following and
 * eight days of schedules of every station, basic and extended, repeatedly, at the bit rate of a transponder.
 * A separate process, so that its work does not count as the service's: `bun test/bench/guide/guide-broadcast.ts`;
 * prints `port=<port> events=<number>`.
 */
import { type BroadcastMs, broadcastMs } from '../../../lib/arib/time.ts';
import {
  liveSegments,
  presentFollowing,
  type ScheduleKind,
  scheduleSections,
} from '../../../synth/si/eit.ts';
import { PACKET, StreamBuilder } from '../../stream-builder.ts';
import { tunerOf } from '../../tuner.ts';
import { type BenchStation, benchChannels, benchStations } from './bench-stations.ts';

const EIT_PID = 0x12;
const KINDS: readonly ScheduleKind[] = ['basic', 'extended'];
const BYTES_PER_MS = 24_000_000 / 8 / 1000;
const TICK_MS = 20;
const DAY_MS = 86_400_000;

function sectionsOf({ events }: BenchStation, kind: 'actual' | 'other', at: BroadcastMs): Uint8Array[] {
  return [
    ...presentFollowing(events, kind, at),
    ...KINDS.flatMap((schedule) =>
      liveSegments(at, events.guide.days).flatMap((segment) =>
        scheduleSections(events, { kind, schedule, at }, segment),
      ),
    ),
  ];
}

function packetsOf(sections: readonly Uint8Array[]): Uint8Array {
  const stream = new StreamBuilder();
  for (const section of sections) stream.sections(EIT_PID, section);
  return stream.bytes();
}

const at = broadcastMs(Date.now());
const stations = benchStations().filter(({ type }) => type === 'BS');
/** By transport stream: the one that it is sent on, or another. */
const written = stations.map((station) => ({
  station,
  actual: packetsOf(sectionsOf(station, 'actual', at)),
  other: packetsOf(sectionsOf(station, 'other', at)),
}));

function carousel(channel: string): Uint8Array[] {
  return written.map(({ station, actual, other }) => (station.channel === channel ? actual : other));
}

/**
 * The counters of the parts are not continuous: the first packets of each part are treated as a gap and are
 * sent again.
 */
function stream(channel: string): ReadableStream<Uint8Array> {
  const parts = carousel(channel);
  let timer: ReturnType<typeof setInterval> | undefined;
  let [part, offset] = [0, 0];
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) < -64) return;
        const bytes = parts[part % parts.length] ?? new Uint8Array();
        const size = Math.round((BYTES_PER_MS * TICK_MS) / PACKET) * PACKET;
        controller.enqueue(bytes.slice(offset, offset + size));
        offset += size;
        if (offset < bytes.length) return;
        [part, offset] = [part + 1, 0];
      }, TICK_MS);
    },
    cancel: () => clearInterval(timer),
  });
}

const TUNER = tunerOf(['BS', 'CS'], { id: 'bench', name: 'bench', device: 'bench' });

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  fetch: (request) => {
    const url = new URL(request.url);
    if (url.pathname === '/agent/channels') return Response.json(benchChannels(stations));
    if (url.pathname === '/agent/tuners') return Response.json([TUNER]);
    if (url.pathname === '/agent/stream') {
      return new Response(stream(url.searchParams.get('channel') ?? ''), {
        headers: { 'content-type': 'video/mp2t', 'x-svc-tuner': TUNER.id },
      });
    }
    if (url.pathname !== '/agent/events') return Response.json({ message: 'ありません' }, { status: 404 });
    const events = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(': hello\n\n')),
    });
    return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
  },
});

const announced = stations.reduce(
  (sum, { events }) => sum + events.guide.starting(at, broadcastMs(at + 7 * DAY_MS), at).length,
  0,
);
process.stdout.write(`port=${server.port} events=${announced}\n`);
