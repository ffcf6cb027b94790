/** Servers with public addresses in a network namespace: HTTP, HTTPS and a name server. Says `listening` on stderr. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NameServer, type Zone } from './name-server.ts';

const { FIRST = '', SECOND = '', FIRST_V6 = '', OWN = '' } = process.env;
/** The address of a router in front of the home. */
const ROUTER = '198.200.8.8';
const groups = (short: string): string => {
  const [head = '', tail = ''] = short.split('::');
  const left = head.split(':');
  const right = tail.split(':');
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right].join(':');
};

const ZONES: Readonly<Record<string, (count: number) => Zone>> = {
  'server.example': () => ({ records: [FIRST] }),
  'other.example': () => ({ records: [SECOND] }),
  'six.example': () => ({ records: [groups(FIRST_V6)] }),
  'own.example': () => ({ records: [OWN] }),
  'device.example': () => ({ records: [groups('2a0f:900:0:2::9')] }),
  'home.example': () => ({ records: ['192.168.0.1'] }),
  'mixed.example': () => ({ records: [FIRST, '10.9.0.2'] }),
  'mixed-six.example': () => ({ records: [FIRST, groups('fd00::1')] }),
  'turning.example': (count) => ({ records: [count === 1 ? FIRST : '10.9.0.2'] }),
  'turning-later.example': (count) => ({ records: [count === 1 ? FIRST : '10.9.0.2'] }),
  'house.example.org': () => ({ records: [ROUTER] }),
  'same-as-house.example': () => ({ records: [ROUTER] }),
  'hang.example': () => ({ fault: 'hang' }),
};

function answer(request: Request, address: string, isTls: boolean): Response {
  const url = new URL(request.url);
  if (url.pathname === '/again') return Response.redirect('/where', 302);
  if (url.pathname === '/to') return Response.redirect(url.searchParams.get('target') ?? '', 302);
  return new Response(`${address} ${request.headers.get('host')}${isTls ? ' tls' : ''}`);
}

const folder = mkdtempSync(join(tmpdir(), 'svc-public-peers-'));
const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
const made = Bun.spawnSync([
  ...[
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    '-subj',
    '/CN=another.example',
  ],
  ...['-keyout', key, '-out', cert],
]);
if (made.exitCode !== 0) throw new Error(made.stderr.toString());
const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
rmSync(folder, { recursive: true });

for (const hostname of [FIRST, SECOND, FIRST_V6])
  Bun.serve({ hostname, port: 80, fetch: (request) => answer(request, hostname, false) });
Bun.serve({ hostname: FIRST, port: 443, tls, fetch: (request) => answer(request, FIRST, true) });
await new NameServer((name, count) => ZONES[name]?.(count)).start(FIRST, 53);
process.stderr.write('listening\n');
