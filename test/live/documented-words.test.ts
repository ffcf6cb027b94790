/** `docs/live-socket.md` lists every word of the live socket that a client can meet or send. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiveMessageSchema, LiveRequestSchema } from '../../lib/wire/live.ts';

const TEXT = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'live-socket.md'), 'utf8');

/** Every literal string in a JSON Schema, and the names of its properties. */
function wordsIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(wordsIn);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'const') return typeof value === 'string' ? [value] : [];
    if (key === 'description') return [];
    return wordsIn(value);
  });
}

test('every type, code and fault of its messages is explained', () => {
  const words = new Set(wordsIn(JSON.parse(JSON.stringify([LiveRequestSchema, LiveMessageSchema]))));
  // Sides of Audio options belong to the description of stations.
  for (const side of ['both', 'main', 'sub']) words.delete(side);
  expect(words.size).toBeGreaterThan(30);
  const missing = [...words].filter((word) => !TEXT.includes(`\`${word}\``) && !TEXT.includes(`"${word}"`));
  expect(missing).toEqual([]);
});
