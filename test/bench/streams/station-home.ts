/** Agent and service of a bench: one station per channel, whose stream is a file in real time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Channel } from '../../../lib/wire/agent.ts';
import type { StationRecord } from '../../../src/model/station.ts';
import { type Program, startProgram } from '../../program.ts';
import { executable } from './executable.ts';
import { fillLiveHome } from './live-home.ts';
import { freePort } from './mirakurun.ts';

interface StationHomeOptions {
  /** Folder for data and configuration of both. */
  folder: string;
  channels: readonly Channel[];
  /** Command that writes the stream of `{channel}`. */
  tune: string;
}

export interface StationHome {
  readonly agent: Program;
  readonly service: Program;
  /** Of the Mirakurun-compatible interface. */
  readonly mirakurunUrl: string;
  /** One per channel. */
  readonly stations: readonly StationRecord[];
  end(): Promise<void>;
}

export async function startStationHome({ folder, channels, tune }: StationHomeOptions): Promise<StationHome> {
  const data = join(folder, 'data');
  mkdirSync(data);
  const known = fillLiveHome(data, channels, Date.now());
  const stations = channels.flatMap(({ channel, type }): StationRecord[] =>
    known.filter((one) => one.channel === channel && one.type === type).slice(0, 1),
  );
  const channelsFile = join(folder, 'channels.json');
  writeFileSync(channelsFile, JSON.stringify(channels));
  const mirakurunPort = freePort();
  const agent = await startProgram(executable('svc-agent', 'agent/main.ts'), {
    AGENT_PORT: '0',
    CHANNELS_FILE: channelsFile,
    TUNERS_FILE: join(folder, 'tuners.json'),
    FAKE_TUNE: tune,
    FAKE_TUNERS: `GR+BS+CS:${channels.length}`,
  });
  try {
    const service = await startProgram(executable('svc', 'src/main.ts'), {
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: data,
      TUNER_AGENT_URL: agent.url,
      TRUSTED_NETWORKS: '127.0.0.0/8',
      MIRAKURUN_PORT: String(mirakurunPort),
    });
    const end = async (): Promise<void> => {
      await service.end();
      await agent.end();
    };
    return { agent, service, mirakurunUrl: `http://127.0.0.1:${mirakurunPort}`, stations, end };
  } catch (error) {
    await agent.end();
    throw error;
  }
}
