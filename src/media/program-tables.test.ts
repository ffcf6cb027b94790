import { expect, test } from 'bun:test';
import type { Pid, ServiceId, TransportStreamId } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { PAT_PID } from '../../lib/arib/ts/packet.ts';
import { packetize, writePat, writePmt } from '../../lib/arib/ts/packetizer.ts';
import { ProgramTables } from './program-tables.ts';

test('a PMT of several packets is read, and can be read again from the forwarded packets', () => {
  const service = 1024 as ServiceId;
  const map = 0x1f0 as Pid;
  const streams = Array.from({ length: 60 }, (_, index) => ({
    streamType: index === 0 ? 0x02 : 0x0f,
    pid: (0x100 + index) as Pid,
  }));
  const pat = writePat(0x7fe0 as TransportStreamId, 0, [{ programNumber: service, pid: map }]);
  const pmt = packetize(writePmt(service, 0, 0x100 as Pid, streams), map);
  expect(pmt.length).toBe(2 * 188);
  const first = new ProgramTables(undefined);
  first.feedAll(joinBytes([packetize(pat, PAT_PID), pmt]));
  const second = new ProgramTables(undefined);
  second.feedAll(first.packets);
  for (const tables of [first, second]) {
    expect(tables.serviceId).toBe(service);
    expect(tables.layout?.video).toEqual({ pid: 0x100 as Pid, kind: 'mpeg2' });
    expect(tables.streamType(0x13b as Pid)).toBe(0x0f);
  }
});
