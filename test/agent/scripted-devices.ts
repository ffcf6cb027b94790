/** Device files that behave like the real drivers, for `ScriptedKernel`. */
import {
  DMX_SET_BUFFER_SIZE,
  DMX_SET_PES_FILTER,
  DTV_DELIVERY_SYSTEM,
  DTV_ENUM_DELSYS,
  DTV_FREQUENCY,
  DTV_STAT_CNR,
  DTV_STAT_SIGNAL_STRENGTH,
  DTV_STREAM_ID,
  FE_GET_INFO,
  FE_GET_PROPERTY,
  FE_READ_STATUS,
  FE_SET_PROPERTY,
  FE_SET_VOLTAGE,
  PROPERTY_BYTES,
} from '../../agent/driver/dvb/abi.ts';
import { fail, type ScriptedFile } from './scripted-kernel.ts';

export interface FrontendState {
  name: string;
  systems: number[];
  /** Lowest 5 bits of `enum fe_status`; 31 is a lock. */
  status: number;
  cnrMilliDb: number;
  strength: { scale: number; value: number };
  voltage: number;
  /** Commands and values of the last FE_SET_PROPERTY. */
  tuned: Map<number, number>;
}

export const ISDBT = 8;
export const ISDBS = 9;

export function frontendState(systems: number[], name = 'Toshiba TC90522'): FrontendState {
  return {
    name,
    systems,
    status: 31,
    cnrMilliDb: 28_500,
    strength: { scale: 1, value: -42_000 },
    voltage: 2,
    tuned: new Map(),
  };
}

/** `/dev/dvb/adapterN/{frontend0,demux0,dvr0}`; the test may change their state. */
export function dvbAdapter(
  adapter: number,
  state: FrontendState,
  stream: Pick<ScriptedFile, 'read' | 'poll'> = {},
): Record<string, ScriptedFile> {
  const folder = `/dev/dvb/adapter${adapter}`;
  return {
    [`${folder}/frontend0`]: { ioctl: frontendIoctls(state) },
    [`${folder}/demux0`]: { ioctl: { [DMX_SET_PES_FILTER]: () => 0 } },
    [`${folder}/dvr0`]: { ioctl: { [DMX_SET_BUFFER_SIZE]: () => 0 }, ...stream },
  };
}

function frontendIoctls(state: FrontendState): NonNullable<ScriptedFile['ioctl']> {
  const eachProperty = (bytes: Uint8Array, act: (command: number, view: DataView) => void): void => {
    for (let at = 0; at < bytes.length; at += PROPERTY_BYTES) {
      const view = new DataView(bytes.buffer, bytes.byteOffset + at, PROPERTY_BYTES);
      act(view.getUint32(0, true), view);
    }
  };
  return {
    [FE_GET_INFO]: (argument) => {
      (argument as Uint8Array).set(new TextEncoder().encode(`${state.name}\0rest`));
      return 0;
    },
    [FE_READ_STATUS]: (argument) => {
      (argument as Uint8Array)[0] = state.status;
      return 0;
    },
    [FE_SET_VOLTAGE]: (argument) => {
      state.voltage = argument as number;
      return 0;
    },
    [FE_SET_PROPERTY]: (argument) => {
      state.tuned.clear();
      eachProperty(argument as Uint8Array, (command, view) => {
        state.tuned.set(command, view.getUint32(16, true));
      });
      const frequency = state.tuned.get(DTV_FREQUENCY) ?? 0;
      const isOutside = state.tuned.get(DTV_DELIVERY_SYSTEM) === ISDBT && frequency > 760_000_000;
      return isOutside ? fail('EINVAL') : 0;
    },
    [FE_GET_PROPERTY]: (argument) => {
      eachProperty(argument as Uint8Array, (command, view) => {
        switch (command) {
          case DTV_ENUM_DELSYS:
            for (const [index, system] of state.systems.entries()) view.setUint8(16 + index, system);
            view.setUint32(48, state.systems.length, true);
            break;
          case DTV_STAT_CNR:
            setStatistic(view, 1, state.cnrMilliDb);
            break;
          case DTV_STAT_SIGNAL_STRENGTH:
            setStatistic(view, state.strength.scale, state.strength.value);
            break;
          case DTV_STREAM_ID:
            break;
        }
      });
      return 0;
    },
  };
}

function setStatistic(view: DataView, scale: number, value: number): void {
  view.setUint8(16, 1);
  view.setUint8(17, scale);
  view.setBigInt64(18, BigInt(value), true);
}
