/**
 * Power for the antenna's converter, which the tuners of a household share through one cable: only one of the tunings
 * with this setting supplies it. Two supplies on one cable can damage each other.
 */

export interface LnbMember {
  /** Switches the power of a running tuning; not called for the one that `join` selected. */
  setPower(on: boolean): void;
}

export class LnbSupply {
  readonly #members = new Set<LnbMember>();
  #powering: LnbMember | undefined;

  /** @returns whether the new tuning supplies power from its start */
  join(member: LnbMember): boolean {
    this.#members.add(member);
    if (this.#powering !== undefined) return false;
    this.#powering = member;
    return true;
  }

  /** Called when its power is off: the next one is switched on at once. */
  leave(member: LnbMember): void {
    if (!this.#members.delete(member) || this.#powering !== member) return;
    const [next] = this.#members;
    this.#powering = next;
    next?.setPower(true);
  }
}
