import { expect, test } from 'bun:test';
import type { BroadcastType } from '../arib/ids.ts';
import { standardTsid } from './standard-channels.ts';

const ROWS: [BroadcastType, string, number | null][] = [
  ['CS', 'CS02', 0x6020],
  ['CS', 'CS04', 0x7040],
  ['CS', 'CS08', 0x6080],
  ['CS', 'CS10', 0x60a0],
  ['CS', 'CS24', 0x7180],
  ['BS', 'BS01_0', null],
  ['GR', 'T27', null],
];

for (const [type, channel, tsid] of ROWS) {
  test(`the transport stream id of ${channel} before a scan`, () => {
    expect(standardTsid(type, channel)).toBe(tsid);
  });
}
