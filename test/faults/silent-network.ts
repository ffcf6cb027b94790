/** A network between service and agent that may fall silent: connections stay, nothing passes. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class SilentNetwork {
  readonly #server: Server;
  readonly #ends = new Set<Socket>();
  #isSilent = false;
  #agentPort = 0;

  constructor() {
    this.#server = createServer((client) => this.#join(client)).listen(0, '127.0.0.1');
  }

  /** The address under which the service reaches the agent. */
  to(agentUrl: string): string {
    this.#agentPort = Number(new URL(agentUrl).port);
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return `http://127.0.0.1:${address.port}`;
  }

  silence(isSilent: boolean): void {
    this.#isSilent = isSilent;
    for (const end of this.#ends) {
      if (isSilent) end.pause();
      else end.resume();
    }
  }

  close(): void {
    for (const end of this.#ends) end.destroy();
    this.#server.close();
  }

  #join(client: Socket): void {
    const agent = connect(this.#agentPort, '127.0.0.1');
    this.#pass(client, agent);
    this.#pass(agent, client);
  }

  #pass(from: Socket, to: Socket): void {
    this.#ends.add(from);
    from.on('data', (bytes) => {
      if (!to.write(bytes)) from.pause();
    });
    to.on('drain', () => {
      if (!this.#isSilent) from.resume();
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#ends.delete(from);
      to.destroy();
    });
    if (this.#isSilent) from.pause();
  }
}
