/** How a stream begins, ends and fails; no process or descriptor is leaked. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { until } from '../until.ts';
import { BURST, CHANNEL, DAMAGE, LAST, LATE_MS, REASON, SPARSE_MS } from './channels.ts';
import type { Rule } from './rule.ts';
import { holds, messageOf, type Subject, same, tuner } from './subject.ts';

const [A, B] = ['GR/T21', 'GR/T22'];
const LINGER_MS = 5_000;
const SILENCE_MS = 5_000;
const LAG_LIMIT = 64 * 1024 * 1024;

/** False also for a zombie process, which has ended but was not reaped. */
export function isRunning(pid: number): boolean {
  try {
    const [, state] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return state?.startsWith('Z') === false;
  } catch {
    return false;
  }
}

/** Checks the state after a failure: no user, the reason is shown, and the next user gets a stream. */
async function usableAgain(subject: Subject): Promise<void> {
  await until('the tuner is free', async () => (await subject.tuner('a')).tuned === null);
  const { users, state, error } = await subject.tuner('a');
  same([users, state], [[], 'idle'], 'users and state after the failure');
  holds(typeof error === 'string' && error !== '', 'the reason is not shown');
  const next = await subject.open(A, { priority: 1 });
  await next.undisturbed();
  const after = await subject.tuner('a');
  same([after.state, after.error], ['tuned', null], 'state and error after a success');
}

async function failsBefore(subject: Subject, channel: string, withinMs: () => number): Promise<string> {
  await subject.define(tuner('a', 'GR'));
  const asked = performance.now();
  const answer = await subject.ask(channel);
  const waited = performance.now() - asked;
  same(answer.status, 500, 'the answer');
  holds(waited < withinMs(), `it was sent after ${Math.round(waited)} ms`);
  const reason = await messageOf(answer);
  holds(reason.trim() !== '', 'no reason is given');
  await usableAgain(subject);
  return reason;
}

/** Both users of the channel are aborted. @param provoke makes it fail */
async function failsAfter(
  subject: Subject,
  channel: string,
  provoke: (process: number) => void = () => {},
): Promise<number> {
  await subject.define(tuner('a', 'GR'));
  const begun = performance.now();
  const [first, second] = await Promise.all([subject.open(channel), subject.open(channel)]);
  provoke(first.process);
  await first.ends('aborted');
  await second.ends('aborted');
  const took = performance.now() - begun;
  if (channel === CHANNEL.ends || channel === CHANNEL.stops) {
    for (const { stamps } of [first, second]) same(stamps.last, LAST - 1, 'the last packet delivered');
  }
  await usableAgain(subject);
  return took;
}

export const ENDING: Rule[] = [
  {
    sentence: 'A stream carries the bytes untouched, from the first one on, as video/mp2t',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const user = await subject.open(A);
      same(user.response.headers.get('content-type'), 'video/mp2t', 'content-type');
      await user.undisturbed();
      same([user.stamps.first, [...user.stamps.labels]], [0, ['GR T21 0']], 'first packet and label');
    },
  },
  {
    sentence: 'Bytes are passed on as soon as they come, not collected',
    async check(subject, { atMost }) {
      await subject.define(tuner('a', 'GR'));
      const counts: number[][] = [];
      // A reader that is late sees several writes at once, but not each time.
      while (counts.length < 5) {
        const user = await subject.open(CHANNEL.sparse);
        const begun = performance.now();
        const first = user.stamps.packets;
        await until('the next write', () => user.stamps.packets > first);
        const waited = performance.now() - begun;
        holds(waited < atMost(SPARSE_MS * 2), `the second write came after ${waited} ms`);
        counts.push([first, user.stamps.packets]);
        if (first === 16 && user.stamps.packets === 32 && waited > SPARSE_MS / 3) return;
        subject.leaveAll();
        await subject.define(tuner('a', 'GR'));
      }
      same(counts, [[16, 32]], 'packets of one and of two writes');
    },
  },
  {
    sentence: 'A user of a tuned channel gets its first bytes at once',
    async check(subject, { atMost }) {
      await subject.define(tuner('a', 'GR'));
      await subject.open(A);
      const asked = performance.now();
      await subject.open(A);
      const waited = performance.now() - asked;
      holds(waited < atMost(500), `they came after ${Math.round(waited)} ms`);
    },
  },
  {
    sentence: 'A stream ends only when its last user leaves: another that leaves affects no other',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const stays = await subject.open(A, { use: 'stays' });
      const goes = await subject.open(A, { use: 'goes' });
      goes.leave();
      await until('one user', async () => (await subject.uses('a')).length === 1);
      same(await subject.uses('a'), ['stays'], 'the users');
      await stays.undisturbed();
    },
  },
  {
    sentence: 'A tuning lingers 5 s after its last reader and is reused without retuning',
    seconds: 7,
    async check(subject) {
      await subject.define(tuner('a', 'GR'), tuner('b', 'GR'));
      const first = await subject.open(A);
      first.leave();
      await subject.lingers(first.tuner);
      const { tuned, users } = await subject.tuner(first.tuner);
      same([tuned, users], [{ type: 'GR', channel: 'T21' }, []], 'what lingers');
      await Bun.sleep(LINGER_MS / 2);
      const second = await subject.open(A);
      same([second.tuner, second.process], [first.tuner, first.process], 'tuner and process');
      await Bun.sleep(LINGER_MS / 2 + 500);
      await second.undisturbed();
    },
  },
  {
    sentence: 'After 5 s without a reader the tuner is idle, and its process has ended',
    seconds: 6,
    async check(subject, { isLocal, atMost }) {
      await subject.define(tuner('a', 'GR'));
      const user = await subject.open(A);
      const since = performance.now();
      user.leave();
      await subject.lingers('a');
      await until('idle', async () => (await subject.tuner('a')).state === 'idle');
      const waited = performance.now() - since;
      holds(
        waited > LINGER_MS - 500 && waited < atMost(LINGER_MS + 1_500),
        `it lingered for ${Math.round(waited)} ms`,
      );
      const { tuned, stats, error } = await subject.tuner('a');
      same([tuned, stats, error], [null, null, null], 'what is left');
      if (isLocal) await until('the process has ended', () => !isRunning(user.process));
    },
  },
  {
    sentence: 'A reader that leaves before the first bytes leaves nothing behind',
    seconds: 6,
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const leaving = new AbortController();
      const asked = subject.ask(CHANNEL.silent, {}, leaving).catch(() => {});
      await until('tuning', async () => (await subject.tuner('a')).state === 'tuning');
      leaving.abort();
      await asked;
      await until('no user is left', async () => (await subject.uses('a')).length === 0);
      await (await subject.open(A, { priority: 0 })).undisturbed();
    },
  },
  {
    sentence: 'Taken away after bytes were sent: the connection is aborted (curl ends with an error)',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const curl = curlOf(subject, 'type=GR&channel=T21&priority=1&use=curl');
      await until('curl reads', async () => (await subject.uses('a')).includes('curl'));
      const user = await subject.open(A, { priority: 1 });
      await user.flows();
      await subject.open(B, { priority: 2 });
      await user.ends('aborted');
      holds((await curl?.exited) !== 0, 'curl takes it as complete');
    },
  },
  {
    sentence: 'Handed over by after: the connection is closed cleanly (curl ends with success)',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const curl = curlOf(subject, 'type=GR&channel=T21&priority=1&use=curl');
      await until('curl reads', async () => curl === undefined || (await subject.uses('a')).includes('curl'));
      const user = await subject.open(A, { priority: 1, use: 'user' });
      await user.flows();
      await subject.open(B, { priority: 1, after: ['user', 'curl'] });
      await user.ends('clean');
      same((await curl?.exited) ?? 0, 0, 'exit code of curl');
    },
  },
  {
    sentence:
      'The process ends after bytes were sent: aborted, whatever its exit code, with all it had given',
    seconds: 2,
    check: async (subject) => void (await failsAfter(subject, CHANNEL.ends)),
  },
  {
    sentence: 'The process is killed: aborted',
    needs: 'local',
    check: async (subject) => void (await failsAfter(subject, A, (pid) => process.kill(pid, 'SIGKILL'))),
  },
  {
    sentence: 'The process is stopped, so that no TS comes for 5 s: aborted, and the process is gone',
    needs: 'local',
    seconds: 8,
    async check(subject) {
      let stopped = 0;
      await failsAfter(subject, A, (pid) => {
        stopped = pid;
        process.kill(pid, 'SIGSTOP');
      });
      await until('the process has ended', () => !isRunning(stopped));
    },
  },
  {
    sentence: 'No TS comes for 5 s after bytes were sent: aborted',
    seconds: 6,
    async check(subject, { atMost }) {
      const took = await failsAfter(subject, CHANNEL.stops);
      holds(took > SILENCE_MS - 1_500 && took < atMost(SILENCE_MS + 2_500), `after ${Math.round(took)} ms`);
    },
  },
  {
    sentence: 'The process ends at once: 500 with its reason, and the tuner is usable again',
    async check(subject, { atMost }) {
      const reason = await failsBefore(subject, CHANNEL.dead, () => atMost(3_000));
      holds(reason.includes(REASON), `the command's own words are not in "${reason}"`);
    },
  },
  {
    sentence: 'No byte comes within the synchronisation cap of 5 s: 500 with a reason',
    seconds: 6,
    check: async (subject, { atMost }) =>
      void (await failsBefore(subject, CHANNEL.silent, () => atMost(9_000))),
  },
  {
    sentence: 'What comes is no TS: 500 with a reason',
    seconds: 6,
    check: async (subject, { atMost }) =>
      void (await failsBefore(subject, CHANNEL.garbage, () => atMost(9_000))),
  },
  {
    sentence: 'A slow start within the cap is no failure',
    seconds: 3,
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const begun = performance.now();
      const user = await subject.open(CHANNEL.late);
      holds(performance.now() - begun > LATE_MS, 'it came too early');
      await user.undisturbed();
    },
  },
  {
    sentence: 'A process that ignores SIGTERM is killed before its tuner is tuned again',
    needs: 'local',
    seconds: 3,
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const loser = await subject.open(CHANNEL.deaf, { priority: 1 });
      const winner = await subject.open(A, { priority: 2 });
      await loser.ends('aborted');
      same(isRunning(loser.process), false, 'the first process runs');
      await winner.undisturbed();
    },
  },
  {
    sentence: 'Endless words on standard error disturb nothing',
    seconds: 2,
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const user = await subject.open(CHANNEL.noisy);
      await user.flows(1_000_000);
      await user.undisturbed();
    },
  },
  {
    sentence: 'A burst of 500 Mbit/s is delivered to the last packet',
    seconds: 2,
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const user = await subject.open(CHANNEL.burst);
      await until('the burst', () => user.stamps.last >= BURST);
      same(
        [user.stamps.first, user.stamps.gaps, user.ending],
        [0, 0, undefined],
        'first packet, gaps and end',
      );
    },
  },
  {
    sentence: 'A user that lags by more than 64 MB is cut, and only that one',
    seconds: 4,
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const good = await subject.open(CHANNEL.fast, { use: 'good' });
      const url = new URL(subject.url);
      const socket = connect(Number(url.port || 80), url.hostname.replace(/[[\]]/g, ''));
      socket.on('error', () => {});
      socket.write(
        `GET /agent/stream?type=GR&channel=${CHANNEL.fast.slice(3)}&use=lags HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      );
      socket.once('data', () => socket.pause());
      try {
        let most = 0;
        await until('the lagging user is listed', async () => (await subject.uses('a')).includes('lags'));
        await until('it is cut', async () => {
          const lags = (await subject.tuner('a')).users.find((user) => user.use === 'lags');
          most = Math.max(most, lags?.lagBytes ?? 0);
          return lags === undefined;
        });
        holds(most > LAG_LIMIT / 2 && most <= LAG_LIMIT, `cut at a lag of ${most} bytes seen last`);
      } finally {
        socket.destroy();
      }
      await good.undisturbed();
      same(await subject.uses('a'), ['good'], 'the users');
    },
  },
  {
    sentence: 'Statistics: packets, sync, transport and continuity errors and scrambled packets of a tuning',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      await (await subject.open(CHANNEL.damaged)).flows(200_000);
      const { stats } = await subject.tuner('a');
      holds((stats?.packets ?? 0) > 1_000, `${stats?.packets} packets`);
      same({ ...stats, packets: 0 }, { packets: 0, syncErrors: 0, ...DAMAGE }, 'the errors');
    },
  },
];

/** Undefined if curl is not installed. */
function curlOf(subject: Subject, query: string): Bun.Subprocess | undefined {
  const path = Bun.which('curl');
  if (path === null) return undefined;
  const words = [path, '-sS', '-m', '10', '-o', '/dev/null', `${subject.url}/agent/stream?${query}`];
  return Bun.spawn(words, { stdio: ['ignore', 'ignore', 'ignore'] });
}
