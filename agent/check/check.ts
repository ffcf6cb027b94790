/** `svc-agent check`: tuners, permissions, card and channels, each with the next step if something is wrong. */
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import type { CheckLine } from '../../lib/host/log.ts';
import type { AnyTunerDefinition, DetectedDevice } from '../../lib/wire/agent.ts';
import { KEY_FAILURE_WORDS } from '../../lib/wire/key-failure.ts';
import { BROADCAST_NAMES } from '../../lib/wire/vocabulary.ts';
import { typeNames } from '../detect/detect-equipment.ts';
import type { CardFacts, CheckFacts } from './check-source.ts';

/**
 * The rule of `systemd/50-svc-agent.rules` as a line to be written if only the executables were copied. ECMAScript 5:
 * polkit's engine is Duktape.
 */
export const POLKIT_RULE =
  'polkit.addRule(function (a, s) { if (a.id.indexOf("org.debian.pcsc-lite.access_") === 0 && s.user === "svc-agent") return polkit.Result.YES; });';

/** Permissions of the service's own user for a device file. */
type UnitAccess = (path: string) => { readonly may: boolean; readonly group: string };

/**
 * @param access undefined: the devices' own problems include it, because they were queried with the service's
 *   permissions
 */
export function checkLines(facts: CheckFacts, url: string, access: UnitAccess | undefined): CheckLine[] {
  return [
    facts.isRunning
      ? { state: 'ok', what: 'svc-agent', detail: `${url} で動いています` }
      : {
          state: 'note',
          what: 'svc-agent',
          detail: `${url} では動いていません。systemctl enable --now svc-agent で起動してください`,
        },
    ...deviceLines(facts, access),
    ...tunerLines(facts),
    cardLine(facts.card),
    channelLine(facts),
  ];
}

function deviceLines(
  { devices, tuners, isRunning }: CheckFacts,
  access: UnitAccess | undefined,
): CheckLine[] {
  // A simulated broadcast by a command needs no device.
  const isMadeUp = typeof tuners !== 'string' && tuners.some(({ driver }) => driver === 'fake');
  if (devices.length === 0 && isMadeUp) return [];
  if (devices.length === 0) {
    const detail =
      'チューナーのデバイスが見つかりません。チューナーをつなぎ、ドライバーを入れてください（PX-W3U4 などの PLEX 製は px4_drv。PT3 など Linux が標準で対応する機器には要りません）';
    return [{ state: 'bad', what: 'デバイス', detail }];
  }
  return devices.map((device) => deviceLine(device, isRunning ? undefined : access));
}

function deviceLine(
  { device, model, types, problem }: DetectedDevice,
  access: UnitAccess | undefined,
): CheckLine {
  const what = `デバイス ${device}`;
  const known = [model, typeNames(types)].filter((text) => text !== '').join('、');
  if (problem !== null) {
    const state = problem.code === 'no_system' ? 'note' : 'bad';
    return { state, what, detail: problem.message };
  }
  const unit = access?.(device);
  if (unit !== undefined && !unit.may) {
    // The kernel's name of a DVB frontend (dvb0.frontend0) differs from its file.
    const matches = device.startsWith('/dev/dvb/') ? 'SUBSYSTEM=="dvb"' : `KERNEL=="${basename(device)}"`;
    const detail = `サービスから開けません（グループ ${unit.group}）。/etc/udev/rules.d/90-tuners.rules に ${matches}, GROUP="video", MODE="0660" と書き、機器をつなぎ直してください`;
    return { state: 'bad', what, detail };
  }
  return { state: 'ok', what, detail: known };
}

function tunerLines({ tuners, devices }: CheckFacts): CheckLine[] {
  if (typeof tuners === 'string') {
    const detail = `${tuners}。直すか、削除すると自動で検出したものを使います`;
    return [{ state: 'bad', what: 'チューナーの設定', detail }];
  }
  const enabled = tuners.filter(({ disabled = false }) => !disabled);
  const counts = BROADCAST_TYPES.map(
    (type) => `${BROADCAST_NAMES[type]} ${enabled.filter(({ types }) => types.includes(type)).length}`,
  );
  const summary: CheckLine =
    enabled.length === 0
      ? { state: 'bad', what: 'チューナー', detail: '使えるチューナーがありません' }
      : { state: 'ok', what: 'チューナー', detail: `${enabled.length} 台（${counts.join('、')}）` };
  return [summary, ...enabled.flatMap((tuner) => tunerProblem(tuner, devices) ?? [])];
}

function tunerProblem(
  { name, driver, device, error = null }: AnyTunerDefinition & { readonly error?: string | null },
  devices: readonly DetectedDevice[],
): CheckLine | undefined {
  const what = `チューナー ${name ?? device}`;
  if (error !== null) return { state: 'bad', what, detail: error };
  if (driver === 'fake' || devices.some((found) => found.device === device)) return undefined;
  const detail = `${device} がありません。つなぐか、「チューナー」画面で無効にしてください`;
  return { state: 'bad', what, detail };
}

/** A service that polkit refuses gets the same error as without a daemon. */
const NO_DAEMON_NEXT =
  'pcscd を起動してください（systemctl enable --now pcscd.socket）。起動しているときは、' +
  `/etc/polkit-1/rules.d/50-svc-agent.rules に次の 1 行を書いてください：${POLKIT_RULE}`;

function cardLine({ state, reader, failure }: CardFacts): CheckLine {
  if (failure !== null) {
    const { what, next } = KEY_FAILURE_WORDS[failure];
    const detail = failure === 'no_daemon' ? `${what}${NO_DAEMON_NEXT}` : `${what}${next}`;
    return { state: 'bad', what: 'カード', detail };
  }
  if (state === 'ready' || state === 'shared') {
    return { state: 'ok', what: 'カード', detail: `読み取れます（${reader ?? ''}）` };
  }
  return { state: 'note', what: 'カード', detail: 'まだ読み取っていません' };
}

function channelLine({ channels }: CheckFacts): CheckLine {
  if (typeof channels === 'string') {
    const detail = `${channels}。直すか、削除してスキャンし直してください`;
    return { state: 'bad', what: 'チャンネル', detail };
  }
  const withStations = channels.filter(({ stations }) => stations.length > 0);
  if (withStations.length === 0) {
    const detail = 'まだ局がありません。svc の「チューナー」画面でチャンネルスキャンを行ってください';
    return { state: 'note', what: 'チャンネル', detail };
  }
  const counts = BROADCAST_TYPES.map(
    (type) => `${BROADCAST_NAMES[type]} ${withStations.filter((channel) => channel.type === type).length}`,
  );
  return { state: 'ok', what: 'チャンネル', detail: `${withStations.length} 件（${counts.join('、')}）` };
}

const GROUP = 'video';
const GROUP_RW = 0o060;
const OTHERS_RW = 0o006;

/**
 * Whether the service, which runs as its own user in the group `video`, may open a device file.
 * Undefined if the files do not show it: then the permissions of this process are used.
 */
export function unitAccess(groups = '/etc/group'): UnitAccess | undefined {
  const names = groupNames(groups);
  if (names.size === 0) return undefined;
  return (path) => {
    const { mode, gid } = statSync(path);
    const group = names.get(gid) ?? String(gid);
    const may = (mode & OTHERS_RW) === OTHERS_RW || (group === GROUP && (mode & GROUP_RW) === GROUP_RW);
    return { may, group };
  };
}

function groupNames(path: string): Map<number, string> {
  try {
    return new Map(
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => line.split(':'))
        .flatMap(([name = '', , gid = '']) => (/^\d+$/.test(gid) ? [[Number(gid), name] as const] : [])),
    );
  } catch {
    return new Map();
  }
}
