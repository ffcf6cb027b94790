/** The runtime's WebSockets as a feature sees them (`route/socket-endpoint.ts`). */
import type { SocketConnection, SocketEndpoint, SocketPeer } from '../route/socket-endpoint.ts';

export interface SocketData {
  /** Once it is open. */
  peer: SocketPeer | undefined;
}

/** A client that answers no ping of the runtime for so long is gone, s. */
const IDLE_TIMEOUT_S = 60;
/** A feature that goes on sending to a client that takes nothing. */
const BACKPRESSURE_LIMIT = 64 * 1024 * 1024;

export function socketHandlers(endpoint: SocketEndpoint | undefined): Bun.WebSocketHandler<SocketData> {
  return {
    idleTimeout: IDLE_TIMEOUT_S,
    backpressureLimit: BACKPRESSURE_LIMIT,
    closeOnBackpressureLimit: true,
    maxPayloadLength: endpoint?.maxMessageBytes ?? 0,
    // Media are compressed already.
    perMessageDeflate: false,
    open: (socket) => {
      socket.data.peer = endpoint?.open(connectionOf(socket));
    },
    message: (socket, data) => socket.data.peer?.message(data),
    drain: (socket) => socket.data.peer?.drained(),
    close: (socket) => {
      const { peer } = socket.data;
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
