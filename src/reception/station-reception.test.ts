import { afterEach, describe, expect, test } from 'bun:test';
import { serviceId } from '../../lib/arib/ids.ts';
import { parsePmt } from '../../lib/arib/ts/pmt.ts';
import { SectionAssembler } from '../../lib/arib/ts/section.ts';
import { monotonicMs, systemWallClock } from '../../lib/host/clock.ts';
import {
  patSection,
  pesPacket,
  pmtSection,
  StreamBuilder,
  streamIdentifier,
} from '../../test/stream-builder.ts';
import { until } from '../../test/until.ts';
import { type AgentStreamErrorCode, readAgentStream } from '../tuner/agent-stream.ts';
import { encoderOutput } from './encoder-output.ts';
import { type FileEvent, fileOutput } from './file-output.ts';
import type { AnyOutputKind } from './output-kind.ts';
import { type RawEvent, rawOutput } from './raw-output.ts';
import type { ReceptionEvent } from './reception-messages.ts';
import { forbidsCopying, type OpaqueOutputKind, StationReception } from './station-reception.ts';

const SERVICE = 101;
const PMT = 0x1f0;
const VIDEO = 0x100;
const SOUND = 0x110;
/** A PID of SI, which is kept for every station. */
const SI = 0x14;
const SECOND = 90_000;
/** Reads all input, writes no output, ends with its input. */
const SINK_COMMAND = ['sh', '-c', 'exec cat > /dev/null'];

/** A station on an agent, with the bytes and the clock controlled by the test. */
class TestStation {
  readonly messages: ReceptionEvent[] = [];
  whyEnded: AgentStreamErrorCode = 'ended';
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
      read: (handlers, signal) => readAgentStream(this.#server.url.href, handlers, signal),
      whyEnded: async () => this.whyEnded,
      serviceId: serviceId(SERVICE),
      post: (message) => this.messages.push(message),
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
    // Scrambled data may look like anything, such as sequence headers of different pictures at distant times.
    for (const changing of [0x02, 0x50, 0x90]) {
      const head = [0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5, 0x21, changing, 1, 0, 1, 0, 0, 1, 0xb3, changing];
      const payload = Uint8Array.from({ length: 184 }, (_, at) => head[at] ?? 0x55);
      for (const pid of [VIDEO, SOUND]) this.#builder.packet(pid, { payload, start: true, scrambling: 3 });
    }
    return this;
  }

  /** Sends the packets built so far. */
  async send(): Promise<void> {
    const controller = await this.#opened.promise;
    controller.enqueue(this.#builder.bytes().slice(this.#sent * 188));
    this.#sent = this.#builder.length;
  }

  /** Sends the packets built so far and waits until a raw viewer receives a marker sent after them. */
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

  /** Values that an output has posted. */
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

  /** Keeps sending, because the framer needs further packets to confirm the last ones. */
  async #until(what: string, condition: () => boolean): Promise<void> {
    await until(what, async () => {
      if (condition()) return true;
      this.#builder.nulls(8);
      await this.send();
      return false;
    });
  }

  /** The agent ends the stream. */
  async end(): Promise<void> {
    (await this.#opened.promise).close();
  }

  async close(): Promise<void> {
    await this.station.close();
    await this.#server.stop(true);
  }
}

let station: TestStation;
afterEach(() => station.close());

const RAW = 6;
const ENCODER = 7;
const ENCODE = {
  command: SINK_COMMAND,
  streams: { video: { pid: VIDEO, kind: 'mpeg2' }, audio: SOUND },
  waitForPicture: false,
};

async function onAir(): Promise<void> {
  station = new TestStation();
  await station.tables().send();
  await station.message('opened');
  station.output(RAW, rawOutput, null);
}

describe('StationReception', () => {
  test('that is not in the PAT is refused, after leftover data of another tuning has passed', async () => {
    station = new TestStation();
    station.output(RAW, rawOutput, null);
    await station.tables([202, 303]).received();
    station.pass(1_500);
    expect(station.messages.map(({ kind }) => kind)).not.toContain('failed');
    station.pass(1_000);
    expect(await station.message('failed')).toMatchObject({ problem: { code: 'no_signal' } });
  });

  test.each([
    ['ended', 'no_signal'],
    ['tuner_taken', 'tuner_taken'],
    ['agent_unreachable', 'agent_unreachable'],
  ] as const)('whose stream the agent ends before its tables (%s) is told as %s', async (cause, code) => {
    station = new TestStation();
    station.whyEnded = cause;
    await station.end();
    await until(() => station.messages.length > 0);
    expect(station.messages).toMatchObject([{ kind: 'failed', problem: { code } }]);
  });

  test('that disappears from the PAT is lost, unless it comes back soon', async () => {
    await onAir();
    await station.tables([202, 303]).received();
    await station.tables().received();
    station.pass(3_000);
    await station.tables([202, 303]).received();
    station.pass(1_000);
    expect(station.messages.map(({ kind }) => kind)).not.toContain('ended');
    station.pass(1_500);
    expect(await station.message('ended')).toMatchObject({
      problem: { reason: 'the station is not in the stream' },
    });
    expect(await station.message('outputEnded')).toMatchObject({ part: RAW, end: { cause: 'lost' } });
  });

  test('that stays scrambled ends an encoder, which reports the unreadable PIDs', async () => {
    await onAir();
    station.output(ENCODER, encoderOutput, ENCODE);
    await station.scrambled().received();
    station.pass(5_000);
    await station.scrambled().received();
    expect(station.messages.map(({ kind }) => kind)).not.toContain('outputEnded');
    station.pass(5_000);
    expect((await station.message('outputEnded')).end).toMatchObject({
      cause: 'encoder',
      missing: [VIDEO, SOUND],
    });
  });

  test('whose clock jumps ends its encoders regularly and discards everything before the jump', async () => {
    await onAir();
    station.output(ENCODER, encoderOutput, ENCODE);
    await station
      .sound(SECOND)
      .sound(2 * SECOND)
      .received();
    await station.sound(900 * SECOND).received();
    expect(station.messages.map(({ kind }) => kind)).not.toContain('outputEnded');
    await station.sound(901 * SECOND).received();
    await station.message('layout');
    expect(await station.message('outputEnded')).toMatchObject({ part: ENCODER, end: { cause: 'layout' } });
    station.station.command(RAW, { kind: 'join', viewer: 1 });
    const burst = station.values<RawEvent>(RAW).find(({ kind }) => kind === 'burst');
    expect(burst).toBeDefined();
    expect(Buffer.from(burst?.bytes ?? []).includes('mark 1.')).toBe(false);
  });

  test('reports the end of every output, also of a dropped one', async () => {
    await onAir();
    station.station.stop(RAW);
    expect(await station.message('outputEnded')).toMatchObject({ part: RAW });
    station.output(8, rawOutput, null);
    await station.station.close();
    const ended = station.messages.flatMap((message) =>
      message.kind === 'outputEnded' ? [message.part] : [],
    );
    expect(ended).toEqual([RAW, 8]);
  });

  test('continues for viewers while it is recorded to a disk that hangs', async () => {
    await onAir();
    station.output(8, fileOutput, { path: '/dev/full', mode: 'append', counted: 0 });
    await station.sound(SECOND).received();
    const has = (kind: FileEvent['kind']): boolean =>
      station.values<FileEvent>(8).some((event) => event.kind === kind);
    while (!has('trouble')) await station.sound(SECOND).received();
    await station.sound(2 * SECOND).received();
    station.station.stop(8);
    while (!has('ended')) await station.received();
    await station.sound(3 * SECOND).received();
  });
});

describe('copy control', () => {
  const PMT = 0x1f0;
  const VIDEO = 0x100;
  const SOUND = 0x110;
  const SECOND_SOUND = 0x111;

  /** digital_copy_control_descriptor: recording control 2, rate flag 0, component flag, type 1, APS 0. */
  const control = (recording: number): number[] => [0xc1, 1, (recording << 6) | 0x04];
  const FREE = control(0);
  const ONCE = control(2);
  const NEVER = control(3);
  /** "One generation" for all components except the one with this tag, which has "never". */
  const neverOf = (tag: number): number[] => [0xc1, 4, 0x80 | 0x14, 2, tag, 0xc4];

  function forbidden(common: number[], video: number[] = [], second: number[] = []): boolean {
    const streams = [
      { type: 0x02, pid: VIDEO, descriptors: [...streamIdentifier(0x00), ...video] },
      { type: 0x0f, pid: SOUND, descriptors: streamIdentifier(0x10) },
      { type: 0x0f, pid: SECOND_SOUND, descriptors: [...streamIdentifier(0x11), ...second] },
    ];
    const section = pmtSection(101, { pcrPid: VIDEO, descriptors: common, streams });
    const packets = new StreamBuilder().sections(PMT, section).bytes();
    for (const whole of new SectionAssembler().feed(packets, 0)) {
      const map = parsePmt(whole);
      if (map !== undefined) return forbidsCopying(map);
    }
    throw new Error('no PMT');
  }

  describe('recording', () => {
    test('is allowed without a descriptor, and with "free" or "one generation"', () => {
      expect([[], FREE, ONCE].map((words) => forbidden(words))).toEqual([false, false, false]);
    });

    test('is forbidden by "never" for the programme or its video', () => {
      expect(forbidden(NEVER)).toBe(true);
      expect(forbidden(ONCE, NEVER)).toBe(true);
      expect(forbidden(neverOf(0x00))).toBe(true);
      expect(forbidden(neverOf(0x10))).toBe(true);
    });

    test('is allowed when only another audio stream is restricted', () => {
      expect(forbidden(neverOf(0x11))).toBe(false);
      expect(forbidden(FREE, [], NEVER)).toBe(false);
    });

    test("a stream's own descriptor takes precedence over the programme's", () => {
      expect(forbidden(NEVER, FREE)).toBe(true);
    });
  });
});
