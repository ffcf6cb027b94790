/**
 * A new installation: a real agent with two tuners and no channels, a service without data, two stations on
 * the air.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAgent } from '../../agent/agent.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import { PlayedAir } from '../../synth/player/air-player.ts';
import { smallScenario } from '../../synth/scenario/small.ts';
import { startTestService, type TestService } from '../service/harness.ts';

const PROGRAMMES = ['港のニュース', '灯台守の娘'].map((title) => ({ durationSec: 600, title }));
const CHANNELS = [
  { channel: 'T30', stations: [{ name: 'みなと放送', programmes: PROGRAMMES }] },
  { channel: 'T31', stations: [{ name: 'やまびこ放送', programmes: PROGRAMMES }] },
];

export interface FirstHome {
  readonly service: TestService;
  close(): Promise<void>;
}

export async function startFirstHome(webDir: string): Promise<FirstHome> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-first-'));
  const air = await PlayedAir.open();
  await air.put({ scenario: JSON.stringify(smallScenario({ channels: CHANNELS, scheduleSpeed: 20 })) });
  const channelsFile = join(folder, 'channels.json');
  writeFileSync(channelsFile, '[]');
  const agent = await startAgent({
    host: '127.0.0.1',
    port: 0,
    networks: Networks.parse('127.0.0.0/8'),
    tunersFile: join(folder, 'tuners.json'),
    channelsFile,
    fakeTune: air.tuneCommand,
    fakeTuners: 'GR:3',
    environment: process.env,
    log: SILENT_LOG,
    timing: { lingerMs: 50 },
  });
  const service = await startTestService({
    webDir,
    environment: { TUNER_AGENT_URL: agent.url, EPG_SWEEP_SETTLE: '3000', EPG_COLLECT_INTERVAL: '1000' },
  });
  return {
    service,
    close: async () => {
      await service.close();
      await agent.close();
      await air.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
