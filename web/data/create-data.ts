/** The data broadcast of what a player shows: what its documents ask of player, guide and reservations. */
import { computed, effect, type ReadonlySignal } from '@preact/signals';
import type { StationId } from '../../lib/arib/ids.ts';
import type { AudioOption, ProgramDetail } from '../../lib/wire/api.ts';
import type { MediaState } from '../bml/bml-messages.ts';
import type { ReceiverSettings } from '../bml/engine/nvram.ts';
import { BmlSession } from '../bml/session.ts';
import { captionLanguage, captionSettings, changeCaptions } from '../caption/caption-choice.ts';
import { monotonicNow } from '../device/clock.ts';
import { muted, volume } from '../device/preferences.ts';
import { addressOf } from '../query/api.ts';
import { programQuery } from '../query/queries.ts';
import { readBookings, reservationOf } from '../query/reservations.ts';
import { household, saveSetting } from '../query/settings.ts';
import { stationById } from '../query/stations.ts';
import { entryOf } from '../query/use-query.ts';
import { book, cancel } from '../reservations/actions.ts';
import { showToast } from '../ui/toast.tsx';
import { narrow } from '../words/channel.ts';
import { DataBroadcast, type DataHost } from './data-broadcast.ts';
import { PageRequests } from './page-requests.ts';
import { TEXTS } from './texts.ts';

export interface PlayerData {
  readonly data: DataBroadcast;
  readonly requests: PageRequests;
  close(): void;
}

/** What is heard: the number of its stream, and which sides of dual mono. */
type HeardSound = Pick<AudioOption, 'id' | 'stream' | 'side'>;

/** The player, as its documents see it. */
interface PlayerHost extends Pick<DataHost, 'take' | 'isRecording' | 'rate'> {
  stationId(): StationId | undefined;
  /** @returns false: not from here */
  tune(station: StationId): boolean;
  /** The sounds that can be chosen, and the one that is. */
  readonly sounds: ReadonlySignal<{
    readonly options: readonly HeardSound[];
    readonly chosen: string | undefined;
  }>;
  setAudio(id: string): void;
  /** Numbers (1 to 8) of the captions that are broadcast. */
  readonly captionLanguages: ReadonlySignal<readonly number[]>;
  setLanguage(language: number): void;
}

const UNSET_PREFECTURE = 255;

function receiver(): ReceiverSettings {
  const held = household.peek();
  const { postalCode = '', prefecture = UNSET_PREFECTURE } = held.kind === 'ready' ? held.settings : {};
  return { postalCode, prefecture };
}

/** Operation gives the sounds of a service these tags where the PMT is not known yet (ARIB TR-B14 Vol. 4). */
const FIRST_AUDIO = 0x10;
/** Channels of dual mono as documents count them. */
const DUAL_MONO_SIDES: Readonly<Record<number, AudioOption['side']>> = { 1: 'main', 2: 'sub', 3: 'both' };

/** Component and, of dual mono, channel of the sound that is heard. */
function soundOf(
  options: readonly HeardSound[],
  id: string | undefined,
  components: readonly number[],
): Pick<MediaState, 'audioComponent' | 'audioChannel'> {
  const heard = options.find((option) => option.id === id) ?? options[0];
  if (heard === undefined) return { audioComponent: undefined, audioChannel: undefined };
  const isDual = options.some(({ stream, side }) => stream === heard.stream && side !== 'both');
  const channel = Object.entries(DUAL_MONO_SIDES).find(([, side]) => side === heard.side)?.[0];
  return {
    audioComponent: components[heard.stream] ?? FIRST_AUDIO + heard.stream,
    audioChannel: isDual ? Number(channel) : undefined,
  };
}

async function programOf(id: ProgramDetail['id']): Promise<ProgramDetail | undefined> {
  const entry = entryOf(programQuery(id));
  await entry.renew();
  return entry.answer.peek().value;
}

async function cancelBooking(program: ProgramDetail): Promise<boolean> {
  await readBookings();
  const held = reservationOf(program.id) ?? program.reservation;
  if (held === null) return false;
  return await cancel({ id: held.id, title: program.name, state: held.state });
}

type Library = typeof import('../hybrid/hybrid.ts');
let library: Promise<Library> | undefined;

/** `hybrid.mjs`, with the first application that is started. */
function loadHybrid(): Promise<Library> {
  library ??= (import(addressOf('hybrid.mjs').href) as Promise<Library>).catch((error: unknown) => {
    library = undefined;
    throw error;
  });
  return library;
}

const narrowName = (id: StationId | undefined): string =>
  narrow((id === undefined ? undefined : stationById(id))?.name ?? '');

export function createData(player: PlayerHost): PlayerData {
  const requests = new PageRequests({
    stationId: () => player.stationId(),
    tune: (station) => player.tune(station),
    program: programOf,
    reserve: ({ id, name }) => book({ id, title: name }),
    cancel: cancelBooking,
    captions: (language, isShown) => {
      if (!player.captionLanguages.peek().includes(language)) return false;
      if (isShown) player.setLanguage(language);
      changeCaptions({ visible: isShown });
      return true;
    },
    audio: (component, channel) => {
      const at = data.audioComponents.indexOf(component);
      const stream = at < 0 ? component - FIRST_AUDIO : at;
      const options = player.sounds.peek().options.filter((option) => option.stream === stream);
      const side = channel === undefined ? undefined : DUAL_MONO_SIDES[channel];
      const chosen = options.find((option) => option.side === side) ?? options[0];
      if (chosen === undefined) return false;
      player.setAudio(chosen.id);
      return true;
    },
    startApplication: (start) => data.startApplication(start),
    now: monotonicNow,
  });
  const data: DataBroadcast = new DataBroadcast({
    take: (taker) => player.take(taker),
    isRecording: player.isRecording,
    rate: player.rate,
    createSession: (options) => new BmlSession(options),
    receiver,
    media: computed<MediaState>(() => {
      const captionLanguages = player.captionLanguages.value;
      const isShown = captionSettings.value.visible && captionLanguages.includes(captionLanguage.value);
      const { options, chosen } = player.sounds.value;
      return {
        captionLanguages,
        captionShown: isShown ? captionLanguage.value : undefined,
        ...soundOf(options, chosen, data.audioComponents),
      };
    }),
    // A recording never communicates: the service refuses, too.
    abilities: computed(() => {
      const held = household.value;
      const isOn = !player.isRecording && held.kind === 'ready' && held.settings.bidirectional === true;
      return { network: isOn, applications: isOn };
    }),
    volume: computed(() => (muted.value ? 0 : volume.value)),
    request: (request) => requests.run(request),
    savePostalCode: (postalCode) => void saveSetting({ postalCode }).catch(() => undefined),
    application: {
      load: loadHybrid,
      base: () => document.baseURI,
      storage: () => localStorage,
      region: receiver,
      station: () => narrowName(player.stationId()),
      focusPage: () => document.getElementById('main')?.focus({ preventScroll: true }),
    },
    onApplicationFailed: (fault) => showToast(TEXTS.applicationFaults[fault].title, undefined, 'data'),
    onLaunchFailed: (fault) => showToast(TEXTS.launchFaults[fault], undefined, 'data'),
    onWaiting: () => showToast(TEXTS.waiting, undefined, 'data'),
    now: monotonicNow,
    later: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  });
  const stop = effect(() => {
    const { kind } = data.state.value;
    if (kind === 'off' || kind === 'ended') requests.clear();
  });
  return {
    data,
    requests,
    close: () => {
      data.leave();
      stop();
    },
  };
}
