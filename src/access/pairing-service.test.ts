/** Codes and tokens over a real database, with the test's own clock. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { type Random, systemRandom } from '../../lib/host/random.ts';
import { until } from '../../test/until.ts';
import { migrate } from '../store/database.ts';
import { PairingStore, TokenStore } from '../store/pairing-store.ts';
import { PairingService, TokenService } from './pairing-service.ts';

const MINUTE = 60_000;
const START = 1_800_000_000_000;
let database: Database;
let now = START;
let changes = 0;
let lines: string[];

function make(
  purgeIntervalMs = MINUTE,
  random: Random = systemRandom,
): { pairing: PairingService; tokens: TokenService } {
  const store = new TokenStore(database);
  const log = createLog({ level: 'debug', now: () => wallMs(now), write: (line) => lines.push(line) });
  const onChanged = (): void => {
    changes += 1;
  };
  const common = { now: () => wallMs(now), onChanged, log };
  return {
    tokens: new TokenService({ tokens: store, ...common }),
    pairing: new PairingService({
      codes: new PairingStore(database),
      tokens: store,
      ...{ random, purgeIntervalMs },
      ...{ ...common, onPaired: onChanged },
    }),
  };
}

beforeEach(() => {
  database = new Database(':memory:', { strict: true });
  migrate(database, ':memory:');
  now = START;
  changes = 0;
  lines = [];
});
afterEach(() => database.close());

let devices = 0;

/** Each at an address of its own. */
function begin(pairing: PairingService, name = 'テレビ', address = `192.0.2.${++devices % 250}`) {
  const codes = pairing.begin(name, address);
  if ('waitMs' in codes) throw new Error('no code');
  return codes;
}

function paired(name = 'テレビ') {
  const { pairing, tokens } = make();
  const { deviceCode, userCode } = begin(pairing, name);
  pairing.approve(userCode, '花子');
  const answer = pairing.poll(deviceCode);
  if (!('token' in answer)) throw new Error(answer.error);
  return { pairing, tokens, deviceCode, userCode, token: answer.token };
}

function count(table: string): number {
  return database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? -1;
}

describe('pairing', () => {
  test('a code is issued, approved and exchanged once', () => {
    const { pairing, tokens } = make();
    const { deviceCode, userCode } = begin(pairing, '居間', '192.0.2.9');
    expect(userCode).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    expect(pairing.poll(deviceCode)).toEqual({ error: 'authorization_pending' });
    expect(pairing.view(userCode)).toEqual({
      kind: 'pending',
      request: { name: '居間', address: '192.0.2.9', at: wallMs(START) },
    });
    expect(pairing.approve(userCode, '花子')).toEqual({ kind: 'approved', name: '居間' });
    expect(count('access_tokens')).toBe(0);
    const answer = pairing.poll(deviceCode);
    expect(answer).toEqual({ token: expect.stringMatching(/^svc_[\w-]{43}$/) });
    expect(pairing.poll(deviceCode)).toEqual({ error: 'invalid_grant' });
    expect(pairing.approve(userCode, 'someone')).toEqual({ kind: 'approved', name: '居間' });
    expect(tokens.list()).toEqual([
      { id: expect.any(Number), name: '居間', pairedAt: wallMs(START), usedAt: null, approver: '花子' },
    ]);
    expect(changes).toBe(1);
  });

  test('at most 20 codes are pending; an approved and an expired one free their places', () => {
    const { pairing } = make();
    const codes = Array.from({ length: 20 }, () => begin(pairing));
    now += MINUTE;
    expect(pairing.begin('one more', '198.51.100.1')).toEqual({ waitMs: 9 * MINUTE });
    pairing.approve(codes[3]?.userCode ?? '', '花子');
    begin(pairing, 'in its place');
    expect(pairing.begin('one more', '198.51.100.1')).toEqual({ waitMs: 9 * MINUTE });
    now += 9 * MINUTE;
    for (let index = 0; index < 19; index += 1) begin(pairing);
    expect(pairing.begin('one more', '198.51.100.1')).toEqual({ waitMs: MINUTE });
  });

  test('an address, or an IPv6 network, may take all places; others replace its oldest codes', () => {
    for (const [own, same] of [
      ['192.0.2.1', '192.0.2.1'],
      ['2001:db8::1', '2001:db8::ffff'],
    ] as const) {
      now += 10 * MINUTE;
      const { pairing } = make();
      const codes = [];
      for (let index = 0; index < 20; index += 1, now += 1_000) codes.push(begin(pairing, 'テレビ', own));
      expect(pairing.begin('テレビ', same)).toEqual({ waitMs: 10 * MINUTE - 20_000 });
      const other = begin(pairing, 'テレビ', '198.51.100.1');
      expect(codes.slice(0, 2).map(({ userCode }) => pairing.view(userCode).kind)).toEqual([
        'gone',
        'pending',
      ]);
      expect(pairing.view(other.userCode).kind).toBe('pending');
    }
  });

  test('a device that keeps polling gets the error that its code expired, then the row is deleted', () => {
    const { pairing } = make();
    const { deviceCode, userCode } = begin(pairing);
    now += 10 * MINUTE;
    expect(pairing.poll(deviceCode)).toEqual({ error: 'expired_token' });
    expect(pairing.view(userCode)).toEqual({ kind: 'gone' });
    expect(pairing.approve(userCode, '花子')).toEqual({ kind: 'gone' });
    now += MINUTE + 1;
    begin(pairing);
    expect(count('pairing_codes')).toBe(1);
    expect(pairing.poll(deviceCode)).toEqual({ error: 'invalid_grant' });
  });

  test('the table of codes stays small for any requests', () => {
    const { pairing } = make();
    let most = 0;
    for (let index = 0; index < 3_000; index += 1) {
      pairing.begin('テレビ', `192.0.2.${index % 250}`);
      now += 10_000;
      most = Math.max(most, count('pairing_codes'));
    }
    expect(most).toBeLessThanOrEqual(40);
  });

  test('neither codes nor tokens are stored or logged', () => {
    const { deviceCode, userCode, token } = paired();
    const stored = JSON.stringify([
      database.query('SELECT * FROM pairing_codes').all(),
      database.query('SELECT * FROM access_tokens').all(),
      lines,
    ]);
    for (const secret of [deviceCode, userCode, token, token.slice(4)]) expect(stored).not.toContain(secret);
  });

  test('the stored form of a token is not accepted as a token', () => {
    const { tokens } = paired();
    const row = database.query<{ hash: string }, []>('SELECT hash FROM access_tokens').get();
    expect(tokens.check(row?.hash ?? '')).toBeUndefined();
    expect(tokens.check(`svc_${row?.hash}`)).toBeUndefined();
  });

  test('two codes never look alike', () => {
    const given = [0, 0, 1];
    // User codes need 8 octets; here the same ones occur twice.
    const { pairing } = make(MINUTE, (bytes) =>
      bytes === 8 ? new Uint8Array(8).fill(given.shift() ?? 2) : systemRandom(bytes),
    );
    expect([begin(pairing).userCode, begin(pairing).userCode]).toEqual(['BBBB-BBBB', 'CCCC-CCCC']);
  });

  test('one code yields one token at most, for any order of requests', () => {
    type Act = 'poll' | 'view' | 'approve' | 'restart' | 'wait' | 'expire';
    const acts = fc.array(fc.constantFrom<Act>('poll', 'view', 'approve', 'restart', 'wait', 'expire'), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(acts, (steps) => {
        database.run('DELETE FROM access_tokens');
        let { pairing } = make();
        const { deviceCode, userCode } = begin(pairing);
        const beganAt = now;
        let approved = false;
        let given = 0;
        for (const act of steps) {
          const isOver = now >= beganAt + 10 * MINUTE;
          if (act === 'restart') pairing = make().pairing;
          if (act === 'wait') now += 5_000;
          if (act === 'expire') now += 10 * MINUTE;
          if (act === 'view') pairing.view(userCode);
          if (act === 'approve') {
            const view = pairing.approve(userCode, '花子');
            approved ||= view.kind === 'approved' && !isOver;
          }
          if (act === 'poll') {
            const answer = pairing.poll(deviceCode);
            if ('token' in answer) {
              given += 1;
              expect(approved && !isOver).toBe(true);
            } else if (approved && !isOver) expect([given, answer.error]).toEqual([1, 'invalid_grant']);
          }
        }
        expect(given).toBeLessThanOrEqual(1);
        expect(count('access_tokens')).toBe(given);
        now += 20 * MINUTE;
      }),
      { numRuns: 300 },
    );
  });
});

describe('expired codes', () => {
  test('are deleted automatically as soon as the database can be written', async () => {
    const { pairing } = make(1);
    begin(pairing);
    now += 11 * MINUTE + 1;
    database.run('PRAGMA query_only = 1');
    pairing.start();
    try {
      await until(
        'a failed purge is logged',
        () => lines.some((line) => line.includes('expired pairing codes stay for now')) || undefined,
      );
      expect(count('pairing_codes')).toBe(1);
      database.run('PRAGMA query_only = 0');
      await until('the row goes', () => count('pairing_codes') === 0 || undefined);
    } finally {
      pairing.close();
    }
  });
});

describe('tokens', () => {
  test('the time of the last use is stored once a minute at most', () => {
    const { tokens, token } = paired();
    const used = () => tokens.list()[0]?.usedAt;
    now += 1_000;
    expect(tokens.check(token)).toEqual({ tokenId: tokens.list()[0]?.id as number });
    expect(used()).toBe(wallMs(START + 1_000));
    now += MINUTE - 1;
    changes = 0;
    tokens.check(token);
    expect([used(), changes]).toEqual([START + 1_000, 0]);
    now += 1;
    tokens.check(token);
    expect([used(), changes]).toEqual([START + 1_000 + MINUTE, 1]);
    now = START - 5 * MINUTE;
    tokens.check(token);
    expect(used()).toBe(wallMs(START - 5 * MINUTE));
  });

  test('a revoked one is refused at once, and its row stays', () => {
    const { tokens, token } = paired();
    const id = tokens.list()[0]?.id ?? 0;
    changes = 0;
    expect(tokens.revoke(id)).toBe(true);
    expect(changes).toBe(1);
    expect(tokens.check(token)).toBeUndefined();
    expect(tokens.list()).toEqual([]);
    const revokedAt = () =>
      database.query<{ revoked_at: number }, []>('SELECT revoked_at FROM access_tokens').get()?.revoked_at;
    expect(revokedAt()).toBe(START);
    now += MINUTE;
    expect(tokens.revoke(id)).toBe(true);
    expect([revokedAt(), changes]).toEqual([START, 1]);
    expect(tokens.revoke(id + 1)).toBe(false);
  });

  test('a use that cannot be stored is allowed and logged', () => {
    const { tokens, token } = paired();
    database.run('PRAGMA query_only = 1');
    expect(tokens.check(token)).toBeDefined();
    expect(lines.join('')).toContain('last use of a token not stored');
  });

  test('a programming error is not treated as a database error', () => {
    const { token } = paired();
    const store = new TokenStore(database);
    store.used = () => {
      throw new Error('a bug');
    };
    const log = createLog({ level: 'debug', now: () => wallMs(now), write: (line) => lines.push(line) });
    const tokens = new TokenService({ tokens: store, now: () => wallMs(now), onChanged: () => {}, log });
    expect(() => tokens.check(token)).toThrow('a bug');
  });
});
