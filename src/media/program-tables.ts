/** The PAT and PMT of a recorded stream, from any position on: its programme, its layout, and both as packets. */
import type { Pid, ServiceId } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { hasTransportError, PACKET_SIZE, PAT_PID, packetPid } from '../../lib/arib/ts/packet.ts';
import { PAT_TABLE_ID, parsePat } from '../../lib/arib/ts/pat.ts';
import { SectionAssembler } from '../../lib/arib/ts/section.ts';
import { StationTables } from '../../lib/arib/ts/station-tables.ts';
import { layoutOf, type StationLayout } from '../reception/station-layout.ts';

export class ProgramTables {
  #tables: StationTables | undefined;
  readonly #pats = new SectionAssembler();

  /** @param wanted the programme to follow if the stream has several; else the first one is followed */
  constructor(
    private readonly wanted: ServiceId | undefined,
    private readonly onLayout?: (layout: StationLayout) => void,
  ) {}

  get serviceId(): ServiceId | undefined {
    return this.#tables?.programMap?.programNumber;
  }

  /** Undefined before the first PMT. */
  get pcrPid(): Pid | undefined {
    return this.#tables?.programMap?.pcrPid;
  }

  /** Undefined before the first PMT. */
  get layout(): StationLayout | undefined {
    const map = this.#tables?.programMap;
    return map === undefined ? undefined : layoutOf(map);
  }

  /** stream_type of a PID, ISO/IEC 13818-1 table 2-34; undefined if it is not in the PMT. */
  streamType(pid: Pid): number | undefined {
    return this.#tables?.programMap?.streams.find((stream) => stream.pid === pid)?.streamType;
  }

  /** PAT and PMT as packets with continuity counters from 0; empty before the first PMT. */
  get packets(): Uint8Array<ArrayBuffer> {
    const tables = this.#tables;
    if (tables?.programMap === undefined) return new Uint8Array(0);
    return joinBytes([tables.patPackets, tables.pmtPackets]);
  }

  /** Takes the packet at `offset`, of any PID. */
  feed(bytes: Uint8Array, offset: number): void {
    const pid = packetPid(bytes, offset);
    if (pid === PAT_PID) {
      if (hasTransportError(bytes, offset)) return;
      this.#choose(bytes, offset);
      this.#tables?.takePat(bytes, offset);
    } else if (pid === this.#tables?.pmtPid && !hasTransportError(bytes, offset)) {
      this.#tables.takePmt(bytes, offset);
    }
  }

  feedAll(packets: Uint8Array): void {
    for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) this.feed(packets, at);
  }

  #choose(bytes: Uint8Array, offset: number): void {
    if (this.#tables !== undefined) return;
    for (const section of this.#pats.feed(bytes, offset)) {
      if (section.tableId !== PAT_TABLE_ID || !section.current) continue;
      const programs = parsePat(section)?.programs ?? [];
      const chosen = programs.find(({ programNumber }) => programNumber === this.wanted) ?? programs[0];
      if (chosen === undefined) continue;
      this.#tables = new StationTables(chosen.programNumber, {
        onProgramMap: (map) => this.onLayout?.(layoutOf(map)),
      });
      return;
    }
  }
}
