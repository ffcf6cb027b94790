import { expect, test } from 'bun:test';
import { eventId, networkId, programId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { type CalendarBooking, calendarText } from './calendar.ts';

const START = broadcastMs(Date.parse('2026-11-26T21:00:00+09:00'));
const STATION = stationId(networkId(4), serviceId(101));

function booking(event: number, over: Partial<CalendarBooking> = {}): CalendarBooking {
  return {
    programId: programId(STATION, eventId(event)),
    state: 'scheduled',
    name: '[字]灯台守の娘',
    description: '一行目\n二行目',
    startAt: START,
    endAt: plusMs(START, 3_600_000),
    updatedAt: START,
    station: 'BS;101',
    ...over,
  };
}

/** Lines unfolded, as RFC 5545, 3.1 says. */
const unfolded = (text: string) => text.replaceAll('\r\n ', '').split('\r\n');

test('a booking becomes an event with its times, escaped', () => {
  const lines = unfolded(calendarText([booking(1)]));
  expect(lines).toContain(`UID:${booking(1).programId}@svc`);
  expect(lines).toContain('DTSTART:20261126T120000Z');
  expect(lines).toContain('DTEND:20261126T130000Z');
  expect(lines).toContain('SUMMARY:灯台守の娘');
  expect(lines).toContain('LOCATION:BS\\;101');
  expect(lines).toContain('DESCRIPTION:一行目\\n二行目');
  expect(lines).toContain('STATUS:CONFIRMED');
});

test('a conflict is tentative; what is not recorded is not there', () => {
  const text = calendarText([
    booking(1, { state: 'conflict' }),
    booking(2, { state: 'cancelled' }),
    booking(3, { state: 'skipped' }),
    booking(4, { state: 'finished' }),
  ]);
  expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(1);
  expect(text).toContain('STATUS:TENTATIVE');
});

test('no line is longer than 75 octets or breaks a character, and no text adds a property', () => {
  const name = '長い題名𠮷野家の夜\r\nATTACH:http://evil.example/'.repeat(20);
  const text = calendarText([booking(1, { name, description: name })]);
  for (const line of text.split('\r\n')) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(line).not.toContain('�');
  }
  expect(unfolded(text).filter((line) => line.startsWith('ATTACH'))).toEqual([]);
  expect(unfolded(text).find((line) => line.startsWith('DESCRIPTION:'))).toBe(
    `DESCRIPTION:${name.replaceAll('\r\n', '\\n')}`,
  );
});
