/** A server that breaks HTTP, octet by octet, for tests of clients. Each path is one fault. */
import net from 'node:net';
import type { WebServer } from './server.ts';

const DRIP_MS = 200;
const HEADERS = 1_000;
const BLOCK = 'a'.repeat(16_384);
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

/** Writes the same again and again, as fast as the client reads. */
function flood(socket: net.Socket, text: string): void {
  const next = (): void => {
    if (socket.destroyed) return;
    if (socket.write(text)) setImmediate(next);
    else socket.once('drain', next);
  };
  next();
}

function drip(socket: net.Socket): void {
  const timer = setInterval(() => socket.write('a'), DRIP_MS);
  socket.once('close', () => clearInterval(timer));
}

const FAULTS: Readonly<Record<string, (socket: net.Socket) => void>> = {
  /** One octet at a time, so that no limit of idle time ends it. */
  '/drip': (socket) => {
    socket.write(`${OK}Content-Length: 1000000\r\n\r\n`);
    drip(socket);
  },
  '/drip-head': (socket) => {
    socket.write(`${OK}X: `);
    drip(socket);
  },
  '/silent': () => {},
  '/endless': (socket) => {
    socket.write(`${OK}\r\n`);
    flood(socket, BLOCK);
  },
  '/endless-chunks': (socket) => {
    socket.write(CHUNKED);
    flood(socket, `${BLOCK.length.toString(16)}\r\n${BLOCK}\r\n`);
  },
  '/headers': (socket) => {
    const many = Array.from({ length: HEADERS }, (_, index) => `X-${index}: a\r\n`).join('');
    socket.end(`${OK}${many}Content-Length: 2\r\n\r\nok`);
  },
  '/long-header': (socket) => {
    socket.write(`${OK}X: `);
    flood(socket, BLOCK);
  },
  '/many-headers': (socket) => {
    socket.write(OK);
    flood(socket, `X: ${BLOCK}\r\n`);
  },
  /** HTTP/0.9: no head. */
  '/0.9': (socket) => socket.end('<html>hello</html>'),
  /** The chunk is shorter than its size. */
  '/short-chunk': (socket) => socket.end(`${CHUNKED}ff\r\nab\r\n`),
  '/negative-chunk': (socket) => socket.end(`${CHUNKED}-5\r\nab\r\n0\r\n\r\n`),
  '/huge-chunk': (socket) => {
    socket.write(`${CHUNKED}ffffffffffffffff\r\n`);
    flood(socket, BLOCK);
  },
  '/chunk-extension': (socket) => {
    socket.write(`${CHUNKED}1;`);
    flood(socket, BLOCK);
  },
  '/trailers': (socket) => {
    socket.write(`${CHUNKED}0\r\n`);
    flood(socket, `X: ${BLOCK}\r\n`);
  },
  '/short-body': (socket) => socket.end(`${OK}Content-Length: 100\r\n\r\nab`),
  '/long-body': (socket) => socket.end(`${OK}Content-Length: 2\r\n\r\nab${BLOCK}`),
  '/two-lengths': (socket) => socket.end(`${OK}Content-Length: 2\r\nContent-Length: 5\r\n\r\nab`),
  '/interim': (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'),
  '/truncated-gzip': (socket) => {
    const half = Bun.gzipSync(Buffer.from(BLOCK)).subarray(0, 30);
    socket.write(`${OK}Content-Encoding: gzip\r\nContent-Length: ${half.length}\r\n\r\n`);
    socket.end(half);
  },
  '/unknown-coding': (socket) =>
    socket.end(`${OK}Content-Encoding: gzip, gzip\r\nContent-Length: 2\r\n\r\nab`),
  '/reset': (socket) => socket.resetAndDestroy(),
};

/** @param port 0: a free one */
export async function startHostile(port: number): Promise<WebServer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', (head) => {
      const path = head.toString('latin1').split(' ')[1] ?? '';
      const fault = Object.hasOwn(FAULTS, path) ? FAULTS[path] : undefined;
      if (fault === undefined) socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      else fault(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
