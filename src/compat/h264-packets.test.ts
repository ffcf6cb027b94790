import { expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { h264Packets } from './h264-packets.ts';

test('the error of a station reaches the reader, and nobody else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-remux-'));
  const ffmpeg = join(folder, 'ffmpeg');
  writeFileSync(ffmpeg, '#!/bin/sh\nexec cat\n');
  chmodSync(ffmpeg, 0o755);
  try {
    let pulls = 0;
    const open = async (): Promise<ReadableStream<Uint8Array>> =>
      new ReadableStream({
        pull: (controller) => {
          if (pulls++ === 0) controller.enqueue(new Uint8Array(188).fill(0x47));
          else controller.error(new Error('station lost'));
        },
      });
    const needs = { open, ffmpeg: async () => ffmpeg, log: SILENT_LOG };
    const packets = h264Packets(needs, new AbortController().signal);
    expect((await packets.next()).value).toHaveLength(188);
    // An error that nobody waits for fails this test, as it would end the service.
    await expect(packets.next()).rejects.toThrow('station lost');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
