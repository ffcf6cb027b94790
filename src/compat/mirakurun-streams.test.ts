import { expect, test } from 'bun:test';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { Airing, Airings } from '../model/airing.ts';
import { ProgrammeGate } from './mirakurun-streams.ts';

const ID = 32_608_09216_00001 as ProgramId;
const NEXT = 32_608_09216_00002 as ProgramId;
const ELSEWHERE = 32_608_09217_00009 as ProgramId;
const START = 1_000_000;
const END = 4_600_000;
const at = (ms: number): BroadcastMs => broadcastMs(ms);

const on: Airing = { state: 'on', from: null, until: null };
const over = (until: number, announcedEnd: number | null = END): Airing => ({
  ...{
    state: 'over',
    from: null,
    until: at(until),
    announcedEnd: announcedEnd === null ? null : at(announcedEnd),
  },
});

class Run {
  readonly gate = new ProgrammeGate();
  program: { startAt: BroadcastMs; endAt: BroadcastMs } | undefined = { startAt: at(START), endAt: at(END) };
  state(now: number, airings: [ProgramId, Airing][] = []): string {
    return this.gate.next({
      id: ID,
      program: this.program,
      airings: new Map(airings) as Airings,
      now: at(now),
    });
  }
}

test('opens when present/following names the programme, and ends a second after another one is on', () => {
  const run = new Run();
  expect(run.state(START - 5_000, [[ID, { ...on, state: 'next' }]])).toBe('closed');
  expect(run.state(START + 2_000, [[NEXT, on]])).toBe('closed');
  expect(run.state(START + 3_000, [[ID, on]])).toBe('open');
  const after: [ProgramId, Airing][] = [
    [ID, over(END)],
    [NEXT, on],
  ];
  expect(run.state(END, after)).toBe('open');
  expect(run.state(END + 900, after)).toBe('open');
  expect(run.state(END + 1_000, after)).toBe('over');
});

test('an extension keeps it open beyond the end of the guide', () => {
  const run = new Run();
  expect(run.state(START, [[ID, on]])).toBe('open');
  expect(run.state(END + 900_000, [[ID, on]])).toBe('open');
});

test('a late start waits while another programme is on, and other stations say nothing', () => {
  const run = new Run();
  expect(run.state(START + 600_000, [[NEXT, on]])).toBe('closed');
  expect(run.state(START + 601_000, [[ID, on]])).toBe('open');
  expect(new Run().state(START, [[ELSEWHERE, on]])).toBe('open');
});

test('an interruption closes it, and the programme may resume', () => {
  const run = new Run();
  run.state(START, [[ID, on]]);
  const broken: [ProgramId, Airing][] = [
    [ID, over(START + 60_000)],
    [NEXT, on],
  ];
  expect(run.state(START + 61_000, broken)).toBe('closed');
  expect(run.state(START + 600_000, broken)).toBe('closed');
  expect(run.state(START + 601_000, [[ID, on]])).toBe('open');
  // Its own table may announce that it resumes.
  const announced: [ProgramId, Airing][] = [
    [ID, { ...on, state: 'next' }],
    [NEXT, on],
  ];
  expect(run.state(START + 602_000, announced)).toBe('closed');
  expect(run.state(START + 900_000, announced)).toBe('closed');
  expect(run.state(START + 901_000, [[ID, on]])).toBe('open');
});

test('without tables the guide decides, and the end is given up after 10 s', () => {
  const run = new Run();
  expect(run.state(START - 1)).toBe('closed');
  expect(run.state(START)).toBe('open');
  expect(run.state(END)).toBe('open');
  expect(run.state(END + 10_000)).toBe('over');
});

test('a programme that never came ends', () => {
  const run = new Run();
  expect(run.state(END + 1, [[NEXT, on]])).toBe('closed');
  expect(run.state(END + 10_001, [[NEXT, on]])).toBe('over');
});

test('a programme that moved is waited for by its new times', () => {
  const run = new Run();
  run.program = { startAt: at(START + 3_600_000), endAt: at(END + 3_600_000) };
  expect(run.state(END - 20_000)).toBe('closed');
  run.program = undefined;
  expect(run.state(START + 3_600_000)).toBe('open');
});
