import { expect, test } from 'bun:test';
import { parseScenario } from './file.ts';
import { smallScenario } from './small.ts';

test('a channel alone is a sufficient scenario', () => {
  const made = smallScenario({ channels: [{ channel: 'T30' }, { type: 'BS', channel: 'BS03_1' }] });
  const scenario = parseScenario(JSON.parse(JSON.stringify(made)));
  expect(scenario.channels.map(({ type, channel, stations }) => [type, channel, stations.length])).toEqual([
    ['GR', 'T30', 1],
    ['BS', 'BS03_1', 1],
  ]);
  const ids = scenario.channels.flatMap(({ networkId, stations }) =>
    stations.map(({ serviceId }) => `${networkId}/${serviceId}`),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('given values take precedence', () => {
  const scenario = parseScenario(
    smallScenario({
      channels: [
        {
          channel: 'T31',
          stations: [
            { name: '二つの声', audios: [{ bitrate: 48_000 }, { bitrate: 48_000, beepHz: [2_000] }] },
            {},
          ],
        },
      ],
      faults: [{ kind: 'stall', everySec: 10, forSec: 1 }],
    }),
  );
  const [channel] = scenario.channels;
  expect(channel?.stations.map(({ name, audios }) => [name, audios.length])).toEqual([
    ['二つの声', 2],
    ['小T312', 1],
  ]);
  expect(scenario.faults.map(({ kind }) => kind)).toEqual(['stall']);
});
