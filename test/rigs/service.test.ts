/**
 * From a plugged-in tuner to stations with the compiled programs, in a guest with the real dvb-core, the real
 * card daemon and an emulated card (`guest/service-scenario.ts`). Only runs with `npm test -- --rigs`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Channel } from '../../lib/wire/agent.ts';
import { cardRigMissing } from '../agent/card-rig.ts';
import { scrambledStream } from '../scrambled-stream.ts';
import { synthText } from '../synth/tuning.ts';
import { buildPrograms, GuestMachine, parseFindings, rigMissing } from './guest-machine.ts';

const ROOT = join(import.meta.dir, '..', '..');
const SCENARIO = join(import.meta.dir, 'guest', 'service-scenario.ts');
/** Length of the broadcast: the time that a scan spends on a channel. */
const CHANNEL_SECONDS = 12;
const missing = rigMissing() ?? cardRigMissing();

describe.skipIf(missing !== undefined)('the programs with a tuner and a card', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-rig-service-'));
  let finding: ReturnType<typeof parseFindings>;

  beforeAll(async () => {
    const stream = scrambledStream({
      programs: [{ number: 101, pmtPid: 0x1f0, ecmPid: 0x300, streams: [0x100, 0x110], seed: 1 }],
      periods: 4,
      cyclic: true,
      rounds: 4_000,
      tablesEvery: 200,
    });
    writeFileSync(join(folder, 'scrambled.ts'), stream.scrambled);
    writeFileSync(join(folder, 'clear.ts'), stream.clear);
    const of = ['--scenario', 'mini', '--type', 'GR', '--channel', 'T27'];
    await synthText('--scenario', 'mini', '--prepare');
    const channel = Bun.spawn(
      [
        process.execPath,
        join(ROOT, 'synth', 'main.ts'),
        ...[...of, '--speed', '0', '--duration', String(CHANNEL_SECONDS)],
      ],
      { stdin: 'ignore', stdout: Bun.file(join(folder, 'channel.ts')), stderr: 'inherit' },
    );
    const [machine] = await Promise.all([GuestMachine.prepare(), buildPrograms(folder), channel.exited]);
    // The agent runs as another user.
    chmodSync(folder, 0o755);
    const output = await machine.run([process.execPath, SCENARIO, folder]);
    console.log(output);
    finding = parseFindings(output);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('all steps were carried out', () => {
    expect(finding.failed).toEqual([]);
    expect(finding.of('end').code).toBe(0);
  });

  test('svc-agent check finds tuner and card, and reports that channels are missing', () => {
    const { text } = finding.of('check');
    expect(text).toContain('isdbsim');
    expect(text).toMatch(/^OK {4}カード: 読み取れます（Virtual PCD/m);
    expect(text).not.toContain('問題');
  });

  test('a scrambled channel is descrambled to the original stream', () => {
    expect(finding.of('a scrambled channel')).toMatchObject({
      different: 0,
      descrambling: { state: 'descrambled', failure: null },
      stats: { syncErrors: 0, scrambled: 0, overflows: 0 },
    });
  });

  test('the permissions of the unit suffice: a dynamic user, the group video, no capability', () => {
    const [users, groups, capabilities] = finding.of('a scrambled channel').rights as string[];
    expect(users).toBe('64000\t64000\t64000\t64000');
    expect(groups).toMatch(/^\d+$/);
    expect(capabilities).toMatch(/^0+$/);
  });

  test('a removed card is reported, and used again when it is back', () => {
    expect(finding.of('a card that is removed')).toMatchObject({ failure: 'no_card', different: 0 });
  });

  test("the service's scan finds the channel on the air, and stores it with the agent", () => {
    const { state, channels, stored } = finding.of('a channel scan');
    expect(state).toBe('finished');
    expect(channels).toHaveLength(1);
    const [found] = channels as Channel[];
    expect(found).toMatchObject({ type: 'GR', channel: 'T27', tsid: 32608, networkId: 32608 });
    expect(found?.stations.map(({ serviceId }) => serviceId)).toEqual([9216, 9217]);
    expect(stored).toEqual(channels);
  });
});
