import { afterEach, describe, expect, test } from 'bun:test';
import { serviceId } from '../../arib/ids.ts';
import { monotonicMs, systemWallClock } from '../../host/clock.ts';
import { patSection, pesPacket, pmtSection, StreamBuilder } from '../../test/stream-builder.ts';
import { encoderOutput } from './encoder-output.ts';
import { type FileEvent, fileOutput } from './file-output.ts';
import type { AnyOutputKind } from './output-kind.ts';
import { type RawEvent, rawOutput } from './raw-output.ts';
import type { ReceptionEvent } from './reception-messages.ts';
import { type OpaqueOutputKind, StationReception } from './station-reception.ts';

const SERVICE = 101;
const PMT = 0x1f0;
const VIDEO = 0x100;
const SOUND = 0x110;
/** A PID of SI, which every station keeps. */
const SI = 0x14;
const SECOND = 90_000;
/** Takes everything, gives nothing, ends with its input. */
const SINK_COMMAND = ['sh', '-c', 'exec cat > /dev/null'];

/** A station on an agent whose bytes and a clock whose time the test decides. */
class Studio {
  readonly messages: ReceptionEvent[] = [];
  readonly station: StationReception;
  readonly #builder = new StreamBuilder();
  readonly #opened = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  readonly #server: ReturnType<typeof Bun.serve>;
  #sent = 0;
  #time = 0;
  #marks = 0;

  constructor() {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => this.#opened.resolve(controller) });
    this.#server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(body) });
    this.station = new StationReception({
      stream: 1,
      url: this.#server.url.href,
      serviceId: serviceId(SERVICE),
      post: (message) => this.messages.push(message),
      limits: {},
      clock: () => monotonicMs(this.#time),
      wall: systemWallClock,
    });
    this.station.start();
  }

  tables(services = [SERVICE]): this {
    const programs = services.map((service): [number, number] => [service, PMT]);
    const streams = [
      { type: 0x02, pid: VIDEO },
      { type: 0x0f, pid: SOUND },
    ];
    this.#builder.sections(0, patSection(1, programs, { version: services.length }));
    this.#builder.sections(PMT, pmtSection(SERVICE, { pcrPid: VIDEO, streams }));
    return this;
  }

  sound(pts: number): this {
    this.#builder.pes(SOUND, pesPacket({ streamId: 0xc0, pts, data: new Uint8Array(100) }));
    return this;
  }

  scrambled(): this {
    // Noise may look like anything, such as sequence headers of different pictures at distant times.
    for (const changing of [0x02, 0x50, 0x90]) {
      const head = [0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5, 0x21, changing, 1, 0, 1, 0, 0, 1, 0xb3, changing];
      const payload = Uint8Array.from({ length: 184 }, (_, at) => head[at] ?? 0x55);
      for (const pid of [VIDEO, SOUND]) this.#builder.packet(pid, { payload, start: true, scrambling: 3 });
    }
    return this;
  }

  /** What was built so far is sent. */
  async send(): Promise<void> {
    const controller = await this.#opened.promise;
    controller.enqueue(this.#builder.bytes().slice(this.#sent * 188));
    this.#sent = this.#builder.length;
  }

  /** What was built so far is sent, and has gone through: a mark behind it is seen by a raw viewer. */
  async received(): Promise<void> {
    this.#marks += 1;
    const mark = `mark ${this.#marks}.`;
    this.#builder.packet(SI, { payload: new TextEncoder().encode(mark) });
    await this.#until(mark, () =>
      this.values<RawEvent>(RAW).some((one) => Buffer.from(one.bytes).includes(mark)),
    );
  }

  pass(milliseconds: number): void {
    this.#time += milliseconds;
    this.station.check();
  }

  /** What an output has posted. */
  values<Event>(part: number): Event[] {
    return this.messages.flatMap((one) =>
      one.kind === 'value' && one.part === part ? [one.value as Event] : [],
    );
  }

  output(part: number, kind: AnyOutputKind, options: unknown): void {
    this.station.output(part, kind as unknown as OpaqueOutputKind, options);
  }

  async message<K extends ReceptionEvent['kind']>(kind: K): Promise<Extract<ReceptionEvent, { kind: K }>> {
    const find = (): ReceptionEvent | undefined => this.messages.find((one) => one.kind === kind);
    await this.#until(kind, () => find() !== undefined);
    return find() as Extract<ReceptionEvent, { kind: K }>;
  }

  /** Sends on meanwhile: the framer waits for what confirms its last packets. */
  async #until(what: string, condition: () => boolean): Promise<void> {
    const deadline = performance.now() + 5_000;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`did not happen: ${what}`);
      this.#builder.nulls(8);
      await this.send();
      await Bun.sleep(2);
    }
  }

  async close(): Promise<void> {
    await this.station.close();
    await this.#server.stop(true);
  }
}

let studio: Studio;
afterEach(() => studio.close());

const RAW = 6;
const ENCODER = 7;
const ENCODE = {
  command: SINK_COMMAND,
  streams: { video: { pid: VIDEO, kind: 'mpeg2' }, audio: SOUND },
  waitForPicture: false,
};

async function onAir(): Promise<void> {
  studio = new Studio();
  await studio.tables().send();
  await studio.message('opened');
  studio.output(RAW, rawOutput, null);
}

describe('StationReception', () => {
  test('that the stream never lists is refused, once left-over data of another tuning has passed', async () => {
    studio = new Studio();
    studio.output(RAW, rawOutput, null);
    await studio.tables([202, 303]).received();
    studio.pass(1_500);
    expect(studio.messages.map(({ kind }) => kind)).not.toContain('failed');
    studio.pass(1_000);
    expect(await studio.message('failed')).toMatchObject({ problem: { code: 'no_signal' } });
  });

  test('that the stream no longer lists is lost, unless it comes back soon', async () => {
    await onAir();
    await studio.tables([202, 303]).received();
    await studio.tables().received();
    studio.pass(3_000);
    await studio.tables([202, 303]).received();
    studio.pass(1_000);
    expect(studio.messages.map(({ kind }) => kind)).not.toContain('ended');
    studio.pass(1_500);
    expect(await studio.message('ended')).toMatchObject({
      problem: { reason: 'the station is not in the stream' },
    });
    expect(await studio.message('outputEnded')).toMatchObject({ part: RAW, end: { cause: 'lost' } });
  });

  test('that stays scrambled: an encoder ends and says which PIDs it could not read', async () => {
    await onAir();
    studio.output(ENCODER, encoderOutput, ENCODE);
    await studio.scrambled().received();
    studio.pass(5_000);
    await studio.scrambled().received();
    expect(studio.messages.map(({ kind }) => kind)).not.toContain('outputEnded');
    studio.pass(5_000);
    expect((await studio.message('outputEnded')).end).toMatchObject({
      cause: 'encoder',
      produced: false,
      missing: [VIDEO, SOUND],
    });
  });

  test('whose clock jumps ends its encoders in order and keeps nothing from before', async () => {
    await onAir();
    studio.output(ENCODER, encoderOutput, ENCODE);
    await studio
      .sound(SECOND)
      .sound(2 * SECOND)
      .received();
    await studio.sound(900 * SECOND).received();
    expect(studio.messages.map(({ kind }) => kind)).not.toContain('outputEnded');
    await studio.sound(901 * SECOND).received();
    await studio.message('layout');
    expect(await studio.message('outputEnded')).toMatchObject({ part: ENCODER, end: { cause: 'layout' } });
    studio.station.command(RAW, { kind: 'join', viewer: 1 });
    const burst = studio.values<RawEvent>(RAW).find(({ kind }) => kind === 'burst');
    expect(burst).toBeDefined();
    expect(Buffer.from(burst?.bytes ?? []).includes('mark 1.')).toBe(false);
  });

  test('reports the end of every output, also of one that was dropped', async () => {
    await onAir();
    studio.station.stop(RAW);
    expect(await studio.message('outputEnded')).toMatchObject({ part: RAW });
    studio.output(8, rawOutput, null);
    await studio.station.close();
    const ended = studio.messages.flatMap((message) =>
      message.kind === 'outputEnded' ? [message.part] : [],
    );
    expect(ended).toEqual([RAW, 8]);
  });

  test('that is recorded to a disk that takes nothing continues for viewers', async () => {
    await onAir();
    studio.output(8, fileOutput, { path: '/dev/full', mode: 'append', counted: 0 });
    await studio.sound(SECOND).received();
    const has = (kind: FileEvent['kind']): boolean =>
      studio.values<FileEvent>(8).some((event) => event.kind === kind);
    while (!has('trouble')) await studio.sound(SECOND).received();
    await studio.sound(2 * SECOND).received();
    studio.station.stop(8);
    while (!has('ended')) await studio.received();
    await studio.sound(3 * SECOND).received();
  });
});
