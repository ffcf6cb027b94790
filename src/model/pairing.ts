/** Pairing of devices: codes that wait, and the access tokens that devices hold. */
import type { WallMs } from '../../host/clock.ts';

/** A code as it is stored. */
export type PairingCode = { readonly expiresAt: WallMs } & (
  | { readonly kind: 'pending' }
  /** A member opened its page and sent the form. */
  | { readonly kind: 'approved'; readonly approver: string }
  /** Its token was handed over. */
  | { readonly kind: 'consumed' }
);

/** An access token as people see it: the token itself is known to its device alone. */
export interface AccessToken {
  readonly id: number;
  /** As the device named itself. */
  readonly name: string;
  /** Epoch ms. */
  readonly pairedAt: WallMs;
  /** Epoch ms, to the minute; null: never. */
  readonly usedAt: WallMs | null;
  /** Who sent the form: a member's name or the address of a trusted network. */
  readonly approver: string;
}
