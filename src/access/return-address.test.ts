import { expect, test } from 'bun:test';
import { returnAddress } from './return-address.ts';

const BASE = 'https://tv.example/box/';

const rows: [what: string, to: string | null, address: string][] = [
  ['nothing', null, BASE],
  ['the home screen', '', BASE],
  ['a screen with its question', 'recordings?q=a#x', `${BASE}recordings?q=a#x`],
  ['an address of its own', `${BASE}guide`, `${BASE}guide`],
  ['another host', 'https://evil.example/', BASE],
  ['another host, in short', '//evil.example/', BASE],
  ['another host behind the root', '/box//evil.example', BASE],
  ['another host by a backslash', '\\\\evil.example', BASE],
  ['another scheme', 'javascript:alert(1)', BASE],
  ['another port', 'https://tv.example:444/box/', BASE],
  ['above the prefix', '../other', BASE],
  ['another path of the host', '/other', BASE],
  ['a name and a password', 'https://a:b@tv.example/box/guide', BASE],
  ['a name alone', 'https://a@tv.example/box/guide', BASE],
  ['what is no address', 'https://[', BASE],
  ['the login, which would be a loop', 'login?to=guide', BASE],
  ['the logout', 'logout', BASE],
  ['what only begins so', 'logins', `${BASE}logins`],
  ['the pairing page, which then asks', 'device?code=AB', `${BASE}device?code=AB&confirm=1`],
  ['the same with a slash', 'device/?code=AB&confirm=', `${BASE}device/?code=AB&confirm=1`],
  ['the longest', `x${'y'.repeat(1_023)}`, `${BASE}x${'y'.repeat(1_023)}`],
  ['what is too long', `x${'y'.repeat(1_024)}`, BASE],
];
for (const [what, to, address] of rows) test(what, () => expect(returnAddress(to, BASE)).toBe(address));
