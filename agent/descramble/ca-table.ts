/**
 * Which ECM PID has the keys of which scrambled PID of a transport stream, from PAT and PMTs. ARIB STD-B25 Part 1,
 * 4.3: a CA descriptor in the programme loop applies to all its streams, one in a stream's loop replaces it for that
 * stream; a PID of 0 or 0x1fff means that it is not scrambled.
 */
import type { Descriptor } from '../../lib/arib/descriptor/index.ts';
import type { Pid } from '../../lib/arib/ids.ts';
import { NULL_PID, PAT_PID } from '../../lib/arib/ts/packet.ts';
import { parsePat } from '../../lib/arib/ts/pat.ts';
import { type ProgramMap, parsePmt } from '../../lib/arib/ts/pmt.ts';
import type { Section } from '../../lib/arib/ts/section.ts';

/** A channel has about ten programmes (one-segment and data services included). */
const MAX_PROGRAMS = 64;

/** Undefined: no descriptor of this CA system. Null: one that means "not scrambled". */
function ecmPidOf(descriptors: readonly Descriptor[], caSystemId: number): Pid | null | undefined {
  for (const descriptor of descriptors) {
    if (descriptor.kind !== 'conditional_access' || descriptor.caSystemId !== caSystemId) continue;
    return descriptor.pid === NULL_PID || descriptor.pid === 0 ? null : descriptor.pid;
  }
  return undefined;
}

export class CaTable {
  /** program_number → PMT PID, from the current PAT. */
  #programs = new Map<number, Pid>();
  readonly #maps = new Map<number, ProgramMap>();
  #hasPat = false;
  /** Stream PID → ECM PID. */
  #ecmOf = new Map<Pid, Pid>();

  constructor(readonly caSystemId: number) {}

  /** A PMT was received for every programme in the PAT. */
  get isComplete(): boolean {
    return this.#hasPat && [...this.#programs.keys()].every((program) => this.#maps.has(program));
  }

  /** PIDs of the required sections: PAT and PMTs. */
  get tablePids(): Pid[] {
    return [PAT_PID, ...new Set(this.#programs.values())];
  }

  /** Undefined: no ECM PID of this CA system for the PID. */
  ecmPid(pid: Pid): Pid | undefined {
    return this.#ecmOf.get(pid);
  }

  get assignments(): ReadonlyMap<Pid, Pid> {
    return this.#ecmOf;
  }

  /** The ECM PIDs of this CA system by programme; `isForeign`: it is only scrambled for another CA system. */
  get access(): { serviceId: number; ecmPids: Pid[]; isForeign: boolean }[] {
    return Array.from(this.#maps, ([serviceId, map]) => {
      const ecmPids = map.streams.flatMap(({ pid }) => this.#ecmOf.get(pid) ?? []);
      const loops = [map.descriptors, ...map.streams.map(({ descriptors }) => descriptors)];
      const isForeign = ecmPids.length === 0 && loops.some((loop) => this.#namesForeignEcm(loop));
      return { serviceId, ecmPids: [...new Set(ecmPids)], isForeign };
    });
  }

  #namesForeignEcm(descriptors: readonly Descriptor[]): boolean {
    return descriptors.some(
      (one) =>
        one.kind === 'conditional_access' &&
        one.caSystemId !== this.caSystemId &&
        one.pid !== NULL_PID &&
        one.pid !== 0,
    );
  }

  /** @returns whether anything changed */
  take(section: Section): boolean {
    if (!section.current) return false;
    if (section.pid === PAT_PID) return this.#takePat(section);
    const map = parsePmt(section);
    if (map === undefined || this.#programs.get(map.programNumber) !== section.pid) return false;
    const known = this.#maps.get(map.programNumber);
    if (known !== undefined && isSameAccess(known, map)) return false;
    this.#maps.set(map.programNumber, map);
    this.#assign();
    return true;
  }

  #takePat(section: Section): boolean {
    const pat = parsePat(section);
    if (pat === undefined) return false;
    const programs = new Map(
      pat.programs.slice(0, MAX_PROGRAMS).map(({ programNumber, pid }) => [programNumber as number, pid]),
    );
    const isSame =
      this.#hasPat &&
      programs.size === this.#programs.size &&
      [...programs].every(([program, pid]) => this.#programs.get(program) === pid);
    if (isSame) return false;
    this.#hasPat = true;
    this.#programs = programs;
    for (const program of [...this.#maps.keys()]) if (!programs.has(program)) this.#maps.delete(program);
    this.#assign();
    return true;
  }

  #assign(): void {
    const ecmOf = new Map<Pid, Pid>();
    for (const map of this.#maps.values()) {
      const common = ecmPidOf(map.descriptors, this.caSystemId);
      for (const stream of map.streams) {
        const own = ecmPidOf(stream.descriptors, this.caSystemId);
        const ecm = own === undefined ? common : own;
        if (ecm !== undefined && ecm !== null) ecmOf.set(stream.pid, ecm);
      }
    }
    this.#ecmOf = ecmOf;
  }
}

function isSameAccess(a: ProgramMap, b: ProgramMap): boolean {
  return JSON.stringify(summary(a)) === JSON.stringify(summary(b));
}

function summary(map: ProgramMap): unknown {
  const access = (descriptors: readonly Descriptor[]): unknown =>
    descriptors
      .filter((descriptor) => descriptor.kind === 'conditional_access')
      .map((descriptor) => [descriptor.caSystemId, descriptor.pid]);
  return [access(map.descriptors), map.streams.map((stream) => [stream.pid, access(stream.descriptors)])];
}
