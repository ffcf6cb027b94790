/** What other programs say about our documents: Debian's XMLTV validator, and the tools of HDHomeRun's maker. */
import { describe, expect, test } from 'bun:test';
import { createSocket } from 'node:dgram';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';
import { compatHome } from './compat-home.ts';
import { collectPids } from './packets.ts';

const DISCOVERY = 65_001;

/** The tool only asks this port, which another program of this machine may have. */
async function isFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  const free = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind(port, () => resolve(true));
  });
  await new Promise<void>((done) => socket.close(() => done()));
  return free;
}

const hasDiscovery = Bun.which('hdhomerun_config') !== null && (await isFree(DISCOVERY));
if (!hasDiscovery) console.info(`skipped: hdhomerun_config is missing, or UDP port ${DISCOVERY} is in use`);
const home = compatHome(hasDiscovery ? { HDHOMERUN_DISCOVERY_PORT: String(DISCOVERY) } : {});

async function run(command: readonly string[]): Promise<{ text: string; code: number }> {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'pipe' });
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { text: out + error, code };
}

test.skipIf(Bun.which('tv_validate_file') === null)('the guide is valid XMLTV', async () => {
  const file = join(home.folder, 'guide.xml');
  writeFileSync(file, await (await fetch(`${home.hdhr}/guide.xml`)).text());
  const { text, code } = await run(['tv_validate_file', '--dtd-file', '/usr/share/xmltv/xmltv.dtd', file]);
  expect(text).toContain('Validated ok.');
  expect(code).toBe(0);
});

test.skipIf(!hasDiscovery)('hdhomerun_config finds the device by the address that it has', async () => {
  const { DeviceID } = (await (await fetch(`${home.hdhr}/discover.json`)).json()) as { DeviceID: string };
  const { text } = await run(['hdhomerun_config', 'discover', '127.0.0.1']);
  expect(text).toContain(`hdhomerun device ${DeviceID} found at 127.0.0.1`);
});

describe.skipIf(!hasDiscovery)('hdhomerun_config controls a tuner', () => {
  const control = async (...words: readonly string[]): Promise<string> =>
    (await run(['hdhomerun_config', '127.0.0.1', ...words])).text.trim();
  const isIdle = async (): Promise<boolean> =>
    (await home.tuners()).every(({ users }) => users.every(({ use }) => !/^(live|mirakurun) /.test(use)));

  test('it reads and sets variables, and is told what is wrong', async () => {
    expect(await control('get', '/sys/model')).toBe('svc_isdbt');
    expect(await control('get', 'help')).toContain('/tuner<n>/target');
    expect(await control('get', '/tuner0/status')).toBe('ch=none lock=none ss=0 snq=0 seq=0 bps=0 pps=0');
    expect(await control('set', '/tuner0/channel', 'auto:27')).toBe('');
    expect(await control('get', '/tuner0/channel')).toBe('auto:27');
    expect(await control('get', '/tuner0/status')).toStartWith('ch=auto:27 lock=isdb ss=100');
    const [one = ''] = (await control('get', '/tuner0/streaminfo')).split('\n');
    expect(one).toMatch(/^\d+: 1\.1 ひばり放送$/);
    expect(await control('set', '/tuner0/program', one.split(':')[0] ?? '')).toBe('');
    expect(await control('get', '/tuner0/vchannel')).toBe('1.1');
    expect(await control('set', '/tuner0/program', '1')).toContain('ERROR: invalid program number');
    expect(await control('get', '/tuner9/status')).toContain('ERROR: unknown getset variable');
    expect(await control('set', '/tuner0/target', 'udp://192.0.2.1:5000')).toContain('ERROR: invalid target');
    expect(await control('set', '/tuner0/channel', 'none')).toBe('');
  });

  test('a scan lists the channels and stations', async () => {
    const found = await control('scan', '/tuner0');
    expect(found).toContain('SCANNING: 557000000 (jp-bcast:27)');
    expect(found).toMatch(/LOCK: isdb \(ss=100 snq=100 seq=100\)/);
    expect(found).toContain('PROGRAM');
    expect(found).toContain('1.1 ひばり放送');
    expect(found).toContain('2.1 あさぎりテレビ');
    expect(await control('get', '/tuner0/lockkey')).toBe('none');
  });

  test('it saves a station and a whole channel without losses, and the tuner is released', async () => {
    for (const [name, value, count] of [
      ['vchannel', '1.2', 1],
      ['channel', 'auto:27', 3],
    ] as const) {
      expect(await control('set', `/tuner1/${name}`, value)).toBe('');
      const file = join(home.folder, `${name}.ts`);
      const saving = Bun.spawn(['hdhomerun_config', '127.0.0.1', 'save', '/tuner1', file], {
        stdout: 'pipe',
        stderr: 'pipe',
      });
      await until('packets are saved', () => existsSync(file) && statSync(file).size > 900_000);
      saving.kill('SIGINT');
      const text = (await new Response(saving.stdout).text()) + (await new Response(saving.stderr).text());
      expect(text).toMatch(
        /[1-9]\d* packets received, 0 overflow errors, 0 network errors, 0 transport errors, 0 sequence errors/,
      );
      expect(collectPids(readFileSync(file)).programs).toHaveLength(count);
      await until('the tuner is released', isIdle);
      expect(await control('get', '/tuner1/target')).toBe('none');
    }
  });

  test('a client that was killed does not keep the tuner', async () => {
    await control('set', '/tuner0/vchannel', '1.1');
    const file = join(home.folder, 'killed.ts');
    const saving = Bun.spawn(['hdhomerun_config', '127.0.0.1', 'save', '/tuner0', file]);
    await until('packets are saved', () => existsSync(file) && statSync(file).size > 100_000);
    saving.kill('SIGKILL');
    await until('the tuner is released', isIdle);
  });
});

/** Debian's package is a whole Prometheus, which runs once it is installed: so no part of the set-up of tests. */
test.skipIf(Bun.which('promtool') === null)('the metrics are what Prometheus expects', async () => {
  const metrics = async (): Promise<string> => await (await fetch(`${home.service.url}/metrics`)).text();
  const [station] = (await (await fetch(`${home.hdhr}/lineup.json`)).json()) as { URL: string }[];
  const stream = await fetch(station?.URL ?? '');
  const text = await metrics();
  expect(text).toContain('svc_viewers{codec="raw"} 1\n');
  expect(text).toMatch(/^svc_live_open_seconds_count\{codec="raw"\} [1-9]/m);
  const check = Bun.spawn(['promtool', 'check', 'metrics'], {
    stdin: new TextEncoder().encode(text),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  expect((await new Response(check.stdout).text()) + (await new Response(check.stderr).text())).toBe('');
  expect(await check.exited).toBe(0);
  const { headers } = await fetch(`${home.service.url}/metrics`);
  expect(headers.get('content-type')).toStartWith('text/plain; version=0.0.4');
  await stream.body?.cancel();
  await until('the viewer has left', async () => (await metrics()).includes('svc_viewers{codec="raw"} 0\n'));
});
