/** The systemd units: their exposure as rated by systemd-analyze. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '..', '..', 'systemd');
const MOST = 3.0;
const ANALYZE = process.env.SYSTEMD_ANALYZE_PATH ?? Bun.which('systemd-analyze');

for (const unit of ['svc.service', 'svc-agent.service']) {
  const path = join(FOLDER, unit);

  test.skipIf(ANALYZE === null)(`${unit} has an exposure of at most ${MOST}`, () => {
    const { stdout, stderr } = Bun.spawnSync([
      ANALYZE ?? '',
      'security',
      '--offline=true',
      '--no-pager',
      path,
    ]);
    const text = stdout.toString();
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(text)?.[1]);
    // A misspelt setting would be ignored.
    expect(stderr.toString()).not.toContain('Unknown');
    expect([text, exposure]).toEqual([text, expect.any(Number)]);
    expect(exposure).toBeLessThanOrEqual(MOST);
  });

  test(`${unit} still has access to what it needs`, () => {
    const text = readFileSync(path, 'utf8');
    expect(text).not.toMatch(/^PrivateDevices=yes|^MemoryDenyWriteExecute=yes|^PrivateNetwork=yes/m);
    // The card is accessed by a socket, streams by the network.
    expect(text).toMatch(/^RestrictAddressFamilies=.*AF_INET AF_INET6 AF_UNIX/m);
    expect(text).toMatch(/^SupplementaryGroups=.*video/m);
    // The group may read recordings, the database sets its own mode; the agent's files are private.
    expect(text).toMatch(unit === 'svc.service' ? /^UMask=0027$/m : /^UMask=0077$/m);
    // Must include a tuner whose driver is loaded after the unit was started.
    if (unit === 'svc-agent.service') expect(text).toMatch(/^DeviceAllow=char-\* rw$/m);
    if (unit === 'svc.service') expect(text).toMatch(/^DeviceAllow=char-drm rw$/m);
  });
}
