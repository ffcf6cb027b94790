/** An output and readers defined like new features of the service, which would need one file each. */
import { PACKET_SIZE, packetPid } from '../../lib/arib/ts/packet.ts';
import { defineOutput } from '../../src/reception/output-kind.ts';
import { defineReader } from '../../src/reception/reader-kind.ts';
import { threadProcessingMs } from '../../src/reception/reader-set.ts';
import type { ReceptionKinds } from '../../src/reception/reception-kinds.ts';

/** Counts packets and reports the number on request. */
export const countingOutput = defineOutput<
  { label: string },
  { kind: 'report' },
  { label: string; packets: number; bytes: Uint8Array<ArrayBuffer> },
  { cause: 'counted'; packets: number }
>({
  name: 'test-counter',
  start: ({ label }, context) => {
    let packets = 0;
    return {
      feed: (bytes) => {
        packets += bytes.length / PACKET_SIZE;
      },
      command: () => context.event({ label, packets, bytes: new Uint8Array(8) }),
      stop: () => context.ended({ cause: 'counted', packets }),
    };
  },
  transfer: ({ bytes }) => [bytes.buffer],
});

/** Posts the number of packets of a PID, one message per call. */
export const pidReader = defineReader<{ pid: number }, { pid: number }, { pid: number; packets: number }>({
  name: 'test-pid',
  start: ({ pid }, context) => {
    context.select([pid]);
    return {
      feed: (packets) => {
        for (let at = 0; at < packets.length; at += PACKET_SIZE)
          context.post({ pid: packetPid(packets, at), packets: packets.length / PACKET_SIZE });
      },
      command: (next) => context.select([next.pid]),
    };
  },
});

export type Fault = 'throws' | 'is slow' | 'throws at its start';

/** Fails at the first packet of a PID. */
export const faultyReader = defineReader<{ pid: number; fault: Fault }, never, never>({
  name: 'test-fault',
  start: ({ pid, fault }, context) => {
    if (fault === 'throws at its start') throw new Error('broken on purpose');
    context.select([pid]);
    return {
      feed: () => {
        if (fault === 'throws') throw new Error('broken on purpose');
        const until = threadProcessingMs() + 600;
        while (threadProcessingMs() < until);
      },
    };
  },
});

export const PROBES: ReceptionKinds = { outputs: [countingOutput], readers: [pidReader, faultyReader] };
