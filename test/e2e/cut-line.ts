/** A line between a browser and the service that can be cut: connections end, and new ones are refused. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class CutLine {
  #server: Server | undefined;
  #port = 0;
  readonly #ends = new Set<Socket>();

  constructor(private readonly to: () => number) {}

  get port(): number {
    return this.#port;
  }

  /** Open, on the same port as before. */
  async join(): Promise<void> {
    const server = createServer((client) => {
      const service = connect(this.to(), '127.0.0.1');
      this.#pass(client, service);
      this.#pass(service, client);
    });
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    this.#port = address.port;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const end of this.#ends) end.destroy();
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  #pass(from: Socket, to: Socket): void {
    this.#ends.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#ends.delete(from);
      to.destroy();
    });
  }
}
