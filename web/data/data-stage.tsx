/** The data broadcast on the stage of a player: its page, its remote control, its questions, and the keys. */
import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Station } from '../../lib/wire/api.ts';
import { onEveryBack } from '../navigation/back.ts';
import { lazy } from '../ui/lazy.tsx';
import { narrow } from '../words/channel.ts';
import { holeOf, isOwnControl, listenToDataKeys, type PageState, pageOf, stageStyle } from './data-view.ts';
import type { LateData } from './late-data.ts';

const LateDataPage = lazy({
  styles: [],
  load: async () => (await import('./data-page.tsx')).DataPage,
});
const LateDataQuestions = lazy({
  styles: [],
  load: async () => (await import('./data-questions.tsx')).DataQuestions,
});
const LateDataRemote = lazy({
  styles: [],
  load: async () => (await import('./data-remote.tsx')).DataRemote,
});

/** What the stage and its `main` element show of it. */
interface DataView {
  /** `data-page`; undefined: the player's picture is as without it. */
  readonly page: PageState | undefined;
  readonly stage: Readonly<Record<string, unknown>>;
  readonly isRemoteShown: Signal<boolean>;
}

/** Keys and Back belong to the page while it is there. @param main gets the focus */
export function useDataView(live: LateData | undefined, main: RefObject<HTMLElement | null>): DataView {
  const data = live?.loaded.value?.data;
  const isRemoteShown = useSignal(!matchMedia('(hover: hover)').matches);
  const focusPicture = (): void => main.current?.focus({ preventScroll: true });
  useEffect(() => {
    if (data === undefined) return undefined;
    const isLeft = (): boolean => {
      if (!data.isOpen) return false;
      data.leave();
      return true;
    };
    const stops = [listenToDataKeys(data, focusPicture), onEveryBack(isLeft)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [data]);
  const page = data === undefined ? undefined : pageOf(data);
  // With the change itself: a key that follows at once moves the focus already.
  useLayoutEffect(() => {
    // The arrows are the document's: no control that is hidden keeps the focus.
    if (page !== undefined && page !== 'ended' && !isOwnControl()) focusPicture();
  }, [page]);
  const stage = {
    'data-page': page,
    'data-hole': page === 'shown' && data !== undefined ? holeOf(data) : undefined,
    'data-picture': data?.application.isVideoAbove.value === true ? 'above' : undefined,
    'data-remote': isRemoteShown.value ? '' : undefined,
    style: data === undefined ? undefined : stageStyle(data),
  };
  return { page, stage, isRemoteShown };
}

interface DataStageProps {
  readonly live: LateData;
  readonly view: DataView;
  readonly station: Pick<Station, 'id' | 'name' | 'logo'> | undefined;
}

export function DataStage({ live, view: { page, isRemoteShown }, station }: DataStageProps) {
  const loaded = live.loaded.value;
  if (loaded === undefined) return null;
  return (
    <>
      <LateDataPage
        data={loaded.data}
        station={station}
        isRemoteShown={isRemoteShown.value}
        onRemote={() => {
          isRemoteShown.value = !isRemoteShown.value;
        }}
      />
      {page === undefined ? null : <LateDataRemote data={loaded.data} />}
      <LateDataQuestions {...loaded} station={narrow(station?.name ?? '')} />
    </>
  );
}
