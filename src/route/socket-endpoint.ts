/** What the server and a feature that speaks over sockets know of each other. */

import type { Requester } from '../model/requester.ts';

/** One socket, as its feature sees it. */
export interface SocketConnection {
  /** Binary; queued where the client takes it slowly. */
  send(message: Uint8Array<ArrayBuffer>): void;
  /** Octets that were sent and wait for the client. */
  readonly waiting: number;
  /** After everything that was sent. */
  close(code: number, reason?: string): void;
  /** Ends it at once. */
  terminate(): void;
}

export interface SocketPeer {
  /** Text, or the octets of a binary message, which are valid during the call only. */
  message(data: string | Uint8Array): void;
  /** The client took what waited. */
  drained(): void;
  /** Called once; nothing is sent after it. */
  closed(): void;
}

export interface SocketEndpoint {
  readonly path: string;
  /** Octets of the longest message that a client may send; a longer one ends the connection. */
  readonly maxMessageBytes: number;
  /** For whom the socket will act; its address and Origin were checked. Undefined: 403. */
  admit(url: URL): Requester | undefined;
  open(connection: SocketConnection): SocketPeer;
}
