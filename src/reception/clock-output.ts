/**
 * Output `clock`: maps time stamps of the station to broadcast time. Posts a pair for each TOT of the
 * broadcaster (about every 5 s; ARIB STD-B10 Part 2, 5.2.9), with the last clock reference before it.
 */
import { parseTot, TOT_PID } from '../../lib/arib/si/eit.ts';
import type { BroadcastMs, Pts90k } from '../../lib/arib/time.ts';
import { pcrToPts } from '../../lib/arib/ts/clock.ts';
import { PACKET_SIZE, packetPcr, packetPid } from '../../lib/arib/ts/packet.ts';
import { SectionDemux } from '../../lib/arib/ts/section.ts';
import { defineOutput, type Output, type OutputContext } from './output-kind.ts';
import type { SideItem } from './side-item.ts';

interface StationTime extends SideItem {
  readonly time: Pts90k;
  /** Broadcast time of this time stamp. */
  readonly at: BroadcastMs;
}

/**
 * An older clock reference does not match the TOT: clock references come every 100 ms (ARIB TR-B14). Counted in
 * packets of the stream (half a second of the fastest station), because arrival times are unreliable on a busy machine.
 */
const FRESH_PACKETS = 8_000;

export const clockOutput = defineOutput<null, never, StationTime, never>({
  name: 'clock',
  start: (_options, context) => new ClockOutput(context),
});

class ClockOutput implements Output<never> {
  readonly #demux = new SectionDemux([TOT_PID]);
  #pcr: Pts90k | undefined;
  /** Packets since the last clock reference. */
  #age = 0;
  #isOver = false;

  constructor(private readonly context: OutputContext<StationTime, never>) {}

  feed(packets: Uint8Array): void {
    const pcrPid = this.context.stream.pcrPid();
    for (let offset = 0; offset + PACKET_SIZE <= packets.length; offset += PACKET_SIZE) {
      const pid = packetPid(packets, offset);
      this.#age += 1;
      if (pid === TOT_PID) this.#readTime(packets.subarray(offset, offset + PACKET_SIZE));
      if (pid !== pcrPid) continue;
      const pcr = packetPcr(packets, offset);
      if (pcr === undefined) continue;
      this.#pcr = pcrToPts(pcr);
      this.#age = 0;
    }
  }

  /** The next packets may have another clock. */
  layoutChanged(): void {
    this.#pcr = undefined;
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.context.ended({ cause: 'lost' });
  }

  #readTime(packet: Uint8Array): void {
    for (const section of this.#demux.feed(packet)) {
      const time = parseTot(section)?.time;
      if (time === undefined || this.#pcr === undefined || this.#age > FRESH_PACKETS) continue;
      this.context.event({ time: this.#pcr, at: time, key: 'clock', size: 0 });
    }
  }
}
