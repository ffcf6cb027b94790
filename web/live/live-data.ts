/** The data broadcast of the station that a player shows. */
import { computed, signal } from '@preact/signals';
import type { StationId } from '../../lib/arib/ids.ts';
import { createData, type PlayerData } from '../data/create-data.ts';
import { DATA } from '../player/side-tracks.ts';
import { stationById } from '../query/stations.ts';
import type { LivePlayer } from './live-player.ts';

interface Place {
  stationId(): StationId;
  toStation(id: StationId): void;
}

export function createLiveData(player: LivePlayer, { stationId, toStation }: Place): PlayerData {
  return createData({
    stationId,
    tune: (station) => {
      if (stationById(station) === undefined) return false;
      toStation(station);
      return true;
    },
    take: (taker) => player.side.take(DATA, (message) => taker.message(message)),
    isRecording: false,
    rate: signal(1),
    sounds: computed(() => ({
      options: player.tuned.value?.audios ?? [],
      chosen: player.tuned.value?.audio,
    })),
    setAudio: (id) => player.setAudio(id),
    captionLanguages: computed(() => player.captions.languages.value.map(({ index }) => index)),
    setLanguage: (language) => player.setLanguage(language),
  });
}
