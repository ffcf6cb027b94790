/** Kinds of side data as a new feature would define them: a reader and a row each, and nothing else. */
import { liveFrame } from '../../lib/wire/live-frames.ts';
import { defineSideRow } from '../../src/media/side-row.ts';
import { defineReader } from '../../src/reception/reader-kind.ts';
import type { SideItem, SideReaderOptions } from '../../src/reception/side-item.ts';

const EIT = 0x12;
const utf8 = new TextEncoder();

/** Posts a module, then the list of modules, then the same list again; afterwards nothing. */
function reader(name: string, channel: number) {
  return defineReader<SideReaderOptions, never, SideItem>({
    name,
    start: ({ serviceId }, { select, post }) => {
      select([EIT]);
      let isSent = false;
      const send = (key: string, rank: number): void => {
        const frame = liveFrame(channel, 0, utf8.encode(JSON.stringify({ [key]: serviceId })));
        post({ key, rank, size: frame.length, frame });
      };
      return {
        feed: () => {
          if (isSent) return;
          isSent = true;
          send('module', 1);
          send('list', 0);
          send('list', 0);
        },
      };
    },
    transfer: ({ frame }) => (frame === undefined ? [] : [frame.buffer]),
  });
}

export const OWN_CHANNEL = 0x7e;
export const ownReader = reader('test-side', OWN_CHANNEL);
export const COSTLY_CHANNEL = 0x7d;
export const costlyReader = reader('test-costly', COSTLY_CHANNEL);

export const ownRow = defineSideRow({
  name: 'test-side',
  channels: [OWN_CHANNEL],
  source: { reader: ownReader },
});
export const costlyRow = defineSideRow({
  name: 'test-costly',
  channels: [COSTLY_CHANNEL],
  source: { reader: costlyReader },
  when: 'demand',
});
