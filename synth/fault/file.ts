/** Faults from JSON, in a scenario or in a control file. */
import { readFileSync, statSync } from 'node:fs';
import { BROADCAST_TYPES } from '../../lib/arib/ids.ts';
import { inClockRange } from '../clock.ts';
import { Field, ScenarioError } from '../scenario/fields.ts';
import type { Fault, FaultOf, Faults, FaultWindow, PacketFault, TableFault } from './model.ts';

const DAY_SEC = 86_400;
const MAX_OFFSET_MS = 400 * DAY_SEC * 1000;
const MAX_PID = 0x1ffe;
const MAX_ID = 0xffff;

const COMMON = ['kind', 'type', 'channel', 'from', 'to', 'everySec', 'forSec'] as const;

/** Epoch ms, or a date in ISO 8601. */
function readMoment(field: Field): number {
  const at = field.isNumber ? field.number(0) : Date.parse(field.text());
  if (!inClockRange(at)) throw field.wrong('ISO 8601 の日時かエポックミリ秒');
  return at;
}

function readRate(field: Field): number {
  const rate = field.number(0);
  if (rate > 1) throw field.wrong('0 から 1 までの割合');
  return rate;
}

function readPids(field: Field): number[] | null {
  return field.or<number[] | null>(null, (given) => given.list((pid) => pid.integer(0, MAX_PID), 1));
}

function readService(field: Field): number | null {
  return field.or<number | null>(null, (given) => given.integer(1, MAX_ID));
}

function readOffset(field: Field): number {
  return field.integer(-MAX_OFFSET_MS, MAX_OFFSET_MS);
}

function flag(field: Field): boolean {
  return field.or(false, (given) => given.boolean());
}

type Kinds = { [K in Fault['kind']]: (field: Field) => PacketFault | TableFault };

/** A parser for every kind, with its known members. */
const READERS: Kinds = {
  loss: (field) => {
    const { rate, burst, pids } = field.object([...COMMON, 'rate', 'burst', 'pids']);
    return {
      kind: 'loss',
      rate: readRate(rate),
      burst: burst.or(1, (given) => given.integer(1, 100_000)),
      pids: readPids(pids),
    };
  },
  corrupt: (field) => {
    const { rate, flagged, sync, pids } = field.object([...COMMON, 'rate', 'flagged', 'sync', 'pids']);
    return {
      kind: 'corrupt',
      rate: readRate(rate),
      flagged: flag(flagged),
      sync: flag(sync),
      pids: readPids(pids),
    };
  },
  noise: (field) => {
    const { pids } = field.object([...COMMON, 'pids']);
    return { kind: 'noise', pids: readPids(pids) };
  },
  absent: (field) => {
    const { pids, counters } = field.object([...COMMON, 'pids', 'counters']);
    return {
      kind: 'absent',
      pids: pids.list((pid) => pid.integer(0, MAX_PID), 1),
      counters: counters.or('continued', (given) => given.oneOf(['continued', 'matching'] as const)),
    };
  },
  swap: (field) => {
    const { pids } = field.object([...COMMON, 'pids']);
    const both = pids.list((pid) => pid.integer(0, MAX_PID), 2);
    if (both.length !== 2) throw pids.wrong('二つの PID');
    return { kind: 'swap', pids: both };
  },
  stall: (field) => {
    field.object(COMMON);
    return { kind: 'stall' };
  },
  late: (field) => {
    const { byMs } = field.object([...COMMON, 'byMs']);
    return { kind: 'late', byMs: byMs.number(0) };
  },
  end: (field) => {
    const { exitCode } = field.object([...COMMON, 'exitCode']);
    return { kind: 'end', exitCode: exitCode.or(0, (given) => given.integer(0, 255)) };
  },
  no_lock: (field) => {
    const { exitAfterSec } = field.object([...COMMON, 'exitAfterSec']);
    return {
      kind: 'no_lock',
      exitAfterSec: exitAfterSec.or<number | null>(null, (given) => given.number(0)),
    };
  },
  scramble: (field) => {
    const { serviceId } = field.object([...COMMON, 'serviceId']);
    return { kind: 'scramble', serviceId: readService(serviceId) };
  },
  clock: (field) => {
    const { offsetMs, announced } = field.object([...COMMON, 'offsetMs', 'announced']);
    return { kind: 'clock', offsetMs: readOffset(offsetMs), announced: flag(announced) };
  },
  wrap: (field) => {
    const { from } = field.object(COMMON);
    if (from.isAbsent) throw from.wrong('一周する日時 (from) ');
    return { kind: 'wrap' };
  },
  time: (field) => {
    const { offsetMs } = field.object([...COMMON, 'offsetMs']);
    return { kind: 'time', offsetMs: readOffset(offsetMs) };
  },
  pmt: (field) => {
    const { serviceId, audios, captionPid } = field.object([...COMMON, 'serviceId', 'audios', 'captionPid']);
    return {
      kind: 'pmt',
      serviceId: readService(serviceId),
      audios: audios.or<number | null>(null, (given) => given.integer(0, 8)),
      captionPid: captionPid.or<number | null>(null, (given) => given.integer(0x20, MAX_PID)),
    };
  },
  copy_never: (field) => {
    const { serviceId } = field.object([...COMMON, 'serviceId']);
    return { kind: 'copy_never', serviceId: readService(serviceId) };
  },
  eit: (field) => {
    const known = [
      ...COMMON,
      ...(['serviceId', 'which', 'title', 'delaySec', 'longerSec'] as const),
      ...(['undefinedEnd', 'newId', 'copyControl', 'absent'] as const),
    ];
    const fields = field.object(known);
    return {
      kind: 'eit',
      serviceId: readService(fields.serviceId),
      which: fields.which.or('present', (given) => given.oneOf(['present', 'following'] as const)),
      title: fields.title.or<string | null>(null, (given) => given.text()),
      delaySec: fields.delaySec.or(0, (given) => given.integer(-DAY_SEC, DAY_SEC)),
      longerSec: fields.longerSec.or(0, (given) => given.integer(-DAY_SEC, DAY_SEC)),
      undefinedEnd: flag(fields.undefinedEnd),
      newId: flag(fields.newId),
      copyControl: fields.copyControl.or<FaultOf<'eit'>['copyControl']>(null, (given) =>
        given.oneOf(['free', 'once', 'never'] as const),
      ),
      absent: flag(fields.absent),
    };
  },
};

/** Tables are sent a few times a second at most: more frequent faults would not be visible in them. */
const LEAST_PERIOD_SEC = { packets: 0.001, tables: 1 };
const TABLE_KINDS: readonly Fault['kind'][] = ['time', 'pmt', 'copy_never', 'eit', 'scramble'];

function readWindow(kind: Fault['kind'], field: Field): FaultWindow {
  const [everySec, forSec, from, to] = (['everySec', 'forSec', 'from', 'to'] as const).map((name) =>
    field.member(name),
  ) as [Field, Field, Field, Field];
  const least = TABLE_KINDS.includes(kind) ? LEAST_PERIOD_SEC.tables : LEAST_PERIOD_SEC.packets;
  const every = everySec.or<FaultWindow['every']>(null, (given) => ({
    everySec: given.number(least),
    forSec: forSec.number(0),
  }));
  if (every === null && !forSec.isAbsent) throw everySec.wrong('forSec と組になる秒数');
  return {
    from: from.or<number | null>(null, readMoment),
    to: to.or<number | null>(null, readMoment),
    every,
  };
}

/** @throws ScenarioError naming the invalid field */
export function readFault(field: Field): Fault {
  const kind = field.member('kind').oneOf(Object.keys(READERS) as Fault['kind'][]);
  const fault = READERS[kind](field);
  const type = field.member('type').or<Fault['type']>(null, (given) => given.oneOf(BROADCAST_TYPES));
  const channel = field.member('channel').or<string | null>(null, (given) => given.text());
  return { ...readWindow(kind, field), type, channel, ...fault };
}

/** Interval between checks of the file's modification time. */
const LOOK_MS = 50;
const MAX_BYTES = 1_000_000;

/** `{"faults": […]}`, or only the list. @throws ScenarioError, SyntaxError */
function parseFaults(text: string): Fault[] {
  const json: unknown = JSON.parse(text);
  const root = new Field(json, '');
  return (Array.isArray(json) ? root : root.object(['faults']).faults).list(readFault);
}

/** Faults that are switched on and off while channels are on the air: a JSON file that is polled. */
export class ControlFile implements Faults {
  #faults: readonly Fault[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #seen = '';

  /**
   * @param now monotonic milliseconds @param complain called once for each unreadable version of the file;
   * the previous faults stay
   */
  constructor(
    private readonly path: string,
    private readonly now: () => number,
    private readonly complain: (message: string) => void,
  ) {}

  /** Empty while the file does not exist. */
  get current(): readonly Fault[] {
    const at = this.now();
    if (at - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = at;
      this.#look();
    }
    return this.#faults;
  }

  #look(): void {
    const state = statSync(this.path, { throwIfNoEntry: false });
    const seen = state === undefined ? '' : `${state.mtimeMs}/${state.size}/${state.ino}`;
    if (seen === this.#seen) return;
    this.#seen = seen;
    if (state === undefined) {
      this.#faults = [];
      return;
    }
    try {
      if (state.size > MAX_BYTES) throw new ScenarioError('大きすぎます');
      this.#faults = parseFaults(readFileSync(this.path, 'utf8'));
    } catch (error) {
      this.complain(`${this.path}: ${(error as Error).message}`);
    }
  }
}
