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
  arib: ['arib'],
  wire: ['wire', 'arib/ids.ts', 'arib/time.ts'],
  // The container of everything encoded, for the service and the browser.
  mp4: ['mp4', 'arib/time.ts', 'arib/ts/time-scale.ts'],
  wasm: ['wasm'],
  host: ['host', 'wire/times.ts', 'package.json'],
  agent: ['agent', 'host', 'arib', 'wire', 'wasm'],
  src: ['src', 'host', 'arib', 'wire', 'mp4', 'wasm'],
  web: ['web', 'wire', 'arib', 'mp4', 'wasm'],
  synth: ['synth', 'arib/ids.ts', 'arib/time.ts'],
  tools: ['tools', 'build.ts'],
  test: ['*'],
  bench: ['*'],
};

/**
 * Layers inside `src`: a folder may import the folders listed here for its own layer, `model`, and loose
 * values.
 */
const FEATURES = [
  'station',
  'scan',
  'logo',
  'guide',
  'schedule',
  'booking',
  'record',
  'encode',
  'play',
  'commercial',
  'live',
  'access',
  'pairing',
  'notify',
] as const;
const BELOW_FEATURES = [
  'route',
  'settings',
  'store',
  'reception',
  'media',
  'ffmpeg',
  'hub',
  'tuner',
] as const;
const SRC_MAY_IMPORT: Record<string, readonly string[]> = {
  model: [],
  store: ['model'],
  // Features add their routes through it and do not depend on the server.
  route: ['model'],
  settings: ['model', 'store', 'hub', 'route'],
  // A station's worker feeds its encoders itself: stream bytes do not cross the main thread.
  reception: ['model', 'ffmpeg', 'tuner'],
  media: ['model', 'reception', 'ffmpeg', 'tuner'],
  ffmpeg: ['model'],
  hub: ['model'],
  tuner: ['model', 'route'],
  http: ['model', 'access', 'route', 'store'],
  ...Object.fromEntries(FEATURES.map((name) => [name, ['model', ...BELOW_FEATURES]])),
  // The plan is computed from values only.
  schedule: ['model'],
  booking: ['model', 'schedule', ...BELOW_FEATURES],
};

/**
 * Layers inside `web`: screens → features → player, words, query → ui, navigation → device. A folder may import its
 * own files and those listed; files directly in `web/` are the page around the screens.
 */
const WEB_BASE = ['ui', 'navigation', 'device'] as const;
const WEB_SHARED = ['words', 'query', ...WEB_BASE] as const;
const WEB_MAY_KNOW: Record<string, readonly string[]> = {
  device: [],
  navigation: [],
  ui: ['navigation', 'device'],
  query: ['device'],
  words: ['query', 'ui', 'navigation', 'device'],
  player: WEB_SHARED,
  caption: WEB_SHARED,
  raw: ['player', ...WEB_SHARED],
  guide: WEB_SHARED,
  recordings: WEB_SHARED,
  reservations: WEB_SHARED,
  settings: WEB_SHARED,
  setup: WEB_SHARED,
  tuners: WEB_SHARED,
  home: ['recordings', 'reservations', ...WEB_SHARED],
  live: ['player', 'caption', 'raw', 'reservations', ...WEB_SHARED],
  watch: ['player', 'caption', 'recordings', ...WEB_SHARED],
  rules: ['reservations', ...WEB_SHARED],
  search: ['reservations', ...WEB_SHARED],
  program: ['reservations', 'rules', ...WEB_SHARED],
  screens: [
    ...['caption', 'guide', 'home', 'live', 'player', 'program', 'recordings', 'reservations', 'rules'],
    ...['search', 'settings', 'setup', 'tuners', 'watch', ...WEB_SHARED],
  ],
};

/** Packages that a pure folder may use; folders not listed may use those of package.json. */
const PACKAGES: Record<string, readonly string[]> = {
  arib: [],
  mp4: [],
  wire: ['@sinclair/typebox'],
  synth: [],
  web: ['preact', '@preact/signals'],
};

interface Ban {
  pattern: RegExp;
  folders: readonly string[];
  instead: string;
  except?: readonly string[];
}

const PRODUCT = ['arib', 'wire', 'mp4', 'host', 'agent', 'src', 'web', 'synth', 'wasm'];
const BANNED: readonly Ban[] = [
  {
    pattern: /\bDate\.now\(|new Date\(\)|performance\.now\(/,
    folders: ['arib', 'wire', 'mp4'],
    instead: 'a time passed in',
  },
  {
    pattern: /\bMath\.random\(/,
    folders: ['arib', 'wire', 'mp4', 'synth', 'agent', 'src'],
    instead: 'randomness passed in, or crypto',
  },
  {
    pattern: /\bsetTimeout\(|\bsetInterval\(/,
    folders: ['arib', 'wire', 'mp4'],
    instead: 'nothing: pure folders do not wait',
  },
  {
    pattern: /\bconsole\.\w+\(/,
    folders: ['arib', 'wire', 'mp4', 'host', 'agent', 'src'],
    instead: 'host/log.ts, or a write passed in',
  },
  { pattern: /\beval\(|new Function\(/, folders: PRODUCT, instead: 'plain code' },
  {
    pattern: /\bas any\b|: any\b|<any>/,
    folders: [...PRODUCT, 'test', 'bench', 'tools'],
    instead: 'unknown and a check',
    except: ['test/tidy.test.ts'],
  },
  {
    pattern: /@ts-(ignore|expect-error|nocheck)/,
    folders: [...PRODUCT, 'test', 'bench', 'tools'],
    instead: 'the right type',
    except: ['test/tidy.test.ts'],
  },
  {
    pattern: /\b(TODO|FIXME|XXX)\b/,
    folders: [...PRODUCT, 'test', 'bench', 'tools'],
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
    folders: [...PRODUCT, 'test', 'bench', 'tools'],
    instead: 'the configured registry',
    except: ['test/tidy.test.ts'],
  },
];

/** A larger file should be split. Exempt are tables, and a migration history that only grows. */
const MAX_LINES = 500;
const TABLES: readonly RegExp[] = [
  /^arib\/text\/.*(table|symbols|jis).*\.ts$/,
  /^src\/store\/migrations\.ts$/,
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
  const glob = new Bun.Glob('{arib,wire,mp4,host,agent,src,web,synth,test,bench,tools}/**/*.{ts,tsx,mjs}');
  return [...glob.scanSync({ cwd: ROOT })];
}

const FILES = sources().sort();
const TEXT = new Map(FILES.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
const folderOf = (file: string): string => file.split('/')[0] ?? '';
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

  test('inside src, features meet through model and hub only', () => {
    const wrong = EDGES.filter(({ from, to }) => {
      if (isTest(from) || !from.startsWith('src/') || !to.startsWith('src/')) return false;
      const [, fromFolder = '', ...fromRest] = from.split('/');
      const [, toFolder = '', ...toRest] = to.split('/');
      // Files directly in src/ are the composition root and the worker entries.
      if (fromRest.length === 0) return false;
      if (toRest.length === 0) return true;
      return fromFolder !== toFolder && !(SRC_MAY_IMPORT[fromFolder] ?? []).includes(toFolder);
    }).map(({ from, to }) => `${from} → ${to}`);
    expect(wrong).toEqual([]);
  });

  test('inside web, a folder imports only from the layers below it', () => {
    const wrong = WEB_EDGES.filter(({ from, to }) => !(WEB_MAY_KNOW[from] ?? []).includes(to));
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
    const wrong = FILES.filter((file) => ['arib', 'mp4'].includes(folderOf(file)) && !isTest(file)).filter(
      (file) => /\b(Bun|process|Buffer|document|window|fetch|TextDecoder)\s*[.(]/.test(TEXT.get(file) ?? ''),
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
});

test('no import cycles, type imports counted', () => {
  const next = new Map<string, string[]>();
  for (const { from, to } of EDGES) next.set(from, [...(next.get(from) ?? []), to]);
  expect(cyclesOf(next)).toEqual([]);
});

test('every child process gets an environment without secrets', () => {
  const spawning = FILES.filter(
    (file) => ['src', 'agent', 'host'].includes(folderOf(file)) && !isTest(file),
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
      /^(tools|bench)\//.test(file) ||
      // bunfig.toml names the preloaded file.
      /^(build\.ts|(src|agent|synth)\/main\.ts|web\/main\.tsx|test\/preload\.ts)$/.test(file) ||
      /\.worker\.ts$/.test(file) ||
      // Compiled by tools/wasm.ts; ambient types.
      /^wasm\/(\w+\/\w+\.as|wasm\.d)\.ts$/.test(file),
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

/** Files that may contain user-visible sentences: one per screen, words for values, and tables. */
const WORDING: readonly RegExp[] = [
  /\/texts\.ts$/,
  /^web\/words\//,
  /\/(\w+-)?words\.ts$/,
  /^web\/settings\/table\.ts$/,
  /^web\/watch\/watch-advice\.ts$/,
  // Responses of the service, and missing ones.
  /^web\/query\/(api|plain-reason|rule-names)\.ts$/,
  // Parsed, not shown: times as users type them, names of stations.
  /^web\/(rules\/moments|ui\/monogram)\.ts$/,
];

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
