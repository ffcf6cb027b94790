import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  ConfigError,
  childEnvironment,
  EnvironmentReader,
  parseEnvironmentFile,
  withEnvironmentFile,
} from './environment.ts';

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

test('children get what programs need, and none of our configuration', () => {
  const passed = {
    ...{ PATH: '/usr/bin', HOME: '/root', LANG: 'C', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
    ...{ LIBVA_DRIVER_NAME: 'iHD', CUDA_VISIBLE_DEVICES: '0', FFMPEG_PATH: '/opt/ffmpeg' },
  };
  const kept = {
    ...{
      OIDC_CLIENT_SECRET: 's',
      OIDC_ISSUER: 'i',
      DATA_DIR: '/d',
      TRUSTED_NETWORKS: '::/0',
      CARD_URL: 'http://c',
    },
    ...{
      NOTIFY_COMMAND: 'n',
      CREDENTIALS_DIRECTORY: '/run',
      AWS_SECRET_ACCESS_KEY: 'k',
      path: 'p',
      XPATH: 'x',
    },
    UNSET: undefined,
  };
  expect(childEnvironment({ ...passed, ...kept })).toEqual(passed);
});

const folder = mkdtempSync(join(tmpdir(), 'svc-unit-environment-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('parseEnvironmentFile', () => {
  test.each<[string, Record<string, string>]>([
    ['PORT=80\nHOST=::1\n', { PORT: '80', HOST: '::1' }],
    ['# PORT=80\n; HOST=::1\n\nLOG_LEVEL=debug', { LOG_LEVEL: 'debug' }],
    ['  DATA_DIR = /mnt/a b \r\n', { DATA_DIR: '/mnt/a b' }],
    ['A="two words" \nB=\'$one\'\nC="a \\"b\\""', { A: 'two words', B: '$one', C: 'a "b"' }],
    ['TRUSTED_NETWORKS=10.0.0.0/8,\\\n192.168.0.0/16', { TRUSTED_NETWORKS: '10.0.0.0/8,192.168.0.0/16' }],
    ['export X=1\n=2\n3A=4\nnothing', {}],
    ['A=1\nA=2\nB=\nC="open', { A: '2', B: '', C: 'open' }],
  ])('%j', (text, variables) => expect(parseEnvironmentFile(text)).toEqual(variables));

  test('every value quoted as in systemd is read back', () => {
    const value = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '$', '`', "'", '#', '=') });
    fc.assert(
      fc.property(value, (text) => {
        const quoted = text.replaceAll(/["\\`$]/g, '\\$&');
        expect(parseEnvironmentFile(`A="${quoted}"`)).toEqual({ A: text });
      }),
    );
  });

  test('any text is parsed without an error', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseEnvironmentFile(text)));
  });
});

describe('withEnvironmentFile', () => {
  test('variables of the process take precedence over the file', () => {
    const path = join(folder, 'svc.env');
    writeFileSync(path, 'PORT=1\nHOST=::1\n');
    expect(withEnvironmentFile({ PORT: '2', PATH: '/bin' }, path)).toEqual({
      ...{ PORT: '2', HOST: '::1', PATH: '/bin' },
    });
  });

  test('a missing file changes nothing; an unreadable one is reported', () => {
    expect(withEnvironmentFile({ PORT: '2' }, join(folder, 'none'))).toEqual({ PORT: '2' });
    expect(() => withEnvironmentFile({}, folder)).toThrow(ConfigError);
    expect(() => withEnvironmentFile({}, folder)).toThrow(folder);
  });
});
