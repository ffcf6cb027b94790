/** Numbers and layouts that the drivers pass to the kernel, compared with the headers of this machine. */
import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as dvb from './dvb/abi.ts';
import * as px4 from './px4/abi.ts';
import { ERRNO, O_CLOEXEC, O_NONBLOCK, O_RDWR } from './system-calls.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'svc-abi-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const COMPILER = Bun.which('gcc') ?? Bun.which('cc');
const hasHeaders = COMPILER !== null && existsSync('/usr/include/linux/dvb/frontend.h');

/** Values of C expressions with this machine's compiler and headers. */
function valuesOf(expressions: readonly string[]): number[] {
  const lines = expressions.map((text) => `printf("%llu\\n", (unsigned long long)(${text}));`);
  const source = `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <linux/dvb/dmx.h>
#include <linux/dvb/frontend.h>
struct ptx_freq { int freq_no; int slot; };
typedef struct dtv_property property;
typedef struct dvb_frontend_info info;
typedef struct dmx_pes_filter_params filter;
typedef struct dtv_stats stats;
int main(void) { ${lines.join('\n')} return 0; }`;
  writeFileSync(join(FOLDER, 'abi.c'), source);
  const program = join(FOLDER, 'abi');
  const built = Bun.spawnSync([COMPILER ?? '', '-o', program, join(FOLDER, 'abi.c')]);
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  return Bun.spawnSync([program]).stdout.toString().trim().split('\n').map(Number);
}

/** C expressions and the corresponding values of the drivers. */
const ROWS: [string, number][] = [
  ...(
    [
      ['FE_GET_INFO', dvb.FE_GET_INFO],
      ['FE_READ_STATUS', dvb.FE_READ_STATUS],
      ['FE_SET_VOLTAGE', dvb.FE_SET_VOLTAGE],
      ['FE_SET_PROPERTY', dvb.FE_SET_PROPERTY],
      ['FE_GET_PROPERTY', dvb.FE_GET_PROPERTY],
      ['DMX_SET_BUFFER_SIZE', dvb.DMX_SET_BUFFER_SIZE],
      ['DMX_SET_PES_FILTER', dvb.DMX_SET_PES_FILTER],
      ['DTV_TUNE', dvb.DTV_TUNE],
      ['DTV_CLEAR', dvb.DTV_CLEAR],
      ['DTV_FREQUENCY', dvb.DTV_FREQUENCY],
      ['DTV_BANDWIDTH_HZ', dvb.DTV_BANDWIDTH_HZ],
      ['DTV_DELIVERY_SYSTEM', dvb.DTV_DELIVERY_SYSTEM],
      ['DTV_STREAM_ID', dvb.DTV_STREAM_ID],
      ['DTV_ENUM_DELSYS', dvb.DTV_ENUM_DELSYS],
      ['DTV_STAT_SIGNAL_STRENGTH', dvb.DTV_STAT_SIGNAL_STRENGTH],
      ['DTV_STAT_CNR', dvb.DTV_STAT_CNR],
      ['SYS_ISDBT', dvb.SYS_ISDBT],
      ['SYS_ISDBS', dvb.SYS_ISDBS],
      ['SEC_VOLTAGE_18', dvb.SEC_VOLTAGE_18],
      ['SEC_VOLTAGE_OFF', dvb.SEC_VOLTAGE_OFF],
      ['FE_HAS_LOCK', dvb.FE_HAS_LOCK],
    ] as const
  ).map(([name, value]): [string, number] => [name, value]),
  ['sizeof(property)', dvb.PROPERTY_BYTES],
  ['offsetof(property, u)', 16],
  ['offsetof(property, u.buffer.len)', 48],
  ['offsetof(property, u.st)', 16],
  ['offsetof(struct dtv_fe_stats, stat)', 1],
  ['sizeof(stats)', 9],
  ['offsetof(stats, svalue)', 1],
  ['FE_SCALE_DECIBEL', 1],
  ['FE_SCALE_RELATIVE', 2],
  ['sizeof(struct dtv_properties)', 16],
  ['offsetof(struct dtv_properties, props)', 8],
  ['sizeof(info)', dvb.INFO_BYTES],
  ['offsetof(info, name)', 0],
  ['sizeof(((info *)0)->name)', 128],
  ['sizeof(filter)', dvb.PES_FILTER_BYTES],
  ['offsetof(filter, input)', 4],
  ['offsetof(filter, output)', 8],
  ['offsetof(filter, pes_type)', 12],
  ['offsetof(filter, flags)', 16],
  ['DMX_IN_FRONTEND', 0],
  ['DMX_OUT_TS_TAP', 2],
  ['DMX_PES_OTHER', 20],
  ['DMX_IMMEDIATE_START', 4],
  // px4_drv's header is not part of the system: its numbers are rebuilt from their definition.
  ['_IOW(0x8d, 0x01, struct ptx_freq)', px4.SET_CHANNEL],
  ['_IO(0x8d, 0x02)', px4.START_STREAMING],
  ['_IO(0x8d, 0x03)', px4.STOP_STREAMING],
  ['_IOR(0x8d, 0x04, int *)', px4.GET_CNR],
  ['_IOW(0x8d, 0x05, int)', px4.ENABLE_LNB_POWER],
  ['_IO(0x8d, 0x06)', px4.DISABLE_LNB_POWER],
  ['_IOW(0x8d, 0x0b, int)', px4.SET_SYSTEM_MODE],
  ['O_RDWR', O_RDWR],
  ['O_NONBLOCK', O_NONBLOCK],
  ['O_CLOEXEC', O_CLOEXEC],
  ...Object.entries(ERRNO),
];

test.skipIf(!hasHeaders)('numbers and layouts are those of the kernel’s headers', () => {
  const values = valuesOf(ROWS.map(([expression]) => expression));
  const actual = ROWS.map(([expression], index): [string, number] => [expression, values[index] ?? -1]);
  expect(actual).toEqual(ROWS);
});

test('the demultiplexer filter passes the whole stream', () => {
  const view = new DataView(dvb.wholeStreamFilter().buffer);
  expect([0, 4, 8, 12, 16].map((at) => view.getUint32(at, true))).toEqual([0x2000, 0, 2, 20, 4]);
});

test('lengths that a broken driver reports are bounded', () => {
  const properties = dvb.propertyArray([[dvb.DTV_ENUM_DELSYS, 0]]);
  new DataView(properties.buffer).setUint32(48, 0xffff_ffff, true);
  expect(dvb.propertyBuffer(properties, 0)).toHaveLength(32);
  expect(dvb.parseFrontendInfo(new Uint8Array(dvb.INFO_BYTES).fill(0xff)).name.length).toBeLessThan(200);
});
