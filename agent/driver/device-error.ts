/** Why a device cannot be used or a channel not received, in sentences with the next step. */
import type { DeviceFacts } from './device-facts.ts';
import { ERRNO, errnoName } from './system-calls.ts';

/**
 * - `missing`: no such device file
 * - `permission`, `busy`
 * - `gone`: the device was removed, or does not respond
 * - `limits`: of the machine (descriptors, memory)
 * - `system`: the device does not receive this kind of broadcast
 * - `range`: the device refuses the channel's frequency or stream
 * - `no_signal`: not locked in time
 * - `no_tsid`: the transport stream id of the channel is unknown
 * - `lnb`: the device cannot power the antenna's converter
 * - `failed`: anything else
 */
export type DeviceErrorCode =
  | 'missing'
  | 'permission'
  | 'busy'
  | 'gone'
  | 'limits'
  | 'system'
  | 'range'
  | 'no_signal'
  | 'no_tsid'
  | 'lnb'
  | 'failed';

/** Problems of the channel or the reception; every other code means that the device itself is unusable. */
const OF_CHANNEL: ReadonlySet<DeviceErrorCode> = new Set(['system', 'range', 'no_signal', 'no_tsid', 'lnb']);

export class DeviceError extends Error {
  override readonly name = 'DeviceError';
  /** @param message for display @param detail for the log: the failed call, if it has no sentence of its own */
  constructor(
    readonly code: DeviceErrorCode,
    message: string,
    readonly detail?: string,
  ) {
    super(message);
  }
}

/** Whether the device itself is unusable, by the code of a `DeviceError`; an unknown code counts as the device's. */
export function isDeviceFault(code: string | null): boolean {
  return !OF_CHANNEL.has(code as DeviceErrorCode);
}

/** @param errno positive, of a failed `open` of the device's file */
export function openError(path: string, errno: number, facts: DeviceFacts): DeviceError {
  switch (errno) {
    case ERRNO.ENOENT:
      return missingError(path);
    case ERRNO.EACCES:
    case ERRNO.EPERM:
      return permissionError(path, facts);
    case ERRNO.EBUSY:
    // Drivers of character devices return this instead of EBUSY.
    case ERRNO.EALREADY:
      return busyError(path, facts);
    default:
      return callError(path, 'open', errno);
  }
}

export function missingError(path: string): DeviceError {
  return new DeviceError(
    'missing',
    `${path} がありません。チューナーの接続と、ドライバーが読み込まれていることを確認してください`,
  );
}

export function permissionError(path: string, facts: DeviceFacts): DeviceError {
  const group = facts.group(path);
  return new DeviceError(
    'permission',
    group === undefined
      ? `${path} を開く権限がありません。udev の設定でデバイスのグループを video にしてください`
      : `${path} を開く権限がありません。svc-agent を動かすユーザーを ${group} グループに加えてください（sudo usermod -aG ${group} ユーザー名）`,
  );
}

export function busyError(path: string, facts: DeviceFacts): DeviceError {
  const user = facts.userOf(path);
  if (user === undefined) {
    return new DeviceError(
      'busy',
      `${path} は使用中です。他のプログラムか、同じ機器の別のチューナーが使っています`,
    );
  }
  return new DeviceError(
    'busy',
    `${path} は ${user.name}（プロセス ${user.pid}）が使用中です。そのプログラムを終了してください`,
  );
}

/** @param errno positive, of a call on an open device that has no special meaning for that call */
export function callError(path: string, call: string, errno: number): DeviceError {
  const detail = `${call}: ${errnoName(errno)}`;
  switch (errno) {
    case ERRNO.EIO:
    case ERRNO.ENODEV:
    case ERRNO.ENXIO:
    case ERRNO.ESHUTDOWN:
    case ERRNO.ETIMEDOUT:
    case ERRNO.EREMOTEIO:
    case ERRNO.ECANCELED:
      return new DeviceError(
        'gone',
        `${path} が応答しません。チューナーが外れていないか、電源と接続を確認してください`,
        detail,
      );
    case ERRNO.EMFILE:
    case ERRNO.ENFILE:
      return new DeviceError('limits', `${path} を開けません。開けるファイルの数の上限に達しました`);
    case ERRNO.ENOMEM:
      return new DeviceError('limits', `${path} を使えません。メモリーが足りません`);
    case ERRNO.EBUSY:
      return new DeviceError(
        'busy',
        `${path} は他のプログラムが使用中です。そのプログラムを終了してください`,
      );
    default:
      return new DeviceError(
        'failed',
        `${path} を操作できません。続くときは svc-agent のログを確認してください`,
        detail,
      );
  }
}

/** @param wanted the kind of broadcast, as text */
export function systemError(path: string, wanted: string): DeviceError {
  return new DeviceError(
    'system',
    `${path} は${wanted}を受信できません。チューナー設定の放送の種類を確認してください`,
  );
}

export function rangeError(path: string, channel: string): DeviceError {
  return new DeviceError('range', `${path} は ${channel} の周波数またはストリームを受け付けません`);
}

/** @param cnr dB if the device reports it */
export function noSignalError(channel: string, limitMs: number, cnr: number | null): DeviceError {
  const seconds = Math.round(limitMs / 100) / 10;
  const level = cnr === null ? '' : ` (CNR ${cnr.toFixed(1)} dB)`;
  return new DeviceError(
    'no_signal',
    `${channel} の電波を ${seconds} 秒以内に受信できませんでした。アンテナの接続を確認してください${level}`,
  );
}

export function lnbError(path: string): DeviceError {
  return new DeviceError(
    'lnb',
    `${path} はアンテナ (LNB) に給電できません。チューナー設定の LNB 給電を切り、別の機器から給電してください`,
  );
}
