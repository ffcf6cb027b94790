/** Who a request comes from, as the access decision (`access/access.ts`) found it. Values only. */

/** How a request was let in. The order of precedence: token, network, session. */
export type LetIn =
  /** The path needs no credentials; whether the client has any was not looked at. */
  | { by: 'open' }
  /** The client's address lies in a trusted network, named as it is configured. */
  | { by: 'network'; address: string; network: string }
  /** A login session: its row, and the name that the identity provider told. */
  | { by: 'session'; sessionId: number; name: string }
  /** An access token of a paired device: its row. */
  | { by: 'token'; tokenId: number };

export interface Requester {
  letIn: LetIn;
  /** The client's decided address in canonical form. */
  address: string;
}
