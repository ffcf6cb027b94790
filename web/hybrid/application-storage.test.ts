import { expect, test } from 'bun:test';
import { ApplicationStorage, BoundedValues, MAX_STORED, MOST_APPLICATIONS } from './application-storage.ts';

class FakeStorage implements Storage {
  [name: string]: unknown;
  readonly map = new Map<string, string>();
  isFull = false;
  get length() {
    return this.map.size;
  }
  key = (index: number) => [...this.map.keys()][index] ?? null;
  getItem = (key: string) => this.map.get(key) ?? null;
  setItem = (key: string, value: string) => {
    if (this.isFull) throw new DOMException('full', 'QuotaExceededError');
    this.map.set(key, value);
  };
  removeItem = (key: string) => void this.map.delete(key);
  clear = () => this.map.clear();
}

const IDS = { organisation: 17, application: 34, origin: 'https://apps.example' };
const FOREIGN = { ...IDS, origin: 'https://other.example' };

test('values of an application are kept under its own key and read again', () => {
  const storage = new FakeStorage();
  const first = new ApplicationStorage(storage, IDS, () => {});
  expect(first.write('count', '1')).toBe(true);
  expect(first.write('__proto__', 'x')).toBe(true);
  expect(first.write('gone', 'x') && first.write('gone', undefined)).toBe(true);
  first.close();
  expect(storage.map.get('svc_hybrid_17_34')).toBe('{"count":"1","__proto__":"x"}');
  expect(new ApplicationStorage(storage, IDS, () => {}).values.count).toBe('1');
  expect(new ApplicationStorage(storage, { ...IDS, application: 35 }, () => {}).values).toEqual({});
});

test('exactly 256 KB as JSON is kept, one octet more is not', () => {
  const values = new BoundedValues({});
  const room = MAX_STORED - JSON.stringify({ a: '' }).length;
  expect(values.put('a', 'x'.repeat(room))).toBe(true);
  expect(values.put('a', 'x'.repeat(room + 1))).toBe(false);
  expect(values.put('b', '')).toBe(false);
  expect(values.get('a')?.length).toBe(room);
  // Octets count, not characters, and as JSON writes them.
  expect(values.put('a', 'あ'.repeat(Math.floor(room / 3)))).toBe(true);
  expect(values.put('a', 'あ'.repeat(Math.floor(room / 3) + 1))).toBe(false);
  expect(values.put('a', '"'.repeat(room / 2 + 1))).toBe(false);
  expect(new TextEncoder().encode(JSON.stringify(values.toRecord())).length).toBeLessThanOrEqual(MAX_STORED);
});

test('damaged and foreign values are left out; a full browser is told', () => {
  const storage = new FakeStorage();
  storage.map.set('svc_hybrid_17_34', '{"a":1,"b":"x"');
  expect(new ApplicationStorage(storage, IDS, () => {}).values).toEqual({});
  storage.map.set('svc_hybrid_17_34', '{"a":1,"b":"x"}');
  expect(new ApplicationStorage(storage, IDS, () => {}).values).toEqual({ b: 'x' });
  let lost = 0;
  const own = new ApplicationStorage(storage, IDS, () => (lost += 1));
  storage.isFull = true;
  own.write('c', 'y');
  own.close();
  expect(lost).toBe(1);
});

test('the consent for the region is remembered for each application', () => {
  const storage = new FakeStorage();
  const own = new ApplicationStorage(storage, IDS, () => {});
  expect(own.regionConsent).toBeUndefined();
  own.regionConsent = false;
  expect(new ApplicationStorage(storage, IDS, () => {}).regionConsent).toBe(false);
  own.regionConsent = true;
  expect(own.regionConsent).toBe(true);
  expect(
    new ApplicationStorage(storage, { ...IDS, organisation: 18 }, () => {}).regionConsent,
  ).toBeUndefined();
});

test('another server that names the same numbers gets neither values nor consent', () => {
  const storage = new FakeStorage();
  const own = new ApplicationStorage(storage, IDS, () => {});
  own.write('secret', 'x');
  own.close();
  own.regionConsent = true;
  const foreign = new ApplicationStorage(storage, FOREIGN, () => {});
  expect([foreign.values, foreign.regionConsent]).toEqual([{}, undefined]);
  // What it stores takes the place of what it did not see.
  foreign.write('a', 'b');
  foreign.close();
  expect([foreign.regionConsent, own.regionConsent]).toEqual([undefined, undefined]);
  expect(new ApplicationStorage(storage, IDS, () => {}).values).toEqual({});
  expect(new ApplicationStorage(storage, FOREIGN, () => {}).values).toEqual({ a: 'b' });
});

test('of many applications the least recently used one is forgotten', () => {
  const storage = new FakeStorage();
  storage.map.set('other', 'stays');
  const open = (application: number) => new ApplicationStorage(storage, { ...IDS, application }, () => {});
  for (let application = 0; application < 100; application += 1) {
    const one = open(application);
    one.write('large', 'x'.repeat(MAX_STORED - 100));
    one.close();
    one.regionConsent = false;
    open(0).regionConsent = true;
  }
  const kept = [...storage.map.keys()].filter((name) => /^svc_hybrid_\d/.test(name));
  expect(kept).toHaveLength(MOST_APPLICATIONS);
  expect(open(0).values.large).toHaveLength(MAX_STORED - 100);
  expect(open(99).regionConsent).toBe(false);
  expect([...storage.map.keys()].filter((name) => name.startsWith('svc_hybrid_region_'))).toHaveLength(
    MOST_APPLICATIONS,
  );
  expect(storage.map.get('other')).toBe('stays');
  storage.map.set('svc_hybrid_owners', '[{"ids":1},null,"x"');
  expect(open(99).values.large).toHaveLength(MAX_STORED - 100);
});
