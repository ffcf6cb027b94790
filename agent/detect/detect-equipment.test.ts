import { describe, expect, test } from 'bun:test';
import { dvbAdapter, frontendState, ISDBS, ISDBT } from '../../test/agent/scripted-devices.ts';
import { fail, type ScriptedFile, ScriptedKernel } from '../../test/agent/scripted-kernel.ts';
import { detectEquipment, toTunerDefinitions } from './detect-equipment.ts';

function detect(kernel: ScriptedKernel) {
  return detectEquipment({ names: (folder) => kernel.names(folder), calls: kernel, facts: kernel, pid: 1 });
}

const DVBT = 3;

describe('detectEquipment', () => {
  test('finds nothing on a machine without tuners', () => {
    expect(detect(new ScriptedKernel({ '/dev/null': {}, '/dev/video0': {} }))).toEqual([]);
  });

  test('recognises frontends by their delivery systems and closes all of them', () => {
    const kernel = new ScriptedKernel({
      ...dvbAdapter(10, frontendState([ISDBT, ISDBS], 'both')),
      ...dvbAdapter(2, frontendState([ISDBS], 'satellite')),
      ...dvbAdapter(0, frontendState([ISDBT], 'terrestrial')),
      ...dvbAdapter(1, frontendState([DVBT], 'foreign')),
    });
    expect(detect(kernel)).toMatchObject([
      { driver: 'dvb', device: '/dev/dvb/adapter0/frontend0', types: ['GR'], problem: null },
      { model: 'foreign', types: [], problem: { code: 'no_system' } },
      { model: 'satellite', types: ['BS', 'CS'], problem: null },
      { device: '/dev/dvb/adapter10/frontend0', types: ['GR', 'BS', 'CS'], problem: null },
    ]);
    expect(kernel.openFiles.size).toBe(0);
    expect(kernel.log.some((line) => line.includes('demux') || line.includes('dvr'))).toBe(false);
  });

  test('recognises character devices by their names without opening them', () => {
    const files: Record<string, ScriptedFile> = {};
    const names = [
      ...[0, 1, 2, 3, 4, 6].map((number) => `px4video${number}`),
      ...['pt3video1', 'pt3video2', 'pt1video0', 'pt1video3', 'pxmlt5video4', 'pxmlt8video7'],
      ...['isdb2056video0', 'isdb6014video3', 'pxm1urvideo0', 'pxs1urvideo0'],
    ];
    for (const name of [...names, 'video0', 'px4video', 'px4videox', 'toStringvideo0'])
      files[`/dev/${name}`] = {};
    const kernel = new ScriptedKernel(files);
    const types = new Map(detect(kernel).map((device) => [device.device.slice(5), device.types.join('+')]));
    const [gr, satellite, both] = ['GR', 'BS+CS', 'GR+BS+CS'];
    expect(Object.fromEntries(types)).toEqual({
      px4video0: satellite,
      px4video1: satellite,
      px4video2: gr,
      px4video3: gr,
      px4video4: satellite,
      px4video6: gr,
      pt3video1: satellite,
      pt3video2: gr,
      pt1video0: satellite,
      pt1video3: gr,
      pxmlt5video4: both,
      pxmlt8video7: both,
      isdb2056video0: both,
      isdb6014video3: both,
      pxm1urvideo0: both,
      pxs1urvideo0: gr,
    } as Record<string, string>);
    expect(kernel.log).toEqual([]);
  });

  test('names the group required for a device that may not be opened', () => {
    const kernel = new ScriptedKernel({ ...dvbAdapter(0, frontendState([ISDBT])), '/dev/px4video0': {} });
    for (const path of ['/dev/dvb/adapter0/demux0', '/dev/px4video0']) {
      kernel.forbidden.add(path);
      kernel.groups.set(path, 'video');
    }
    const devices = detect(kernel);
    expect(devices).toMatchObject([
      { types: ['GR'], problem: { code: 'permission' } },
      { types: ['BS', 'CS'], problem: { code: 'permission' } },
    ]);
    for (const { problem } of devices) expect(problem?.message).toContain('video グループ');
  });

  test('names another process that has a device open, but not itself', () => {
    const kernel = new ScriptedKernel({ ...dvbAdapter(0, frontendState([ISDBT])), '/dev/px4video0': {} });
    kernel.holders.set('/dev/dvb/adapter0/frontend0', { pid: 1, name: 'svc-agent' });
    kernel.holders.set('/dev/px4video0', { pid: 4711, name: 'recpt1' });
    const devices = detect(kernel);
    expect(devices.map(({ problem }) => problem?.code)).toEqual([undefined, 'busy']);
    expect(devices[1]?.problem?.message).toContain('recpt1（プロセス 4711）');
  });

  test('lists a frontend that fails or is incomplete with the reason', () => {
    const failing = dvbAdapter(0, frontendState([ISDBT]));
    failing['/dev/dvb/adapter0/frontend0'] = { open: () => fail('ENODEV') };
    const incomplete = dvbAdapter(1, frontendState([ISDBT]));
    delete incomplete['/dev/dvb/adapter1/dvr0'];
    expect(detect(new ScriptedKernel({ ...failing, ...incomplete }))).toMatchObject([
      { types: [], problem: { code: 'failed' } },
      { types: ['GR'], problem: { code: 'incomplete' } },
    ]);
  });
});

test('the tuner list omits devices that receive nothing and numbers the rest', () => {
  const kernel = new ScriptedKernel({
    ...dvbAdapter(0, frontendState([DVBT])),
    ...dvbAdapter(1, frontendState([ISDBT])),
    '/dev/px4video0': {},
    '/dev/px4video1': {},
    '/dev/px4video2': {},
  });
  expect(toTunerDefinitions(detect(kernel)).map(({ name, device }) => [name, device])).toEqual([
    ['地上波 1', '/dev/dvb/adapter1/frontend0'],
    ['BS・CS 1', '/dev/px4video0'],
    ['BS・CS 2', '/dev/px4video1'],
    ['地上波 2', '/dev/px4video2'],
  ]);
});
