/** Recording folders: path and state of each, and adding or removing one. */
import { useState } from 'preact/hooks';
import type { FolderList, Settings, StorageFacts } from '../../lib/wire/api.ts';
import { type ApiFailure, asFailure, isFolderMissing } from '../query/api.ts';
import { STORAGE } from '../query/queries.ts';
import { household, saveSetting } from '../query/settings.ts';
import { pathQuery, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { bytesText } from '../words/bytes.ts';
import { FOLDER_STATE_WORDS } from '../words/folder-state.ts';
import { TEXTS } from './texts.ts';

type Configured = Settings['recordingFolders'];
type Folder = StorageFacts['folders'][number];

const GIGA = 1_000_000_000;
/** The service's default for reserved space. */
const USUAL_FLOOR_GB = 10;

function FolderLine({ folder, onRemove }: { folder: Folder; onRemove: (() => void) | undefined }) {
  const { path, state, freeBytes, totalBytes, floorBytes } = folder;
  const [words, tone] = FOLDER_STATE_WORDS[state] ?? [state, 'quiet'];
  return (
    <li class="line-above line">
      <b class="room-path">{path}</b>
      <span class="state" data-tone={tone}>
        {words}
      </span>
      <span class="basis-16 numbers note">
        {TEXTS.folderFacts(
          freeBytes === null || totalBytes === null
            ? ''
            : TEXTS.folderRoom(bytesText(freeBytes), bytesText(totalBytes)),
          floorBytes === 0 ? TEXTS.noFloor : bytesText(floorBytes),
          onRemove === undefined ? TEXTS.andFixed(TEXTS.fixedFolder) : '',
        )}
      </span>
      {onRemove === undefined ? null : (
        <button type="button" class="button button-small" title={TEXTS.removeFolderNote} onClick={onRemove}>
          <span class="hidden-text">{TEXTS.of(path)}</span>
          {TEXTS.removeFolder}
        </button>
      )}
    </li>
  );
}

interface BrowserProps {
  readonly start: string;
  readonly onPick: (path: string) => void;
}

/** Folders of the server, one inside another. */
function FolderBrowser({ start, onPick }: BrowserProps) {
  const [at, setAt] = useState(start);
  const { value, failure } = useQuery(
    pathQuery<FolderList>(`api/folders?path=${encodeURIComponent(at)}`, []),
  );
  return (
    <section
      class="folder-browser whole-line stack gap-75 round-m ground-deep pad-3"
      aria-label={TEXTS.browsing}
    >
      <p class="room-path">{value?.path ?? at}</p>
      {failure === undefined ? null : (
        <p class="alert" role="alert">
          {failure.message}
        </p>
      )}
      <ul class="flex scroll-y wrap gap-50">
        {(value?.parent ?? null) === null && failure === undefined ? null : (
          <li>
            <button
              type="button"
              class="button button-small self-left"
              onClick={() => setAt(value?.parent ?? '/')}
            >
              {TEXTS.parentFolder}
            </button>
          </li>
        )}
        {(value?.folders ?? []).map(({ name, path }) => (
          <li key={path}>
            <button type="button" class="button button-small" onClick={() => setAt(path)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      {value?.folders.length === 0 ? <p class="note">{TEXTS.emptyFolder}</p> : null}
      {value?.more === true ? <p class="note">{TEXTS.moreFolders}</p> : null}
      {value === undefined ? null : (
        <button type="button" class="button" onClick={() => onPick(value.path)}>
          {TEXTS.chooseFolder}
        </button>
      )}
    </section>
  );
}

interface AddProps {
  readonly configured: Configured;
  /** The service does not take the folder that was last to be added. */
  readonly isRefused: boolean;
  readonly onEdit: () => void;
  readonly save: (folders: Configured) => Promise<boolean>;
}

function AddFolder({ configured, isRefused, onEdit, save }: AddProps) {
  const [path, setPath] = useState('');
  const [floor, setFloor] = useState(String(USUAL_FLOOR_GB));
  const [isBrowsing, setBrowsing] = useState(false);
  const [isChecked, setChecked] = useState(false);
  /** A path at which nothing is yet: a mistyped one is not to be made without a word. */
  const [missing, setMissing] = useState('');
  const gigabytes = Number(floor.normalize('NFKC'));
  const hasPath = path.trim() !== '';
  const hasFloor = floor.trim() !== '' && Number.isFinite(gigabytes) && gigabytes >= 0;
  const isNew = hasPath && missing === path.trim();
  const isAbsolute = path.trim().startsWith('/');
  const noPath = isChecked && !isAbsolute;
  const noFloor = isChecked && !hasFloor;
  const add = async (): Promise<void> => {
    setChecked(true);
    if (!isAbsolute || !hasFloor) return;
    if (!isNew && (await isFolderMissing(path.trim()))) {
      setMissing(path.trim());
      return;
    }
    const added = { path: path.trim(), floorBytes: Math.round(gigabytes * GIGA) };
    setMissing('');
    if (!(await save([...configured, added]))) return;
    // Unless the next one is being typed.
    setPath((shown) => (shown.trim() === added.path ? '' : shown));
    setChecked(false);
  };
  return (
    <form
      class="folder-add flex wrap gap-75"
      aria-label={TEXTS.addFolder}
      data-nav-whole=""
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <label class="stack text-s bold gap-25 basis-16">
        {TEXTS.folderPath}
        <input
          class="rule-input rule-input-wide basis-16"
          name="folder-path"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          placeholder="/mnt/disk2/recordings"
          value={path}
          aria-invalid={noPath || isRefused}
          onInput={(event) => {
            setPath(event.currentTarget.value);
            onEdit();
          }}
        />
      </label>
      <label class="stack text-s bold gap-25">
        {TEXTS.folderFloor}
        <input
          class="rule-input"
          name="folder-floor"
          inputMode="numeric"
          autocomplete="off"
          value={floor}
          aria-invalid={noFloor}
          onInput={(event) => setFloor(event.currentTarget.value)}
        />
      </label>
      <button
        type="button"
        class="button"
        aria-expanded={isBrowsing}
        onClick={() => setBrowsing(!isBrowsing)}
      >
        {TEXTS.browse}
      </button>
      <button type="submit" class="button">
        <Icon name="plus" />
        {isNew ? TEXTS.makeFolder : TEXTS.checkFolder}
      </button>
      {isNew ? (
        <p class="whole-line" role="status">
          {TEXTS.newFolder(missing)}
        </p>
      ) : null}
      {noPath || noFloor ? (
        <p class="alert" role="alert">
          {!noPath ? TEXTS.folderFloorWrong : hasPath ? TEXTS.folderPathWrong : TEXTS.folderPathMissing}
        </p>
      ) : null}
      {isBrowsing ? (
        <FolderBrowser
          start={path.trim().startsWith('/') ? path.trim() : '/'}
          onPick={(picked) => {
            setPath(picked);
            setBrowsing(false);
          }}
        />
      ) : null}
    </form>
  );
}

export function FoldersBlock() {
  const { value: storage, failure } = useQuery(STORAGE);
  const [refused, setRefused] = useState<ApiFailure>();
  const held = household.value;
  const configured = held.kind === 'ready' ? (held.settings.recordingFolders ?? []) : [];
  // The service judges a folder when it is set: that it can be written or made, and is no folder of the system.
  const save = async (folders: Configured): Promise<boolean> => {
    setRefused(undefined);
    try {
      await saveSetting({ recordingFolders: folders });
      return true;
    } catch (error) {
      setRefused(asFailure(error));
      return false;
    }
  };
  const folders = storage?.folders ?? [];
  return (
    <>
      {storage === undefined && failure !== undefined ? (
        <p class="alert" role="alert">
          {failure.message}
        </p>
      ) : null}
      {storage !== undefined && folders.length === 0 ? <p class="note">{TEXTS.noFolders}</p> : null}
      <ul class="below-75 above-75 stack">
        {folders.map((folder) => (
          <FolderLine
            key={folder.path}
            folder={folder}
            onRemove={
              configured.some(({ path }) => path === folder.path)
                ? () => void save(configured.filter(({ path }) => path !== folder.path))
                : undefined
            }
          />
        ))}
      </ul>
      {held.kind === 'ready' ? (
        <AddFolder
          configured={configured}
          isRefused={refused?.path?.startsWith('recordingFolders.') === true}
          onEdit={() => setRefused(undefined)}
          save={save}
        />
      ) : null}
      {refused === undefined ? null : (
        <p class="alert" role="alert">
          {refused.message}
        </p>
      )}
    </>
  );
}
