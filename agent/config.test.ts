import { describe, expect, test } from 'bun:test';
import { ConfigError } from '../lib/host/environment.ts';
import { readAgentConfig } from './config.ts';

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    readAgentConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('card sharing', () => {
  test('is off by default, with the narrowest hop limit', () => {
    const { card } = readAgentConfig({});
    expect(card).toMatchObject({ url: null, sharePort: null, hops: 1, maxRttMs: null });
    for (const peer of ['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.5', '::1', 'fd00::1', 'fe80::1']) {
      expect(card.shareNetworks.contains(peer)).toBe(true);
    }
    for (const peer of ['100.64.0.1', '8.8.8.8', '2001:db8::1']) {
      expect(card.shareNetworks.contains(peer)).toBe(false);
    }
  });

  test.each([
    ['CARD_SHARE_NETWORKS', '0.0.0.0/0'],
    ['CARD_SHARE_NETWORKS', '192.168.0.0/15'],
    ['CARD_SHARE_NETWORKS', '100.64.0.0/10'],
    ['CARD_SHARE_NETWORKS', '192.168.0.0/24,2001:db8::/32'],
    ['CARD_TTL', '0'],
    ['CARD_TTL', '9'],
    ['CARD_SHARE_PORT', '25252'],
    ['CARD_SHARE_PORT', '0'],
    ['CARD_SHARE_MAX_RTT', 'fast'],
    ['CARD_URL', 'ftp://192.168.0.2'],
  ])('%s=%s ends the start', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([expect.stringContaining(name)]);
  });

  test('networks may be narrowed', () => {
    expect(problemsOf({ CARD_SHARE_NETWORKS: '192.168.0.0/24, fd00:1::/64, ::ffff:10.0.0.0/104' })).toEqual(
      [],
    );
  });
});
