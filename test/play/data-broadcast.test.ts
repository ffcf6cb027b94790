/** The data broadcast of recordings over HTTP: made, kept, counted and removed with its recording. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { plusMs } from '../../lib/arib/time.ts';
import type { CutList } from '../../src/model/recording-time.ts';
import { BEGIN, dataRecording } from '../data/data-recording.ts';
import type { RecordedMessage } from '../data/recorded-message.ts';
import { RecordedHome } from '../service/recorded-home.ts';
import { nullPackets } from '../service/recording-rows.ts';
import { until } from '../until.ts';

const SECONDS = 30;
let home: RecordedHome;
const whole = dataRecording({ seconds: SECONDS });

beforeAll(async () => {
  home = await RecordedHome.start();
  home.clear();
});
afterAll(() => home.close());

interface DataRow {
  path: string;
  bytes: number;
  complete: number;
}

function only<T>(sql: string, id: number): T | null {
  return home.database.query<T, { id: number }>(sql).get({ id });
}
const dataOf = (id: number) =>
  only<DataRow>('SELECT path, bytes, complete FROM recording_data WHERE recording_id = $id', id);
const pathOf = (id: number) =>
  only<{ path: string }>(`SELECT path FROM recording_files WHERE recording_id = $id AND source = 'ts'`, id)
    ?.path ?? '';
const sizeOf = (id: number) =>
  only<{ bytes: number }>('SELECT bytes FROM recordings WHERE id = $id', id)?.bytes ?? 0;

const ask = (id: number, query = '', init: RequestInit = {}): Promise<Response> =>
  home.get(`/api/recordings/${id}/databroadcast${query}`, init);

function linesIn(text: string): RecordedMessage[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RecordedMessage]));
}

async function linesOf(id: number, query = ''): Promise<RecordedMessage[]> {
  const answer = await ask(id, query);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  return linesIn(await answer.text());
}

async function playback(id: number): Promise<{ hasDataBroadcast: boolean; axis: string }> {
  return (await (await home.get(`/api/recordings/${id}/playback`)).json()) as never;
}

/** As after an encode. @param cuts s of the original that it has */
function putEncoded(id: number, cuts: readonly (readonly [number, number])[] | null): void {
  const path = join(home.folder, `encoded ${id}.mkv`);
  writeFileSync(path, 'x');
  home.database
    .query(
      `INSERT INTO recording_files (recording_id, source, path, codec, bytes, duration_ms, created_at)
       VALUES ($id, 'encoded', $path, 'h264', 1, 20000, 0)`,
    )
    .run({ id, path });
  const kept: CutList = cuts?.map(([from, to]) => ({ from: from * 1000, to: to * 1000 })) ?? null;
  const facts = {
    tracks: [],
    codecs: '',
    hasVideo: true,
    stretches: [{ length: 30_000, at: null }],
    chapters: null,
  };
  home.database
    .query(
      `INSERT INTO encoded_files (recording_id, source, cuts, facts) VALUES ($id, 'encoded', $cuts, $facts)`,
    )
    .run({ id, cuts: kept === null ? null : JSON.stringify(kept), facts: JSON.stringify(facts) });
}

const types = (lines: readonly RecordedMessage[]): string[] => lines.map(({ message }) => message.type);
const constant = (lines: readonly RecordedMessage[]): string[] =>
  lines.flatMap(({ message }) => (message.type === 'currentTime' ? [] : [JSON.stringify(message)])).sort();

describe('the data broadcast of a recording', () => {
  test('is read from its original, and begins with the state at the time', async () => {
    const id = home.put({ content: whole }, 1);
    expect((await playback(id)).hasDataBroadcast).toBe(true);
    const before = sizeOf(id);
    const lines = await linesOf(id, '?from=12');
    expect(lines[0]).toMatchObject({ at: 12, message: { type: 'pmt' } });
    const state = lines.slice(0, 1 + types(lines).indexOf('currentTime'));
    expect(state.every(({ at }) => at === 12)).toBe(true);
    expect(types(state).filter((type) => type === 'moduleDownloaded').length).toBeGreaterThan(10);
    expect(lines.slice(state.length).every(({ at }) => at >= 12)).toBe(true);
    const row = dataOf(id);
    expect(row?.complete).toBe(1);
    expect(row?.path).toBe(pathOf(id).replace(/\.ts$/, '.databroadcast'));
    expect(statSync(row?.path ?? '').size).toBe(row?.bytes ?? 0);
    expect(sizeOf(id)).toBe(before + (row?.bytes ?? 0));
    expect((await playback(id)).hasDataBroadcast).toBe(true);
  });

  test('is compressed for clients that accept it, and the same for others', async () => {
    const id = home.put({ content: whole }, 2);
    const plain = await ask(id, '', { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const text = await plain.text();
    const packed = await ask(id, '', {
      headers: { 'accept-encoding': 'gzip' },
      decompress: false,
    } as RequestInit);
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    const bytes = await packed.bytes();
    expect(new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(bytes)))).toBe(text);
    expect(bytes.length).toBeLessThan(text.length);
    const head = await ask(id, '', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    // Past the end: the last state.
    const last = await linesOf(id, '?from=9999');
    expect(types(last)[0]).toBe('pmt');
    expect(last.every(({ at }) => at === 9_999)).toBe(true);
  });

  test('refuses what is no time, and says which field', async () => {
    const id = home.put({ content: whole }, 3);
    for (const from of ['-1', 'x', '', '1e999', 'NaN']) {
      const answer = await ask(id, `?from=${from}`);
      expect([from, answer.status]).toEqual([from, 400]);
      expect(await answer.json()).toMatchObject({ path: 'from' });
    }
    expect((await ask(id, `?from=${'1'.repeat(40)}`)).status).toBe(400);
    expect((await ask(999_999)).status).toBe(404);
  });

  test('has the times of the encoded file, also where commercials were cut', async () => {
    const id = home.put({ content: whole }, 4);
    const original = await linesOf(id);
    putEncoded(id, [
      [2, 10],
      [18, 26],
    ]);
    const moved = await linesOf(id);
    expect(moved.every(({ at }) => at <= 16)).toBe(true);
    // Clocks are synchronous with the pictures of the file.
    const timeAt = (lines: readonly RecordedMessage[], second: number): number | undefined =>
      lines.flatMap(({ at, message }) =>
        message.type === 'currentTime' && Math.abs(at - second) < 0.51 ? [message.at] : [],
      )[0];
    for (const [own, other] of [
      [3, 5],
      [6, 8],
      [10, 20],
      [14, 24],
    ] as const)
      expect(Math.abs((timeAt(moved, own) ?? 0) - (timeAt(original, other) ?? -1e9))).toBeLessThan(1_100);
    const state = (lines: readonly RecordedMessage[]) =>
      constant(lines.slice(0, types(lines).indexOf('currentTime')));
    expect(state(await linesOf(id, '?from=9'))).toEqual(
      state(original.length > 0 ? await stateOfOriginal(id, 19) : []),
    );
    expect((await playback(id)).hasDataBroadcast).toBe(true);
  });

  /** On the scale of the original: without its encoded file. */
  async function stateOfOriginal(id: number, from: number): Promise<RecordedMessage[]> {
    const other = home.put({ content: readFileSync(pathOf(id)) }, 40);
    return linesOf(other, `?from=${from}`);
  }

  test('stays when the original is removed', async () => {
    const id = home.put({ content: whole }, 5);
    const before = await linesOf(id);
    putEncoded(id, null);
    rmSync(pathOf(id));
    home.database.query(`DELETE FROM recording_parts WHERE recording_id = $id`).run({ id });
    home.database.query(`DELETE FROM recording_files WHERE recording_id = $id AND source = 'ts'`).run({ id });
    expect(constant(await linesOf(id))).toEqual(constant(before));
    expect(sizeOf(id)).toBe(1 + (dataOf(id)?.bytes ?? 0));
    expect((await playback(id)).hasDataBroadcast).toBe(true);
  });

  test('that was not read before the original was removed is told to be lost', async () => {
    const id = home.put({ content: whole }, 6);
    putEncoded(id, null);
    home.database.query(`DELETE FROM recording_parts WHERE recording_id = $id`).run({ id });
    home.database.query(`DELETE FROM recording_files WHERE recording_id = $id AND source = 'ts'`).run({ id });
    const answer = await ask(id);
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      404,
      '元の放送ストリームがなく、データ放送も残っていないため、表示できません。',
    ]);
    expect((await playback(id)).hasDataBroadcast).toBe(false);
  });

  test('of a station without one is said to be missing, and not looked for again', async () => {
    const id = home.put({ content: nullPackets(50) }, 7);
    expect((await ask(id)).status).toBe(404);
    const silent = home.put({ content: withoutData() }, 8);
    const answer = await ask(silent);
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      404,
      'この録画にデータ放送はありません。',
    ]);
    expect(dataOf(silent)).toMatchObject({ bytes: 0, complete: 1 });
    expect(existsSync(dataOf(silent)?.path ?? '')).toBe(false);
    expect((await playback(silent)).hasDataBroadcast).toBe(false);
  });

  test('that was removed or damaged is made again', async () => {
    const id = home.put({ content: whole }, 9);
    const before = await linesOf(id);
    const path = dataOf(id)?.path ?? '';
    const content = readFileSync(path);
    rmSync(path);
    expect(await linesOf(id)).toEqual(before);
    for (const damaged of [
      '',
      'x'.repeat(1_000),
      content.subarray(0, content.length / 2),
      Buffer.alloc(50_000),
    ]) {
      writeFileSync(path, damaged);
      expect(await linesOf(id)).toEqual(before);
    }
  });

  test('of a recording in several files is that of one', async () => {
    const id = home.put({ content: whole }, 12);
    const wanted = await linesOf(id);
    const parted = home.put({ content: whole }, 13);
    const path = pathOf(parted);
    const cut = Math.floor(whole.length / 3 / 188) * 188;
    writeFileSync(path, whole.subarray(0, cut));
    const second = path.replace(/\.ts$/, '.part2.ts');
    writeFileSync(second, whole.subarray(cut));
    home.database
      .query('INSERT INTO recording_parts (recording_id, part, path, bytes) VALUES ($id, 2, $path, 1)')
      .run({ id: parted, path: second });
    expect(await linesOf(parted)).toEqual(wanted);
  });

  test('of a recording in progress is followed, and continues until its end', async () => {
    const half = Math.floor(whole.length / 2 / 188) * 188;
    const id = home.put({ content: whole.subarray(0, half), state: 'recording' }, 10);
    await until('it was begun', () => (dataOf(id)?.bytes ?? 0) > 0);
    const answer = await ask(id, '?from=3');
    expect(answer.status).toBe(200);
    let text = '';
    const reading = (async () => {
      for await (const piece of answer.body ?? []) text += new TextDecoder().decode(piece);
    })();
    await until('what is there by now', () =>
      linesIn(text.slice(0, text.lastIndexOf('\n') + 1)).some(({ at }) => at > 10),
    );
    appendFileSync(pathOf(id), whole.subarray(half));
    await until('what comes', () =>
      linesIn(text.slice(0, text.lastIndexOf('\n') + 1)).some(({ at }) => at > 25),
    );
    home.database.query(`UPDATE recordings SET state = 'recorded' WHERE id = $id`).run({ id });
    await reading;
    await until('it is complete', () => dataOf(id)?.complete === 1);
    expect(linesIn(text).slice(-1)[0]?.at).toBeGreaterThan(28);
    const again = await linesOf(id, '?from=3');
    expect(constant(linesIn(text))).toEqual(constant(again));
  });

  test('of a recording that lost its file and continues in another is that of the other', async () => {
    const id = home.put({ content: whole.subarray(0, 5_000_000), state: 'recording' }, 14);
    await until('it was begun', () => (dataOf(id)?.bytes ?? 0) > 0);
    const first = pathOf(id);
    rmSync(first);
    const later = first.replace(/\.ts$/, '.part2.ts');
    const at = plusMs(BEGIN, 3_600_000);
    writeFileSync(later, dataRecording({ seconds: 12, at }));
    for (const table of ['recording_parts', 'recording_files'])
      home.database.query(`UPDATE ${table} SET path = $later WHERE recording_id = $id`).run({ id, later });
    home.database.query(`UPDATE recordings SET state = 'recorded' WHERE id = $id`).run({ id });
    await until('it is complete', () => dataOf(id)?.complete === 1);
    const times = (await linesOf(id)).flatMap(({ message }) =>
      message.type === 'currentTime' ? [message.at] : [],
    );
    expect(times.length).toBeGreaterThan(8);
    expect(Math.min(...times)).toBeGreaterThan(at - 2_000);
  });

  test('is removed with its recording, and not before', async () => {
    const id = home.put({ content: whole }, 11);
    await linesOf(id);
    const path = dataOf(id)?.path ?? '';
    expect((await home.send('POST', `/api/recordings/${id}/bin`)).status).toBeLessThan(300);
    expect((await ask(id)).status).toBe(404);
    expect(existsSync(path)).toBe(true);
    expect((await home.send('POST', `/api/recordings/${id}/restore`)).status).toBeLessThan(300);
    expect((await linesOf(id)).length).toBeGreaterThan(20);
    await home.send('POST', `/api/recordings/${id}/bin`);
    await home.send('DELETE', `/api/recordings/${id}`);
    await until('its files are removed', () => !existsSync(path));
    expect(readdirSync(home.folder).filter((name) => name.includes(` r${id}.`))).toEqual([]);
  });
});

/** The stream without its carousels. */
function withoutData(): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += 188) {
    const pid = (((whole[at + 1] ?? 0) & 0x1f) << 8) | (whole[at + 2] ?? 0);
    if (pid < 0x140 || pid > 0x17f) parts.push(whole.subarray(at, at + 188));
  }
  return Buffer.concat(parts);
}
