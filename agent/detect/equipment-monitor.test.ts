import { expect, test } from 'bun:test';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { DetectedDevice } from '../../lib/wire/agent.ts';
import { until } from '../../test/until.ts';
import { EquipmentMonitor } from './equipment-monitor.ts';

const device = (name: string, problem: DetectedDevice['problem'] = null): DetectedDevice => ({
  driver: 'px4',
  device: name,
  types: ['GR'],
  model: '',
  problem,
});

function start(detect: () => DetectedDevice[]) {
  const state = { paths: ['/dev/a'], detections: 0, changes: 0, looks: 0 };
  const monitor = new EquipmentMonitor({
    detect: async () => {
      state.detections += 1;
      return detect();
    },
    paths: () => {
      state.looks += 1;
      return [...state.paths];
    },
    onChange: () => {
      state.changes += 1;
    },
    intervalMs: 1,
    log: SILENT_LOG,
  });
  return { state, monitor };
}

test('probes the devices again only when their names changed', async () => {
  let list = [device('/dev/a')];
  const { state, monitor } = start(() => list);
  await monitor.start();
  expect(monitor.devices).toEqual(list);
  await until(() => state.looks > 20);
  expect([state.detections, state.changes]).toEqual([1, 0]);
  list = [device('/dev/a'), device('/dev/b')];
  state.paths.push('/dev/b');
  await until(() => state.changes === 1);
  list = [device('/dev/b')];
  state.paths.shift();
  await until(() => state.changes === 2);
  expect(monitor.devices).toEqual(list);
  expect(state.detections).toBe(3);
  monitor.close();
});

test('probes a device with a problem periodically, and reports when it is solved', async () => {
  let list = [device('/dev/a', { code: 'permission', message: 'x' })];
  const { state, monitor } = start(() => list);
  await monitor.start();
  await until(() => state.detections > 3);
  expect(state.changes).toBe(0);
  list = [device('/dev/a')];
  await until(() => state.changes === 1);
  monitor.close();
});

test('retries after a failed detection, and keeps the previous result', async () => {
  let fails = false;
  const { state, monitor } = start(() => {
    if (fails) throw new Error('no answer');
    return [device('/dev/a')];
  });
  await monitor.start();
  fails = true;
  state.paths.push('/dev/b');
  await until(() => state.detections > 3);
  expect(monitor.devices).toEqual([device('/dev/a')]);
  expect(state.changes).toBe(0);
  monitor.close();
});
