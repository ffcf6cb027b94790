/** The ioctl interface that px4_drv, pt3_drv and pt1_drv share (`ptx_ioctl.h`), and the meaning of its numbers. */
import type { ChannelFrequency } from '../physical-channel.ts';

export const SET_CHANNEL = 0x40088d01;
export const START_STREAMING = 0x8d02;
export const STOP_STREAMING = 0x8d03;
/** The request number has a size of 8 bytes, but 4 are written. */
export const GET_CNR = 0x80088d04;
export const CNR_BYTES = 8;
/** Argument passed by value. */
export const ENABLE_LNB_POWER = 0x40048d05;
export const DISABLE_LNB_POWER = 0x8d06;
/** Argument passed by value. */
export const SET_SYSTEM_MODE = 0x40048d0b;

export const LNB_15V = 2;
export const SYSTEM_ISDB_T = 0x10;
export const SYSTEM_ISDB_S = 0x20;

/** `freq_no` of BS, of CS, and of UHF channel 0 (channel 13 is 63). */
const CS_FIRST = 12;
const UHF_OFFSET = 50;

/** `struct ptx_freq { int freq_no; int slot; }`; the slot is a relative stream or, above 11, a transport stream id. */
export function channelArgument(frequency: ChannelFrequency, isCs: boolean, slot: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  const number =
    frequency.system === 'terrestrial'
      ? frequency.channel + UHF_OFFSET
      : frequency.transponder + (isCs ? CS_FIRST : 0);
  view.setInt32(0, number, true);
  view.setInt32(4, slot, true);
  return bytes;
}
