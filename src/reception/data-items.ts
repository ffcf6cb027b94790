/**
 * Messages of a data broadcast as side data: serialised once, here in the worker. Keys and ranks give a client that
 * joins later the current state in the order of `lib/wire/data-broadcast.ts`.
 */
import type { ModuleResource } from '../../lib/arib/carousel/module-entity.ts';
import type { ModuleMessage, ResponseMessage } from '../../lib/wire/data-broadcast.ts';
import { LIVE_CHANNEL, LIVE_HEADER_BYTES, liveFrame } from '../../lib/wire/live-frames.ts';
import type { SideItem } from './side-item.ts';

const RANK: Readonly<Record<ResponseMessage['type'], number>> = {
  pmt: 0,
  programInfo: 1,
  bit: 2,
  moduleListUpdated: 3,
  moduleDownloaded: 4,
  esEventUpdated: 5,
  ait: 6,
  currentTime: 7,
};

const utf8 = new TextEncoder();

/** @param key null: not for clients that join later */
export function dataItem(key: string | null, message: ResponseMessage): SideItem {
  const frame = liveFrame(LIVE_CHANNEL.data, 0, utf8.encode(JSON.stringify(message)));
  return itemOf(key, message.type, frame);
}

/** Messages whose key begins with this are obsolete. */
export function clearedItem(prefix: string): SideItem {
  return { key: null, clears: prefix, size: 0 };
}

function itemOf(key: string | null, type: ResponseMessage['type'], frame: Uint8Array<ArrayBuffer>): SideItem {
  return { key, rank: RANK[type], size: frame.length, frame };
}

/** Encoded at once; a multiple of three. */
const CHUNK = 48 * 1024;

/**
 * The message of a module. The base64 of its files, nearly all of it, is written into the frame in pieces, so that
 * only the result takes memory.
 */
export function moduleItem(
  key: string,
  head: Omit<ModuleMessage, 'type' | 'files'>,
  files: readonly ModuleResource[],
): SideItem {
  const heads = files.map(({ location, type }) =>
    utf8.encode(JSON.stringify({ contentLocation: location, contentType: type, dataBase64: '' })),
  );
  const begin = utf8.encode(
    JSON.stringify({ type: 'moduleDownloaded', ...head, files: [] } satisfies ModuleMessage).slice(0, -2),
  );
  const base64 = files.map(({ data }) => 4 * Math.ceil(data.length / 3));
  const commas = Math.max(0, files.length - 1);
  const size = [...heads.map(({ length }) => length), ...base64].reduce(
    (sum, each) => sum + each,
    begin.length + 2,
  );
  const frame = liveFrame(LIVE_CHANNEL.data, 0, new Uint8Array(size + commas));
  let at = LIVE_HEADER_BYTES;
  const put = (bytes: Uint8Array): void => {
    frame.set(bytes, at);
    at += bytes.length;
  };
  const view = Buffer.from(frame.buffer);
  put(begin);
  for (const [index, { data }] of files.entries()) {
    if (index > 0) frame[at++] = 0x2c;
    const text = heads[index] ?? new Uint8Array(0);
    // The quote and brace that end it come after the data.
    put(text.subarray(0, -2));
    for (let from = 0; from < data.length; from += CHUNK) {
      const piece = data.subarray(from, from + CHUNK);
      at += view.write(
        Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64'),
        at,
        'latin1',
      );
    }
    put(text.subarray(-2));
  }
  frame[at++] = 0x5d;
  frame[at++] = 0x7d;
  return itemOf(key, 'moduleDownloaded', frame);
}
