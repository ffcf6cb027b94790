/** Both published versions of the npm client call every operation, by port and by Unix socket. */
import { expect, test } from 'bun:test';
import { MIRAKURUN_OPERATIONS } from '../../src/compat/mirakurun-operations.ts';
import { until } from '../until.ts';
import { compatHome } from './compat-home.ts';
import { CLIENT_VERSIONS, type NpmClient, npmClient } from './npm-client.ts';

const home = compatHome();

/** Values of parameters of the paths. */
async function values(client: NpmClient): Promise<Record<string, string | number>> {
  const [service] = await client.getServices();
  const { id = 0, serviceId = 0, channel } = service ?? {};
  return { id, sid: serviceId, index: 0, ...channel };
}

const versions = (Object.keys(CLIENT_VERSIONS) as (keyof typeof CLIENT_VERSIONS)[]).flatMap((version) => {
  const Client = npmClient(version);
  return Client === undefined ? [] : [{ version, Client }];
});

for (const { version, Client } of versions) {
  test(`client ${version} calls every operation`, async () => {
    const client = new Client();
    client.host = '127.0.0.1';
    client.port = home.port;
    const given = await values(client);
    const now = Date.now();
    const { body } = await client.call('getPrograms');
    const programs = body as { id: number; serviceId: number; startAt: number; duration: number }[];
    const present = programs.find(
      (one) => one.serviceId === given.sid && one.startAt <= now && now < one.startAt + one.duration,
    );
    for (const { id, isStream, path } of MIRAKURUN_OPERATIONS) {
      const ofProgram = path.startsWith('/programs/') ? { id: present?.id } : {};
      const asked = { ...given, ...ofProgram, decode: 1 };
      if (!isStream) {
        const answer = await client.call(id, asked).catch((error) => error);
        // A station whose logo was not received yet.
        expect([id, answer.status]).toEqual([id, id === 'getLogoImage' && answer.status === 503 ? 503 : 200]);
        continue;
      }
      const stream = await client.call(id, asked);
      const first = Promise.withResolvers<number>();
      stream.on('data', (bytes) => first.resolve(bytes[0] ?? 0));
      expect([id, await first.promise]).toEqual([id, id === 'getEventsStream' ? 0x5b : 0x47]);
      stream.on('error', () => {});
      stream.destroy();
    }
    await until('every tuner is released', async () => (await home.uses()).length === 0);
  });

  test(`client ${version} uses the Unix socket`, async () => {
    const client = new Client();
    client.socketPath = home.socket;
    expect((await client.getServices({ 'channel.type': 'GR' })).length).toBeGreaterThan(1);
  });
}

test('there is a client to test with, where the registry is', () => {
  expect([0, 2]).toContain(versions.length);
});
