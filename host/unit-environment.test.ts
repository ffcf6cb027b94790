import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { ConfigError } from './environment.ts';
import { parseEnvironmentFile, withEnvironmentFile } from './unit-environment.ts';

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
