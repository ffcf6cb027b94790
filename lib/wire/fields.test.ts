import { expect, test } from 'bun:test';
import { Type as t } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { optionalSchemasOf, schemasOf } from './field-schemas.ts';
import {
  choice,
  complete,
  defaultsOf,
  field,
  flag,
  integer,
  list,
  object,
  orNull,
  pick,
  text,
} from './fields.ts';

const THING = {
  name: field(text({ maxLength: 5, description: 'shown' }), '名前'),
  enabled: field(flag(), '使う', { fallback: true }),
  size: field(integer({ minimum: 1, maximum: 9 }), '大きさ', { fallback: 4 }),
  margin: field(orNull(integer({ minimum: 0, maximum: 100 }, 'ms'), 'null = the setting'), '余白'),
  colour: field(orNull(choice({ red: '赤', blue: '青' })), '色'),
  days: field(list(integer({ minimum: 0, maximum: 6 }), { maxItems: 3 }), '曜日'),
  places: field(list(choice({ title: '題', body: '本文' }), { maxItems: 2, uniqueItems: true }), '場所', {
    fallback: ['title', 'body'],
  }),
  parts: field(
    list(
      object({ one: integer({ minimum: 0, maximum: 3 }), two: orNull(integer({ minimum: 0, maximum: 3 })) }),
      {
        maxItems: 2,
      },
    ),
    '部分',
  ),
  until: field(orNull(integer({ minimum: 0, maximum: 1_000 }, 'endTime')), '終わり'),
} as const;
const REQUEST = t.Object(optionalSchemasOf(THING), { additionalProperties: false });

const DEFAULTS = {
  ...{ name: '', enabled: true, size: 4, margin: null, colour: null, days: [], places: ['title', 'body'] },
  ...{ parts: [], until: null },
};

test('absent fields have their defaults', () => {
  expect(complete(THING, {})).toEqual(DEFAULTS as ReturnType<typeof defaultsOf<typeof THING>>);
  expect(Value.Check(t.Object(schemasOf(THING)), defaultsOf(THING))).toBe(true);
  expect(Value.Check(t.Object(schemasOf(THING)), {})).toBe(false);
});

test('a request is completed: texts trimmed, no duplicates, every member of an object', () => {
  const sent = {
    name: ' 朝\u3000',
    enabled: false,
    days: [3, 1, 3],
    places: [],
    parts: [{ one: 2 }],
  } as const;
  expect(complete(THING, sent)).toMatchObject({
    ...{ name: '朝', enabled: false, size: 4, days: [3, 1], places: ['title', 'body'] },
    parts: [{ one: 2, two: null }],
  });
  expect(complete(THING, { margin: 0, size: 9 })).toMatchObject({ margin: 0, size: 9 });
});

test('an entity with more is reduced to the declared fields', () => {
  expect(pick({ size: THING.size }, { size: 3, other: 1 })).toEqual({ size: 3 });
});

test('requests are validated by the declared limits', () => {
  const good: unknown[] = [
    {},
    { name: '12345', size: 9, margin: null, colour: 'blue', until: 1_000 },
    { days: [0, 6, 6], places: ['body'], parts: [{ one: 0, two: null }, { one: 3 }] },
  ];
  const bad: unknown[] = [
    ...[{ name: '123456' }, { name: null }, { enabled: 1 }, { size: 0 }, { size: 1.5 }, { size: null }],
    ...[{ margin: -1 }, { margin: '1' }, { colour: 'green' }, { days: [7] }, { days: [1, 2, 3, 4] }],
    ...[{ places: ['body', 'body'] }, { parts: [{}] }, { parts: [{ one: 1, three: 1 }] }, { until: 1_001 }],
    { unknown: 1 },
  ];
  for (const body of good) expect([body, Value.Check(REQUEST, body)]).toEqual([body, true]);
  for (const body of bad) expect([body, Value.Check(REQUEST, body)]).toEqual([body, false]);
});

test('limits and descriptions are in the API description', () => {
  const { name, margin, places } = JSON.parse(JSON.stringify(REQUEST.properties));
  expect(name).toEqual({ maxLength: 5, description: 'shown', type: 'string' });
  expect(margin).toEqual({
    description: 'null = the setting',
    anyOf: [{ minimum: 0, maximum: 100, type: 'integer' }, { type: 'null' }],
  });
  expect(places).toEqual({
    ...{ maxItems: 2, uniqueItems: true, type: 'array' },
    items: {
      anyOf: [
        { const: 'title', type: 'string' },
        { const: 'body', type: 'string' },
      ],
    },
  });
});
