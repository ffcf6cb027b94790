/**
 * Runs in the guest of the rig: records the system calls of the DVB driver on the real dvb-core, as one line.
 */
import { openSync, writeFileSync, writeSync } from 'node:fs';
import { MachineFacts } from '../../../agent/driver/device-facts.ts';
import { openLibc } from '../../../agent/driver/libc.ts';
import { systemMonotonicClock } from '../../../lib/host/clock.ts';
import { RecordingCalls } from '../../agent/call-recording.ts';
import { runDvbSessions } from '../../agent/dvb-sessions.ts';
import { numberedPackets } from '../../agent/packets.ts';

const MODULE = '/sys/module/isdbsim/parameters';
const PIECE = 256;
/** Time until the module's work queue has marked the device as removed. */
const UNPLUG_MS = 500;

const calls = new RecordingCalls(openLibc());
const air = openSync('/dev/isdbsim', 'w');
const results = await runDvbSessions(
  { calls, facts: new MachineFacts(), clock: systemMonotonicClock },
  {
    send: (packets) => {
      for (let at = 0; at < packets; at += PIECE) {
        writeSync(air, numberedPackets(at, Math.min(PIECE, packets - at), 'rig'));
      }
    },
    setSignal: (on) => writeFileSync(`${MODULE}/signal_at`, on ? '0' : '1'),
    unplug: () => {
      writeFileSync(`${MODULE}/plugged`, '0');
      Bun.sleepSync(UNPLUG_MS);
    },
    pause: (ms) => Bun.sleep(ms),
  },
);
process.stdout.write(`RECORDING ${JSON.stringify({ results, calls: calls.calls })}\n`);
process.exit(0);
