/**
 * Descrambling: MULTI2 in WebAssembly beside libtomcrypt (where it is installed) and the scalar reference, in octets of
 * payload a second of processor time; and what eight tunings of 18 Mbit/s cost a core with everything that happens to
 * their packets. `bun test/bench/multi2.ts`. Ends with 1 when a figure misses its limit.
 */
import { Multi2Decryptor } from '../../agent/descramble/multi2-decryptor.ts';
import { StreamDescrambler } from '../../agent/descramble/stream-descrambler.ts';
import { scheduleKeys } from '../../lib/arib/conditional/multi2.ts';
import { pid } from '../../lib/arib/ids.ts';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import { decryptPayload } from '../multi2.ts';
import { keysOf, scrambledStream, TEST_SYSTEM, testKey } from '../scrambled-stream.ts';
import { tomcryptMulti2 } from '../tomcrypt.ts';
import { Figures } from './guide/figures.ts';

const PACKET = 188;
const PAYLOAD = 184;
const PACKETS = 1024;
const ROUNDS = 400;
const LIMIT_MB_S = 500;
const TUNINGS_LIMIT_MS = 120;
const TUNINGS = 8;
const TUNING_BYTES_S = 18_000_000 / 8;

/** Processor time of the best of five runs, s, so that other load has little effect. */
function cpuSeconds(act: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run += 1) {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  return best;
}

const system = { ...TEST_SYSTEM, source: 'bench' };
const keys = { odd: testKey(1, 1), even: testKey(1, 2) };

async function wasmRate(): Promise<number> {
  const decryptor = await Multi2Decryptor.create(system);
  decryptor.assign(pid(0x100), 1);
  decryptor.setKeys(1, keys);
  const packets = crypto.getRandomValues(new Uint8Array(PACKET * 300));
  const many = new Uint8Array(PACKET * PACKETS);
  for (let at = 0; at < PACKETS; at += 1) {
    const from = (at % 300) * PACKET;
    many.set(packets.subarray(from, from + PACKET), at * PACKET);
  }
  const mark = (): void => {
    for (let at = 0; at < many.length; at += PACKET) many.set([0x47, 0x01, 0x00, 0x90], at);
  };
  const seconds = cpuSeconds(() => {
    for (let round = 0; round < ROUNDS; round += 1) {
      mark();
      if (decryptor.decrypt(many) !== PACKETS) throw new Error('not all packets were decrypted');
    }
  });
  return (ROUNDS * PACKETS * PAYLOAD) / 1e6 / seconds;
}

function scalarRate(): number {
  const work = scheduleKeys(system.systemKey, keys.odd);
  const payload = crypto.getRandomValues(new Uint8Array(PAYLOAD));
  const count = 5_000;
  const seconds = cpuSeconds(() => {
    for (let at = 0; at < count; at += 1) decryptPayload(payload, work, system.initialValue);
  });
  return (count * PAYLOAD) / 1e6 / seconds;
}

function tomcryptRate(): number | undefined {
  const peer = tomcryptMulti2(Uint8Array.of(...system.systemKey, ...keys.odd), system.initialValue);
  if (peer === undefined) return undefined;
  const cipher = crypto.getRandomValues(new Uint8Array(PAYLOAD));
  const plain = new Uint8Array(PAYLOAD);
  peer.decrypt(cipher, plain);
  const own = cipher.slice();
  decryptPayload(own, scheduleKeys(system.systemKey, keys.odd), system.initialValue);
  if (Buffer.compare(plain, own) !== 0) throw new Error('libtomcrypt decrypts differently');
  const count = 100_000;
  const seconds = cpuSeconds(() => {
    for (let at = 0; at < count; at += 1) peer.continue(cipher, plain);
  });
  return (count * PAYLOAD) / 1e6 / seconds;
}

/** Processor time that the tunings need in a second of theirs, s. */
async function tuningsSeconds(): Promise<number> {
  const stream = scrambledStream({
    programs: [{ number: 101, pmtPid: 0x1f0, ecmPid: 0x300, streams: [0x100, 0x110], seed: 1 }],
    periods: 4,
    rounds: 5_000,
    tablesEvery: 600,
  });
  let decrypted = 0;
  let received = 0;
  const descrambler = new StreamDescrambler({
    source: {
      system: async () => system,
      keys: async (message) => ({ ...keysOf(message), system }),
    },
    clock: systemMonotonicClock,
    output: (packets) => {
      received += packets.length;
    },
    onChange: () => {
      decrypted += 1;
    },
  });
  const piece = 64 * 1024;
  const feed = async (): Promise<void> => {
    for (let at = 0; at < stream.scrambled.length; at += piece) {
      descrambler.feed(stream.scrambled.slice(at, at + piece));
      // Keys arrive between two chunks, like between two reads of a device.
      await null;
    }
  };
  await feed();
  while (descrambler.state !== 'descrambled') await Bun.sleep(1);
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run += 1) {
    const before = process.cpuUsage();
    await feed();
    const { user, system: kernel } = process.cpuUsage(before);
    best = Math.min(best, (user + kernel) / 1e6);
  }
  descrambler.close();
  if (decrypted === 0 || received === 0) throw new Error('nothing was descrambled');
  return (best / stream.scrambled.length) * TUNING_BYTES_S * TUNINGS;
}

const ours = await wasmRate();
const scalar = scalarRate();
const peer = tomcryptRate();
const seconds = await tuningsSeconds();
const figures = new Figures();
figures.limited(
  `WebAssembly, ${ours.toFixed(0)} MB/s: 100 MB in`,
  100_000 / ours,
  'ms',
  100_000 / LIMIT_MB_S,
);
figures.note('in speed of the scalar reference', ours / scalar, 'times');
if (peer === undefined) console.log('libtomcrypt: not installed (Debian: libtomcrypt1)');
else figures.note(`in speed of libtomcrypt (${peer.toFixed(0)} MB/s)`, ours / peer, 'times');
figures.limited(
  `processor time of ${TUNINGS} tunings of 18 Mbit/s in a second`,
  seconds * 1000,
  'ms',
  TUNINGS_LIMIT_MS,
);
process.exit(figures.failed ? 1 : 0);
