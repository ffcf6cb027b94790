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
  for (const [cookie, secrets] of rows)
    expect(cookieValues(cookie, 'svc_session', 'http://tv/')).toEqual(secrets);
});

test('a cookie is bound to its address', () => {
  const cookie = { name: 'a', value: 'b', lifetimeMs: 60_500 };
  expect(setCookie({ ...cookie, url: 'http://tv.example/' })).toBe(
    'a=b; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
  );
  expect(setCookie({ ...cookie, url: 'https://tv.example/box/', lifetimeMs: 0 })).toBe(
    '__Secure-a=b; Path=/box/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
  );
});

test('over https only a cookie is read that https set; at the root also only one that this host set', () => {
  const cookie = 'a=plain; __Secure-a=secure; __Host-a=host';
  expect(cookieValues(cookie, 'a', 'http://tv.example/')).toEqual(['plain']);
  expect(cookieValues(cookie, 'a', 'https://tv.example/box/')).toEqual(['secure']);
  expect(cookieValues(cookie, 'a', 'https://tv.example/')).toEqual(['host']);
  const written = setCookie({
    name: 'a',
    value: 'b',
    lifetimeMs: 1_000,
    url: 'https://tv.example/',
    sameSite: 'Strict',
  });
  expect(written).toBe('__Host-a=b; Path=/; Max-Age=1; HttpOnly; SameSite=Strict; Secure');
});
