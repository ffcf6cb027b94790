import { expect, test } from 'bun:test';
import type { ControlledApplication } from '../../lib/arib/application/application.ts';
import { Boundary, findApplication, isStopped } from './find-application.ts';

const one = (more: Partial<ControlledApplication> = {}): ControlledApplication => ({
  ...{ organizationId: 1, applicationId: 2, control: 'autostart', name: null, url: 'http://a.example/' },
  ...{ boundaries: [], autostartPriority: null },
  ...more,
});
const xml = (control: string, appId = 2): string =>
  `<x><Application><orgId>1</orgId><appId>${appId}</appId><controlCode>${control}</controlCode><URLBase>http://x.example/</URLBase></Application></x>`;
const START = { organisation: undefined, application: undefined, aitUrl: undefined };
const URL = 'http://x.example/ait.xml';

function getting(body: string, status = 200) {
  return async () => ({
    ...{ status, type: undefined, url: URL, isStorable: true },
    bytes: new TextEncoder().encode(body) as Uint8Array<ArrayBuffer>,
  });
}
const nothing = async () => 'unreachable' as const;

test('of the station: by ids, else the one with the highest priority', async () => {
  const first = one({ applicationId: 1, autostartPriority: 1 });
  const second = one({ applicationId: 2, autostartPriority: 9 });
  const present = one({ applicationId: 3, control: 'present', autostartPriority: 99 });
  const listed = [present, first, second];
  expect(await findApplication(START, listed, nothing)).toEqual({ application: second, isSignalled: true });
  expect(await findApplication({ ...START, organisation: 1, application: 3 }, listed, nothing)).toEqual({
    application: present,
    isSignalled: true,
  });
  expect(await findApplication({ ...START, organisation: 2, application: 3 }, listed, nothing)).toBe(
    'unlisted',
  );
  expect(await findApplication(START, undefined, nothing)).toBe('missing');
  expect(await findApplication(START, [one({ url: null })], nothing)).toBe('unlisted');
});

test('of an XML AIT, unless the station says that it may not run', async () => {
  const start = { organisation: 1, application: 2, aitUrl: URL };
  expect(await findApplication(start, undefined, getting(xml('AUTOSTART')))).toMatchObject({
    application: { url: 'http://x.example/' },
    isSignalled: false,
  });
  // Of another station.
  expect(await findApplication(start, undefined, getting(xml('AUTOSTART', 3)))).toBe('unlisted');
  expect(await findApplication(start, undefined, getting(xml('KILL')))).toBe('stopped');
  expect(await findApplication(start, [one({ control: 'kill' })], getting(xml('AUTOSTART')))).toBe('stopped');
  expect(await findApplication(start, undefined, getting('<html/>'))).toBe('missing');
  expect(await findApplication(start, undefined, getting(xml('AUTOSTART'), 404))).toBe('missing');
  expect(await findApplication(start, undefined, nothing)).toBe('unreachable');
});

test('an application is stopped by its code, and a signalled one by its absence', () => {
  expect(isStopped([one()], one(), true)).toBe(false);
  expect(isStopped([one({ control: 'destroy' })], one(), false)).toBe(true);
  expect(isStopped([], one(), true)).toBe(true);
  expect(isStopped([], one(), false)).toBe(false);
});

const ENTRY = 'http://a.example/app/index.html';
const bounded = (...boundaries: { bitmaps: number[] | null; urls: string[] }[]) =>
  new Boundary({ boundaries, url: ENTRY });
const allowed = (boundary: Boundary, ...urls: string[]) => urls.map((url) => boundary.allowed(url)?.href);

test('without a boundary in the AIT it is the origin of the first document', () => {
  expect(
    allowed(
      bounded(),
      'http://a.example/x#y',
      'https://a.example/x',
      'http://a.example:8080/',
      'http://b.example/',
    ),
  ).toEqual(['http://a.example/x', undefined, undefined, undefined]);
  expect(
    allowed(bounded({ bitmaps: [0xffff], urls: [] }), 'http://a.example/x', 'http://b.example/'),
  ).toEqual(['http://a.example/x', undefined]);
});

test('a prefix is an origin and whole segments of a path', () => {
  const boundary = bounded({ bitmaps: null, urls: ['http://a.example/app/', 'https://c.example/x'] });
  expect(
    allowed(
      boundary,
      'http://a.example/app/y?z',
      'http://a.example/application/',
      'http://a.example/',
      'https://c.example/x',
      'https://c.example/x/y',
      'https://c.example/xy',
      'http://a.example.evil.example/app/',
      'http://a.example/app/../other',
      'http://a.example/app/%2e%2e/other',
    ),
  ).toEqual([
    'http://a.example/app/y?z',
    undefined,
    undefined,
    'https://c.example/x',
    'https://c.example/x/y',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('credentials, other schemes and what is no address are never allowed', () => {
  const boundary = bounded({ bitmaps: null, urls: ['http://a.example/'] });
  for (const url of [
    ...['http://user@a.example/', 'http://user:pass@a.example/', 'ftp://a.example/', 'file:///etc/passwd'],
    ...['javascript:alert(1)', 'data:text/html,x', 'blob:http://a.example/x', '//a.example/', 'http://', ''],
  ])
    expect(boundary.allowed(url)).toBeUndefined();
  expect(bounded({ bitmaps: [1], urls: ['nonsense'] }).allowed(ENTRY)).toBeUndefined();
});

test('the bits of the bitmap whose prefix the document has', () => {
  const boundary = bounded(
    { bitmaps: [1 << 12], urls: ['http://a.example/app/'] },
    { bitmaps: [1 << 10], urls: ['http://a.example/news/'] },
    { bitmaps: null, urls: ['http://cdn.example/'] },
  );
  expect(boundary.permits(ENTRY, 'broadcast')).toBe(true);
  expect(boundary.permits(ENTRY, 'currentEvent')).toBe(false);
  expect(boundary.permits('http://a.example/news/1', 'currentEvent')).toBe(true);
  expect(boundary.permits('http://cdn.example/1', 'broadcast')).toBe(false);
  expect(boundary.permits('http://b.example/', 'broadcast')).toBe(false);
});

test('bitmap 0 permits nothing, no bitmap what the receiver has', () => {
  const permissions = ['broadcast', 'overPicture', 'currentEvent', 'storage', 'confirmNetwork'] as const;
  const zero = bounded({ bitmaps: [0], urls: [] });
  const empty = bounded({ bitmaps: [], urls: [] });
  for (const permission of permissions) {
    expect(zero.permits(ENTRY, permission)).toBe(false);
    expect(empty.permits(ENTRY, permission)).toBe(false);
    expect(bounded().permits(ENTRY, permission)).toBe(true);
  }
});

test('hosts', () => {
  expect(bounded().allowsHost('A.example')).toBe(true);
  expect(bounded().allowsHost('b.example')).toBe(false);
  expect(bounded({ bitmaps: null, urls: ['http://c.example/x/'] }).allowsHost('c.example')).toBe(true);
  expect(bounded({ bitmaps: null, urls: ['http://c.example/x/'] }).allowsHost('a.example')).toBe(false);
});
