/** The encode queue of the fake service: waiting jobs, their order, and the results of finished ones. */
import type { Recording } from '../../lib/wire/api.ts';
import type {
  EncodeItem,
  EncodeMany,
  EncodeQueueChange,
  EncodeRequest,
  Encodes,
} from '../../lib/wire/encode.ts';

export function newEncodes(): Encodes {
  return { paused: false, wait: null, queue: [], recent: [], measured: [] };
}

export function encodeItem(recording: Recording, over: Partial<EncodeItem> = {}): EncodeItem {
  const { id, title, serviceName, startAt, durationMs } = recording;
  return {
    ...{ recordingId: id, title, serviceName, startAt, durationMs, state: 'waiting', codecs: 'av1' },
    ...{ keepTs: false, commercials: 'chapters', quality: 'standard', percent: null, etaMs: null },
    ...{ message: null, waitsFor: null, endedAt: null },
    ...over,
  };
}

/** @returns undefined for a path that does not concern the queue */
export function answerEncodes(
  encodes: Encodes,
  list: readonly Recording[],
  { method, name, body }: { method: string; name: string; body: string },
): Response | undefined {
  if (name === 'encodes') {
    if (method === 'POST') {
      const { series, before = 0 } = JSON.parse(body) as EncodeMany;
      const wanted = list.filter((one) =>
        series === undefined ? one.startAt < before : one.series?.key === series,
      );
      encodes.queue.push(...wanted.map((one) => encodeItem(one)));
      return Response.json({ queued: wanted.length });
    }
    if (method === 'PUT') {
      const { paused, order } = JSON.parse(body) as EncodeQueueChange;
      if (paused !== undefined) Object.assign(encodes, { paused, wait: paused ? 'paused' : null });
      if (order !== undefined)
        encodes.queue.sort((a, b) => order.indexOf(a.recordingId) - order.indexOf(b.recordingId));
    }
    return Response.json(encodes);
  }
  const id = Number(/^recordings\/(\d+)\/encode$/u.exec(name)?.[1] ?? Number.NaN);
  const recording = list.find((one) => one.id === id);
  if (recording === undefined) return undefined;
  encodes.queue = encodes.queue.filter(({ recordingId }) => recordingId !== id);
  if (method === 'POST') encodes.queue.push(encodeItem(recording, JSON.parse(body || '{}') as EncodeRequest));
  return new Response(null, { status: 204 });
}
