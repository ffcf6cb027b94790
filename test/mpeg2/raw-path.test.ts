/** The raw path without a browser: transport stream in, pictures and sound out, in virtual time. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { pid } from '../../lib/arib/ids.ts';
import { packetizePes } from '../../lib/arib/ts/pes.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { readTracks } from '../../lib/mp4/tracks.ts';
import { Mpeg2Decoder } from '../../web/raw/mpeg2-decoder.ts';
import type { RawReport } from '../../web/raw/raw-messages.ts';
import { RawRules, RawStation } from '../../web/raw/raw-station.ts';
import { patSection, pesPacket, pmtSection, StreamBuilder } from '../stream-builder.ts';
import { seeded } from './random-picture.ts';
import { randomVideo } from './random-video.ts';

const WASM = join(import.meta.dir, '..', '..', 'lib', 'wasm', 'built', 'mpeg2.wasm');
const PMT = 0x1f0;
const VIDEO = 0x100;
const AUDIO = 0x110;
const FRAME = 3003;
let module: WebAssembly.Module;
beforeAll(async () => {
  module = await WebAssembly.compile(await Bun.file(WASM).arrayBuffer());
});

/** A frame of AAC as ADTS: the payload is not decoded here. @param channels channel_configuration @param element id_syn_ele of the first one */
function adts(channels: number, element = 0): Uint8Array {
  const length = 64;
  const frame = new Uint8Array(length);
  frame.set([0xff, 0xf1, 0x4c | (channels >> 2), ((channels & 3) << 6) | (length >> 11)]);
  frame[7] = element << 5;
  frame.set([(length >> 3) & 255, ((length & 7) << 5) | 0x1f, 0xfc], 4);
  return frame;
}

interface StreamOptions {
  readonly frames: number;
  readonly start: number;
  readonly channels?: number;
  readonly element?: number;
  readonly withAudio?: boolean;
}

/** Groups of I, P, B, B pictures, a second of 30 frames by their time stamps, with sound. */
function station(options: StreamOptions): Uint8Array[] {
  const { frames, start, channels = 2, element, withAudio = true } = options;
  const pieces: Uint8Array[] = [];
  const streams = [{ type: 0x02, pid: VIDEO }, ...(withAudio ? [{ type: 0x0f, pid: AUDIO }] : [])];
  const tables = new StreamBuilder()
    .sections(0, patSection(0x7fe0, [[101, PMT]]))
    .sections(PMT, pmtSection(101, { pcrPid: VIDEO, streams }));
  pieces.push(tables.bytes());
  const units = randomVideo({
    seed: 11,
    width: 64,
    height: 64,
    types: [...'IPPP'] as ('I' | 'P')[],
    isFrames: true,
  });
  let [videoCounter, audioCounter] = [0, 0];
  for (let at = 0; at < frames; at += 1) {
    const time = (start + at * FRAME) % 2 ** 33;
    const video = pesPacket({
      streamId: 0xe0,
      pts: time,
      unbounded: true,
      data: units[at % units.length] ?? [],
    });
    const packets = packetizePes(video, pid(VIDEO), videoCounter);
    videoCounter += packets.length / 188;
    pieces.push(packets);
    if (!withAudio) continue;
    // 30 frames of pictures last as long as 46.875 of sound, similar to the interleaving of PES packets in a
    // broadcast.
    const sound = pesPacket({
      streamId: 0xc0,
      pts: time,
      data: [...adts(channels, element), ...adts(channels, element)],
    });
    const soundPackets = packetizePes(sound, pid(AUDIO), audioCounter);
    audioCounter += soundPackets.length / 188;
    pieces.push(soundPackets);
  }
  return pieces;
}

class Rig {
  readonly reports: RawReport[] = [];
  readonly shown: number[] = [];
  now = 0;
  #station: RawStation | undefined;

  async start(): Promise<this> {
    this.#station = new RawStation({
      decoder: await Mpeg2Decoder.create(module),
      audioIndex: 0,
      show: ({ time }) => this.shown.push(time),
      report: (report) => this.reports.push(report),
      now: () => wallMs(this.now),
    });
    return this;
  }

  get station(): RawStation {
    if (this.#station === undefined) throw new Error('not started');
    return this.#station;
  }

  /** Plays the sound from position 0 for the given number of seconds. */
  play(seconds: number, position = 0): void {
    const from = this.now;
    for (; this.now < from + seconds * 1000; this.now += 8) {
      this.station.clock(position + (this.now - from) / 1000, wallMs(this.now), 1);
      this.station.step();
    }
  }

  kinds(): string[] {
    return this.reports.map(({ kind }) => kind);
  }
}

describe('the raw path', () => {
  test('shows the first picture at once and every field at its time', async () => {
    const rig = await new Rig().start();
    for (const piece of station({ frames: 40, start: 900_000 })) rig.station.packets(piece);
    // Before the clock starts, the first picture stays.
    expect(rig.shown).toEqual([Number.NaN]);
    const init = rig.reports.find((report) => report.kind === 'init');
    if (init?.kind !== 'init') throw new Error('no initialisation segment');
    expect(init.origin).toBe(900_000);
    expect(readTracks(init.bytes).map(({ kind }) => kind)).toEqual(['audio']);
    rig.play(1);
    const times = rig.shown.slice(1);
    expect(times.length).toBeGreaterThanOrEqual(58);
    for (const [index, time] of times.entries()) expect(time).toBeCloseTo(900_000 + (index * FRAME) / 2, 3);
  });

  test('continues over the wrap of the clock', async () => {
    const rig = await new Rig().start();
    const start = 2 ** 33 - 10 * FRAME;
    for (const piece of station({ frames: 40, start })) rig.station.packets(piece);
    rig.play(1);
    expect(rig.kinds()).not.toContain('jump');
    expect(rig.shown.at(-1)).toBeGreaterThan(2 ** 33);
  });

  test('restarts where the clock of the broadcast jumps', async () => {
    const rig = await new Rig().start();
    for (const piece of station({ frames: 10, start: 900_000 })) rig.station.packets(piece);
    for (const piece of station({ frames: 4, start: 90_000_000 })) rig.station.packets(piece);
    expect(rig.kinds().filter((kind) => kind === 'jump')).toHaveLength(1);
  });

  test('skips to an intra picture when the picture is late, and buffers at most 8 s', async () => {
    const rig = await new Rig().start();
    for (const piece of station({ frames: 600, start: 900_000 })) rig.station.packets(piece);
    // At position 17 s of 20: earlier pictures are not decoded.
    rig.play(0.5, 17);
    const first = rig.shown.find((time) => time > 900_000 + 90_000);
    expect(first).toBeGreaterThan(900_000 + 16 * 90_000);
    expect(rig.shown.length).toBeLessThan(60);
  });

  test('reports dual mono; gives up on an unknown sound format, and on silence', async () => {
    const dual = await new Rig().start();
    for (const piece of station({ frames: 30, start: 0, channels: 0 })) dual.station.packets(piece);
    expect(dual.reports.find(({ kind }) => kind === 'init')).toMatchObject({ isDual: true });
    // A channel pair, without a configuration.
    const unknown = await new Rig().start();
    for (const piece of station({ frames: 30, start: 0, channels: 0, element: 1 }))
      unknown.station.packets(piece);
    unknown.play(1.5);
    expect(unknown.reports.at(-1)).toEqual({ kind: 'problem', problem: 'no_audio' });
    const silent = await new Rig().start();
    for (const piece of station({ frames: 30, start: 0, withAudio: false })) silent.station.packets(piece);
    expect(silent.reports.at(-1)).toEqual({ kind: 'problem', problem: 'no_audio' });
  });

  test('continues in silence while no audio arrives, and reports it', async () => {
    const rig = await new Rig().start();
    const pieces = station({ frames: 180, start: 900_000 });
    const pidOf = (piece: Uint8Array): number => (((piece[1] ?? 0) & 0x1f) << 8) | (piece[2] ?? 0);
    for (const [index, piece] of pieces.entries()) {
      const isGone = index > 120 && index < 270;
      if (!isGone || pidOf(piece) !== AUDIO) rig.station.packets(piece);
    }
    const faults = rig.reports.flatMap((report) => (report.kind === 'fault' ? [report.fault] : []));
    expect(faults).toEqual(['no_sound', undefined]);
    // Base media decode times, in samples: an element before a gap.
    const times = rig.reports.flatMap((report) => {
      if (report.kind !== 'media') return [];
      const at = Buffer.from(report.bytes).indexOf('tfdt');
      return [Number(new DataView(report.bytes.buffer, report.bytes.byteOffset).getBigUint64(at + 8))];
    });
    const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.max(...steps)).toBeLessThan(3 * 1_024);
    expect(times.at(-1)).toBeGreaterThan(5.5 * 48_000);
  });

  test('waits for an intra picture after a gap, and does not treat it as a slow device', async () => {
    const rig = await new Rig().start();
    const pieces = station({ frames: 360, start: 0 });
    const pidOf = (piece: Uint8Array): number => (((piece[1] ?? 0) & 0x1f) << 8) | (piece[2] ?? 0);
    for (const [index, piece] of pieces.entries()) {
      const isGone = index > 61 && index < 500;
      if (!isGone || pidOf(piece) !== VIDEO) rig.station.packets(piece);
      if (index % 60 === 59) rig.play(1, Math.floor(index / 60));
    }
    expect(rig.kinds()).not.toContain('problem');
    const behind = rig.shown.filter((time) => time > 2 * 90_000);
    // Every fourth picture is intra.
    expect(((behind[0] ?? 0) / FRAME) % 4).toBe(0);
    expect(behind.length).toBeGreaterThan(50);
  });

  test('recovers from lost packets and survives noise', async () => {
    const rig = await new Rig().start();
    const random = seeded(77);
    for (const piece of station({ frames: 120, start: 900_000 })) {
      const kept: number[] = [];
      for (let at = 0; at < piece.length; at += 188) {
        if (random() < 0.98) kept.push(...piece.subarray(at, at + 188));
      }
      rig.station.packets(Uint8Array.from(kept));
    }
    rig.play(3.9);
    expect(rig.shown.at(-1)).toBeGreaterThan(900_000 + 100 * FRAME);
    expect(rig.kinds()).not.toContain('problem');
    rig.station.packets(Uint8Array.from({ length: 500_000 }, () => Math.floor(random() * 256)));
  });
});

describe('the encoded path takes over', () => {
  const fine = { isRunning: true, load: 0.2, behind: 0, hasAudio: true, audioFailures: 0 };

  test('after five consecutive slow seconds, not earlier', () => {
    for (const slow of [{ load: 0.81 }, { behind: 0.26 }]) {
      const rules = new RawRules();
      for (let second = 0; second < 4; second += 1) expect(rules.judge({ ...fine, ...slow })).toBeUndefined();
      expect(rules.judge(fine)).toBeUndefined();
      for (let second = 0; second < 4; second += 1) expect(rules.judge({ ...fine, ...slow })).toBeUndefined();
      expect(rules.judge({ ...fine, ...slow })).toBe('slow');
    }
  });

  test('not for a picture that stays while paused', () => {
    const rules = new RawRules();
    for (let second = 0; second < 20; second += 1) {
      expect(rules.judge({ ...fine, isRunning: false, behind: 3 })).toBeUndefined();
    }
  });

  test('after five seconds without sound and after 20 failures', () => {
    const rules = new RawRules();
    for (let second = 0; second < 4; second += 1)
      expect(rules.judge({ ...fine, hasAudio: false })).toBeUndefined();
    expect(rules.judge({ ...fine, hasAudio: false })).toBe('no_audio');
    expect(new RawRules().judge({ ...fine, audioFailures: 19 })).toBeUndefined();
    expect(new RawRules().judge({ ...fine, audioFailures: 20 })).toBe('no_audio');
  });
});
