/** The data broadcast of the recording that a player shows, in step with its picture. */
import { computed, effect, type ReadonlySignal, untracked } from '@preact/signals';
import type { StationId } from '../../lib/arib/ids.ts';
import type { AudioSide } from '../../lib/wire/vocabulary.ts';
import { captionLanguage } from '../caption/caption-choice.ts';
import { createData, type PlayerData } from '../data/create-data.ts';
import type { DataTaker } from '../data/data-broadcast.ts';
import { RecordedMessages } from '../data/recorded-messages.ts';
import { monotonicNow } from '../device/clock.ts';
import type { CaptionTrack } from './caption-track.ts';
import type { WatchPlayer } from './watch-player.ts';
import type { WatchSource } from './watch-source.ts';

interface WatchDataHost {
  readonly player: WatchPlayer;
  /** Of the recording. */
  stationId(): StationId | undefined;
  readonly captions: ReadonlySignal<CaptionTrack | undefined>;
}

function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Follows the player from now on, also to another file of the recording. @returns stops it */
function follow(player: WatchPlayer, rate: ReadonlySignal<number>, taker: DataTaker): () => void {
  let followed: WatchSource | undefined;
  let messages: RecordedMessages | undefined;
  const open = (source: WatchSource | undefined): void => {
    messages?.close();
    messages = undefined;
    followed = source;
    if (source === undefined) return;
    if (source.data === undefined) {
      // Whoever takes the messages has only begun to.
      later(0, () => taker.failed('noBroadcast'));
      return;
    }
    messages = new RecordedMessages(
      {
        items: source.data,
        isGrowing: () => player.isGrowing,
        position: () => player.place,
        rate: () => rate.peek(),
        broadcastAt: source.broadcastAt,
        now: monotonicNow,
        later,
      },
      taker,
    );
  };
  const stop = effect(() => {
    void [player.position.value, player.state.value, rate.value];
    untracked(() => {
      if (player.source === followed) messages?.moved();
      else open(player.source);
    });
  });
  return () => {
    stop();
    messages?.close();
  };
}

/** The sound of an audio choice, whose id is `<stream>:<side>`. */
function soundsOf({ audios }: Pick<WatchSource, 'audios'>) {
  return audios.flatMap(({ id }) => {
    const [, stream, side] = /^(\d+):(main|sub|both)$/u.exec(id) ?? [];
    return stream === undefined ? [] : [{ id, stream: Number(stream), side: side as AudioSide }];
  });
}

export function createWatchData({ player, stationId, captions }: WatchDataHost): PlayerData {
  const rate = computed(() =>
    player.paused.value || player.state.value.kind !== 'playing' ? 0 : player.rate.value,
  );
  return createData({
    stationId,
    // The page of a programme of some time ago leads to no other station.
    tune: () => false,
    take: (taker) => follow(player, rate, taker),
    isRecording: true,
    rate,
    sounds: computed(() => {
      // With another recording the player opens, and its sounds are others.
      void player.state.value;
      return {
        options: player.source === undefined ? [] : soundsOf(player.source),
        chosen: player.audio.value,
      };
    }),
    setAudio: (id) => player.setAudio(id),
    captionLanguages: computed(() => {
      const state = captions.value?.state.value;
      return state?.kind === 'ready' ? state.languages.map(({ index }) => index) : [];
    }),
    setLanguage: (language) => {
      captionLanguage.value = language;
    },
  });
}
