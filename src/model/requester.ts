/** The origin of a request, as determined by the access decision (`access/access.ts`). Values only. */
import { ownerOf } from '../../lib/host/networks.ts';

/** How a request was let in. The order of precedence: token, network, session. */
export type LetIn =
  /** The path needs no credentials; the client's were not checked. */
  | { by: 'open' }
  /** The client's address is in a trusted network, spelled as configured. */
  | { by: 'network'; address: string; network: string }
  /** A login session: its row, and the name from the identity provider. */
  | { by: 'session'; sessionId: number; name: string }
  /** An access token of a paired device: its row. */
  | { by: 'token'; tokenId: number };

export interface Requester {
  letIn: LetIn;
  /** The client's address in canonical form. */
  address: string;
}

/** Whom a requester's places are counted for: a device, a browser, else an address (IPv6: its /64). */
export function requesterKey({ letIn, address }: Requester): string {
  if (letIn.by === 'token') return `token ${letIn.tokenId}`;
  return letIn.by === 'session' ? `session ${letIn.sessionId}` : ownerOf(address);
}
