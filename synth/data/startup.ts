/**
 * A minimal data broadcast: one module with a document and its style sheet, ARIB STD-B24 vol. 2, as an entity
 * with a header, compressed, ARIB STD-B24 vol. 3 and TR-B14 vol. 3.
 */
import { deflateSync } from 'node:zlib';
import type { BroadcastType } from '../../lib/arib/ids.ts';
import { concat, encodeLatin } from '../si/bytes.ts';
import { type CarouselPlan, type Module, moduleCompression } from '../si/dsmcc.ts';
import { encodeEuc } from './euc.ts';

const BOUNDARY = 'parts';
const NEWLINE = '\r\n';
/** data_event_id 0xF and all other bits set, as operated. */
const DOWNLOAD_ID = 0xffff_ffff;
const VERSION = 1;
/** Versions of BML stated in documents, by broadcast type. */
const BML_VERSION = { GR: '3.0', BS: '1.0', CS: '2.0' } as const;

const STYLE = [
  'body { background-color-index: 0; color-index: 7; resolution: 960x540; display-aspect-ratio: 16v9; }',
  'p { left: 60px; width: 840px; height: 48px; font-size: 36px; line-height: 44px; color-index: 7; }',
  '#video { left: 480px; top: 30px; width: 450px; height: 253px; }',
  '#name { top: 60px; }',
  '#text { top: 400px; }',
].join('\n');

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

function document(type: BroadcastType, station: string): string {
  const name = escaped(station);
  return [
    '<?xml version="1.0" encoding="EUC-JP"?>',
    '<!DOCTYPE bml PUBLIC "+//ARIB STD-B24:1999//DTD BML Document//JA" "bml_1_0.dtd">',
    `<?bml bml-version="${BML_VERSION[type]}"?>`,
    '<bml>',
    `<head><title>${name}</title><link rel="stylesheet" type="text/css" href="style.css"/></head>`,
    '<body>',
    '<object id="video" type="video/X-arib-mpeg2" data="/-1" remain="remain"/>',
    `<p id="name">${name}</p>`,
    '<p id="text">これは架空のデータ放送です。</p>',
    '</body></bml>',
  ].join('\n');
}

function part(location: string, type: string, body: string): Uint8Array {
  const head = [`--${BOUNDARY}`, `Content-Location: ${location}`, `Content-Type: ${type}`, '', ''];
  return concat([encodeLatin(head.join(NEWLINE)), encodeEuc(body), encodeLatin(NEWLINE)]);
}

/** The entity of the module with the startup document. */
function startupEntity(type: BroadcastType, name: string): Uint8Array {
  const head = `Content-Type: multipart/mixed; boundary="${BOUNDARY}"${NEWLINE}${NEWLINE}`;
  return concat([
    encodeLatin(head),
    part('startup.bml', 'text/X-arib-bml; charset="euc-jp"', document(type, name)),
    part('style.css', 'text/css; charset="euc-jp"', STYLE),
    encodeLatin(`--${BOUNDARY}--${NEWLINE}`),
  ]);
}

/** @param name of the station, in characters of JIS X 0208 */
export function bmlCarousel(type: BroadcastType, name: string): CarouselPlan {
  const entity = startupEntity(type, name);
  const bytes = new Uint8Array(deflateSync(entity, { level: 9 }));
  const module: Module = { id: 0, version: VERSION, bytes, info: moduleCompression(entity.length) };
  return { downloadId: DOWNLOAD_ID, transaction: VERSION, modules: [module] };
}
