/** Adapts the runtime's WebSockets to the interface for features (`http/route/server-interfaces.ts`). */
import type { Requester } from '../model/requester.ts';
import type { OpenStreams } from './open-streams.ts';
import type { SocketConnection, SocketEndpoint, SocketPeer } from './route/server-interfaces.ts';

export interface SocketData {
  /** The client that its ticket was issued for. */
  readonly requester: Requester;
  /** Set when it is open. */
  peer?: SocketPeer | undefined;
  /** Set when it is open: stops checking whether its access was revoked. */
  forget?: () => void;
}

/** A client that answers no ping of the runtime for this long is disconnected, s. */
const IDLE_TIMEOUT_S = 60;
/** A client that does not read is cut off when this much is queued for it, octets. */
const BACKPRESSURE_LIMIT = 64 * 1024 * 1024;

/** @param isLetIn repeated when sessions or tokens change; sockets without access are closed */
export function socketHandlers(
  endpoint: SocketEndpoint | undefined,
  streams: Pick<OpenStreams, 'hold'>,
  isLetIn: (requester: Requester) => boolean,
): Bun.WebSocketHandler<SocketData> {
  return {
    idleTimeout: IDLE_TIMEOUT_S,
    backpressureLimit: BACKPRESSURE_LIMIT,
    closeOnBackpressureLimit: true,
    maxPayloadLength: endpoint?.maxMessageBytes ?? 0,
    // Media is already compressed.
    perMessageDeflate: false,
    open: (socket) => {
      const { requester } = socket.data;
      socket.data.forget = streams.hold(
        () => isLetIn(requester),
        () => socket.terminate(),
      );
      socket.data.peer = endpoint?.open(connectionOf(socket), requester);
    },
    message: (socket, data) => socket.data.peer?.message(data),
    drain: (socket) => socket.data.peer?.drained(),
    close: (socket) => {
      const { peer, forget } = socket.data;
      forget?.();
      socket.data.peer = undefined;
      peer?.closed();
    },
  };
}

function connectionOf(socket: Bun.ServerWebSocket<SocketData>): SocketConnection {
  return {
    send: (message) => void socket.sendBinary(message),
    get waiting() {
      return socket.getBufferedAmount();
    },
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
}
