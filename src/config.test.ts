import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ConfigError } from '../lib/host/environment.ts';
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

  test('all problems are reported together', () => {
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

  describe('the identity provider', () => {
    const whole = {
      OIDC_ISSUER: 'https://id.example/tenant/v2.0',
      OIDC_CLIENT_ID: 'svc',
      OIDC_CLIENT_SECRET: 'secret',
    };

    test('is used when all three are set; by default a login lasts 30 days and everyone who can sign in is let in', () => {
      expect(readConfig({}).oidc).toBeNull();
      expect(readConfig(whole).oidc).toEqual({
        issuer: whole.OIDC_ISSUER,
        clientId: 'svc',
        clientSecret: 'secret',
        group: null,
        sessionTtlMs: 30 * 86_400_000,
      });
      const chosen = readConfig({ ...whole, OIDC_GROUP: 'tv', OIDC_SESSION_TTL: '3600000' });
      expect(chosen.oidc).toMatchObject({ group: 'tv', sessionTtlMs: 3_600_000 });
    });

    test('is an error when some of them are missing; they are named', () => {
      for (const name of Object.keys(whole)) {
        const [problem = '', ...others] = problemsOf({ ...whole, [name]: '' });
        expect(others).toEqual([]);
        expect(problem).toStartWith(`${name}: `);
        expect(problem).not.toContain('secret');
      }
    });

    test('must use https, except on localhost', () => {
      for (const issuer of ['http://localhost:8080', 'http://127.0.0.1/a', 'http://[::1]:1'])
        expect(readConfig({ ...whole, OIDC_ISSUER: issuer }).oidc?.issuer).toBe(issuer);
      for (const issuer of ['http://id.example', 'http://127.0.0.1.evil.example', 'ftp://id.example', 'id'])
        expect(problemsOf({ ...whole, OIDC_ISSUER: issuer }).join()).toContain('OIDC_ISSUER');
    });
  });

  test('servers of bidirectional content are given as addresses', () => {
    expect(readConfig({}).bml).toEqual({ dns: [], hosts: new Map() });
    const { dns, hosts } = readConfig({
      BML_DNS: '192.168.0.1,[2001:db8::1]:5353',
      BML_HOSTS: 'Data.example.test=127.0.0.1:8080, six.test=[::1]:80',
    }).bml;
    expect(dns.map(({ port }) => port)).toEqual([53, 5353]);
    expect([...hosts]).toEqual([
      ['data.example.test', { address: '127.0.0.1', port: 8080 }],
      ['six.test', { address: '::1', port: 80 }],
    ]);
    for (const bad of [
      'a',
      'a=b:1',
      'a=127.0.0.1',
      'a=127.0.0.1:0',
      '127.0.0.1=127.0.0.1:1',
      'a b=127.0.0.1:1',
      '=::1:1',
    ])
      expect(problemsOf({ BML_HOSTS: bad }).join()).toContain('BML_HOSTS');
    expect(problemsOf({ BML_DNS: 'dns.example' }).join()).toContain('BML_DNS');
  });
});
