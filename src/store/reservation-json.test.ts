import { expect, test } from 'bun:test';
import type { ReservationNote, ReservationReason } from '../model/reservation-reason.ts';
import {
  readReservationNote,
  readReservationReason,
  storedReservationNote,
  storedReservationReason,
} from './reservation-json.ts';

const REASONS: ReservationReason[] = [
  { code: 'not_received', type: 'BS' },
  { code: 'tuners_in_use', names: ['港の朝[字]', '灯台'], hasMore: true, broken: 2 },
  { code: 'copy_never' },
  { code: 'station_gone' },
  { code: 'missed_not_received', type: 'GR' },
  { code: 'missed_tuners_in_use', names: ['港の朝[字]'], hasMore: true },
  { code: 'missed_service_stopped' },
  { code: 'missed_not_begun' },
  { code: 'text', text: '前の版の文' },
];
const NOTES: ReservationNote[] = [
  { code: 'repeat_of_rule' },
  { code: 'repeat_by_hand', name: '灯台 第1話[再]' },
  { code: 'part_by_hand', name: '夜の映画' },
  { code: 'text', text: '前の版の文' },
];

test('reasons and notes are read as they were stored', () => {
  for (const reason of REASONS) {
    expect(readReservationReason(storedReservationReason(reason))).toEqual(reason);
    expect(JSON.parse(storedReservationReason(reason) ?? '')).toMatchObject({ v: 2 });
  }
  for (const note of NOTES) expect(readReservationNote(storedReservationNote(note))).toEqual(note);
  expect([storedReservationReason(null), storedReservationNote(null)]).toEqual([null, null]);
});

test('a sentence of an earlier version is kept as written', () => {
  const text = '「港の朝」と重なり、チューナーが足りないため録画できません。';
  expect(readReservationReason(text)).toEqual({ code: 'text', text });
  expect(readReservationNote(text)).toEqual({ code: 'text', text });
});

test('the users of the tuners are unknown in rows of an earlier version', () => {
  const missed = { code: 'missed_tuners_in_use', names: [], hasMore: false } as const;
  for (const stored of ['{"v":2,"code":"missed_tuners_in_use"}', '{"code":"missed_tuners_in_use","names":5}'])
    expect(readReservationReason(stored)).toEqual(missed);
});

test('codes of a later version and damaged parameters read as none', () => {
  for (const stored of [
    ...[null, '', '{}', '{"v":9,"code":"meteor"}', '{"code":"not_received","type":"ISDB"}'],
    ...['{"code":"tuners_in_use","names":"x","broken":0}', '{"code":"tuners_in_use","names":[]}'],
  ])
    expect(readReservationReason(stored)).toBeNull();
  for (const stored of [null, '', '{}', '{"code":"meteor"}', '{"code":"repeat_by_hand","name":5}'])
    expect(readReservationNote(stored)).toBeNull();
});
