/** Faults of live viewing: each has its error code, ends the affected streams, and the next request works. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAgent } from '../../agent/agent.ts';
import { networkId } from '../../lib/arib/ids.ts';
import { crc32 } from '../../lib/arib/ts/section.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import { GuideVisits } from '../../src/guide/guide-visits.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { ChannelSurveys } from '../../src/reception/channel-survey.ts';
import { startReceptionWorker } from '../built-programs.ts';
import { until } from '../until.ts';
import { boxTypes } from './media.ts';
import { encoderPids, HD, OTHER_CHANNEL, prepareAir, Rig, type RigOptions } from './rig.ts';

// Broadcasts run in real time, on a machine that may be busy.

let stations: StationRecord[];
let rig: Rig | undefined;
let folder: string;

async function start(options: Omit<RigOptions, 'stations'>): Promise<Rig> {
  rig = await Rig.start({ stations, ...options });
  return rig;
}

beforeAll(async () => {
  stations = await prepareAir();
  folder = mkdtempSync(join(tmpdir(), 'svc-live-'));
});
afterEach(async () => {
  await rig?.close();
  rig = undefined;
  expect(encoderPids()).toEqual([]);
});

const outcomeOf = ({ outcome }: { outcome: string }): string => outcome;
const failure = (code: string) => expect.objectContaining({ name: 'Failure', code });

describe('the tuner', () => {
  test('is taken by a recording: viewers are dropped with an error, and the next request fails with the reason', async () => {
    const live = await start({ tuners: 'GR:1' });
    const encoded = await live.watch(HD);
    const raw = await live.watch(HD, 'raw');
    const abort = new AbortController();
    const query = 'type=GR&channel=T26&priority=10&use=rec%201';
    const recording = await fetch(`${live.agent?.url}/agent/stream?${query}`, { signal: abort.signal });
    expect(recording.status).toBe(200);
    // A response that nothing refers to is collected, and its stream closed.
    const recorded = recording.bytes().catch(() => {});
    await until('both viewers are cut', () => encoded.ending === 'broken' && raw.ending === 'broken');
    expect(encoderPids()).toEqual([]);
    await expect(live.watch(HD)).rejects.toEqual(failure('no_tuner'));
    expect((await live.watch(OTHER_CHANNEL, 'raw')).feed.tunerId).toBe('gr-0');
    abort.abort();
    await recorded;
  });

  test('is taken while the first picture is made: the viewer gets another one, or learns by which recording', async () => {
    // The first encoder shows nothing.
    const path = join(folder, 'mute-ffmpeg');
    const began = join(folder, 'began');
    const mute = `*pipe:0*) if mkdir ${began} 2>/dev/null; then exec sleep 600; else exec ffmpeg "$@"; fi;;`;
    writeFileSync(path, `#!/bin/sh\ncase "$*" in ${mute} *) exec ffmpeg "$@";; esac\n`);
    chmodSync(path, 0o755);
    for (const tuners of ['GR:1', 'GR:1,GR+BS:1']) {
      const live = await start({ ffmpeg: path, tuners, onLost: async () => recordingId(1) });
      const watching = live.watch(HD);
      watching.catch(() => {});
      await until('the encoder began', () => existsSync(began));
      const abort = new AbortController();
      const query = 'type=GR&channel=T26&priority=10&use=rec%201';
      const recording = await fetch(`${live.agent?.url}/agent/stream?${query}`, { signal: abort.signal });
      const recorded = recording.bytes().catch(() => {});
      if (tuners === 'GR:1') {
        await expect(watching).rejects.toMatchObject({ code: 'no_tuner', recordingId: 1 });
      } else expect((await watching).feed.tunerId).toBe('gr-bs-0');
      abort.abort();
      await recorded;
      await live.close();
      rmSync(began, { recursive: true });
    }
    rig = undefined;
  });

  test('is taken before the tables of the station: told as taken to viewers, scan and guide; one that fails is not', async () => {
    // Packets without tables, until a file is there.
    const path = join(folder, 'blank-tune');
    const fails = join(folder, 'fails');
    const packet = '\\107\\037\\377\\020'.padEnd(16 + 184 * 4, '\\377');
    writeFileSync(
      path,
      `#!/bin/sh\nwhile [ ! -e ${fails} ]; do printf '${packet}' || exit; sleep 0.01; done\n`,
    );
    chmodSync(path, 0o755);
    const agent = await startAgent({
      ...{ host: '127.0.0.1', port: 0, networks: Networks.parse('127.0.0.0/8') },
      ...{ tunersFile: join(folder, 'tuners.json'), channelsFile: join(folder, 'channels.json') },
      ...{ fakeTune: path, fakeTuners: 'GR:1', environment: process.env, log: SILENT_LOG },
    });
    const live = await start({ agentUrl: agent.url });
    const order = {
      request: { type: 'GR' as const, channel: 'T27', priority: PRIORITY.scan, use: 'scan T27' },
      limitMs: 60_000,
      task: { kind: 'scan' as const, type: 'GR' as const },
    };
    const visit = {
      ...{ request: { ...order.request, use: 'epg T27' }, networkId: networkId(1), wanted: [] },
      ...{ settleMs: 0, patienceMs: 0, openMs: 60_000, capMs: 60_000 },
    };
    const worker = { read: () => ({ connect: () => {}, end: async () => true }) };
    const readings: [act: () => Promise<unknown>, taken: string, failed: string][] = [
      [() => live.watch(HD, 'raw').catch((error: Failure) => error.code), 'no_tuner', 'no_signal'],
      [
        () => new ChannelSurveys(live.pool).survey(order, new AbortController().signal).then(outcomeOf),
        ...(['no_tuner', 'broken'] as const),
      ],
      [
        () => new GuideVisits({ pool: live.pool, worker } as never).visit(visit).result.then(outcomeOf),
        ...(['no_tuner', 'broken'] as const),
      ],
    ];
    const isReceived = async (): Promise<boolean> => {
      const [tuner] = (await (await fetch(`${agent.url}/agent/tuners`)).json()) as Tuner[];
      return tuner?.state === 'tuned' && (tuner.stats?.packets ?? 0) > 10;
    };
    for (const [read, taken, failed] of readings) {
      for (const isTaken of [true, false]) {
        const reading = read();
        await until('it is received', isReceived);
        const abort = new AbortController();
        if (isTaken) {
          const query = 'type=GR&channel=T26&priority=10&use=rec%201';
          const other = await fetch(`${agent.url}/agent/stream?${query}`, { signal: abort.signal });
          void other.bytes().catch(() => {});
        } else writeFileSync(fails, '');
        expect(await reading).toBe(isTaken ? taken : failed);
        abort.abort();
        rmSync(fails, { force: true });
        await until('the tuner is free', async () => {
          const [tuner] = (await (await fetch(`${agent.url}/agent/tuners`)).json()) as Tuner[];
          return tuner?.users.length === 0;
        });
      }
    }
    await live.close();
    await agent.close();
    rig = undefined;
  });

  test('cannot be used: each reason of the agent has its own code, and a sentence with the next step', async () => {
    const answers = [
      { status: 409, code: 'no_tuner', next: '終わってから' },
      { status: 500, sent: 'tuner_taken', code: 'no_tuner', next: '終わってから' },
      { status: 500, code: 'no_signal', next: 'アンテナ' },
      { status: 403, code: 'agent_misconfigured', next: '「チューナー」画面' },
    ];
    for (const { status, sent, code, next } of answers) {
      const agent = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: () => Response.json({ message: '{"raw":1}', code: sent }, { status }),
      });
      const live = await start({ agentUrl: `http://127.0.0.1:${agent.port}` });
      const refused = { code, message: expect.stringContaining(next) };
      await expect(live.watch(HD, 'raw')).rejects.toMatchObject(refused);
      await live.close();
      await agent.stop(true);
    }
    rig = undefined;
  });

  test('belongs to an agent that does not answer', async () => {
    const live = await start({ agentUrl: 'http://127.0.0.1:9' });
    await expect(live.watch(HD)).rejects.toEqual(failure('agent_unavailable'));
    await expect(live.watch(HD, 'raw')).rejects.toEqual(failure('agent_unavailable'));
  });

  test('does not receive the station', async () => {
    const live = await start({});
    await expect(live.watch(99 as typeof HD)).rejects.toEqual(failure('not_found'));
  });
});

describe('ffmpeg', () => {
  test('is missing: raw works, the encoded path is refused, until ffmpeg is back', async () => {
    const path = join(folder, 'ffmpeg');
    let time = 0;
    const live = await start({ ffmpeg: path, now: () => time });
    await expect(live.watch(HD)).rejects.toEqual(failure('ffmpeg_unavailable'));
    await expect(live.watch(HD, 'raw', 'only')).rejects.toEqual(failure('ffmpeg_unavailable'));
    expect(live.encoders.status()).toMatchObject({ state: 'missing', path: null });
    await live.watch(HD, 'raw');
    symlinkSync(Bun.which('ffmpeg') ?? '', path);
    time += 10_000;
    await live.watch(HD);
    expect(live.encoders.status().path).toBe(path);
    rmSync(path);
    await expect(live.watch(OTHER_CHANNEL)).rejects.toEqual(failure('ffmpeg_unavailable'));
  });

  test('dies while a station is watched: viewers are dropped, the next request gets a new one', async () => {
    const live = await start({});
    const watching = await live.watch(HD);
    const [pid] = encoderPids();
    process.kill(pid ?? 0, 'SIGKILL');
    await until('the viewer is cut', () => watching.ending === 'broken');
    const again = await live.watch(HD);
    expect(encoderPids()).not.toEqual([pid ?? 0]);
    await until('its first fragment', () => boxTypes(again.content()).length > 3);
    expect(boxTypes(again.content()).slice(0, 2)).toEqual(['ftyp', 'moov']);
  });

  test('has a GPU encoder that passes its trial and then fails: the software one is used for 15 minutes', async () => {
    // In the trial it encodes in software; for a station it exits at once, like a GPU without free memory.
    const path = join(folder, 'gpu-ffmpeg');
    const script = [
      '#!/bin/sh',
      'case "$*" in',
      `  *-encoders*) printf ' V....D h264_vaapi  x\\n V....D libx264  x\\n';;`,
      '  *h264_vaapi*pipe:1*) echo "no device" >&2; exit 1;;',
      '  *h264_vaapi*) exit 0;;',
      '  *) exec ffmpeg "$@";;',
      'esac',
    ];
    writeFileSync(path, `${script.join('\n')}\n`);
    chmodSync(path, 0o755);
    let time = 0;
    const live = await start({ ffmpeg: path, now: () => time });
    expect((await live.encoders.settled()).usable).toEqual(['h264_vaapi', 'libx264']);
    const first = await live.watch(HD);
    expect(first.feed.notices).toEqual(['software_encoder']);
    expect((await live.watch(OTHER_CHANNEL)).feed.notices).toEqual(['software_encoder']);
    await live.leaveAll();
    time += 14 * 60_000;
    expect((await live.encoders.h264()).encoder.name).toBe('libx264');
    time += 2 * 60_000;
    expect((await live.encoders.h264()).encoder.name).toBe('h264_vaapi');
  });

  test('fails at every start: the request fails and no process is left', async () => {
    const path = join(folder, 'bad-ffmpeg');
    writeFileSync(path, '#!/bin/sh\ncase "$*" in *pipe:0*) exit 1;; *) exec ffmpeg "$@";; esac\n');
    chmodSync(path, 0o755);
    const live = await start({ ffmpeg: path });
    await expect(live.watch(HD)).rejects.toEqual(failure('internal'));
    await until('the tuner is free', async () => (await live.uses()).length === 0);
  });
});

describe('the worker', () => {
  test('dies: its viewers are dropped, its encoders end, the next request starts another', async () => {
    const workers: Worker[] = [];
    const live = await start({
      startWorker: () => {
        const worker = startReceptionWorker();
        workers.push(worker);
        return worker;
      },
    });
    const watching = await live.watch(HD);
    workers[0]?.terminate();
    await until('the viewer is cut', () => watching.ending === 'broken');
    await until('the encoder is gone', () => encoderPids().length === 0);
    await live.watch(HD);
    expect(workers).toHaveLength(2);
  });
});

describe('the station', () => {
  test('changes its layout: encoded streams end normally, raw continues, the next request gets the new layout', async () => {
    const source = changingStation();
    const live = await start({ agentUrl: `http://127.0.0.1:${source.port}` });
    const encoded = await live.watch(HD);
    const raw = await live.watch(HD, 'raw');
    expect(encoded.feed.mime).toContain('mp4a');
    source.change();
    await until('the encoded stream ends', () => encoded.ending !== undefined);
    expect(encoded.ending).toBe('clean');
    const again = await live.watch(HD);
    expect(again.feed.mime).toMatch(/^video\/mp4; codecs="avc1\.[0-9a-f]{6}"$/);
    const before = raw.bytes;
    await until('raw continues', () => raw.bytes > before);
    expect(raw.ending).toBeUndefined();
    expect(source.opened).toBe(1);
    await live.close();
    rig = undefined;
    await source.stop();
  });
});

/** An agent that always sends T27; from `change` on, the PMT of the HD station contains no audio. */
function changingStation() {
  const PMT_PID = 0x1f0;
  const synth = join(import.meta.dir, '..', '..', 'synth', 'main.ts');
  const children = new Set<Bun.Subprocess>();
  let changed = false;
  const state = { opened: 0 };
  const rewrite = (packets: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
    if (!changed) return packets;
    for (let at = 0; at + 188 <= packets.length; at += 188) {
      const pid = (((packets[at + 1] ?? 0) & 0x1f) << 8) | (packets[at + 2] ?? 0);
      if (pid === PMT_PID) dropAudio(packets, at + 5);
    }
    return packets;
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: () => {
      state.opened += 1;
      const command = [process.execPath, synth, '--scenario', 'mini', '--type', 'GR', '--channel', 'T27'];
      const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'ignore' });
      children.add(child);
      let rest = new Uint8Array(0);
      const whole = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          const joined = Uint8Array.from(Buffer.concat([rest, chunk]));
          const end = joined.length - (joined.length % 188);
          rest = joined.slice(end);
          controller.enqueue(rewrite(joined.slice(0, end)));
        },
      });
      return new Response(child.stdout.pipeThrough(whole), { headers: { 'x-svc-tuner': 'made-up' } });
    },
  });
  return {
    port: server.port,
    get opened() {
      return state.opened;
    },
    change: () => {
      changed = true;
    },
    stop: async () => {
      for (const child of children) child.kill();
      await server.stop(true);
    },
  };
}

/** Changes the audio streams (type 0x0f) of the PMT section at `start` to another type, in a new version. */
function dropAudio(packets: Uint8Array, start: number): void {
  const length = (((packets[start + 1] ?? 0) & 0x0f) << 8) | (packets[start + 2] ?? 0);
  const end = start + 3 + length - 4;
  packets[start + 5] = (packets[start + 5] ?? 0) ^ 0x02; // version_number
  const info = (((packets[start + 10] ?? 0) & 0x0f) << 8) | (packets[start + 11] ?? 0);
  for (let at = start + 12 + info; at < end; ) {
    if (packets[at] === 0x0f) packets[at] = 0x7f;
    at += 5 + ((((packets[at + 3] ?? 0) & 0x0f) << 8) | (packets[at + 4] ?? 0));
  }
  new DataView(packets.buffer, packets.byteOffset).setUint32(end, crc32(packets, start, end));
}
