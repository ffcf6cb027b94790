/** Free space for recordings: a line above the list with warnings, and folder by folder in a sheet. */
import type { StorageFacts } from '../../lib/wire/api.ts';
import type { ApiFailure } from '../query/api.ts';
import { Icon } from '../ui/icon.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { adviceFor } from '../words/advice.ts';
import { bytesText } from '../words/bytes.ts';
import { FOLDER_STATE_WORDS } from '../words/folder-state.ts';
import { roomText } from '../words/recording.ts';
import {
  type FreeSpaceWarning,
  freeSpaceText,
  type Gauge,
  gaugeOf,
  type StorageFolder,
  shortageWords,
  usableBytes,
  warningsOf,
} from './free-space.ts';
import { TEXTS } from './texts.ts';

function percent(part: number): string {
  return `${(part * 100).toFixed(2)}%`;
}

/** A smaller share would be invisible on narrow gauges. */
const LEAST_FLOOR = 0.015;

function GaugeBar({ gauge, label, small = false }: { gauge: Gauge; label: string; small?: boolean }) {
  const floor = small ? 1 - gauge.floor >= LEAST_FLOOR : gauge.floor < 1;
  return (
    <span class="room-bar block-level relative clip pill track-color" role="img" aria-label={label}>
      <span class="room-own absolute at-top at-bottom" style={{ width: percent(gauge.recordings) }} />
      <span
        class="room-others absolute at-top at-bottom"
        style={{ left: percent(gauge.recordings), width: percent(gauge.others) }}
      />
      {floor ? (
        <span
          class="room-floor absolute at-top at-bottom at-right"
          style={{ left: `min(${percent(gauge.floor)}, calc(100% - 7px))` }}
        />
      ) : null}
    </span>
  );
}

/** A button: more is in the sheet. */
export function RoomGauge({ storage, onOpen }: { storage: StorageFacts; onOpen: () => void }) {
  const gauge = gaugeOf(storage.folders);
  const bad = warningsOf(storage.folders).some(({ tone }) => tone === 'bad');
  return (
    <button
      type="button"
      class="room min-0 hstack push-end note bold pill bordered surface hover-surface gap-75 pad-2"
      data-bad={bad ? '' : undefined}
      aria-haspopup="dialog"
      onClick={onOpen}
    >
      <Icon name="disk" class="wide-only" />
      <span class="stack gap-25 min-0 text-left">
        <span class="numbers">{freeSpaceText(storage)}</span>
        {gauge === undefined ? null : <GaugeBar gauge={gauge} label={TEXTS.used} small />}
      </span>
    </button>
  );
}

export function FreeSpaceWarnings({ storage }: { storage: StorageFacts }) {
  const warnings = warningsOf(storage.folders);
  const shortage = shortageWords(storage);
  if (warnings.length === 0 && shortage === undefined) return null;
  return (
    <div class="stack gap-50 below-100" role="alert">
      {shortage === undefined ? null : (
        <div class="alert" data-tone="warn">
          <Icon name="alert" />
          <p>
            <b class="block-level">{shortage.text}</b>
            {shortage.next}
          </p>
        </div>
      )}
      {warnings.map((warning) => (
        <Warning key={warning.path} warning={warning} />
      ))}
    </div>
  );
}

function Warning({ warning }: { warning: FreeSpaceWarning }) {
  return (
    <div class="alert" data-tone={warning.tone}>
      <Icon name="alert" />
      <p>
        <b class="block-level">
          {warning.text} <span class="room-path">{warning.path}</span>
        </b>
        {warning.next}
      </p>
    </div>
  );
}

function Folder({ folder }: { folder: StorageFolder }) {
  const { path, totalBytes, freeBytes, floorBytes, recordingBytes, state } = folder;
  const gauge = gaugeOf([folder]);
  const [words, tone] = FOLDER_STATE_WORDS[state] ?? [state, 'quiet'];
  return (
    <section class="room-folder stack gap-50 below-150">
      <h3 class="room-path">{path}</h3>
      <p class="state bold" data-tone={tone}>
        {words}
      </p>
      {gauge === undefined ? null : <GaugeBar gauge={gauge} label={TEXTS.usedOf(path)} />}
      <dl class="facts bordered clip round-m">
        <StorageFact name={TEXTS.usable}>
          {freeBytes === null ? TEXTS.unknown : bytesText(usableBytes([folder]))}
        </StorageFact>
        <StorageFact name={TEXTS.ownFiles} swatch="own">
          {bytesText(recordingBytes)}
        </StorageFact>
        {totalBytes === null || freeBytes === null ? null : (
          <StorageFact name={TEXTS.otherFiles} swatch="others">
            {bytesText(Math.max(0, totalBytes - freeBytes - recordingBytes))}
          </StorageFact>
        )}
        <StorageFact name={TEXTS.floor} swatch="floor">
          {floorBytes === 0 ? TEXTS.noFloor : bytesText(floorBytes)}
        </StorageFact>
        <StorageFact name={TEXTS.total}>
          {totalBytes === null ? TEXTS.unknown : bytesText(totalBytes)}
        </StorageFact>
      </dl>
    </section>
  );
}

function StorageFact({ name, swatch, children }: { name: string; swatch?: string; children: string }) {
  return (
    <div class="fact">
      <dt>
        {swatch === undefined ? null : <span class={`room-key room-key-${swatch}`} aria-hidden="true" />}
        {name}
      </dt>
      <dd class="numbers">{children}</dd>
    </div>
  );
}

interface RoomSheetProps {
  readonly storage: StorageFacts;
  readonly onClose: () => void;
  readonly onBin: () => void;
}

export function RoomSheet({ storage, onClose, onBin }: RoomSheetProps) {
  const { folders, recordings, roomMs } = storage;
  return (
    <Sheet title={TEXTS.room} onClose={onClose}>
      <p class="below-100 text-l">
        {roomMs === null ? (
          TEXTS.roomLearns
        ) : (
          <>
            {TEXTS.roomBefore}
            <b class="numbers text-accent">{roomText(roomMs)}</b>
            {TEXTS.roomAfter}
          </>
        )}
      </p>
      {folders.length === 0 ? <p class="muted">{TEXTS.noFolders}</p> : null}
      {folders.map((folder) => (
        <Folder key={folder.path} folder={folder} />
      ))}
      <section class="room-folder stack gap-50 below-150">
        <h3>{TEXTS.recordings}</h3>
        <dl class="facts bordered clip round-m">
          <StorageFact name={TEXTS.watchable}>
            {TEXTS.countAndBytes(recordings.count.toLocaleString('ja-JP'), bytesText(recordings.bytes))}
          </StorageFact>
          <StorageFact name={TEXTS.ofThemUnwatched}>
            {TEXTS.count(recordings.unwatched.toLocaleString('ja-JP'))}
          </StorageFact>
          <StorageFact name={TEXTS.failedOnes}>
            {TEXTS.count(recordings.failed.toLocaleString('ja-JP'))}
          </StorageFact>
          <StorageFact name={TEXTS.bin}>
            {TEXTS.countAndBytes(
              recordings.binned.toLocaleString('ja-JP'),
              bytesText(recordings.binnedBytes),
            )}
          </StorageFact>
        </dl>
      </section>
      {recordings.binned > 0 ? (
        <button type="button" class="button" onClick={onBin}>
          <Icon name="bin" />
          {TEXTS.openBin}
        </button>
      ) : null}
    </Sheet>
  );
}

/** The list has loaded, but not the storage report. */
export function RoomFailed({ failure }: { failure: ApiFailure }) {
  return (
    <p class="push-end note" title={`${failure.message} ${adviceFor(failure).next}`}>
      {TEXTS.roomUnknown}
    </p>
  );
}
