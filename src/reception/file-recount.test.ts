import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pid, pid } from '../../lib/arib/ids.ts';
import { airPackets } from '../../test/synth/air-packets.ts';
import { type Recount, recount } from './file-recount.ts';

const CLOCK = pid(0x1ff);
const PACKET_MS = 2;

/** @param place index among the packets of its PID, for the continuity counter @param ms of a clock reference */
function packet(place: number, ms: number): Uint8Array {
  const out = new Uint8Array(188).fill(0xff);
  if (ms % 40 !== 0) {
    out.set([0x47, 0x01, 0x00, 0x10 | (place & 15)]);
    return out;
  }
  // adaptation_field_control 2, length 183, PCR_flag; base in units of 90 kHz without its lowest bit
  out.set([0x47, 0x01, 0xff, 0x20, 183, 0x10]);
  new DataView(out.buffer).setUint32(6, (ms * 90) / 2);
  out.set([0x7e, 0x00], 10);
  return out;
}

/** 2 s, from 10 s of the clock on. @param clock offset added to the clock at a place */
function broadcast(clock: (place: number) => number = () => 0): Uint8Array[] {
  let pictures = 0;
  return Array.from({ length: 1000 }, (_, place) => {
    const ms = 10_000 + place * PACKET_MS;
    if (ms % 40 !== 0) pictures += 1;
    return ms % 40 === 0 ? packet(0, ms + clock(place)) : packet(pictures, ms);
  });
}

async function recounted(packets: readonly Uint8Array[], counted: number, known?: Pid): Promise<Recount> {
  const root = mkdtempSync(join(tmpdir(), 'svc-recount-'));
  try {
    const path = join(root, 'left.ts');
    writeFileSync(path, Buffer.concat(packets));
    const handle = await open(path, 'r');
    try {
      return await recount(handle, counted * 188, packets.length * 188, known);
    } finally {
      await handle.close();
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('a longer loss of packets is a hole, not a drop', async () => {
  for (const counted of [0, 100, 399, 400]) {
    const packets = broadcast();
    packets.splice(400, 300);
    const { holes, recounted: sums } = await recounted(packets, counted, CLOCK);
    // From the reference of packet 380 to that of packet 700; the last is of packet 980.
    expect(holes).toEqual([{ fromBeforeEndMs: 1200, toBeforeEndMs: 560 }]);
    expect(sums).toMatchObject({ packets: 700 - counted, drops: 0 });
  }
});

/** @param holePackets missing from packet 350 on, one of a stream whose packets come every 600 ms among them */
function sparse(holePackets: number): Uint8Array[] {
  const packets = broadcast();
  for (const [nth, place] of [100, 400, 700].entries()) {
    const rare = packet(nth, 1);
    rare[2] = 0x01;
    packets.splice(place, 0, rare);
  }
  packets.splice(350, holePackets);
  return packets;
}

test('a known hole is not counted again in a sparse stream', async () => {
  // A recorder that was restarted at once is down for less than HOLE_MS.
  for (const holePackets of [300, 200, 100]) {
    // After the clock reference that shows the hole, and between the continuity error and that reference.
    for (const counted of [380, 351]) {
      const { holes, recounted: sums } = await recounted(sparse(holePackets), counted, CLOCK);
      expect({ holePackets, counted, holes, sums }).toMatchObject({ holes: [], sums: { drops: 0 } });
    }
  }
});

test('a packet lost after a known hole is a drop', async () => {
  const packets = sparse(200);
  packets.splice(600, 1);
  for (const counted of [380, 351]) {
    expect(await recounted(packets, counted, CLOCK)).toMatchObject({ holes: [], recounted: { drops: 1 } });
  }
});

test('the PCR PID is read from the file', async () => {
  const packets = broadcast();
  packets.splice(400, 300);
  const { holes } = await recounted(packets, 0);
  expect(holes).toHaveLength(1);
});

test('a single missing packet is a drop, not a hole', async () => {
  const packets = broadcast();
  packets.splice(450, 1);
  expect(await recounted(packets, 100, CLOCK)).toMatchObject({ holes: [], recounted: { drops: 1 } });
});

test.each([0, 3, 5, 7])(
  'pictures that are gone are found, %d s of the file being counted',
  async (counted) => {
    const second = 3_000_000 / 8 / 188;
    const station = { video: { codec: 'mpeg2', width: 160, height: 96, bitrate: 300_000 } };
    const air = await airPackets(
      { bitrate: 3_000_000, stations: [station] },
      {
        ...{ at: Date.UTC(2026, 10, 20, 12), seconds: 12 },
        faults: [{ kind: 'absent', pids: [0x100], during: [4, 9] }],
      },
    );
    const packets = Array.from({ length: air.length / 188 }, (_, at) =>
      air.subarray(at * 188, at * 188 + 188),
    );
    const { unwatchable } = await recounted(packets, Math.round(counted * second), CLOCK);
    const from = Math.max(...unwatchable.map(({ fromBeforeEndMs }) => fromBeforeEndMs));
    const to = Math.min(...unwatchable.map(({ toBeforeEndMs }) => toBeforeEndMs));
    expect(new Set(unwatchable.map(({ cause }) => cause))).toEqual(new Set(['no_picture']));
    // What was counted before is known; the last 4,096 packets of it are read again.
    expect(Math.abs(from - 8_000)).toBeLessThan(counted < 5 ? 250 : 3_000);
    expect(from).toBeGreaterThan(Math.min((12 - counted) * 1000, 8_000) - 250);
    expect(Math.abs(to - 3_000)).toBeLessThan(250);
  },
);

test('a clock jump without packet loss is no hole', async () => {
  const packets = broadcast((place) => (place < 500 ? 0 : 3000));
  expect(await recounted(packets, 100, CLOCK)).toMatchObject({ holes: [], recounted: { drops: 0 } });
});
