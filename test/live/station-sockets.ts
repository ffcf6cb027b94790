/** One station's live sockets in this process, with clients that tune it. */
import { afterAll } from 'bun:test';
import { systemMonotonicClock, wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { LIVE_CHANNEL } from '../../lib/wire/live-frames.ts';
import { Encoders } from '../../src/ffmpeg/encoders.ts';
import { OpenSources } from '../../src/http/route/open-sources.ts';
import { LiveService } from '../../src/live/live-service.ts';
import { LiveSockets } from '../../src/live/live-sockets.ts';
import type { SideRow } from '../../src/media/side-row.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { ReceptionPool } from '../../src/reception/reception-pool.ts';
import { controlFrame, ReceivedFrames } from './socket-client.ts';

interface Options {
  station: StationRecord;
  agent: { readonly url: string; stop(): void };
  startWorker: () => Worker;
  rows?: readonly SideRow[];
}

/** Closed after all tests of the file. @returns a new client, once the station's packets arrive */
export function stationSockets({ station, agent, startWorker, rows }: Options) {
  const pool = new ReceptionPool({ agentUrl: agent.url, startWorker, log: SILENT_LOG });
  const live = new LiveService({
    pool,
    stations: { find: () => station, audios: () => [] },
    encoders: new Encoders({
      ...{ path: undefined, searchPath: '', log: SILENT_LOG },
      now: () => wallMs(Date.now()),
    }),
    log: SILENT_LOG,
    ...(rows === undefined ? {} : { rows }),
  });
  const sockets = new LiveSockets({
    live,
    isSuspended: () => false,
    chase: () => Promise.reject(new Error('no recording')),
    sources: new OpenSources(),
    redeem: () => undefined,
    log: SILENT_LOG,
    clock: systemMonotonicClock,
  });
  afterAll(async () => {
    sockets.close();
    await live.close();
    await pool.close();
    agent.stop();
  });
  return async () => {
    const client = new ReceivedFrames();
    const connection = {
      waiting: 0,
      send: (message: Uint8Array) => client.take(message),
      close: () => {},
      terminate: () => {},
    };
    const peer = sockets.open(connection, { letIn: { by: 'open' }, address: '127.0.0.1' });
    const send = (control: object): void => peer.message(controlFrame(control));
    send({ type: 'tune', stationId: station.id, codec: 'raw' });
    await client.frame(LIVE_CHANNEL.packets);
    const texts = (channel: number): string[] =>
      client.on(channel).map(({ payload }) => new TextDecoder().decode(payload));
    return { client, send, texts };
  };
}
