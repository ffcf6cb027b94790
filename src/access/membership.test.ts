import { describe, expect, test } from 'bun:test';
import { type Denial, denialOf, nameOf } from './membership.ts';

const GROUP = 'tv';

describe('with a group', () => {
  const rows: [claims: Record<string, unknown>, denial: Denial | undefined][] = [
    [{ groups: ['a', GROUP] }, undefined],
    [{ groups: GROUP }, undefined],
    [{ roles: [GROUP] }, undefined],
    [{ groups: ['a'], roles: [GROUP] }, undefined],
    [{ groups: ['a'] }, 'not_member'],
    [{ roles: ['a'] }, 'not_member'],
    [{ groups: [`${GROUP}2`] }, 'not_member'],
    [{}, 'no_groups'],
    [{ groups: [], roles: [] }, 'no_groups'],
    [{ groups: [''] }, 'no_groups'],
    [{ groups: [5, null, { [GROUP]: 1 }] }, 'no_groups'],
    [{ groups: { [GROUP]: true } }, 'no_groups'],
    [{ _claim_names: { groups: 'src1' } }, 'too_many_groups'],
    [{ _claim_names: { groups: 'src1' }, roles: [GROUP] }, undefined],
    [{ _claim_names: { groups: 'src1' }, roles: ['a'] }, 'not_member'],
    [{ _claim_names: { email: 'src1' } }, 'no_groups'],
    [{ _claim_names: null }, 'no_groups'],
    [{ _claim_names: 'groups' }, 'no_groups'],
    [{ _claim_names: undefined }, 'no_groups'],
  ];
  for (const [claims, denial] of rows)
    test(`${JSON.stringify(claims)}: ${denial ?? 'let in'}`, () =>
      expect(denialOf(claims, GROUP)).toBe(denial as Denial));
});

test('without a group everyone who can sign in is let in', () => {
  for (const claims of [{}, { groups: [] }, { groups: ['a'] }, { _claim_names: { groups: 'x' } }])
    expect(denialOf(claims, null)).toBeUndefined();
});

test('the display name is the name, else the account, the e-mail address or the subject', () => {
  const claims = { sub: 's', email: 'e', preferred_username: 'p', name: 'n' };
  expect(nameOf(claims)).toBe('n');
  expect(nameOf({ ...claims, name: '' })).toBe('p');
  expect(nameOf({ ...claims, name: 5, preferred_username: undefined })).toBe('e');
  expect(nameOf({ sub: 's' })).toBe('s');
  expect(nameOf({})).toBe('');
});
