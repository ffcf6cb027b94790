/** Functions of `browser` for programmes, time, captions and sound (ARIB STD-B24 Vol. 2, 7.6.2, 7.6.8, 7.6.15). */
import type { PageRequest } from '../bml-messages.ts';
import type { Value } from '../script/values.ts';
import { isRemote } from './address.ts';
import { addToDate, formatNumber, subtractDates } from './broadcast-clock.ts';
import type { BrowserContext, BrowserFunctions } from './browser-context.ts';

const MEDIA_SUPPORTED = ['1', '2', '4'];

/** Asks the page; the script waits for the number. */
export function askPage(
  context: BrowserContext,
  request: PageRequest,
): ReturnType<BrowserContext['tasks']['suspend']> {
  return context.tasks.suspend(
    context.request(request).then((answer) => (typeof answer === 'number' ? answer : Number.NaN)),
  );
}

function reservation(
  type: 'reserve' | 'cancelReservation' | 'isReserved',
  isRecording: boolean,
): BrowserFunctions[string] {
  return {
    params: ['string'],
    call: (context, [reference]) => {
      const event = context.programme.reference(String(reference));
      if (event?.eventId === undefined || context.isUnloading) return Number.NaN;
      return askPage(context, { type, event, isRecording });
    },
  };
}

interface Times {
  readonly startAt: number | null;
  readonly durationMs: number | null;
}

/** Of the programme on air at once, of others from the page. */
function eventTimes(
  context: BrowserContext,
  reference: string,
  result: (times: Times | undefined) => Value,
): ReturnType<BrowserFunctions[string]['call']> {
  const event = context.programme.reference(reference);
  if (event?.eventId === undefined) return result(undefined);
  if (context.programme.isOnAir(event)) return result(context.programme.info);
  return context.tasks.suspend(
    context
      .request({ type: 'eventTimes', event })
      .then((answer) =>
        result(
          typeof answer === 'object'
            ? { startAt: answer.startAt, durationMs: answer.durationMs ?? null }
            : undefined,
        ),
      ),
  );
}

export const PROGRAMME_FUNCTIONS: BrowserFunctions = {
  epgGetEventStartTime: {
    params: ['string'],
    call: (context, [reference]) =>
      eventTimes(context, String(reference), (times) =>
        times === undefined || times.startAt === null ? null : context.machine.date(times.startAt),
      ),
  },
  epgGetEventDuration: {
    params: ['string'],
    call: (context, [reference]) =>
      eventTimes(context, String(reference), (times) =>
        times === undefined || times.durationMs === null ? Number.NaN : Math.floor(times.durationMs / 1000),
      ),
  },
  epgTune: {
    params: ['string'],
    call: (context, [reference]) => {
      const service = context.programme.reference(String(reference));
      if (service === undefined || context.isUnloading) return Number.NaN;
      return askPage(context, { type: 'tune', service });
    },
  },
  epgTuneToComponent: {
    params: ['string'],
    call: (context, [reference]) => {
      const service = context.programme.reference(String(reference));
      if (service?.component === undefined || context.isUnloading) return Number.NaN;
      return askPage(context, { type: 'tune', service });
    },
  },
  epgReserve: reservation('reserve', false),
  epgCancelReservation: reservation('cancelReservation', false),
  epgIsReserved: reservation('isReserved', false),
  epgRecReserve: reservation('reserve', true),
  epgRecCancelReservation: reservation('cancelReservation', true),
  epgRecIsReserved: reservation('isReserved', true),
  setCurrentDateMode: {
    params: ['number'],
    call: (_context, [mode]) => (mode === 0 || mode === 1 ? 1 : Number.NaN),
  },
  getProgramRelativeTime: {
    call: ({ broadcast, programme }) => {
      const startAt = programme.info?.startAt ?? null;
      return startAt === null ? Number.NaN : Math.floor((broadcast.now() - startAt) / 1000);
    },
  },
  isBeingBroadcast: {
    params: ['string'],
    call: ({ programme }, [reference]) => {
      const event = programme.reference(String(reference));
      return event !== undefined && programme.isOnAir(event);
    },
  },
  getProgramID: { params: ['number'], call: ({ programme }, [type]) => programme.id(Number(type)) },
  getNPT: {
    call: ({ address, broadcast }) => (isRemote(address) ? Number.NaN : broadcast.npt(address.component)),
  },
  isSupportedMedia: {
    params: ['string'],
    call: (_context, [media]) => (MEDIA_SUPPORTED.includes(String(media)) ? 1 : 0),
  },
  getTuningLinkageSource: { call: () => '' },
  getTuningLinkageType: { call: () => 0 },

  subDate: {
    params: ['any', 'any', 'number'],
    call: ({ machine }, [target, base, unit]) =>
      subtractDates(
        machine.timeOf(target) ?? Number.NaN,
        machine.timeOf(base) ?? Number.NaN,
        Number(unit ?? 0),
      ),
  },
  addDate: {
    params: ['any', 'number', 'number'],
    call: ({ machine }, [base, amount, unit]) => {
      const time = machine.timeOf(base);
      return time === undefined
        ? Number.NaN
        : machine.date(addToDate(time, Number(amount), Number(unit ?? 0)));
    },
  },
  formatNumber: { params: ['number'], call: (_context, [value]) => formatNumber(Number(value)) },
  random: {
    params: ['number'],
    call: ({ random }, [count]) => {
      const most = Number(count);
      return most >= 1 ? Math.floor(random() * most) + 1 : Number.NaN;
    },
  },

  setCCDisplayStatus: {
    params: ['number', 'boolean'],
    call: (context, [language, isShown]) =>
      askPage(context, { type: 'captions', language: Number(language), isShown: isShown === true }),
  },
  getCCDisplayStatus: {
    params: ['number'],
    call: ({ media }, [language]) => (media.captionShown === language ? 1 : 0),
  },
  getCCLanguageStatus: {
    params: ['number'],
    call: ({ media }, [language]) => (media.captionLanguages.includes(Number(language)) ? 1 : 0),
  },
};
