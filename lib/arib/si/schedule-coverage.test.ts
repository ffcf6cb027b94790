import { expect, test } from 'bun:test';
import { type BroadcastMs, broadcastMs } from '../time.ts';
import { ScheduleCoverage, type ScheduleSection } from './schedule-coverage.ts';

/** 13:30 JST: segments 0 to 3 of today are over. */
const AT = broadcastMs(Date.parse('2026-11-20T13:30:00+09:00'));

function section(number: number, more: Partial<ScheduleSection> = {}): ScheduleSection {
  const tableId = more.tableId ?? 0x50;
  return {
    tableId,
    kind: (tableId & 8) === 0 ? 'schedule-basic' : 'schedule-extended',
    version: 1,
    sectionNumber: number,
    lastSectionNumber: 31 * 8,
    segmentLastSectionNumber: number | 0,
    lastTableId: tableId,
    ...more,
  };
}

/** One section in each of the given segments. */
function fill(
  coverage: ScheduleCoverage,
  first: number,
  last: number,
  more: Partial<ScheduleSection> = {},
): void {
  for (let index = first; index <= last; index++) coverage.add(section(index * 8, more), AT);
}

function state(
  coverage: ScheduleCoverage,
  kind: 'basic' | 'extended' = 'basic',
  at: BroadcastMs = AT,
): string {
  const { segments, completeSegments, complete } = coverage.progress(kind, at);
  return `${completeSegments}/${segments}${complete ? ' complete' : ''}`;
}

test('a table is complete without the past segments of today', () => {
  const coverage = new ScheduleCoverage();
  expect(state(coverage)).toBe('0/0');
  fill(coverage, 5, 31);
  expect(state(coverage)).toBe('27/28');
  expect(coverage.add(section(4 * 8), AT)).toBe('new');
  expect(state(coverage)).toBe('28/28 complete');
  expect(coverage.add(section(4 * 8), AT)).toBe('known');
});

test('a segment needs all of its sections', () => {
  const coverage = new ScheduleCoverage();
  fill(coverage, 5, 31);
  const three = { segmentLastSectionNumber: 4 * 8 + 2 };
  coverage.add(section(4 * 8, three), AT);
  coverage.add(section(4 * 8 + 2, three), AT);
  expect(state(coverage)).toBe('27/28');
  coverage.add(section(4 * 8 + 1, three), AT);
  expect(state(coverage)).toBe('28/28 complete');
});

test('a segment of eight sections is complete with the last one', () => {
  const coverage = new ScheduleCoverage();
  const more = { lastSectionNumber: 4 * 8 + 7, segmentLastSectionNumber: 4 * 8 + 7 };
  for (let k = 0; k < 8; k++) coverage.add(section(4 * 8 + k, more), AT);
  expect(state(coverage)).toBe('1/1 complete');
});

test('all tables up to last_table_id are needed, separately for basic and extended', () => {
  const coverage = new ScheduleCoverage();
  fill(coverage, 4, 31, { lastTableId: 0x51 });
  expect(state(coverage)).toBe('28/28');
  fill(coverage, 0, 31, { tableId: 0x51, lastTableId: 0x51 });
  expect(state(coverage)).toBe('60/60 complete');
  expect(state(coverage, 'extended')).toBe('0/0');
  fill(coverage, 4, 31, { tableId: 0x58, lastTableId: 0x58 });
  expect(state(coverage, 'extended')).toBe('28/28 complete');
  expect(state(coverage)).toBe('60/60 complete');
});

test('a new version restarts its own segment only', () => {
  const coverage = new ScheduleCoverage();
  fill(coverage, 4, 31);
  const two = { version: 2, segmentLastSectionNumber: 6 * 8 + 1 };
  expect(coverage.add(section(6 * 8, two), AT)).toBe('new');
  expect(state(coverage)).toBe('27/28');
  expect(coverage.add(section(6 * 8 + 1, two), AT)).toBe('new');
  expect(state(coverage)).toBe('28/28 complete');
});

test('a change of last_table_id restarts the whole collection', () => {
  const coverage = new ScheduleCoverage();
  fill(coverage, 4, 31);
  coverage.add(section(4 * 8, { lastTableId: 0x51 }), AT);
  expect(state(coverage)).toBe('1/28');
});

test('segments beyond last_section_number are neither needed nor kept', () => {
  const coverage = new ScheduleCoverage();
  fill(coverage, 4, 31);
  coverage.add(section(4 * 8, { lastSectionNumber: 7 * 8, version: 2 }), AT);
  expect(state(coverage)).toBe('4/4 complete');
  coverage.add(section(4 * 8, { version: 3 }), AT);
  expect(state(coverage)).toBe('4/28');
});

test('at midnight every segment moves by a day', () => {
  const coverage = new ScheduleCoverage();
  fill(coverage, 4, 31);
  const midnight = broadcastMs(Date.parse('2026-11-21T00:00:00+09:00'));
  expect(state(coverage, 'basic', broadcastMs(midnight - 1))).toBe('25/25 complete');
  expect(state(coverage, 'basic', midnight)).toBe('0/0');
  expect(coverage.add(section(4 * 8), midnight)).toBe('new');
  expect(state(coverage, 'basic', midnight)).toBe('1/32');
});

test('past segments are no longer required', () => {
  const coverage = new ScheduleCoverage();
  fill(coverage, 5, 31);
  expect(state(coverage, 'basic', broadcastMs(AT + 2 * 3_600_000))).toBe('27/27 complete');
});

test('contradictory section numbers are rejected', () => {
  const coverage = new ScheduleCoverage();
  const refused: readonly ScheduleSection[] = [
    section(8, { kind: 'present-following', tableId: 0x4e }),
    section(8, { tableId: 0x51, lastTableId: 0x50 }),
    section(8, { lastTableId: 0x58 }),
    section(8, { lastTableId: 0x60 }),
    section(8, { segmentLastSectionNumber: 16 }),
    section(9, { segmentLastSectionNumber: 8 }),
    section(9, { segmentLastSectionNumber: 9, lastSectionNumber: 8 }),
  ];
  for (const wrong of refused) expect(coverage.add(wrong, AT)).toBe('refused');
  expect(state(coverage)).toBe('0/0');
});

test('the covered time ends at the first missing segment', () => {
  const coverage = new ScheduleCoverage();
  expect(coverage.filledUntil(AT)).toBe(AT);
  fill(coverage, 5, 31);
  expect(coverage.filledUntil(AT)).toBe(AT);
  fill(coverage, 4, 4);
  const day = Date.parse('2026-11-20T00:00:00+09:00');
  expect(coverage.filledUntil(AT)).toBe(broadcastMs(day + 4 * 86_400_000));
  expect(coverage.filledUntil(broadcastMs(AT + 86_400_000))).toBe(broadcastMs(AT + 86_400_000));
});

test('segments beyond the last section are empty if another table follows, otherwise the coverage ends there', () => {
  const coverage = new ScheduleCoverage();
  const day = Date.parse('2026-11-20T00:00:00+09:00');
  fill(coverage, 4, 20, { lastTableId: 0x51, lastSectionNumber: 20 * 8 });
  expect(coverage.filledUntil(AT)).toBe(broadcastMs(day + 4 * 86_400_000));
  fill(coverage, 0, 9, { tableId: 0x51, lastTableId: 0x51, lastSectionNumber: 9 * 8 });
  expect(coverage.filledUntil(AT)).toBe(broadcastMs(day + 4 * 86_400_000 + 10 * 3 * 3_600_000));
});

test('a segment is complete with its last section, and incomplete again with a new version', () => {
  const coverage = new ScheduleCoverage();
  const two = { segmentLastSectionNumber: 4 * 8 + 1 };
  const whole = (number: number, more: Partial<ScheduleSection>): boolean => {
    coverage.add(section(number, more), AT);
    return coverage.segmentComplete(section(number, more));
  };
  expect(whole(4 * 8, two)).toBe(false);
  expect(whole(4 * 8 + 1, two)).toBe(true);
  expect(whole(4 * 8, { ...two, version: 2 })).toBe(false);
});
