/** Keys of one card for one transport stream: tables, their ECMs, and the decryptor with the keys. */
import type { Pid } from '../../lib/arib/ids.ts';
import { parseEcm } from '../../lib/arib/si/ecm.ts';
import { PAT_PID, packetPid } from '../../lib/arib/ts/packet.ts';
import { type Section, SectionAssembler, SectionDemux, SectionMemory } from '../../lib/arib/ts/section.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { CaTable } from './ca-table.ts';
import { EcmStream, type EcmVerdict, WaitBudget } from './ecm-stream.ts';
import type { AnsweredKeys, CardSystem, KeyFailure, KeySource, ProgramKeyFailure } from './key-source.ts';
import { Multi2Decryptor, type Parity } from './multi2-decryptor.ts';

interface KeyEngineOptions {
  source: KeySource;
  clock: MonotonicClock;
  /** Keys arrived or failed: waiting packets can be decided. */
  onAnswer: () => void;
  /** The keys come from another card by now: this engine must be replaced. */
  onOtherCard: () => void;
}

interface Watched {
  readonly stream: EcmStream;
  readonly assembler: SectionAssembler;
}

export class KeyEngine {
  readonly #table: CaTable;
  readonly #tables = new SectionDemux([], new SectionMemory());
  readonly #tablePids = new Set<Pid>();
  readonly #ecms = new Map<Pid, Watched>();
  readonly #freeSlots: number[];
  /** PIDs that have a slot in the decryptor. */
  #assigned: readonly Pid[] = [];
  #pending: (() => void)[] = [];
  readonly #budget = new WaitBudget();
  /** Not every programme of the PAT had its PMT in time: packets no longer wait for one. */
  #isIncomplete = false;

  private constructor(
    private readonly system: CardSystem,
    private readonly decryptor: Multi2Decryptor,
    private readonly options: KeyEngineOptions,
  ) {
    this.#table = new CaTable(system.caSystemId);
    this.#freeSlots = Array.from({ length: decryptor.slotCount }, (_, index) => decryptor.slotCount - index);
    this.#watchTables();
  }

  static async create(system: CardSystem, options: KeyEngineOptions): Promise<KeyEngine> {
    return new KeyEngine(system, await Multi2Decryptor.create(system), options);
  }

  get hasKeys(): boolean {
    return this.#ecms.values().some(({ stream }) => stream.hasKeys && stream.failure === undefined);
  }

  get failure(): KeyFailure | undefined {
    return this.#ecms.values().find(({ stream }) => stream.failure !== undefined)?.stream.failure;
  }

  /** By programme: another programme of the stream may have keys, or another failure. */
  get programFailures(): ProgramKeyFailure[] {
    const failures: ProgramKeyFailure[] = [];
    for (const { serviceId, ecmPids, isForeign } of this.#table.access) {
      const failed = ecmPids.map((pid) => this.#ecms.get(pid)?.stream.failure).find(Boolean);
      const failure = failed?.code ?? (isForeign ? 'unsuitable_card' : undefined);
      if (failure !== undefined) failures.push({ serviceId, failure });
    }
    return failures;
  }

  /**
   * Reads tables and ECMs in the packet at `at`.
   * @returns whether it changes anything: packets before it belong to the previous state, then call `apply`
   */
  read(packets: Uint8Array, at: number): boolean {
    const pid = packetPid(packets, at);
    const watched = this.#ecms.get(pid);
    if (watched !== undefined) {
      for (const section of watched.assembler.feed(packets, at)) this.#readEcm(watched.stream, section);
    } else if (this.#tables.has(pid)) {
      for (const section of this.#tables.feed(packets.subarray(at, at + 188))) this.#readTable(section);
    }
    return this.#pending.length > 0;
  }

  /** Applies the changes found by `read`. */
  apply(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const change of pending) change();
  }

  decide(pid: Pid, parity: Parity): EcmVerdict {
    const ecmPid = this.#table.ecmPid(pid);
    if (ecmPid !== undefined) return this.#ecms.get(ecmPid)?.stream.decide(parity) ?? 'pass';
    if (this.#table.isComplete) return 'pass';
    this.#isIncomplete ||= !this.#budget.mayWait(this.options.clock());
    return this.#isIncomplete ? 'pass' : 'look_ahead';
  }

  decrypt(packets: Uint8Array): number {
    return this.decryptor.decrypt(packets);
  }

  /** Packets that wait for a key are output unchanged, until there is one. */
  giveUp(): void {
    for (const { stream } of this.#ecms.values()) {
      stream.giveUp();
      this.#dropStale(stream);
    }
    this.#isIncomplete = true;
  }

  close(): void {
    for (const { stream } of this.#ecms.values()) stream.close();
    this.#ecms.clear();
    this.#pending = [];
  }

  #readEcm(stream: EcmStream, section: Section): void {
    const message = parseEcm(section)?.message;
    if (message === undefined) return;
    if (!stream.isNew(message)) stream.take(message);
    else
      this.#pending.push(() => {
        stream.take(message);
        this.#dropStale(stream);
      });
  }

  #dropStale(stream: EcmStream): void {
    if (stream.stale !== undefined) this.decryptor.clearKey(stream.slot, stream.stale);
  }

  #readTable(section: Section): void {
    this.#pending.push(() => {
      if (!this.#table.take(section)) return;
      if (section.pid === PAT_PID) this.#isIncomplete = false;
      this.#watchTables();
      this.#assign();
    });
  }

  #watchTables(): void {
    const wanted = new Set(this.#table.tablePids);
    for (const pid of wanted) {
      this.#tablePids.add(pid);
      this.#tables.add(pid);
    }
    for (const pid of this.#tablePids) {
      if (wanted.has(pid)) continue;
      this.#tablePids.delete(pid);
      this.#tables.remove(pid);
    }
  }

  #assign(): void {
    const { assignments } = this.#table;
    const wanted = new Set(assignments.values());
    for (const [pid, { stream }] of this.#ecms) {
      if (wanted.has(pid)) continue;
      stream.close();
      this.decryptor.clearKeys(stream.slot);
      this.#freeSlots.push(stream.slot);
      this.#ecms.delete(pid);
    }
    for (const pid of wanted) if (!this.#ecms.has(pid)) this.#watchEcm(pid);
    for (const pid of this.#assigned) this.decryptor.assign(pid, 0);
    this.#assigned = [...assignments.keys()];
    for (const [pid, ecmPid] of assignments) {
      this.decryptor.assign(pid, this.#ecms.get(ecmPid)?.stream.slot ?? 0);
    }
  }

  /** Broadcasts do not have more ECM PIDs than slots; streams of further ones would stay scrambled. */
  #watchEcm(pid: Pid): void {
    const slot = this.#freeSlots.pop();
    if (slot === undefined) return;
    const { source, clock } = this.options;
    const onAnswer = (stream: EcmStream, keys: AnsweredKeys | undefined): void => {
      if (keys === undefined) this.#dropStale(stream);
      else if (keys.system !== this.system) {
        this.options.onOtherCard();
        return;
      } else this.decryptor.setKeys(stream.slot, keys);
      this.options.onAnswer();
    };
    const stream = new EcmStream(slot, { source, clock, budget: this.#budget, onAnswer });
    this.#ecms.set(pid, { stream, assembler: new SectionAssembler(pid) });
  }
}
