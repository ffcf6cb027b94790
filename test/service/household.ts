/** A whole service that gets its stations from a stand-in agent, with a second connection to its database. */
import type { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { Station } from '../../lib/wire/api.ts';
import { openDatabase } from '../../src/store/database.ts';
import { until } from '../until.ts';
import { describedFetch } from './description.ts';
import { StandInAgent, startTestService, type TestService } from './harness.ts';

const TELEVISION = 1;

export interface Household {
  readonly agent: StandInAgent;
  readonly service: TestService;
  readonly database: Database;
  ask(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Resolves when the service knows all television stations of the agent. */
export async function startHousehold(
  environment: Record<string, string> = {},
  agent = new StandInAgent(),
): Promise<Household> {
  agent.start();
  const service = await startTestService({ environment: { TUNER_AGENT_URL: agent.url, ...environment } });
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    describedFetch(service.url, path, init);
  const expected = agent.channels
    .flatMap(({ stations }) => stations)
    .filter(({ serviceType }) => serviceType === TELEVISION).length;
  await until(async () => ((await (await ask('/api/services')).json()) as Station[]).length === expected);
  const database = openDatabase(join(service.folder, 'svc.db'));
  return {
    agent,
    service,
    database,
    ask,
    close: async () => {
      database.close();
      await service.close();
      await agent.stop();
    },
  };
}
