/**
 * Validates the service against its OpenAPI description: every route is requested, with valid and invalid
 * input, over a home with programmes, rules, reservations and recordings in every state, and every response
 * must match. `describedFetch` validates the responses of the other tests in the same way.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Bookings, OTHER_STATION } from './bookings.ts';
import { Description, describedFetch, type Operation } from './description.ts';
import { HOME_STATION } from './harness.ts';
import { schemaMismatches } from './json-schema.ts';
import { putRecording } from './recording-rows.ts';

const HOUR = 3_600_000;

let home: Bookings;
let description: Description;
/** Existing ids by kind, for addresses. */
let ids: Record<'reservations' | 'rules' | 'recordings' | 'programs' | 'services', number[]>;

beforeAll(async () => {
  home = await Bookings.start();
  description = await Description.of(home.home.url);
  ids = await fillHome();
});

afterAll(() => home.close());

async function reserved(programId: number): Promise<number> {
  return (await home.json<{ id: number }>('POST', '/api/reservations', { programId })).id;
}

/** Adds items in every state that lists know. */
async function fillHome(): Promise<typeof ids> {
  const programs = [
    home.program('灯台の朝[字]', 60),
    home.program('港の朝', 70, { station: OTHER_STATION }),
    home.program('港の朝[再]', 300, { station: OTHER_STATION }),
    home.program('映画', 500, { copyNever: true }),
    home.program('星の港', 600),
  ];
  const rule = { keyword: '映画|星', genres: [], weekdays: [0, 1, 2, 3, 4, 5, 6], keepNewest: 3 };
  const rules = [(await home.json<{ id: number }>('POST', '/api/rules', rule)).id];
  const [won = 0, lost = 0, gone = 0] = programs;
  const reservations = [await reserved(won), await reserved(lost), await reserved(gone)];
  expect((await home.ask('DELETE', `/api/reservations/${reservations[2]}`)).status).toBe(204);
  const states = (await home.reservations()).map(({ state }) => state).sort();
  expect(states).toEqual(['conflict', 'scheduled', 'scheduled', 'skipped']);
  return { programs, rules, reservations, recordings: addRecordings(), services: [HOME_STATION] };
}

function addRecordings(): number[] {
  const folder = join(home.home.folder, 'recordings');
  const verdict = {
    level: 'damaged' as const,
    drops: 3,
    gaps: [{ startMs: -5, endMs: 900, cause: 'stalled' as const }],
    headMs: 10,
    tailMs: -4,
  };
  const rows = [
    {
      genres: [{ lv1: 3, lv2: 0 }],
      verdict,
      series: { name: '灯台', episode: '#3' },
      bytes: 5,
      resumeMs: 40_000,
    },
    { state: 'failed' as const, reason: '受信できませんでした', content: null },
    { state: 'recording' as const },
    { binnedAt: Date.now() },
    { watchedAt: 5, protected: true },
  ];
  return rows.map((row, index) => {
    const startAt = Date.now() - (10 - index) * HOUR;
    const texts = { station: HOME_STATION, serviceName: '試験テレビ', name: `番組${index}[字]` };
    return putRecording(home.database, { ...texts, startAt, endAt: startAt + HOUR, ...row }, folder);
  });
}

/** URLs of a route: with existing ids, unknown ids and values that are not numbers. */
function addresses(template: string): string[] {
  if (!template.includes('{id}')) return [template];
  const kind = template.split('/')[2] as keyof typeof ids;
  return [...(ids[kind] ?? []), 0, 999_999_999, '9'.repeat(15), '9'.repeat(400), -1, 'x', '1.5', '%20'].map(
    (id) => template.replace('{id}', String(id)),
  );
}

const ENDLESS = ['/api/events', '/api/services/{id}/live'];

/** Valid and invalid values for a parameter of the description. */
function queries({ parameters = [] }: Operation): string[] {
  const named = parameters.filter((parameter) => parameter.in === 'query');
  return named.flatMap(({ name, schema = {} }) => {
    const words = (schema.enum as unknown[] | undefined) ?? [];
    const tried = [
      ...words,
      '',
      '0',
      '1',
      '-1',
      '1.5',
      'x',
      '9'.repeat(9),
      '9'.repeat(15),
      '9'.repeat(40),
      'ん'.repeat(101),
    ];
    return tried.map((value) => `?${name}=${encodeURIComponent(String(value))}`);
  });
}

/** Whether the description allows a query that was answered with 200. */
function allowed({ parameters = [] }: Operation, query: string): boolean {
  return [...new URLSearchParams(query)].every(([name, value]) => {
    const schema = parameters.find((one) => one.in === 'query' && one.name === name)?.schema;
    return schema === undefined || schemaMismatches(schema, value, description.document).length === 0;
  });
}

const BODIES = ['', '{', 'null', '[]', '5', '""', '{}', '{"nonsense":1}', '{"__proto__":1}'];
const OUTSIDE = 'Bearer svc_nobody';

describe('every response matches the API description', () => {
  test('reads with valid and invalid input', async () => {
    let answers = 0;
    for (const [template, method, operation] of description.operations()) {
      if (method !== 'GET' || ENDLESS.includes(template)) continue;
      for (const path of addresses(template)) {
        for (const query of ['', ...queries(operation)]) {
          const response = await describedFetch(home.home.url, path + query);
          if (response.status === 200)
            expect([path, query, allowed(operation, query)]).toEqual([path, query, true]);
          answers += 1;
          await response.body?.cancel();
        }
      }
    }
    expect(answers).toBeGreaterThan(500);
  });

  test('HEAD, and unchanged resources', async () => {
    for (const [template, method, { responses }] of description.operations()) {
      if (method !== 'GET' || ENDLESS.includes(template)) continue;
      for (const path of addresses(template)) {
        const full = await describedFetch(home.home.url, path);
        await full.body?.cancel();
        const head = await describedFetch(home.home.url, path, { method: 'HEAD' });
        expect([path, head.status, head.headers.get('content-type')]).toEqual([
          path,
          full.status,
          full.headers.get('content-type'),
        ]);
        // A cache must not store what is forbidden.
        const keeping = full.headers.get('cache-control');
        expect([path, keeping]).toEqual([path, expect.stringMatching(/no-store|private|no-cache/)]);
        const etag = full.headers.get('etag');
        if (full.status !== 200 || responses[304] === undefined) continue;
        // Free space changes by itself, and recordings in progress have no ETag.
        if (path === '/api/storage' || path.endsWith('/file')) continue;
        if (etag === null) throw new Error(`${path} carries no ETag`);
        const again = await describedFetch(home.home.url, path, { headers: { 'if-none-match': etag } });
        expect([path, again.status, again.headers.get('etag')]).toEqual([path, 304, etag]);
      }
    }
  });

  test('requests without access', async () => {
    let open = 0;
    for (const [template, method, { security }] of description.operations()) {
      const [path = template] = addresses(template);
      const headers = { authorization: OUTSIDE, 'content-type': 'application/json' };
      const response = await describedFetch(home.home.url, path, { method, headers });
      // The socket is authorised by its ticket, and only accepts the handshake of a WebSocket.
      const isOpen = security?.length === 0 || path === '/api/live/socket';
      if (isOpen) open += 1;
      expect([method, path, response.status === 401]).toEqual([method, path, !isOpen]);
    }
    expect(open).toBeGreaterThan(3);
  });

  test('writes with invalid bodies, and without JSON', async () => {
    for (const [template, method, { requestBody }] of description.operations()) {
      if (method === 'GET') continue;
      // On other routes the body is not validated, so the action would be performed.
      const tried = requestBody === undefined ? [] : BODIES;
      for (const path of addresses(template)) {
        const bare = await describedFetch(home.home.url, path, {
          method,
          headers: { 'content-type': 'text/plain' },
        });
        expect([method, path, bare.status]).toEqual([method, path, 403]);
        for (const body of tried) {
          const response = await fetch(`${home.home.url}${path}`, {
            method,
            headers: { 'content-type': 'application/json' },
            body,
          });
          const { status, headers } = response;
          const text = await response.text();
          const wrong = description.wrong({ method, path, status, headers, body: text });
          expect([method, path, body, wrong]).toEqual([method, path, body, []]);
          if (status < 300) continue;
          const { message } = JSON.parse(text) as { message: string };
          // In Japanese, and with the name of the field.
          expect([path, body, message]).toEqual([
            path,
            body,
            expect.stringMatching(/[ぁ-んァ-ヶ一-龠].*。$/s),
          ]);
          expect(message).not.toContain('「」');
        }
      }
    }
  });
});

test('an excessively nested body is refused at once', async () => {
  const deep = `${'['.repeat(80_000)}${']'.repeat(80_000)}`;
  const bodies = [
    deep,
    `{"types":${deep},"at":${deep},"watched":${deep},"protected":${deep},"keyword":${deep}}`,
  ];
  for (const [template, method, { requestBody }] of description.operations()) {
    if (requestBody === undefined) continue;
    for (const body of bodies) {
      const [path = template] = addresses(template);
      const headers = { 'content-type': 'application/json', origin: home.home.url };
      // The framework's own validation takes minutes.
      const signal = AbortSignal.timeout(10_000);
      const { status } = await fetch(`${home.home.url}${path}`, { method, headers, body, signal });
      // Some routes look up the id first; a client without credentials may only send a small body.
      expect([method, path, [400, 404, 413].includes(status)]).toEqual([method, path, true]);
    }
  }
});

test('only JSON is described as accepted, and only JSON is accepted', () => {
  for (const [path, method, { requestBody }] of description.operations()) {
    // Forwards what documents send; it needs an own Origin.
    if (requestBody === undefined || path === '/api/bml/post') continue;
    expect([method, path, Object.keys(requestBody.content)]).toEqual([method, path, ['application/json']]);
  }
});

test('parameters of a query are described as the text that they are', () => {
  const others = description
    .operations()
    .flatMap(([path, method, { parameters = [] }]) =>
      parameters
        .filter(
          (one) => one.in === 'query' && one.schema?.type !== 'string' && one.schema?.enum === undefined,
        )
        .map(({ name }) => `${method} ${path} ${name}`),
    );
  // A schema for a number refuses every value.
  expect(others).toEqual([]);
});

test('nullable fields say so in their description', () => {
  const found = description.find('GET', '/api/search')?.responses[200]?.content?.['application/json']?.schema;
  const empty = { more: false, rows: [] };
  const row = { id: 1, name: '', service_name: '', start_at: 0, end_at: 1 };
  const answer = (state: unknown) => ({
    ...{ q: '', recordings: empty, reservations: empty, rules: empty },
    programs: { more: false, rows: [{ ...row, reservation_state: state }] },
  });
  expect(schemaMismatches(found ?? {}, answer(null))).toEqual([]);
  expect(schemaMismatches(found ?? {}, answer('scheduled'))).toEqual([]);
  expect(schemaMismatches(found ?? {}, answer('nonsense'))).toHaveLength(1);
});
