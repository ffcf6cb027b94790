import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ConfigError } from '../host/environment.ts';
import { readConfig } from './config.ts';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  test('an empty environment gives the documented defaults', () => {
    const config = readConfig({});
    expect(config.host).toBeNull();
    expect(config.port).toBe(25_250);
    expect(config.agentUrl).toBe('http://127.0.0.1:25252');
    expect(config.dataDir).toBe('/var/lib/svc');
    expect(config.recordingsDir).toBe('/var/lib/svc/recordings');
    expect(config.trustedNetworks.isEmpty).toBe(true);
    expect(config.tls).toBeNull();
    expect(config.channelSyncIntervalMs).toBe(60_000);
    expect(config.serviceForgetAfterMs).toBe(1_800_000);
  });

  test('the recordings folder follows the data folder unless it is set', () => {
    expect(readConfig({ DATA_DIR: '/d' }).recordingsDir).toBe('/d/recordings');
    expect(readConfig({ DATA_DIR: '/d', RECORDINGS_DIR: '/r' }).recordingsDir).toBe('/r');
    for (const [written, meant] of [
      ['/r/../tv/', '/tv'],
      ['tv', join(process.cwd(), 'tv')],
    ] as const)
      expect(readConfig({ DATA_DIR: '/d', RECORDINGS_DIR: written }).recordingsDir).toBe(meant);
  });

  test('every problem is named together', () => {
    const problems = problemsOf({
      PORT: '70000',
      TUNER_AGENT_URL: 'ftp://x',
      TRUSTED_NETWORKS: '10.0.0.0/8,nonsense',
      TRUSTED_PROXIES: '300.1.1.1',
      LOG_LEVEL: 'loud',
      TLS_CERT: '/c.pem',
    });
    for (const name of [
      'PORT',
      'TUNER_AGENT_URL',
      'TRUSTED_NETWORKS',
      'TRUSTED_PROXIES',
      'LOG_LEVEL',
      'TLS_CERT',
    ]) {
      expect(problems.some((problem) => problem.includes(name))).toBe(true);
    }
    expect(problems).toHaveLength(6);
  });
});
