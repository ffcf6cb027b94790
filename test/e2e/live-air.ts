/**
 * A tuner that plays a section of a small synthetic broadcast in real time, repeatedly, with the faults that
 * a test injects, and counts errors like an agent. Independent of the code under test.
 */
import type { Tuner } from '../../lib/wire/agent.ts';
import type { StandInAgent } from '../service/harness.ts';

const PACKET = 188;
const STEP_MS = 40;
const VIDEO_STREAM = 0xe0;
const SOUND_STREAM = 0xc0;

/** Returns the packet with the fault applied; undefined: lost. */
export type Fault = (packet: Uint8Array, pid: number) => Uint8Array | undefined;

const NO_FAULT: Fault = (packet) => packet;

const pidOf = (packet: Uint8Array): number => (((packet[1] ?? 0) & 0x1f) << 8) | (packet[2] ?? 0);

interface Counts {
  packets: number;
  continuityErrors: number;
  scrambled: number;
}

/** PIDs of the first PES packets with a stream id, ISO/IEC 13818-1 table 2-22. */
function pidsOf(stream: Uint8Array, streamId: number): Set<number> {
  const found = new Set<number>();
  for (let at = 0; at + PACKET <= stream.length && at < 1 << 20; at += PACKET) {
    const packet = stream.subarray(at, at + PACKET);
    const payload = ((packet[3] ?? 0) & 0x20) === 0 ? 4 : 5 + (packet[4] ?? 0);
    const isStart = ((packet[1] ?? 0) & 0x40) !== 0 && packet[payload] === 0 && packet[payload + 2] === 1;
    if (isStart && ((packet[payload + 3] ?? 0) & 0xf0) === (streamId & 0xf0)) found.add(pidOf(packet));
  }
  return found;
}

export class LiveAir {
  fault: Fault = NO_FAULT;
  /** Response of `/agent/stream` instead of the broadcast. */
  refusal: (() => Response) | undefined;
  readonly video: ReadonlySet<number>;
  readonly sound: ReadonlySet<number>;
  readonly #agent: StandInAgent;
  readonly #bytes: Uint8Array;
  readonly #seconds: number;
  readonly #counts: Counts = { packets: 0, continuityErrors: 0, scrambled: 0 };
  readonly #breaks = new Set<() => void>();
  /** When the section began, ms. */
  #startedAt = performance.now();

  /** @param seconds duration of the bytes */
  constructor(agent: StandInAgent, bytes: Uint8Array, seconds: number) {
    this.#agent = agent;
    this.#bytes = bytes.subarray(0, bytes.length - (bytes.length % PACKET));
    this.#seconds = seconds;
    [this.video, this.sound] = [pidsOf(bytes, VIDEO_STREAM), pidsOf(bytes, SOUND_STREAM)];
    agent.stream = (url) => {
      if (url.searchParams.get('use')?.startsWith('live') !== true)
        return Response.json({ message: '空きチューナーがありません' }, { status: 409 });
      return this.refusal?.() ?? new Response(this.#stream(), { headers: { 'x-svc-tuner': 'gr-0' } });
    };
    this.#announce();
  }

  /** Number of open streams. */
  get viewers(): number {
    return this.#breaks.size;
  }

  /** Starts the section again. */
  rewind(): void {
    this.#startedAt = performance.now();
  }

  /** Jumps to another position in the broadcast, so that its clock jumps. */
  jump(seconds: number): void {
    this.#startedAt -= seconds * 1_000;
  }

  /** Ends every stream, as a reception failure does. */
  breakOff(): void {
    for (const end of this.#breaks) end();
  }

  /** Announces the agent's current list. */
  #announce(): void {
    const tuner: Tuner = {
      ...{
        id: 'gr-0',
        name: '試験',
        driver: 'fake',
        device: '0',
        types: ['GR'],
        disabled: false,
        lnb: false,
      },
      ...{ rank: 1, state: 'tuned', tuned: { type: 'GR', channel: 'T27' }, users: [] },
      ...{ signal: null, descrambled: true, error: null },
      stats: { ...this.#counts, syncErrors: 0, transportErrors: 0 },
    };
    this.#agent.tuners = [tuner];
  }

  #octetsAt(now: number): number {
    const packets = this.#bytes.length / PACKET;
    return Math.floor((packets * (now - this.#startedAt)) / (this.#seconds * 1_000)) * PACKET;
  }

  #stream(): ReadableStream<Uint8Array> {
    let sent = this.#octetsAt(performance.now());
    let timer: ReturnType<typeof setInterval> | undefined;
    let end = (): void => {};
    return new ReadableStream({
      start: (controller) => {
        end = () => {
          clearInterval(timer);
          this.#breaks.delete(end);
          controller.close();
        };
        this.#breaks.add(end);
        timer = setInterval(() => {
          const until = this.#octetsAt(performance.now());
          // After a jump it continues from the new position.
          if (Math.abs(until - sent) > this.#bytes.length / 8) sent = until;
          const parts: Uint8Array[] = [];
          for (; sent < until; sent += PACKET) {
            const part = this.#received(sent);
            if (part !== undefined) parts.push(part);
          }
          this.#announce();
          if (parts.length > 0) controller.enqueue(Buffer.concat(parts));
        }, STEP_MS);
      },
      cancel: () => {
        clearInterval(timer);
        this.#breaks.delete(end);
      },
    });
  }

  #received(at: number): Uint8Array | undefined {
    const length = this.#bytes.length;
    const from = ((at % length) + length) % length;
    const packet = this.#bytes.subarray(from, from + PACKET);
    const received = this.fault(packet, pidOf(packet));
    this.#counts.packets += 1;
    if (received === undefined) this.#counts.continuityErrors += 1;
    else if (((received[3] ?? 0) & 0xc0) !== 0) this.#counts.scrambled += 1;
    return received;
  }
}
