import { afterEach, describe, expect, test } from 'bun:test';
import { serviceId } from '../../arib/ids.ts';
import { patSection, pesPacket, pmtSection, StreamBuilder } from '../../test/stream-builder.ts';
import type { FromReceptionWorker } from './reception-messages.ts';
import { Station } from './station-reception.ts';

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
  readonly messages: FromReceptionWorker[] = [];
  readonly station: Station;
  readonly #builder = new StreamBuilder();
  readonly #opened = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  readonly #server: ReturnType<typeof Bun.serve>;
  #sent = 0;
  #time = 0;
  #marks = 0;

  constructor() {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => this.#opened.resolve(controller) });
    this.#server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(body) });
    this.station = new Station({
      stream: 1,
      url: this.#server.url.href,
      serviceId: serviceId(SERVICE),
      post: (message) => this.messages.push(message),
      now: () => this.#time,
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
    const isMarked = (message: FromReceptionWorker): boolean =>
      message.kind === 'raw' && Buffer.from(message.bytes).includes(mark);
    await this.#until(mark, () => this.messages.some(isMarked));
  }

  pass(milliseconds: number): void {
    this.#time += milliseconds;
    this.station.check();
  }

  async message<K extends FromReceptionWorker['kind']>(
    kind: K,
  ): Promise<Extract<FromReceptionWorker, { kind: K }>> {
    const find = (): FromReceptionWorker | undefined => this.messages.find((one) => one.kind === kind);
    await this.#until(kind, () => find() !== undefined);
    return find() as Extract<FromReceptionWorker, { kind: K }>;
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

async function onAir(): Promise<void> {
  studio = new Studio();
  await studio.tables().send();
  await studio.message('opened');
  studio.station.raw(RAW);
}

describe('Station', () => {
  test('that the stream never lists is refused, once the rest of another tuning is over', async () => {
    studio = new Studio();
    studio.station.raw(RAW);
    await studio.tables([202, 303]).received();
    studio.pass(1_500);
    expect(studio.messages.map(({ kind }) => kind)).not.toContain('failed');
    studio.pass(1_000);
    expect(await studio.message('failed')).toMatchObject({ code: 'no_tuner' });
  });

  test('that the stream lists no more is lost, but not when it comes back soon', async () => {
    await onAir();
    await studio.tables([202, 303]).received();
    await studio.tables().received();
    studio.pass(3_000);
    await studio.tables([202, 303]).received();
    studio.pass(1_000);
    expect(studio.messages.map(({ kind }) => kind)).not.toContain('ended');
    studio.pass(1_500);
    expect(await studio.message('ended')).toMatchObject({ reason: 'the station is not in the stream' });
    expect(await studio.message('sinkEnded')).toMatchObject({ sink: RAW, end: { cause: 'lost' } });
  });

  test('that stays scrambled: an encoder ends and says which PIDs it could not read', async () => {
    await onAir();
    studio.station.encode(ENCODER, SINK_COMMAND, [VIDEO, SOUND], false);
    await studio.scrambled().received();
    studio.pass(5_000);
    await studio.scrambled().received();
    expect(studio.messages.map(({ kind }) => kind)).not.toContain('sinkEnded');
    studio.pass(5_000);
    expect((await studio.message('sinkEnded')).end).toMatchObject({
      cause: 'encoder',
      produced: false,
      missing: [VIDEO, SOUND],
    });
  });

  test('whose clock jumps ends its encoders in order and keeps nothing from before', async () => {
    await onAir();
    studio.station.encode(ENCODER, SINK_COMMAND, [VIDEO, SOUND], false);
    await studio
      .sound(SECOND)
      .sound(2 * SECOND)
      .received();
    await studio.sound(900 * SECOND).received();
    expect(studio.messages.map(({ kind }) => kind)).not.toContain('sinkEnded');
    await studio.sound(901 * SECOND).received();
    await studio.message('layout');
    expect(await studio.message('sinkEnded')).toMatchObject({ sink: ENCODER, end: { cause: 'layout' } });
    studio.station.join(RAW, 1);
    const { bytes } = await studio.message('burst');
    expect(Buffer.from(bytes).includes('mark 1.')).toBe(false);
  });

  test('says of every sink that it ended, also when nobody wants it any more', async () => {
    await onAir();
    studio.station.drop(RAW);
    expect(await studio.message('sinkEnded')).toMatchObject({ sink: RAW });
    studio.station.raw(8);
    await studio.station.close();
    const ended = studio.messages.flatMap((message) => (message.kind === 'sinkEnded' ? [message.sink] : []));
    expect(ended).toEqual([RAW, 8]);
  });

  test('that is recorded to a disk that takes nothing goes on for those who watch', async () => {
    await onAir();
    studio.station.record(8, { path: '/dev/full', mode: 'append', counted: 0 });
    await studio.sound(SECOND).received();
    const isTrouble = (message: FromReceptionWorker): boolean =>
      message.kind === 'file' && message.event.kind === 'trouble';
    while (!studio.messages.some(isTrouble)) await studio.sound(SECOND).received();
    await studio.sound(2 * SECOND).received();
    studio.station.drop(8);
    const isEnd = (message: FromReceptionWorker): boolean =>
      message.kind === 'file' && message.event.kind === 'ended';
    while (!studio.messages.some(isEnd)) await studio.received();
    await studio.sound(3 * SECOND).received();
  });
});
