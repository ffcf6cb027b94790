/**
 * A stand-in for the tuner agent that can deliver 200 streams at once on a small machine: each of its
 * physical channels has many stations of ten packets a second. It does not assign tuners; every channel has
 * its own.
 */
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import {
  adaptation,
  patSection,
  pesPacket,
  pmtSection,
  StreamBuilder,
  TINY_PICTURE,
} from '../stream-builder.ts';
import { tunerOf } from '../tuner.ts';

const TICK_MS = 100;
/** Interval of PAT and PMT: five times that of broadcasts, since 200 readers each receive those of 25 stations. */
const TABLES_MS = 500;
const PCR_A_MS = 27_000;
const PTS_A_MS = 90;
const FIRST_NETWORK = 0x7d00;
const FIRST_SERVICE = 1024;
const UNIT_BYTES = 170;

const pmtPid = (station: number): number => 0x1f0 + station;
const videoPid = (station: number): number => 0x600 + station;

/** The stream of one physical channel, generated once for all its readers. */
class CrowdedChannel {
  readonly readers = new Map<ReadableStreamDefaultController<Uint8Array>, string>();
  readonly #builder = new StreamBuilder();
  readonly #tables: { pid: number; section: Uint8Array }[];

  constructor(
    readonly network: number,
    readonly stations: number,
  ) {
    const all = Array.from({ length: stations }, (_, index) => index);
    const programs = all.map((index) => [FIRST_SERVICE + index, pmtPid(index)] as const);
    this.#tables = [
      { pid: 0, section: patSection(network, programs) },
      ...all.map((index) => {
        const streams = [{ type: 0x02, pid: videoPid(index) }];
        return {
          pid: pmtPid(index),
          section: pmtSection(FIRST_SERVICE + index, { pcrPid: videoPid(index), streams }),
        };
      }),
    ];
  }

  /** @param at ms since the agent started */
  tick(at: number): void {
    if (at % TABLES_MS === 0)
      for (const { pid, section } of this.#tables) this.#builder.sections(pid, section);
    const payload = new Uint8Array(UNIT_BYTES).fill(0x55);
    payload.set(pesPacket({ streamId: 0xe0, pts: at * PTS_A_MS, unbounded: true, data: TINY_PICTURE }));
    for (let index = 0; index < this.stations; index += 1) {
      const pcr = adaptation({ pcr: at * PCR_A_MS });
      this.#builder.packet(videoPid(index), { payload, start: true, adaptation: pcr });
    }
    const bytes = this.#builder.take();
    for (const reader of this.readers.keys()) reader.enqueue(bytes.slice());
  }
}

export class CrowdAgent {
  readonly #channels: CrowdedChannel[];
  readonly #server: ReturnType<typeof Bun.serve>;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(tuners: number, stationsEach: number) {
    this.#channels = Array.from(
      { length: tuners },
      (_, index) => new CrowdedChannel(FIRST_NETWORK + index, stationsEach),
    );
    const began = performance.now();
    let sentMs = 0;
    this.#timer = setInterval(() => {
      // A busy machine sends late, but everything.
      for (; sentMs <= performance.now() - began; sentMs += TICK_MS)
        for (const channel of this.#channels) channel.tick(sentMs);
    }, TICK_MS);
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request) => this.#answer(new URL(request.url)),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  get channels(): Channel[] {
    return this.#channels.map(({ network, stations }, index) => ({
      type: 'GR',
      channel: `T${13 + index}`,
      tsid: network,
      networkId: network,
      stations: Array.from({ length: stations }, (_, station) => ({
        serviceId: FIRST_SERVICE + station,
        name: `群${index + 1}の${station + 1}`,
        serviceType: 1,
        remoteControlKey: index + 1,
      })),
    }));
  }

  /** Ids of all stations. */
  get stations(): number[] {
    return this.channels.flatMap(({ networkId, stations }) =>
      stations.map(({ serviceId }) => (networkId ?? 0) * 100_000 + serviceId),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#server.stop(true);
  }

  #tuners(): Tuner[] {
    return this.#channels.map(({ readers }, index) =>
      tunerOf(['GR'], {
        id: `c${index}`,
        state: readers.size === 0 ? 'idle' : 'tuned',
        tuned: readers.size === 0 ? null : { type: 'GR', channel: `T${13 + index}` },
        users: [...readers.values()].map((use) => ({ use, priority: 10, lagBytes: 0 })),
        descrambled: true,
      }),
    );
  }

  #answer({ pathname, searchParams }: URL): Response {
    if (pathname === '/agent/channels') return Response.json(this.channels);
    if (pathname === '/agent/tuners') return Response.json(this.#tuners());
    if (pathname === '/agent/events') {
      const hello = new TextEncoder().encode(': hello\n\n');
      const stream = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(hello) });
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
    }
    const name = searchParams.get('channel') ?? '';
    const index = Number(name.slice(1)) - 13;
    const channel = this.#channels[index];
    if (pathname !== '/agent/stream' || channel === undefined) return new Response(null, { status: 404 });
    let mine: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        mine = controller;
        channel.readers.set(controller, searchParams.get('use') ?? '');
      },
      cancel: () => {
        if (mine !== undefined) channel.readers.delete(mine);
      },
    });
    return new Response(stream, { headers: { 'content-type': 'video/mp2t', 'x-svc-tuner': `c${index}` } });
  }
}
