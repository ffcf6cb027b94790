import { expect, test } from 'bun:test';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { MessageGate } from './application-frame.ts';

const IDS = { organisation: 17, application: 34 };
const gate = () => new MessageGate('nonce', IDS);
const at = (ms: number) => ms as MonotonicMs;
const envelope = (message: unknown, more: object = {}) => ({ nonce: 'nonce', ...IDS, message, ...more });

test('messages of the frame, with its nonce and the ids of its application', () => {
  const own = gate();
  expect(own.take(true, envelope({ kind: 'pong' }), at(0))).toEqual({ kind: 'pong' });
  expect(own.take(false, envelope({ kind: 'pong' }), at(0))).toBe('foreign');
  expect(own.take(true, envelope({ kind: 'pong' }, { nonce: 'other' }), at(0))).toBe('refused');
  expect(own.take(true, envelope({ kind: 'pong' }, { application: 35 }), at(0))).toBe('refused');
  expect(own.take(true, envelope({ kind: 'pong' }, { organisation: '17' }), at(0))).toBe('refused');
});

test.each([
  [null, 1, 'text', [], {}, { kind: 'unknown' }, { kind: 'fetch', id: -1, url: 'http://a/' }],
  [
    { kind: 'fetch', id: 1, url: 'x'.repeat(5000) },
    { kind: 'fetch', id: 1, url: 'x', body: { type: 'multipart/form-data', text: '' } },
    { kind: 'fetch', id: 1, url: 'x', body: { type: 'text/plain', text: 'x'.repeat(70_000) } },
    { kind: 'video', rectangle: { left: 0, top: 0, width: Number.POSITIVE_INFINITY, height: 1 } },
    { kind: 'video', rectangle: 'all' },
  ],
  [
    { kind: 'keySet', keySet: 1.5 },
    { kind: 'viewport', width: 1 },
    { kind: 'store', key: 1, value: 'x' },
    { kind: 'store', key: 'x', value: 'x'.repeat(300_000) },
    { kind: 'replace' },
    { kind: 'replace', ids: { organisation: 1, application: 70_000 } },
    { kind: 'confirm', id: 1, host: 'x'.repeat(300) },
  ],
])('messages of another form are refused (%#)', (...messages) => {
  for (const message of messages) expect(gate().take(true, envelope(message), at(0))).toBe('refused');
});

test('what is read is copied field by field', () => {
  const message = {
    kind: 'fetch',
    id: 1,
    url: 'http://a/',
    body: { type: 'TEXT/plain; x', text: 'y' },
    extra: 1,
  };
  expect(gate().take(true, envelope(message), at(0))).toEqual({
    kind: 'fetch',
    id: 1,
    url: 'http://a/',
    body: { type: 'text/plain', text: 'y' },
  });
});

test('more than 500 in a second, or 50 that are refused, are a flood', () => {
  const busy = gate();
  for (let count = 0; count < 500; count++)
    expect(busy.take(true, envelope({ kind: 'pong' }), at(0))).not.toBe('flood');
  expect(busy.take(true, envelope({ kind: 'pong' }), at(999))).toBe('flood');
  expect(busy.take(true, envelope({ kind: 'pong' }), at(1000))).toEqual({ kind: 'pong' });
  const wrong = gate();
  for (let count = 0; count < 50; count++) expect(wrong.take(true, 'x', at(count * 1000))).toBe('refused');
  expect(wrong.take(true, 'x', at(60_000))).toBe('flood');
});
