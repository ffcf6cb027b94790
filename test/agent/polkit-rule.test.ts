/** The polkit rule in the systemd unit's files, and the one that `svc-agent check` prints. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLKIT_RULE } from '../../agent/check/check.ts';

const SHIPPED = readFileSync(join(import.meta.dir, '..', '..', 'systemd', '50-svc-agent.rules'), 'utf8');

type Rule = (action: { id: string }, subject: { user: string }) => string | null | undefined;

function ruleOf(source: string): Rule {
  let rule: Rule = () => undefined;
  const polkit = {
    addRule: (one: Rule) => {
      rule = one;
    },
    Result: { YES: 'yes', NOT_HANDLED: null },
  };
  new Function('polkit', source)(polkit);
  return rule;
}

for (const [name, source] of Object.entries({ shipped: SHIPPED, printed: POLKIT_RULE })) {
  test(`the ${name} rule admits the agent to the card, and to nothing else`, () => {
    const rule = ruleOf(source);
    for (const id of ['org.debian.pcsc-lite.access_pcsc', 'org.debian.pcsc-lite.access_card']) {
      expect(rule({ id }, { user: 'svc-agent' })).toBe('yes');
      expect(rule({ id }, { user: 'other' }) ?? null).toBe(null);
    }
    expect(rule({ id: 'org.freedesktop.login1.reboot' }, { user: 'svc-agent' }) ?? null).toBe(null);
  });

  test(`the ${name} rule is ECMAScript 5, which is all that polkit's Duktape reads`, () => {
    const code = source.replace(/^\s*\/\/.*$/gm, '');
    expect(code).not.toMatch(/=>|`|\b(?:let|const|class|async)\b/);
  });
}
