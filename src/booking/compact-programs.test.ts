import { describe, expect, test } from 'bun:test';
import { eventId, networkId, type ProgramId, programId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { ProgramGroup } from '../model/program.ts';
import { GuideIndex } from '../schedule/match/guide-index.ts';
import type { StoredProgram } from '../store/planning-database.ts';
import { CompactPrograms, Shared } from './compact-programs.ts';

const STATIONS = [1, 2, 3].map((service) => stationId(networkId(4), serviceId(service)));
const RELAY: ProgramGroup = {
  type: 'relay',
  events: [{ networkId: networkId(4), serviceId: serviceId(2), eventId: eventId(9) }],
};

/** A database of programmes, and an index that holds them. */
class Held {
  readonly stored = new Map<ProgramId, StoredProgram>();
  readonly shared = new Shared({
    texts: (id) => this.stored.get(id) ?? { name: '', description: '' },
    extended: (id) => (this.stored.has(id) ? { 内容: `${id}` } : null),
    textsOf: (ids) => ids.flatMap((id) => this.stored.get(id) ?? []),
    extendedOf: (ids) =>
      ids.flatMap((id) => (this.stored.has(id) ? [{ id, extended: JSON.stringify({ 内容: `${id}` }) }] : [])),
  });
  readonly programs = new CompactPrograms(this.shared);
  readonly index = new GuideIndex(this.programs);

  put(event: number, change: Partial<StoredProgram> = {}): ProgramId {
    const station = STATIONS[event % STATIONS.length] ?? STATIONS[0];
    if (station === undefined) throw new Error('no station');
    const id = programId(station, eventId(event));
    const stored: StoredProgram = {
      id,
      stationId: station,
      startAt: broadcastMs(event * 1000),
      endAt: broadcastMs(event * 1000 + 900),
      openEnd: event % 2 === 0,
      name: `番組${event}`,
      description: `第${event}話`,
      genres: JSON.stringify([{ lv1: event % 12, lv2: 1 }]),
      groups: event % 5 === 0 ? JSON.stringify([RELAY]) : '[]',
      isFree: event % 3 === 0,
      copyNever: event % 4 === 0,
      mark: event,
      ...change,
    };
    this.stored.set(id, stored);
    this.index.put(this.shared.program(stored));
    return id;
  }

  expectStored(): void {
    expect(this.index.size).toBe(this.stored.size);
    for (const { mark: _, genres, groups, ...stored } of this.stored.values()) {
      const program = this.index.get(stored.id);
      // Texts are getters, which an object comparison does not see.
      const texts = { name: program?.name, description: program?.description };
      expect({ ...program, ...texts }).toMatchObject({
        ...stored,
        genres: JSON.parse(genres),
        groups: JSON.parse(groups),
      });
    }
    const held = STATIONS.flatMap((station) => this.index.ofStation(station).map(({ id }) => id));
    expect(held.sort((a, b) => a - b)).toEqual([...this.stored.keys()].sort((a, b) => a - b));
  }
}

describe('programmes in columns', () => {
  test('equal the database through changes, removals and growth beyond the capacity', () => {
    const held = new Held();
    for (let event = 1; event < 10_000; event++) held.put(event);
    for (let event = 1; event < 10_000; event += 7) {
      const id = held.put(event, { name: `別の番組${event}`, openEnd: true, groups: '[]' });
      if (event % 2 === 0) continue;
      held.stored.delete(id);
      held.index.remove(id);
    }
    for (let event = 20_000; event < 20_100; event++) held.put(event);
    held.expectStored();
  });

  test('are the same object as long as it is referenced', () => {
    const held = new Held();
    const id = held.put(5);
    const program = held.index.get(id);
    Bun.gc(true);
    held.programs.sweep();
    if (program === undefined) throw new Error('not held');
    expect(held.index.get(id)).toBe(program);
    expect(held.index.ofStation(program.stationId)[0]).toBe(program);
  });

  test('are a new object after a change, and the old one keeps its values', () => {
    const held = new Held();
    const id = held.put(5);
    const before = held.index.get(id);
    const { version } = held.index;
    held.put(5, { name: '改題' });
    expect(held.index.get(id)).not.toBe(before);
    expect(held.index.get(id)?.name).toBe('改題');
    const other = held.put(6);
    expect(held.index.changedSince(version)).toEqual([id, other]);
  });

  test('have the details of the database', () => {
    const held = new Held();
    const id = held.put(7);
    expect(held.index.get(id)?.extended).toEqual({ 内容: `${id}` });
  });
});
