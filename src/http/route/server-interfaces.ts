/** The interfaces between the server and features, which do not depend on it: routes, sockets, other paths. */
import type { Elysia } from 'elysia';
import type { Requester } from '../../model/requester.ts';

/** Adds a feature's routes, with their description, to the application. */
export type AddRoutes = (app: Elysia) => void;

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

/** The interface between the server and the paths for television software, which have no description of their own. */
export interface TvPaths {
  handles(path: string): boolean;
  /** Whether a path's key, if it has one, is valid; asked again while a stream is open. */
  isAdmitted(path: string): boolean;
  /** @param call `base`: the address of the service that the client opened, with a final slash */
  answer(call: { request: Request; url: URL; path: string; base: string }): Promise<Response>;
}

/** Requests that are sent on to servers outside, for data broadcasts. Only pages of the service may cause them. */
export const PEER_PATHS = '/api/bml/';
/** Forwards forms and texts, which no other route accepts. */
export const PEER_POST_PATH = `${PEER_PATHS}post`;
