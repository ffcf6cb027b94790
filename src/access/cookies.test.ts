import { expect, test } from 'bun:test';
import { cookieValues, setCookie } from './cookies.ts';

test('cookies of other names and malformed ones are skipped; at most four of one name are tried', () => {
  const rows: [string | null, string[]][] = [
    [null, []],
    ['', []],
    ['svc_session', []],
    ['xsvc_session=a; svc_sessions=b', []],
    ['svc_session=a', ['a']],
    [' svc_session=a ;;=; svc_session=b', ['a', 'b']],
    ['svc_session=1;'.repeat(1000), ['1', '1', '1', '1']],
  ];
  for (const [cookie, secrets] of rows) expect(cookieValues(cookie, 'svc_session')).toEqual(secrets);
});

test('a cookie is bound to its address', () => {
  const cookie = { name: 'a', value: 'b', lifetimeMs: 60_500 };
  expect(setCookie({ ...cookie, url: 'http://tv.example/' })).toBe(
    'a=b; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
  );
  expect(setCookie({ ...cookie, url: 'https://tv.example/box/', lifetimeMs: 0 })).toBe(
    'a=b; Path=/box/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
  );
});
