/** A DVB frontend device: its demultiplexer, its name and the broadcasts that it receives. */
import type { BroadcastType } from '../../../lib/arib/ids.ts';
import { callError } from '../device-error.ts';
import type { SystemCalls } from '../system-calls.ts';
import {
  DTV_ENUM_DELSYS,
  FE_GET_INFO,
  FE_GET_PROPERTY,
  INFO_BYTES,
  parseFrontendInfo,
  propertyArray,
  propertyBuffer,
  SYS_ISDBS,
  SYS_ISDBT,
} from './abi.ts';

const PATH = /^\/dev\/dvb\/adapter(\d{1,3})\/frontend(\d{1,3})$/;

export interface FrontendPaths {
  readonly frontend: string;
  readonly demux: string;
  readonly dvr: string;
}

export function isFrontendPath(path: string): boolean {
  return PATH.test(path);
}

/**
 * The demultiplexer of the same number, or the adapter's only one, which its frontends then share in turns. Undefined
 * for a path that is not a frontend.
 */
export function frontendPaths(
  frontend: string,
  exists: (path: string) => boolean,
): FrontendPaths | undefined {
  const [, adapter, number] = PATH.exec(frontend) ?? [];
  if (adapter === undefined || number === undefined) return undefined;
  const folder = `/dev/dvb/adapter${adapter}`;
  const index = exists(`${folder}/demux${number}`) ? number : '0';
  return { frontend, demux: `${folder}/demux${index}`, dvr: `${folder}/dvr${index}` };
}

/** @throws DeviceError */
export function readFrontendName(calls: SystemCalls, fd: number, path: string): string {
  const info = new Uint8Array(INFO_BYTES);
  const result = calls.ioctl(fd, FE_GET_INFO, info);
  if (result < 0) throw callError(path, 'FE_GET_INFO', -result);
  return parseFrontendInfo(info).name;
}

/** Numbers of `enum fe_delivery_system`. @throws DeviceError */
export function readDeliverySystems(calls: SystemCalls, fd: number, path: string): number[] {
  const properties = propertyArray([[DTV_ENUM_DELSYS, 0]]);
  const result = calls.ioctlProperties(fd, FE_GET_PROPERTY, properties, 1);
  if (result < 0) throw callError(path, 'DTV_ENUM_DELSYS', -result);
  return propertyBuffer(properties, 0);
}

/** The Japanese broadcast types that a frontend with these delivery systems receives. */
export function receivedTypes(systems: readonly number[]): BroadcastType[] {
  return [
    ...(systems.includes(SYS_ISDBT) ? (['GR'] as const) : []),
    ...(systems.includes(SYS_ISDBS) ? (['BS', 'CS'] as const) : []),
  ];
}
