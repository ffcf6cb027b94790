/**
 * State transitions of a pairing code: one pure function, after RFC 8628 without denial. A code is pending until a
 * member approves it, then it is exchanged for a token once. It expires 10 minutes after it was issued, used or not.
 */
import type { WallMs } from '../../lib/host/clock.ts';
import { ownerOf } from '../../lib/host/networks.ts';
import type { PollError } from '../../lib/wire/api.ts';
import type { PairingCode, PendingCode } from '../model/pairing.ts';

export const CODE_LIFE_MS = 600_000;
/** Minimum interval of one device's polls. */
export const POLL_INTERVAL_MS = 5_000;
/** Limit of codes that wait for approval, of all devices together. */
const MAX_PENDING = 20;
/** Codes an address keeps when all places are taken: a household sets up a device at a time. */
const KEPT_OF_ADDRESS = 3;

export type PairingEvent =
  /** The device requests its token. `lastPollAt`: its previous request, null the first time. Epoch ms. */
  | { readonly kind: 'poll'; readonly at: WallMs; readonly lastPollAt: WallMs | null }
  /** A member sent the form. `approver`: for the list of devices. */
  | { readonly kind: 'approve'; readonly at: WallMs; readonly approver: string };

type PairingOutcome =
  | { readonly kind: 'error'; readonly error: PollError }
  /** Issue a token, in the name of the approver. */
  | { readonly kind: 'hand_over'; readonly approver: string }
  | { readonly kind: 'approved' }
  /** The form was already sent: nothing changes. */
  | { readonly kind: 'approved_before' }
  /** Unknown or expired. */
  | { readonly kind: 'not_approvable' };

interface PairingStep {
  /** The code afterwards; the same object if nothing needs to be stored. */
  readonly code: PairingCode | undefined;
  readonly outcome: PairingOutcome;
}

const failed = (error: PollError): PairingOutcome => ({ kind: 'error', error });

/** Used codes do not expire: a used code stays used, however late it is presented again. */
export function isExpired(code: PairingCode, at: WallMs): boolean {
  return code.kind !== 'consumed' && at >= code.expiresAt;
}

/**
 * Whether a further code can be issued to the address. When all places are taken, an address with few codes replaces the
 * oldest code of the one with most, so that nobody can occupy all places.
 * @param pending the next to expire first
 * @returns undefined: yes
 */
export function placeFor(
  pending: readonly PendingCode[],
  address: string,
): { readonly replaces: PendingCode } | { readonly freeAt: WallMs } | undefined {
  const [oldest] = pending;
  if (oldest === undefined || pending.length < MAX_PENDING) return undefined;
  const byOwner = Map.groupBy(pending, (one) => ownerOf(one.address));
  const own = byOwner.get(ownerOf(address)) ?? [];
  const most = [...byOwner.values()].reduce((a, b) => (b.length > a.length ? b : a));
  const [replaces] = most;
  const mayReplace = own.length < KEPT_OF_ADDRESS && most.length > KEPT_OF_ADDRESS;
  return mayReplace && replaces !== undefined ? { replaces } : { freeAt: oldest.expiresAt };
}

/** @param code undefined: unknown code */
export function nextPairingStep(code: PairingCode | undefined, event: PairingEvent): PairingStep {
  switch (event.kind) {
    case 'poll':
      return poll(code, event);
    case 'approve':
      return approve(code, event);
  }
}

function poll(
  code: PairingCode | undefined,
  { at, lastPollAt }: Extract<PairingEvent, { kind: 'poll' }>,
): PairingStep {
  if (code === undefined || code.kind === 'consumed') return { code, outcome: failed('invalid_grant') };
  if (isExpired(code, at)) return { code, outcome: failed('expired_token') };
  switch (code.kind) {
    case 'pending': {
      // If the clock was set back, the interval is unknown.
      const tooFast = lastPollAt !== null && at >= lastPollAt && at - lastPollAt < POLL_INTERVAL_MS;
      return { code, outcome: failed(tooFast ? 'slow_down' : 'authorization_pending') };
    }
    case 'approved':
      return {
        code: { kind: 'consumed', expiresAt: code.expiresAt },
        outcome: { kind: 'hand_over', approver: code.approver },
      };
  }
}

function approve(
  code: PairingCode | undefined,
  { at, approver }: Extract<PairingEvent, { kind: 'approve' }>,
): PairingStep {
  if (code === undefined || isExpired(code, at)) return { code, outcome: { kind: 'not_approvable' } };
  if (code.kind !== 'pending') return { code, outcome: { kind: 'approved_before' } };
  return {
    code: { kind: 'approved', expiresAt: code.expiresAt, approver },
    outcome: { kind: 'approved' },
  };
}
