import { expect, test } from 'bun:test';
import { SILENT_LOG } from '../../host/log.ts';
import type { RecordingPart } from '../model/recording.ts';
import type { StationStream } from '../stream/client.ts';
import type { FileEvent } from '../stream/file-sink.ts';
import { Reception } from './reception.ts';
import { Storage } from './storage.ts';

const PATH = '/recordings/one.ts';
const SUMS = { packets: 10, drops: 0, errors: 0, scrambled: 0 };

/** What is saved at the moment when something is received again: packets measured, and octets of the file. */
function opened(bytes: number) {
  const saved: { packets: number; bytes: number }[] = [];
  let take: (event: FileEvent) => void = () => {};
  const parts: RecordingPart[] = [{ path: PATH, bytes }];
  const reception: Reception = new Reception({
    former: undefined,
    now: () => 5000,
    wall: () => 5000,
    began: () => {},
    onReceiving: () => saved.push({ packets: reception.measured.sums.packets, bytes: storage.bytes }),
  });
  const storage: Storage = new Storage({
    ...{ id: 1, stem: 'one', parts, reception, log: SILENT_LOG },
    folders: () => [{ path: '/recordings', floorBytes: 0 }],
    free: async () => 1_000_000_000,
    placed: async () => {},
    seam: () => {},
  });
  const stream: Pick<StationStream, 'record'> = {
    record: (_opening, { event }) => {
      take = (one) => event(one, 0);
      return { move: () => {}, stop: () => {} };
    },
  };
  return {
    saved,
    storage,
    tell: (event: FileEvent) => take(event),
    begin: () => storage.begin(stream as StationStream),
  };
}

const second = (from: number) => ({ from, to: from + 1000, pcr: null, ...SUMS });
const progress = (from: number, size: number, queued: number): FileEvent => ({
  kind: 'progress',
  progress: { second: second(from), path: PATH, size, queued, slowestMs: 0 },
});

test('what is saved when packets come again tells how much of the file they are', async () => {
  const { saved, tell, begin } = opened(1880);
  await begin();
  tell({ kind: 'opened', path: PATH, size: 1880, former: null });
  tell(progress(0, 3000, 760));
  expect(saved).toEqual([{ packets: 10, bytes: 3760 }]);
});

test('a file that is not open yet has what it had, and then what waited for it', async () => {
  const { saved, storage, tell, begin } = opened(1880);
  await begin();
  tell(progress(0, 0, 940));
  expect([saved, storage.bytes]).toEqual([[], 1880]);
  tell({ kind: 'opened', path: PATH, size: 1880, former: null });
  expect(saved).toEqual([{ packets: 10, bytes: 2820 }]);
});
