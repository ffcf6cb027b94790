/** Faults of the broadcast as seen by this project's reader, ffprobe and a test client. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDescriptor } from '../../lib/arib/descriptor/index.ts';
import { pid } from '../../lib/arib/ids.ts';
import { parseEit, parseTot } from '../../lib/arib/si/eit.ts';
import { type ProgramMap, parsePmt } from '../../lib/arib/ts/pmt.ts';
import { SectionDemux } from '../../lib/arib/ts/section.ts';
import { smallScenario } from '../../synth/scenario/small.ts';
import { type Ended, packetsOf, run, SYNTH, stampsOf, synth } from './tuning.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'synth-faulty-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const AT = Date.UTC(2026, 10, 20, 12, 0, 0);
const VIDEO_PID = 0x100;
const SECOND_AUDIO_PID = 0x111;
const CAPTION_PID = 0x130;
const PMT_PID = 0x1f0;

const after = (seconds: number): string => new Date(AT + seconds * 1000).toISOString();

let files = 0;
function scenarioFile(faults: readonly { kind: string; [field: string]: unknown }[]): string {
  files += 1;
  const path = join(FOLDER, `${files}.json`);
  const audios = [{ bitrate: 48_000 }, { bitrate: 48_000, beepHz: [2_000] }];
  const scenario = smallScenario({
    channels: [{ channel: 'T30', stations: [{ audios, captions: true }] }],
    faults,
  });
  writeFileSync(path, JSON.stringify(scenario));
  return path;
}

function tuned(faults: Parameters<typeof scenarioFile>[0], seconds: number, at = AT): Promise<Ended> {
  const channel = ['--scenario', scenarioFile(faults), '--type', 'GR', '--channel', 'T30'];
  return synth(...channel, '--at', String(at), '--duration', String(seconds), '--speed', '0');
}

function mapsOf(stream: Uint8Array): ProgramMap[] {
  const sections = [...new SectionDemux([pid(PMT_PID)]).feed(stream)];
  const maps = sections.map(parsePmt).filter((map) => map !== undefined);
  return maps.filter((map, index) => map.version !== maps[index - 1]?.version);
}

function pictureTimes(stream: Uint8Array): number[] {
  return [...packetsOf(stream)]
    .filter(({ pid, begins }) => pid === VIDEO_PID && begins)
    .map((packet) => stampsOf(stream, packet).dts);
}

describe('the layout', () => {
  test('changes repeatedly: audios and the position of captions, each time with a new version', async () => {
    const faults = [{ kind: 'pmt', audios: 1, captionPid: 0x145, from: after(1), everySec: 2, forSec: 1 }];
    const { stdout } = await tuned(faults, 6);
    const maps = mapsOf(stdout);
    const layouts = maps.map(({ streams }) => {
      const audios = streams.filter(({ streamType }) => streamType === 0x0f).length;
      return [audios, streams.some(({ pid }) => pid === 0x145)];
    });
    const [usual, other] = [
      [2, false],
      [1, true],
    ];
    expect(layouts).toEqual([usual, other, usual, other, usual, other] as (boolean | number)[][]);
    const versions = maps.map(({ version }) => version);
    expect(versions.slice(1).map((version, index) => (version - (versions[index] ?? 0) + 32) % 32)).toEqual([
      1, 1, 1, 1, 1,
    ]);
    // In every second second, and only then, the second sound is gone and captions are on another PID.
    const packets = [...packetsOf(stdout)];
    const seconds = packets
      .filter(({ pid }) => pid === SECOND_AUDIO_PID)
      .map(({ at }) => (6 * at) / stdout.length)
      // Missing packets shorten the stream: the edges of a second are not checked.
      .filter((time) => time % 1 > 0.1 && time % 1 < 0.9);
    expect([...new Set(seconds.map(Math.floor))]).toEqual([0, 2, 4]);
    const captions = packets.map(({ pid }) => pid).filter((pid) => pid === CAPTION_PID || pid === 0x145);
    const places = captions.filter((pid, index) => pid !== captions[index - 1]);
    expect(places.slice(-5)).toEqual([0x145, CAPTION_PID, 0x145, CAPTION_PID, 0x145]);
  });

  test('forbids copying in the middle of a programme', async () => {
    const { stdout } = await tuned([{ kind: 'copy_never', from: after(1), to: after(2) }], 3);
    const controls = mapsOf(stdout).map(
      ({ descriptors }) => findDescriptor(descriptors, 'digital_copy_control')?.recordingControl,
    );
    expect(controls).toEqual([2, 3, 2]);
  });

  test('signals unreadable streams as scrambled', async () => {
    const { stdout } = await tuned([{ kind: 'scramble', from: after(1), to: after(2) }], 3);
    const scrambled = [...packetsOf(stdout)].filter(({ at }) => ((stdout[at + 3] ?? 0) & 0x80) !== 0);
    expect(scrambled.length).toBeGreaterThan(50);
    expect(new Set(scrambled.map(({ pid }) => pid)).has(PMT_PID)).toBe(false);
    expect(mapsOf(stdout).length).toBe(3);
  });
});

describe('present and following', () => {
  /** Each new announcement of the present event: its title, seconds, id. */
  function announcements(stream: Uint8Array) {
    const eits = [...new SectionDemux([pid(0x12)]).feed(stream)]
      .map(parseEit)
      .filter((eit) => eit !== undefined);
    const present = eits.filter(
      ({ kind, sectionNumber }) => kind === 'present-following' && sectionNumber === 0,
    );
    return present
      .filter(({ version }, index) => version !== present[index - 1]?.version)
      .map(({ events: [event] }) =>
        event === undefined
          ? null
          : {
              title: findDescriptor(event.descriptors, 'short_event')?.name,
              seconds: event.duration,
              id: event.eventId,
              copy: findDescriptor(event.descriptors, 'digital_copy_control')?.recordingControl,
            },
      );
  }

  test('change in the middle of a programme', async () => {
    const change = { kind: 'eit', title: '別の題', longerSec: 30, newId: true, from: after(6), to: after(9) };
    const forbidden = { kind: 'copy_never', from: after(10), to: after(13) };
    const nothing = { kind: 'eit', absent: true, from: after(14) };
    const { stdout } = await tuned([change, forbidden, nothing], 17);
    const [usual, changed, usualAgain, never, ...rest] = announcements(stdout);
    if (usual === undefined || usual === null) throw new Error('nothing is announced');
    expect(usual).toMatchObject({ title: '小さな番組', seconds: 20, copy: 2 });
    expect(changed).toMatchObject({ title: '別の題', seconds: 50 });
    expect(changed?.id).not.toBe(usual.id);
    expect(usualAgain).toEqual(usual);
    expect(never).toEqual({ ...usual, copy: 3 });
    expect(rest).toEqual([usual, null]);
  });

  test('may announce an unknown end', async () => {
    const { stdout } = await tuned([{ kind: 'eit', undefinedEnd: true }], 4);
    expect(announcements(stdout).map((each) => each?.seconds)).toEqual([undefined]);
  });
});

describe('the clock', () => {
  test('of the tables is wrong', async () => {
    const { stdout } = await tuned([{ kind: 'time', offsetMs: 600_000 }], 11);
    const times = [...new SectionDemux([pid(0x14)]).feed(stdout)]
      .map(parseTot)
      .filter((tot) => tot !== undefined);
    expect(times.length).toBeGreaterThan(0);
    for (const { time } of times) expect((time ?? 0) - 600_000 - AT).toBeWithin(-1_000, 11_001);
  });

  test('of the stream wraps at the configured time, and decoders continue', async () => {
    const { stdout } = await tuned([{ kind: 'wrap', from: after(2) }], 4);
    const times = pictureTimes(stdout);
    const turn = times.findIndex((time, index) => time < (times[index - 1] ?? 0) - 2 ** 32);
    expect(turn).toBeGreaterThan(20);
    expect(((times[turn] ?? 0) + 2 ** 33 - (times[turn - 1] ?? 0)) % 2 ** 33).toBe(3_003);
    const path = join(FOLDER, 'wrap.ts');
    writeFileSync(path, stdout);
    const entries = ['-select_streams', 'v', '-count_packets', '-show_entries', 'stream=nb_read_packets'];
    const probe = await run(['ffprobe', '-v', 'quiet', ...entries, '-of', 'json', path]);
    const { streams } = JSON.parse(new TextDecoder().decode(probe.stdout)) as {
      streams: { nb_read_packets: string }[];
    };
    expect(times.length - Number(streams[0]?.nb_read_packets)).toBeWithin(0, 3);
  });

  test('of the stream jumps', async () => {
    const { stdout } = await tuned(
      [{ kind: 'clock', offsetMs: -30_000, announced: true, from: after(2) }],
      4,
    );
    const times = pictureTimes(stdout);
    const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(steps.filter((step) => step !== 3_003)).toEqual([3_003 - 30 * 90_000]);
    const announced = [...packetsOf(stdout)].filter(
      ({ at, pcr }) => pcr !== undefined && ((stdout[at + 5] ?? 0) & 0x80) !== 0,
    );
    expect(announced.length).toBe(1);
  });
});

describe('the stream', () => {
  test('ends early, with the configured code', async () => {
    const { stdout, exitCode } = await tuned([{ kind: 'end', from: after(1), exitCode: 7 }], 3);
    expect(exitCode).toBe(7);
    const whole = await tuned([], 1);
    expect(stdout).toEqual(whole.stdout);
  });

  test('never starts without lock', async () => {
    const ended = await tuned([{ kind: 'no_lock', exitAfterSec: 2 }], 5);
    expect([ended.exitCode, ended.stdout.length]).toEqual([1, 0]);
    expect(ended.stderr).toContain('lock');
  });

  test('loses one packet in a hundred, the same ones in two tunings', async () => {
    const faults = [{ kind: 'loss', rate: 0.01 }];
    const [early, late] = await Promise.all([tuned(faults, 4), tuned(faults, 3, AT + 1_000)]);
    const whole = await tuned([], 4);
    expect(1 - early.stdout.length / whole.stdout.length).toBeWithin(0.007, 0.013);
    const pictures = pictureTimes(late.stdout);
    expect(pictureTimes(early.stdout).slice(-pictures.length)).toEqual(pictures);
  });
});

test('a channel on the air is stalled, and released', async () => {
  const control = join(FOLDER, 'control.json');
  const channel = ['--scenario', scenarioFile([]), '--type', 'GR', '--channel', 'T30', '--faults', control];
  const child = Bun.spawn([process.execPath, SYNTH, ...channel], { stdout: 'pipe', stderr: 'pipe' });
  try {
    const reader = child.stdout.getReader();
    const arrives = async (): Promise<boolean> => !(await reader.read()).done;
    expect(await arrives()).toBe(true);
    writeFileSync(control, '{"faults": [{"kind": "stall"}]}');
    // Data in transit still arrives; then nothing, and the reader waits.
    let waiting: Promise<boolean> | undefined;
    for (let quiet = false; !quiet; ) {
      waiting = arrives();
      quiet = await Promise.race([waiting.then(() => false), Bun.sleep(400).then(() => true)]);
    }
    rmSync(control);
    expect(await waiting).toBe(true);
  } finally {
    child.kill();
    await child.exited;
  }
});
