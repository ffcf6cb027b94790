/** The content of a station's map changes with the programme on air, each time as the next version. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid } from '../../lib/arib/ids.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { parsePmt } from '../../lib/arib/ts/pmt.ts';
import { SectionDemux, SectionMemory } from '../../lib/arib/ts/section.ts';
import { smallScenario } from '../../synth/scenario/small.ts';
import { synth, type Truth, tune } from './tuning.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'synth-state-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

/** A moment at which the list of three programmes of four seconds restarts: both are counted from 2025 on. */
const AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const SECONDS = 24;

const FIELDS = { durationSec: 4, title: '番組' };
const scenario = smallScenario({
  channels: [
    {
      channel: 'T30',
      stations: [
        {
          audios: [{}, { label: '解説' }],
          programmes: [
            { ...FIELDS, audioCount: 2, copyControl: 'once' },
            { ...FIELDS, audioCount: 1, copyControl: 'once' },
            { ...FIELDS, audioCount: 1, copyControl: 'never' },
          ],
        },
      ],
      dataServices: [{ serviceId: 9999, name: 'データ' }],
    },
  ],
});

test('sounds and copy control', async () => {
  const path = join(FOLDER, 'state.json');
  writeFileSync(path, JSON.stringify(scenario));
  const air = { scenario: path, type: 'GR', channel: 'T30' };
  const printed = await synth('--truth', '--scenario', path, '--channel', 'T30', '--at', String(AT));
  const truth = JSON.parse(new TextDecoder().decode(printed.stdout)) as Truth;
  const [station] = truth.stations;
  expect(truth.dataServices).toMatchObject([{ serviceId: 9999, serviceType: 0xc0 }]);
  const bytes = await tune({ ...air, at: AT, seconds: SECONDS });
  const demux = new SectionDemux([pid(station?.pmtPid ?? 0)], new SectionMemory());
  const maps = [...demux.feed(new PacketFramer().feed(bytes))].flatMap((section) => parsePmt(section) ?? []);
  const said = maps.map(({ descriptors, streams }) => {
    const control = descriptors.find((descriptor) => descriptor.kind === 'digital_copy_control');
    const sounds = streams.filter(({ streamType }) => streamType === 0x0f).length;
    return [sounds, control?.kind === 'digital_copy_control' ? control.recordingControl : undefined];
  });
  const round = [
    [2, 0b10],
    [1, 0b10],
    [1, 0b11],
  ];
  expect(said.slice(0, 6)).toEqual([...round, ...round]);
  const first = maps[0]?.version ?? 0;
  expect(maps.map(({ version }) => version)).toEqual(maps.map((_, index) => (first + index) % 32));
});
