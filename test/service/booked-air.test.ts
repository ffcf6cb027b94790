/** Reservations on the air: service, agent and synthetic broadcast together, one tuner for two channels. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { RecordAnswer, Recording, ReservationItem, Station } from '../../lib/wire/api.ts';
import { TestBroadcast } from '../record/test-broadcast.ts';
import { until } from '../until.ts';
import { describedFetch } from './description.ts';
import { startTestService, type TestService } from './harness.ts';

// Broadcasts run in real time, on a machine that may be busy.

/** Required rest of a programme of 20 s. */
const ENOUGH_MS = 12_000;

let air: TestBroadcast;
let home: TestService;

beforeAll(async () => {
  air = await TestBroadcast.start(['T30', 'T31'], 'GR:1');
  await fetch(`${air.agentUrl}/agent/channels`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(air.channels),
  });
  // The tuner is used by recordings; the guide is read from their streams.
  home = await startTestService({
    environment: { TUNER_AGENT_URL: air.agentUrl, EPG_SWEEP_SETTLE: '0', EPG_CHANNEL_TIMEOUT: '2000' },
  });
});

afterAll(async () => {
  await home?.close();
  await air?.close();
});

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await describedFetch(home.url, path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const reservations = (completed = false) =>
  ask<ReservationItem[]>('GET', `/api/reservations?completed=${completed ? 1 : 0}`);

test('the programme on air is recorded at once; a second channel waits for the tuner, and gets it when it is free', async () => {
  let stations: Station[] = [];
  const areOn = async (): Promise<boolean> => {
    stations = await ask<Station[]>('GET', '/api/services');
    // Programmes are short: everything about the first is finished before its end.
    return (
      stations.length === 2 && stations.every(({ now }) => now !== null && now.endAt > Date.now() + ENOUGH_MS)
    );
  };
  // Its two channels are read one after the other, and the moment has to be in the first half of both
  // programmes.
  await until('both stations are on for long enough', areOn);
  const [one, two] = stations;
  if (one === undefined || two === undefined) throw new Error('no stations');
  const wished = performance.now();
  const answer = await ask<RecordAnswer>('POST', `/api/services/${one.id}/record`);
  expect(answer).toMatchObject({ recorded: one.now?.title, reserved: true });
  await until(async () => (await reservations())[0]?.state === 'recording');
  const [running] = await reservations();
  const recordingId = running?.recordingId ?? -1;
  await until(async () => {
    const [recording] = await ask<Recording[]>('GET', '/api/recordings');
    return recording?.id === recordingId && (recording.progress?.bytes ?? 0) > 100_000;
  });
  const received = performance.now();
  const [tuner] = await ask<Tuner[]>('GET', '/api/tuners');
  // Others may share the stream.
  expect(tuner?.users).toContainEqual(expect.objectContaining({ use: `rec ${recordingId}`, priority: 10 }));
  expect((await ask<Station[]>('GET', '/api/services'))[0]?.now).toMatchObject({
    reserved: true,
    recording: true,
  });

  const refused = await ask<RecordAnswer>('POST', `/api/services/${two.id}/record`);
  const waiting = (await reservations()).find(({ programId }) => programId === refused.programId);
  // Unless the first programme has just ended.
  if (!refused.reserved) expect(waiting).toMatchObject({ state: 'conflict', blockers: [running?.id] });

  // More of the programme is recorded than missing, even if the tuner was late.
  await until(() => performance.now() - received > received - wished);
  await ask('DELETE', `/api/reservations/${running?.id}`);
  await until(async () =>
    (await reservations(true)).some(({ id, state }) => id === running?.id && state === 'finished'),
  );
  const [done] = (await ask<Recording[]>('GET', '/api/recordings')).filter(({ id }) => id === recordingId);
  expect(done).toMatchObject({ recording: false, state: 'recorded', verdict: { drops: 0 } });
  expect(done?.bytes).toBeGreaterThan(100_000);
  // Between request and first packet the tuner may have to be taken from another user.
  expect(done?.verdict?.gaps.filter(({ cause }) => cause !== 'late')).toEqual([]);

  // Its programme is on air for some seconds only: the next one will do as well.
  const next = await ask<RecordAnswer>('POST', `/api/services/${two.id}/record`);
  expect(next.reserved).toBe(true);
  await until(async () => {
    const recordings = await ask<Recording[]>('GET', '/api/recordings');
    return recordings.some(({ serviceId, progress }) => serviceId === two.id && (progress?.bytes ?? 0) > 0);
  });
});
