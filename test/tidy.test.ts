/**
 * The rules of the code base as a test: allowed imports (the table of docs/architecture.md as data), no cycles with type
 * imports counted, banned calls with their replacement, no dead files, no leftovers.
 */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { unusedExports } from './unused-exports.ts';

const ROOT = join(import.meta.dir, '..');

/** Folder → what it may import from. An entry is a folder or one file. `*` is everything. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'lib/arib': ['lib/arib'],
  // Values of the broadcast that cross a process boundary as they are.
  'lib/wire': [
    'lib/wire',
    ...['lib/arib/ids.ts', 'lib/arib/time.ts', 'lib/arib/ts/clock.ts'],
    'lib/arib/application/application.ts',
  ],
  // The container of everything encoded, for the service and the browser.
  'lib/mp4': ['lib/mp4', 'lib/arib/join-bytes.ts', 'lib/arib/time.ts', 'lib/arib/ts/time-scale.ts'],
  'lib/wasm': ['lib/wasm'],
  'lib/host': ['lib/host', 'lib/wire/times.ts', 'package.json'],
  agent: ['agent', 'lib/host', 'lib/arib', 'lib/wire', 'lib/wasm'],
  src: ['src', 'lib/host', 'lib/arib', 'lib/wire', 'lib/mp4', 'lib/wasm'],
  web: ['web', 'lib/wire', 'lib/arib', 'lib/mp4', 'lib/wasm'],
  synth: ['synth', 'lib/arib/ids.ts', 'lib/arib/time.ts'],
  tools: ['tools', 'build.ts'],
  test: ['*'],
};

/**
 * Layers inside `src`: a room may import itself and the rooms listed here for its own layer. A room is a folder, or a part of
 * one with a row of its own: what features use of `http` and `notify` are parts that do not depend on the rest.
 */
const FEATURES = [
  'station',
  'guide',
  'schedule',
  'booking',
  'record',
  'encode',
  'play',
  'commercial',
  'compat',
  'live',
  'access',
  'notify',
  'http/bml',
] as const;
const BELOW_FEATURES = [
  'http/route',
  'media/job',
  'settings',
  'store',
  'reception',
  'media',
  'ffmpeg',
  'notify/hub.ts',
  'tuner',
] as const;
const SRC_MAY_IMPORT: Record<string, readonly string[]> = {
  model: [],
  store: ['model'],
  // Features add their routes through it and do not depend on the server.
  'http/route': ['model'],
  settings: ['model', 'store', 'notify/hub.ts', 'http/route'],
  // A station's worker feeds its encoders itself: stream bytes do not cross the main thread.
  reception: ['model', 'ffmpeg', 'tuner'],
  media: ['model', 'reception', 'ffmpeg', 'tuner'],
  ffmpeg: ['model'],
  'notify/hub.ts': ['model'],
  'media/job': ['model', 'notify/hub.ts', 'store', 'media', 'ffmpeg', 'settings'],
  tuner: ['model', 'http/route'],
  http: ['model', 'access', 'http/route', 'store'],
  ...Object.fromEntries(FEATURES.map((name) => [name, ['model', ...BELOW_FEATURES]])),
  // The plan is computed from values only.
  schedule: ['model'],
  booking: ['model', 'schedule', ...BELOW_FEATURES],
};

/** The room of a file of `src`; undefined for files directly in it, the composition root and the worker entries. */
function roomOf(file: string): string | undefined {
  const path = file.slice('src/'.length);
  const parts = Object.keys(SRC_MAY_IMPORT).filter((room) => path === room || path.startsWith(`${room}/`));
  const [folder, ...rest] = path.split('/');
  return parts.sort((one, other) => other.length - one.length)[0] ?? (rest.length === 0 ? undefined : folder);
}

/**
 * Layers inside `web`: features → player, words, query → ui, navigation → device. A folder may import its own files and those
 * listed; a feature imports `WEB_SHARED`, and others where they are listed. Files directly in `web/` are the page around
 * the screens.
 */
const WEB_SHARED = ['words', 'query', 'ui', 'navigation', 'device'] as const;
const WEB_BELOW_FEATURES: Record<string, readonly string[]> = {
  device: [],
  navigation: [],
  ui: ['navigation', 'device'],
  query: ['device'],
  words: ['query', 'ui', 'navigation', 'device'],
  bml: [],
  hybrid: ['bml'],
};
const WEB_FEATURES: Record<string, readonly string[]> = {
  data: ['bml', 'caption', 'hybrid', 'player', 'reservations'],
  guide: ['reservations'],
  home: ['notices', 'recordings', 'reservations'],
  live: ['bml', 'caption', 'data', 'player', 'raw', 'reservations'],
  notices: ['reminders'],
  offline: ['player'],
  program: ['reminders', 'reservations', 'rules'],
  raw: ['player'],
  recordings: ['offline', 'reservations'],
  rules: ['reservations'],
  search: ['reservations', 'rules'],
  settings: ['notices', 'tuners'],
  watch: ['caption', 'data', 'offline', 'player', 'recordings'],
};
const webMayImport = (folder: string): readonly string[] =>
  WEB_BELOW_FEATURES[folder] ?? [...WEB_SHARED, ...(WEB_FEATURES[folder] ?? [])];

/** Packages that a pure folder may use; folders not listed may use those of package.json. */
const PACKAGES: Record<string, readonly string[]> = {
  'lib/arib': [],
  // `rewrap.ts` alone, which the service and the player of saved recordings load.
  'lib/mp4': ['mediabunny'],
  'lib/wire': ['@sinclair/typebox'],
  synth: [],
  web: ['preact', '@preact/signals', 'mediabunny'],
};

interface Ban {
  pattern: RegExp;
  folders: readonly string[];
  instead: string;
  except?: readonly string[];
}

const PRODUCT = ['lib/arib', 'lib/wire', 'lib/mp4', 'lib/host', 'agent', 'src', 'web', 'synth', 'lib/wasm'];
const BANNED: readonly Ban[] = [
  {
    pattern: /\bDate\.now\(|new Date\(\)|performance\.now\(/,
    folders: ['lib/arib', 'lib/wire', 'lib/mp4'],
    instead: 'a time passed in',
  },
  {
    pattern: /\bMath\.random\(/,
    folders: ['lib/arib', 'lib/wire', 'lib/mp4', 'synth', 'agent', 'src'],
    instead: 'randomness passed in, or crypto',
  },
  {
    pattern: /\bsetTimeout\(|\bsetInterval\(/,
    folders: ['lib/arib', 'lib/wire', 'lib/mp4'],
    instead: 'nothing: pure folders do not wait',
  },
  {
    pattern: /\bconsole\.\w+\(/,
    folders: ['lib/arib', 'lib/wire', 'lib/mp4', 'lib/host', 'agent', 'src'],
    instead: 'lib/host/log.ts, or a write passed in',
  },
  { pattern: /\beval\(|new Function\(/, folders: PRODUCT, instead: 'plain code' },
  {
    pattern: /\bas any\b|: any\b|<any>/,
    folders: [...PRODUCT, 'test', 'tools'],
    instead: 'unknown and a check',
    except: ['test/tidy.test.ts'],
  },
  {
    pattern: /@ts-(ignore|expect-error|nocheck)/,
    folders: [...PRODUCT, 'test', 'tools'],
    instead: 'the right type',
    except: ['test/tidy.test.ts'],
  },
  {
    pattern: /\b(TODO|FIXME|XXX)\b/,
    folders: [...PRODUCT, 'test', 'tools'],
    instead: 'the work itself',
    except: ['test/tidy.test.ts'],
  },
  {
    pattern: /\b(test|it|describe)\.(only|todo)\(/,
    folders: [...PRODUCT, 'test'],
    instead: 'the whole suite',
    except: ['test/tidy.test.ts'],
  },
  { pattern: /\bdangerouslySetInnerHTML\b|\.innerHTML\s*=/, folders: ['web'], instead: 'elements' },
  {
    pattern: /https?:\/\/(registry\.|deb\.debian|[\w.]*npmjs)/,
    folders: [...PRODUCT, 'test', 'tools'],
    instead: 'the configured registry',
    except: ['test/tidy.test.ts'],
  },
];

/** A larger file should be split. Exempt are tables, and a migration history that only grows. */
const MAX_LINES = 500;
const TABLES: readonly RegExp[] = [
  /^lib\/arib\/text\/.*(table|symbols|jis).*\.ts$/,
  /^src\/store\/schema(-by-steps)?\.ts$/,
  /^test\/faults\/fault-rows\.ts$/,
  /\.test\.ts$/,
];

function sources(): string[] {
  // A machine that only runs the tests may have no git.
  const listed =
    Bun.which('git') === null
      ? undefined
      : Bun.spawnSync(['git', 'ls-files', '-co', '--exclude-standard'], { cwd: ROOT });
  const files = (listed?.stdout.toString() ?? '').split('\n').filter((file) => /\.(ts|tsx|mjs)$/.test(file));
  if (listed?.exitCode === 0 && files.length > 0)
    return files.filter((file) => Bun.file(join(ROOT, file)).size > 0);
  const glob = new Bun.Glob('{lib,agent,src,web,synth,test,tools}/**/*.{ts,tsx,mjs}');
  return [...glob.scanSync({ cwd: ROOT })];
}

const FILES = sources().sort();
const TEXT = new Map(FILES.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
/** The top folder, or below `lib` the one there. */
const folderOf = (file: string): string => /^(?:lib\/)?[^/]+/.exec(file)?.[0] ?? '';
const isTest = (file: string): boolean => file.endsWith('.test.ts') || file.endsWith('.test.tsx');

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|^\s*import\s+|new URL\(\s*)['"]([^'"]+)['"]/gm;

function importsOf(file: string): string[] {
  const text = (TEXT.get(file) ?? '').replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? '');
}

function local(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier));
}

function within(target: string, allowed: readonly string[]): boolean {
  return allowed.some((one) => one === '*' || target === one || target.startsWith(`${one}/`));
}

const EDGES = FILES.flatMap((file) =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ from: file, to: local(file, specifier) })),
);

/** Imports between folders of `web`; a file directly in `web/` belongs to no folder. */
const WEB_EDGES = EDGES.flatMap(({ from, to }) => {
  if (isTest(from) || !from.startsWith('web/') || !to.startsWith('web/')) return [];
  const [fromParts, toParts] = [from.split('/'), to.split('/')];
  if (fromParts.length < 3) return [];
  const [fromFolder = '', toFolder = ''] = [fromParts[1], toParts.length < 3 ? '(web)' : toParts[1]];
  return fromFolder === toFolder ? [] : [{ from: fromFolder, to: toFolder, text: `${from} → ${to}` }];
});

/** Every cycle of a directed graph that a depth-first walk meets, as `a → b → a`. */
function cyclesOf(next: ReadonlyMap<string, Iterable<string>>): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    if (state.get(node) === 'done') return;
    if (state.get(node) === 'open') {
      cycles.push([...path.slice(path.indexOf(node)), node].join(' → '));
      return;
    }
    state.set(node, 'open');
    for (const to of next.get(node) ?? []) visit(to, [...path, node]);
    state.set(node, 'done');
  };
  for (const node of next.keys()) visit(node, []);
  return cycles;
}

describe('import directions', () => {
  test('every import between folders is in the table', () => {
    const wrong = EDGES.filter(({ from }) => !isTest(from) && Object.hasOwn(MAY_IMPORT, folderOf(from)))
      .filter(({ from, to }) => !within(to, MAY_IMPORT[folderOf(from)] ?? []))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(wrong).toEqual([]);
  });

  test('the room of a file of src is the smallest that has a row', () => {
    const rooms = ['src/http/route/page.ts', 'src/http/server.ts', 'src/notify/hub.ts', 'src/notify/push.ts'];
    expect(rooms.map(roomOf)).toEqual(['http/route', 'http', 'notify/hub.ts', 'notify']);
    expect(['src/main.ts', 'src/new-folder/x.ts'].map(roomOf)).toEqual([undefined, 'new-folder']);
    const parts = Object.keys(SRC_MAY_IMPORT).filter((room) => !FILES.some((file) => roomOf(file) === room));
    expect(parts).toEqual([]);
  });

  test('src has at most 20 folders', () => {
    const folders = new Set(
      FILES.filter((file) => /^src\/[^/]+\//.test(file)).map((file) => file.split('/')[1]),
    );
    expect(folders.size).toBeLessThanOrEqual(20);
  });

  test('inside src, features meet through model and hub only', () => {
    const wrong = EDGES.filter(({ from, to }) => {
      if (isTest(from) || !from.startsWith('src/') || !to.startsWith('src/')) return false;
      const [fromRoom, toRoom] = [roomOf(from), roomOf(to)];
      if (fromRoom === undefined) return false;
      if (toRoom === undefined) return true;
      return fromRoom !== toRoom && !(SRC_MAY_IMPORT[fromRoom] ?? []).includes(toRoom);
    }).map(({ from, to }) => `${from} → ${to}`);
    expect(wrong).toEqual([]);
  });

  test('inside web, a folder imports only from the layers below it', () => {
    const wrong = WEB_EDGES.filter(({ from, to }) => !webMayImport(from).includes(to));
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });

  test('the folders of web form no cycle', () => {
    const next = new Map<string, Set<string>>();
    for (const { from, to } of WEB_EDGES) next.set(from, (next.get(from) ?? new Set()).add(to));
    expect(cyclesOf(next)).toEqual([]);
  });

  test('pure folders use no package and no runtime', () => {
    const wrong = FILES.filter((file) => !isTest(file) && Object.hasOwn(PACKAGES, folderOf(file))).flatMap(
      (file) =>
        importsOf(file)
          .filter((specifier) => !specifier.startsWith('.'))
          .filter((specifier) => !(folderOf(file) === 'synth' && /^(node|bun):/.test(specifier)))
          .filter((specifier) => {
            const allowed = PACKAGES[folderOf(file)] ?? [];
            return !allowed.some((name) => specifier === name || specifier.startsWith(`${name}/`));
          })
          .map((specifier) => `${file} → ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  test('arib and mp4 know neither Bun nor the DOM', () => {
    const wrong = FILES.filter(
      (file) => ['lib/arib', 'lib/mp4'].includes(folderOf(file)) && !isTest(file),
    ).filter((file) =>
      /\b(Bun|process|Buffer|document|window|fetch|TextDecoder)\s*[.(]/.test(TEXT.get(file) ?? ''),
    );
    expect(wrong).toEqual([]);
  });
});

test('the scripts of the browser contain no validators', async () => {
  const built = await Bun.build({
    entrypoints: ['main.tsx', 'raw/decoder.worker.ts'].map((file) => join(ROOT, 'web', file)),
    target: 'browser',
    minify: true,
    metafile: true,
  });
  const modules = Object.values(built.metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs));
  expect(modules.some((module) => module.endsWith('web/main.tsx'))).toBe(true);
  expect(modules.filter((module) => module.includes('@sinclair'))).toEqual([]);
  // Loaded with the first saved recording that is played (`saved.mjs`).
  expect(modules.filter((module) => module.includes('mediabunny'))).toEqual([]);
});

test('workers load neither validators nor migrations', async () => {
  const workers = FILES.filter((file) => /^src\/\w+\.worker\.ts$/.test(file));
  expect(workers.length).toBeGreaterThan(4);
  const built = await Bun.build({
    entrypoints: workers.map((file) => join(ROOT, file)),
    target: 'bun',
    minify: true,
    metafile: true,
  });
  const modules = Object.values(built.metafile?.outputs ?? {}).flatMap(({ inputs }) => Object.keys(inputs));
  expect(modules.some((module) => module.endsWith('src/store/connection.ts'))).toBe(true);
  expect(modules.filter((module) => /@sinclair|store\/(?:schema|migrations)/.test(module))).toEqual([]);
});

test('no import cycles, type imports counted', () => {
  const next = new Map<string, string[]>();
  for (const { from, to } of EDGES) next.set(from, [...(next.get(from) ?? []), to]);
  expect(cyclesOf(next)).toEqual([]);
});

test('every child process gets an environment without secrets', () => {
  const spawning = FILES.filter(
    (file) => ['src', 'agent', 'lib/host'].includes(folderOf(file)) && !isTest(file),
  ).filter((file) => /\bspawn(?:Sync)?\(/.test(TEXT.get(file) ?? ''));
  expect(spawning.length).toBeGreaterThan(3);
  expect(spawning.filter((file) => !(TEXT.get(file) ?? '').includes('childEnvironment('))).toEqual([]);
});

test('banned calls have their replacement', () => {
  const found = BANNED.flatMap((ban) =>
    FILES.filter((file) => ban.folders.includes(folderOf(file)) && !(ban.except ?? []).includes(file))
      .filter((file) => folderOf(file) === 'test' || ban.folders.includes('test') || !isTest(file))
      .flatMap((file) =>
        (TEXT.get(file) ?? '')
          .split('\n')
          .map((line, index) => ({ line, index }))
          .filter(({ line }) => ban.pattern.test(line))
          .map(({ line, index }) => `${file}:${index + 1} ${line.trim()} (instead: ${ban.instead})`),
      ),
  );
  expect(found).toEqual([]);
});

test('every file is reached from an entry', () => {
  const page = readFileSync(join(ROOT, 'web', 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/<script[^>]*\bsrc="([^"]+)"/g)].map((match) =>
    local('web/index.html', match[1] ?? ''),
  );
  const entries = FILES.filter(
    (file) =>
      isTest(file) ||
      scripts.includes(file) ||
      /^(tools|test\/bench)\//.test(file) ||
      // bunfig.toml names the preloaded file.
      /^(build\.ts|(src|agent|synth|synth\/web)\/main\.ts|web\/(main\.tsx|sw\.ts|hybrid\/frame\/frame\.ts)|test\/preload\.ts)$/.test(
        file,
      ) ||
      /\.worker\.ts$/.test(file) ||
      // Compiled by tools/wasm.ts; ambient types.
      /^lib\/wasm\/(\w+\/\w+\.as|wasm\.d)\.ts$/.test(file),
  );
  const next = new Map<string, string[]>();
  for (const { from, to } of EDGES) next.set(from, [...(next.get(from) ?? []), to]);
  const reached = new Set<string>();
  const queue = [...entries];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    queue.push(...(next.get(file) ?? []));
  }
  // Programs that tests start as processes are reached by their name in a string.
  const named = FILES.filter((file) => folderOf(file) === 'test' && !reached.has(file)).filter((file) => {
    const name = file.split('/').at(-1) ?? '';
    return [...TEXT].some(([other, text]) => other !== file && text.includes(name));
  });
  const dead = FILES.filter((file) => !reached.has(file) && !named.includes(file));
  expect(dead).toEqual([]);
});

test('unused exports are found by what other files import', () => {
  const sources = new Map([
    ['a/x.ts', 'export const used = 1;\nexport function unused() {}\nexport type { T };\ntype T = 1;\n'],
    ['a/whole.ts', 'export const one = 1;\n'],
    ['b/y.ts', "import { used as mine } from '../a/x.ts';\nimport * as all from '../a/whole.ts';\n"],
  ]);
  expect(unusedExports(sources).map(({ name }) => name)).toEqual(['unused', 'T']);
});

test('what is exported is used by another file', () => {
  const unused = unusedExports(TEXT).map(({ file, name }) => `${file}: ${name}`);
  expect(unused).toEqual([]);
});

test('no file exceeds its line limit', () => {
  const big = FILES.filter((file) => !TABLES.some((table) => table.test(file)))
    .map((file) => ({ file, lines: (TEXT.get(file) ?? '').split('\n').length }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ file, lines }) => `${file}: ${lines} lines`);
  expect(big).toEqual([]);
});

/**
 * Names that are declared in several files. The broadcast's caption page and its schema in `lib/wire`, which parsers may not
 * import; the texts of each folder of `web`.
 */
const DECLARED_TWICE: readonly string[] = ['CaptionPage', 'CaptionRun', 'DrcsImage'];

/** Exported names with more than one declaration in these folders. */
function declaredTwice(folders: RegExp): string[] {
  const places = new Map<string, Set<string>>();
  const declared =
    /^export (?:abstract )?(?:async )?(?:const|class|function\*?|interface|type) ([A-Za-z_$][\w$]*)/gm;
  for (const file of FILES.filter((one) => !isTest(one) && folders.test(one))) {
    if (file.endsWith('.as.ts')) continue;
    for (const [, name = ''] of (TEXT.get(file) ?? '').matchAll(declared)) {
      places.set(name, (places.get(name) ?? new Set()).add(file));
    }
  }
  const repeated = [...places].filter(([, files]) => files.size > 1).map(([name]) => name);
  return repeated.sort();
}

test('an exported name is declared in one file', () => {
  expect(declaredTwice(/^(?:agent|lib|src)\//)).toEqual([...DECLARED_TWICE]);
  expect(declaredTwice(/^web\//)).toEqual(['TEXTS']);
});

test('src/model passes no names on', () => {
  const model = FILES.filter((file) => file.startsWith('src/model/'));
  expect(model.filter((file) => /^export (?:type )?[{*]/m.test(TEXT.get(file) ?? ''))).toEqual([]);
});

/** Files that may contain user-visible sentences: one per screen, words for values, and tables. */
const WORDING: readonly RegExp[] = [
  /\/texts\.ts$/,
  /^web\/words\//,
  /\/(\w+-)?words\.ts$/,
  /^web\/settings\/table\.ts$/,
  /^web\/(?:live\/live|watch\/watch)-advice\.ts$/,
  // Responses of the service, and missing ones.
  /^web\/query\/(api|rule-names)\.ts$/,
  // Parsed, not shown: times as users type them, names of stations and fonts.
  /^web\/(rules\/time-text|ui\/monogram|bml\/style\/properties|hybrid\/frame\/receiver-font)\.ts$/,
];

/** Types of parameters: the same signature is no shared list. */
const SIGNATURE = /^(?:boolean|number|string)(?:,(?:boolean|number|string))*$/;

test('a list of three or more values is written once', () => {
  const places = new Map<string, Set<string>>();
  for (const file of FILES.filter((one) => !isTest(one) && /^(?:agent|lib|src|web)\//.test(one))) {
    for (const [list] of (TEXT.get(file) ?? '').matchAll(/\[\s*(?:'[^'\n]*',\s*){2,}'[^'\n]*',?\s*\]/g)) {
      const values = [...list.matchAll(/'([^'\n]*)'/g)].map(([, value]) => value);
      const key = values.toSorted().join(',');
      if (!SIGNATURE.test(key)) places.set(key, (places.get(key) ?? new Set()).add(file));
    }
  }
  expect(places.size).toBeGreaterThan(50);
  const repeated = [...places].filter(([, files]) => files.size > 1);
  expect(repeated.map(([list, files]) => `${list}: ${[...files].join(', ')}`)).toEqual([]);
});

test('user-visible sentences are defined in one place each', () => {
  // Marks that join names, such as 、 and ・, are not counted.
  const wording = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;
  const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*|\{\/\*)/.test(line);
  const found = FILES.filter((file) => folderOf(file) === 'web' && !isTest(file))
    .filter((file) => file.endsWith('.tsx') || !WORDING.some((place) => place.test(file)))
    .flatMap((file) =>
      (TEXT.get(file) ?? '')
        .split('\n')
        .filter((line) => wording.test(line) && !isComment(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(found).toEqual([]);
});

test('every folder with a tsconfig.json is built from the top', () => {
  const { references } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
    references: { path: string }[];
  };
  const found = ['*/tsconfig.json', '*/*/tsconfig.json']
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })])
    .map((file) => dirname(file))
    .filter((folder) => !folder.startsWith('node_modules'));
  expect(references.map(({ path }) => path).sort()).toEqual(found.sort());
});

test('the lock file names no registry host', () => {
  expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved"/);
});
