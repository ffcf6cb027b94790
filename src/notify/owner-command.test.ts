import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { until } from '../../test/until.ts';
import type { StoredNotice } from '../model/notice.ts';
import { OwnerCommand } from './owner-command.ts';

test('a row that cannot be read ends neither the service nor the commands after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-command-'));
  const [path, written] = [join(folder, 'hook'), join(folder, 'written')];
  writeFileSync(path, `#!/bin/sh\necho "$1 $RECORDEDID" > ${written}.part\nmv ${written}.part ${written}\n`, {
    mode: 0o755,
  });
  const facts = {
    ...{ recordingId: 2, reservationId: null, programId: null, channelType: 'GR', channelId: 1, startAt: 0 },
    ...{ channelName: '', endAt: 1, name: '', description: '', extended: '', path: null, errors: null },
    ...{ drops: null, scrambled: null },
  };
  const command = new OwnerCommand({
    ...{ path, log: SILENT_LOG },
    facts: ({ id }) => {
      if (id === 1) throw new Error('disk I/O error');
      return facts;
    },
  });
  const notice = (id: number): StoredNotice => ({
    ...{ id, event: 'finished', kind: 'recording', subject: String(id), facts: {}, at: wallMs(0) },
  });
  command.take([notice(1), notice(2)]);
  await until('the second ran', () => existsSync(written));
  expect(readFileSync(written, 'utf8')).toBe('recordingFinish 2\n');
  await command.close();
  rmSync(folder, { recursive: true });
});
