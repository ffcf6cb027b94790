import { expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { fuzzRounds, fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { asksForDevice, deviceIdOf, HdhrDiscovery } from './hdhomerun.ts';

/** CRC-32 of Ethernet, bit by bit. */
function crc32(bytes: Iterable<number>): number {
  let register = 0xffff_ffff;
  for (const byte of bytes) {
    register ^= byte;
    for (let bit = 0; bit < 8; bit += 1) register = (register >>> 1) ^ (register & 1 ? 0xedb8_8320 : 0);
  }
  return ~register >>> 0;
}

/** libhdhomerun: type, length, TLVs, check sum in little-endian order. */
function request(type: number, id: number): Uint8Array {
  const u32 = (value: number): number[] => [
    value >>> 24,
    (value >>> 16) & 255,
    (value >>> 8) & 255,
    value & 255,
  ];
  const body = [0, 2, 0, 12, 1, 4, ...u32(type), 2, 4, ...u32(id)];
  const sum = crc32(body);
  return Uint8Array.from([...body, ...u32(sum).reverse()]);
}

const ANY = 0xffff_ffff;

test('a device id passes the check of clients, and differs by seed', () => {
  const ids = [1, 2, 3, 999_999_937].map(deviceIdOf);
  expect(new Set(ids).size).toBe(4);
  // hdhomerun_discover_validate_device_id of libhdhomerun, by its table.
  const table = [...'A5F67C1B928D43E0'].map((digit) => Number.parseInt(digit, 16));
  for (const id of ids) {
    expect(id).toMatch(/^1[0-9A-F]{7}$/);
    const digits = [...id].map((digit) => Number.parseInt(digit, 16));
    const sum = digits.reduce(
      (all, digit, index) => all ^ (index % 2 === 0 ? (table[digit] ?? 0) : digit),
      0,
    );
    expect(sum).toBe(0);
  }
});

test('a request for any or for this device is one, others and broken ones are not', () => {
  const id = deviceIdOf(7);
  const own = Number.parseInt(id, 16);
  expect(asksForDevice(request(ANY, ANY), id)).toBe(true);
  expect(asksForDevice(request(1, own), id)).toBe(true);
  expect(asksForDevice(request(1, own ^ 1), id)).toBe(false);
  expect(asksForDevice(request(5, ANY), id)).toBe(false);
  const broken = request(ANY, ANY);
  broken[6] = 0;
  expect(asksForDevice(broken, id)).toBe(false);
});

test('any bytes are refused without an error', () => {
  const seed = fuzzSeed();
  console.info(`seed ${seed}`);
  const random = new Random(seed);
  for (let round = 0; round < fuzzRounds(2_000); round += 1) {
    const bytes = random.bytes(random.below(64));
    // With a correct check sum, so that values are read.
    const whole = Uint8Array.from([0, 2, 0, bytes.length, ...bytes]);
    const sum = crc32(whole);
    const packet = Uint8Array.from([...whole, sum & 255, (sum >>> 8) & 255, (sum >>> 16) & 255, sum >>> 24]);
    expect(asksForDevice(packet, deviceIdOf(7))).toBeBoolean();
    expect(asksForDevice(bytes, deviceIdOf(7))).toBe(false);
  }
});

test('discovery answers with the addresses of the documents, and only trusted clients', async () => {
  const id = deviceIdOf(7);
  let isTrusted = true;
  const discovery = new HdhrDiscovery({
    ...{ port: 0, id, httpPort: 5004, tuners: () => 3, isTrusted: () => isTrusted, log: SILENT_LOG },
  });
  const port = await discovery.port();
  const client = createSocket('udp4');
  const answer = Promise.withResolvers<Uint8Array>();
  let answers = 0;
  client.on('message', (packet) => {
    answers += 1;
    answer.resolve(packet);
  });
  client.send(request(ANY, ANY), port, '127.0.0.1');
  const packet = await answer.promise;
  const text = new TextDecoder('latin1').decode(packet);
  expect([...packet.subarray(0, 2)]).toEqual([0, 3]);
  expect(text).toContain('http://127.0.0.1:5004/lineup.json');
  expect(new DataView(packet.buffer, packet.byteOffset).getUint32(packet.length - 4, true)).toBe(
    crc32(packet.subarray(0, packet.length - 4)),
  );
  isTrusted = false;
  client.send(request(ANY, ANY), port, '127.0.0.1');
  // A second trusted request is answered after the refused one.
  await Bun.sleep(20);
  expect(answers).toBe(1);
  client.close();
  await discovery.close();
});
