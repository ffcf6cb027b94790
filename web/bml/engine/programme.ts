/** The tuned service and the programme on air, as `browser` tells them (ARIB STD-B24 Vol. 2, 7.6.8 and 9.2). */
import type { BitMessage, ProgramInfoMessage } from '../../../lib/wire/data-broadcast.ts';
import type { ServiceIds } from './address.ts';
import type { Broadcaster } from './nvram.ts';

/** A service or an event of another one. */
export interface BroadcastReference extends ServiceIds {
  readonly eventId: number | undefined;
  /** Of a component of the service. */
  readonly component: number | undefined;
}

const REFERENCE =
  /^arib(?:-dc)?:\/\/([0-9a-f]+|-1)\.([0-9a-f]+|-1)\.([0-9a-f]+|-1)(?:;(?:[0-9a-f]+|-1))?(?:\.([0-9a-f]+|-1))?(?:\/([0-9a-f]{1,2}))?/i;

/** An id that is not known is −1, as documents write the tuned one. */
const hexId = (id: number | null): string => (id === null ? '-1' : id.toString(16).padStart(4, '0'));
const numbered = (id: number | null): string | null => (id === null ? null : `0x${hexId(id)}`);
/** No service has it. */
const UNKNOWN = -1;

export class Programme {
  #info: ProgramInfoMessage | undefined;
  #bit: BitMessage | undefined;

  get info(): ProgramInfoMessage | undefined {
    return this.#info;
  }

  get ids(): ServiceIds | undefined {
    const { networkId, transportStreamId, serviceId } = this.#info ?? {};
    if (serviceId === undefined) return undefined;
    return { networkId: networkId ?? UNKNOWN, transportStreamId: transportStreamId ?? UNKNOWN, serviceId };
  }

  take(info: ProgramInfoMessage): void {
    this.#info = info;
  }

  takeBit(bit: BitMessage): void {
    this.#bit = bit;
  }

  get broadcaster(): Broadcaster {
    const networkId = this.#info?.networkId ?? 0;
    const serviceId = this.#info?.serviceId ?? 0;
    const bit = this.#bit?.networkId === networkId ? this.#bit : undefined;
    return {
      networkId,
      serviceId,
      broadcasterId: bit?.broadcasterId ?? undefined,
      affiliations: bit?.affiliations,
    };
  }

  get serviceReference(): string | null {
    if (this.#info === undefined) return null;
    const { networkId, transportStreamId, serviceId } = this.#info;
    return `arib://${hexId(networkId)}.${hexId(transportStreamId)}.${hexId(serviceId)}`;
  }

  get eventReference(): string | null {
    const eventId = this.#info?.eventId ?? null;
    return eventId === null ? null : `${this.serviceReference}.${hexId(eventId)}`;
  }

  /** getProgramID. */
  id(type: number): string | null {
    const info = this.#info;
    if (info === undefined) return null;
    switch (type) {
      case 1:
        return numbered(info.eventId);
      case 2:
        return numbered(info.serviceId);
      case 3:
      case 9:
        return numbered(info.networkId);
      case 4:
        return numbered(info.transportStreamId);
      case 6:
        return this.eventReference;
      case 7:
        return this.serviceReference;
      default:
        return null;
    }
  }

  /** Undefined: not the address of a service or an event. −1 stands for the tuned one. */
  reference(text: string): BroadcastReference | undefined {
    const match = REFERENCE.exec(text.trim());
    const info = this.#info;
    if (match === null || info === undefined) return undefined;
    const number = (at: number, tuned: number | null): number =>
      match[at] === '-1' ? (tuned ?? UNKNOWN) : Number.parseInt(match[at] ?? '', 16);
    const event = match[4] === '-1' ? (info.eventId ?? undefined) : match[4];
    return {
      networkId: number(1, info.networkId),
      transportStreamId: number(2, info.transportStreamId),
      serviceId: number(3, info.serviceId),
      eventId: typeof event === 'string' ? Number.parseInt(event, 16) : event,
      component: match[5] === undefined ? undefined : Number.parseInt(match[5], 16),
    };
  }

  isTuned({ networkId, serviceId }: BroadcastReference): boolean {
    return networkId === this.#info?.networkId && serviceId === this.#info.serviceId;
  }

  isOnAir(reference: BroadcastReference): boolean {
    return (
      this.isTuned(reference) && reference.eventId !== undefined && reference.eventId === this.#info?.eventId
    );
  }
}
