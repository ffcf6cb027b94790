/** Which tuner a user gets: ranks, selection rules 1 to 6, priorities, hand-over. */
import { until } from '../until.ts';
import { CHANNEL } from './channels.ts';
import type { Rule } from './rule.ts';
import { holds, type Stream, type Subject, same, tuner } from './subject.ts';

const [A, B, C, D] = ['GR/T21', 'GR/T22', 'GR/T23', 'GR/T24'];

/** Two tuners; the one later in rank supports all types. */
async function twoRanks(subject: Subject): Promise<void> {
  await subject.define(tuner('wide', 'GR', 'BS'), tuner('narrow', 'GR'));
}

export const SELECTION: Rule[] = [
  {
    sentence:
      'Rank: fewer types first, equal counts by the position of their set, disabled ones null and last',
    async check(subject) {
      await subject.define(
        { ...tuner('off', 'GR'), disabled: true },
        tuner('all', 'GR', 'BS', 'CS'),
        tuner('bs', 'BS'),
        tuner('gr-1', 'GR'),
        tuner('sat', 'CS', 'BS'),
        tuner('gr-2', 'GR'),
      );
      same(
        (await subject.tuners()).map(({ id, rank }) => [id, rank]),
        [
          ...[
            ['bs', 0],
            ['gr-1', 1],
            ['gr-2', 1],
            ['sat', 2],
            ['all', 3],
          ],
          ['off', null],
        ],
        'ids and ranks in the order of the list',
      );
    },
  },
  {
    sentence: 'Rule 1: tuners are used in rank order',
    async check(subject) {
      await twoRanks(subject);
      same((await subject.open(A, { priority: 9 })).tuner, 'narrow', 'the first tuner');
      same((await subject.open(B, { priority: 9 })).tuner, 'wide', 'the second tuner');
    },
  },
  {
    sentence: 'Rule 2: the smallest rank is used also when it has to be taken from a lower priority',
    async check(subject) {
      await twoRanks(subject);
      const guide = await subject.open(A, { priority: 3 });
      const live = await subject.open(B, { priority: 9 });
      same([guide.tuner, live.tuner], ['narrow', 'narrow'], 'the tuners');
      await guide.ends('aborted');
      same((await subject.tuner('wide')).state, 'idle', 'the other tuner');
    },
  },
  {
    sentence: 'Rule 2: all users of lower priority are disconnected from the tuner that is taken',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const users = [await subject.open(A, { priority: 3 }), await subject.open(A, { priority: 9 })];
      await subject.open(B, { priority: 10, use: 'rec 1' });
      for (const user of users) await user.ends('aborted');
      same(await subject.uses('a'), ['rec 1'], 'the users');
    },
  },
  {
    sentence:
      'Rule 2: users of the same priority do not preempt each other: 409, and no other user is affected',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const holder = await subject.open(A, { priority: 9, use: 'holder' });
      await subject.refused(B, { priority: 9 }, 409);
      await subject.refused(B, { priority: 3 }, 409);
      await holder.undisturbed();
      same(await subject.uses('a'), ['holder'], 'the users');
    },
  },
  {
    sentence: 'Rule 2: one user of equal priority protects a tuner with lower ones beside it',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const users = [await subject.open(A, { priority: 3 }), await subject.open(A, { priority: 9 })];
      await subject.refused(B, { priority: 9 }, 409);
      for (const user of users) await user.undisturbed();
    },
  },
  {
    sentence: 'Rule 2: a chosen tuner that already has the channel is shared without retuning',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const guide = await subject.open(A, { priority: 3 });
      const live = await subject.open(A, { priority: 9 });
      same([live.tuner, live.process], [guide.tuner, guide.process], 'tuner and process');
      await guide.undisturbed();
    },
  },
  {
    sentence: 'Rule 2: a tuner that does not support the type, or is disabled, is never used: 409',
    async check(subject) {
      await subject.define(tuner('a', 'GR'), { ...tuner('b', 'BS'), disabled: true });
      await subject.refused('BS/BS01_0', { priority: 10 }, 409);
    },
  },
  {
    sentence: 'Rule 3: a channel that a user of equal or higher priority reads is shared on any tuner',
    async check(subject) {
      await twoRanks(subject);
      const first = await subject.open(A, { priority: 9, use: 'first' });
      const holder = await subject.open(B, { priority: 9 });
      first.leave();
      await until('the first has gone', async () => (await subject.uses('narrow')).length === 0);
      for (const priority of [9, 3, -1]) {
        const user = await subject.open(B, { priority });
        same(
          [user.tuner, user.process],
          ['wide', holder.process],
          `tuner and process at priority ${priority}`,
        );
      }
      await holder.undisturbed();
    },
  },
  {
    sentence: 'Rule 3: a tuning with lower priorities only is not shared beyond the first of its rank',
    async check(subject) {
      await twoRanks(subject);
      const first = await subject.open(A, { priority: 3 });
      const guide = await subject.open(B, { priority: 3 });
      same([first.tuner, guide.tuner], ['narrow', 'wide'], 'the tuners');
      const live = await subject.open(B, { priority: 9 });
      same(live.tuner, 'narrow', 'the tuner of the higher priority');
      await first.ends('aborted');
      await guide.undisturbed();
    },
  },
  {
    sentence:
      'Rule 3: users of a tuning stay on the same tuner until they end, also when a better one is free',
    async check(subject) {
      await twoRanks(subject);
      const first = await subject.open(A, { priority: 9 });
      const stays = await subject.open(B, { priority: 9 });
      first.leave();
      await until('the better tuner is free', async () => (await subject.uses('narrow')).length === 0);
      await stays.undisturbed();
      same((await subject.tuner('wide')).users.length, 1, 'users of the other tuner');
    },
  },
  {
    sentence: 'Rule 3: users of one channel share one tuning and read the same bytes',
    async check(subject) {
      await subject.define(tuner('a', 'GR'), tuner('b', 'GR'));
      const users = await Promise.all([1, 2, 3].map((number) => subject.open(A, { use: `user ${number}` })));
      same(new Set(users.map((user) => user.process)).size, 1, 'tunings');
      for (const user of users) await user.undisturbed();
      same((await subject.uses(users[0]?.tuner ?? '')).sort(), ['user 1', 'user 2', 'user 3'], 'the users');
    },
  },
  {
    sentence: 'Rule 4: a user named in after counts as gone, is ended normally, and its tuner is retuned',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const before = await subject.open(A, { priority: 10, use: 'rec 1' });
      const next = await subject.open(B, { priority: 10, use: 'rec 2', after: ['rec 1'] });
      await before.ends('clean');
      same([...next.stamps.labels], ['GR T22 0'], 'what the new user reads');
      same(await subject.uses('a'), ['rec 2'], 'the users');
    },
  },
  {
    sentence: 'Rule 4: after on the same channel retunes nothing and loses no packet',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const before = await subject.open(A, { priority: 10, use: 'rec 1' });
      const next = await subject.open(A, { priority: 11, use: 'rec 2', after: ['rec 1'] });
      await before.ends('clean');
      same(next.process, before.process, 'the tuning process');
      holds(next.stamps.first <= before.stamps.last + 1, 'packets are missing between the two users');
      await next.undisturbed();
    },
  },
  {
    sentence:
      'Rule 4: after may be given more than once; others of lower priority beside them lose the tuner',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const named = [
        await subject.open(A, { priority: 10, use: 'rec 1' }),
        await subject.open(A, { priority: 10, use: 'rec 2' }),
      ];
      const other = await subject.open(A, { priority: 9, use: 'live' });
      await subject.open(B, { priority: 10, use: 'rec 3', after: ['rec 1', 'rec 2'] });
      for (const user of named) await user.ends('clean');
      await other.ends('aborted');
    },
  },
  {
    sentence: 'Rule 4: a user of equal priority that is not named keeps its tuner',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const users = [
        await subject.open(A, { priority: 10, use: 'rec 1' }),
        await subject.open(A, { priority: 10, use: 'rec 2' }),
      ];
      await subject.refused(B, { priority: 10, after: ['rec 1'] }, 409);
      for (const user of users) await user.undisturbed();
    },
  },
  {
    sentence: 'Rule 4: named users on tuners that are not chosen are not touched',
    async check(subject) {
      await twoRanks(subject);
      const first = await subject.open(A, { priority: 10, use: 'first' });
      const named = await subject.open(B, { priority: 10, use: 'rec 1' });
      first.leave();
      await subject.lingers('narrow');
      const next = await subject.open(C, { priority: 10, after: ['rec 1'] });
      same([named.tuner, next.tuner], ['wide', 'narrow'], 'the tuners');
      await named.undisturbed();
    },
  },
  {
    sentence: 'Rule 4: named users that share the tuning of step 3 are not touched',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const named = await subject.open(A, { priority: 10, use: 'rec 1' });
      await subject.open(A, { priority: 10, use: 'rec 2' });
      await subject.open(A, { priority: 10, use: 'rec 3', after: ['rec 1'] });
      await named.undisturbed();
      same(await subject.uses('a'), ['rec 1', 'rec 2', 'rec 3'], 'the users');
    },
  },
  {
    sentence:
      'Rule 4: when the named user is gone or its tuner cannot take the type, the choice is the normal one',
    async check(subject) {
      await subject.define(tuner('a', 'GR'), tuner('b', 'BS'));
      const named = await subject.open(A, { priority: 10, use: 'rec 1' });
      same((await subject.open('BS/BS01_0', { priority: 10, after: ['rec 1'] })).tuner, 'b', 'the tuner');
      await subject.refused(B, { priority: 10, after: ['rec 77'] }, 409);
      await named.undisturbed();
    },
  },
  {
    sentence: 'Rule 4: if retuning fails the new user gets 500',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const before = await subject.open(A, { priority: 10, use: 'rec 1' });
      await subject.refused(CHANNEL.dead, { priority: 10, after: ['rec 1'] }, 500);
      await before.ends('clean');
    },
  },
  {
    sentence: 'Rule 5: a tuner is reserved with its user recorded while it is still being tuned',
    async check(subject) {
      await subject.define(tuner('a', 'GR'), tuner('b', 'GR'));
      const leaving = new AbortController();
      const slow = subject.ask(CHANNEL.silent, { priority: 9, use: 'slow' }, leaving);
      await until('the user is recorded', async () =>
        (await subject.tuners()).some(
          ({ state, users }) => state === 'tuning' && users.map((user) => user.use).includes('slow'),
        ),
      );
      const other = await subject.open(A, { priority: 9 });
      await subject.refused(B, { priority: 9 }, 409);
      await other.undisturbed();
      leaving.abort();
      await slow.catch(() => {});
    },
  },
  {
    sentence: 'Rule 5: users that come at the same moment get different tuners, and no more than there are',
    async check(subject) {
      await subject.define(tuner('a', 'GR'), tuner('b', 'GR'), tuner('c', 'GR'));
      const answers = await Promise.all([A, B, C, D].map((channel) => subject.ask(channel, { priority: 9 })));
      same(answers.map(({ status }) => status).sort(), [200, 200, 200, 409], 'the answers');
      const ids = answers.map(({ headers }) => headers.get('x-svc-tuner')).filter((id) => id !== null);
      same(ids.sort(), ['a', 'b', 'c'], 'the tuners');
      for (const answer of answers) await answer.body?.cancel();
    },
  },
  {
    sentence: 'Rule 6: a lingering tuning of the same channel first',
    async check(subject) {
      const { lingering, guide } = await crowded(subject);
      const user = await subject.open(A, { priority: 9 });
      same([user.tuner, user.process], [lingering.tuner, lingering.process], 'tuner and process');
      await guide.undisturbed();
    },
  },
  {
    sentence: 'Rule 6: then the tuner that is already on the channel',
    async check(subject) {
      const { guide } = await crowded(subject);
      const user = await subject.open(B, { priority: 9 });
      same([user.tuner, user.process], [guide.tuner, guide.process], 'tuner and process');
    },
  },
  {
    sentence: 'Rule 6: then another lingering tuning, before an idle tuner',
    async check(subject) {
      const { lingering, guide } = await crowded(subject);
      same((await subject.open(C, { priority: 9 })).tuner, lingering.tuner, 'the tuner');
      await guide.undisturbed();
    },
  },
  {
    sentence: 'Rule 6: then an idle tuner, before one that is taken away',
    async check(subject) {
      const { guide } = await crowded(subject);
      await subject.open(C, { priority: 9 });
      same((await subject.open(D, { priority: 9 })).tuner, 'c', 'the tuner');
      await guide.undisturbed();
    },
  },
  {
    sentence: 'Rule 6: at last the tuner of the lowest-priority opponent',
    async check(subject) {
      await subject.define(tuner('a', 'GR'), tuner('b', 'GR'), tuner('c', 'GR'));
      const guide = await subject.open(A, { priority: 3 });
      const logo = await subject.open(B, { priority: 1 });
      const live = await subject.open(C, { priority: 9 });
      same((await subject.open(D, { priority: 10 })).tuner, logo.tuner, 'the tuner');
      await logo.ends('aborted');
      for (const user of [guide, live]) await user.undisturbed();
    },
  },
  {
    sentence: 'Priorities: the larger one wins, and there is no lower bound',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const low = await subject.open(A, { priority: -1_000 });
      await subject.open(B, { priority: -999 });
      await low.ends('aborted');
    },
  },
  {
    sentence: 'Priorities: a user that waits for its first bytes and loses the tuner gets 500',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const waiting = subject.ask(CHANNEL.silent, { priority: 1 });
      await until('it waits', async () => (await subject.tuner('a')).state === 'tuning');
      await subject.open(A, { priority: 2 });
      same((await waiting).status, 500, 'the answer');
    },
  },
];

/** All of one rank: one lingers on A, a lower priority reads B, one is idle (`c`). */
async function crowded(subject: Subject): Promise<{ lingering: Stream; guide: Stream }> {
  await subject.define(tuner('a', 'GR'), tuner('b', 'GR'));
  const lingering = await subject.open(A, { priority: 3 });
  const guide = await subject.open(B, { priority: 3 });
  // The idle tuner is the first of the definition, so that its position alone would make it win.
  await subject.put('/agent/tuners', [tuner('c', 'GR'), tuner('a', 'GR'), tuner('b', 'GR')]);
  lingering.leave();
  await subject.lingers(lingering.tuner);
  return { lingering, guide };
}
