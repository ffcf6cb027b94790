#!/usr/bin/env node
// Entry point of all tasks: `node tools/run.mjs demo|dev|test|build|bench|pictures|check|format [arguments]`.
// Runs on Node alone, before anything is installed: fetches the packages and Bun from the npm registry and the
// programs that a task needs from Debian, then hands over to the task, which is TypeScript on Bun.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MODULES = join(ROOT, 'node_modules');
const STAMP = join(MODULES, '.installed-from');
const BUN = join(MODULES, 'bun', 'bin', 'bun.exe');

/** Programs of each task: name, Debian package, and the environment variable that overrides the program. */
const FFMPEG = { program: 'ffmpeg', package: 'ffmpeg', variable: 'FFMPEG_PATH' };
const FFPROBE = { program: 'ffprobe', package: 'ffmpeg', variable: 'FFPROBE_PATH' };
const CHROMIUM = { program: 'chromium', package: 'chromium', variable: 'CHROMIUM_PATH' };
// The browser for tests of the screens: the same Chromium without a window, at two thirds of the processor
// time.
const HEADLESS = {
  program: 'chromium-headless-shell',
  package: 'chromium-headless-shell',
  variable: 'CHROMIUM_PATH',
};
// The card daemon and its virtual reader.
const PCSCD = { file: '/usr/sbin/pcscd', program: 'pcscd', package: 'pcscd', variable: 'PCSCD_PATH' };
const VPCD = {
  file: '/usr/lib/pcsc/drivers/serial/libifdvpcd.so',
  program: 'vpcd',
  package: 'vsmartcard-vpcd',
  variable: 'VPCD_PATH',
};
// Network namespaces: machines of a home that share a card.
const IP = { file: '/usr/sbin/ip', program: 'ip', package: 'iproute2', variable: 'IP_PATH' };
// A front proxy with https and a path, and its certificate.
const NGINX = { file: '/usr/sbin/nginx', program: 'nginx', package: 'nginx-light', variable: 'NGINX_PATH' };
const OPENSSL = { program: 'openssl', package: 'openssl', variable: 'OPENSSL_PATH' };
// Rates the exposure of the systemd units; systemd need not be the init system.
const ANALYZE = { program: 'systemd-analyze', package: 'systemd', variable: 'SYSTEMD_ANALYZE_PATH' };
// Programs that check the documents for television software.
const XMLTV = { program: 'tv_validate_file', package: 'xmltv-util', variable: 'TV_VALIDATE_PATH' };
const HDHR = { program: 'hdhomerun_config', package: 'hdhomerun-config', variable: 'HDHOMERUN_CONFIG_PATH' };
// The broker of Home Assistant, and its client.
const MQTT = {
  file: '/usr/sbin/mosquitto',
  program: 'mosquitto',
  package: 'mosquitto',
  variable: 'MOSQUITTO_PATH',
};
const MQTT_SUB = { program: 'mosquitto_sub', package: 'mosquitto-clients', variable: 'MOSQUITTO_SUB_PATH' };
// An independent implementation of MULTI2, which `multi2` measures beside ours.
const TOMCRYPT = {
  file: `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/libtomcrypt.so.1`,
  program: 'libtomcrypt',
  package: 'libtomcrypt1',
  variable: 'TOMCRYPT_PATH',
};
// Players of other projects, on a virtual screen; only for `--long`.
const KODI_ADDONS = '/usr/share/kodi/addons';
const kodiAddon = (id, name) => ({
  file: `${KODI_ADDONS}/${id}/addon.xml`,
  program: id,
  package: name,
  variable: 'KODI_ADDONS_PATH',
});
const PLAYERS = [
  { program: 'mpv', package: 'mpv', variable: 'MPV_PATH' },
  { program: 'cvlc', package: 'vlc-bin', variable: 'VLC_PATH' },
  {
    file: '/usr/lib/x86_64-linux-gnu/vlc/plugins/codec/libavcodec_plugin.so',
    program: 'vlc-plugin-base',
    package: 'vlc-plugin-base',
    variable: 'VLC_PLUGIN_PATH',
  },
  { program: 'xvfb-run', package: 'xvfb', variable: 'XVFB_PATH' },
  { program: 'kodi', package: 'kodi', variable: 'KODI_PATH' },
  kodiAddon('pvr.iptvsimple', 'kodi-pvr-iptvsimple'),
  kodiAddon('inputstream.ffmpegdirect', 'kodi-inputstream-ffmpegdirect'),
  kodiAddon('inputstream.adaptive', 'kodi-inputstream-adaptive'),
  kodiAddon('inputstream.rtmp', 'kodi-inputstream-rtmp'),
];
const TASKS = {
  demo: { file: 'tools/demo.ts', programs: [FFMPEG] },
  dev: { file: 'tools/demo.ts', args: ['--watch'], programs: [FFMPEG] },
  test: {
    file: 'tools/test.ts',
    programs: [
      ...[FFMPEG, FFPROBE, CHROMIUM, HEADLESS, PCSCD, VPCD, IP, NGINX, OPENSSL, ANALYZE, XMLTV, HDHR],
      ...[MQTT, MQTT_SUB],
    ],
    long: PLAYERS,
  },
  build: { file: 'build.ts', programs: [] },
  bench: { file: 'tools/bench.ts', programs: [FFMPEG, CHROMIUM, TOMCRYPT] },
  pictures: { file: 'test/e2e/pictures.ts', programs: [FFMPEG, CHROMIUM] },
  check: { file: 'tools/check.ts', programs: [] },
  format: { file: 'node_modules/@biomejs/biome/bin/biome', args: ['check', '--write'], programs: [] },
};

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(`\n${text}`);
  process.exit(1);
}

function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

function run(command, args, options = {}) {
  // Progress of the set-up goes to stderr: stdout belongs to the task.
  return spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2], ...options });
}

function bunWorks() {
  return existsSync(BUN) && spawnSync(BUN, ['--version'], { stdio: 'ignore' }).status === 0;
}

function installPackages() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  const have = existsSync(STAMP) ? readFileSync(STAMP, 'utf8').trim() : '';
  if (have !== wanted) {
    say('パッケージを取得しています (npm install) …');
    // Not `npm ci`: it fails if the registry lacks optional packages of the lock file for other systems.
    const result = run('npm', [
      'install',
      '--no-save',
      '--include=dev',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]);
    if (result.status !== 0)
      fail('npm install に失敗しました。ネットワークと npm の設定を確かめて、もう一度実行してください。');
  }
  if (!bunWorks()) {
    // npm may be configured not to run install scripts; this is the one that puts Bun in its place.
    run(process.execPath, [join(MODULES, 'bun', 'install.js')], { cwd: join(MODULES, 'bun') });
    if (!bunWorks()) fail(`Bun を起動できません: ${BUN}`);
  }
  if (have !== wanted) writeFileSync(STAMP, `${wanted}\n`);
}

function isMissing({ program, variable, file }) {
  if (file !== undefined && existsSync(file)) return false;
  const named = process.env[variable];
  return named ? !existsSync(named) : !onPath(program);
}

function installPrograms(programs) {
  const missing = programs.filter(isMissing);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((one) => one.package))];
  const names = missing.map((one) => one.program).join(', ');
  const manual =
    `${names} が見つかりません。次のコマンドでインストールしてから、もう一度実行してください:\n\n` +
    `    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}\n`;
  if (!onPath('apt-get'))
    fail(`${names} が見つかりません。お使いの OS のパッケージからインストールしてください。`);
  const root = process.getuid?.() === 0;
  const sudo = !root && onPath('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
  if (!root && !sudo) fail(manual);
  const [command, ...prefix] = root ? ['apt-get'] : ['sudo', '-n', 'apt-get'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  say(`${packages.join(', ')} をインストールしています (apt-get) …`);
  run(command, [...prefix, 'update', '-qq'], { env });
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  const result = run(command, [...prefix, ...install], { env, stdio: ['ignore', 'ignore', 2] });
  const still = programs.filter(isMissing);
  if (result.status !== 0 || still.length > 0) fail(manual);
}

const [name, ...rest] = process.argv.slice(2);
const task = Object.hasOwn(TASKS, name ?? '') ? TASKS[name] : undefined;
if (task === undefined) fail(`使い方: node tools/run.mjs ${Object.keys(TASKS).join('|')}`);

installPackages();
installPrograms([...task.programs, ...(rest.includes('--long') ? (task.long ?? []) : [])]);
if (run(BUN, [join(ROOT, 'tools', 'wasm.ts')]).status !== 0) fail('WebAssembly のコンパイルに失敗しました。');

const child = spawn(BUN, [join(ROOT, task.file), ...(task.args ?? []), ...rest], {
  cwd: ROOT,
  stdio: 'inherit',
});
// Ctrl-C reaches the whole process group: the task ends by itself, and this waits for it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
process.on('SIGHUP', () => child.kill('SIGTERM'));
child.on('error', (error) => fail(`Bun を起動できません: ${error.message}`));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
