/** The attacks of `docs/security.md`: every row is attempted against a running service. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attempt } from './attempt.ts';
import { ADDRESSES, PATHS } from './attempts-from-outside.ts';
import { OTHER_SITES } from './attempts-of-other-sites.ts';
import { SESSIONS, TOKENS } from './attempts-on-credentials.ts';
import { LOGIN, PAIRING } from './attempts-on-flows.ts';
import { PROXIES } from './attempts-on-proxies.ts';
import { EXHAUSTION, KNOWLEDGE } from './attempts-on-resources.ts';
import { guardedHome } from './guarded-home.ts';

const GROUPS: [title: string, attempts: readonly Attempt[]][] = [
  ['Spoof a trusted address or host', ADDRESSES],
  ['Bypass access control with other spellings of a path', PATHS],
  ['Misuse access tokens', TOKENS],
  ['Misuse sessions', SESSIONS],
  ['Send cross-site requests from a browser of the household', OTHER_SITES],
  ['Attack the login', LOGIN],
  ['Attack the pairing', PAIRING],
  ['Misuse the proxies of data broadcasts', PROXIES],
  ['Exhaust the service', EXHAUSTION],
  ['Obtain private information', KNOWLEDGE],
];

const home = guardedHome();

for (const [title, attempts] of GROUPS) {
  describe(title, () => {
    for (const { tries, happens, run } of attempts) test(`${tries}: ${happens}`, () => run(home));
  });
}

test('docs/security.md lists exactly these attempts', () => {
  const escaped = (text: string): string => text.replaceAll('|', '\\|');
  let number = 0;
  const tables = GROUPS.map(([title, attempts]) => {
    const rows = attempts.map(
      ({ tries, happens }) => `| ${++number} | ${escaped(tries)} | ${escaped(happens)} |`,
    );
    return [`### ${title}`, '', '| # | Attempt | What happens |', '|---|---|---|', ...rows].join('\n');
  }).join('\n\n');
  const path = join(import.meta.dir, '..', '..', 'docs', 'security.md');
  const [, listed = ''] = readFileSync(path, 'utf8').split('## Checklist\n\n');
  // To write the tables again: SVC_WRITE_DOCS=1 bun test ./test/access/attempts.test.ts
  if (process.env.SVC_WRITE_DOCS === '1') {
    const [head = ''] = readFileSync(path, 'utf8').split('## Checklist\n\n');
    Bun.write(path, `${head}## Checklist\n\n${tables}\n`);
    return;
  }
  expect(number).toBeGreaterThanOrEqual(60);
  expect(listed.trim()).toBe(tables);
});
