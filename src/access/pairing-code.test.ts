import { describe, expect, test } from 'bun:test';
import { wallMs } from '../../lib/host/clock.ts';
import type { PairingCode } from '../model/pairing.ts';
import { nextPairingStep, type PairingEvent, placeFor } from './pairing-code.ts';

const END = 600_000;
const pending: PairingCode = { kind: 'pending', expiresAt: wallMs(END) };
const approved: PairingCode = { kind: 'approved', expiresAt: wallMs(END), approver: '花子' };
const consumed: PairingCode = { kind: 'consumed', expiresAt: wallMs(END) };

const poll = (at: number, lastPollAt: number | null = null): PairingEvent => ({
  kind: 'poll',
  at: wallMs(at),
  lastPollAt: lastPollAt === null ? null : wallMs(lastPollAt),
});
const approve = (at: number): PairingEvent => ({ kind: 'approve', at: wallMs(at), approver: '花子' });
const error = (word: string) => ({ kind: 'error', error: word });

describe('the state table covers every state and every event', () => {
  const rows: [
    what: string,
    code: PairingCode | undefined,
    event: PairingEvent,
    outcome: object,
    after: PairingCode | undefined,
  ][] = [
    ['unknown, polled', undefined, poll(0), error('invalid_grant'), undefined],
    ['unknown, form', undefined, approve(0), { kind: 'not_approvable' }, undefined],
    ['pending, first poll', pending, poll(0), error('authorization_pending'), pending],
    ['pending, polled 5 s later', pending, poll(9_000, 4_000), error('authorization_pending'), pending],
    ['pending, polled 1 ms too early', pending, poll(8_999, 4_000), error('slow_down'), pending],
    ['pending, polled at once', pending, poll(4_000, 4_000), error('slow_down'), pending],
    [
      'pending, the clock was set back meanwhile',
      pending,
      poll(3_000, 4_000),
      error('authorization_pending'),
      pending,
    ],
    ['pending, polled 1 ms before its end', pending, poll(END - 1), error('authorization_pending'), pending],
    ['pending, polled at its end', pending, poll(END), error('expired_token'), pending],
    ['pending, polled fast after its end', pending, poll(END + 1, END), error('expired_token'), pending],
    ['pending, form', pending, approve(1), { kind: 'approved' }, approved],
    ['pending, form 1 ms before its end', pending, approve(END - 1), { kind: 'approved' }, approved],
    ['pending, form at its end', pending, approve(END), { kind: 'not_approvable' }, pending],
    ['approved, polled', approved, poll(5_000), { kind: 'hand_over', approver: '花子' }, consumed],
    [
      'approved, polled fast',
      approved,
      poll(5_000, 4_999),
      { kind: 'hand_over', approver: '花子' },
      consumed,
    ],
    [
      'approved, polled 1 ms before its end',
      approved,
      poll(END - 1),
      { kind: 'hand_over', approver: '花子' },
      consumed,
    ],
    ['approved, polled at its end', approved, poll(END), error('expired_token'), approved],
    ['approved, form again', approved, approve(2), { kind: 'approved_before' }, approved],
    ['approved, form after its end', approved, approve(END), { kind: 'not_approvable' }, approved],
    ['consumed, polled', consumed, poll(5_000), error('invalid_grant'), consumed],
    ['consumed, polled fast', consumed, poll(5_000, 4_999), error('invalid_grant'), consumed],
    ['consumed, polled after its end', consumed, poll(END), error('invalid_grant'), consumed],
    ['consumed, form again', consumed, approve(5_000), { kind: 'approved_before' }, consumed],
    ['consumed, form after its end', consumed, approve(END), { kind: 'approved_before' }, consumed],
  ];
  for (const [what, code, event, outcome, after] of rows) {
    test(what, () => {
      const step = nextPairingStep(code, event);
      expect(step.outcome).toEqual(outcome as never);
      expect(step.code).toEqual(after);
    });
  }
});

describe('a further code while others wait', () => {
  /** @param addresses of the pending codes, the oldest first; their ids count from 1 */
  const place = (addresses: string[], address: string): unknown => {
    const all = addresses.map((one, index) => ({ id: index + 1, address: one, expiresAt: wallMs(index) }));
    return placeFor(all, address);
  };
  const times = (count: number, address: (index: number) => string): string[] =>
    Array.from({ length: count }, (_, index) => address(index));

  test('is issued to any address below 20', () => {
    expect(place([], 'a')).toBeUndefined();
    expect(
      place(
        times(19, () => 'a'),
        'a',
      ),
    ).toBeUndefined();
  });

  test('replaces one of the address with most, which itself gets none', () => {
    const codes = ['a', 'a', 'a', 'a', ...times(16, () => 'b')];
    expect(place(codes, 'c')).toMatchObject({ replaces: { id: 5 } });
    expect(place(codes, 'b')).toEqual({ freeAt: wallMs(0) });
    expect(place(codes, 'a')).toEqual({ freeAt: wallMs(0) });
  });

  test('replaces none where no address has many; a network of IPv6 counts as one', () => {
    expect(
      place(
        times(20, (index) => `10.0.0.${index}`),
        'c',
      ),
    ).toEqual({ freeAt: wallMs(0) });
    expect(
      place(
        times(20, (index) => `2001:db8::${index + 1}`),
        'c',
      ),
    ).toMatchObject({ replaces: { id: 1 } });
  });
});
