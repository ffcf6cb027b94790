/**
 * The pages of the synthetic data broadcasts in the engine: from the packets of a station, through the reader of data
 * broadcasts, to documents that run without a fault of a script. One station of each manner of opening, both planes.
 */
import { expect, test } from 'bun:test';
import { PacketFramer } from '../../../lib/arib/ts/framer.ts';
import { findChannel, loadScenario } from '../../../synth/scenario/load.ts';
import { DataReading, messageOf } from '../../../test/data/reading.ts';
import { tablePackets } from '../../../test/peer/sent.ts';
import { EngineRig } from '../../../test/web/engine-rig.ts';
import { KEY } from './keys.ts';

const scenario = loadScenario('default');
const SECONDS = 30;
const STEP_MS = 100;
const PACKET = 188;

/** A receiver: reader and engine with one clock. */
class Receiver {
  readonly rig = new EngineRig();
  readonly #reading: DataReading;
  #at = 0;
  #sent = 0;

  constructor(
    private readonly packets: Uint8Array,
    serviceId: number,
  ) {
    this.#reading = new DataReading({ serviceId });
  }

  async run(seconds: number): Promise<void> {
    const step = Math.floor(this.packets.length / PACKET / ((SECONDS * 1000) / STEP_MS)) * PACKET;
    for (let ms = 0; ms < seconds * 1000; ms += STEP_MS) {
      this.#reading.feed(this.packets.subarray(this.#at, this.#at + step), STEP_MS);
      this.#at += step;
      for (const item of this.#reading.items.slice(this.#sent)) {
        const message = messageOf(item);
        if (message !== undefined) this.rig.data(message);
      }
      this.#sent = this.#reading.items.length;
      await this.rig.clock.run(STEP_MS);
    }
  }
}

const PORTAL = '/40/0001/portal.bml';
const WIDE = { width: 960, height: 540 };
const STANDARD = { width: 720, height: 480 };

/** Characters drawn since the last time, in order. */
function drawn(rig: EngineRig): string {
  const calls = rig.recorder.take();
  return calls.map((call) => /^fillText (.*?) [-\d.,]+ #/.exec(call)?.[1] ?? '').join('');
}

test.each([
  ['GR', 'T27', 0, WIDE],
  ['GR', 'T25', 0, WIDE],
  ['GR', 'T22', 0, WIDE],
  ['GR', 'T23', 0, WIDE],
  ['CS', 'CS08', 1, STANDARD],
] as const)(
  '%s %s, station %i: portal, weather, news, score and settings',
  async (type, name, index, plane) => {
    const channel = findChannel(scenario, type, name);
    const station = channel.stations[index];
    const packets = new PacketFramer().feed(tablePackets(scenario, channel, SECONDS)).slice();
    const receiver = new Receiver(packets, station?.serviceId ?? 0);
    const { rig } = receiver;
    await receiver.run(9);
    expect(rig.documents).toEqual(['/40/0000/startup.bml']);
    await rig.press(KEY.data);
    await receiver.run(1);
    expect(rig.documents.at(-1)).toBe(PORTAL);
    expect(rig.last('plane')).toMatchObject(plane);
    expect(rig.last('video')?.rectangle?.width).toBe(plane.width / 2);
    // The count of visits is kept in the station's memory.
    expect(rig.last('nvram')).toBeDefined();
    expect(drawn(rig)).toContain('1回目');
    const pages = [
      // The postal code of the rig is in Tokyo.
      [KEY.enter, '/40/0003/weather.bml', /東京.*最高 ?\d+度/],
      [KEY.red, '/60/0000/news.bml', /第\d+版/],
      [KEY.green, '/61/0000/score.bml', /\d回[表裏]/],
      [KEY.yellow, '/40/0005/settings.bml', /郵便番号/],
    ] as const;
    for (const [key, address, text] of pages) {
      rig.recorder.take();
      await rig.press(key);
      await receiver.run(4);
      expect(rig.documents.at(-1)).toBe(address);
      expect(drawn(rig)).toMatch(text);
      await rig.press(KEY.back);
      await receiver.run(0.5);
      expect(rig.documents.at(-1)).toBe(PORTAL);
    }
    expect([rig.phase, rig.logs]).toEqual(['shown', []]);
  },
);
