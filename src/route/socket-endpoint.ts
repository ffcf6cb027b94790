/** The interface between the server and a feature that uses sockets. */

import type { Requester } from '../model/requester.ts';

/** One socket, for its feature. */
export interface SocketConnection {
  /** Binary; queued if the client reads slowly. */
  send(message: Uint8Array<ArrayBuffer>): void;
  /** Octets that were sent and wait for the client. */
  readonly waiting: number;
  /** Takes effect after everything that was sent. */
  close(code: number, reason?: string): void;
  /** Ends it at once. */
  terminate(): void;
}

export interface SocketPeer {
  /** Text, or the octets of a binary message, which are only valid during the call. */
  message(data: string | Uint8Array): void;
  /** The queue to the client is empty. */
  drained(): void;
  /** Called once; nothing is sent after it. */
  closed(): void;
}

export interface SocketEndpoint {
  readonly path: string;
  /** Maximum size of a client's message in octets; a longer one ends the connection. */
  readonly maxMessageBytes: number;
  /** The requester of the socket, whose address and Origin were checked. Undefined: 403. */
  admit(url: URL): Requester | undefined;
  open(connection: SocketConnection, requester: Requester): SocketPeer;
}
