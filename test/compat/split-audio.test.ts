/** `audio=split` over real sockets: two programmes as two streams, decoded by ffmpeg. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { SplitAudio } from '../../src/compat/split-audio.ts';
import { tone } from '../live/media.ts';
import { tune } from '../synth/tuning.ts';
import { compatHome } from './compat-home.ts';

/** 4 s of a small station: several beeps. */
const ENOUGH = 900_000;
const home = compatHome();

async function first(url: string): Promise<Uint8Array> {
  const reader = (await fetch(url)).body?.getReader();
  const parts: Uint8Array[] = [];
  for (let size = 0; size < ENOUGH; ) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || value === undefined) break;
    parts.push(value);
    size += value.length;
  }
  await reader?.cancel();
  return Buffer.concat(parts);
}

async function run(command: readonly string[], input: Uint8Array): Promise<Uint8Array> {
  const child = Bun.spawn([...command], { stdin: input, stdout: 'pipe', stderr: 'ignore' });
  return new Response(child.stdout).bytes();
}

async function streams(packets: Uint8Array): Promise<string[]> {
  const words = ['-v', 'error', '-f', 'mpegts', '-show_entries', 'stream=id,codec_name,channels'];
  const text = await run(['ffprobe', ...words, '-of', 'csv=p=0', 'pipe:0'], packets);
  const lines = new TextDecoder().decode(text).split('\n');
  return [...new Set(lines.filter((line) => line.includes('aac')))].sort();
}

/** Loudness of tones in the left and the right channel of an audio stream. */
async function heard(packets: Uint8Array, index: number, hertz: readonly number[]) {
  const words = ['-v', 'error', '-f', 'mpegts', '-i', 'pipe:0', '-map', `0:a:${index}`, '-ar', '48000'];
  const raw = await run(['ffmpeg', ...words, '-f', 'f32le', 'pipe:1'], packets);
  const samples = new Float32Array(raw.slice().buffer);
  const ear = (side: number): Float32Array => samples.filter((_, at) => at % 2 === side);
  return [0, 1].map((side) => hertz.map((one) => tone(ear(side), one)));
}

const station = async (key: string): Promise<string> => {
  const lineup = (await (await fetch(`${home.hdhr}/lineup.json`)).json()) as {
    GuideNumber: string;
    URL: string;
  }[];
  return lineup.find(({ GuideNumber }) => GuideNumber === key)?.URL ?? '';
};

const BOTH = ['aac,2,0x1e10', 'aac,2,0x1e11'];

test('main and sub programme are two streams', async () => {
  // A channel of one station, whose sound is dual mono as broadcast.
  const scenario = join(import.meta.dir, '..', 'synth', 'dual-mono.json');
  const broadcast = await tune({ scenario, type: 'GR', channel: 'T30', at: Date.now(), seconds: 6 });
  const packets = new SplitAudio().feed(broadcast);
  expect((await streams(packets)).map(inOrder)).toEqual(BOTH);
  const [main, sub] = await Promise.all([0, 1].map((index) => heard(packets, index, [800, 1600])));
  for (const [low = 0, high = 0] of main ?? []) expect(low).toBeGreaterThan(20 * high);
  for (const [low = 0, high = 0] of sub ?? []) expect(high).toBeGreaterThan(20 * low);
});

test('a second audio of the station is the second stream', async () => {
  const packets = await first(`${await station('1.1')}?audio=split`);
  expect((await streams(packets)).map(inOrder)).toEqual(BOTH);
  const [main, second] = await Promise.all([0, 1].map((index) => heard(packets, index, [1000, 2000])));
  for (const [low = 0, high = 0] of main ?? []) expect(low).toBeGreaterThan(20 * high);
  for (const [low = 0, high = 0] of second ?? []) expect(high).toBeGreaterThan(20 * low);
});

test('one audio is repeated, also for clients of the Mirakurun port', async () => {
  const services = (await home.json('/api/services')) as { id: number; remoteControlKeyId?: number }[];
  const id = services.find((one) => one.remoteControlKeyId === 2)?.id;
  const packets = await first(`http://127.0.0.1:${home.port}/api/services/${id}/stream?audio=split`);
  expect((await streams(packets)).map(inOrder)).toEqual(BOTH);
  const [main, second] = await Promise.all([0, 1].map((index) => heard(packets, index, [1000])));
  expect(main?.[0]?.[0]).toBeGreaterThan(0);
  expect(second).toEqual(main as number[][]);
});

test('the playlist carries the option to its streams', async () => {
  const playlist = await (await fetch(`${home.hdhr}/playlist.m3u?audio=split`)).text();
  const streams = playlist.split('\n').filter((line) => line.startsWith('http'));
  expect(streams.length).toBeGreaterThan(2);
  expect(streams.every((line) => line.endsWith('.ts?audio=split'))).toBe(true);
});

/** ffprobe writes the fields of a stream in an order of its own. */
function inOrder(line: string): string {
  const [codec = '', ...others] = line.split(',');
  return [codec, ...others.sort((a, b) => a.length - b.length)].join(',');
}
