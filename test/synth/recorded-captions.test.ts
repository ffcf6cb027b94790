/**
 * Recorded captions have the same structure as synthetic ones, as far as a caption stream without its packets
 * shows.
 */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { managementGroup } from '../../synth/caption/data-group.ts';
import { crc16 } from './caption-peer.ts';

const SAMPLES = '../shared/samples/captions';
const files = existsSync(SAMPLES) ? readdirSync(SAMPLES).filter((name) => name.endsWith('.es')) : [];

/** Data groups, each after data_identifier, private_stream_id and the header's length. */
function groupsOf(bytes: Uint8Array): { header: string; group: Uint8Array }[] {
  const groups: { header: string; group: Uint8Array }[] = [];
  let at = 0;
  while (at + 8 <= bytes.length) {
    const size = ((bytes[at + 6] ?? 0) << 8) | (bytes[at + 7] ?? 0);
    const end = at + 3 + 5 + size + 2;
    const header = Buffer.from(bytes.subarray(at, at + 3)).toString('hex');
    groups.push({ header, group: bytes.subarray(at + 3, end) });
    at = end;
  }
  expect(at).toBe(bytes.length);
  return groups;
}

function unitsOf(group: Uint8Array): number[] {
  const units: number[] = [];
  for (let at = 9; at < group.length - 2; ) {
    expect(group[at]).toBe(0x1f);
    units.push(group[at + 1] ?? 0);
    at += 5 + (((group[at + 2] ?? 0) << 16) | ((group[at + 3] ?? 0) << 8) | (group[at + 4] ?? 0));
  }
  return units;
}

describe.skipIf(files.length === 0)('recorded captions', () => {
  test.each(files)('%s', (name) => {
    const groups = groupsOf(readFileSync(join(SAMPLES, name)));
    expect(groups.length).toBeGreaterThan(1_000);
    const language = [{ code: 'jpn', displayMode: 0b1010 }];
    const ours = (['A', 'B'] as const).map((group) => Buffer.from(managementGroup(group, language)));
    let management = 0;
    for (const { header, group } of groups) {
      // The same data header as in synthetic captions; the links and the CRC too.
      expect(header).toBe('80fff0');
      expect([group[1], group[2], crc16(group)]).toEqual([0, 0, 0]);
      if (((group[0] ?? 0) & 0x7c) === 0) {
        management += 1;
        expect(ours.some((one) => one.equals(group))).toBe(true);
      } else {
        // Free timing; only texts and one-byte bitmaps.
        expect(group[5]).toBe(0x3f);
        expect(unitsOf(group).every((unit) => unit === 0x20 || unit === 0x30)).toBe(true);
      }
    }
    // A half-hour programme of some 24 minutes, one per second.
    expect(management).toBeWithin(23 * 60, 25 * 60);
  });
});
