/**
 * Behaviour of a device worker that its session cannot observe: when reading pauses, and a stream whose `read`
 * blocks.
 */
import { describe, expect, test } from 'bun:test';
import { dvbAdapter, frontendState, ISDBT } from '../../test/agent/scripted-devices.ts';
import { ScriptedKernel } from '../../test/agent/scripted-kernel.ts';
import { ScriptedTime } from '../../test/agent/scripted-time.ts';
import { until } from '../../test/until.ts';
import type { DeviceContract, TuneOrder } from './device-messages.ts';
import { DeviceWorkerHost } from './device-worker-host.ts';
import { HeldDescriptors } from './held-descriptors.ts';
import { SET_CHANNEL, START_STREAMING, STOP_STREAMING } from './px4/abi.ts';

const ORDER: TuneOrder = {
  driver: 'dvb',
  device: '/dev/dvb/adapter0/frontend0',
  type: 'GR',
  channel: 'T27',
  tsid: null,
  lnb: false,
  lockMs: 5_000,
  held: new HeldDescriptors().memory,
};

function start(kernel: ScriptedKernel) {
  const time = new ScriptedTime();
  const events: DeviceContract['events'][] = [];
  const host = new DeviceWorkerHost({
    system: { calls: kernel, facts: kernel, clock: time.clock },
    send: (event) => events.push(event),
    sleep: time.sleep,
  });
  const untaken = (): number =>
    events.reduce((sum, event) => sum + (event.kind === 'data' ? event.bytes.length : 0), 0);
  return { host, time, events, untaken };
}

describe('DeviceWorkerHost', () => {
  test('pauses reading with 64 MB unacknowledged, and continues after an acknowledgement', async () => {
    const kernel = new ScriptedKernel(dvbAdapter(0, frontendState([ISDBT]), { read: (into) => into.length }));
    const { host, time, events, untaken } = start(kernel);
    await host.tune(ORDER);
    await until(() => untaken() > 64 * 1024 * 1024);
    const before = events.filter(({ kind }) => kind === 'data').length;
    for (let turn = 0; turn < 50; turn += 1) await time.sleep(20);
    expect(events.filter(({ kind }) => kind === 'data')).toHaveLength(before);
    host.order({ kind: 'taken', bytes: 1024 * 1024 });
    await until(() => events.filter(({ kind }) => kind === 'data').length > before);
    await host.close();
  });

  test('reports the signal about every second', async () => {
    const kernel = new ScriptedKernel(dvbAdapter(0, frontendState([ISDBT])));
    const { host, time, events } = start(kernel);
    await host.tune(ORDER);
    await until(() => time.clock() > 10_000);
    await host.close();
    const seconds = time.clock() / 1000;
    const signals = events.filter(({ kind }) => kind === 'signal').length;
    expect(signals).toBeGreaterThanOrEqual(seconds - 2);
    expect(signals).toBeLessThanOrEqual(seconds + 1);
  });

  test('reports the descriptor of a stream that can block, and stops it from another worker', async () => {
    let stopped = 0;
    const kernel = new ScriptedKernel({
      '/dev/px4video2': {
        ioctl: {
          [SET_CHANNEL]: () => 0,
          [START_STREAMING]: () => 0,
          [STOP_STREAMING]: () => {
            stopped += 1;
            return 0;
          },
        },
      },
    });
    const { host, events } = start(kernel);
    await host.tune({ ...ORDER, driver: 'px4', device: '/dev/px4video2' });
    const streaming = events.find((event) => event.kind === 'streaming');
    expect(kernel.openFiles.get(streaming?.fd ?? -1)).toBe('/dev/px4video2');
    start(kernel).host.interrupt(streaming?.fd ?? -1);
    expect(stopped).toBe(1);
    await host.close();
    expect(kernel.openFiles.size).toBe(0);
  });
});
