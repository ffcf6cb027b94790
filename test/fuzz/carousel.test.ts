import { expect, test } from 'bun:test';
import { Carousel } from '../../lib/arib/carousel/carousel.ts';
import { parseLogoModule } from '../../lib/arib/si/logo.ts';
import { readSection } from '../../lib/arib/ts/section.ts';
import { type BuiltModule, ddbSections, diiSection, nameInfo } from '../carousel-builder.ts';
import { crcOf } from '../stream-builder.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const seed = fuzzSeed();
const ROUNDS = fuzzRounds(400);
const LIMITS = { moduleBytes: 3000, totalBytes: 8000, lists: 3 };

function modules(random: Random): BuiltModule[] {
  return Array.from({ length: random.below(5) }, () => ({
    id: random.below(4),
    version: random.below(3),
    data: Uint8Array.from(random.bytes(random.below(600))),
    info: random.below(3) === 0 ? [...random.bytes(random.below(12))] : nameInfo('LOGO-05'),
    ...(random.below(6) === 0 ? { size: random.pick([0, 1, 2999, 3001, 0xffffffff]) } : {}),
  }));
}

/** The section with some bytes changed and a matching CRC, as a hostile broadcaster could send it. */
function forged(random: Random, bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  for (let changes = random.below(4); changes > 0; changes--) {
    copy[3 + random.below(copy.length - 7)] = random.below(256);
  }
  const crc = crcOf(copy.subarray(0, -4));
  copy.set([crc >>> 24, (crc >>> 16) & 0xff, (crc >>> 8) & 0xff, crc & 0xff], copy.length - 4);
  return copy;
}

test(
  `a carousel of random bytes neither throws nor exceeds its memory bound (seed ${seed})`,
  () => {
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round++) {
      const carousel = new Carousel({ limits: LIMITS });
      const held = { least: 0, most: 0 };
      for (let list = 0; list < 4; list++) {
        const sent = modules(random);
        const downloadId = random.below(5);
        const blockSize = random.pick([1, 50, 100, 4066]);
        const sections = [
          diiSection({ downloadId, transactionId: random.below(3), blockSize, modules: sent }),
          ...sent.flatMap((module) => ddbSections(downloadId, module, blockSize)),
        ];
        for (const bytes of sections) {
          const section = readSection(random.below(3) === 0 ? forged(random, bytes) : bytes);
          if (section === undefined) continue;
          for (const { module, data } of carousel.feed(section)) {
            expect(data.length).toBe(module.size);
            parseLogoModule(data);
          }
          held.least = Math.min(held.least, carousel.bytes);
          held.most = Math.max(held.most, carousel.bytes);
        }
      }
      expect(held.least).toBe(0);
      expect(held.most).toBeLessThanOrEqual(LIMITS.totalBytes);
    }
  },
  FUZZ_TIMEOUT,
);
