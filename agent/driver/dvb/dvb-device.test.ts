import { describe, expect, test } from 'bun:test';
import {
  dvbAdapter,
  type FrontendState,
  frontendState,
  ISDBS,
  ISDBT,
} from '../../../test/agent/scripted-devices.ts';
import { type Errno, fail, type ScriptedFile, ScriptedKernel } from '../../../test/agent/scripted-kernel.ts';
import { ScriptedTime } from '../../../test/agent/scripted-time.ts';
import { Closing } from '../device.ts';
import { DeviceError } from '../device-error.ts';
import type { TuneOrder } from '../device-messages.ts';
import type { Signal } from '../driver.ts';
import { HeldDescriptors } from '../held-descriptors.ts';
import * as abi from './abi.ts';
import { DvbDevice } from './dvb-device.ts';

const FRONTEND = '/dev/dvb/adapter0/frontend0';
const DEMUX = '/dev/dvb/adapter0/demux0';
const DVR = '/dev/dvb/adapter0/dvr0';

const T27: TuneOrder = {
  driver: 'dvb',
  device: FRONTEND,
  type: 'GR',
  channel: 'T27',
  tsid: null,
  lnb: false,
  lockMs: 5_000,
  held: new HeldDescriptors().memory,
};
const BS15_0: TuneOrder = { ...T27, type: 'BS', channel: 'BS15_0', tsid: 0x40f1 };
const CS04: TuneOrder = { ...T27, type: 'CS', channel: 'CS04', tsid: 0x7040 };

class Rig {
  readonly time = new ScriptedTime();
  readonly kernel: ScriptedKernel;
  readonly signals: Signal[] = [];
  closing = false;

  constructor(
    readonly state: FrontendState = frontendState([ISDBT, ISDBS]),
    stream: Pick<ScriptedFile, 'read' | 'poll'> = {},
  ) {
    this.kernel = new ScriptedKernel(dvbAdapter(0, state, stream));
  }

  open(): DvbDevice {
    return DvbDevice.open(FRONTEND, { calls: this.kernel, facts: this.kernel, clock: this.time.clock });
  }

  async tuned(order: TuneOrder): Promise<DvbDevice> {
    const device = this.open();
    await device.tune(order, {
      pause: async (ms) => {
        await this.time.sleep(ms);
        if (this.closing) throw new Closing();
      },
      onSignal: (signal) => this.signals.push(signal),
    });
    return device;
  }

  /** The `DeviceError` of opening, tuning or reading. */
  async failure(order: TuneOrder = T27): Promise<DeviceError> {
    try {
      (await this.tuned(order)).read(new Uint8Array(188));
    } catch (error) {
      if (error instanceof DeviceError) return error;
      throw error;
    }
    throw new Error('nothing failed');
  }

  ioctls(path: string): number[] {
    return this.kernel.log
      .filter((line) => line.startsWith(`ioctl ${path} `))
      .map((line) => Number(line.split(' ')[2]));
  }
}

describe('tuning', () => {
  test('a terrestrial channel: frequency in Hz, 6 MHz, and no antenna power', async () => {
    const rig = new Rig();
    await rig.tuned({ ...T27, lnb: true });
    expect(Object.fromEntries(rig.state.tuned)).toEqual({
      [abi.DTV_CLEAR]: 0,
      [abi.DTV_DELIVERY_SYSTEM]: ISDBT,
      [abi.DTV_FREQUENCY]: 557_142_857,
      [abi.DTV_BANDWIDTH_HZ]: 6_000_000,
      [abi.DTV_TUNE]: 0,
    });
    expect(rig.ioctls(FRONTEND)).not.toContain(abi.FE_SET_VOLTAGE);
    expect([...rig.state.tuned.keys()].at(0)).toBe(abi.DTV_CLEAR);
    expect([...rig.state.tuned.keys()].at(-1)).toBe(abi.DTV_TUNE);
  });

  for (const [order, kilohertz] of [
    [BS15_0, 1_049_480 + 7 * 38_360],
    [CS04, 1_613_000 + 40_000],
  ] as const) {
    test(`${order.channel}: intermediate frequency in kHz and the transport stream id`, async () => {
      const rig = new Rig();
      await rig.tuned(order);
      expect(rig.state.tuned.get(abi.DTV_DELIVERY_SYSTEM)).toBe(ISDBS);
      expect(rig.state.tuned.get(abi.DTV_FREQUENCY)).toBe(kilohertz);
      expect(rig.state.tuned.get(abi.DTV_STREAM_ID)).toBe(order.tsid ?? -1);
      expect(rig.ioctls(FRONTEND)).not.toContain(abi.FE_SET_VOLTAGE);
    });
  }

  test('powers the antenna before it tunes, and switches it off before the device is closed', async () => {
    const rig = new Rig();
    const device = await rig.tuned({ ...BS15_0, lnb: true });
    const ioctls = rig.ioctls(FRONTEND);
    expect(ioctls.indexOf(abi.FE_SET_VOLTAGE)).toBeLessThan(ioctls.indexOf(abi.FE_SET_PROPERTY));
    expect(rig.state.voltage).toBe(1);
    device.close();
    expect(rig.state.voltage).toBe(2);
    expect(rig.kernel.openFiles.size).toBe(0);
  });

  test('reads the whole stream by the demultiplexer of the same number, after the lock', async () => {
    const rig = new Rig();
    rig.state.status = 0;
    const started = rig.tuned(T27);
    await rig.time.sleep(100);
    expect(rig.kernel.log.some((line) => line.includes(DVR))).toBe(false);
    rig.state.status = 31;
    await started;
    const filter = rig.kernel.log.find((line) => line.startsWith(`ioctl ${DEMUX}`));
    expect(filter).toEndWith('0020000000000000020000001400000004000000');
    expect(rig.kernel.log).toContain(`ioctl ${DVR} 0x6f2d ${8 * 1024 * 1024}`);
  });

  test('continues with a shorter ring buffer when 8 MB are refused', async () => {
    const rig = new Rig();
    rig.kernel.files.set(DVR, { ioctl: { [abi.DMX_SET_BUFFER_SIZE]: () => fail('ENOMEM') } });
    const device = await rig.tuned(T27);
    expect(device.read(new Uint8Array(188))).toBe(0);
  });

  test('uses the only demultiplexer of an adapter with two frontends', async () => {
    const kernel = new ScriptedKernel(dvbAdapter(0, frontendState([ISDBS])));
    const first = kernel.files.get(FRONTEND) ?? {};
    kernel.files.set('/dev/dvb/adapter0/frontend1', first);
    const device = DvbDevice.open('/dev/dvb/adapter0/frontend1', {
      calls: kernel,
      facts: kernel,
      clock: new ScriptedTime().clock,
    });
    await device.tune(BS15_0, { pause: async () => {}, onSignal: () => {} });
    expect(kernel.log).toContain(`open ${DVR}`);
  });
});

describe('the lock', () => {
  test('is awaited up to the limit, with the signal shown meanwhile', async () => {
    const rig = new Rig();
    Object.assign(rig.state, { status: 3, cnrMilliDb: 4_200 });
    const error = await rig.failure();
    expect(error.code).toBe('no_signal');
    expect(error.message).toContain('5 秒以内');
    expect(error.message).toContain('CNR 4.2 dB');
    expect(rig.time.clock()).toBeGreaterThanOrEqual(5_000);
    expect(rig.time.clock()).toBeLessThan(5_100);
    expect(rig.signals.length).toBeGreaterThan(5);
    expect(rig.signals[0]).toEqual({ locked: false, cnr: 4.2, strength: -42 });
  });

  test('may take 15 s with a frontend that is known to be slow', async () => {
    const rig = new Rig(frontendState([ISDBT], 'Siano Mobile Digital MDTV Receiver'));
    rig.state.status = 0;
    expect((await rig.failure()).message).toContain('15 秒以内');
  });

  test('is given up at once when the tuning is closed', async () => {
    const rig = new Rig();
    rig.state.status = 0;
    const tuning = rig.tuned(T27);
    rig.closing = true;
    expect(await tuning.catch((error: Error) => error)).toBeInstanceOf(Closing);
    expect(rig.time.clock()).toBeLessThan(1_000);
  });
});

describe('reception problems', () => {
  test('a system that the frontend does not have, though the kernel would accept it', async () => {
    const rig = new Rig(frontendState([ISDBT]));
    expect((await rig.failure(BS15_0)).code).toBe('system');
    expect(rig.state.tuned.size).toBe(0);
  });

  test('a satellite channel whose transport stream id is unknown', async () => {
    const rig = new Rig();
    expect((await rig.failure({ ...BS15_0, tsid: null, lnb: true })).code).toBe('no_tsid');
    expect(rig.state.voltage).toBe(2);
  });

  test('a frequency out of the frontend’s range', async () => {
    const rig = new Rig();
    const error = await rig.failure({ ...T27, channel: 'T62' });
    expect(error.code).toBe('range');
    expect(error.message).toContain('T62');
  });

  for (const errno of ['EOPNOTSUPP', 'EINVAL', 'ENOTTY'] as const) {
    test(`an antenna that the frontend cannot power (${errno})`, async () => {
      const rig = new Rig();
      const file = rig.kernel.files.get(FRONTEND);
      if (file?.ioctl !== undefined) file.ioctl[abi.FE_SET_VOLTAGE] = () => fail(errno);
      expect((await rig.failure({ ...BS15_0, lnb: true })).code).toBe('lnb');
    });
  }
});

describe('every failed call is reported with the next step', () => {
  const OPEN: [Errno, string, string][] = [
    ['ENOENT', 'missing', 'ドライバー'],
    ['EACCES', 'permission', 'video グループ'],
    ['EPERM', 'permission', 'video グループ'],
    ['EBUSY', 'busy', 'mirakurun（プロセス 77）'],
    ['ENODEV', 'gone', '接続'],
    ['ENXIO', 'gone', '接続'],
    ['EIO', 'gone', '接続'],
    ['EMFILE', 'limits', '上限'],
    ['ENFILE', 'limits', '上限'],
    ['ENOMEM', 'limits', 'メモリー'],
    ['EOVERFLOW', 'failed', 'ログ'],
  ];
  for (const path of [FRONTEND, DVR, DEMUX]) {
    for (const [errno, code, words] of OPEN) {
      test(`open ${path} ${errno}`, async () => {
        const rig = new Rig();
        rig.kernel.holders.set(path, { pid: 77, name: 'mirakurun' });
        rig.kernel.groups.set(path, 'video');
        rig.kernel.files.set(path, { ...rig.kernel.files.get(path), open: () => fail(errno) });
        const error = await rig.failure();
        expect(error.code as string).toBe(code);
        expect(error.message).toContain(words);
        expect(error.message).toContain(path);
        expect(error.message).not.toContain(errno);
        if (code === 'failed') expect(error.detail).toBe(`open: ${errno}`);
      });
    }
  }

  const REQUESTS = [
    [FRONTEND, 'FE_GET_PROPERTY', abi.FE_GET_PROPERTY],
    [FRONTEND, 'FE_SET_PROPERTY', abi.FE_SET_PROPERTY],
    [FRONTEND, 'FE_READ_STATUS', abi.FE_READ_STATUS],
    [FRONTEND, 'FE_GET_INFO', abi.FE_GET_INFO],
    [DEMUX, 'DMX_SET_PES_FILTER', abi.DMX_SET_PES_FILTER],
  ] as const;
  for (const [path, name, request] of REQUESTS) {
    test(`${name} on a removed device`, async () => {
      for (const errno of ['ENODEV', 'EIO', 'ESHUTDOWN', 'ETIMEDOUT', 'EREMOTEIO'] as const) {
        const rig = new Rig();
        const file = rig.kernel.files.get(path);
        rig.kernel.files.set(path, { ioctl: { ...file?.ioctl, [request]: () => fail(errno) } });
        const error = await rig.failure();
        expect(error.code).toBe('gone');
        expect(error.message).not.toContain(errno);
        expect(error.detail).toEndWith(`: ${errno}`);
      }
    });
  }

  test('a demultiplexer filter used by another process', async () => {
    const rig = new Rig();
    rig.kernel.files.set(DEMUX, { ioctl: { [abi.DMX_SET_PES_FILTER]: () => fail('EBUSY') } });
    expect((await rig.failure()).code).toBe('busy');
  });
});

describe('reading', () => {
  test('an overflow of the ring buffer is counted and reading continues', async () => {
    const answers = [fail('EOVERFLOW'), fail('EAGAIN'), 188, fail('EINTR'), fail('EOVERFLOW'), 376];
    const rig = new Rig(undefined, { read: () => answers.shift() ?? 0 });
    const device = await rig.tuned(T27);
    const lengths = Array.from({ length: 6 }, () => device.read(new Uint8Array(1880)));
    expect(lengths).toEqual([0, 0, 188, 0, 0, 376]);
    expect([device.takeOverflows(), device.takeOverflows()]).toEqual([2, 0]);
  });

  test('without data it waits in poll and does not read', async () => {
    let reads = 0;
    const read = (): number => {
      reads += 1;
      return 0;
    };
    for (const ready of [0, fail('EINTR')]) {
      const device = await new Rig(undefined, { poll: () => ready, read }).tuned(T27);
      expect(device.read(new Uint8Array(188))).toBe(0);
    }
    expect(reads).toBe(0);
  });

  for (const errno of ['ENODEV', 'EIO'] as const) {
    test(`a device that vanishes ends it (${errno})`, async () => {
      expect((await new Rig(undefined, { read: () => fail(errno) }).failure()).code).toBe('gone');
      expect((await new Rig(undefined, { poll: () => fail(errno) }).failure()).code).toBe('gone');
    });
  }
});

describe('the signal', () => {
  test('is given in dB and dBm, and as unknown on a relative scale or without statistics', async () => {
    const rig = new Rig();
    const device = await rig.tuned(T27);
    expect(device.signal()).toEqual({ locked: true, cnr: 28.5, strength: -42 });
    rig.state.strength = { scale: 2, value: 0x8000 };
    rig.state.status = 7;
    expect(device.signal()).toEqual({ locked: false, cnr: 28.5, strength: null });
    const file = rig.kernel.files.get(FRONTEND);
    if (file?.ioctl !== undefined) file.ioctl[abi.FE_GET_PROPERTY] = () => fail('EOPNOTSUPP');
    expect(device.signal()).toEqual({ locked: false, cnr: null, strength: null });
  });
});
