/**
 * The install section of the README in a booted Debian with its systemd (`guest/install-scenario.ts`): its
 * unchanged commands, up to live television. Only runs with `npm test -- --rigs`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel } from '../../lib/wire/agent.ts';
import { synthText } from '../synth/tuning.ts';
import { debianRoot } from './debian-root.ts';
import { buildPrograms, GuestMachine, parseFindings, rigMissing } from './guest-machine.ts';

const ROOT = join(import.meta.dir, '..', '..');
const SCENARIO = join(import.meta.dir, 'guest', 'install-scenario.ts');
/** Length of the broadcast: the time that a scan spends on a channel. */
const CHANNEL_SECONDS = 12;
const INSTALL = /apt-get install ((?:[\w-]+ ?)+)/;
const missing = rigMissing();

/** The commands of the install section, in order. */
function commandsOfReadme(): string[] {
  const [, section = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n## Install it\n');
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * Differences in the guest: the programs are already built, the packages are installed, and the tuner does
 * not wait for a signal.
 */
function installScript(commands: readonly string[]): string {
  const lines = commands
    .filter((line) => line !== 'npm run build')
    .map((line) => line.replace(INSTALL, 'dpkg --status $1 >/dev/null'))
    // Exits with 1 because there is no card.
    .map((line) => (line.endsWith('svc-agent check') ? `${line} || true` : line));
  return [
    'set -e',
    'sudo() { case $1 in dpkg | mkdir | install | tee | systemctl | svc-agent) "$@" ;; *) exit 1 ;; esac; }',
    ...['mkdir -p /etc/svc', 'echo TUNE_TIMEOUT=500 >/etc/svc/agent.env'],
    ...lines.map((line) => line.replace('sudo dpkg', 'dpkg')),
  ].join('\n');
}

describe.skipIf(missing !== undefined)('the install section in a booted Debian', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-rig-install-'));
  let finding: ReturnType<typeof parseFindings>;

  beforeAll(async () => {
    const commands = commandsOfReadme();
    const packages = commands.flatMap((line) => INSTALL.exec(line)?.[1]?.trim().split(' ') ?? []);
    expect(packages).toContain('ffmpeg');
    writeFileSync(join(folder, 'install.sh'), installScript(commands));
    mkdirSync(join(folder, 'dist'));
    cpSync(join(ROOT, 'systemd'), join(folder, 'systemd'), { recursive: true });
    await synthText('--scenario', 'mini', '--prepare');
    const of = ['--scenario', 'mini', '--type', 'GR', '--channel', 'T27'];
    const seconds = ['--speed', '0', '--duration', String(CHANNEL_SECONDS)];
    const channel = Bun.spawn([process.execPath, join(ROOT, 'synth', 'main.ts'), ...of, ...seconds], {
      ...{ stdin: 'ignore', stderr: 'inherit' },
      stdout: Bun.file(join(folder, 'channel.ts')),
    });
    const [machine, debian] = await Promise.all([
      GuestMachine.prepare(),
      debianRoot(packages),
      buildPrograms(join(folder, 'dist')),
      channel.exited,
    ]);
    const inGuest = (path: string): string => join('/host', path);
    const output = await machine.run([inGuest(process.execPath), inGuest(SCENARIO), inGuest(folder)], debian);
    console.log(output);
    finding = parseFindings(output);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('every command succeeds, and every step is carried out', () => {
    expect(finding.failed).toEqual([]);
    const { code, text } = finding.of('install');
    expect({ code, text }).toMatchObject({ code: 0 });
  });

  test('both units run as their own users, without capabilities, with a system call filter', () => {
    const { states, agent, service } = finding.of('the units');
    expect(states).toEqual(['active', 'active']);
    for (const rights of [agent, service]) {
      const { user, capabilities, filter } = rights as Record<string, string>;
      expect(Number(user)).toBeGreaterThanOrEqual(61_184);
      expect({ capabilities, filter }).toEqual({ capabilities: '0000000000000000', filter: '2' });
    }
  });

  test('svc-agent check finds the tuner, and names the missing reader', () => {
    const { text } = finding.of('svc-agent check');
    expect(text).toContain('isdbsim');
    expect(text).toMatch(/^問題 {2}カード: カードリーダーが見つかりません/m);
  });

  test('svc check reads the configuration of the unit', () => {
    const { text } = finding.of('svc check');
    expect(text).toMatch(/^OK {4}アクセス: .*192\.168\.0\.0\/16/m);
    expect(text).toMatch(/^OK {4}データベース/m);
  });

  test('the scan finds the channel, through the device rules of the unit', () => {
    const { state, channels } = finding.of('a channel scan');
    expect(state).toBe('finished');
    expect((channels as Channel[]).map(({ channel }) => channel)).toEqual(['T27']);
  });

  test('a station plays, and is still there after a restart', () => {
    expect(finding.of('live television')).toMatchObject({ unsynced: 0 });
    expect(finding.of('a restart')).toMatchObject({ code: 0, isAnother: true, terrestrial: 2 });
  });
});
