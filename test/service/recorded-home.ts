/** A service with recordings that a test writes as rows and files, and requests over HTTP. */
import type { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import type { StationId } from '../../lib/arib/ids.ts';
import { type Recording, RecordingsSchema } from '../../lib/wire/api.ts';
import { HOME_STATION, type TestService } from './harness.ts';
import { type Household, startHousehold } from './household.ts';
import { putRecording, type RecordingRow } from './recording-rows.ts';

export const HOUR = 3_600_000;
export const SATELLITE = 400_151 as StationId;
export const STATIONS = [
  { id: HOME_STATION, name: '試験テレビ' },
  { id: SATELLITE, name: '試験衛星' },
];
/** Start of the first recording; each further one is an hour later. */
export const START = Date.UTC(2026, 0, 5, 12);

export class RecordedHome {
  /** Folder of the recordings. */
  readonly folder: string;

  private constructor(readonly household: Household) {
    this.folder = join(household.service.folder, 'recordings');
  }

  static async start(environment: Record<string, string> = {}): Promise<RecordedHome> {
    return new RecordedHome(await startHousehold(environment));
  }

  get service(): TestService {
    return this.household.service;
  }

  get database(): Database {
    return this.household.database;
  }

  close(): Promise<void> {
    return this.household.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  clear(): void {
    this.database.run('DELETE FROM recordings');
    this.database.run('DELETE FROM rules');
    mkdirSync(this.folder, { recursive: true });
  }

  get(path: string, init: RequestInit = {}): Promise<Response> {
    return this.household.ask(path, init);
  }

  send(method: string, path: string, body?: unknown): Promise<Response> {
    return this.get(path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async list(query = ''): Promise<Recording[]> {
    const response = await this.get(`/api/recordings?${query}`);
    expect([query, response.status]).toEqual([query, 200]);
    const items = (await response.json()) as Recording[];
    expect([...Value.Errors(RecordingsSchema, items)]).toEqual([]);
    return items;
  }

  async ids(query = ''): Promise<number[]> {
    return (await this.list(query)).map(({ id }) => id);
  }

  async item(id: number): Promise<Recording | undefined> {
    return (await this.list()).find((one) => one.id === id);
  }

  /** @returns its id */
  put(row: Partial<RecordingRow> = {}, index = 0): number {
    const startAt = START + index * HOUR;
    return putRecording(
      this.database,
      {
        station: HOME_STATION,
        serviceName: '試験テレビ',
        name: `番組${index}`,
        startAt,
        endAt: startAt + HOUR,
        ...row,
      },
      this.folder,
    );
  }
}
