import { describe, expect, test } from 'bun:test';
import type { Pid, ServiceId } from '../../lib/arib/ids.ts';
import type { ProgramMap } from '../../lib/arib/ts/pmt.ts';
import { layoutOf, sameLayout } from './station-layout.ts';

function map(...streams: [type: number, pid: number, tag: number | null][]): ProgramMap {
  return {
    programNumber: 0x400 as ServiceId,
    version: 0,
    pcrPid: 0x1ff as Pid,
    descriptors: [],
    streams: streams.map(([streamType, pid, componentTag]) => ({
      streamType,
      pid: pid as Pid,
      componentTag,
      descriptors: [],
    })),
  };
}

describe('layoutOf', () => {
  test('orders audio streams by component tag, as the guide counts them', () => {
    const layout = layoutOf(map([0x0f, 0x113, 0x11], [0x02, 0x111, 0x00], [0x0f, 0x112, 0x10]));
    expect(layout).toEqual({
      video: { pid: 0x111 as Pid, kind: 'mpeg2' },
      audios: [0x112 as Pid, 0x113 as Pid],
      captions: [],
      data: false,
    });
  });

  test('distinguishes captions from data broadcasting', () => {
    const layout = layoutOf(
      map(
        [0x1b, 0x581, 0x81],
        [0x06, 0x130, 0x30],
        [0x06, 0x138, 0x38],
        [0x0d, 0x140, 0x40],
        [0x06, 0x160, 0x60],
      ),
    );
    expect(layout.captions).toEqual([0x130 as Pid, 0x138 as Pid]);
    expect(layout.video?.kind).toBe('h264');
    expect(layout.data).toBe(true);
  });

  test('the layout differs with another audio count or caption PID, but not with another data stream', () => {
    const base = layoutOf(map([2, 0x111, 0], [0x0f, 0x112, 0x10], [6, 0x130, 0x30]));
    expect(sameLayout(base, layoutOf(map([6, 0x130, 0x30], [0x0f, 0x112, 0x10], [2, 0x111, 0])))).toBe(true);
    expect(
      sameLayout(
        base,
        layoutOf(map([2, 0x111, 0], [0x0f, 0x112, 0x10], [6, 0x130, 0x30], [0x0d, 0x140, 0x40])),
      ),
    ).toBe(true);
    expect(sameLayout(base, layoutOf(map([2, 0x111, 0], [0x0f, 0x112, 0x10], [6, 0x131, 0x30])))).toBe(false);
    expect(
      sameLayout(
        base,
        layoutOf(map([2, 0x111, 0], [0x0f, 0x112, 0x10], [0x0f, 0x113, 0x11], [6, 0x130, 0x30])),
      ),
    ).toBe(false);
  });
});
