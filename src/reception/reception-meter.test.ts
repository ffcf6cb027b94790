import { describe, expect, test } from 'bun:test';
import { pid } from '../../lib/arib/ids.ts';
import { PACKET_SIZE } from '../../lib/arib/ts/packet.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { ReceptionMeter, type ReceptionSecond } from './reception-meter.ts';

const PCR_PID = pid(0x1ff);

/** Payload of PID 0x100. */
function payload(counter: number): Uint8Array {
  const packet = new Uint8Array(PACKET_SIZE);
  packet.set([0x47, 0x01, 0x00, 0x10 | (counter & 0x0f)]);
  return packet;
}

/** A clock reference without payload, ISO/IEC 13818-1 2.4.3.5. */
function clock(ms: number): Uint8Array {
  const base = ms * 90;
  const packet = new Uint8Array(PACKET_SIZE).fill(0xff);
  packet.set([0x47, 0x01, 0xff, 0x20, 183, 0x10]);
  packet.set([base / 2 ** 25, base / 2 ** 17, base / 2 ** 9, base / 2, (base % 2) * 128 + 0x7e, 0], 6);
  return packet;
}

function measured() {
  const told: string[] = [];
  const seconds: ReceptionSecond[] = [];
  const meter = new ReceptionMeter(() => PCR_PID, {
    second: (second) => {
      seconds.push(second);
      told.push(`second ${second.from}-${second.to}: ${second.packets}, ${second.drops} drops`);
    },
    hole: ({ from, to }) => told.push(`hole ${from}-${to}`),
  });
  const take = (at: number, ...packets: Uint8Array[]): void =>
    meter.take(Buffer.concat(packets), monotonicMs(at));
  return { meter, take, told };
}

describe('after a pause', () => {
  test('packets that were only delayed are no hole, also when the first carry no PCR', () => {
    const { meter, take, told } = measured();
    take(0, clock(0), payload(0));
    take(10_000, payload(1), payload(2));
    take(10_005, payload(3), clock(100));
    meter.interrupt();
    expect(told).toEqual([
      'second 0-0: 2, 0 drops',
      'second 0-10000: 2, 0 drops',
      'second 10000-10005: 2, 0 drops',
    ]);
  });

  test('a hole is reported from the last packet to the first new one, once a PCR is received', () => {
    const { meter, take, told } = measured();
    take(0, clock(0), payload(0));
    take(10_000, payload(7));
    expect(told).toEqual([]);
    take(10_005, clock(10_000), payload(8));
    meter.interrupt();
    expect(told).toEqual(['second 0-0: 2, 0 drops', 'hole 0-10000', 'second 10000-10005: 3, 0 drops']);
  });

  test('a pause without a PCR within a second after it, or until the end, is a hole', () => {
    const silent = measured();
    silent.take(0, clock(0), payload(0));
    silent.take(5_000, payload(1));
    silent.take(6_000, payload(2));
    expect(silent.told).toEqual(['second 0-0: 2, 0 drops', 'hole 0-5000', 'second 5000-5000: 1, 0 drops']);
    const ended = measured();
    ended.take(0, clock(0), payload(0));
    ended.take(5_000, payload(1));
    ended.meter.interrupt();
    expect(ended.told).toEqual(['second 0-0: 2, 0 drops', 'hole 0-5000', 'second 5000-5000: 1, 0 drops']);
  });
});
