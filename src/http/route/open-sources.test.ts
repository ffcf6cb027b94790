import { expect, test } from 'bun:test';
import type { Requester } from '../../model/requester.ts';
import { OpenSources, sourceOf } from './open-sources.ts';

const at = (address: string): Requester => ({
  letIn: { by: 'network', address, network: '192.168.0.0/16' },
  address,
});
const device = (tokenId: number): Requester => ({ letIn: { by: 'token', tokenId }, address: '203.0.113.1' });

test('a client has only recordings while it watches some and no station', () => {
  const sources = new OpenSources();
  const client = at('192.168.0.2');
  expect(sources.hasOnlyRecordings(client)).toBe(false);
  const leaveFirst = sources.enter(client, 'recording');
  const leaveSecond = sources.enter(client, 'recording');
  expect(sources.hasOnlyRecordings(client)).toBe(true);
  const leaveStation = sources.enter(client, 'station');
  expect(sources.hasOnlyRecordings(client)).toBe(false);
  leaveStation();
  leaveStation();
  expect(sources.hasOnlyRecordings(client)).toBe(true);
  leaveFirst();
  leaveFirst();
  expect(sources.hasOnlyRecordings(client)).toBe(true);
  leaveSecond();
  expect(sources.hasOnlyRecordings(client)).toBe(false);
});

test('devices, logins and addresses are counted apart', () => {
  const sources = new OpenSources();
  sources.enter(device(1), 'recording');
  sources.enter(device(2), 'station');
  expect([device(1), device(2), at('203.0.113.1')].map((one) => sources.hasOnlyRecordings(one))).toEqual([
    true,
    false,
    false,
  ]);
});

test('streams are told apart from everything else by their path', () => {
  const found = [
    'services/1/live',
    'recordings/1/stream',
    'recordings/1/chase',
    'recordings/1/file',
    'services/1/logo',
  ];
  expect(found.map((path) => sourceOf(`/api/${path}`))).toEqual([
    'station',
    'recording',
    'recording',
    undefined,
    undefined,
  ]);
});
