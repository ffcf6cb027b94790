import { afterEach, beforeEach, expect, test } from 'bun:test';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { until } from '../../test/until.ts';
import { Hub } from '../notify/hub.ts';
import { ListChangeNotifier } from './list-change-notifier.ts';

let published: string[];
let lists: { reservations: unknown; rules: unknown };
let reads: number;
let hub: Hub;
let notifier: ListChangeNotifier;

beforeEach(async () => {
  published = [];
  reads = 0;
  lists = { reservations: [], rules: [] };
  hub = new Hub((error) => {
    throw error;
  });
  hub.subscribe(({ name }) => published.push(name));
  const read = (name: 'reservations' | 'rules') => () => {
    reads += 1;
    if (lists[name] instanceof Error) throw lists[name];
    return lists[name];
  };
  notifier = new ListChangeNotifier({
    hub,
    lists: { reservations: read('reservations'), rules: read('rules') },
    log: SILENT_LOG,
  });
  notifier.start();
  await until(() => reads === 2);
});

afterEach(() => notifier.close());

test('only a changed list is published, once for many requests', async () => {
  lists.reservations = [1];
  for (let times = 0; times < 50; times++) notifier.check();
  await until(() => published.length > 0);
  expect(published).toEqual(['reservations']);
  expect(reads).toBe(4);
  notifier.check();
  await until(() => reads === 6);
  lists.rules = [2];
  notifier.check();
  await until(() => published.length > 1);
  expect(published).toEqual(['reservations', 'rules']);
});

test('a list that cannot be read is published too', async () => {
  lists.reservations = new Error('no such table');
  notifier.check();
  await until(() => published.length > 0);
  expect(published).toEqual(['reservations']);
});

test('publishes nothing after closing', async () => {
  let isKnown = false;
  const readRules = (): unknown => {
    isKnown = true;
    return lists.rules;
  };
  const other = new ListChangeNotifier({
    hub,
    lists: { reservations: () => 0, rules: readRules },
    log: SILENT_LOG,
  });
  other.start();
  await until(() => isKnown);
  lists.rules = [1];
  notifier.check();
  notifier.close();
  notifier.check();
  other.check();
  await until(() => published.length > 0);
  expect([published, reads]).toEqual([['rules'], 2]);
  other.close();
});

test('a difference found before the initial state was read is published', async () => {
  const late = new ListChangeNotifier({
    hub,
    lists: { reservations: () => lists.reservations, rules: () => lists.rules },
    log: SILENT_LOG,
  });
  late.start();
  lists.rules = [3];
  late.check();
  await until(() => published.includes('rules'));
  late.close();
});
