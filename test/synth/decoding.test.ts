/** ffmpeg and ffprobe read every channel without an error. */
import { describe, expect, test } from 'bun:test';
import { mediaPids, run, type StationTruth, synth, type Truth, trimmed, truthOf, tune } from './tuning.ts';

const AT = Date.UTC(2026, 10, 20, 12, 0, 0);
/** The default region is large: half a minute of decoding. */
const LONG = process.env.SVC_LONG === '1';
const SCENARIOS = LONG ? ['mini', 'default'] : ['mini'];
/** Longer than a loop of video, so that its restart is decoded too. */
const SECONDS = 10;

interface Channel {
  type: string;
  channel: string;
}

interface Stream {
  id: string;
  codec_name: string;
  width?: number;
  height?: number;
  field_order?: string;
  r_frame_rate?: string;
  display_aspect_ratio?: string;
  sample_rate?: string;
  channels?: number;
}

const ENGINEERING_SERVICE = 0xfff0;

async function channelsOf(scenario: string): Promise<Channel[]> {
  const { stdout } = await synth('--channels', '--scenario', scenario);
  return JSON.parse(new TextDecoder().decode(stdout)) as Channel[];
}

for (const scenario of SCENARIOS) {
  const channels = await channelsOf(scenario);
  describe(scenario, () => {
    test.each(channels.map(({ type, channel }) => [type, channel]))(
      '%s %s decodes without an error',
      async (type, channel) => {
        const truth = await truthOf(type, channel, AT, scenario);
        const stream = await tune({ scenario, type, channel, at: AT, seconds: SECONDS });
        const { video, audio } = mediaPids(truth);
        const clean = trimmed(stream, video, audio);
        // ffmpeg has no decoder for two single channel elements without a channel configuration.
        const undecodable = truth.stations
          .flatMap(({ audios }) => audios)
          .filter(({ elements }) => elements === 'singles');
        const decoded = await run(
          [
            'ffmpeg',
            '-v',
            'error',
            '-threads',
            '2',
            '-i',
            'pipe:0',
            '-map',
            '0:v',
            '-map',
            '0:a',
            ...undecodable.flatMap(({ pid }) => ['-map', `-0:i:${pid}`]),
            '-f',
            'null',
            '-',
          ],
          clean,
        );
        expect({ stderr: decoded.stderr, exitCode: decoded.exitCode }).toEqual({ stderr: '', exitCode: 0 });
        await checkPrograms(clean, truth);
      },
    );
  });
}

/** Checks that ffprobe finds every service with its streams. */
async function checkPrograms(stream: Uint8Array, truth: Truth): Promise<void> {
  const probed = await run(
    ['ffprobe', '-v', 'error', '-of', 'json', '-show_programs', '-show_streams', '-i', 'pipe:0'],
    stream,
  );
  expect(probed.stderr).toBe('');
  const found = JSON.parse(new TextDecoder().decode(probed.stdout)) as {
    programs: { program_id: number; pmt_pid: number; pcr_pid: number; streams: Stream[] }[];
  };
  // The engineering service has a map but is no station.
  const programs = found.programs.filter(({ program_id }) => program_id !== ENGINEERING_SERVICE);
  expect(programs).toHaveLength(truth.stations.length + truth.dataServices.length);
  for (const station of truth.stations) {
    const program = found.programs.find(({ program_id }) => program_id === station.serviceId);
    expect(program?.pmt_pid).toBe(station.pmtPid);
    expect(program?.pcr_pid).toBe(station.pcrPid);
    checkStreams(program?.streams ?? [], station);
  }
}

function checkStreams(streams: Stream[], station: StationTruth): void {
  const byPid = (pid: number): Stream | undefined => streams.find(({ id }) => Number(id) === pid);
  const video = byPid(station.video.pid);
  expect(video?.display_aspect_ratio).toBe(station.video.aspect ?? '16:9');
  if (station.video.codec === 'mpeg2') {
    expect(video).toMatchObject({ codec_name: 'mpeg2video', field_order: 'tt', r_frame_rate: '30000/1001' });
  } else {
    expect(video).toMatchObject({ codec_name: 'h264', field_order: 'progressive', width: 320, height: 180 });
  }
  // Nothing is announced in a pause of the night that the tables do not list.
  const present: StationTruth['present'] | null = station.present;
  const audioCount = present === null ? station.audios.length : present.audioCount;
  for (const [index, { pid, elements }] of station.audios.entries()) {
    const form = { sample_rate: '48000' };
    // Programmes in 5.1 have commercials in stereo.
    if (index < audioCount && elements !== 'singles') expect([2, 6]).toContain(byPid(pid)?.channels ?? 0);
    // Without a channel configuration ffprobe does not report the number of channels.
    const audio = { codec_name: 'aac', ...(elements === 'singles' ? {} : form) };
    if (index < audioCount) expect(byPid(pid)).toMatchObject(audio);
    // A branch lists the streams of its main station.
    else if (!station.shared) expect(byPid(pid)).toBeUndefined();
  }
}

/**
 * Away from programme starts: if a map changed within the analysed seconds, there would be two correct
 * results.
 */
const DAY_TIMES = Array.from({ length: 12 }, (_, step) => AT + (step * 120 + 7) * 60_000);

describe.skipIf(!LONG)('ffprobe finds all services of the default region at all times of a day', async () => {
  const channels = LONG ? await channelsOf('default') : [];
  test.each(channels.map(({ type, channel }) => [type, channel]))('%s %s', async (type, channel) => {
    for (const at of DAY_TIMES) {
      const truth = await truthOf(type, channel, at, 'default');
      const stream = await tune({ scenario: 'default', type, channel, at, seconds: 4 });
      const { video, audio } = mediaPids(truth);
      await checkPrograms(trimmed(stream, video, audio), truth);
    }
  });
});
