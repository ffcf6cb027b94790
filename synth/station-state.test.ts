import { expect, test } from 'bun:test';
import { broadcastMs } from '../lib/arib/time.ts';
import { eventStations } from './broadcast.ts';
import { loadScenario } from './scenario/load.ts';
import { type StateChange, StationStates } from './station-state.ts';

const NOON = Date.UTC(2026, 10, 20, 3, 0, 0);
const DAY_MS = 86_400_000;

function firstStation() {
  const scenario = loadScenario('mini');
  const [channel] = scenario.channels;
  const [station] = channel === undefined ? [] : eventStations(scenario, channel);
  if (station === undefined) throw new Error('the scenario has no station');
  return station;
}

const station = firstStation();
const noon = (seconds: number) => broadcastMs(NOON + seconds * 1000);

const secondAudioLeaves: StateChange = {
  from: noon(10),
  until: noon(20),
  apply: (state) => ({ ...state, audios: state.audios.slice(0, 1) }),
};
const copyNever: StateChange = {
  from: noon(15),
  apply: (state) => ({ ...state, copyControl: 'never' }),
};
const list = [secondAudioLeaves, copyNever];
const changes = { of: () => list };

test('a change lasts from its start to its end, and each one makes a new version', () => {
  const states = new StationStates(station, changes);
  const seen = [9.999, 10, 14.999, 15, 20].map((seconds) => states.at(noon(seconds)));
  expect(seen.map(({ audios }) => audios.length)).toEqual([2, 1, 1, 1, 2]);
  expect(seen.map(({ copyControl }) => copyControl === 'never')).toEqual([false, false, false, true, true]);
  const first = seen[0]?.version ?? 0;
  expect(seen.map(({ version }) => version)).toEqual([0, 1, 1, 2, 3].map((n) => (first + n) % 32));
  expect(seen[2]).toBe(seen[1] as (typeof seen)[number]);
});

test('two tunings agree, whenever they began', () => {
  const early = new StationStates(station, changes);
  for (let hour = -30; hour < 30; hour++) {
    const at = broadcastMs(NOON + hour * 3_600_000);
    expect(new StationStates(station, changes).at(at)).toEqual(early.at(at));
  }
});

test('going back in time gives the same result again', () => {
  const states = new StationStates(station, changes);
  const before = states.at(noon(0));
  states.at(broadcastMs(NOON + 3 * DAY_MS));
  expect(states.at(noon(0))).toEqual(before);
});

test('a new list of changes is used at once', () => {
  let given: readonly StateChange[] = [];
  const states = new StationStates(station, { of: () => given });
  expect(states.at(noon(16)).copyControl).not.toBe('never');
  given = [copyNever];
  expect(states.at(noon(16)).copyControl).toBe('never');
});
