/**
 * A small broadcast, played to a real agent process, with faults that can be switched, and a record of what was
 * sent.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceId } from '../../lib/arib/ids.ts';
import { PCR_HZ, pcrDifference } from '../../lib/arib/ts/clock.ts';
import { hasPayload, PACKET_SIZE, packetPcr, packetPid } from '../../lib/arib/ts/packet.ts';
import { StationFilter } from '../../lib/arib/ts/station-filter.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { RecordedStation } from '../../src/record/recording-session.ts';
import { PlayedAir } from '../../synth/player/air-player.ts';
import { type SmallChannel, type SmallStation, smallScenario } from '../../synth/scenario/small.ts';
import { SVC_AGENT } from '../built-programs.ts';
import { type Program, startProgram } from '../program.ts';

export interface Fault {
  kind: string;
  channel: string;
  [field: string]: unknown;
}

function scenarioText(
  channels: readonly (string | SmallChannel)[],
  station: SmallStation,
  scheduleSpeed?: number,
): string {
  const sent = channels.map((one) => (typeof one === 'string' ? { channel: one, stations: [station] } : one));
  return JSON.stringify(
    smallScenario({ channels: sent, ...(scheduleSpeed === undefined ? {} : { scheduleSpeed }) }),
  );
}

export class TestBroadcast {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-record-'));
  readonly #channelsFile = join(this.folder, 'channels.json');
  readonly #faultFile = join(this.folder, 'faults.json');
  #faults: Fault[] = [];
  #agent: Program | undefined;
  #channels: Awaited<ReturnType<PlayedAir['put']>> = [];

  /** Once the films were there, which may have to be made first: from then on it counts how slow the machine is. */
  preparedAt = performance.now();

  private constructor(private readonly played: PlayedAir) {}

  get agentUrl(): string {
    return this.#agent?.url ?? '';
  }

  get agentPid(): number {
    return this.#agent?.pid ?? 0;
  }

  /** The channels as a scan would find them. */
  get channels() {
    return this.#channels;
  }

  /**
   * @param channels terrestrial ones; a name alone means a channel with one `station` @param tuners
   * FAKE_TUNERS @param scheduleSpeed factor by which schedules are sent more often than by broadcasters
   */
  static async start(
    channels: readonly (string | SmallChannel)[],
    tuners: string,
    station: SmallStation = {},
    scheduleSpeed = 1,
  ): Promise<TestBroadcast> {
    const air = await TestBroadcast.startSilent(channels, tuners, station);
    await air.put(channels, station, scheduleSpeed);
    return air;
  }

  /** As `start`, but the agent's tunings wait for `put`: programmes may begin at a time known only then. */
  static async startSilent(
    channels: readonly (string | SmallChannel)[],
    tuners: string,
    station: SmallStation = {},
  ): Promise<TestBroadcast> {
    const air = new TestBroadcast(await PlayedAir.open());
    air.#channels = await air.played.prepare(scenarioText(channels, station));
    air.preparedAt = performance.now();
    writeFileSync(air.#channelsFile, JSON.stringify(air.#channels));
    await air.startAgent(tuners);
    return air;
  }

  /** Puts it on the air. @param channels those of the start, with other programmes */
  async put(
    channels: readonly (string | SmallChannel)[],
    station: SmallStation = {},
    scheduleSpeed = 1,
  ): Promise<void> {
    const scenario = scenarioText(channels, station, scheduleSpeed);
    await this.played.put({ scenario, faults: this.#faultFile });
  }

  station(channel: string): RecordedStation {
    const found = this.#channels.find((one) => one.channel === channel);
    const id = found?.stations[0]?.serviceId;
    if (found === undefined || id === undefined) throw new Error(`no channel ${channel}`);
    return { type: found.type, channel, serviceId: serviceId(id) };
  }

  /** After the first time on the same port again. @param signal kills it while it starts */
  async startAgent(tuners: string, signal?: AbortSignal): Promise<void> {
    const environment = {
      AGENT_PORT: String(this.#agent?.port ?? 0),
      TUNERS_FILE: join(this.folder, 'tuners.json'),
      CHANNELS_FILE: this.#channelsFile,
      FAKE_TUNE: this.played.tuneCommand,
      FAKE_TUNERS: tuners,
      // No card, even if this machine has one.
      PCSCLITE_CSOCK_NAME: join(this.folder, 'no-pcscd'),
    };
    this.#agent = await startProgram(SVC_AGENT, environment, signal);
  }

  async killAgent(): Promise<void> {
    await this.#agent?.kill('SIGKILL');
  }

  /** Switches a fault on. @returns a function that switches it off */
  fault(fault: Fault): () => void {
    const write = (): void => writeFileSync(this.#faultFile, JSON.stringify({ faults: this.#faults }));
    this.#faults = [...this.#faults, fault];
    write();
    return () => {
      this.#faults = this.#faults.filter((one) => one !== fault);
      write();
    };
  }

  async tuners(): Promise<Tuner[]> {
    return (await (await fetch(`${this.agentUrl}/agent/tuners`)).json()) as Tuner[];
  }

  /**
   * The narrowed stream of the station between two moments (epoch ms), without loss, and some seconds more on
   * both sides.
   */
  async sent(channel: string, from: number, to: number): Promise<Uint8Array> {
    const start = Math.floor(from / 1000) * 1000 - 3000;
    const seconds = Math.ceil((to - start) / 1000) + 3;
    const { type, serviceId: service } = this.station(channel);
    const stream = await this.played.sent({ type, channel }, start, seconds);
    return new StationFilter(service).feed(stream);
  }

  async close(): Promise<void> {
    await this.#agent?.end();
    await this.played.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The result of comparing a recording with the sent stream. */
export interface Comparison {
  /** Packets of the recording that were not sent, or are in another order. */
  foreign: number;
  /** Packets missing between its first and its last. */
  missing: number;
  /** Places with missing packets that a continuity counter shows, counted per PID. */
  places: number;
  /** Runs of more than 5 missing packets in a row. */
  holes: number;
}

const HOLE = 5;
/** Half a second of clock references. */
const EARLY_CLOCKS = 10;

/**
 * Above the PIDs of SI, whose sections have continuity counters that restart with each tuning (ARIB STD-B10
 * Part 2, table 5-1).
 */
const FIRST_PID = 0x30;
/** Entitlement messages are sections too: their counters restart with each tuning. */
const isEntitlement = (pid: number): boolean => pid >= 0x1e00 && pid <= 0x1e02;

/** Number of packets of a recording that `compare` compares. */
export function countCompared(recorded: Uint8Array): number {
  const map = pmtPid(recorded);
  return packets(recorded).filter(({ pid }) => pid >= FIRST_PID && !isEntitlement(pid) && pid !== map).length;
}

/**
 * Compares video, audio and clock packet by packet. @param without PIDs whose counters differ from those sent
 */
export function compare(recorded: Uint8Array, sent: Uint8Array, without: readonly number[] = []): Comparison {
  const own = packets(recorded);
  const all = packets(sent);
  const map = pmtPid(recorded);
  const isCompared = ({ pid }: { pid: number }) =>
    pid >= FIRST_PID && !isEntitlement(pid) && pid !== map && !without.includes(pid);
  const streams = own.filter(isCompared);
  const reference = all.filter(isCompared);
  // Films are loops: only a clock reference is unique. The first ones of a tuning have a time of their own.
  const clocks = new Map(reference.flatMap(({ key, payload }, index) => (payload ? [] : [[key, index]])));
  const early = streams.flatMap(({ payload }, index) => (payload ? [] : [index])).slice(0, EARLY_CLOCKS);
  const begin = early.find((index) => clocks.has(streams[index]?.key ?? '')) ?? 0;
  const kept = streams.slice(begin);
  let at = clocks.get(streams[begin]?.key ?? '') ?? -1;
  const result: Comparison = { foreign: 0, missing: 0, places: 0, holes: 0 };
  if (at < 0) return { ...result, foreign: kept.length };
  const ahead = new Map<string, number[]>();
  for (const [index, { key }] of reference.entries()) {
    const known = ahead.get(key);
    if (known === undefined) ahead.set(key, [index]);
    else known.push(index);
  }
  const open = new Set<number>();
  // After a hole, the first clock references of the new tuning may come before anything that shows the hole.
  let unknownClocks = 0;
  let forgiven = 0;
  for (const [number, packet] of kept.entries()) {
    let found = ahead.get(packet.key)?.find((index) => index >= at);
    // After a gap it may be the same packet of a later repetition of the film.
    if (found !== undefined && found - at > HOLE) found = backFromClock(kept, number, ahead, clocks) ?? found;
    if (found === undefined) {
      if (packet.payload) result.foreign += 1;
      else if (forgiven > 0) forgiven -= 1;
      else unknownClocks += 1;
      continue;
    }
    if (found - at > HOLE) {
      forgiven = EARLY_CLOCKS - Math.min(EARLY_CLOCKS, unknownClocks);
      unknownClocks = Math.max(0, unknownClocks - EARLY_CLOCKS);
    }
    result.foreign += unknownClocks;
    unknownClocks = 0;
    for (const lost of reference.slice(at, found)) {
      result.missing += 1;
      if (lost.payload) open.add(lost.pid);
    }
    if (found - at > HOLE) result.holes += 1;
    if (open.delete(packet.pid)) result.places += 1;
    at = found + 1;
  }
  result.foreign += unknownClocks;
  return result;
}

/** Time at which a packet was sent, by the first PCR after it; undefined if there is none. */
function backFromClock(
  kept: readonly { key: string; payload: boolean }[],
  from: number,
  ahead: ReadonlyMap<string, readonly number[]>,
  clocks: ReadonlyMap<string, number>,
): number | undefined {
  const clock = kept.findIndex(({ key, payload }, index) => index >= from && !payload && clocks.has(key));
  let at = clocks.get(kept[clock]?.key ?? '');
  for (let index = clock - 1; index >= from; index -= 1) {
    const before = at ?? 0;
    const { key = '', payload = true } = kept[index] ?? {};
    const known = ahead.get(key);
    // The first clock references of a tuning have a time of their own.
    if (known === undefined && !payload) continue;
    at = known?.findLast((each) => each < before);
    if (at === undefined) return undefined;
  }
  return at;
}

function packets(bytes: Uint8Array) {
  const list: { pid: number; key: string; payload: boolean }[] = [];
  for (let at = 0; at + PACKET_SIZE <= bytes.length; at += PACKET_SIZE) {
    const key = Buffer.from(bytes.buffer, bytes.byteOffset + at, PACKET_SIZE).toString('latin1');
    list.push({ pid: packetPid(bytes, at), key, payload: hasPayload(bytes, at) });
  }
  return list;
}

/** They are sent every 100 ms (ARIB TR-B14). */
const PCR_APART_MS = 200;

/**
 * Broadcast time from the first to the last clock reference, and the part of it between references that are
 * too far apart.
 */
export function clockSpan(bytes: Uint8Array): { totalMs: number; lostMs: number } {
  let before: number | undefined;
  const span = { totalMs: 0, lostMs: 0 };
  for (let at = 0; at + PACKET_SIZE <= bytes.length; at += PACKET_SIZE) {
    const pcr = packetPcr(bytes, at);
    if (pcr === undefined) continue;
    const stepMs = before === undefined ? 0 : pcrDifference(pcr, before) / (PCR_HZ / 1000);
    span.totalMs += stepMs;
    if (stepMs > PCR_APART_MS) span.lostMs += stepMs;
    before = pcr;
  }
  return span;
}

/** Reads a PAT with a single station. */
function pmtPid(bytes: Uint8Array): number {
  for (let at = 0; at + PACKET_SIZE <= bytes.length; at += PACKET_SIZE) {
    if (packetPid(bytes, at) !== 0) continue;
    for (let entry = at + 13; entry < at + 40; entry += 4) {
      const program = ((bytes[entry] ?? 0) << 8) | (bytes[entry + 1] ?? 0);
      if (program !== 0) return (((bytes[entry + 2] ?? 0) & 0x1f) << 8) | (bytes[entry + 3] ?? 0);
    }
  }
  return 0;
}

/**
 * Number of video packets that ffprobe reads, and checks the stream. @throws Error with the message of
 * ffprobe
 */
export async function probed(path: string): Promise<number> {
  const words = ['-v', 'error', '-count_packets', '-select_streams', 'v', '-show_entries'];
  const child = Bun.spawn(['ffprobe', ...words, 'stream=nb_read_packets', '-of', 'csv=p=0', path], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  return Number.parseInt(text.trim(), 10);
}
