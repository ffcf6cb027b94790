import { describe, expect, test } from 'bun:test';
import { pid } from '../../lib/arib/ids.ts';
import type { ReceptionFault } from '../../lib/arib/ts/clock.ts';
import { adaptation, PACKET, pesPacket, StreamBuilder } from '../../test/stream-builder.ts';
import { GapFiller } from './gap-filler.ts';

const VIDEO = 0x100;
const SOUND = 0x110;
const CLOCK = 0x1ff;
const SECOND = 90_000;
const FRAME = 3_003;
const START = 2 ** 33 - SECOND;
/** Distance of the time stamps ahead of the clock. */
const AHEAD = SECOND / 2;
const GROUP = 15;
const HEADERS = { intra: [0, 0, 1, 0xb3, 0x5a, 0x04, 0x38, 0x34], other: [0, 0, 1, 0, 0, 0x10] };

type Lost = 'lost' | 'scrambled' | undefined;

/** A unit in the filler's output. */
interface Unit {
  readonly pid: number;
  /** s since the start. */
  readonly at: number;
  readonly isIntra: boolean;
}

/** A station's stream, picture by picture. A group has 15 pictures; audio comes with every third one. */
class TestBroadcast {
  readonly faults: (ReceptionFault | undefined)[] = [];
  readonly out: Uint8Array[] = [];
  readonly reached = new Map<number, number>();
  readonly #builder = new StreamBuilder();
  readonly #filler: GapFiller;
  #picture = 0;

  constructor() {
    this.#filler = new GapFiller(
      { video: { pid: pid(VIDEO), kind: 'mpeg2' }, audio: pid(SOUND) },
      {
        pcrPid: () => pid(CLOCK),
        onFault: (fault) => this.faults.push(fault),
        onReached: (stream, time) => this.reached.set(stream, time),
      },
    );
  }

  /** @returns whether all packets passed unchanged */
  pass(seconds: number, video?: Lost, sound?: Lost): boolean {
    let isSame = true;
    for (const until = this.#picture + Math.round(seconds * 30); this.#picture < until; this.#picture += 1) {
      const time = (START + this.#picture * FRAME) % 2 ** 33;
      const pts = (time + AHEAD) % 2 ** 33;
      this.#builder.packet(CLOCK, { adaptation: adaptation({ pcr: time * 300 }) });
      const head = this.#picture % GROUP === 0 ? HEADERS.intra : HEADERS.other;
      const picture = pesPacket({
        streamId: 0xe0,
        pts,
        unbounded: true,
        data: [...head, ...new Array(300).fill(7)],
      });
      this.#unit(VIDEO, picture, video);
      const frames = pesPacket({ streamId: 0xc0, pts, data: [0xff, 0xf1, ...new Array(200).fill(9)] });
      if (this.#picture % 3 === 0) this.#unit(SOUND, frames, sound);
      const packets = this.#builder.take();
      const given = this.#filler.feed(packets);
      isSame &&= given === packets;
      this.out.push(given);
    }
    return isSame;
  }

  /** Time passes without any packets. */
  outage(seconds: number): void {
    this.#picture += Math.round(seconds * 30);
  }

  units(): Unit[] {
    const bytes = Buffer.concat(this.out);
    const found: Unit[] = [];
    for (let at = 0; at < bytes.length; at += PACKET) {
      if ((bytes.readUInt8(at + 1) & 0x40) === 0) continue;
      const field = (bytes.readUInt8(at + 3) & 0x20) === 0 ? 0 : 1 + bytes.readUInt8(at + 4);
      const pes = at + 4 + field;
      const stamp = pes + 9;
      const high = (bytes.readUInt8(stamp) >> 1) & 7;
      const pts =
        high * 2 ** 30 +
        (bytes.readUInt16BE(stamp + 1) >> 1) * 2 ** 15 +
        (bytes.readUInt16BE(stamp + 3) >> 1);
      const since = (pts - START - AHEAD + 2 ** 34) % 2 ** 33;
      const data = pes + 9 + bytes.readUInt8(pes + 8);
      const isIntra = bytes.readUInt8(data + 3) === 0xb3;
      found.push({
        pid: ((bytes.readUInt8(at + 1) & 0x1f) << 8) | bytes.readUInt8(at + 2),
        at: since / SECOND,
        isIntra,
      });
    }
    return found;
  }

  /** Largest step between two units of a PID, s, and whether the time stamps always rise. */
  steps(stream: number): { widest: number; isRising: boolean } {
    const times = this.units().flatMap((unit) => (unit.pid === stream ? [unit.at] : []));
    const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    return { widest: Math.max(...steps), isRising: steps.every((step) => step > 0) };
  }

  /** Number of continuity errors of a PID. */
  breaks(stream: number): number {
    const bytes = Buffer.concat(this.out);
    let [last, breaks] = [-1, 0];
    for (let at = 0; at < bytes.length; at += PACKET) {
      const isOwn = (((bytes.readUInt8(at + 1) & 0x1f) << 8) | bytes.readUInt8(at + 2)) === stream;
      if (!isOwn || (bytes.readUInt8(at + 3) & 0x10) === 0) continue;
      const counter = bytes.readUInt8(at + 3) & 15;
      if (last >= 0 && counter !== ((last + 1) & 15)) breaks += 1;
      last = counter;
    }
    return breaks;
  }

  #unit(stream: number, pes: Uint8Array, lost: Lost): void {
    if (lost === undefined) this.#builder.pes(stream, pes);
    if (lost !== 'scrambled') return;
    for (let part = 0; part < 2; part += 1)
      this.#builder.packet(stream, { payload: new Array(184).fill(0x5a), start: part === 0, scrambling: 2 });
  }
}

describe('GapFiller', () => {
  test('leaves a complete stream unchanged, across the wrap of the time stamps', () => {
    const broadcast = new TestBroadcast();
    expect(broadcast.pass(4)).toBe(true);
    expect(broadcast.faults).toEqual([]);
  });

  test('holds the last picture during a loss, until the next intra picture', () => {
    const broadcast = new TestBroadcast();
    broadcast.pass(2);
    broadcast.pass(2.3, 'lost');
    expect(broadcast.faults).toEqual(['no_picture']);
    const held = broadcast.units().filter((unit) => unit.pid === VIDEO && unit.at > 2);
    expect(held.length).toBeGreaterThan(55);
    expect(held.every((unit) => unit.isIntra)).toBe(true);
    broadcast.pass(2);
    expect(broadcast.faults).toEqual(['no_picture', undefined]);
    const { widest, isRising } = broadcast.steps(VIDEO);
    expect(isRising).toBe(true);
    expect(widest).toBeLessThan(0.06);
    expect(broadcast.breaks(VIDEO)).toBe(0);
    // The group is complete from its intra picture on.
    expect(
      broadcast.units().filter((unit) => unit.pid === VIDEO && unit.at > 4.55 && !unit.isIntra).length,
    ).toBeGreaterThan(30);
    expect(
      broadcast.units().some((unit) => unit.pid === VIDEO && unit.at > 2 && unit.at < 4.49 && !unit.isIntra),
    ).toBe(false);
  });

  test('inserts silence where audio is missing', () => {
    const broadcast = new TestBroadcast();
    broadcast.pass(2);
    broadcast.pass(2.5, undefined, 'lost');
    broadcast.pass(1);
    expect(broadcast.faults).toEqual(['no_sound', undefined]);
    const { widest, isRising } = broadcast.steps(SOUND);
    expect(isRising).toBe(true);
    expect(widest).toBeLessThan(0.15);
    expect(broadcast.breaks(SOUND)).toBe(0);
    expect(broadcast.reached.has(VIDEO)).toBe(false);
  });

  test('reports and replaces scrambled streams, for ten seconds at most', () => {
    const broadcast = new TestBroadcast();
    broadcast.pass(2);
    broadcast.pass(5, 'scrambled', 'scrambled');
    expect(broadcast.faults).toEqual(['scrambled']);
    expect(broadcast.units().at(-1)?.at).toBeGreaterThan(6.5);
    broadcast.pass(20, 'scrambled', 'scrambled');
    const last = broadcast.units().at(-1)?.at ?? 0;
    expect(last).toBeGreaterThan(11);
    expect(last).toBeLessThan(13);
    // Scrambled packets never reach the encoder.
    expect(Buffer.concat(broadcast.out).includes(Buffer.alloc(100, 0x5a))).toBe(false);
  });

  test('fills nothing while no packets are received', () => {
    const broadcast = new TestBroadcast();
    broadcast.pass(2);
    broadcast.outage(3);
    broadcast.pass(2);
    expect(broadcast.faults).toEqual([]);
    expect(broadcast.reached.size).toBe(0);
    const again = broadcast.units().find((unit) => unit.pid === VIDEO && unit.at > 4);
    expect(again?.isIntra).toBe(true);
  });
});
