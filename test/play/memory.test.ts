/** Two hours of a recording through a service in a separate process, as fast as possible. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PTS_MODULUS } from '../../lib/arib/time.ts';
import { packetPcr, startsUnit } from '../../lib/arib/ts/packet.ts';
import { pesTimes, shiftPcr, shiftPes } from '../../lib/arib/ts/pes.ts';
import { openDatabase } from '../../src/store/database.ts';
import { SVC } from '../built-programs.ts';
import { startProgram } from '../program.ts';
import { putRecording } from '../service/recording-rows.ts';
import { PACKET } from '../stream-builder.ts';
import { GOP, PICTURE, VirtualRecording } from './virtual-recording.ts';

const SECONDS = 7_200;
const GROUPS = Math.floor((SECONDS * 90_000) / PICTURE / GOP);
/** Variation of the heap between two garbage collections. */
const SLACK_MB = 40;
const MOST_ROUNDS = 20;
const SAMPLES = 24;

/** Writes two hours: each group of pictures has time stamps that continue those of the previous one. */
async function writeHours(path: string): Promise<number> {
  const source = new VirtualRecording([{ pictures: GOP, pts: PTS_MODULUS - 600 * 90_000 }], 5);
  const group = await source.read(0, source.size);
  const file = Bun.file(path).writer({ highWaterMark: 4_000_000 });
  for (let index = 0; index < GROUPS; index += 1) {
    file.write(group);
    if (index % 500 === 0) await file.flush();
    for (let at = 0; at < group.length; at += PACKET) {
      if (packetPcr(group, at) !== undefined) shiftPcr(group, at, GOP * PICTURE);
      const pes = startsUnit(group, at) ? pesTimes(group, at) : undefined;
      if (pes !== undefined) shiftPes(group, pes, GOP * PICTURE);
    }
  }
  await file.end();
  return GROUPS * group.length;
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

test('a service that streams two hours once more uses no more memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hours-'));
  const path = join(folder, 'hours.ts');
  const size = await writeHours(path);
  const service = await startProgram(SVC, {
    ...{ HOST: '127.0.0.1', PORT: '0', DATA_DIR: folder, TRUSTED_NETWORKS: '127.0.0.0/8' },
    // Nothing listens there: no tuner is needed.
    TUNER_AGENT_URL: 'http://127.0.0.1:9',
  });
  try {
    const database = openDatabase(join(folder, 'svc.db'));
    database.run('PRAGMA foreign_keys = OFF');
    const startAt = Date.UTC(2026, 0, 5, 12);
    const row = { station: 3_273_601_024, serviceName: '試験テレビ', name: '二時間', startAt };
    const id = putRecording(
      database,
      { ...row, endAt: startAt + SECONDS * 1000, bytes: size, content: new Uint8Array(0) },
      folder,
    );
    database.run('UPDATE recording_parts SET path = ?', [path]);
    database.run('UPDATE recording_files SET path = ?', [path]);
    database.close();
    const recording = `${service.url}/api/recordings/${id}`;
    const described = (await (await fetch(`${recording}/playback`)).json()) as { duration: number };
    expect(described.duration).toBeCloseTo(SECONDS, -1);
    /** Peak memory while watching, MB. */
    const watch = async (way: string): Promise<number> => {
      const response = await fetch(`${recording}/${way}`);
      expect([way, response.status]).toEqual([way, 200]);
      let read = 0;
      let most = 0;
      let sampled = 0;
      for await (const chunk of response.body ?? []) {
        read += chunk.length;
        if (read <= sampled) continue;
        sampled = read + size / SAMPLES;
        most = Math.max(most, residentMegabytes(service.pid));
      }
      expect(read).toBeGreaterThan(size * 0.95);
      return most;
    };
    const watchAll = async (): Promise<number> =>
      Math.max(await watch('stream?codec=mpeg2'), await watch('file?source=ts'));
    // The heap grows to its size once, whatever is watched.
    const early = Math.max(await watchAll(), await watchAll());
    // Garbage is collected every five to ten rounds; leaked memory remains in every later one.
    let late = Number.POSITIVE_INFINITY;
    for (let round = 0; round < MOST_ROUNDS && late - early >= SLACK_MB; round++)
      late = Math.min(late, await watchAll());
    console.log(`two hours of watching: at most ${early.toFixed(0)} MB, once more: ${late.toFixed(0)} MB`);
    expect(late - early).toBeLessThan(SLACK_MB);
  } finally {
    await service.end();
    rmSync(folder, { recursive: true });
  }
});
