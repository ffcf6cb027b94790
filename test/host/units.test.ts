/** The systemd units: their exposure as rated by systemd-analyze. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Networks } from '../../lib/host/networks.ts';

const FOLDER = join(import.meta.dir, '..', '..', 'systemd');
const MOST = 2.0;
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
    // Mounts of the unit stay in it; those of the machine, such as a recording disk, still reach it.
    expect(text).toMatch(/^PrivateMounts=yes$/m);
    expect(text).not.toMatch(/^(?:MountFlags|PrivateUsers)=/m);
    // The group may read recordings, the database sets its own mode; the agent's files are private.
    expect(text).toMatch(unit === 'svc.service' ? /^UMask=0027$/m : /^UMask=0077$/m);
    // Must include a tuner whose driver is loaded after the unit was started.
    if (unit === 'svc-agent.service') expect(text).toMatch(/^DeviceAllow=char-\* rw$/m);
    if (unit === 'svc.service') expect(text).toMatch(/^DeviceAllow=char-drm rw$/m);
    // NVENC's driver reads /proc; clients and the identity provider of svc may be anywhere.
    const isAgent = unit === 'svc-agent.service';
    expect([/^ProcSubset=pid$/m.test(text), /^IPAddressDeny=any$/m.test(text)]).toEqual([isAgent, isAgent]);
    if (!isAgent) return;
    // All networks that share keys by default, which are those of a household.
    const allowed = /^IPAddressAllow=(.*)$/m.exec(text)?.[1] ?? '';
    const networks = Networks.parse(
      allowed
        .replace('localhost', '127.0.0.0/8 ::1')
        .replace('link-local', '169.254.0.0/16 fe80::/64')
        .replace('multicast', '')
        .split(' ')
        .filter((one) => one !== '')
        .join(','),
    );
    for (const address of [
      '127.0.0.1',
      '::1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.5',
      '169.254.1.1',
      'fd00::1',
      'fe80::1',
    ])
      expect([address, networks.contains(address)]).toEqual([address, true]);
    for (const address of ['8.8.8.8', '172.32.0.1', '2001:db8::1'])
      expect(networks.contains(address)).toBe(false);
  });
}
