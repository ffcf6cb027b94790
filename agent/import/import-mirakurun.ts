/**
 * `svc-agent import-mirakurun`: imports a household's configuration of Mirakurun, and lists what could not be imported.
 */
import { chown, copyFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Channel, TunerDefinition } from '../../lib/wire/agent.ts';
import { JsonFile, SaveFailed } from '../config/json-file.ts';
import { parseChannels, parseTuners } from '../equipment.ts';
import { readMirakurunChannels } from './mirakurun-channels.ts';
import { ImportFailure, type ImportNote, readBounded } from './mirakurun-file.ts';
import { readMirakurunTuners } from './mirakurun-tuners.ts';

interface ImportOptions {
  /** Contains `tuners.yml`, `channels.yml` or both. */
  readonly folder: string;
  readonly tunersFile: string;
  readonly channelsFile: string;
  /** Replace existing files; each is kept as `.before-import`. */
  readonly isReplacing: boolean;
  /** Only print what would be written. */
  readonly isDry: boolean;
  readonly print: (line: string) => void;
}

interface Part<T> {
  readonly source: string;
  readonly target: string;
  readonly label: string;
  readonly read: (text: string, file: string) => { values: T[]; notes: ImportNote[] };
  readonly check: (value: unknown) => T[];
  readonly describe: (value: T) => string;
}

/** @returns whether everything found was stored. Lines for display are passed to `print`. */
export async function importMirakurun(options: ImportOptions): Promise<boolean> {
  const { folder, tunersFile, channelsFile, print } = options;
  const tuners: Part<TunerDefinition> = {
    ...{ source: join(folder, 'tuners.yml'), target: tunersFile, label: 'チューナー' },
    read: (text, file) => {
      const { tuners: values, notes } = readMirakurunTuners(text, file);
      return { values, notes };
    },
    check: parseTuners,
    describe: ({ name = '', device, types, disabled = false, lnb = false }) =>
      [device, types.join('・'), name, lnb ? 'LNB 給電あり' : '', disabled ? '無効' : '']
        .filter(Boolean)
        .join('  '),
  };
  const channels: Part<Channel> = {
    ...{ source: join(folder, 'channels.yml'), target: channelsFile, label: 'チャンネル' },
    read: (text, file) => {
      const { channels: values, notes } = readMirakurunChannels(text, file);
      return { values, notes };
    },
    check: parseChannels,
    describe: ({ channel, stations }) =>
      [channel, stations.map(({ name }) => name).join('、')].filter(Boolean).join('  '),
  };
  try {
    const stored = [await importPart(tuners, options), await importPart(channels, options)];
    if (stored.every((one) => one === undefined)) {
      throw new ImportFailure(`${folder} に tuners.yml も channels.yml もありません`);
    }
    if (!stored.includes('stored')) return !stored.includes('refused');
    print(
      'svc-agent を再起動すると使われます。続けて「チューナー」画面でチャンネルスキャンを行ってください。',
    );
    return !stored.includes('refused');
  } catch (error) {
    if (!(error instanceof ImportFailure || error instanceof SaveFailed)) throw error;
    print(`失敗  ${error.message}`);
    return false;
  }
}

/** Undefined: the file does not exist. */
async function importPart<T>(
  part: Part<T>,
  { isDry, isReplacing, print }: ImportOptions,
): Promise<'stored' | 'shown' | 'refused' | undefined> {
  const { source, target, label, read, check, describe } = part;
  const text = await readBounded(source);
  if (text === undefined) return undefined;
  const { values, notes } = read(text, source);
  print(`${source} から${label} ${values.length} 件`);
  for (const value of values) print(`  取込  ${describe(value)}`);
  for (const note of notes) print(`  注意  ${note.entry}: ${note.text}`);
  if (values.length === 0) {
    print(`  ${target} は変えません`);
    return 'refused';
  }
  if (isDry) return 'shown';
  if (!isReplacing && (await exists(target))) {
    print(`  ${target} がすでにあるため、書き込みません。置き換えるには --replace を付けてください`);
    return 'refused';
  }
  if (await exists(target)) await copyFile(target, `${target}.before-import`);
  await new JsonFile(target, check).save(check(values));
  await giveToFolderOwner(target);
  print(`  ${target} に書き込みました`);
  return 'stored';
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The file was written by root for a service that runs as its own user. */
async function giveToFolderOwner(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}
