/** Pairing of devices: pending codes, and the access tokens that devices have. */
import type { WallMs } from '../../lib/host/clock.ts';

/** A stored code. */
export type PairingCode = { readonly expiresAt: WallMs } & (
  | { readonly kind: 'pending' }
  /** A member opened its page and sent the form. */
  | { readonly kind: 'approved'; readonly approver: string }
  /** Its token was handed over. */
  | { readonly kind: 'consumed' }
);

/** An access token as shown to users: only its device knows the token itself. */
export interface AccessToken {
  readonly id: number;
  /** The name that the device sent. */
  readonly name: string;
  readonly pairedAt: WallMs;
  /** Epoch ms, to the minute; null: never. */
  readonly usedAt: WallMs | null;
  /** Who approved it: a member's name or the address of a trusted network. */
  readonly approver: string;
}

/** A code that waits for approval. */
export interface PendingCode {
  readonly id: number;
  /** Of the client that requested it. */
  readonly address: string;
  readonly expiresAt: WallMs;
}
