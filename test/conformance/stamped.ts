/** Self-describing packets: their number, the process that made them and its tuning arguments. */
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { PACKET_SIZE, SYNC_BYTE } from '../../lib/arib/ts/packet.ts';

const PID = 0x0100;
const MARK = 0x5356_4343;
const AT = { mark: 4, number: 8, process: 12, label: 16, labelEnd: 64 } as const;

/**
 * @param label such as `BS BS01_0 16400` @returns packets with continuity counters that follow the numbers
 */
export function stampedPackets(first: number, count: number, process: number, label: string): Uint8Array {
  const bytes = new Uint8Array(count * PACKET_SIZE).fill(0xff);
  const view = new DataView(bytes.buffer);
  const text = new TextEncoder().encode(
    label.padEnd(AT.labelEnd - AT.label).slice(0, AT.labelEnd - AT.label),
  );
  for (let index = 0; index < count; index += 1) {
    const at = index * PACKET_SIZE;
    view.setUint8(at, SYNC_BYTE);
    view.setUint16(at + 1, PID);
    view.setUint8(at + 3, 0x10 | ((first + index) & 0x0f));
    view.setUint32(at + AT.mark, MARK);
    view.setUint32(at + AT.number, first + index);
    view.setUint32(at + AT.process, process);
    bytes.set(text, at + AT.label);
  }
  return bytes;
}

/** Statistics of a received stream, whose data is not stored. */
export class StampReader {
  /** -1 before the first packet. */
  first = -1;
  last = -1;
  packets = 0;
  /** Packets whose number does not follow the previous one. */
  gaps = 0;
  readonly processes = new Set<number>();
  readonly labels = new Set<string>();
  readonly #framer = new PacketFramer();

  feed(chunk: Uint8Array): void {
    this.#framer.scan(chunk, (bytes, from, to) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = from; at < to; at += PACKET_SIZE)
        if (view.getUint32(at + AT.mark) === MARK) this.#take(view, at);
    });
  }

  #take(view: DataView, at: number): void {
    const number = view.getUint32(at + AT.number);
    const process = view.getUint32(at + AT.process);
    if (this.first < 0) this.first = number;
    else if (number !== this.last + 1) this.gaps += 1;
    this.last = number;
    this.packets += 1;
    if (this.processes.has(process)) return;
    this.processes.add(process);
    const label = new Uint8Array(view.buffer, view.byteOffset + at + AT.label, AT.labelEnd - AT.label);
    this.labels.add(new TextDecoder().decode(label).trim());
  }
}
