/** Recordings do not communicate: what the service itself knows of a client that watches. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { SocketClient } from '../live/socket-client.ts';
import { VirtualRecording } from '../play/virtual-recording.ts';
import { HOME_STATION } from '../service/harness.ts';
import { RecordedHome } from '../service/recorded-home.ts';
import { until } from '../until.ts';

let home: RecordedHome;
let peer: Bun.Server<undefined>;
beforeAll(async () => {
  peer = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('answered') });
  home = await RecordedHome.start({ BML_HOSTS: `data.example.test=127.0.0.1:${peer.port}` });
  home.clear();
});
afterAll(async () => {
  await home.close();
  await peer.stop(true);
});

async function status(): Promise<number> {
  const { url } = home.service;
  const path = `/api/bml/proxy?url=${encodeURIComponent('http://data.example.test/')}`;
  const answer = await fetch(url + path, { headers: { referer: `${url}/` } });
  await answer.body?.cancel();
  return answer.status;
}

/** Larger than what the service and the system buffer for a client that reads nothing. */
async function recorded(): Promise<number> {
  const recording = new VirtualRecording([{ pictures: 900, pts: 900_000 }]);
  return home.put({ content: await recording.read(0, recording.size) });
}

test('a stream of a recording alone is refused, until it ends', async () => {
  const id = await recorded();
  expect(await status()).toBe(200);
  const stop = new AbortController();
  const stream = await home.get(`/api/recordings/${id}/stream?codec=mpeg2`, { signal: stop.signal });
  expect(stream.status).toBe(200);
  expect(await status()).toBe(403);
  stop.abort();
  await until('the stream is over', async () => (await status()) === 200);
});

test('beside a station it is not; a socket that watches nothing is no source', async () => {
  const { agent } = home.household;
  agent.stream = () =>
    new Response(new ReadableStream({ start: () => {} }), { headers: { 'x-svc-tuner': 'gr-0' } });
  const id = await recorded();
  const stop = new AbortController();
  // A response that nothing holds is collected as garbage, and its stream ends.
  const stream = await home.get(`/api/recordings/${id}/stream?codec=mpeg2`, { signal: stop.signal });
  const socket = await SocketClient.open(home.service.url);
  expect(await status()).toBe(403);
  socket.send({ type: 'tune', stationId: HOME_STATION, codec: 'raw' });
  await until('the station is a source', async () => (await status()) === 200);
  await socket.leave();
  await until('the recording is the only source', async () => (await status()) === 403);
  expect(stream.bodyUsed).toBe(false);
  stop.abort();
  await until('the stream is over', async () => (await status()) === 200);
});

test('chase playback over the socket is a recording, also while it is refused', async () => {
  const socket = await SocketClient.open(home.service.url);
  socket.send({ type: 'chase', recordingId: 999_999 as RecordingId, from: 0, codec: 'raw' });
  await until('it is refused', () => socket.all('error').length > 0);
  expect(await status()).toBe(200);
  await socket.leave();
});
