/**
 * What a document asks the receiver for: another station, reservations, captions, sound. A document can ask as often as its
 * script likes: reservations are made and cancelled only after a question to the viewer, one at a time, and not again for a
 * while after a refusal.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import {
  eventId,
  networkId,
  type ProgramId,
  programId,
  type StationId,
  serviceId,
  splitStationId,
  stationId,
} from '../../lib/arib/ids.ts';
import type { ProgramDetail } from '../../lib/wire/api.ts';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { OPEN_RESERVATION_STATES } from '../../lib/wire/vocabulary.ts';
import type { ApplicationStart, EventTimes, PageRequest } from '../bml/bml-messages.ts';

type Reference = Extract<PageRequest, { type: 'tune' }>['service'];

export interface Question {
  readonly kind: 'reserve' | 'cancel';
  readonly program: ProgramDetail;
  readonly answer: (isAccepted: boolean) => void;
}

interface RequestHost {
  /** Of the document; undefined: unknown. */
  stationId(): StationId | undefined;
  /** @returns false: there is no such station, or none is watched */
  tune(station: StationId): boolean;
  /** Undefined: the guide has no such programme, or cannot be read. */
  program(id: ProgramId): Promise<ProgramDetail | undefined>;
  /** @returns whether it was done */
  reserve(program: ProgramDetail): Promise<boolean>;
  cancel(program: ProgramDetail): Promise<boolean>;
  /** @param language 1 to 8 @returns false: not broadcast */
  captions(language: number, isShown: boolean): boolean;
  /** @param component component_tag @param channel of dual mono, 1 to 3 @returns false: not broadcast */
  audio(component: number, channel: number | undefined): boolean;
  /** @returns whether the application starts */
  startApplication(start: ApplicationStart): Promise<boolean>;
  now(): MonotonicMs;
}

/** After a refusal no question is asked for this long: a script must not keep the viewer from leaving. */
const REFUSED_MS = 30_000;
const DONE = 1;

const BOOKED: ReadonlySet<string | undefined> = new Set(OPEN_RESERVATION_STATES);
const isBooked = (program: ProgramDetail): boolean => BOOKED.has(program.reservation?.state);

export class PageRequests {
  readonly #host: RequestHost;
  readonly #question = signal<Question | undefined>(undefined);
  #isBusy = false;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(host: RequestHost) {
    this.#host = host;
  }

  get question(): ReadonlySignal<Question | undefined> {
    return this.#question;
  }

  /** The document is gone: an open question is refused. */
  clear(): void {
    this.#question.peek()?.answer(false);
    this.#refusedAt = Number.NEGATIVE_INFINITY;
  }

  /** @returns as `PageRequest` says */
  async run(request: PageRequest): Promise<number | EventTimes | undefined> {
    switch (request.type) {
      case 'tune': {
        const station = this.#stationOf(request.service);
        return station !== undefined && this.#host.tune(station) ? DONE : Number.NaN;
      }
      case 'reserve':
        return await this.#change('reserve', request.event);
      case 'cancelReservation':
        return await this.#change('cancel', request.event);
      case 'isReserved': {
        const program = await this.#program(request.event);
        return program !== undefined && isBooked(program) ? 1 : 0;
      }
      case 'eventTimes': {
        const program = await this.#program(request.event);
        if (program === undefined) return undefined;
        const { start_at: startAt, end_at: endAt, open_end: isOpen } = program;
        return { startAt, durationMs: isOpen ? undefined : endAt - startAt };
      }
      case 'captions':
        return this.#host.captions(request.language, request.isShown) ? DONE : Number.NaN;
      case 'audio':
        return this.#host.audio(request.component, request.channel) ? DONE : Number.NaN;
      case 'startApplication':
        return (await this.#host.startApplication(request.start)) ? DONE : Number.NaN;
    }
  }

  async #change(kind: Question['kind'], event: Reference): Promise<number> {
    const host = this.#host;
    if (this.#isBusy || host.now() - this.#refusedAt < REFUSED_MS) return Number.NaN;
    this.#isBusy = true;
    try {
      const program = await this.#program(event);
      if (program === undefined) return Number.NaN;
      const isReserving = kind === 'reserve';
      if (isBooked(program) === isReserving) return isReserving ? DONE : Number.NaN;
      if (!(await this.#ask(kind, program))) {
        this.#refusedAt = host.now();
        return Number.NaN;
      }
      return (await (isReserving ? host.reserve(program) : host.cancel(program))) ? DONE : Number.NaN;
    } finally {
      this.#isBusy = false;
    }
  }

  #ask(kind: Question['kind'], program: ProgramDetail): Promise<boolean> {
    return new Promise((resolve) => {
      this.#question.value = {
        kind,
        program,
        answer: (isAccepted) => {
          this.#question.value = undefined;
          resolve(isAccepted);
        },
      };
    });
  }

  /** An id of -1 is that of the tuned service. */
  #stationOf(reference: Reference): StationId | undefined {
    const id = this.#host.stationId();
    const own = id === undefined ? undefined : splitStationId(id);
    if (own === undefined) return undefined;
    try {
      const network = reference.networkId < 0 ? own.networkId : networkId(reference.networkId);
      const service = reference.serviceId < 0 ? own.serviceId : serviceId(reference.serviceId);
      return stationId(network, service);
    } catch {
      return undefined;
    }
  }

  async #program(reference: Reference): Promise<ProgramDetail | undefined> {
    const station = this.#stationOf(reference);
    if (station === undefined || reference.eventId === undefined) return undefined;
    try {
      return await this.#host.program(programId(station, eventId(reference.eventId)));
    } catch {
      return undefined;
    }
  }
}
