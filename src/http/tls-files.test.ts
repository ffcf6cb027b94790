/** A renewed certificate, over real sockets. */
import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { systemWallClock } from '../../lib/host/clock.ts';
import { AllowedHosts } from '../../lib/host/host-check.ts';
import { createLog } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import { openAssets } from './assets.ts';
import { startHttpServer } from './server.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function certificate(folder: string, name: string): void {
  const files = ['-keyout', join(folder, 'key.new'), '-out', join(folder, 'cert.new')];
  const made = Bun.spawnSync([
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    `/CN=${name}`,
    ...files,
  ]);
  expect(made.exitCode).toBe(0);
}

function install(folder: string, what: 'cert' | 'key'): void {
  renameSync(join(folder, `${what}.new`), join(folder, `${what}.pem`));
}

/** Name in the certificate that a new connection receives; '' if there is none. */
function nameAt(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', () => resolve(''));
  });
}

test.skipIf(Bun.which('openssl') === null)(
  'a renewed certificate is used for new connections, without closing existing ones',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    certificate(folder, 'old');
    install(folder, 'cert');
    install(folder, 'key');
    const lines: string[] = [];
    const release = Promise.withResolvers<void>();
    const server = startHttpServer({
      ...{ host: '127.0.0.1', port: 0, tlsCheckMs: 20 },
      tls: { certPath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') },
      access: {
        trustedNetworks: Networks.parse('127.0.0.1'),
        hasLogin: false,
        tokens: { check: () => undefined },
        sessions: { find: () => undefined },
      },
      trustedProxies: Networks.none,
      allowedHosts: AllowedHosts.literals,
      assets: openAssets(null),
      isLetIn: () => true,
      innerPaths: new Set(),
      api: async () => {
        await release.promise;
        return new Response('whole');
      },
      log: createLog({ level: 'info', now: systemWallClock, write: (line) => lines.push(line) }),
    });
    closers.push(() => server.close());
    const underWay = fetch(`https://127.0.0.1:${server.port}/api/x`, { tls: { rejectUnauthorized: false } });
    expect(await nameAt(server.port)).toBe('old');

    certificate(folder, 'new');
    install(folder, 'cert');
    while (!lines.join('').includes('TLS_KEY is not the key')) await Bun.sleep(5);
    expect(await nameAt(server.port)).toBe('old');
    install(folder, 'key');
    while ((await nameAt(server.port)) !== 'new') await Bun.sleep(5);
    expect(lines.filter((line) => line.includes('certificate not replaced'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('certificate replaced'))).toHaveLength(1);

    writeFileSync(join(folder, 'cert.pem'), 'broken');
    while (lines.filter((line) => line.includes('certificate not replaced')).length < 2) await Bun.sleep(5);
    expect(await nameAt(server.port)).toBe('new');
    release.resolve();
    expect(await (await underWay).text()).toBe('whole');
  },
);
