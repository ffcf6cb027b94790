/**
 * Every table of the synthetic broadcaster as parsed by an independent reader: both parse each section, and
 * the normalised results are compared field by field.
 */
import { describe, expect, test } from 'bun:test';
import { parseEit } from '../../lib/arib/si/eit.ts';
import { ScheduleCoverage } from '../../lib/arib/si/schedule-coverage.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Section } from '../../lib/arib/ts/section.ts';
import { loadScenario } from '../../synth/scenario/load.ts';
import type { ChannelPlan } from '../../synth/scenario/model.ts';
import { eventCycles } from '../../synth/si/cycles.ts';
import { decodeByPeer, fields } from './record.ts';
import { AT, sectionsOf, sectionsThrough, tablePackets } from './sent.ts';
import { peerOf } from './tables.ts';

/** By then every table of the channel has been repeated; those of the logos and of other streams take longest. */
function secondsOf({ type }: ChannelPlan): number {
  const { actual, other } = eventCycles(hurried, type);
  return 25 + (other ?? actual).extended.base;
}

const HEADER = [
  'table_id',
  'version_number',
  'current_next_indicator',
  'section_number',
  'last_section_number',
];

/** Compares the sections. @returns their number by table_id */
function compare(sections: Iterable<Section>): Map<number, number> {
  const compared = new Map<number, number>();
  for (const section of sections) {
    const peer = peerOf(section.tableId);
    if (peer === undefined) continue;
    const theirs = decodeByPeer(peer.table, section.bytes);
    const ours = peer.ours(section);
    if (theirs === null || ours === undefined) throw new Error(`not read: ${section.bytes.toHex()}`);
    const header = [
      ...[section.tableId, section.version, Number(section.current), section.number, section.lastNumber],
    ];
    if (section.long) expect(fields(theirs, HEADER)).toEqual(header);
    expect(ours).toEqual(peer.write(theirs));
    compared.set(section.tableId, (compared.get(section.tableId) ?? 0) + 1);
  }
  return compared;
}

/** Whether the schedules of every service are complete. */
function checkSchedules(sections: readonly Section[]): void {
  const services = new Map<string, ScheduleCoverage>();
  for (const section of sections) {
    const eit = parseEit(section);
    if (eit === undefined || eit.kind === 'present-following') continue;
    const key = `${eit.originalNetworkId}/${eit.transportStreamId}/${eit.serviceId}`;
    const coverage = services.get(key) ?? new ScheduleCoverage();
    services.set(key, coverage);
    expect(coverage.add(eit, AT)).toBe('new');
  }
  expect(services.size).toBeGreaterThan(0);
  for (const coverage of services.values()) {
    expect(coverage.progress('basic', AT).complete).toBe(true);
    expect(coverage.progress('extended', AT).complete).toBe(true);
  }
}

const DAY_MS = 86_400_000;
/** With --long a whole day instead of a few seconds at some times of it. */
const LONG = process.env.SVC_LONG === '1';
/** Content that changes from hour to hour: present and following, maps, the current schedule. */
const DAY_STEP = { everyMs: 21_600_000, seconds: 4 };
const DAY_LIMIT_MS = 600_000;

const scenario = loadScenario('default');
/** The same schedules in less time, so that less is repeated. */
const hurried = { ...scenario, scheduleSpeed: 20 };
const TERRESTRIAL = [0x00, 0x02, 0x40, 0x42, 0x4e, 0x50, 0x51, 0x58, 0x59, 0x73];
const SATELLITE = [...TERRESTRIAL, 0x46, 0x4f, 0x60, 0x61, 0x68, 0x69];

describe.each(scenario.channels.map((plan) => [`${plan.type} ${plan.channel}`, plan] as const))(
  '%s',
  (_, plan) => {
    test('the independent reader agrees in every section', () => {
      const sections = sectionsOf(tablePackets(hurried, plan, secondsOf(plan)));
      const compared = compare(sections);
      for (const tableId of plan.type === 'GR' ? TERRESTRIAL : SATELLITE) {
        expect([tableId, compared.get(tableId) ?? 0]).not.toEqual([tableId, 0]);
      }
      checkSchedules(sections);
    });

    test('at several times of a day', () => {
      for (let at = AT; at < AT + DAY_MS; at = broadcastMs(at + DAY_STEP.everyMs)) {
        const compared = compare(sectionsOf(tablePackets(scenario, plan, DAY_STEP.seconds, at)));
        expect([at, compared.get(0x4e) ?? 0]).not.toEqual([at, 0]);
      }
    });

    test.skipIf(!LONG)(
      'in everything that is sent during a day',
      () => {
        const compared = compare(sectionsThrough(scenario, plan, DAY_MS / 1000));
        const sum = [...compared.values()].reduce((all, count) => all + count, 0);
        console.info(`${plan.channel}: ${sum} sections, each as often as it changed`);
        // The time, every five seconds, is never a repetition.
        expect(compared.get(0x73)).toBe(DAY_MS / 5_000);
        expect(compared.get(0x4e)).toBeGreaterThan(50);
      },
      DAY_LIMIT_MS,
    );
  },
);
