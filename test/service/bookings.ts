/**
 * A service with two stations, the tuners of a stand-in agent and an empty guide, for tests of reservations.
 */
import type { Database } from 'bun:sqlite';
import { Value } from '@sinclair/typebox/value';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { type ReservationItem, ReservationsSchema, type RuleItem, RuleSchema } from '../../lib/wire/api.ts';
import { tunerOf } from '../tuner.ts';
import { describedFetch } from './description.ts';
import { type ProgramRow, putPrograms } from './guide-rows.ts';
import { CHANNELS, HOME_STATION, StandInAgent, startTestService, type TestService } from './harness.ts';
import { startHousehold } from './household.ts';

export const MINUTE = 60_000;
export const SATELLITE = 400_151 as StationId;
/** On another channel of the same type. */
export const OTHER_STATION = 0x7fe9 * 100_000 + 1032;

const OTHER_CHANNEL = {
  type: 'GR' as const,
  channel: 'T28',
  tsid: 0x7fe9,
  networkId: 0x7fe9,
  stations: [{ serviceId: 1032, name: '港テレビ', serviceType: 1, remoteControlKey: 2 }],
};

export function tuner(id: string, rank: number, types: Tuner['types'], over: Partial<Tuner> = {}): Tuner {
  return tunerOf(types, { id, name: id, device: id, rank, ...over });
}

export class Bookings {
  #events = 0;

  private constructor(
    readonly agent: StandInAgent,
    readonly home: TestService,
    readonly database: Database,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<Bookings> {
    const agent = new StandInAgent();
    agent.channels = [...CHANNELS, OTHER_CHANNEL];
    agent.tuners = [tuner('a', 0, ['GR']), tuner('b', 1, ['BS', 'CS'])];
    const { service, database } = await startHousehold(environment, agent);
    return new Bookings(agent, service, database);
  }

  /** Starts another service on the same folder, which replaces this one; close it before this. */
  async restarted(): Promise<Bookings> {
    await this.home.service.close();
    const environment = { TUNER_AGENT_URL: this.agent.url, DATA_DIR: this.home.folder };
    const home = await startTestService({ environment });
    return new Bookings(this.agent, home, this.database);
  }

  async close(): Promise<void> {
    this.database.close();
    await this.home.close();
    await this.agent.stop();
  }

  ask(method: string, path: string, body?: unknown): Promise<Response> {
    return describedFetch(this.home.url, path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** @throws Error if the status is not 200 */
  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.ask(method, path, body);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  async reservations(completed = false): Promise<ReservationItem[]> {
    const list = await this.json<ReservationItem[]>(
      'GET',
      `/api/reservations?completed=${completed ? 1 : 0}`,
    );
    const wrong = [...Value.Errors(ReservationsSchema, list)];
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong[0]));
    return list;
  }

  async rules(): Promise<RuleItem[]> {
    const list = await this.json<RuleItem[]>('GET', '/api/rules');
    const wrong = list.flatMap((rule) => [...Value.Errors(RuleSchema, rule)]);
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong[0]));
    return list;
  }

  async states(completed = false): Promise<[string, string][]> {
    return (await this.reservations(completed)).map(({ title, state }) => [title, state]);
  }

  /** @param at minutes from now @returns its id */
  program(name: string, at: number, over: Partial<ProgramRow> & { minutes?: number } = {}): number {
    const { minutes = 30, ...rest } = over;
    const startAt = Date.now() + at * MINUTE;
    const [id = -1] = putPrograms(this.database, [
      {
        station: HOME_STATION,
        event: ++this.#events,
        startAt,
        endAt: startAt + minutes * MINUTE,
        name,
        ...rest,
      },
    ]);
    return id;
  }

  /** Deletes everything but the stations. */
  clear(): void {
    for (const table of ['reservations', 'rules', 'cancellations', 'programs'])
      this.database.run(`DELETE FROM ${table}`);
  }
}
