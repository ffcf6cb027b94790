import { describe, expect, test } from 'bun:test';
import type { BroadcastType } from '../lib/arib/ids.ts';
import { parseChannelName } from './channel-name.ts';

const GOOD: [BroadcastType, string][] = [
  ['GR', 'T13'],
  ['GR', 'T62'],
  ['BS', 'BS01_0'],
  ['BS', 'BS23_3'],
  ['CS', 'CS02'],
  ['CS', 'CS24'],
];

const BAD: [BroadcastType, string][] = [
  ['GR', 'T12'],
  ['GR', 'T63'],
  ['GR', 't27'],
  ['GR', '27'],
  ['GR', 'T027'],
  ['GR', 'T27 '],
  ['GR', 'T27\n'],
  ['GR', ''],
  ['GR', 'BS01_0'],
  ['GR', 'BS/T27'],
  ['BS', 'BS02_0'],
  ['BS', 'BS25_0'],
  ['BS', 'BS00_0'],
  ['BS', 'BS01_4'],
  ['BS', 'BS01'],
  ['BS', 'BS1_0'],
  ['CS', 'CS01'],
  ['CS', 'CS26'],
  ['CS', 'CS00'],
  ['CS', 'CS２'],
];

describe('parseChannelName', () => {
  for (const [type, name] of GOOD) {
    test(`accepts ${type} ${name}`, () => expect(parseChannelName(type, name)).toBe(name));
  }
  for (const [type, name] of BAD) {
    test(`refuses ${type} ${JSON.stringify(name)}`, () =>
      expect(parseChannelName(type, name)).toBeUndefined());
  }
  test('accepts the form with the type in front', () => {
    expect(parseChannelName('GR', 'GR/T27')).toBe('T27');
  });
});
