/** Worker entry: an air player for the program that started it. */
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { broadcastMs } from '../../lib/arib/time.ts';
import { MediaCache } from '../media/cache.ts';
import { findFfmpeg } from '../media/ffmpeg.ts';
import type { PlayerCalls, PlayerMessage, PlayerRequest } from './messages.ts';
import { Player } from './player.ts';

const folder = process.env.SYNTH_CACHE ?? join(import.meta.dir, '..', '..', '.cache', 'synth');
const player = new Player(new MediaCache(folder, findFfmpeg(process.env)));

async function answered(request: PlayerRequest): Promise<PlayerCalls[keyof PlayerCalls]['answer']> {
  switch (request.kind) {
    case 'prepare':
      return await player.prepare(request.scenario);
    case 'put':
      return (await player.put(request.air, request.programming)).channels;
    case 'end':
      player.end(request.air);
      return null;
    case 'sent': {
      const { air, channel, from, seconds } = request;
      return await player.air(air).sent(channel, broadcastMs(from), seconds);
    }
    case 'truth': {
      const { air, channel, at, schedule } = request;
      return player.air(air).truth(channel, broadcastMs(at), schedule);
    }
  }
}

function post(message: PlayerMessage): void {
  const bytes = message.kind === 'answer' && message.answer instanceof Uint8Array ? [message.answer] : [];
  parentPort?.postMessage(
    message,
    bytes.map(({ buffer }) => buffer as ArrayBuffer),
  );
}

parentPort?.on('message', async (request: PlayerRequest) => {
  const { id } = request;
  try {
    post({ kind: 'answer', id, answer: await answered(request) });
  } catch (error) {
    post({ kind: 'failed', id, message: (error as Error).message });
  }
});
post({ kind: 'listening', port: player.port });
