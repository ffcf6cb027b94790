/** Requests built from malformed parts, as raw bytes: no error 500, no leak, no unauthorised access. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOME_STATION, StandInAgent, startTestService, type TestService } from '../service/harness.ts';
import { until } from '../until.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from './random.ts';

const seed = fuzzSeed();
const SECRET = 'outside of the folder';

let folder: string;
let agent: StandInAgent;
let home: TestService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-fuzz-'));
  mkdirSync(join(folder, 'web', 'fonts'), { recursive: true });
  writeFileSync(join(folder, 'web', 'index.html'), '<base href="./">');
  writeFileSync(join(folder, 'web', 'fonts', 'a.woff2'), 'x');
  writeFileSync(join(folder, 'secret'), SECRET);
  agent = new StandInAgent();
  agent.start();
  home = await startTestService({
    environment: { TUNER_AGENT_URL: agent.url, TRUSTED_PROXIES: '127.0.0.1' },
    webDir: join(folder, 'web'),
  });
  await until(async () => (await (await fetch(`${home.url}/api/services`)).text()).includes('api/services'));
});

afterAll(async () => {
  await home.close();
  await agent.stop();
  rmSync(folder, { recursive: true });
});

const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const STEPS = [
  ...['..', '.', '', '~', '%2e', '%2e%2e', '%2f', '%5c', '\\', '%00', '%', '%zz', '%c0%af', '%ff', '%252e'],
  ...[
    'api',
    'services',
    'live',
    'events',
    'health',
    'openapi.json',
    'secret',
    'fonts',
    'a.woff2',
    'index.html',
  ],
  ...['login', 'guide', '__proto__', 'constructor', '[0]', '+', '*', ':', '@', ';x', 'あ', 'a'.repeat(300)],
  String(HOME_STATION),
];
const QUERIES = [
  '',
  '',
  '?',
  '?codec=raw',
  '?codec=',
  '?codec=%zz',
  '?audio=only',
  '?codec=raw&codec=av1',
  '?=&&=',
  '?__proto__=1',
];
/** Each is omitted as often as it is sent. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'Content-Type': ['application/json', 'text/plain', ';', 'application/json;'],
  'X-Forwarded-For': [
    '203.0.113.5',
    ',',
    '::',
    '::ffff:203.0.113.5%x',
    '[',
    '203.0.113.5, garbage',
    '1'.repeat(3000),
  ],
  'X-Forwarded-Prefix': ['/a', '//', '/a/../b', '/a"', '/$&', '/%2e'],
  Authorization: ['Bearer', 'Bearer svc_', 'Bearer  ', 'Basic x'],
  'If-None-Match': ['*', '"', 'W/', ',,,'],
  Accept: ['text/html', '*/*'],
  'Accept-Encoding': ['gzip', 'gzip;q=0', '*'],
  Cookie: ['%zz', '=', 'a=%', '__proto__=1'],
  'Content-Length': ['0', '3', '2000000', '-1', '1e3'],
};
const HOSTS = ['localhost', '127.0.0.1:1', '[::1]', 'x', 'あ', 'a/b', '?', '%', '', 'x,y', 'x@y'];

interface Made {
  path: string;
  outside: boolean;
  text: string;
}

function request(random: Random): Made {
  const path = `/${Array.from({ length: random.below(6) }, () => random.pick(STEPS)).join('/')}`;
  const lines = [`Host: ${random.pick(HOSTS)}`, 'Connection: close'];
  let outside = false;
  for (const [name, values] of Object.entries(HEADERS)) {
    if (random.below(2) === 0) continue;
    const value = random.pick(values);
    if (name === 'X-Forwarded-For' && value === '203.0.113.5') outside = true;
    lines.push(`${name}: ${value}`);
  }
  const head = `${random.pick(METHODS)} ${path}${random.pick(QUERIES)} HTTP/1.1`;
  return { path, outside, text: `${[head, ...lines].join('\r\n')}\r\n\r\nabc` };
}

/** The response up to the first part of the body, or everything received until the connection ends. */
function answer(text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(home.service.port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      // The server waits for an announced body; the response has arrived by then or never will.
      if (received.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
}

test(
  `unusual requests get a regular response (FUZZ_SEED=${seed})`,
  async () => {
    const random = new Random(seed);
    const seen = new Set<string>();
    for (let round = fuzzRounds(1500); round > 0; round -= 1) {
      const { path, outside, text } = request(random);
      const received = await answer(text);
      const status = received.slice(9, 12);
      seen.add(status);
      expect([text, status]).toEqual([text, expect.stringMatching(/^(?:200|302|303|304|308|4\d\d|503)$/)]);
      expect(received).not.toContain(SECRET);
      if (outside && !/health|login/.test(path))
        expect([text, status]).toEqual([text, expect.stringMatching(/^4/)]);
    }
    expect([...seen]).toEqual(expect.arrayContaining(['200', '400', '401', '403', '404', '405']));
    expect(home.lines.filter((line) => line.startsWith('ERROR'))).toEqual([]);
  },
  FUZZ_TIMEOUT,
);
