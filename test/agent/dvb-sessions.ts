/**
 * The operations on a DVB device in `recordings/dvb-core-6.1.json`, on the real dvb-core of the rig and
 * replayed from the recording: each session returns the results of the driver.
 */
import type { DeviceSystem } from '../../agent/driver/device.ts';
import { DeviceError } from '../../agent/driver/device-error.ts';
import type { TuneOrder } from '../../agent/driver/device-messages.ts';
import { DvbDevice } from '../../agent/driver/dvb/dvb-device.ts';
import { HeldDescriptors } from '../../agent/driver/held-descriptors.ts';

const FRONTEND = '/dev/dvb/adapter0/frontend0';
const T27: TuneOrder = {
  driver: 'dvb',
  device: FRONTEND,
  type: 'GR',
  channel: 'T27',
  tsid: null,
  lnb: false,
  lockMs: 1_000,
  held: new HeldDescriptors().memory,
};
const BS15: TuneOrder = { ...T27, type: 'BS', channel: 'BS15_0', tsid: 0x40f1, lnb: true };

/** Controls of the rig; they do nothing on a recording. */
interface Air {
  /** Sends packets that arrive at once. */
  send(packets: number): void;
  setSignal(on: boolean): void;
  unplug(): void;
  pause(ms: number): Promise<void>;
}

export interface SessionResult {
  session: string;
  finding: unknown;
}

export async function runDvbSessions(system: DeviceSystem, air: Air): Promise<SessionResult[]> {
  const control = { pause: (ms: number) => air.pause(ms), onSignal: () => {} };
  const buffer = new Uint8Array(8 * 1024 * 1024);
  const tuned = async (order: TuneOrder): Promise<DvbDevice> => {
    const device = DvbDevice.open(FRONTEND, system);
    try {
      await device.tune(order, control);
    } catch (error) {
      device.close();
      throw error;
    }
    return device;
  };
  const codeOf = async (act: () => Promise<unknown>): Promise<unknown> => {
    try {
      return await act();
    } catch (error) {
      return error instanceof DeviceError ? error.code : String(error);
    }
  };
  const sessions: [string, () => Promise<unknown>][] = [
    [
      'terrestrial',
      async () => {
        const device = await tuned(T27);
        const empty = device.read(buffer);
        air.send(100);
        const finding = { empty, bytes: device.read(buffer), signal: device.signal() };
        device.close();
        return finding;
      },
    ],
    [
      'satellite with power for the antenna',
      async () => {
        const device = await tuned(BS15);
        air.send(10);
        const finding = { bytes: device.read(buffer), signal: device.signal() };
        device.close();
        return finding;
      },
    ],
    [
      'overflow',
      async () => {
        const device = await tuned(T27);
        air.send(50_000);
        const lost = device.read(buffer);
        const after = device.read(buffer);
        air.send(20);
        const finding = { lost, after, bytes: device.read(buffer), overflows: device.takeOverflows() };
        device.close();
        return finding;
      },
    ],
    [
      'busy',
      async () => {
        const first = await tuned(T27);
        const finding = await codeOf(() => tuned(T27));
        first.close();
        return finding;
      },
    ],
    [
      'no signal',
      async () => {
        air.setSignal(false);
        const finding = await codeOf(() => tuned(T27));
        air.setSignal(true);
        return finding;
      },
    ],
    [
      'unplugged',
      async () => {
        const device = await tuned(T27);
        air.unplug();
        const reading = await codeOf(async () => device.read(buffer));
        const signal = await codeOf(async () => device.signal());
        device.close();
        return { reading, signal };
      },
    ],
  ];
  const results: SessionResult[] = [];
  for (const [session, run] of sessions) results.push({ session, finding: await run() });
  return results;
}
