/** A new kind of side data needs a reader and a row, and no change of an existing file. */
import { expect, test } from 'bun:test';
import { networkId, stationId, transportStreamId } from '../../lib/arib/ids.ts';
import { SIDE_ROWS } from '../../src/media/side-rows.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { SERVICE, startLoopAgent } from '../reception/loop-agent.ts';
import { COSTLY_CHANNEL, costlyRow, OWN_CHANNEL, ownRow } from './own-side-data.ts';
import { stationSockets } from './station-sockets.ts';

const STATION: StationRecord = {
  id: stationId(networkId(1), SERVICE),
  ...{ type: 'GR', channel: 'T27', networkId: networkId(1), serviceId: SERVICE },
  transportStreamId: transportStreamId(1),
  ...{ name: '', serviceType: 1, remoteControlKey: 1 },
};

const watch = stationSockets({
  station: STATION,
  agent: startLoopAgent(),
  startWorker: () => new Worker(new URL('./own-side-data.worker.ts', import.meta.url)),
  rows: [...SIDE_ROWS, ownRow, costlyRow],
});

const LIST = `{"list":${SERVICE}}`;
const MODULE = `{"module":${SERVICE}}`;

test('a client that joins later gets the state of a new kind of side data', async () => {
  const first = await watch();
  await first.client.frame(OWN_CHANNEL, 2);
  const late = await watch();
  await late.client.frame(OWN_CHANNEL, 2);
  expect(late.texts(OWN_CHANNEL)).toEqual([LIST, MODULE]);
});

test('and of one on demand once it asks, as those who did not ask do not', async () => {
  const [asking, other] = [await watch(), await watch()];
  asking.send({ type: 'data', on: true });
  await asking.client.frame(COSTLY_CHANNEL, 3);
  expect(asking.texts(COSTLY_CHANNEL)).toEqual([MODULE, LIST, LIST]);
  expect(other.texts(COSTLY_CHANNEL)).toEqual([]);
  const late = await watch();
  late.send({ type: 'data', on: true });
  await late.client.frame(COSTLY_CHANNEL, 2);
  expect(late.texts(COSTLY_CHANNEL)).toEqual([LIST, MODULE]);
  expect(other.texts(COSTLY_CHANNEL)).toEqual([]);
});
