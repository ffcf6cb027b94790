import { describe, expect, test } from 'bun:test';
import { parsePmt } from '../../arib/ts/pmt.ts';
import { SectionAssembler } from '../../arib/ts/section.ts';
import { pmtSection, StreamBuilder, streamIdentifier } from '../../test/stream-builder.ts';
import { forbidsCopying } from './copy-control.ts';

const PMT = 0x1f0;
const VIDEO = 0x100;
const SOUND = 0x110;
const SECOND_SOUND = 0x111;

/** digital_copy_control_descriptor: recording control 2, rate flag 0, component flag, type 1, APS 0. */
const control = (recording: number): number[] => [0xc1, 1, (recording << 6) | 0x04];
const FREE = control(0);
const ONCE = control(2);
const NEVER = control(3);
/** "One generation" for all components except the one with this tag, which has "never". */
const neverOf = (tag: number): number[] => [0xc1, 4, 0x80 | 0x14, 2, tag, 0xc4];

function forbidden(common: number[], video: number[] = [], second: number[] = []): boolean {
  const streams = [
    { type: 0x02, pid: VIDEO, descriptors: [...streamIdentifier(0x00), ...video] },
    { type: 0x0f, pid: SOUND, descriptors: streamIdentifier(0x10) },
    { type: 0x0f, pid: SECOND_SOUND, descriptors: [...streamIdentifier(0x11), ...second] },
  ];
  const section = pmtSection(101, { pcrPid: VIDEO, descriptors: common, streams });
  const packets = new StreamBuilder().sections(PMT, section).bytes();
  for (const whole of new SectionAssembler().feed(packets, 0)) {
    const map = parsePmt(whole);
    if (map !== undefined) return forbidsCopying(map);
  }
  throw new Error('no PMT');
}

describe('recording', () => {
  test('is allowed without a descriptor, and with "free" or "one generation"', () => {
    expect([[], FREE, ONCE].map((words) => forbidden(words))).toEqual([false, false, false]);
  });

  test('is forbidden by "never" for the programme or its video', () => {
    expect(forbidden(NEVER)).toBe(true);
    expect(forbidden(ONCE, NEVER)).toBe(true);
    expect(forbidden(neverOf(0x00))).toBe(true);
    expect(forbidden(neverOf(0x10))).toBe(true);
  });

  test('is allowed when only another audio stream is restricted', () => {
    expect(forbidden(neverOf(0x11))).toBe(false);
    expect(forbidden(FREE, [], NEVER)).toBe(false);
  });

  test("a stream's own descriptor takes precedence over the programme's", () => {
    expect(forbidden(NEVER, FREE)).toBe(true);
  });
});
