/** The notices in the executables match the packages that they contain. */
import { expect, test } from 'bun:test';
import { LICENSES } from '../../lib/host/licenses.ts';
import { licenseNotices } from '../../tools/licenses.ts';

test('lib/host/licenses.txt is up to date (bun tools/licenses.ts)', () => {
  expect(LICENSES).toBe(licenseNotices());
});

test('every part is listed with its licence', () => {
  for (const name of ['elysia ', 'preact ', 'ipaddr.js ', '@fontsource/kosugi-maru ', 'Bun 1.4']) {
    expect(LICENSES).toContain(`\n${name}`);
  }
  for (const part of LICENSES.split(`\n${'='.repeat(100)}\n`)) {
    expect([part.slice(0, 40), part.length > 300]).toEqual([part.slice(0, 40), true]);
  }
});
