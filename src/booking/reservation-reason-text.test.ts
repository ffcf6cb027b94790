import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { isSameReason, type ReservationReason } from '../model/reservation-reason.ts';
import { crowdedText, reservationNoteText, reservationReasonText } from './reservation-reason-text.ts';

const conflict = (names: string[], hasMore = false, broken = 0): ReservationReason => ({
  ...{ code: 'tuners_in_use', names, hasMore, broken },
});

test('a conflict names the programmes that occupy the tuners, and broken tuners', () => {
  expect(reservationReasonText(conflict([]))).toBe('チューナーが足りないため録画できません。');
  expect(reservationReasonText(conflict(['港の朝[字]']))).toBe(
    '「港の朝」と重なり、チューナーが足りないため録画できません。',
  );
  expect(reservationReasonText(conflict(['港の朝', '灯台「波」'], true, 1))).toBe(
    '「港の朝」『灯台「波」』などと重なり、チューナーが足りないため録画できません。エラーのため使えないチューナーが1台あります。',
  );
});

test('broadcast types have the names that broadcasters use', () => {
  expect(reservationReasonText({ code: 'not_received', type: 'GR' })).toContain('地デジを受信できる');
  expect(reservationReasonText({ code: 'missed_not_received', type: 'CS' })).toBe(
    'CSを受信できるチューナーがなかったため録画できませんでした。',
  );
});

test('a missed reservation names what occupied the tuners, where known', () => {
  const missed = (names: string[], hasMore = false) =>
    reservationReasonText({ code: 'missed_tuners_in_use', names, hasMore });
  expect(missed([])).toBe('チューナーが足りなかったため録画できませんでした。');
  expect(missed(['港の朝[字]', '灯台'], true)).toBe(
    '「港の朝」「灯台」などの録画にチューナーを使っていたため録画できませんでした。',
  );
});

test('another airing of an episode is identified by its Japanese time', () => {
  const startAt = Date.UTC(2026, 10, 24, 15, 5);
  expect(reservationReasonText({ code: 'other_airing', startAt: broadcastMs(startAt) })).toBe(
    '同じ回を11/25(水) 0:05に録画します。',
  );
});

test('limits are written with thousands separators', () => {
  expect(reservationReasonText({ code: 'beyond_limit', limit: 1000 })).toContain('近いものから 1,000 件まで');
  expect(crowdedText(2500, 1000)).toContain('残りの 2,500 件');
});

test('a note quotes the title of the damaged recording without broadcast symbols', () => {
  expect(reservationNoteText({ code: 'repeat_by_hand', name: '灯台 第1話[再]' })).toStartWith(
    '「灯台 第1話」の録画に欠落があった',
  );
  expect(reservationNoteText({ code: 'part_by_hand', name: '夜の映画[字]' })).toBe(
    '「夜の映画」が分けて放送されるため、こちらも自動で予約しました。',
  );
  expect(reservationNoteText({ code: 'text', text: '前の版の文' })).toBe('前の版の文');
});

test('reasons are equal when code and parameters are equal', () => {
  const all: (ReservationReason | null)[] = [
    null,
    conflict(['a']),
    conflict(['b']),
    conflict(['a', 'b']),
    conflict(['a'], true),
    conflict(['a'], false, 1),
    { code: 'not_received', type: 'GR' },
    { code: 'not_received', type: 'BS' },
    { code: 'missed_not_begun' },
    { code: 'missed_tuners_in_use', names: [], hasMore: false },
    { code: 'missed_tuners_in_use', names: ['a'], hasMore: false },
    { code: 'missed_tuners_in_use', names: ['a'], hasMore: true },
    { code: 'text', text: 'a' },
    { code: 'text', text: 'b' },
  ];
  for (const [at, one] of all.entries())
    for (const [index, other] of all.entries())
      expect([at, index, isSameReason(one, structuredClone(other))]).toEqual([at, index, at === index]);
});
