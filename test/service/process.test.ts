/** The program `svc` as a process: command line, configuration, signals. */
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase } from '../../src/store/database.ts';
import { SVC } from '../built-programs.ts';
import { tuner } from './bookings.ts';
import { StandInAgent } from './harness.ts';

const folders: string[] = [];
const children: Bun.Subprocess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-process-'));
  folders.push(made);
  return made;
}

function spawn(args: string[], environment: Record<string, string>) {
  const child = Bun.spawn([...SVC, ...args], {
    env: { PATH: process.env.PATH ?? '', TUNER_AGENT_URL: 'http://127.0.0.1:1', ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  children.push(child);
  return child;
}

async function run(args: string[], environment: Record<string, string> = {}) {
  const child = spawn(args, environment);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
}

/** Starts it on a free port; resolves when the log matches the pattern. */
async function logging(pattern: RegExp, environment: Record<string, string>) {
  const child = spawn([], { PORT: '0', ...environment });
  const decoder = new TextDecoder();
  let text = '';
  const reader = child.stderr.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`ended: ${text}`);
    text += decoder.decode(value, { stream: true });
    const match = pattern.exec(text);
    if (match !== null) return { child, match };
  }
}

/** Starts it on a free port. @returns the port that it logs */
async function listening(environment: Record<string, string>) {
  const { child, match } = await logging(/listening .*port=(\d+)/, environment);
  return { child, port: Number(match[1]), url: `http://127.0.0.1:${match[1]}` };
}

describe('the command line', () => {
  test('--version and --help', async () => {
    const [version, help] = await Promise.all([run(['--version']), run(['--help'])]);
    expect([version.stdout, version.code]).toEqual([expect.stringMatching(/^svc \d+\.\d+\.\d+\n$/), 0]);
    expect(help.code).toBe(0);
    for (const name of ['TUNER_AGENT_URL', 'TRUSTED_NETWORKS', 'DATA_DIR', 'check']) {
      expect(help.stdout).toContain(name);
    }
  });

  test('--licenses prints the notices of all components', async () => {
    const { code, stdout } = await run(['--licenses']);
    expect(code).toBe(0);
    expect(stdout).toContain('Apache License');
    expect(stdout).toContain('JavaScriptCore');
  });

  test('--help names every variable that the manual lists, and no other', async () => {
    const manual = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'operating.md'), 'utf8');
    const [, own = ''] = manual.split('## Variables of svc\n');
    const rows = (own.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
    const listed = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/[A-Z][A-Z_]+/g) ?? []);
    const { stdout } = await run(['--help']);
    const [, help = ''] = stdout.split('Environment:\n');
    const helped = help
      .split('\n')
      .flatMap((line) => /^ {2}([A-Z_, ]+?) {2,}/.exec(line)?.[1]?.split(', ') ?? []);
    expect(listed.length).toBeGreaterThan(15);
    expect(helped.sort()).toEqual(listed.sort());
  });

  test('an unknown argument is refused', async () => {
    const { stderr, code } = await run(['chekc']);
    expect([stderr, code]).toEqual([expect.stringContaining('chekc'), 1]);
  });

  test('every fault of a bad configuration is reported, and nothing starts', async () => {
    const { stderr, code } = await run([], { PORT: 'x', TRUSTED_NETWORKS: 'home', LOG_LEVEL: 'loud' });
    expect(code).toBe(1);
    for (const name of ['PORT', 'TRUSTED_NETWORKS', 'LOG_LEVEL']) expect(stderr).toContain(name);
    expect(stderr).not.toContain('    at ');
  });

  test('check prints a line for each part and fails when one is broken', async () => {
    const data = folder();
    const { stdout, code } = await run(['check'], {
      DATA_DIR: data,
      TRUSTED_NETWORKS: '127.0.0.1',
      PATH: '/nonexistent',
    });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => /^(?:OK {2}|注意|問題) {2}(.+?): /.exec(line)?.[1])).toEqual([
      '設定',
      'アクセス',
      'データベース',
      'データの保存先',
      '録画の保存先',
      '時計',
      'ffmpeg',
      'svc-agent',
    ]);
    expect(lines.at(-1)).toStartWith('問題');
    expect(lines[1]).toStartWith('OK');
    expect(lines[1]).toContain(
      '登録した端末（トークン）。ログインなしで使えるネットワーク 127.0.0.1。リバースプロキシはありません',
    );
    expect(code).toBe(1);
  });

  test('check leaves the data folder as it was', async () => {
    const data = folder();
    const { child } = await listening({ DATA_DIR: data });
    child.kill();
    await child.exited;
    const before = readdirSync(data);
    const { stdout } = await run(['check'], { DATA_DIR: data, PATH: '/nonexistent' });
    expect(stdout).toMatch(/OK {4}データベース: .*（スキーマ [1-9]/);
    expect(readdirSync(data)).toEqual(before);
    expect(before.filter((name) => name !== 'recordings')).toEqual(['svc.db']);
  });

  test('check examines the recording folders named in the settings', async () => {
    const data = folder();
    const { child } = await listening({ DATA_DIR: data });
    child.kill();
    await child.exited;
    const database = new Database(join(data, 'svc.db'));
    database.run(`INSERT INTO settings VALUES ('recordingFolders', ?, 0)`, [
      JSON.stringify([
        { path: join(data, 'svc.db', 'x'), floorBytes: 0 },
        { path: join(data, 'more'), floorBytes: 1_000 },
        { path: join(data, 'last'), floorBytes: 9e15 },
        { path: join(data, 'away'), floorBytes: 0 },
      ]),
    ]);
    // Its disk was mounted when it was last used.
    database.run('INSERT INTO recording_folders VALUES (?, ?)', [join(data, 'away'), '/nonexistent/disk']);
    database.close();
    const { stdout } = await run(['check'], { DATA_DIR: data, PATH: '/nonexistent' });
    const lines = stdout.split('\n').filter((line) => line.includes('  録画の保存先: '));
    expect(lines).toEqual([
      expect.stringMatching(/^OK {4}録画の保存先: .*（空き \d+\.\d GB）$/),
      expect.stringMatching(/^問題 {2}録画の保存先: .*svc\.db はフォルダーではありません$/),
      expect.stringMatching(/^OK .*more（最初の起動時に作成します、空き .* GB、うち 0\.0 GB を確保）$/),
      expect.stringMatching(
        /^OK .*last（.*確保する空き容量 9000000\.0 GB に達したため、ほかの保存先に録画します/,
      ),
      expect.stringMatching(/^問題 {2}録画の保存先: .*away が応答しません。/),
    ]);
  });

  test('check reports the state of the system clock', async () => {
    const tools = folder();
    const says = async (text: string): Promise<string | undefined> => {
      writeFileSync(join(tools, 'timedatectl'), `#!/bin/sh\necho ${text}\n`, { mode: 0o755 });
      const { stdout } = await run(['check'], { DATA_DIR: folder(), PATH: tools });
      return stdout.split('\n').find((line) => line.includes('  時計: '));
    };
    expect(await says('yes')).toMatch(
      /^OK {4}時計: 日本時間 \d{4}-\d\d-\d\d \d\d:\d\d:\d\d、同期しています$/,
    );
    expect(await says('no')).toMatch(/^注意 .*同期していません。.*録画は放送の時刻に従います/);
    expect(await says('what')).toMatch(/^注意 .*同期しているか分かりません。/);
  });

  test('check names a FFMPEG_PATH that is wrong', async () => {
    const ffmpegLine = async (path: string): Promise<string | undefined> => {
      const { stdout } = await run(['check'], { DATA_DIR: folder(), FFMPEG_PATH: path });
      return stdout.split('\n').find((line) => line.includes('  ffmpeg: '));
    };
    expect(await ffmpegLine('/nonexistent/ffmpeg')).toMatch(
      /^問題 .*FFMPEG_PATH \/nonexistent\/ffmpeg というファイルはありません/,
    );
    expect(await ffmpegLine('/usr/bin')).toMatch(/^問題 .*FFMPEG_PATH \/usr\/bin はフォルダーです/);
    expect(await ffmpegLine('/bin/false')).toMatch(/^問題 .*ffmpeg として実行できません/);
  });

  test('check prints the line of the unit that a recording disk outside of the data folder needs', async () => {
    const tools = folder();
    const disk = folder();
    const recordings = async (writable: string): Promise<string | undefined> => {
      const answer = `LoadState=loaded\\nProtectSystem=strict\\nReadWritePaths=${writable}`;
      writeFileSync(join(tools, 'systemctl'), `#!/bin/sh\nprintf '${answer}\\n'\n`, { mode: 0o755 });
      const environment = { DATA_DIR: folder(), RECORDINGS_DIR: disk, PATH: tools };
      const { stdout } = await run(['check'], environment);
      return stdout.split('\n').find((line) => line.includes('  録画の保存先: '));
    };
    expect(await recordings('')).toMatch(/^問題 .*systemctl edit svc.*ReadWritePaths=/);
    expect(await recordings(`/elsewhere -${disk}`)).toMatch(/^OK /);
  });

  test('check counts the tuners by the types they receive', async () => {
    const agent = new StandInAgent();
    agent.start();
    const checked = async (): Promise<string | undefined> => {
      const { stdout } = await run(['check'], {
        DATA_DIR: folder(),
        TUNER_AGENT_URL: agent.url,
        PATH: '/nonexistent',
      });
      return stdout.split('\n').find((line) => line.includes('  svc-agent: '));
    };
    expect(await checked()).toMatch(/^注意 .*使えるチューナーがありません、チャンネル 2 件$/);
    agent.channels = [];
    agent.tuners = [
      tuner('a', 0, ['GR']),
      tuner('b', 1, ['GR', 'BS', 'CS'], { state: 'error' }),
      tuner('c', 2, ['BS'], { disabled: true }),
    ];
    expect(await checked()).toMatch(
      /チューナー 2 台（地上波 2、BS 1、CS 1、うちエラー 1）、まだ局がありません。/,
    );
    await agent.stop();
  });

  test('a start reports a folder that cannot be written, and continues', async () => {
    const data = folder();
    writeFileSync(join(data, 'file'), '');
    const { child } = await logging(/recordings cannot be written .*file/, {
      DATA_DIR: data,
      RECORDINGS_DIR: join(data, 'file', 'x'),
    });
    child.kill();
    expect(await child.exited).toBe(0);
  });

  test('check reports a bad configuration in one line, too', async () => {
    const { stdout, code } = await run(['check'], { PORT: 'x', TRUSTED_NETWORKS: 'home' });
    expect(stdout).toMatch(/^問題 {2}設定: .*PORT.*TRUSTED_NETWORKS.*\n$/);
    expect(code).toBe(1);
  });

  test('check finds a broken database and an invalid folder', async () => {
    const data = folder();
    writeFileSync(join(data, 'svc.db'), 'no database '.repeat(500));
    const { stdout } = await run(['check'], {
      DATA_DIR: data,
      RECORDINGS_DIR: join(data, 'svc.db', 'x'),
      PATH: '/nonexistent',
    });
    expect(stdout).toMatch(/問題 {2}データベース: .*データベースが壊れています/);
    expect(stdout).toMatch(/問題 {2}録画の保存先/);
  });
});

describe('the process', () => {
  test('a port in use is reported clearly', async () => {
    const other = Bun.serve({ port: 0, fetch: () => new Response() });
    const { stderr, code } = await run([], { PORT: String(other.port), DATA_DIR: folder() });
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${other.port} is in use`);
    await other.stop(true);
  });

  test('a second service does not share the port of the first', async () => {
    const first = await listening({ DATA_DIR: folder() });
    const second = await run([], { PORT: String(first.port), DATA_DIR: folder() });
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('is in use')]);
    first.child.kill();
    await first.child.exited;
  });

  test('an address that does not belong to this machine is reported clearly', async () => {
    for (const host of ['192.0.2.1', '999.1.1.1', 'no-such-host.invalid', 'fe80::1']) {
      const { code, stderr } = await run([], { PORT: '0', HOST: host, DATA_DIR: folder() });
      expect([code, stderr]).toEqual([1, expect.stringContaining(`HOST ${host}`)]);
    }
  });

  test('an unusable data folder is reported clearly', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    const { stderr, code } = await run([], { PORT: '0', DATA_DIR: join(file, 'data') });
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot start')]);
    expect(stderr).not.toContain('    at ');
  });

  test('a database that is damaged inside is named', async () => {
    const path = join(folder(), 'svc.db');
    openDatabase(path).close();
    const bytes = readFileSync(path);
    // Damages every page but that of the schema.
    writeFileSync(path, bytes.fill(0x55, 4096));
    const { stderr, code } = await run([], { PORT: '0', DATA_DIR: dirname(path) });
    expect([code, stderr]).toEqual([1, expect.stringContaining(path)]);
    expect(stderr).toContain('restore a backup');
  });

  test('nothing starts with rules that cannot be read, or without the file that a log belongs to', async () => {
    const path = join(folder(), 'svc.db');
    const database = openDatabase(path);
    const root = database
      .query<{ page: number }, []>(`SELECT rootpage AS page FROM sqlite_schema WHERE name = 'rules'`)
      .get()?.page;
    database.close();
    const bytes = readFileSync(path);
    const from = ((root ?? 0) - 1) * 4096;
    writeFileSync(path, bytes.fill(0x55, from, from + 4096));
    const damaged = await run([], { PORT: '0', DATA_DIR: dirname(path) });
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining('svc recover')]);
    renameSync(path, `${path}-wal`);
    const orphaned = await run([], { PORT: '0', DATA_DIR: dirname(path) });
    expect([orphaned.code, orphaned.stderr]).toEqual([1, expect.stringContaining('put back svc.db')]);
    expect([existsSync(path), existsSync(`${path}-wal`)]).toEqual([false, true]);
  });

  test('a database of a newer version is refused', async () => {
    const data = folder();
    const database = new Database(join(data, 'svc.db'));
    database.run('PRAGMA user_version = 9999');
    database.close();
    const { stderr, code } = await run([], { PORT: '0', DATA_DIR: data });
    expect([code, stderr]).toEqual([1, expect.stringContaining('newer version')]);
  });

  test('SIGTERM and SIGINT end it with 0, with open streams or without', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const { child, url } = await listening({ DATA_DIR: folder(), TRUSTED_NETWORKS: '127.0.0.1' });
      const events = await fetch(`${url}/api/events`);
      const text = events.text();
      child.kill(signal);
      expect(await child.exited).toBe(0);
      expect(await text).toStartWith(': open');
    }
  });

  test('a signal during the start ends it with 0 too', async () => {
    const { child } = await listening({ DATA_DIR: folder() });
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });

  test('without any configuration health answers and everything else is refused', async () => {
    const { child, url } = await listening({ DATA_DIR: folder() });
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    expect((await fetch(`${url}/`)).status).toBe(403);
    child.kill();
    await child.exited;
  });

  test.skipIf(Bun.which('openssl') === null)('serves https itself, under every configured name', async () => {
    const data = folder();
    const [cert, key] = [join(data, 'cert.pem'), join(data, 'key.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '2', '-keyout', key, '-out', cert];
    const made = Bun.spawn(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    expect(await made.exited).toBe(0);
    const environment = {
      DATA_DIR: data,
      TRUSTED_NETWORKS: '127.0.0.1',
      TLS_CERT: cert,
      TLS_KEY: key,
      ALLOWED_HOSTS: 'tv,.example.org',
    };
    const { child, port } = await listening(environment);
    for (const host of ['localhost', 'tv', 'a.example.org']) {
      const response = await fetch(`https://127.0.0.1:${port}/api/services`, {
        headers: { host },
        tls: { rejectUnauthorized: false },
      });
      expect([host, response.status, await response.text()]).toEqual([host, 200, '[]']);
    }
    child.kill();
    await child.exited;
    const swapped = await run([], { ...environment, PORT: '0', TLS_CERT: key });
    expect([swapped.code, swapped.stderr]).toEqual([1, expect.stringContaining('TLS_CERT')]);
  });
});
