/** How much of this device is used for what is saved, and what the service will be told. */
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { SwitchButton } from '../ui/switch-button.tsx';
import { quoted } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';
import { savedState } from './saved-state.ts';
import type { SavedVideo } from './saved-video.ts';
import { cancelDeletion } from './saving.ts';
import { removesWatched } from './series.ts';
import { notSent, sendSaved } from './start.ts';
import { TEXTS } from './texts.ts';

interface Space {
  readonly estimate: StorageEstimate;
  readonly isPersistent: boolean;
}

function useSpace(videos: readonly SavedVideo[]): Space | undefined {
  const [space, setSpace] = useState<Space | undefined>(undefined);
  const ready = videos.filter(({ state }) => state === 'ready').length;
  useEffect(() => {
    if (!('storage' in navigator)) return;
    const read = async (): Promise<void> => {
      const [estimate, isPersistent] = await Promise.all([
        navigator.storage.estimate(),
        navigator.storage.persisted(),
      ]);
      setSpace({ estimate, isPersistent });
    };
    void read().catch(() => undefined);
  }, [ready]);
  return space;
}

export function Storage({ videos }: { videos: readonly SavedVideo[] }) {
  const space = useSpace(videos);
  const saved = videos.filter(({ state }) => state === 'ready');
  if (saved.length === 0) return null;
  const bytes = saved.reduce((sum, { video }) => sum + (video?.size ?? 0), 0);
  const { quota, usage } = space?.estimate ?? {};
  const part = quota === undefined || quota === 0 ? undefined : Math.min(1, (usage ?? bytes) / quota);
  return (
    <section>
      <h2>{TEXTS.storage}</h2>
      <p class="numbers">
        {TEXTS.used(bytes, saved.length)}
        {quota === undefined ? '' : `・${TEXTS.free(Math.max(0, quota - (usage ?? 0)))}`}
      </p>
      {part === undefined ? null : (
        <div
          class="progress"
          role="progressbar"
          aria-label={TEXTS.usedPart}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(part * 100)}
        >
          <div class="progress-fill" style={{ '--part': part.toFixed(4) }} />
        </div>
      )}
      <SwitchButton label={TEXTS.removesWatched} value={removesWatched} />
      <p class="muted tone-text">{TEXTS.removesWatchedNote}</p>
      {space?.isPersistent === false ? <p class="muted tone-text">{TEXTS.notPersistent}</p> : null}
    </section>
  );
}

export function Outbox() {
  const { outbox = [], resumes = [] } = savedState.value ?? {};
  if (outbox.length === 0 && resumes.length === 0) return null;
  const reasonOf = (id: number): string | undefined => notSent.value.find((one) => one.id === id)?.reason;
  return (
    <section>
      <h2>{TEXTS.outbox}</h2>
      <ul class="unlisted gap-50 no-padding stack below-75 above-75">
        {outbox.map(({ id, entry }) => (
          <li class="surface bordered round-m gap-75 cluster pad-2" key={id}>
            <span class="gap-25 min-0 stack basis-16">
              {TEXTS.outboxDelete(quoted(splitTitle(entry.name).title))}
              {reasonOf(id) === undefined ? null : (
                <span class="muted tone-text" data-tone="bad">
                  {reasonOf(id)}
                </span>
              )}
            </span>
            <button type="button" class="button button-small" onClick={() => void cancelDeletion(id)}>
              {TEXTS.outboxCancel}
            </button>
          </li>
        ))}
        {resumes.length === 0 ? null : (
          <li class="surface bordered round-m gap-75 cluster pad-2">{TEXTS.outboxPlaces(resumes.length)}</li>
        )}
      </ul>
      <button type="button" class="button" onClick={() => void sendSaved()}>
        <Icon name="retry" />
        {TEXTS.outboxSend}
      </button>
    </section>
  );
}
