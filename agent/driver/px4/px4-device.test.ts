import { describe, expect, test } from 'bun:test';
import { type Errno, fail, type ScriptedFile, ScriptedKernel } from '../../../test/agent/scripted-kernel.ts';
import { ScriptedTime } from '../../../test/agent/scripted-time.ts';
import { DeviceError } from '../device-error.ts';
import type { TuneOrder } from '../device-messages.ts';
import { HeldDescriptors } from '../held-descriptors.ts';
import * as abi from './abi.ts';
import { Px4Device, satelliteCnr, terrestrialCnr } from './px4-device.ts';

type Ioctls = NonNullable<ScriptedFile['ioctl']>;

const GR: Omit<TuneOrder, 'device'> = {
  driver: 'px4',
  type: 'GR',
  channel: 'T13',
  tsid: null,
  lnb: false,
  lockMs: 5_000,
  held: new HeldDescriptors().memory,
};
const BS: Omit<TuneOrder, 'device'> = { ...GR, type: 'BS', channel: 'BS15_2', tsid: 0x40f2 };
const CS: Omit<TuneOrder, 'device'> = { ...GR, type: 'CS', channel: 'CS24', tsid: 0x7180 };

class Rig {
  readonly kernel: ScriptedKernel;
  readonly path: string;

  constructor(name: string, ioctls: Ioctls = {}, file: Omit<ScriptedFile, 'ioctl'> = {}) {
    this.path = `/dev/${name}`;
    this.kernel = new ScriptedKernel({
      [this.path]: {
        ioctl: {
          [abi.SET_CHANNEL]: () => 0,
          [abi.START_STREAMING]: () => 0,
          [abi.STOP_STREAMING]: () => 0,
          [abi.ENABLE_LNB_POWER]: () => 0,
          [abi.DISABLE_LNB_POWER]: () => 0,
          [abi.SET_SYSTEM_MODE]: () => 0,
          ...ioctls,
        },
        ...file,
      },
    });
  }

  async tuned(order: Omit<TuneOrder, 'device'>): Promise<Px4Device> {
    const { kernel } = this;
    const clock = new ScriptedTime().clock;
    const device = Px4Device.open(this.path, { calls: kernel, facts: kernel, clock });
    const control = { pause: async () => {}, onSignal: () => {} };
    await device.tune({ ...order, device: this.path }, control);
    return device;
  }

  async failure(order: Omit<TuneOrder, 'device'>): Promise<DeviceError> {
    try {
      (await this.tuned(order)).read(new Uint8Array(188));
    } catch (error) {
      if (error instanceof DeviceError) return error;
      throw error;
    }
    throw new Error('nothing failed');
  }

  /** Requests with their arguments, in order. */
  ioctls(): [number, number | number[]][] {
    return this.kernel.log
      .map((line) => line.split(' '))
      .filter(([call]) => call === 'ioctl')
      .map(([, , request, argument = '']) => {
        if (argument.length !== 16) return [Number(request), Number(argument)];
        const bytes = Buffer.from(argument, 'hex');
        return [Number(request), [bytes.readInt32LE(0), bytes.readInt32LE(4)]];
      });
  }
}

describe('tuning', () => {
  test('terrestrial by channel number', async () => {
    const rig = new Rig('px4video2');
    await rig.tuned({ ...GR, lnb: true });
    expect(rig.ioctls()).toEqual([
      [abi.SET_CHANNEL, [63, 0]],
      [abi.START_STREAMING, 0],
    ]);
    const last = new Rig('px4video3');
    await last.tuned({ ...GR, channel: 'T62' });
    expect(last.ioctls()[0]).toEqual([abi.SET_CHANNEL, [112, 0]]);
  });

  test('satellite by transport stream id, or by slot while it is unknown', async () => {
    for (const [order, wanted] of [
      [BS, [7, 0x40f2]],
      [{ ...BS, tsid: null }, [7, 2]],
      [CS, [23, 0x7180]],
      [{ ...CS, channel: 'CS02', tsid: null }, [12, 0]],
    ] as const) {
      const rig = new Rig('px4video0');
      await rig.tuned(order);
      expect(rig.ioctls()[0]).toEqual([abi.SET_CHANNEL, [...wanted]]);
    }
  });

  test('pt3 and pt1 are never given a transport stream id', async () => {
    for (const name of ['pt3video0', 'pt1video1']) {
      const rig = new Rig(name);
      await rig.tuned(BS);
      expect(rig.ioctls()[0]).toEqual([abi.SET_CHANNEL, [7, 2]]);
    }
  });

  test('an early px4_drv that refuses a transport stream id is given the slot', async () => {
    const rig = new Rig('px4video0', {
      [abi.SET_CHANNEL]: (argument) =>
        new DataView((argument as Uint8Array).buffer).getInt32(4, true) >= 8 ? fail('EINVAL') : 0,
    });
    await rig.tuned(BS);
    expect(rig.ioctls().slice(0, 2)).toEqual([
      [abi.SET_CHANNEL, [7, 0x40f2]],
      [abi.SET_CHANNEL, [7, 2]],
    ]);
  });

  test('a tuner for both systems is switched to the right one, if its driver has the call', async () => {
    for (const answer of [0, fail('ENOSYS'), fail('ENOTTY')]) {
      const rig = new Rig('pxmlt5video0', { [abi.SET_SYSTEM_MODE]: () => answer });
      await rig.tuned(GR);
      await rig.tuned(BS);
      const modes = rig.ioctls().filter(([request]) => request === abi.SET_SYSTEM_MODE);
      expect(modes.map(([, mode]) => mode)).toEqual([0x10, 0x20]);
    }
  });

  test('powers the antenna with 15 V while it is open, for satellite only', async () => {
    const rig = new Rig('px4video0');
    const device = await rig.tuned({ ...BS, lnb: true });
    expect(rig.ioctls().slice(0, 2)).toEqual([
      [abi.ENABLE_LNB_POWER, 2],
      [abi.SET_CHANNEL, [7, 0x40f2]],
    ]);
    device.close();
    device.close();
    expect(rig.ioctls().slice(-2)).toEqual([
      [abi.STOP_STREAMING, 0],
      [abi.DISABLE_LNB_POWER, 0],
    ]);
    expect(rig.kernel.openFiles.size).toBe(0);
  });

  test('restarts a stream that was left running', async () => {
    const answers = [fail('EALREADY'), 0];
    const rig = new Rig('px4video2', { [abi.START_STREAMING]: () => answers.shift() ?? 0 });
    const device = await rig.tuned(GR);
    expect(rig.ioctls().map(([request]) => request)).toEqual([
      abi.SET_CHANNEL,
      abi.START_STREAMING,
      abi.STOP_STREAMING,
      abi.START_STREAMING,
    ]);
    expect(device.blockingFd).not.toBeNull();
  });
});

describe('every error is reported with the next step', () => {
  const SET_CHANNEL: [string, Errno, string][] = [
    ['px4video2', 'EAGAIN', 'no_signal'],
    ['px4video2', 'EINVAL', 'range'],
    ['px4video2', 'EIO', 'gone'],
    ['pt3video2', 'EIO', 'no_signal'],
    ['px4video2', 'EALREADY', 'busy'],
    ['px4video2', 'ENODEV', 'gone'],
    ['px4video2', 'ECANCELED', 'gone'],
    ['px4video2', 'ENOSYS', 'failed'],
  ];
  for (const [name, errno, code] of SET_CHANNEL) {
    test(`SET_CHANNEL ${errno} of ${name}: ${code}`, async () => {
      expect((await new Rig(name, { [abi.SET_CHANNEL]: () => fail(errno) }).failure(GR)).code as string).toBe(
        code,
      );
    });
  }

  const OPEN: [Errno, string][] = [
    ['EALREADY', 'busy'],
    ['EBUSY', 'busy'],
    ['EACCES', 'permission'],
    ['ENOENT', 'missing'],
    ['EIO', 'gone'],
    ['EMFILE', 'limits'],
  ];
  for (const [errno, code] of OPEN) {
    test(`open ${errno}: ${code}`, async () => {
      const rig = new Rig('px4video2', {}, { open: () => fail(errno) });
      rig.kernel.holders.set(rig.path, { pid: 99, name: 'recpt1' });
      const error = await rig.failure(GR);
      expect(error.code as string).toBe(code);
      if (code === 'busy') expect(error.message).toContain('recpt1（プロセス 99）');
    });
  }

  test('START_STREAMING and read of a removed device', async () => {
    const starting = new Rig('px4video2', { [abi.START_STREAMING]: () => fail('EIO') });
    expect((await starting.failure(GR)).code).toBe('gone');
    const reading = new Rig('px4video2', {}, { read: () => fail('EIO') });
    expect((await reading.failure(GR)).code).toBe('gone');
  });

  test('a broadcast that the tuner does not receive', async () => {
    expect((await new Rig('px4video2').failure(BS)).code).toBe('system');
    expect((await new Rig('px4video0').failure(GR)).code).toBe('system');
    const refused = new Rig('isdb2056video0', { [abi.SET_SYSTEM_MODE]: () => fail('EINVAL') });
    expect((await refused.failure(BS)).code).toBe('system');
  });

  test('an antenna that the tuner cannot power', async () => {
    for (const errno of ['ENOSYS', 'ENOTTY', 'EINVAL'] as const) {
      const rig = new Rig('px4video0', { [abi.ENABLE_LNB_POWER]: () => fail(errno) });
      expect((await rig.failure({ ...BS, lnb: true })).code).toBe('lnb');
    }
  });
});

describe('reading', () => {
  test('a stream without data for long is an error; single empty reads are not', async () => {
    const device = await new Rig('px4video2', {}, { read: () => 0 }).tuned(GR);
    const buffer = new Uint8Array(188);
    for (let count = 0; count < 99; count += 1) expect(device.read(buffer)).toBe(0);
    expect(() => device.read(buffer)).toThrow(DeviceError);
  });

  test('continues after interrupted calls and overflows', async () => {
    const answers = [fail('EINTR'), fail('EAGAIN'), fail('EOVERFLOW'), 188];
    const device = await new Rig('px4video2', {}, { read: () => answers.shift() ?? 0 }).tuned(GR);
    const buffer = new Uint8Array(188);
    expect([0, 1, 2, 3].map(() => device.read(buffer))).toEqual([0, 0, 0, 188]);
    expect(device.takeOverflows()).toBe(1);
  });
});

describe('the carrier-to-noise ratio', () => {
  test('of terrestrial reception follows the demodulator’s formula', () => {
    // P = 0, 10 and 20 dB.
    expect(terrestrialCnr(5_505_024)).toBe(3.1);
    expect(terrestrialCnr(550_502)).toBe(11.21);
    expect(terrestrialCnr(55_050)).toBe(21.04);
    expect(terrestrialCnr(0)).toBeNull();
  });

  test('of satellite reception follows the demodulator’s formula', () => {
    // P = 0 and 1.
    expect(satelliteCnr(3_000)).toBe(58.86);
    expect(satelliteCnr(3_000 + 64 ** 2)).toBe(20.72);
    expect(satelliteCnr(2_999)).toBeNull();
  });

  test('never falls as noise falls, within the range of reception', () => {
    let before = 0;
    for (let raw = 3_000_000; raw > 2_000; raw = Math.floor(raw * 0.9)) {
      const cnr = terrestrialCnr(raw) ?? 0;
      expect(cnr).toBeGreaterThanOrEqual(before);
      before = cnr;
    }
  });

  test('is read by GET_CNR, whose answer is 4 bytes', async () => {
    const cnr = (raw: number) => (argument: Uint8Array | number) => {
      new DataView((argument as Uint8Array).buffer).setUint32(0, raw, true);
      return 0;
    };
    const terrestrial = await new Rig('px4video2', { [abi.GET_CNR]: cnr(55_050) }).tuned(GR);
    expect(terrestrial.signal()).toEqual({ locked: true, cnr: 21.04, strength: null });
    const satellite = await new Rig('px4video0', { [abi.GET_CNR]: cnr(7_096) }).tuned(BS);
    expect(satellite.signal()?.cnr).toBe(20.72);
    const unknown = await new Rig('pt1video0', { [abi.GET_CNR]: cnr(7_096) }).tuned(BS);
    expect(unknown.signal()?.cnr).toBeNull();
    const none = await new Rig('px4video2').tuned(GR);
    expect(none.signal()).toEqual({ locked: true, cnr: null, strength: null });
    const gone = await new Rig('px4video2', { [abi.GET_CNR]: () => fail('EIO') }).tuned(GR);
    expect(() => gone.signal()).toThrow(DeviceError);
  });
});
