import { expect, test } from 'bun:test';
import { ConfigError, EnvironmentReader } from './environment.ts';

test('unset and empty variables have their defaults', () => {
  const reader = new EnvironmentReader({ EMPTY: ' ' });
  expect(reader.string('EMPTY', 'a')).toBe('a');
  expect(reader.integer('PORT', 25250, { min: 0, max: 65535 })).toBe(25250);
  expect(reader.url('URL', 'http://127.0.0.1:1')).toBe('http://127.0.0.1:1');
  reader.finish();
});

test('values are parsed by type', () => {
  const reader = new EnvironmentReader({
    PORT: '80',
    LEVEL: 'warn',
    URL: 'http://tuner:25252/',
    LIST: 'a,b',
  });
  expect(reader.integer('PORT', 1, { min: 0, max: 65535 })).toBe(80);
  expect(reader.oneOf('LEVEL', ['info', 'warn'], 'info')).toBe('warn');
  expect(reader.url('URL', '')).toBe('http://tuner:25252');
  expect(reader.parsed('LIST', [''], (text) => text.split(','))).toEqual(['a', 'b']);
  reader.finish();
});

test('a URL that may contain a secret is refused without printing it', () => {
  for (const url of [
    'http://me:word@tuner',
    'http://word@tuner',
    'http://tuner/?key=word',
    'http://tuner/#word',
  ]) {
    const reader = new EnvironmentReader({ URL: url });
    reader.url('URL', '');
    const problem = expect.not.stringContaining('word@');
    expect(() => reader.finish()).toThrow(ConfigError);
    try {
      reader.finish();
    } catch (error) {
      expect((error as Error).message).toEqual(problem);
    }
  }
});

test('all invalid variables are reported at once', () => {
  const reader = new EnvironmentReader({
    PORT: '80a',
    BIG: '70000',
    LEVEL: 'loud',
    URL: 'ftp://x',
    LIST: 'x',
  });
  reader.integer('PORT', 1, { min: 0, max: 65535 });
  reader.integer('BIG', 1, { min: 0, max: 65535 });
  reader.oneOf('LEVEL', ['info'], 'info');
  reader.url('URL', '');
  reader.parsed('LIST', 0, () => {
    throw new Error('no list');
  });
  try {
    reader.finish();
    throw new Error('accepted');
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const named = (error as ConfigError).problems.map((problem) => problem.split(':')[0]);
    expect(named).toEqual(['PORT', 'BIG', 'LEVEL', 'URL', 'LIST']);
  }
});
