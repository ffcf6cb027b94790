import { describe, expect, test } from 'bun:test';
import type { ModuleListMessage, ModuleMessage, PmtMessage } from '../../../lib/wire/data-broadcast.ts';
import type { ModuleAddress } from './address.ts';
import { changedModuleStatus, initialModuleStatus } from './broadcast-events.ts';
import { ModuleStore } from './module-store.ts';

const pmt = (...components: number[]): PmtMessage => ({
  type: 'pmt',
  components: components.map((componentId) => ({
    pid: 0x100 + componentId,
    componentId,
    streamType: 0x0d,
    dataComponentId: 0x0c,
    bxmlInfo: null,
  })),
});
const list = (modules: Record<number, number>, dataEventId = 1, componentId = 0x40): ModuleListMessage => ({
  type: 'moduleListUpdated',
  componentId,
  dataEventId,
  returnToEntryFlag: false,
  modules: Object.entries(modules).map(([id, version]) => ({ id: Number(id), version, size: 1 })),
});
const module = (
  moduleId: number,
  version: number,
  text = 'x',
  dataEventId = 1,
  name: string | null = 'A.bml',
): ModuleMessage => ({
  type: 'moduleDownloaded',
  componentId: 0x40,
  dataEventId,
  moduleId,
  version,
  files: [{ contentLocation: name, contentType: 'text/X-arib-bml', dataBase64: btoa(text) }],
});
const at = (moduleId: number, file: string | null = 'a.bml', component = 0x40): ModuleAddress => ({
  component,
  module: moduleId,
  file: file ?? undefined,
  fragment: '',
});

function filled() {
  const store = new ModuleStore();
  store.takePmt(pmt(0x40, 0x50));
  store.takeList(list({ 0: 1, 1: 1 }));
  store.takeModule(module(0, 1, 'first'));
  return store;
}
const textOf = (store: ModuleStore, address: ModuleAddress): string | undefined => {
  const file = store.file(address);
  return file === undefined ? undefined : new TextDecoder().decode(file.bytes);
};

describe('a module', () => {
  test('is found by its name in any case', () => {
    expect(textOf(filled(), at(0))).toBe('first');
    expect(filled().file(at(0, 'b.bml'))).toBeUndefined();
    expect(filled().file(at(0, null))).toBeUndefined();
  });
  test('that is one resource has no file name', () => {
    const store = filled();
    store.takeModule(module(1, 1, 'bare', 1, null));
    expect(textOf(store, at(1, null))).toBe('bare');
  });
  test('with names such as constructor and __proto__ is a module', () => {
    const store = filled();
    store.takeModule(module(1, 1, 'x', 1, '__proto__'));
    expect(store.file(at(1, 'constructor'))).toBeUndefined();
    expect(textOf(store, at(1, '__proto__'))).toBe('x');
  });
  test('is here, absent, or awaited', () => {
    const store = filled();
    expect([store.state(0x40, 0), store.state(0x40, 1), store.state(0x40, 2)]).toEqual([
      'here',
      'awaited',
      'absent',
    ]);
    expect([store.state(0x50, 0), store.state(0x60, 0), new ModuleStore().state(0x60, 0)]).toEqual([
      'awaited',
      'absent',
      'awaited',
    ]);
  });
  test('is dropped when the DII has another version, another data event or not the module', () => {
    for (const message of [list({ 0: 2 }), list({ 0: 1 }, 2), list({})]) {
      const store = filled();
      store.takeList(message);
      expect(store.file(at(0))).toBeUndefined();
    }
  });
  test('of another data event is ignored', () => {
    const store = filled();
    store.takeModule(module(1, 1, 'old', 2));
    expect(store.state(0x40, 1)).toBe('awaited');
  });
  test('is dropped with its component', () => {
    const store = filled();
    store.takePmt(pmt(0x50));
    expect([store.state(0x40, 0), store.list(0x40)]).toEqual(['absent', undefined]);
  });
  test('larger than all memory counts as received, without files', () => {
    const store = filled();
    const large = { contentLocation: 'l', contentType: null, dataBase64: btoa('x'.repeat(3 << 20)) };
    for (let id = 2; id < 9; id++) store.takeModule({ ...module(id, 1), files: [large] });
    expect([2, 3, 4, 5, 6, 7, 8].map((id) => store.file(at(id, 'l')) !== undefined)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(store.state(0x40, 8)).toBe('here');
  });
  test('with damaged base64 has an empty file', () => {
    const store = filled();
    store.takeModule({
      ...module(1, 1),
      files: [{ contentLocation: 'x', contentType: null, dataBase64: '*' }],
    });
    expect(store.file(at(1, 'x'))?.bytes).toHaveLength(0);
  });
});

describe('waiting', () => {
  const wait = (store: ModuleStore, component: number, id: number) => {
    const calls: boolean[] = [];
    const cancel = store.await(component, id, (isPresent) => calls.push(isPresent));
    return { calls, cancel };
  };
  test('ends at once when the answer is known', () => {
    expect([wait(filled(), 0x40, 0).calls, wait(filled(), 0x40, 9).calls]).toEqual([[true], [false]]);
  });
  test('ends with the module, once', () => {
    const store = filled();
    const { calls } = wait(store, 0x40, 1);
    expect([calls, store.isAwaiting]).toEqual([[], true]);
    store.takeModule(module(1, 1));
    store.takeModule(module(1, 1));
    expect([calls, store.isAwaiting]).toEqual([[true], false]);
  });
  test('ends when the DII or the PMT tell that there is none', () => {
    const store = filled();
    const ofList = wait(store, 0x50, 3);
    const ofPmt = wait(store, 0x40, 1);
    store.takeList(list({ 0: 1 }, 1, 0x50));
    store.takePmt(pmt(0x50));
    expect([ofList.calls, ofPmt.calls]).toEqual([[false], [false]]);
  });
  test('can be cancelled', () => {
    const store = filled();
    const { calls, cancel } = wait(store, 0x40, 1);
    cancel();
    store.takeModule(module(1, 1));
    expect([calls, store.isAwaiting]).toEqual([[], false]);
  });
});

describe('a lock', () => {
  const lock = (store: ModuleStore, id: number, kind: 'plain' | 'extended' = 'plain') => {
    const calls: boolean[] = [];
    store.lock(at(id, null), `/40/${id}`, kind, (isPresent) => calls.push(isPresent));
    return calls;
  };
  test('keeps the version that it got', () => {
    const store = filled();
    expect(lock(store, 0)).toEqual([true]);
    store.takeList(list({ 0: 2 }));
    store.takeModule(module(0, 2, 'second'));
    expect(textOf(store, at(0))).toBe('first');
    expect([
      store.unlock(0x40, 0, 'extended'),
      store.unlock(0x40, 0, 'plain'),
      store.unlock(0x40, 0, 'plain'),
    ]).toEqual([false, true, false]);
    expect(textOf(store, at(0))).toBe('second');
  });
  test('waits for the module; unlocking cancels', () => {
    const store = filled();
    const calls = lock(store, 1, 'extended');
    expect(store.locked).toEqual([['/40/1', 2, 2]]);
    store.takeModule(module(1, 1));
    expect([calls, store.locked]).toEqual([[true], [['/40/1', 2, 1]]]);
    const cancelled = lock(store, 1);
    store.takeList(list({ 0: 1, 1: 2 }));
    const other = lock(store, 1);
    store.unlockAll();
    store.takeModule(module(1, 2));
    expect([cancelled, other, store.locked]).toEqual([[true], [], []]);
  });
  test('of a module that vanishes fails and is gone', () => {
    const store = filled();
    const calls = lock(store, 1);
    store.takeList(list({ 0: 1 }));
    expect([calls, store.locked]).toEqual([[false], []]);
  });
  test('of one kind is removed without the other', () => {
    const store = filled();
    store.takeModule(module(1, 1));
    lock(store, 0);
    lock(store, 1, 'extended');
    store.unlockAll('plain');
    expect([store.lockKind(0x40, 0), store.lockKind(0x40, 1)]).toEqual([undefined, 'extended']);
  });
});

describe('ModuleUpdated', () => {
  test('on subscription', () => {
    const store = filled();
    expect([0, 1, 2].map((id) => initialModuleStatus(store, 0x40, id))).toEqual([2, 2, 1]);
    expect([initialModuleStatus(store, 0x50, 0), initialModuleStatus(store, 0x60, 0)]).toEqual([
      undefined,
      1,
    ]);
    expect(initialModuleStatus(new ModuleStore(), 0x40, 0)).toBeUndefined();
  });
  test.each([
    ['updated', { 0: 1 }, 1, { 0: 2 }, 1, 0],
    ['unchanged', { 0: 1 }, 1, { 0: 1, 1: 1 }, 1, undefined],
    ['vanished', { 0: 1 }, 1, {}, 1, 1],
    ['appeared', {}, 1, { 0: 1 }, 1, 2],
    ['still absent', {}, 1, {}, 1, undefined],
    ['appeared in a new event', {}, 1, { 0: 1 }, 2, 4],
    ['vanished in a new event', { 0: 1 }, 1, {}, 2, 5],
    ['in a new event', { 0: 1 }, 1, { 0: 1 }, 2, 6],
    ['still absent in a new event', {}, 1, {}, 2, undefined],
  ])('%s', (_, before, eventBefore, now, event, status) => {
    const store = new ModuleStore();
    store.takeList(list(before, eventBefore));
    expect(changedModuleStatus(store.takeList(list(now, event)), 0, false)).toBe(status);
  });
  test('the first DII answers a subscription that waits', () => {
    const change = new ModuleStore().takeList(list({ 0: 1 }));
    expect([changedModuleStatus(change, 0, true), changedModuleStatus(change, 1, true)]).toEqual([2, 1]);
  });
});
