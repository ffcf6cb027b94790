import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { joinedName, partName, shortStem, stemOf } from './recording-file-name.ts';

const named = (title: string, stationName = '試験テレビ') =>
  stemOf({ id: recordingId(12), startAt: broadcastMs(Date.UTC(2026, 10, 21, 15, 30)), title, stationName });

describe('a name', () => {
  test('contains Japanese date, title and station, and is unique by its number', () => {
    expect(named('朝の散歩 第3話')).toBe('20261122-0030 朝の散歩 第3話 (試験テレビ) r12');
  });

  test('has no characters that file systems refuse and no path components', () => {
    expect(named('../a/b\\c:d*e?f"g<h>i|j\u0000\u001b[0m\n\ud800k..', '..')).toBe(
      '20261122-0030 ／a／b＼c：d＊e？f”g＜h＞i｜j[0mk (局) r12',
    );
    expect(named('...')).toBe('20261122-0030 無題 (試験テレビ) r12');
  });

  test('has no bidirectional control characters', () => {
    expect(named('表\u202e裏\u2066\u2069\u061c\u200f')).toBe('20261122-0030 表裏 (試験テレビ) r12');
  });

  test('stays within the longest name of a file system, without splitting characters', () => {
    const stem = named('👩‍👩‍👧'.repeat(60), '長い名前の局'.repeat(20));
    for (const name of [partName(stem, 12), joinedName(stem)])
      expect(Buffer.byteLength(name)).toBeLessThan(256);
    expect(stem).toMatch(/^20261122-0030 (👩‍👩‍👧)+ \((長い名前の局|長い名|長い|長い名前|長)+\) r12$/u);
  });

  test('is shorter on file systems without long names', () => {
    const stem = shortStem(named('長い番組の名前'.repeat(9)), recordingId(12));
    for (const name of [partName(stem, 12), joinedName(stem)])
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(143);
    expect(stem).toMatch(/^20261122-0030 長い番組の名前長い番組の名前.+ r12$/u);
    expect(stem).not.toContain('\ufffd');
  });

  test('differs between a part and the joined file', () => {
    expect([partName('a', 1), partName('a', 2), joinedName('a')]).toEqual([
      'a.ts',
      'a.part2.ts',
      'a.joined.ts',
    ]);
  });
});
