import { beforeEach, expect, test } from 'bun:test';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { wallMs } from '../../lib/wire/times.ts';
import { sendOutbox } from './database.ts';
import type { OutboxEntry, ResumeEntry } from './saved-video.ts';

const id = (value: number): RecordingId => value as RecordingId;
let outbox: Map<RecordingId, OutboxEntry>;
let resumes: Map<RecordingId, ResumeEntry>;
let asked: string[];
/** Status by request; none: the service cannot be reached. */
let answers: Map<string, number>;

const entries = <T>(map: Map<RecordingId, T>) => [...map].map(([key, entry]) => ({ id: key, entry }));
const database = {
  outbox: async () => entries(outbox),
  resumes: async () => entries(resumes),
  removeOutbox: async (key: RecordingId) => void outbox.delete(key),
  removeResume: async (key: RecordingId) => void resumes.delete(key),
};
const send = async (method: string, path: string) => {
  asked.push(`${method} ${path}`);
  const status = answers.get(`${method} ${path}`);
  if (status === undefined) throw new TypeError('fetch failed');
  return { status, message: `status ${status}` };
};
const run = () => sendOutbox({ database, send });

beforeEach(() => {
  const deletion = (name: string): OutboxEntry => ({ op: 'delete', name, queuedAt: wallMs(1) });
  outbox = new Map([
    [id(1), deletion('one')],
    [id(2), deletion('two')],
    [id(3), deletion('three')],
  ]);
  resumes = new Map([
    [id(3), { at: 10 }],
    [id(4), { at: 100, length: 1800, source: 'encoded' }],
    [id(5), { at: 100 }],
  ]);
  asked = [];
  answers = new Map([
    ['DELETE api/recordings/1', 204],
    ['DELETE api/recordings/2', 404],
    ['DELETE api/recordings/3', 503],
    ['POST api/recordings/4/resume', 200],
    ['POST api/recordings/5/resume', 404],
  ]);
});

test('204 and 404 are done, another failure stays and is named', async () => {
  expect(await run()).toEqual({
    deleted: 2,
    failed: [{ id: id(3), name: 'three', reason: 'status 503' }],
  });
  expect([[...outbox.keys()], [...resumes.keys()]]).toEqual([[id(3)], []]);
  asked = [];
  answers.set('DELETE api/recordings/3', 204);
  expect(await run()).toEqual({ deleted: 1, failed: [] });
  expect(asked).toEqual(['DELETE api/recordings/3']);
});

test('how far a recording was watched that is deleted is not sent', async () => {
  await run();
  expect(asked).not.toContain('POST api/recordings/3/resume');
});

test('without the service everything stays, and is asked for once only', async () => {
  answers.clear();
  const { deleted, failed } = await run();
  expect([deleted, failed.map(({ reason }) => reason)]).toEqual([0, [undefined, undefined, undefined]]);
  expect(asked).toEqual(['POST api/recordings/4/resume']);
  expect([outbox.size, resumes.size]).toEqual([3, 2]);
});

test('a service that goes away in between: what was done is done', async () => {
  answers.delete('DELETE api/recordings/2');
  const { deleted, failed } = await run();
  expect([deleted, failed.map(({ name }) => name)]).toEqual([1, ['two', 'three']]);
  expect([...outbox.keys()]).toEqual([id(2), id(3)]);
});

test('a place that the service refuses is not sent for ever', async () => {
  answers.set('POST api/recordings/4/resume', 400);
  answers.set('POST api/recordings/5/resume', 503);
  await run();
  expect([...resumes.keys()]).toEqual([id(5)]);
});
