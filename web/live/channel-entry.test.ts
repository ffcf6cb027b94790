import { expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Station } from '../../lib/wire/api.ts';
import { completeEntry, entryText, typeButton } from './channel-entry.ts';

const station = (type: Station['type'], id: number, remoteControlKey: number): Station => ({
  ...{ id: id as StationId, type, name: String(id), remoteControlKey, logo: null, live: '', now: null },
});
const LIST = [
  station('GR', 3_274_001_024, 1),
  station('GR', 3_274_301_048, 4),
  station('GR', 3_274_301_049, 4),
  station('GR', 3_274_801_088, 12),
  station('BS', 400_101, 101),
  station('BS', 400_211, 211),
  station('CS', 600_211, 211),
];

test('a button of the remote control chooses a terrestrial station at once', () => {
  expect(typeButton('', 4, LIST, 'GR', false).station?.id).toBe<unknown>(3_274_301_048);
  expect(typeButton('', 12, LIST, 'GR', false).station?.id).toBe<unknown>(3_274_801_088);
  expect(typeButton('', 9, LIST, 'GR', false)).toEqual({ entry: '', station: undefined, unknown: true });
});

test('three digits select a satellite station, of the current broadcast type first', () => {
  let typed = typeButton('', 2, LIST, 'BS', false);
  expect(typed).toEqual({ entry: '2' });
  typed = typeButton(typed.entry, 1, LIST, 'BS', false);
  expect(entryText(typed.entry)).toBe('21–');
  expect(typeButton(typed.entry, 1, LIST, 'BS', false).station?.id).toBe<unknown>(400_211);
  expect(typeButton('21', 1, LIST, 'CS', false).station?.id).toBe<unknown>(600_211);
  expect(typeButton('99', 9, LIST, 'BS', false)).toMatchObject({ entry: '', unknown: true });
});

test('three digits select a branch of a terrestrial station in three-digit mode', () => {
  expect(typeButton('', 10, LIST, 'GR', true)).toEqual({ entry: '0' });
  expect(typeButton('0', 4, LIST, 'GR', true)).toEqual({ entry: '04' });
  expect(typeButton('04', 2, LIST, 'GR', true).station?.id).toBe<unknown>(3_274_301_049);
  expect(typeButton('04', 11, LIST, 'GR', true)).toEqual({ entry: '04' });
});

test('an incomplete entry is a channel button', () => {
  expect(completeEntry('4', LIST).station?.id).toBe<unknown>(3_274_301_048);
  expect(completeEntry('12', LIST).station?.id).toBe<unknown>(3_274_801_088);
  expect(completeEntry('', LIST)).toEqual({ entry: '', station: undefined, unknown: false });
  expect(completeEntry('7', LIST).unknown).toBe(true);
});
