/**
 * The compiled agent in a guest with the real dvb-core and CUSE (`guest/scenario.ts`): its results, step by
 * step. Only runs with `npm test -- --rigs`: it installs Debian packages and takes some minutes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPrograms, GuestMachine, parseFindings, rigMissing } from './guest-machine.ts';

const SCENARIO = join(import.meta.dir, 'guest', 'scenario.ts');

const missing = rigMissing();
let folder: string | undefined;
let findings: ReturnType<typeof parseFindings>;
const finding = (step: string) => findings.of(step);

async function runScenario(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'svc-rig-dist-'));
  const [machine] = await Promise.all([GuestMachine.prepare(), buildPrograms(folder)]);
  const output = await machine.run([process.execPath, SCENARIO, join(folder, 'svc-agent')]);
  console.log(output);
  findings = parseFindings(output);
}

describe.skipIf(missing !== undefined)('the agent with real device files', () => {
  beforeAll(runScenario);
  afterAll(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  test('all steps were carried out', () => {
    expect(findings.failed).toEqual([]);
    expect(finding('end').code).toBe(0);
  });

  test('finds every tuner without configuration, the narrowest first', () => {
    const { devices, tuners } = finding('detection');
    expect(devices).toMatchObject([
      { driver: 'dvb', types: ['GR', 'BS', 'CS'], model: 'isdbsim', problem: null },
      { driver: 'px4', device: '/dev/pt3video0', types: ['BS', 'CS'], problem: null },
      { driver: 'px4', device: '/dev/px4video0', types: ['BS', 'CS'], problem: null },
      { driver: 'px4', device: '/dev/px4video2', types: ['GR'], problem: null },
    ]);
    expect(tuners).toMatchObject([
      { device: '/dev/px4video2', rank: 0 },
      { device: '/dev/pt3video0', rank: 1 },
      { device: '/dev/px4video0', rank: 1 },
      { device: '/dev/dvb/adapter0/frontend0', rank: 2 },
    ]);
  });

  test('notices without configuration that an adapter is unplugged and plugged in again', () => {
    expect(finding('an adapter that comes and goes without configuration')).toMatchObject({
      gone: ['error', null],
      back: ['idle', 2],
    });
  });

  test('shares a tuning, and takes the tuner away for a higher priority', () => {
    expect(finding('a tuning that is shared and taken over')).toMatchObject({
      users: ['first', 'second'],
      ends: ['aborted', 'aborted'],
      lost: [0, 0, 0],
    });
  });

  test('receives with every tuner at once without losing a packet', () => {
    expect(finding('every tuner at once')).toMatchObject({ lost: [0, 0, 0, 0], overflows: [0, 0, 0, 0] });
  });

  test('receives terrestrial broadcasts by DVB without losing a packet', () => {
    expect(finding('terrestrial by DVB')).toMatchObject({
      lost: 0,
      frequency: '557142857',
      voltage: '2',
      signal: { locked: true, cnr: 28.5, strength: -43 },
      stats: { syncErrors: 0, continuityErrors: 0, overflows: 0 },
    });
  });

  test('receives satellite broadcasts by DVB, and powers the antenna meanwhile', () => {
    expect(finding('satellite by DVB')).toMatchObject({
      lost: 0,
      powered: '1',
      tuned: ['1318000', String(0x40f1), '9'],
      voltage: '2',
    });
  });

  test('distinguishes a channel without signal from a broken tuner', () => {
    const { message, state } = finding('no signal by DVB');
    expect(message).toContain('CNR 1.5 dB');
    expect(state).toBe('idle');
  });

  test('continues after an overflow of the ring buffer', () => {
    const { overflows, end } = finding('overflow of the ring buffer');
    expect(overflows).toBeGreaterThan(0);
    expect(end).toBe('running');
  });

  test('names the process that uses a frontend, and uses it when it is free', () => {
    const { message, state, back } = finding('a frontend in use');
    expect(message).toMatch(/sleep（プロセス \d+）が使用中/);
    expect([state, back]).toEqual(['error', true]);
  });

  test('aborts the stream of an adapter that is unplugged, and uses it again automatically', () => {
    expect(finding('an adapter that is unplugged')).toMatchObject({
      end: 'aborted',
      gone: expect.stringContaining('見つかりません'),
      lost: 0,
    });
  });

  test('receives from character devices, with the stream id or the slot as the driver expects it', () => {
    expect(finding('terrestrial by px4')).toMatchObject({
      lost: 0,
      signal: { locked: true, cnr: 21.04, strength: null },
      log: ['channel 77 0'],
    });
    expect(finding('satellite by px4 and pt3')).toMatchObject({
      px4: ['lnb 2', `channel 7 ${0x40f1}`, 'lnb 0'],
      pt3: ['channel 7 0'],
    });
  });

  test('frees a character device whose read blocks because the signal is lost', () => {
    expect(finding('a px4 that loses its signal')).toMatchObject({ end: 'aborted', lost: 0 });
  });

  test('names the process that uses a character device, and notices when one is gone', () => {
    expect(finding('a px4 in use').message).toMatch(/sleep（プロセス \d+）が使用中/);
    const { end, state, reason } = finding('a px4 that is gone');
    expect([end, state]).toEqual(['aborted', 'error']);
    expect(reason).toContain('応答しません');
  });

  test('reports the next step if permissions are missing', () => {
    const problems = finding('without permission').problems as [string, string, string][];
    expect(problems).toHaveLength(4);
    for (const [device, code, message] of problems) {
      expect(code).toBe('permission');
      expect(message).toContain(device.replace(/frontend\d$/, ''));
    }
  });
});
