/** Sessions of the drivers `dvb` and `px4` with their workers, over a scripted kernel. */
import { describe, expect, test } from 'bun:test';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { type InlineWorker, startInlineWorker } from '../../test/agent/inline-device-worker.ts';
import { dvbAdapter, frontendState, ISDBS, ISDBT } from '../../test/agent/scripted-devices.ts';
import { fail, type ScriptedFile, ScriptedKernel } from '../../test/agent/scripted-kernel.ts';
import { ScriptedTime } from '../../test/agent/scripted-time.ts';
import { until } from '../../test/until.ts';
import type { TunerSettings } from '../tuner-settings.ts';
import type { TuneSession, TuneTarget } from './driver.ts';
import { FE_SET_PROPERTY, FE_SET_VOLTAGE } from './dvb/abi.ts';
import { HardwareDriver, LnbSupply } from './hardware-driver.ts';
import * as px4 from './px4/abi.ts';

const FRONTEND = '/dev/dvb/adapter0/frontend0';
const T27: TuneTarget = { type: 'GR', channel: 'T27', tsid: null };
const BS: TuneTarget = { type: 'BS', channel: 'BS15_0', tsid: 0x40f1 };

function tuner(device: string, lnb = false): TunerSettings {
  const driver = device.startsWith('/dev/dvb') ? 'dvb' : 'px4';
  return { id: device, name: device, driver, device, types: ['GR', 'BS', 'CS'], disabled: false, lnb };
}

interface Watched {
  session: TuneSession;
  /** `locked`, `data N`, `ended device …`, `ended channel …`, in order. */
  log: string[];
  chunks: Uint8Array[];
  /** For the agent's log, of each `ended`. */
  details: (string | undefined)[];
}

class Rig {
  readonly time = new ScriptedTime();
  readonly lnb = new LnbSupply();
  readonly sessions: TuneSession[] = [];
  readonly workers: InlineWorker[] = [];

  constructor(readonly kernel: ScriptedKernel) {}

  open(settings: TunerSettings, target: TuneTarget): Watched {
    const driver = new HardwareDriver({
      driver: settings.driver === 'dvb' ? 'dvb' : 'px4',
      startWorker: () => {
        const worker = startInlineWorker(this.kernel, this.time);
        this.workers.push(worker);
        return worker;
      },
      lnb: this.lnb,
      lockMs: 5_000,
      log: SILENT_LOG,
    });
    const log: string[] = [];
    const chunks: Uint8Array[] = [];
    const details: (string | undefined)[] = [];
    const session = driver.open(settings, target, {
      locked: () => log.push('locked'),
      data: (chunk) => {
        log.push('data');
        chunks.push(chunk);
      },
      ended: (reason, isDevice, detail) => {
        log.push(`ended ${isDevice ? 'device' : 'channel'}: ${reason}`);
        details.push(detail);
      },
    });
    this.sessions.push(session);
    return { session, log, chunks, details };
  }
}

/** Delivers the given results, then nothing. */
function answers(...list: (number | Uint8Array)[]): (into: Uint8Array) => number {
  return (into) => {
    const next = list.shift() ?? fail('EAGAIN');
    if (typeof next === 'number') return next;
    into.set(next);
    return next.length;
  };
}

function characterFile(read: ScriptedFile['read'], extra: ScriptedFile['ioctl'] = {}): ScriptedFile {
  const ok = (): number => 0;
  return {
    ioctl: {
      [px4.SET_CHANNEL]: ok,
      [px4.START_STREAMING]: ok,
      [px4.STOP_STREAMING]: ok,
      [px4.ENABLE_LNB_POWER]: ok,
      [px4.DISABLE_LNB_POWER]: ok,
      ...extra,
    },
    ...(read === undefined ? {} : { read }),
  };
}

describe('a session', () => {
  test('locks, delivers in order, shows the signal and frees the device', async () => {
    const parts = [new Uint8Array(1880).fill(1), new Uint8Array(3760).fill(2)];
    const rig = new Rig(
      new ScriptedKernel(dvbAdapter(0, frontendState([ISDBT, ISDBS]), { read: answers(...parts) })),
    );
    const { session, log, chunks } = rig.open(tuner(FRONTEND), T27);
    await until(() => chunks.length === 2);
    expect(log).toEqual(['locked', 'data', 'data']);
    expect(Buffer.concat(chunks)).toEqual(Buffer.concat(parts));
    await until(() => session.signal() !== null);
    expect(session.signal()).toEqual({ locked: true, cnr: 28.5, strength: -42 });
    await session.close();
    await session.close();
    expect(rig.kernel.openFiles.size).toBe(0);
    expect(log).toEqual(['locked', 'data', 'data']);
  });

  test('of a device that cannot be opened ends with a device fault', async () => {
    const rig = new Rig(new ScriptedKernel({}));
    const { session, log } = rig.open(tuner('/dev/px4video2'), T27);
    await until(() => log.length > 0);
    expect(log).toEqual([expect.stringContaining('ended device: /dev/px4video2 がありません')]);
    await session.close();
  });

  test('of a channel without signal ends with a channel fault and leaves nothing open', async () => {
    const state = frontendState([ISDBT]);
    state.status = 0;
    const rig = new Rig(new ScriptedKernel(dvbAdapter(0, state)));
    const { session, log } = rig.open(tuner(FRONTEND), T27);
    await until(() => log.length > 0);
    expect(log).toEqual([expect.stringContaining('ended channel: T27')]);
    expect(rig.kernel.openFiles.size).toBe(0);
    await session.close();
  });

  test('ends with a device fault when the device disappears, and frees it', async () => {
    const read = answers(new Uint8Array(188), fail('ENODEV'));
    const rig = new Rig(new ScriptedKernel(dvbAdapter(0, frontendState([ISDBT]), { read })));
    const { session, log } = rig.open(tuner(FRONTEND), T27);
    await until(() => log.some((line) => line.startsWith('ended')));
    expect(log.slice(0, 2)).toEqual(['locked', 'data']);
    expect(log[2]).toStartWith('ended device:');
    expect(rig.kernel.openFiles.size).toBe(0);
    await session.close();
  });

  test('passes on which call failed, for the log alone', async () => {
    const adapter = () => dvbAdapter(0, frontendState([ISDBT]), { read: () => fail('EIO') });
    const reading = adapter();
    const tuning = adapter();
    tuning[FRONTEND] = { ...tuning[FRONTEND], open: () => fail('EOVERFLOW') };
    for (const [files, detail] of [
      [reading, 'read: EIO'],
      [tuning, 'open: EOVERFLOW'],
    ] as const) {
      const rig = new Rig(new ScriptedKernel(files));
      const { session, log, details } = rig.open(tuner(FRONTEND), T27);
      await until(() => details.length > 0);
      expect(details).toEqual([detail]);
      expect(log.at(-1)).not.toMatch(/EIO|EOVERFLOW/u);
      await session.close();
    }
  });

  test('counts overflows and continues', async () => {
    const read = answers(fail('EOVERFLOW'), fail('EOVERFLOW'), new Uint8Array(188));
    const rig = new Rig(new ScriptedKernel(dvbAdapter(0, frontendState([ISDBT]), { read })));
    const { session, log } = rig.open(tuner(FRONTEND), T27);
    await until(() => session.overflows === 2);
    expect(log).toContain('data');
    await session.close();
  });

  test('that is closed while it waits for the lock emits no further events', async () => {
    const state = frontendState([ISDBT]);
    state.status = 0;
    const rig = new Rig(new ScriptedKernel(dvbAdapter(0, state)));
    const { session, log } = rig.open(tuner(FRONTEND), T27);
    await until(() => rig.kernel.log.some((line) => line.includes(`0x${FE_SET_PROPERTY.toString(16)}`)));
    await session.close();
    state.status = 31;
    expect(log).toEqual([]);
    expect(rig.kernel.openFiles.size).toBe(0);
  });

  test('ends when reads return no more data', async () => {
    const rig = new Rig(new ScriptedKernel({ '/dev/px4video2': characterFile(() => 0) }));
    const { session, log } = rig.open(tuner('/dev/px4video2'), T27);
    await until(() => log.some((line) => line.startsWith('ended device')));
    await session.close();
  });

  test.each([
    ['dvb', FRONTEND],
    ['px4', '/dev/px4video2'],
  ])('whose worker crashes ends, and leaves nothing open (%s)', async (_, path) => {
    const files =
      path === FRONTEND
        ? dvbAdapter(0, frontendState([ISDBT]), { read: (into) => into.length })
        : { [path]: characterFile((into) => into.length) };
    const rig = new Rig(new ScriptedKernel(files));
    const { session, log, chunks } = rig.open(tuner(path), T27);
    await until(() => chunks.length > 2);
    rig.workers[0]?.crash();
    expect(log.at(-1)).toStartWith('ended device:');
    expect(rig.kernel.openFiles.size).toBeGreaterThan(0);
    await session.close();
    expect(rig.kernel.openFiles.size).toBe(0);
    const next = rig.open(tuner(path), T27);
    await until(() => next.chunks.length > 0);
    await next.session.close();
    expect(rig.kernel.openFiles.size).toBe(0);
  });

  test('can be followed by another on the same device', async () => {
    const length = 188 * 256;
    const rig = new Rig(new ScriptedKernel({ '/dev/px4video2': characterFile(() => length) }));
    for (let round = 1; round <= 2; round += 1) {
      const { session, chunks } = rig.open(tuner('/dev/px4video2'), T27);
      await until(() => chunks.length > 3);
      expect(chunks[0]).toHaveLength(length);
      await session.close();
      expect(rig.kernel.openFiles.size).toBe(0);
      expect(rig.workers).toHaveLength(round);
    }
  });
});

describe('power for the antenna', () => {
  function antennaRig(): Rig {
    return new Rig(
      new ScriptedKernel({
        ...dvbAdapter(0, frontendState([ISDBT, ISDBS])),
        '/dev/px4video0': characterFile(undefined),
        '/dev/px4video1': characterFile(undefined),
      }),
    );
  }

  /** The paths with power on at the end, and the maximum at any moment of the log. */
  function powering(rig: Rig): { now: string[]; most: number } {
    const on = new Set<string>();
    let most = 0;
    for (const line of rig.kernel.log) {
      const [call, path = '', request, argument] = line.split(' ');
      if (call !== 'ioctl') continue;
      const number = Number(request);
      if (number === px4.ENABLE_LNB_POWER || (number === FE_SET_VOLTAGE && argument === '1')) on.add(path);
      if (number === px4.DISABLE_LNB_POWER || (number === FE_SET_VOLTAGE && argument === '2'))
        on.delete(path);
      most = Math.max(most, on.size);
    }
    return { now: [...on], most };
  }

  test('comes from one tuner at a time and passes to another when that one is closed', async () => {
    const rig = antennaRig();
    const first = rig.open(tuner(FRONTEND, true), BS);
    const second = rig.open(tuner('/dev/px4video0', true), BS);
    const third = rig.open(tuner('/dev/px4video1', true), BS);
    await until(() => [first, second, third].every(({ log }) => log.includes('locked')));
    expect(powering(rig)).toEqual({ now: [FRONTEND], most: 1 });
    await second.session.close();
    expect(powering(rig).now).toEqual([FRONTEND]);
    await first.session.close();
    await until(() => powering(rig).now.length === 1);
    expect(powering(rig).now).toEqual(['/dev/px4video1']);
    await third.session.close();
    expect(powering(rig)).toEqual({ now: [], most: 1 });
  });

  test('is never given by a tuner without that setting, nor for terrestrial reception', async () => {
    const rig = antennaRig();
    const one = rig.open(tuner('/dev/px4video0'), BS);
    const other = rig.open(tuner(FRONTEND, true), T27);
    await until(() => [one, other].every(({ log }) => log.includes('locked')));
    expect(powering(rig)).toEqual({ now: [], most: 0 });
    await Promise.all([one.session.close(), other.session.close()]);
  });

  test('is available to the next tuning after a failed one', async () => {
    const rig = antennaRig();
    rig.kernel.files.set(
      '/dev/px4video0',
      characterFile(undefined, { [px4.SET_CHANNEL]: () => fail('EAGAIN') }),
    );
    const failed = rig.open(tuner('/dev/px4video0', true), BS);
    await until(() => failed.log.length > 0);
    await failed.session.close();
    const next = rig.open(tuner(FRONTEND, true), BS);
    await until(() => next.log.includes('locked'));
    expect(powering(rig).now).toEqual([FRONTEND]);
    await next.session.close();
  });
});
