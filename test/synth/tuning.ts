/** The synthetic broadcast of a scenario, by the air player or by its command, and streams trimmed for decoders. */
import { join } from 'node:path';
import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import { STC_ZERO } from '../../synth/clock.ts';
import { PlayedAir } from '../../synth/player/air-player.ts';
import { HANG_LIMIT_MS } from '../until.ts';

const ROOT = join(import.meta.dir, '..', '..');
export const SYNTH = join(ROOT, 'synth/main.ts');

interface Tuning {
  scenario?: string;
  type: string;
  channel: string;
  /** Epoch ms. */
  at: number;
  seconds: number;
}

export interface Ended {
  stdout: Uint8Array;
  stderr: string;
  exitCode: number;
}

export async function run(
  command: readonly string[],
  stdin: Uint8Array | 'ignore' = 'ignore',
): Promise<Ended> {
  const child = Bun.spawn([...command], { stdin, stdout: 'pipe', stderr: 'pipe', timeout: HANG_LIMIT_MS });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, exitCode };
}

export function synth(...args: readonly string[]): Promise<Ended> {
  return run([process.execPath, SYNTH, ...args]);
}

/** The output of the broadcaster. @throws Error with its message */
export async function synthText(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await synth(...args);
  if (exitCode !== 0) throw new Error(`synth ${args.join(' ')}: ${stderr}`);
  return new TextDecoder().decode(stdout);
}

interface OnAir {
  air: PlayedAir;
  /** As a scan would find them. */
  channels: Awaited<ReturnType<PlayedAir['put']>>;
}

/** Each scenario of this process is on the air once. */
const onAir = new Map<string, Promise<OnAir>>();

/** @param scenario a name, or a file @throws Error with the message about it */
export function airOf(scenario = 'mini'): Promise<OnAir> {
  const known = onAir.get(scenario);
  if (known !== undefined) return known;
  const opened = PlayedAir.open().then(async (air) => ({ air, channels: await air.put({ scenario }) }));
  onAir.set(scenario, opened);
  return opened;
}

/** The bytes of a section of the broadcast, made as fast as the machine can. */
export async function tune({ scenario, type, channel, at, seconds }: Tuning): Promise<Uint8Array> {
  return (await airOf(scenario)).air.sent(named(type, channel), at, seconds);
}

function named(type: string, channel: string) {
  const known = BROADCAST_TYPES.find((one) => one === type);
  if (known === undefined) throw new Error(`no broadcast type ${type}`);
  return { type: known, channel };
}

export interface Truth {
  networkId: number;
  transportStreamId: number;
  networkName: string;
  marks: { periodTicks: number; flashTicks: number };
  stations: StationTruth[];
  dataServices: DataServiceTruth[];
}

interface DataServiceTruth {
  serviceId: number;
  name: string;
  serviceType: number;
  pmtPid: number;
  content: 'bml' | 'logos';
  carousel: { pid: number; componentTag: number };
}

export interface StationTruth {
  serviceId: number;
  name: string;
  serviceType: number;
  partialReception: boolean;
  pmtPid: number;
  pcrPid: number;
  /** Its streams are those of the channel's main station. */
  shared: boolean;
  video: { pid: number; streamType: number; componentTag: number; codec: string; aspect?: string };
  audios: {
    pid: number;
    componentTag: number;
    mode: string;
    elements: string;
    languages: string[];
    beepHz: [number, number];
  }[];
  present: ProgrammeTruth;
  following: ProgrammeTruth;
  schedule: ProgrammeTruth[];
  /** In the same days. */
  onAir: { eventId: number; title: string; startAt: number; durationMs: number; pause: boolean }[];
}

export interface ProgrammeTruth {
  eventId: number;
  /** Null: unknown, which does not occur in a schedule. */
  startAt: number | null;
  durationMs: number | null;
  title: string;
  description: string;
  items: { heading: string; text: string }[];
  genres: [number, number][];
  /** The texts are those of the main station, and not in the schedule of the branch. */
  borrowed: boolean;
  /** Audio streams on air. */
  audioCount: number;
}

export async function truthOf(type: string, channel: string, at: number, scenario = 'mini'): Promise<Truth> {
  return (await (await airOf(scenario)).air.truth(named(type, channel), at, true)) as Truth;
}

export const PACKET = 188;

export interface Packet {
  /** Offset in the stream. */
  at: number;
  pid: number;
  begins: boolean;
  counter: number;
  hasPayload: boolean;
  /** Offset of the payload. */
  payload: number;
  randomAccess: boolean;
  /** 27 MHz, wraps. */
  pcr: number | undefined;
}

/** All packets, read by the test's own code. */
export function* packetsOf(stream: Uint8Array): Generator<Packet> {
  if (stream.length % PACKET !== 0) throw new Error('not whole packets');
  const byte = (offset: number): number => stream[offset] ?? 0;
  for (let at = 0; at < stream.length; at += PACKET) {
    if (byte(at) !== 0x47) throw new Error(`no sync byte at ${at}`);
    const control = byte(at + 3) >> 4;
    const adaptation = (control & 2) === 0 ? 0 : 1 + byte(at + 4);
    const flags = adaptation > 1 ? byte(at + 5) : 0;
    let pcr: number | undefined;
    if ((flags & 0x10) !== 0) {
      const high = byte(at + 6) * 2 ** 24 + ((byte(at + 7) << 16) | (byte(at + 8) << 8) | byte(at + 9));
      const base = high * 2 + (byte(at + 10) >> 7);
      pcr = base * 300 + (((byte(at + 10) & 1) << 8) | byte(at + 11));
    }
    yield {
      at,
      pid: ((byte(at + 1) & 0x1f) << 8) | byte(at + 2),
      begins: (byte(at + 1) & 0x40) !== 0,
      counter: byte(at + 3) & 0x0f,
      hasPayload: (control & 1) !== 0,
      payload: at + 4 + adaptation,
      randomAccess: (flags & 0x40) !== 0,
      pcr,
    };
  }
}

function stampAt(stream: Uint8Array, at: number): number {
  const byte = (offset: number): number => stream[at + offset] ?? 0;
  const high = ((byte(0) >> 1) & 7) * 2 ** 30;
  return high + (byte(1) << 22) + ((byte(2) >> 1) << 15) + (byte(3) << 7) + (byte(4) >> 1);
}

/** PTS and DTS of the PES packet that begins in a packet. */
export function stampsOf(stream: Uint8Array, packet: Packet): { pts: number; dts: number } {
  const flags = (stream[packet.payload + 7] ?? 0) >> 6;
  const pts = stampAt(stream, packet.payload + 9);
  return { pts, dts: flags === 3 ? stampAt(stream, packet.payload + 14) : pts };
}

/**
 * The stream without the pictures and sounds that its two ends cut through, trimmed like by an editor: video
 * begins at a random access point, all PES packets are complete.
 */
export function trimmed(
  stream: Uint8Array,
  videoPids: readonly number[],
  audioPids: readonly number[],
): Uint8Array {
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  for (const packet of packetsOf(stream)) {
    if (!packet.begins) continue;
    const enters = videoPids.includes(packet.pid) ? packet.randomAccess : audioPids.includes(packet.pid);
    if (enters && !first.has(packet.pid)) first.set(packet.pid, packet.at);
    last.set(packet.pid, packet.at);
  }
  const media = new Set([...videoPids, ...audioPids]);
  const out = new Uint8Array(stream.length);
  let length = 0;
  for (const { at, pid, hasPayload } of packetsOf(stream)) {
    if (media.has(pid) && hasPayload) {
      const from = first.get(pid) ?? Number.POSITIVE_INFINITY;
      const to = last.get(pid) ?? 0;
      if (at < from || at >= to) continue;
    }
    out.set(stream.subarray(at, at + PACKET), length);
    length += PACKET;
  }
  return out.subarray(0, length);
}

export function mediaPids(truth: Truth): { video: number[]; audio: number[] } {
  return {
    video: truth.stations.map(({ video }) => video.pid),
    audio: truth.stations.flatMap(({ audios }) => audios.map(({ pid }) => pid)),
  };
}

/** Unwrapped 90 kHz time of a moment. */
export function ticksAt(at: number): number {
  return (at - STC_ZERO) * 90;
}
