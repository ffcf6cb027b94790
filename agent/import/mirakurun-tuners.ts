/**
 * Converts `tuners.yml` of Mirakurun to tuner definitions. The device is parsed from the text of the command, which
 * is never run.
 */
import { basename } from 'node:path';
import { BROADCAST_TYPES, type BroadcastType } from '../../lib/arib/ids.ts';
import type { TunerDefinition } from '../../lib/wire/agent.ts';
import { splitWords } from '../driver/command-line.ts';
import { characterDevice } from '../driver/px4/device-names.ts';
import { type Entry, entryName, type ImportNote, isDisabled, readEntries, textOf } from './mirakurun-file.ts';

interface ImportedTuners {
  readonly tuners: TunerDefinition[];
  readonly notes: ImportNote[];
}

/** Limit of `TunerDefinitionsSchema`. */
const MAX_TUNERS = 64;
const MAX_NAME = 128;

type Device = Pick<TunerDefinition, 'driver' | 'device'>;

/** Why an entry is not imported. */
class Unusable extends Error {}

/** @throws ImportFailure if the file is not a list of entries */
export function readMirakurunTuners(text: string, file: string): ImportedTuners {
  const tuners: TunerDefinition[] = [];
  const notes: ImportNote[] = [];
  let decoders = 0;
  for (const [index, entry] of readEntries(text, file).entries()) {
    const name = entryName(entry, index);
    const note = (problem: string): void => void notes.push({ entry: name, text: problem });
    try {
      const tuner = tunerOf(entry, note);
      if (textOf(entry, 'decoder') !== undefined) decoders += 1;
      const same = tuners.find(({ device }) => device === tuner.device);
      if (same !== undefined) merge(same, tuner, note);
      else if (tuners.length >= MAX_TUNERS) throw new Unusable(`チューナーは ${MAX_TUNERS} 台までです`);
      else tuners.push(tuner);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      note(`取り込めません。${error.message}`);
    }
  }
  if (decoders > 0) {
    notes.push({
      entry: `decoder（${decoders} 件）`,
      text: '使いません。スクランブルは svc-agent がカードリーダーを直接読んで解除します',
    });
  }
  return { tuners, notes };
}

/** @throws Unusable */
function tunerOf(entry: Entry, note: (problem: string) => void): TunerDefinition {
  if (textOf(entry, 'remoteMirakurunHost') !== undefined) {
    throw new Unusable('ほかの Mirakurun のチューナーは使えません。そのマシンに svc-agent を入れてください');
  }
  const listed = typesOf(entry, note);
  const words = commandWords(entry);
  const device = deviceOf(entry, words);
  const known = characterDevice(device.device)?.types ?? BROADCAST_TYPES;
  const types = listed.filter((type) => known.includes(type));
  if (types.length === 0) throw new Unusable(`${device.device} は ${listed.join('・')} を受信できません`);
  const lacking = listed.filter((type) => !types.includes(type));
  if (lacking.length > 0) note(`${lacking.join('・')} は除きました。${device.device} では受信できません`);
  const name = textOf(entry, 'name')?.slice(0, MAX_NAME);
  const lnb = /^1[15]/.test(optionValue(words, ['--lnb']) ?? '') && types.some((type) => type !== 'GR');
  return {
    ...(name === undefined ? {} : { name }),
    ...device,
    types,
    ...(isDisabled(entry) ? { disabled: true } : {}),
    ...(lnb ? { lnb: true } : {}),
  };
}

/** @throws Unusable */
function typesOf(entry: Entry, note: (problem: string) => void): BroadcastType[] {
  const listed = Array.isArray(entry.types) ? entry.types.slice(0, 16) : [entry.types];
  const types = BROADCAST_TYPES.filter((type) => listed.includes(type));
  if (types.length === 0) throw new Unusable('types に GR・BS・CS のどれもありません');
  if (listed.includes('SKY')) note('SKY は除きました。スカパー！プレミアムサービスには対応していません');
  return types;
}

function commandWords(entry: Entry): string[] {
  try {
    const command = textOf(entry, 'command');
    return command === undefined ? [] : splitWords(command);
  } catch {
    throw new Unusable('command の引用符が閉じていません');
  }
}

const DVB_NODE = /^\/dev\/dvb\/adapter(\d{1,4})\/(?:dvr|demux|frontend)(\d{1,4})$/;

/** @throws Unusable */
function deviceOf(entry: Entry, words: readonly string[]): Device {
  const paths = [
    textOf(entry, 'dvbDevicePath') ?? '',
    ...words.map((word) => word.replace(/^--?[\w-]+=/, '')),
  ];
  const px4 = paths.find((path) => characterDevice(path) !== undefined);
  if (px4 !== undefined) return { driver: 'px4', device: px4 };
  for (const path of paths) {
    const [, adapter, number] = DVB_NODE.exec(path) ?? [];
    if (adapter !== undefined && number !== undefined) return frontend(adapter, number);
  }
  const program = basename(words[0] ?? '');
  const adapter = adapterOf(program, words);
  if (adapter !== undefined) return frontend(adapter, optionValue(words, ['-f', '--frontend']) ?? '0');
  const other = paths.find((path) => path.startsWith('/dev/'));
  if (other !== undefined) throw new Unusable(`${other} のドライバーには対応していません`);
  throw new Unusable(
    program === '' ? 'command がありません' : `${program} のコマンドから、どのデバイスを使うのかわかりません`,
  );
}

/** Programs for the DVB interface identify the adapter by its number. */
function adapterOf(program: string, words: readonly string[]): string | undefined {
  if (program.startsWith('dvbv5-') || /^[sct]zap/.test(program))
    return optionValue(words, ['-a', '--adapter']) ?? '0';
  return program === 'recdvb' ? (optionValue(words, ['--dev']) ?? '0') : undefined;
}

/** @throws Unusable */
function frontend(adapter: string, number: string): Device {
  if (!/^\d{1,4}$/.test(adapter) || !/^\d{1,4}$/.test(number)) {
    throw new Unusable('DVB アダプターの番号が読み取れません');
  }
  return { driver: 'dvb', device: `/dev/dvb/adapter${Number(adapter)}/frontend${Number(number)}` };
}

/** `--name value`, `--name=value`, `-n value` or `-nvalue`; undefined if none of the names occurs. */
function optionValue(words: readonly string[], names: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    for (const name of names) {
      if (word === name) return words[index + 1];
      if (name.startsWith('--') && word.startsWith(`${name}=`)) return word.slice(name.length + 1);
      if (!name.startsWith('--') && !word.startsWith('--') && word.startsWith(name))
        return word.slice(name.length);
    }
  }
  return undefined;
}

/** Mirakurun lists a tuner for several systems once for each; here it is one tuner. */
function merge(into: TunerDefinition, more: TunerDefinition, note: (problem: string) => void): void {
  into.types = BROADCAST_TYPES.filter((type) => into.types.includes(type) || more.types.includes(type));
  if (more.lnb === true) into.lnb = true;
  if (more.disabled !== true) delete into.disabled;
  note(`${into.device} はすでにあるため、1 台のチューナーにまとめました`);
}
