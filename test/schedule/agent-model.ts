/**
 * A model of the tuner agent for recordings: the agent's own selection rules, over tuners that fail when a
 * test requests it.
 */
import type { PhysicalChannel } from '../../agent/select.ts';
import { select, type TunerView, type UserView } from '../../agent/select.ts';
import type { PlanTuner } from '../../src/schedule/plan/tuner-allocation.ts';

export class AgentModel {
  readonly #tuners: TunerView[];

  constructor(tuners: readonly PlanTuner[]) {
    this.#tuners = tuners.map(({ rank, types }, index) => ({
      id: String(index),
      rank,
      types,
      tuning: null,
      failed: false,
    }));
  }

  /**
   * @returns the tuner and the users whose streams ended; undefined: refused @throws if the stream of another
   * recording breaks
   */
  open(
    id: number,
    at: PhysicalChannel,
    after: readonly number[],
  ): { tuner: number; ended: number[] } | undefined {
    const use = after.map((other) => `rec ${other}`);
    const decision = select(this.#tuners, { ...at, priority: 10, after: use });
    if (decision.kind === 'refuse') return undefined;
    if (decision.kind === 'tune' && decision.abort.length > 0)
      throw new Error(`the stream of ${decision.abort} breaks for ${id}`);
    for (const user of decision.end) this.close(user);
    const tuner = Number(decision.tuner);
    const view = this.#tuners[tuner];
    // A device that is missing: the agent would answer 500.
    if (view === undefined || view.broken === true) return undefined;
    const user: UserView = { id, use: `rec ${id}`, priority: 10 };
    const others = decision.kind === 'share' ? (view.tuning?.users ?? []) : [];
    this.#tuners[tuner] = { ...view, tuning: { ...at, users: [...others, user] } };
    return { tuner, ended: [...decision.end] };
  }

  close(id: number): void {
    for (const [index, view] of this.#tuners.entries()) {
      if (view.tuning === null) continue;
      const users = view.tuning.users.filter((user) => user.id !== id);
      this.#tuners[index] = { ...view, tuning: { ...view.tuning, users } };
    }
  }

  /** Makes the device of a tuner fail or work again. @returns the users whose streams break */
  setBroken(tuner: number, broken: boolean): number[] {
    const view = this.#tuners[tuner];
    if (view === undefined) return [];
    this.#tuners[tuner] = { ...view, failed: broken, broken, tuning: broken ? null : view.tuning };
    return broken ? (view.tuning?.users ?? []).map(({ id }) => id) : [];
  }

  /** The users of each tuner. */
  readers(): number[][] {
    return this.#tuners.map(({ tuning }) => (tuning?.users ?? []).map(({ id }) => id));
  }
}
