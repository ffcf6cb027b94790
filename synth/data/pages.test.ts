/** The pages of the default region: documents are well-formed, their scripts are scripts, what they refer to is sent. */
import { expect, test } from 'bun:test';
import { DEFAULT } from '../scenario/default.ts';
import { isPartialReception } from '../scenario/model.ts';
import { WEB_NAME } from '../web/pages.ts';
import { startWeb } from '../web/server.ts';
import { stationPages } from './pages.ts';

const STATIONS = DEFAULT.channels.flatMap((channel) => channel.stations.map((plan) => ({ channel, plan })));
const WEB_SERVER = `http://${WEB_NAME}`;
const TAGS = [0x40, 0x60, 0x61];
const decoder = new TextDecoder('euc-jp', { fatal: true });

/** Texts of all documents by address, and the addresses of all resources. */
function sentBy({ channel, plan }: (typeof STATIONS)[number]) {
  const pages = stationPages(channel, plan);
  const documents = new Map<string, string>();
  const addresses = new Set<string>();
  for (const tag of TAGS) {
    for (const { id, resources } of pages?.modules(tag, 0) ?? []) {
      const module = `/${tag.toString(16)}/${id.toString(16).padStart(4, '0')}`;
      addresses.add(module);
      for (const { name, bytes } of resources) {
        if (name !== '') addresses.add(`${module}/${name}`);
        if (name.endsWith('.bml')) documents.set(`${module}/${name}`, decoder.decode(bytes));
      }
    }
  }
  return { documents, addresses };
}

test('every television station has pages, one-segment has none', () => {
  for (const station of STATIONS) {
    const { documents } = sentBy(station);
    expect(documents.has('/40/0000/startup.bml')).toBe(!isPartialReception(station.plan));
  }
  const openings = new Set(STATIONS.map(({ plan }) => plan.opening));
  expect([...openings].filter((opening) => opening !== undefined)).toHaveLength(5);
});

/** Elements that are open at the end. */
function openElements(text: string): string[] {
  const open: string[] = [];
  const markup = text.replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, '').replace(/<[?!][^>]*>/g, '');
  for (const [, end, name = '', , empty] of markup.matchAll(
    /<(\/?)([a-z]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    if (end === '/') {
      if (open.pop() !== name) return [`</${name}>`];
    } else if (empty === '') open.push(name);
  }
  return open;
}

test('documents are well-formed and refer only to what is sent', () => {
  for (const station of STATIONS.filter(({ plan }) => plan.opening !== undefined)) {
    const { documents, addresses } = sentBy(station);
    expect(documents.size).toBe(9);
    for (const [address, text] of documents) {
      expect([address, openElements(text)]).toEqual([address, []]);
      const folder = address.slice(0, address.lastIndexOf('/') + 1);
      const references = [
        ...text.matchAll(/(?:data|module_ref)="([^"]+)"/g),
        ...text.matchAll(/(?:launchDocument|lockModuleOnMemory|BinaryTable)\("([^"]+)"/g),
        ...text.matchAll(/url\(([^)]+)\)/g),
        ...text.matchAll(/"(\/[46][01]\/[^"]+)"/g),
      ].map(([, reference = '']) => (reference.startsWith('/') ? reference : folder + reference));
      const missing = references.filter(
        (each) => each !== '/-1' && !each.includes(WEB_SERVER) && !addresses.has(each),
      );
      expect([address, missing]).toEqual([address, []]);
      const ids = [...text.matchAll(/ id="(\w+)"/g)].map(([, id = '']) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const asked = [...text.matchAll(/(?:getElementById|put)\("(\w+)"[,)]/g)].map(([, id = '']) => id);
      // The sign of the first document is only in some manners.
      const unknown = asked.filter((id) => !ids.includes(id) && id !== 'state');
      expect([address, unknown]).toEqual([address, []]);
      // Handlers are calls of functions that exist.
      const script = /<script><!\[CDATA\[([\s\S]*?)\]\]>/.exec(text)?.[1] ?? '';
      const handlers = [...text.matchAll(/ on[a-z]+="(\w+)\(\);"/g)].map(([, name = '']) => name);
      for (const name of handlers) expect(script).toContain(`function ${name}() {`);
    }
  }
});

test('what documents ask of the web server is there', async () => {
  const [station] = STATIONS;
  const texts = station === undefined ? [] : [...sentBy(station).documents.values()];
  const addresses = texts.flatMap((text) => [...text.matchAll(/"(http:[^"]+)"/g)].map(([, one = '']) => one));
  expect(new Set(addresses).size).toBe(4);
  const web = startWeb(0);
  try {
    for (const address of addresses) {
      const { pathname, search } = new URL(address);
      // A vote without an answer is refused, not unknown.
      const { status } = await fetch(`http://127.0.0.1:${web.port}${pathname}${search}`);
      expect([address, status]).toEqual([address, pathname === '/quiz/vote' ? 400 : 200]);
    }
  } finally {
    await web.close();
  }
});

test('editions of the news and scores follow the clock', () => {
  const [station] = STATIONS;
  const pages = station === undefined ? null : stationPages(station.channel, station.plan);
  const versions = (seconds: number) => pages?.modules(0x60, seconds * 90_000).map(({ version }) => version);
  expect([0, 19.9, 20, 20 * 256].map(versions)).toEqual([
    [1, 0],
    [1, 0],
    [1, 1],
    [1, 0],
  ]);
  // A score and an NPT reference; in the ten seconds before a mark, its announcement too.
  const counts = [1, 19, 21, 30].map((seconds) => pages?.events(0x61, seconds * 90_000).length);
  expect(counts).toEqual([2, 2, 3, 3]);
});
