/** The commands `check` and `import-mirakurun` of `svc-agent`, with output for users. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemMonotonicClock } from '../lib/host/clock.ts';
import { type Environment, withEnvironmentFile } from '../lib/host/environment.ts';
import { type CheckLine, formatCheck, SILENT_LOG } from '../lib/host/log.ts';
import { CardReader } from './card/card-reader.ts';
import { CardService } from './card/card-service.ts';
import { ShareClient } from './card/share-client.ts';
import { checkLines, unitAccess } from './check/check.ts';
import {
  AgentUnreadable,
  type CardFacts,
  factsOfRunningAgent,
  factsOfThisMachine,
  localUrl,
} from './check/check-source.ts';
import type { AgentConfig } from './config.ts';
import { detectEquipment } from './detect/detect-equipment.ts';
import { importMirakurun } from './import/import-mirakurun.ts';

type Print = (line: string) => void;

/** Folder of the unit's files and variables (`systemd/svc-agent.service`). */
const UNIT_FOLDER = '/var/lib/svc-agent';
const UNIT_FILE = '/etc/svc/agent.env';

/**
 * These commands run outside of the unit: they use its variables if it was ever started.
 * @throws ConfigError if its file is not readable
 */
export function unitEnvironment(environment: Environment): Environment {
  const all = withEnvironmentFile(environment, UNIT_FILE);
  if (!existsSync(UNIT_FOLDER)) return all;
  return {
    ...all,
    TUNERS_FILE: all.TUNERS_FILE ?? join(UNIT_FOLDER, 'tuners.json'),
    CHANNELS_FILE: all.CHANNELS_FILE ?? join(UNIT_FOLDER, 'channels.json'),
  };
}

/** @returns the exit code: 1 if anything is broken */
export async function runCheck(
  config: AgentConfig,
  startCardWorker: () => Worker,
  print: Print,
): Promise<number> {
  const url = localUrl(config);
  let lines: CheckLine[];
  try {
    const running = await factsOfRunningAgent(url);
    const card = (): Promise<CardFacts> => cardFacts(config.card, startCardWorker);
    const facts = running ?? (await factsOfThisMachine({ config, detect: detectEquipment, card }));
    // Root can open everything: checks the permissions of the unit's user.
    lines = checkLines(facts, url, process.getuid?.() === 0 ? unitAccess() : undefined);
  } catch (error) {
    if (!(error instanceof AgentUnreadable)) throw error;
    lines = [{ state: 'bad', what: 'svc-agent', detail: `${url} を読み取れません。${error.message}` }];
  }
  for (const line of lines) print(formatCheck(line));
  return lines.some(({ state }) => state === 'bad') ? 1 : 0;
}

async function cardFacts({ url, hops }: AgentConfig['card'], startWorker: () => Worker): Promise<CardFacts> {
  const service = new CardService({
    backend: url === null ? new CardReader({ startWorker, log: SILENT_LOG }) : new ShareClient({ url, hops }),
    isShared: url !== null,
    clock: systemMonotonicClock,
    log: SILENT_LOG,
    onChange: () => {},
  });
  try {
    // The status contains the reason of a failure.
    await service.system().catch(() => {});
    return service.status;
  } finally {
    await service.close();
  }
}

const IMPORT_USAGE = 'svc-agent import-mirakurun [--dry-run] [--replace] [FOLDER]';
/** Folders of Mirakurun in a container, and of older versions. */
const MIRAKURUN_FOLDERS = ['/opt/mirakurun/config', '/usr/local/etc/mirakurun'];

/** @returns the exit code: 1 if anything could not be stored, 2 for an invalid command line */
export async function runImport(
  { tunersFile, channelsFile }: AgentConfig,
  arguments_: readonly string[],
  print: Print,
): Promise<number> {
  const options = arguments_.filter((word) => word.startsWith('-'));
  const folders = arguments_.filter((word) => !word.startsWith('-'));
  if (folders.length > 1 || options.some((word) => word !== '--dry-run' && word !== '--replace')) {
    print(`Usage: ${IMPORT_USAGE}`);
    return 2;
  }
  const folder = folders[0] ?? MIRAKURUN_FOLDERS.find((path) => existsSync(join(path, 'tuners.yml')));
  if (folder === undefined) {
    print(`Mirakurun の設定が見つかりません。フォルダーを指定してください: ${IMPORT_USAGE}`);
    return 2;
  }
  const stored = await importMirakurun({
    ...{ folder, tunersFile, channelsFile, print },
    isReplacing: options.includes('--replace'),
    isDry: options.includes('--dry-run'),
  });
  return stored ? 0 : 1;
}
