import { describe, expect, test } from 'bun:test';
import { type TSchema, Type as t } from '@sinclair/typebox';
import { findMismatch } from './schema-mismatch.ts';

const BODY = t.Object(
  {
    id: t.Integer({ minimum: 1, maximum: 9 }),
    margin: t.Optional(t.Union([t.Integer({ minimum: 0, maximum: 600 }), t.Null()])),
    encode: t.Optional(t.Union([t.Union([t.Literal('av1'), t.Literal('none')]), t.Null()])),
    word: t.Optional(t.String({ maxLength: 3 })),
    folder: t.Optional(t.String({ pattern: '^/' })),
    language: t.Optional(t.String({ pattern: '^[1-8]$' })),
    limit: t.Optional(t.String({ pattern: '^[0-9]{1,15}$' })),
    keep: t.Optional(t.Boolean()),
    list: t.Optional(t.Array(t.Integer({ minimum: 0 }), { maxItems: 2, uniqueItems: true })),
    at: t.Optional(t.Number({ minimum: 0 })),
    genre: t.Optional(t.Object({ lv1: t.Integer() })),
  },
  { additionalProperties: false },
);

function message(value: object, schema: TSchema = BODY): [string | undefined, string | undefined] {
  const found = findMismatch(schema, { id: 1, ...value }, '予約の');
  return [found?.path, found?.message];
}

describe('a value that does not match its schema is described in words', () => {
  test('with its field and the permitted values', () => {
    const wrong = (field: string, what: string): [string, string] => [
      field,
      `予約の「${field}」の値が正しくありません。${what}を指定してください。`,
    ];
    expect(message({ id: '5' })).toEqual(wrong('id', '1 から 9 までの整数'));
    expect(message({ id: 10 })).toEqual(wrong('id', '1 から 9 までの整数'));
    expect(message({ margin: -1 })).toEqual(wrong('margin', '0 から 600 までの整数、null のいずれか'));
    expect(message({ encode: 'mp3' })).toEqual(wrong('encode', '"av1"、"none"、null のいずれか'));
    expect(message({ word: 'long' })).toEqual(wrong('word', '3 文字までの文字列'));
    expect(message({ folder: 'x' })).toEqual(wrong('folder', '正しい形の文字列'));
    expect(message({ language: '9' })).toEqual(wrong('language', '1 から 8 までの整数'));
    expect(message({ limit: '-1' })).toEqual(wrong('limit', '15 桁までの 0 以上の整数'));
    expect(message({ keep: 1 })).toEqual(wrong('keep', 'true か false '));
    expect(message({ list: [1, 1] })).toEqual(wrong('list', '2 件までの重複のない配列'));
    expect(message({ list: [-1] })).toEqual(wrong('list.0', '0 以上の整数'));
    expect(message({ at: 'x' })).toEqual(wrong('at', '0 以上の数'));
    expect(message({ genre: 5 })).toEqual(wrong('genre', 'オブジェクト'));
    expect(message({ genre: {} })).toEqual([
      'genre.lv1',
      '予約の「genre.lv1」がありません。整数を指定してください。',
    ]);
  });

  test('with an unknown field name of any length', () => {
    expect(message({ margins: 1 })).toEqual([
      'margins',
      '予約の「margins」という項目はありません。名前を確認してください。',
    ]);
    expect(message({ ['x'.repeat(1000)]: 1 })[0]).toHaveLength(64);
  });

  test('where it is no object', () => {
    for (const value of [undefined, null, 5, '', []]) {
      expect(findMismatch(BODY, value)?.path).toBe('');
      expect(findMismatch(BODY, value)?.message).toBe('送信データは JSON のオブジェクトにしてください。');
    }
  });

  test('of one of several kinds', () => {
    const named = { name: t.String({ maxLength: 3 }) };
    const kinds = t.Union([
      t.Object({ kind: t.Literal('webhook'), ...named, url: t.String() }),
      t.Object({ kind: t.Literal('push'), ...named, key: t.Integer() }),
    ]);
    const path = (value: unknown) => findMismatch(kinds, value)?.path;
    expect(path({ kind: 'webhook', name: 'x' })).toBe('url');
    expect(path({ kind: 'push', name: 'long', key: 1 })).toBe('name');
    expect(path({ kind: 'push', name: 'x' })).toBe('key');
    expect(path({})).toBe('kind');
    expect(findMismatch(kinds, { kind: 'sms', name: 'x', url: '' })?.message).toBe(
      '「kind」の値が正しくありません。"webhook"、"push" のいずれかを指定してください。',
    );
    expect(path([])).toBe('');
    expect(findMismatch(kinds, 5)?.message).toBe('送信データは JSON のオブジェクトにしてください。');
    expect(findMismatch(kinds, { kind: 'push', name: 'x', key: 1 })).toBeUndefined();
  });

  test('a matching value is no mismatch', () => {
    expect(findMismatch(BODY, { id: 1, encode: null })).toBeUndefined();
  });
});
