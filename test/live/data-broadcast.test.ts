/** The data broadcast of a station on the live socket: from the packets of an agent to the messages of clients. */
import { expect, test } from 'bun:test';
import { networkId, serviceId, stationId, transportStreamId } from '../../lib/arib/ids.ts';
import type { ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { SERVICE, StationPackets } from '../data/station-packets.ts';
import { MachineLateness } from '../machine-lateness.ts';
import { startLoopAgent } from '../reception/loop-agent.ts';
import { until } from '../until.ts';
import { stationSockets } from './station-sockets.ts';

const ENTRY = 0x140;
const NEWS = 0x160;
const STATION: StationRecord = {
  id: stationId(networkId(0x7fe0), serviceId(SERVICE)),
  ...{ type: 'GR', channel: 'T27', networkId: networkId(0x7fe0), serviceId: serviceId(SERVICE) },
  transportStreamId: transportStreamId(0x7fe1),
  ...{ name: '', serviceType: 1, remoteControlKey: 1 },
};

const module = (id: number, version: number) => ({
  ...{ id, version, data: new Uint8Array(9_000).fill(version) },
  info: [1, 3, ...new TextEncoder().encode('a/b')],
});
let version = 1;
const sent = new StationPackets();
const agent = startLoopAgent(() => {
  const [startup, news] = [module(0, 1), module(1, version)];
  sent.tables([
    [0x40, ENTRY],
    [0x60, NEWS],
  ]);
  sent.programme(7).time(1).broadcaster(4);
  sent.list(ENTRY, [startup]).list(NEWS, [news], { transactionId: version });
  return sent.blocks(ENTRY, startup).blocks(NEWS, news).take();
});
const open = stationSockets({
  station: STATION,
  agent,
  startWorker: () => new Worker(new URL('../../src/reception.worker.ts', import.meta.url)),
});

async function watch() {
  const { client, send, texts } = await open();
  const messages = () => texts(LIVE_CHANNEL.data).map((text) => JSON.parse(text) as ResponseMessage);
  const types = () => messages().map(({ type }) => type);
  return { client, send, messages, types };
}

const modulesOf = (messages: readonly ResponseMessage[]) =>
  messages.flatMap((each) =>
    each.type === 'moduleDownloaded'
      ? [`${each.componentId.toString(16)} ${each.moduleId}.${each.version}`]
      : [],
  );

test('clients that ask get the state in order, then what changes, until they no longer ask', async () => {
  const [first, other] = [await watch(), await watch()];
  expect(await first.client.message('tuned')).toMatchObject({ data: true });
  first.send({ type: 'data', on: true });
  await until('the modules', () => modulesOf(first.messages()).length === 2);
  expect(first.types()[0]).toBe('pmt');
  expect(first.types().indexOf('programInfo')).toBeWithin(1, first.types().indexOf('moduleDownloaded'));

  using lateness = await MachineLateness.start();
  const begun = performance.now();
  const late = await watch();
  late.send({ type: 'data', on: true });
  await until('the state', () => late.types().includes('currentTime'));
  const tookMs = performance.now() - begun;
  expect(late.types().slice(0, 8)).toEqual([
    ...['pmt', 'programInfo', 'bit', 'moduleListUpdated', 'moduleListUpdated'],
    ...['moduleDownloaded', 'moduleDownloaded', 'currentTime'],
  ] as ResponseMessage['type'][]);
  expect(modulesOf(late.messages()).sort()).toEqual(['40 0.1', '60 1.1']);
  // From opening the connection.
  expect(tookMs).toBeLessThan(lateness.widened(5_000));

  version = 2;
  await until('the update', () => modulesOf(late.messages()).includes('60 1.2'));
  await until('the update', () => modulesOf(first.messages()).includes('60 1.2'));
  expect(modulesOf(first.messages())).toHaveLength(3);
  expect(other.types()).toEqual([]);

  first.send({ type: 'data', on: false });
  const before = first.types().length;
  version = 3;
  await until('the next update', () => modulesOf(late.messages()).includes('60 1.3'));
  expect(first.types()).toHaveLength(before);
  late.send({ type: 'data', on: false });
  // The reader begins again with the first who asks.
  other.send({ type: 'data', on: true });
  await until('the modules', () => modulesOf(other.messages()).length === 2);
  expect(modulesOf(other.messages()).sort()).toEqual(['40 0.1', '60 1.3']);
});
