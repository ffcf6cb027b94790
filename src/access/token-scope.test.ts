import { expect, test } from 'bun:test';
import { isBeyondTokens } from './token-scope.ts';

test('tokens may not manage tokens and sessions, by any path below them', () => {
  for (const path of ['/api/device/tokens', '/api/device/tokens/7', '/api/sessions/revoke-others'])
    expect([path, isBeyondTokens(path)]).toEqual([path, true]);
  for (const path of ['/api/device/logout', '/api/device/token', '/api/settings', '/api/live/ticket', '/'])
    expect([path, isBeyondTokens(path)]).toEqual([path, false]);
});
